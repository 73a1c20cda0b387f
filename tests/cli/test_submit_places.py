"""Where and on what ``stackr submit`` works: worktrees, subdirectories, odd clones, odd commits, odd remotes."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.git import git
from tests.support.laws import check_laws
from tests.support.world import Clone, World


def http_clone(world: World, *options: str, login: str = "alice") -> Clone:
    """A clone over HTTP, for what a copy of the directory cannot give."""
    token = world.server.add_user(login)
    path = world.root / "odd"
    git(world.root, "clone", "-q", *options, world.server.clone_url(world.name, token), str(path))
    git(path, "remote", "set-url", "origin", world.server.clone_url(world.name))
    git(path, "checkout", "-q", "-b", "feature")
    world.forget()
    return Clone(path, login, token)


# -- places ------------------------------------------------------------------------------------------


def test_from_a_subdirectory(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.stackr("-C", "src", "submit")
    check_laws(world, clone)


def test_other_branches_in_the_stack_move_with_it(world: World) -> None:
    clone = world.stacked("A", "B", "C", submit=False)
    clone.git("branch", "middle", "HEAD~1")
    clone.git("branch", "twin")
    clone.git("branch", "aside", "origin/main")
    clone.stackr("submit")
    assert clone.oid("middle") == clone.oid("HEAD~1")
    assert clone.oid("twin") == clone.oid()
    assert clone.oid("aside") == clone.oid("origin/main")
    assert clone.git("reflog", "-1", "--format=%gs", "middle") == "stackr: submit: add change ids"
    check_laws(world, clone)


def test_a_branch_that_forks_off_in_the_middle_keeps_its_pull_requests_open(world: World) -> None:
    clone = world.stacked("A", "B")
    clone.git("checkout", "-q", "-b", "fork", "HEAD~1")
    clone.change("X")
    clone.stackr("submit")
    assert [(pull.title, world.state(pull.number)) for pull in world.pulls()] == [
        ("A", "open"),
        ("B", "open"),
        ("X", "open"),
    ]
    check_laws(world, clone)
    assert clone.stackr("status", "--json").json["orphans"] == []


def test_with_a_detached_head(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.git("checkout", "-q", "--detach")
    clone.git("branch", "-q", "-D", "feature")
    before = clone.oid()
    clone.stackr("submit")
    assert clone.oid() != before
    assert clone.git("symbolic-ref", "-q", "HEAD", check=False) == ""
    check_laws(world, clone)


def test_from_a_linked_worktree(world: World) -> None:
    clone = world.clone()
    clone.git("worktree", "add", "-q", "-b", "feature", "../linked", "origin/main")
    linked = replace(clone, path=world.root / "linked")
    linked.change("A")
    linked.change("B")
    linked.stackr("submit")
    check_laws(world, linked)
    assert clone.git("symbolic-ref", "HEAD") == "refs/heads/main"


def test_a_branch_checked_out_in_another_worktree_moves_and_stays_clean_there(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.git("worktree", "add", "-q", "-b", "lower", "../linked", "HEAD~1")
    linked = replace(clone, path=world.root / "linked")
    linked.write("A.txt", "not committed\n")
    clone.stackr("submit")
    assert linked.oid() == clone.oid("HEAD~1")
    assert linked.git("status", "--porcelain") == " M A.txt"
    check_laws(world, clone)


def test_uncommitted_and_untracked_work_is_left_as_it_is(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.write("A.txt", "dirty\n")
    clone.write("B.txt", "staged\n")
    clone.git("add", "B.txt")
    clone.write("untracked.txt", "new\n")
    before = clone.git("status", "--porcelain"), clone.git("diff"), clone.git("diff", "--cached")
    clone.stackr("submit")
    assert (clone.git("status", "--porcelain"), clone.git("diff"), clone.git("diff", "--cached")) == before


# -- clones ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tracked", ["main", "other"])
def test_with_a_narrow_fetch_refspec(world: World, tracked: str) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.git("config", "remote.origin.fetch", f"+refs/heads/{tracked}:refs/remotes/origin/{tracked}")
    if tracked == "other":
        clone.git("update-ref", "-d", "refs/remotes/origin/main")
        clone.git("symbolic-ref", "--delete", "refs/remotes/origin/HEAD")
    world.advance()
    clone.stackr("submit")
    clone.git("update-ref", "refs/remotes/origin/main", world.bare.oid("main"))
    check_laws(world, clone)
    offline = clone.stackr("status", "--offline", "--json").json
    assert offline["trunk"]["name"] == "main"
    assert [(row["state"], row["pull"], row["next"]) for row in offline["changes"]] == [("in-sync", None, None)] * 2
    world.suggest(world.pull(2).head_ref, "B.txt", "better\n")
    clone.stackr("submit", code=3)


def test_in_a_shallow_clone(world: World) -> None:
    clone = http_clone(world, "--depth=1")
    assert clone.git("rev-parse", "--is-shallow-repository") == "true"
    for title in ("A", "B"):
        clone.change(title)
    clone.stackr("submit")
    check_laws(world, clone)
    clone.amend("A")
    clone.stackr("submit")
    check_laws(world, clone)


def test_in_a_blobless_clone_without_fetching_blobs(world: World) -> None:
    world.advance("src/app.py", "another text\n")
    clone = http_clone(world, "--filter=blob:none")
    missing = clone.git("rev-list", "--objects", "--missing=print", "HEAD").count("?")
    for title in ("A", "B"):
        clone.change(title)
    clone.stackr("submit")
    clone.amend("A")
    clone.stackr("submit")
    assert clone.git("rev-list", "--objects", "--missing=print", "HEAD").count("?") == missing > 0
    assert world.server.log.fetches() == []
    check_laws(world, clone)


def test_with_an_address_that_git_rewrites(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("remote", "set-url", "origin", f"gh:{world.name}.git")
    clone.git("config", f"url.{world.server.url}/.insteadOf", "gh:")
    clone.stackr("submit")
    check_laws(world, clone)


def test_with_a_token_from_a_credential_helper_and_none_in_the_environment(world: World) -> None:
    clone = world.stacked("A", submit=False)
    helper = f'!f() {{ test "$1" = get && printf "username=x\\npassword={clone.token}\\n"; }}; f'
    clone.git("config", "credential.helper", helper)
    clone.stackr("submit", env={"STACKR_TOKEN": ""})
    check_laws(world, clone)


def test_with_a_remote_of_another_name(world: World) -> None:
    clone = world.stacked("A", "B", submit=False)
    clone.git("remote", "rename", "origin", "upstream")
    clone.git("remote", "add", "fork", "https://github.com/alice/fork")
    clone.git("config", "remote.pushDefault", "upstream")
    clone.stackr("submit")
    clone.git("update-ref", "refs/remotes/origin/main", "refs/remotes/upstream/main")
    check_laws(world, clone)


def test_with_branches_named_by_a_template(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("config", "stackr.branchTemplate", "users/{user}/{prefix}-{id}")
    clone.stackr("submit")
    assert world.pull(1).head_ref == f"users/alice/stackr-{clone.ids()['A'][1:11]}"
    clone.amend("A")
    clone.stackr("submit")
    assert world.bare.tree(world.pull(1).head_ref) == clone.tree()
    assert len(world.pulls()) == 1


# -- commits -----------------------------------------------------------------------------------------


def headers(clone: Clone, revision: str = "HEAD") -> dict[str, str]:
    raw = clone.raw_commit(revision).split(b"\n\n")[0].decode("latin-1")
    return dict(line.partition(" ")[::2] for line in raw.split("\n") if not line.startswith(" "))


def test_adding_ids_keeps_author_dates_encoding_and_foreign_headers(world: World) -> None:
    clone = world.stacked("A", submit=False)
    tree, parent = clone.tree(), clone.oid()
    raw = (
        f"tree {tree}\nparent {parent}\nauthor  <> 1600000000 -0330\ncommitter C <c@example.com> 1600000001 +1245\n"
        "encoding ISO-8859-1\nHG:extra abc\n\n"
    ).encode() + "Größe\n\nWörter\n".encode("latin-1")
    blob = clone.git("hash-object", "-w", "--stdin", stdin=b"x")
    tree_with = clone.git("mktree", stdin=f"{clone.git('ls-tree', 'HEAD')}\n100644 blob {blob}\tx\n".encode())
    oid = clone.store(raw.replace(tree.encode(), tree_with.encode()))
    clone.git("reset", "-q", "--hard", oid)
    clone.stackr("submit")
    (name,) = [pull.title for pull in world.pulls() if pull.number == 2]
    assert name == "Größe"
    assert "Wörter" in (world.pull(2).body or "")
    kept = headers(clone)
    assert (kept["author"], kept["committer"]) == (" <> 1600000000 -0330", "C <c@example.com> 1600000001 +1245")
    assert (kept["encoding"], kept["HG:extra"]) == ("ISO-8859-1", "abc")
    assert "Größe\n\nWörter\n\nChange-Id: I".encode("latin-1") in clone.raw_commit()
    check_laws(world, clone)


def test_a_message_that_is_not_utf8_reaches_github_readably(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.change("B", message="MESSAGE")
    # git commit would mend it, so the object is written as it stands.
    clone.git("reset", "-q", "--hard", clone.store(clone.raw_commit().replace(b"MESSAGE", b"caf\xe9\n\nna\xefve\n")))
    clone.stackr("submit")
    assert world.pull(2).title == "caf\ufffd"
    assert b"caf\xe9\n\nna\xefve\n\nChange-Id: I" in clone.raw_commit()
    check_laws(world, clone)


def test_ids_that_are_there_already_are_kept_and_nothing_is_rewritten(world: World) -> None:
    clone = world.clone()
    clone.git("checkout", "-q", "-b", "feature")
    change = "I" + "ab" * 20
    oid = clone.change("A", message=f"A\n\nWords.\n\nSigned-off-by: A <a@example.com>\nChange-Id: {change}\n")
    clone.stackr("submit")
    assert clone.oid() == oid == world.pull(1).head_oid
    assert world.pull(1).head_ref == "stackr/alice/ababababab"
    check_laws(world, clone)


def test_files_of_every_kind_keep_their_diffs(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.write("binary", bytes(range(256)))
    clone.write("crlf.txt", "a\r\nb\r\n").chmod(0o755)
    (clone.path / "link").symlink_to("A.txt")
    clone.git("add", ".")
    clone.git("commit", "-q", "-m", "Kinds")
    clone.git("mv", "A.txt", "sub dir é.txt")
    clone.git("commit", "-q", "-m", "Move")
    clone.stackr("submit")
    check_laws(world, clone)
    clone.reorder("A", "Kinds", "Move")
    clone.git("rm", "-q", "binary")
    clone.git("commit", "-q", "-m", "Remove")
    clone.stackr("submit")
    check_laws(world, clone)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen signs with ssh keys")
def test_commits_are_signed_where_the_user_signs(world: World, tmp_path: Path) -> None:
    clone = world.stacked("A", submit=False)
    key = tmp_path / "key"
    keygen = shutil.which("ssh-keygen") or ""
    run_program(tmp_path, keygen, "-q", "-t", "ed25519", "-N", "", "-C", "alice", "-f", str(key))
    allowed = tmp_path / "allowed"
    allowed.write_text(f"alice@example.com {key.with_suffix('.pub').read_text()}")
    for name, value in {
        "commit.gpgsign": "true",
        "gpg.format": "ssh",
        "user.signingkey": str(key),
        "gpg.ssh.allowedSignersFile": str(allowed),
    }.items():
        clone.git("config", name, value)
    clone.change("B")
    clone.stackr("submit")
    clone.git("verify-commit", "HEAD", "HEAD~1")
    check_laws(world, clone)
    clone.stackr("reword", "HEAD", "-m", "B, in other words")
    clone.git("verify-commit", "HEAD")
    clone.amend("A")
    clone.stackr("submit")
    for number in (1, 2):
        clone.git("fetch", "-q", str(world.bare.path), world.pull(number).head_ref)
        clone.git("verify-commit", "FETCH_HEAD")
    check_laws(world, clone)


def run_program(cwd: Path, *argv: str, env: Mapping[str, str] | None = None) -> None:
    import subprocess

    subprocess.run(argv, cwd=cwd, check=True, capture_output=True, timeout=30, env=env)


def test_with_a_commit_msg_hook_that_adds_ids(world: World) -> None:
    clone = world.clone()
    clone.git("checkout", "-q", "-b", "feature")
    clone.stackr("hook", "install")
    oids = [clone.change(title, message=f"{title}\n") for title in ("A", "B")]
    clone.stackr("submit")
    assert clone.stack() == oids
    check_laws(world, clone)
