"""What the flags of ``stackr submit`` promise (docs/reference/cli.md), and what is remembered of them."""

from __future__ import annotations

from tests.support.laws import check_laws, refuses
from tests.support.world import Clone, World


def taken_over(clone: Clone, other: Clone) -> Clone:
    """``other`` on the same commits as ``clone``."""
    other.git("fetch", "-q", str(clone.path), "HEAD")
    other.git("checkout", "-q", "-b", "feature", "FETCH_HEAD")
    return other


# -- drafts, people, labels ----------------------------------------------------------------------------


def test_draft_and_ready_change_all_submitted_pull_requests(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.stackr("submit", "--draft")
    assert [pull.draft for pull in world.pulls()] == [True, True]
    check_laws(world, clone)
    clone.stackr("submit", "--ready", "HEAD~1")
    assert [pull.draft for pull in world.pulls()] == [False, True]
    assert all(change["pull"]["draft"] == (number == 1) for number, change in enumerate(changes(clone)))


def changes(clone: Clone) -> list[dict]:
    return clone.stackr("status", "--json").json["changes"]


def test_a_request_that_holds_already_writes_nothing(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.stackr("submit", "--draft")
    world.forget()
    clone.stackr("submit", "--draft")
    assert world.server.log.counts()["mutations"] == 0


def test_reviewers_and_labels_are_added_to_those_that_are_there(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.stackr("submit", "--reviewer", "bob", "--label", "bug")
    clone.stackr("submit", "--reviewer", "@Carol", "--label", "Enhancement", "HEAD~1")
    assert (world.reviewers(1), world.labels(1)) == (["bob", "carol"], ["bug", "enhancement"])
    assert (world.reviewers(2), world.labels(2)) == (["bob"], ["bug"])
    check_laws(world, clone)


def test_configured_reviewers_and_labels_go_to_new_pull_requests_only(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.stackr("submit")
    clone.git("config", "stackr.reviewers", "bob")
    clone.git("config", "stackr.labels", "bug")
    clone.change("B")
    clone.stackr("submit")
    assert (world.reviewers(1), world.labels(1)) == ([], [])
    assert (world.reviewers(2), world.labels(2)) == (["bob"], ["bug"])


def test_a_team_that_names_its_own_members_as_reviewers_does_not_ask_the_author(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.write(".stackr.toml", 'reviewers = ["alice", "bob"]\n')
    nobody = f"{world.name.partition('/')[0]}/core"
    told = clone.stackr("submit", "--dry-run", "--reviewer", nobody, code=3).err
    assert told.startswith(f'error: github knows no reviewer "{nobody}"\n')
    clone.stackr("submit")
    assert world.reviewers(1) == ["bob"]
    check_laws(world, clone)


# -- the trunk -----------------------------------------------------------------------------------------


def test_a_base_is_remembered_for_the_branch_and_found_by_another_clone(world: World) -> None:
    world.branch("release", "main~1")
    clone = world.clone()
    clone.git("fetch", "-q", str(world.bare.path), "release:refs/remotes/origin/release")
    clone.git("checkout", "-q", "-b", "feature", "--no-track", "origin/release")
    clone.change("A")
    clone.change("B")
    clone.stackr("submit", "--base", "release")
    assert clone.git("config", "branch.feature.stackrBase") == "release"
    check_laws(world, clone, "release")
    bob = taken_over(clone, world.clone("bob"))
    document = bob.stackr("submit", "--json").json
    assert document["trunk"]["name"] == "release"
    assert document["actions"] == []
    assert bob.git("config", "branch.feature.stackrBase", check=False) == ""


def test_another_base_retargets_the_bottom_pull_request(world: World) -> None:
    clone = world.stacked("A", "B")
    world.branch("next", "main")
    clone.stackr("submit", "--base", "next")
    clone.git("update-ref", "refs/remotes/origin/next", "origin/main")
    check_laws(world, clone, "next")


# -- a part of the stack -------------------------------------------------------------------------------


def test_a_revision_submits_the_lower_part_and_moves_the_branch_above_it(world: World) -> None:
    clone = world.stacked("A", "B", "C", submit=False)
    before = clone.oid()
    clone.stackr("submit", "HEAD~1")
    assert [pull.title for pull in world.pulls()] == ["A", "B"]
    assert clone.oid() != before
    assert clone.git("symbolic-ref", "HEAD") == "refs/heads/feature"
    assert clone.git("status", "--porcelain") == ""
    assert {subject: bool(change) for subject, change in clone.ids().items()} == {"A": True, "B": True, "C": False}
    clone.stackr("submit")
    check_laws(world, clone)


def test_a_branch_name_and_a_change_in_the_middle_are_revisions(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.git("branch", "lower", "HEAD~1")
    clone.stackr("submit", "lower")
    assert [pull.title for pull in world.pulls()] == ["A"]
    assert clone.oid("lower") == clone.oid("HEAD~1")


def test_a_lower_part_submitted_again_gives_the_upper_ones_the_new_list(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.change("Z")
    clone.reorder("Z", "A", "B")
    clone.stackr("submit", "HEAD~2")
    assert [pull.title for pull in world.pulls()] == ["A", "B", "Z"]
    assert all(f"#{number}" in (world.pull(2).body or "") for number in (1, 2, 3))
    clone.stackr("submit")
    check_laws(world, clone)


def test_only_touches_just_that_change(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    heads = {number: world.pull(number).head_oid for number in (1, 3)}
    clone.amend("B")
    clone.amend("C")
    clone.stackr("submit", "--only", "HEAD~1")
    assert {number: world.pull(number).head_oid for number in (1, 3)} == heads
    assert world.bare.tree(world.pull(2).head_ref) == clone.tree("HEAD~1")
    assert [change["state"] for change in changes(clone)] == ["in-sync", "in-sync", "modified"]
    clone.stackr("submit")
    check_laws(world, clone)


def test_only_needs_the_lower_changes_on_github(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    short = clone.oid("HEAD~1")[:7]
    refuses(
        world,
        clone,
        "submit",
        "--only",
        code=3,
        kind="refused",
        message=f'"A" ({short}) below has no open pull request',
        next_step="submit it first: stackr submit without --only does the lower ones too",
    )
    clone.stackr("submit", "HEAD~1")
    clone.amend("A")
    short = clone.oid("HEAD~1")[:7]
    refuses(
        world,
        clone,
        "submit",
        "--only",
        code=3,
        kind="refused",
        message=f'"A" ({short}) below is not on GitHub as it is here',
        next_step="submit it first: stackr submit without --only does the lower ones too",
    )


# -- how ---------------------------------------------------------------------------------------------


def test_the_message_goes_to_the_commits_that_updates_add(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.amend("A")
    clone.stackr("submit", "-m", "Answer to the review")
    subjects = [world.bare.git("log", "-1", "--format=%s", world.pull(number).head_ref) for number in (1, 2)]
    assert subjects == ["Answer to the review"] * 2
    clone.amend("B")
    clone.stackr("submit")
    assert world.bare.git("log", "-1", "--format=%s %an", world.pull(2).head_ref) == "Update: B Alice Author"
    assert world.bare.git("log", "-1", "--format=%s", world.pull(1).head_ref) == "Answer to the review"
    check_laws(world, clone)


def test_update_fields_replaces_what_was_edited_on_github(world: World) -> None:
    clone = world.stacked("A", "B")
    world.edit(1, title="Something else", body="Gone is the block.")
    clone.stackr("submit", "--update-fields")
    assert (world.pull(1).title, "Gone" in (world.pull(1).body or "")) == ("A", False)
    check_laws(world, clone)


def test_style_rewrite_makes_the_heads_the_local_commits(world: World) -> None:
    clone = world.stacked("A", "B", "C", submit=False)
    clone.git("config", "stackr.style", "rewrite")
    clone.stackr("submit")
    check_laws(world, clone)
    clone.amend("A")
    clone.stackr("submit")
    stack = check_laws(world, clone, forced=True)
    assert [world.bare.oid(seen.pull.head_ref) for seen in stack] == clone.stack()
    for order in ("CAB", "BC"):
        clone.reorder(*order)
        clone.stackr("submit")
        stack = check_laws(world, clone, forced=True)
        assert [seen.pull.title for seen in stack] == list(order)
        assert [world.bare.oid(seen.pull.head_ref) for seen in stack] == clone.stack()


def test_style_rewrite_does_not_lose_a_suggestion_either(world: World) -> None:
    clone = world.stacked("A")
    world.suggest(world.pull(1).head_ref, "A.txt", "better\n")
    clone.amend("A")
    result = clone.stackr("submit", "--style", "rewrite", code=3)
    assert "somebody else pushed" in result.err


def test_after_a_rewrite_append_goes_on_from_there(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.amend("A")
    clone.stackr("submit", "--style", "rewrite")
    world.forget()
    clone.amend("B")
    clone.stackr("submit", "--style", "append")
    assert world.server.log.forced() == []
    check_laws(world, clone, forced=True)


def test_reopen_opens_what_somebody_closed(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    world.edit(2, state="closed")
    document = clone.stackr("submit", "--reopen", "--json").json
    assert document["actions"] == [{"kind": "update", "number": 2, "fields": ["state"]}]
    check_laws(world, clone, gone=[2])


def test_reopen_brings_deleted_branches_back(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    branch = world.pull(2).head_ref
    bob = world.clone("bob")
    bob.git("push", "-q", world.server.clone_url(world.name, bob.token), f":refs/heads/{branch}")
    assert [world.state(number) for number in (1, 2, 3)] == ["open", "closed", "closed"]
    clone.stackr("submit", code=3)
    clone.stackr("submit", "--reopen")
    check_laws(world, clone, gone=[2, 3])


def test_what_githubs_own_deletion_closed_is_reopened_on_the_new_base(world: World) -> None:
    clone = world.stacked("A", "B", "C")
    world.server.engine.settings.delete_race = True
    world.merge(1, method="squash", delete=True)
    clone.stackr("sync")
    assert world.state(2) == "closed"
    clone.stackr("submit", "--reopen")
    assert world.pull(2).base_ref == "main" and f"refs/heads/{world.pull(1).head_ref}" not in world.bare.refs()
    check_laws(world, clone, landed=[1], gone=[1, 2])


def test_without_fetching_nothing_is_fetched(world: World) -> None:
    clone = world.stacked("A", "B")
    world.advance()
    clone.amend("A")
    world.forget()
    clone.stackr("submit", "--no-fetch")
    assert world.server.log.counts()["fetches"] == 0
    check_laws(world, clone, again=False)


def test_without_fetching_a_foreign_commit_is_still_seen(world: World) -> None:
    clone = world.stacked("A")
    theirs = world.suggest(world.pull(1).head_ref, "A.txt", "better\n")
    refuses(
        world,
        clone,
        "submit",
        "--no-fetch",
        code=3,
        kind="refused",
        message=f'somebody else pushed to the branch of "A" ({clone.oid()[:7]})\n'
        f"    {world.pull(1).head_ref} is at {theirs[:7]}, which is not what this clone last pushed",
        safe="nothing was changed; their commits are on the branch and stay there",
        next_step="stackr sync takes them in; stackr submit --overwrite puts your version on top of them",
    )


# -- pull request templates ----------------------------------------------------------------------------

TEMPLATE = "## Checklist\n\n- [ ] tests\n- [ ] docs\n"


def with_template(world: World) -> Clone:
    world.advance(".github/PULL_REQUEST_TEMPLATE.md", TEMPLATE)
    clone = world.clone()
    clone.git("checkout", "-q", "-b", "feature")
    clone.change("A", message="A\n\nWhy A.")
    clone.stackr("submit")
    return clone


def text_of(world: World) -> str:
    return (world.pull(1).body or "").partition("<!-- stackr:end -->")[2].strip()


def test_a_template_stands_below_the_text_of_the_commit(world: World) -> None:
    clone = with_template(world)
    assert text_of(world) == f"Why A.\n\n{TEMPLATE.strip()}"
    check_laws(world, clone)


def test_a_template_stays_when_the_text_follows_the_commit(world: World) -> None:
    clone = with_template(world)
    clone.reword("A", "A\n\nWhy A, really.")
    clone.stackr("submit")
    assert text_of(world) == f"Why A, really.\n\n{TEMPLATE.strip()}"
    check_laws(world, clone)


def test_a_template_that_was_filled_in_is_kept_while_the_text_follows_the_commit(world: World) -> None:
    clone = with_template(world)
    world.edit(1, login="alice", body=(world.pull(1).body or "").replace("[ ] tests", "[x] tests"))
    clone.reword("A", "A\n\nWhy A, really.")
    clone.stackr("submit", "--dry-run")
    clone.stackr("submit")
    assert "- [x] tests\n- [ ] docs" in text_of(world)
    clone.change("B")
    clone.stackr("submit")
    assert "- [x] tests\n- [ ] docs" in text_of(world)
    check_laws(world, clone)


def test_a_template_that_was_written_into_is_kept_with_all_its_words(world: World) -> None:
    clone = with_template(world)
    world.edit(1, login="alice", body=(world.pull(1).body or "").replace("[ ] tests", "[x] all tests, by hand"))
    clone.reword("A", "A\n\nWhy A, really.")
    told = clone.stackr("submit")
    assert text_of(world) == "Why A.\n\n## Checklist\n\n- [x] all tests, by hand\n- [ ] docs"
    assert "the description of #1 was edited on GitHub and is kept" in told.out
    check_laws(world, clone)


def test_json_tells_of_approvals_for_the_present_head_and_of_no_others(world: World) -> None:
    clone = world.stacked("A", "B")
    for number in (1, 2):
        world.approve(number)
    world.forget()
    assert [row["pull"]["review"] for row in clone.stackr("submit", "--json").json["changes"]] == ["approved"] * 2
    assert world.api_count() == 1
    clone.amend("B")
    assert [row["pull"]["review"] for row in clone.stackr("submit", "--json").json["changes"]] == ["approved", "none"]
