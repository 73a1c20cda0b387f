"""Fetch and push against real bare repositories: exactly the refs asked for, leases held, refusals understood."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from stackr.core.ports import RefUpdate
from stackr.errors import GitError, GitHubError, LeaseLost, Refused, StackrError
from stackr.repo import transport
from stackr.repo.failures import NetworkFailed
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import GitRepo, Workspace, git

X, Y = "refs/heads/stackr/alice/x", "refs/heads/stackr/alice/y"


def hook(repo: GitRepo, name: str, script: str) -> None:
    folder = repo.path / ".git" if (repo.path / ".git").is_dir() else repo.path
    path = folder / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def stack(workspace: Workspace) -> tuple[str, str]:
    return workspace.clone.commit("Change x"), workspace.clone.commit("Change y")


def test_all_heads_of_a_stack_go_in_one_push(workspace: Workspace, repo: Repository) -> None:
    x, y = stack(workspace)
    repo.config.get("core.bare")
    before = repo.process_count
    repo.push("origin", [RefUpdate(X, x, None), RefUpdate(Y, y, None)])
    assert repo.process_count - before == 1
    assert workspace.origin.refs("refs/heads/stackr") == {X: x, Y: y}


def test_a_push_may_move_create_and_delete_at_once(workspace: Workspace, repo: Repository) -> None:
    x, y = stack(workspace)
    repo.push("origin", [RefUpdate(X, x, None), RefUpdate(Y, x, None)])
    repo.push("origin", [RefUpdate(X, y, x), RefUpdate(Y, None, x), RefUpdate("refs/heads/z", y, None)])
    assert workspace.origin.refs() == {
        "refs/heads/main": workspace.clone.oid("main~2"),
        X: y,
        "refs/heads/z": y,
    }


def test_a_leased_head_may_be_rewritten(workspace: Workspace, repo: Repository) -> None:
    x, _ = stack(workspace)
    repo.push("origin", [RefUpdate(X, x, None)])
    other = workspace.clone.git("commit-tree", "-m", "other", "main^{tree}")
    repo.push("origin", [RefUpdate(X, other, x)])
    assert workspace.origin.oid(X) == other


def test_what_is_in_place_is_not_pushed(workspace: Workspace, repo: Repository) -> None:
    x, _ = stack(workspace)
    before = repo.process_count
    repo.push("origin", [])
    repo.push("origin", [RefUpdate(X, x, x), RefUpdate(Y, None, None)])
    assert repo.process_count == before


def test_a_push_whose_answer_was_lost_may_be_repeated(workspace: Workspace, repo: Repository) -> None:
    x, y = stack(workspace)
    repo.push("origin", [RefUpdate(X, x, None)])
    repo.push("origin", [RefUpdate(X, x, None), RefUpdate(Y, y, None)])
    assert workspace.origin.refs("refs/heads/stackr") == {X: x, Y: y}


@pytest.mark.parametrize("expected", [None, "1" * 40])
def test_a_lost_lease_stops_the_whole_push_and_names_the_branch(
    workspace: Workspace, repo: Repository, expected: str | None
) -> None:
    x, y = stack(workspace)
    repo.push("origin", [RefUpdate(X, x, None)])
    with pytest.raises(LeaseLost) as lost:
        repo.push("origin", [RefUpdate(Y, x, None), RefUpdate(X, y, expected)])
    assert lost.value.message == 'somebody else pushed to "stackr/alice/x" on "origin" meanwhile'
    assert (lost.value.safe, lost.value.exit_code) == ("nothing was pushed", 3)
    assert workspace.origin.refs("refs/heads/stackr") == {X: x}


def test_a_head_that_moves_during_the_push_is_a_lost_lease_too(workspace: Workspace, repo: Repository) -> None:
    x, y = stack(workspace)
    theirs = workspace.origin.oid("main")
    repo.push("origin", [RefUpdate(X, x, None)])
    hook(workspace.origin, "pre-receive", f"unset GIT_QUARANTINE_PATH; git update-ref {X} {theirs}")
    with pytest.raises(LeaseLost, match='pushed to "stackr/alice/x" on'):
        repo.push("origin", [RefUpdate(Y, y, None), RefUpdate(X, y, x)])
    assert workspace.origin.refs("refs/heads/stackr") == {X: theirs}


def test_a_tracking_ref_that_was_fetched_meanwhile_does_not_forge_the_lease(
    workspace: Workspace, repo: Repository
) -> None:
    x, y = stack(workspace)
    repo.push("origin", [RefUpdate(X, x, None)])
    theirs = workspace.clone.git("commit-tree", "-p", x, "-m", "theirs", "main^{tree}")
    workspace.clone.git("push", "-q", "origin", f"{theirs}:{X}")
    workspace.clone.git("fetch", "-q", "origin")
    with pytest.raises(LeaseLost):
        repo.push("origin", [RefUpdate(X, y, x)])
    assert workspace.origin.oid(X) == theirs


def test_the_users_push_settings_add_nothing(workspace: Workspace, repo: Repository) -> None:
    clone = workspace.clone
    settings = {
        "push.followTags": "true",
        "push.default": "matching",
        "push.recurseSubmodules": "on-demand",
        "push.useForceIfIncludes": "true",
        "push.autoSetupRemote": "true",
        "remote.origin.mirror": "true",
        "remote.origin.push": "refs/heads/*:refs/heads/*",
        "remote.pushDefault": "elsewhere",
    }
    for key, value in settings.items():
        clone.git("config", key, value)
    clone.git("branch", "private")
    x, _ = stack(workspace)
    clone.git("tag", "-a", "-m", "tag", "v1", x)
    before = workspace.origin.refs()
    repo.push("origin", [RefUpdate(X, x, None)])
    assert workspace.origin.refs() == {**before, X: x}


def test_the_pre_push_hook_runs_as_git_runs_it(workspace: Workspace, repo: Repository, tmp_path: Path) -> None:
    hook(workspace.clone, "pre-push", f'echo chatter; echo "$1" > {tmp_path}/seen; cat >> {tmp_path}/seen')
    x, _ = stack(workspace)
    repo.push("origin", [RefUpdate(X, x, None)])
    assert (tmp_path / "seen").read_text() == f"origin\n{x} {x} {X} {'0' * 40}\n"


def test_a_pre_push_hook_that_declines_is_quoted(workspace: Workspace, repo: Repository) -> None:
    hook(workspace.clone, "pre-push", "printf '\\033[31mlint failed\\033[0m\\n' >&2; exit 1")
    x, _ = stack(workspace)
    with pytest.raises(GitError) as error:
        repo.push("origin", [RefUpdate(X, x, None)])
    assert error.value.message == "the pre-push hook declined: lint failed"
    assert error.value.exit_code == 6


def test_a_silent_pre_push_hook_is_named_all_the_same(workspace: Workspace, repo: Repository) -> None:
    hook(workspace.clone, "pre-push", "exit 1")
    x, _ = stack(workspace)
    with pytest.raises(GitError, match="the pre-push hook declined: it gave no reason"):
        repo.push("origin", [RefUpdate(X, x, None)])


def test_the_remotes_own_sentences_explain_a_refusal(workspace: Workspace, repo: Repository) -> None:
    script = "printf 'error: GH006: Protected \\033[1mbranch\\033[0m update failed\\n' >&2; echo 'Rule 7' >&2; exit 1"
    hook(workspace.origin, "pre-receive", script)
    x, _ = stack(workspace)
    with pytest.raises(GitError) as error:
        repo.push("origin", [RefUpdate(X, x, None)])
    assert error.value.message == (
        '"origin" declined "stackr/alice/x": pre-receive hook declined: GH006: Protected branch update failed; Rule 7'
    )
    assert error.value.safe == "nothing was pushed"


def test_only_the_guilty_branch_of_an_atomic_push_is_named(workspace: Workspace, repo: Repository) -> None:
    hook(workspace.origin, "update", 'case "$1" in */x) exit 1;; esac')
    x, y = stack(workspace)
    with pytest.raises(GitError, match='"origin" declined "stackr/alice/x": hook declined'):
        repo.push("origin", [RefUpdate(X, x, None), RefUpdate(Y, y, None)])
    assert workspace.origin.refs("refs/heads/stackr") == {}


def test_a_branch_name_that_is_a_folder_there_is_explained(workspace: Workspace, repo: Repository) -> None:
    x, _ = stack(workspace)
    with pytest.raises(GitError, match="'refs/heads/main' exists; cannot create 'refs/heads/main/x'"):
        repo.push("origin", [RefUpdate("refs/heads/main/x", x, None)])


@pytest.mark.parametrize("verb", ["fetch", "push"])
def test_a_remote_that_is_not_there_is_an_error_of_github(
    workspace: Workspace, open_repo: Opener, tmp_path: Path, verb: str
) -> None:
    workspace.clone.git("remote", "set-url", "origin", str(tmp_path / "nowhere"))
    repo = open_repo(workspace.clone.path)
    with pytest.raises(GitHubError, match='"origin" was not found') as error:
        if verb == "push":
            repo.push("origin", [RefUpdate(X, workspace.clone.oid(), None)])
        else:
            repo.fetch("origin", ["refs/heads/main"])
    assert error.value.exit_code == 5


@pytest.mark.parametrize("verb", ["fetch", "push"])
def test_a_host_that_does_not_answer_is_an_error_of_the_network(
    workspace: Workspace, open_repo: Opener, verb: str
) -> None:
    workspace.clone.git("remote", "set-url", "origin", "http://127.0.0.1:1/o/r")
    repo = open_repo(workspace.clone.path)
    with pytest.raises(NetworkFailed) as error:
        if verb == "push":
            repo.push("origin", [RefUpdate(X, workspace.clone.oid(), None)])
        else:
            repo.fetch("origin", ["refs/heads/main"])
    assert (error.value.lost, error.value.exit_code) == (False, 5)
    assert "Failed to connect" in error.value.message


def test_a_push_that_breaks_off_may_have_arrived(workspace: Workspace, repo: Repository) -> None:
    hook(workspace.origin, "post-receive", "kill -9 $PPID")
    x, _ = stack(workspace)
    with pytest.raises(NetworkFailed) as error:
        repo.push("origin", [RefUpdate(X, x, None)])
    assert error.value.lost
    assert "may or may not have arrived" in error.value.safe
    assert workspace.origin.oid(X) == x


def test_a_push_that_does_not_end_is_stopped(
    workspace: Workspace, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "PUSH_TIMEOUT_S", 0.5)
    hook(workspace.clone, "pre-push", "exec sleep 60")
    x, _ = stack(workspace)
    with pytest.raises(NetworkFailed, match=r"no end after 0\.5 s"):
        repo.push("origin", [RefUpdate(X, x, None)])
    assert workspace.origin.refs("refs/heads/stackr") == {}


def test_hundreds_of_heads_fit_into_one_push(workspace: Workspace, repo: Repository) -> None:
    x, _ = stack(workspace)
    repo.push("origin", [RefUpdate(f"refs/heads/stackr/alice/{n:040d}", x, None) for n in range(400)])
    assert len(workspace.origin.refs("refs/heads/stackr")) == 400


def test_more_heads_than_a_command_line_holds_are_refused(workspace: Workspace, repo: Repository) -> None:
    oid = workspace.clone.oid()
    with pytest.raises(Refused, match="too many branches for one push"):
        repo.push("origin", [RefUpdate(f"refs/heads/{n:0100d}", oid, None) for n in range(5000)])


def test_a_fetch_brings_exactly_what_was_asked_for(workspace: Workspace, repo: Repository) -> None:
    clone, origin = workspace.clone, workspace.origin
    x, y = stack(workspace)
    clone.git("push", "-q", "origin", f"{x}:{X}", f"{y}:{Y}", f"{x}:refs/tags/v1")
    for ref in clone.refs("refs/remotes/origin/stackr"):
        clone.git("update-ref", "-d", ref)
    clone.git("update-ref", "refs/remotes/origin/stale", x)
    clone.git("config", "fetch.prune", "true")
    clone.git("config", "remote.origin.tagOpt", "--tags")
    (clone.path / ".git" / "FETCH_HEAD").write_text("mine\n")
    repo.fetch("origin", [f"+{X}:refs/remotes/origin/stackr/alice/x"])
    assert clone.refs("refs/remotes", "refs/tags") == {
        "refs/remotes/origin/HEAD": origin.oid("main"),
        "refs/remotes/origin/main": origin.oid("main"),
        "refs/remotes/origin/stale": x,
        "refs/remotes/origin/stackr/alice/x": x,
    }
    assert (clone.path / ".git" / "FETCH_HEAD").read_text() == "mine\n"


def test_an_empty_fetch_starts_nothing(repo: Repository) -> None:
    before = repo.process_count
    repo.fetch("origin", [])
    assert repo.process_count == before


def test_a_fetch_whose_connection_fails_is_tried_three_times(workspace: Workspace, open_repo: Opener) -> None:
    workspace.clone.git("remote", "set-url", "origin", "http://127.0.0.1:1/acme/widgets.git")
    repo = open_repo(workspace.clone.path)
    repo.config.get("core.bare")
    before = repo.process_count
    with pytest.raises(NetworkFailed, match='cannot fetch from "origin"'):
        repo.fetch("origin", ["refs/heads/main"])
    assert repo.process_count - before == 3


def test_a_fetch_that_took_long_to_fail_is_not_tried_again(
    workspace: Workspace, open_repo: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "FETCH_BUDGET_S", -1.0)
    workspace.clone.git("remote", "set-url", "origin", "http://127.0.0.1:1/acme/widgets.git")
    repo = open_repo(workspace.clone.path)
    repo.config.get("core.bare")
    before = repo.process_count
    with pytest.raises(NetworkFailed, match='cannot fetch from "origin"'):
        repo.fetch("origin", ["refs/heads/main"])
    assert repo.process_count - before == 1


def test_a_ref_the_remote_lacks_is_refused_by_name(repo: Repository) -> None:
    with pytest.raises(Refused, match='"origin" has no branch "trunk"'):
        repo.fetch("origin", ["refs/heads/trunk"])


def test_narrow_refspecs_are_no_hindrance(workspace: Workspace, tmp_path: Path, open_repo: Opener) -> None:
    git(tmp_path, "clone", "-q", "--single-branch", workspace.origin.path.as_uri(), "narrow")
    narrow = GitRepo(tmp_path / "narrow")
    x = narrow.commit("Change x")
    repo = open_repo(narrow.path)
    repo.push("origin", [RefUpdate(X, x, None)])
    repo.fetch("origin", [f"+{X}:refs/remotes/origin/stackr/alice/x"])
    assert repo.local_state("origin").refs["refs/remotes/origin/stackr/alice/x"] == x


@pytest.mark.parametrize("key", ["insteadOf", "pushInsteadOf"])
def test_addresses_are_rewritten_as_git_does_it(workspace: Workspace, open_repo: Opener, key: str) -> None:
    clone = workspace.clone
    clone.git("remote", "set-url", "origin", "work:origin.git")
    clone.git("config", f"url.{workspace.origin.path.parent}/.{key}", "work:")
    repo = open_repo(clone.path)
    x, _ = stack(workspace)
    repo.push("origin", [RefUpdate(X, x, None)])
    assert workspace.origin.oid(X) == x
    assert repo.remote_url("origin", push=True) == str(workspace.origin.path)


def test_a_push_url_is_where_the_push_goes(workspace: Workspace, open_repo: Opener, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "other.git")
    workspace.clone.git("config", "remote.origin.pushurl", str(tmp_path / "other.git"))
    x, _ = stack(workspace)
    open_repo(workspace.clone.path).push("origin", [RefUpdate(X, x, None)])
    assert GitRepo(tmp_path / "other.git").refs() == {X: x}
    assert workspace.origin.refs("refs/heads/stackr") == {}


def test_a_shallow_clone_can_push(workspace: Workspace, tmp_path: Path, open_repo: Opener) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", workspace.origin.path.as_uri(), "shallow")
    x = GitRepo(tmp_path / "shallow").commit("Change x")
    open_repo(tmp_path / "shallow").push("origin", [RefUpdate(X, x, None)])
    assert workspace.origin.git("rev-list", "--count", X) == "4"


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (None, "ssh -oBatchMode=yes -oConnectTimeout=30"),
        (("env", "GIT_SSH_COMMAND"), None),
        (("config", "core.sshCommand"), None),
    ],
)
def test_ssh_never_asks_unless_the_user_chose_another_command(
    workspace: Workspace,
    open_repo: Opener,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    setting: tuple[str, str] | None,
    expected: str | None,
) -> None:
    own = tmp_path / "own-ssh"
    own.write_text(f"#!/bin/sh\necho own > {tmp_path}/called\nexit 255\n")
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(f'#!/bin/sh\necho "ssh $*" > {tmp_path}/called\nexit 255\n')
    for program in (own, ssh):
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(ssh.parent) + os.pathsep + os.environ["PATH"])
    workspace.clone.git("remote", "set-url", "origin", "git@example.invalid:o/r.git")
    if setting and setting[0] == "env":
        monkeypatch.setenv(setting[1], str(own))
    elif setting:
        workspace.clone.git("config", setting[1], str(own))
    with pytest.raises(GitHubError):
        open_repo(workspace.clone.path).fetch("origin", ["refs/heads/main"])
    called = (tmp_path / "called").read_text()
    assert called.startswith(expected) if expected else called == "own\n"


def test_ctrl_c_reaches_the_process_of_another_thread(workspace: Workspace, repo: Repository, tmp_path: Path) -> None:
    hook(workspace.clone, "pre-push", f"echo $$ > {tmp_path}/started; exec sleep 60")
    x, _ = stack(workspace)
    errors: list[BaseException] = []

    def push() -> None:
        with pytest.raises(StackrError) as error:
            repo.push("origin", [RefUpdate(X, x, None)])
        errors.append(error.value)

    thread = threading.Thread(target=push)
    thread.start()
    deadline = time.monotonic() + 10
    while not (tmp_path / "started").exists():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)
    repo.interrupt()
    thread.join(timeout=10)
    assert len(errors) == 1
    assert workspace.origin.refs("refs/heads/stackr") == {}
