"""A conflict in a sync (docs/internals/protocol.md 6.5): what is said, the rebase in the work tree, its two ends."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.support.laws import check_laws, refuses, untouched
from tests.support.synced import check_settled, land
from tests.support.world import Clone, Result, World

NEXT = "stackr sync --resolve, or git rebase origin/main and then stackr submit"
EDITOR = {"GIT_EDITOR": "true"}


def conflicting(world: World, *, landed: bool = False) -> Clone:
    """Three submitted changes, of which the middle one and trunk changed the same lines."""
    return world.prepared(_conflict, landed)


def _conflict(world: World, clone: Clone, landed: bool) -> None:
    clone.git("checkout", "-q", "-b", "feature")
    clone.change("A")
    clone.commit("B", {"src/util.py": "alice\n", "B.txt": "b\n"})
    clone.change("C")
    clone.stackr("submit")
    if landed:
        land(world, 1)
    world.advance("src/util.py", "bob\n")


def places(clone: Clone) -> tuple[dict[str, str], str, str]:
    """Where the branches are, and what the work tree looks like."""
    return clone.refs("refs/heads"), clone.git("rev-parse", "HEAD"), clone.git("status", "--porcelain")


def resolve(clone: Clone, text: str = "both\n", name: str = "src/util.py") -> None:
    clone.write(name, text)
    clone.git("add", name)


def stops(
    clone: Clone, *args: str, at: str = '"B" (conflict in src/util.py)', env: Mapping[str, str] = EDITOR
) -> Result:
    """The command ends in a conflict, and says so in three lines."""
    result = clone.stackr(*args, code=4, env=env)
    assert result.err.splitlines()[-3:] == [
        f"error: git rebase stopped at {at}",
        "safe:  stackr abort puts everything back to before the rebase",
        "next:  mend the files, git add them, then stackr continue",
    ]
    return result


# -- nothing has moved --------------------------------------------------------------------------------


def test_a_conflict_names_change_files_and_trunk_commits_and_moves_nothing(world: World) -> None:
    clone = conflicting(world)
    theirs = world.bare.oid("main")
    message = f'"B" no longer applies on main (conflict in src/util.py)\nmain changed it in\n    {theirs[:7]} Apply '
    refuses(
        world,
        clone,
        "sync",
        code=4,
        kind="conflict",
        message=message + "suggestion to src/util.py (Bob Author)",
        safe=f"nothing was moved; your branch is still at {clone.oid()[:7]}",
        next_step=NEXT,
    )


def test_what_a_colleague_pushed_may_conflict_with_what_was_changed_here(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.amend("B", "alice\n")
    theirs = world.suggest(world.pull(2).head_ref, "B.txt", "bob\n")
    refuses(
        world,
        clone,
        "sync",
        code=4,
        kind="conflict",
        message='"B" was changed here and on its branch (conflict in B.txt)\n'
        f"    {theirs[:7]} Apply suggestion to B.txt (Bob Author)",
        safe=f"nothing was moved; your branch is still at {clone.oid()[:7]}",
        next_step="stackr sync --resolve, or amend the commit with what you want of theirs "
        "and then stackr submit --overwrite",
    )


def test_a_dry_run_reports_the_conflict_and_starts_nothing(world: World) -> None:
    clone = conflicting(world)
    with untouched(world, clone):
        clone.stackr("sync", "--dry-run", "--resolve", code=4)


# -- a rebase in the work tree ------------------------------------------------------------------------


def test_a_resolved_conflict_is_continued_and_the_pull_requests_are_refreshed(world: World) -> None:
    clone = conflicting(world, landed=True)
    clone.git("branch", "low", "HEAD~2")
    clone.git("branch", "middle", "HEAD~1")
    stops(clone, "sync", "--resolve")
    assert clone.git("diff", "--name-only", "--diff-filter=U") == "src/util.py"
    resolve(clone)
    document = clone.stackr("continue", "--json", env=EDITOR).json
    assert (document["command"], document["ok"], len(document["changes"])) == ("continue", True, 2)
    assert clone.subjects() == ["B", "C"]
    assert (clone.oid("low"), clone.oid("middle")) == (clone.oid("origin/main"), clone.oid("HEAD~1"))
    assert (clone.path / "src/util.py").read_text() == "both\n"
    check_laws(world, clone, landed=[1], gone=[1])
    check_settled(world, clone)


def test_aborting_puts_everything_back_other_branches_included(world: World) -> None:
    clone = conflicting(world)
    clone.git("branch", "middle", "HEAD~1")
    before, facts = places(clone), world.facts()
    stops(clone, "sync", "--resolve")
    resolve(clone)
    told = clone.stackr("abort").err
    assert told.splitlines()[-1] == f'the rebase is taken back; "feature" is at {clone.oid()[:7]} again'
    assert (places(clone), world.facts()) == (before, facts)
    clone.stackr("continue", code=3)


def test_continuing_too_early_stops_again(world: World) -> None:
    clone = conflicting(world)
    stops(clone, "sync", "--resolve")
    stops(clone, "continue")


def test_a_rebase_that_was_finished_with_git_is_continued_with_the_rest_of_the_sync(world: World) -> None:
    clone = conflicting(world)
    stops(clone, "sync", "--resolve")
    resolve(clone)
    clone.git("rebase", "--continue", env=EDITOR)
    clone.stackr("continue")
    assert clone.subjects() == ["A", "B", "C"]
    check_laws(world, clone)


def test_a_rebase_that_was_finished_with_git_is_no_longer_in_the_way_of_other_commands(world: World) -> None:
    clone = conflicting(world)
    stops(clone, "sync", "--resolve")
    clone.git("rebase", "--skip", env=EDITOR)
    clone.stackr("sync")
    assert clone.subjects() == ["A", "C"]
    clone.stackr("continue", code=3)


def test_a_rebase_that_was_finished_with_git_cannot_be_aborted_but_undone(world: World) -> None:
    clone = conflicting(world)
    before = places(clone)
    stops(clone, "sync", "--resolve")
    resolve(clone)
    clone.git("rebase", "--continue", env=EDITOR)
    assert clone.stackr("abort", code=3).err.splitlines() == [
        "error: there is nothing to abort: the rebase is finished",
        "safe:  your branches are where the rebase has put them",
        "next:  stackr sync goes on from here; stackr undo takes the rebase back",
    ]
    clone.stackr("undo")
    assert places(clone) == before


def test_a_rebase_that_was_aborted_with_git_leaves_nothing_to_continue(world: World) -> None:
    clone = conflicting(world)
    before = places(clone)
    stops(clone, "sync", "--resolve")
    clone.git("rebase", "--abort")
    assert clone.stackr("continue", code=3).err.splitlines() == [
        "error: there is nothing to continue: the rebase was aborted",
        "safe:  everything is as it was before the rebase",
        "next:  stackr sync --resolve starts it again",
    ]
    assert places(clone) == before
    clone.stackr("abort", code=3)


def test_aborting_after_git_has_aborted_is_fine(world: World) -> None:
    clone = conflicting(world)
    stops(clone, "sync", "--resolve")
    clone.git("rebase", "--abort")
    clone.stackr("abort")
    clone.stackr("abort", code=3)


@pytest.mark.parametrize("verb", ["continue", "abort"])
def test_without_anything_begun_there_is_nothing_to_end(world: World, verb: str) -> None:
    clone = world.stacked("A", submit=False)
    refuses(
        world,
        clone,
        verb,
        code=3,
        kind="refused",
        message=f"there is nothing to {verb}",
        next_step="stackr sync --resolve starts a rebase when it has to",
    )


def test_a_rebase_of_the_users_own_is_left_to_git(world: World) -> None:
    clone = conflicting(world)
    clone.git("fetch", "-q")
    clone.git("rebase", "origin/main", check=False)
    told = clone.stackr("continue", code=3).err.splitlines()
    assert told[0] == "error: there is nothing of stackr to continue; the rebase in progress is git's own"
    assert told[2] == "next:  git rebase --continue"


@pytest.mark.parametrize("command", ["submit", "sync", "undo"])
def test_other_commands_wait_for_the_end_of_the_rebase(world: World, command: str) -> None:
    clone = conflicting(world)
    stops(clone, "sync", "--resolve")
    assert clone.stackr(command, code=3).err.splitlines() == [
        "error: the rebase that stackr sync started is in progress",
        "safe:  nothing was changed",
        "next:  stackr continue when the conflicts are resolved, or stackr abort",
    ]


def test_status_names_the_two_ways_out_of_the_rebase(world: World) -> None:
    clone = conflicting(world)
    stops(clone, "sync", "--resolve")
    waiting = "the rebase that stackr sync started is in progress"
    ways = "stackr continue when the conflicts are resolved, or stackr abort"
    assert f"note: {waiting}: {ways}\n" in clone.stackr("status").out


def test_a_finished_rebase_can_be_undone(world: World) -> None:
    clone = conflicting(world)
    clone.git("branch", "middle", "HEAD~1")
    before = places(clone)
    stops(clone, "sync", "--resolve", "--no-push")
    resolve(clone)
    clone.stackr("continue", env=EDITOR)
    assert places(clone) != before
    clone.stackr("undo")
    assert places(clone) == before


def test_no_push_is_remembered_until_the_rebase_is_through(world: World) -> None:
    clone = conflicting(world)
    facts = world.facts()
    stops(clone, "sync", "--resolve", "--no-push")
    resolve(clone)
    clone.stackr("continue", env=EDITOR)
    assert clone.subjects() == ["A", "B", "C"]
    assert world.facts() == facts


def test_uncommitted_changes_are_named_before_anything_is_started(world: World) -> None:
    clone = conflicting(world)
    clone.write("README.md", "mine\n")
    before = places(clone)
    assert clone.stackr("sync", "--resolve", code=3).err.splitlines()[-3:] == [
        'error: git rebase needs a clean work tree, but you have changed "README.md"',
        "safe:  nothing was changed",
        "next:  commit or stash that (git stash), then stackr sync --resolve",
    ]
    assert places(clone) == before
    clone.stackr("continue", code=3)


def test_uncommitted_changes_are_stashed_if_git_is_told_to(world: World) -> None:
    clone = conflicting(world)
    clone.git("config", "rebase.autoStash", "true")
    clone.write("README.md", "mine\n")
    stops(clone, "sync", "--resolve")
    resolve(clone)
    clone.stackr("continue", env=EDITOR)
    assert clone.git("status", "--porcelain") == " M README.md"
    assert (clone.path / "README.md").read_text() == "mine\n"


def test_a_rebase_that_cannot_begin_is_refused(world: World) -> None:
    clone = conflicting(world)
    world.advance("notes.txt", "bob\n")
    clone.write("notes.txt", "mine\n")
    before = places(clone)
    result = clone.stackr("sync", "--resolve", code=3)
    assert result.err.splitlines()[-3:] == [
        "error: git rebase did not start; what it says is above",
        "safe:  nothing was changed",
        "next:  mend that, then stackr sync --resolve",
    ]
    assert places(clone) == before
    clone.stackr("continue", code=3)


def test_what_was_resolved_once_is_resolved_again_by_rerere(world: World) -> None:
    clone = conflicting(world)
    clone.git("config", "rerere.enabled", "true")
    clone.git("config", "rerere.autoUpdate", "true")
    stops(clone, "sync", "--resolve")
    resolve(clone)
    clone.git("rebase", "--continue", env=EDITOR)
    clone.stackr("undo")
    result = clone.stackr("sync", "--resolve", code=4, env=EDITOR)
    assert "git rebase stopped at" in result.err
    assert (clone.path / "src/util.py").read_text() == "both\n"
    clone.stackr("continue", env=EDITOR)
    check_laws(world, clone)


def test_a_rebase_that_goes_through_is_followed_by_the_rest_of_the_sync(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = conflicting(world)
    monkeypatch.setattr("stackr.resolve.start", lambda *_: clone.git("rebase", "-q", "-X", "theirs", "origin/main"))
    clone.stackr("sync", "--resolve")
    assert clone.subjects() == ["A", "B", "C"]
    check_laws(world, clone)


def test_gits_hooks_run_as_git_runs_them(world: World) -> None:
    clone = conflicting(world)
    stops(clone, "sync", "--resolve")
    hook = clone.write(".git/hooks/prepare-commit-msg", '#!/bin/sh\necho "Hooked: yes" >> "$1"\n')
    hook.chmod(0o755)
    resolve(clone)
    clone.stackr("continue", env=EDITOR)
    assert "Hooked: yes" in clone.git("log", "-1", "--format=%B", "HEAD~1")


def test_an_editor_that_fails_leaves_the_rebase_where_it_is(world: World) -> None:
    clone = conflicting(world)
    stops(clone, "sync", "--resolve")
    resolve(clone)
    told = clone.stackr("continue", code=4, env={"GIT_EDITOR": "false"}).err.splitlines()
    assert told[-3] == 'error: git rebase stopped at "B" (git says above why)'
    assert told[-1] == "next:  mend that, then stackr continue"
    clone.stackr("continue", env=EDITOR)
    check_laws(world, clone)


def test_a_conflict_with_a_colleague_is_resolved_with_their_name_in_the_commit(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.amend("B", "alice\n")
    theirs = world.suggest(world.pull(2).head_ref, "B.txt", "bob\n")
    stops(clone, "sync", "--resolve", at='"B" (conflict in B.txt)')
    resolve(clone, "both\n", "B.txt")
    clone.stackr("continue", env=EDITOR)
    assert "Co-authored-by: Bob Author <bob@example.com>" in clone.git("log", "-1", "--format=%B", "HEAD~1")
    assert world.bare.git("merge-base", theirs, world.pull(2).head_ref) == theirs
    check_laws(world, clone)
    check_settled(world, clone)


def test_a_conflict_with_a_colleague_that_was_resolved_with_git_is_not_asked_about_again(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    clone.amend("B", "alice\n")
    world.suggest(world.pull(2).head_ref, "B.txt", "bob\n")
    stops(clone, "sync", "--resolve", at='"B" (conflict in B.txt)')
    resolve(clone, "both\n", "B.txt")
    clone.git("rebase", "--continue", env=EDITOR)
    clone.stackr("submit")
    check_laws(world, clone)


def test_what_was_amended_after_the_merge_is_picked_alone(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.amend("A", "mine\n")
    land(world, 1)
    world.advance("A.txt", "A 0\nbob\n")
    stops(clone, "sync", "--resolve", at='"A" (conflict in A.txt)')
    resolve(clone, "A 0\nbob\nmine\n", "A.txt")
    clone.stackr("continue", env=EDITOR)
    assert clone.git("show", "--format=", "HEAD~1").count("\n+") == 2  # the file header and one line
    clone.stackr("submit")
    check_laws(world, clone, landed=[1], gone=[1])


def test_in_a_linked_worktree_the_rebase_is_its_own(world: World) -> None:
    clone = conflicting(world)
    clone.git("checkout", "-q", "main")
    clone.git("worktree", "add", "-q", str(world.root / "linked"), "feature")
    linked = Clone(world.root / "linked", clone.login, clone.token)
    stops(linked, "sync", "--resolve")
    clone.stackr("continue", code=3)
    resolve(linked)
    linked.stackr("continue", env=EDITOR)
    check_laws(world, linked)


def test_a_detached_head_is_rebased_and_put_back(world: World) -> None:
    clone = conflicting(world)
    clone.git("checkout", "-q", "--detach")
    clone.git("branch", "-q", "-D", "feature")
    before = places(clone)
    stops(clone, "sync", "--resolve")
    assert clone.stackr("abort").err.splitlines()[-1] == f"the rebase is taken back; HEAD is at {clone.oid()[:7]} again"
    assert places(clone) == before
    stops(clone, "sync", "--resolve")
    resolve(clone)
    clone.stackr("continue", env=EDITOR)
    assert clone.subjects() == ["A", "B", "C"]
    clone.stackr("undo")
    assert clone.stackr("abort", "--json", code=3).json["ok"] is False


# -- somebody sits at the terminal --------------------------------------------------------------------


class Asked:
    """Somebody who answers."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.questions: list[tuple[str, bool, bool]] = []

    def __call__(self, text: str, default: bool, err: bool) -> bool:
        self.questions.append((text, default, err))
        return self.answer


@pytest.mark.parametrize("answer", [True, False])
def test_on_a_terminal_the_rebase_is_offered(world: World, monkeypatch: pytest.MonkeyPatch, answer: bool) -> None:
    clone = conflicting(world)
    before = places(clone)
    asked = Asked(answer)
    monkeypatch.setattr("stackr.options.Invocation.interactive", True)
    monkeypatch.setattr("click.confirm", asked)
    clone.stackr("sync", code=4, env=EDITOR)
    assert asked.questions == [("Resolve it now, with git rebase in this work tree?", True, True)]
    assert (places(clone) == before) is not answer


def test_the_json_document_of_an_abort_has_the_head(world: World) -> None:
    clone = conflicting(world)
    stops(clone, "sync", "--resolve")
    document = clone.stackr("abort", "--json").json
    head = {"branch": "feature", "oid": clone.oid()}
    assert document == {"schema": 1, "command": "abort", "ok": True, "head": head}
