"""Editing a file on somebody's branch, as a suggestion does that is committed on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.git import git
from tests.support.pages import Reader
from tests.support.sandbox import REPO, Box

Readers = Callable[[str], Reader]
PULL = f"/{REPO}/pull/1"


def submit(box: Box, **files: Any) -> str:
    """Alice's pull request #1 with these files (``a__b`` for a folder), from branch ``one``; its head."""
    names = {name.replace("__", "/").replace("_", "."): text for name, text in files.items()}
    box.alice.clone.git("checkout", "-q", "-B", "one", "origin/main")
    oid = box.alice.clone.commit("Change one", names)
    box.alice.push("one")
    box.alice.open("one")
    return oid


def content(box: Box, path: str) -> bytes:
    """What a file holds in the branch on the server."""
    found = box.server.engine.git(box.repo).object(f"refs/heads/one:{path}")
    assert found is not None
    return found[2]


def test_a_colleague_commits_an_edit_and_the_author_can_fetch_it(box: Box, reader: Readers) -> None:
    before = submit(box, src__deep__new_py="one\ntwo\n", top_txt="top\n")
    bob = reader("bob").open(PULL)
    assert 'href="/acme/widgets/pull/1/edit?path=src/deep/new.py"' in bob.html
    bob.open(f"{PULL}/edit?path=src/deep/new.py")
    form = bob.form("commit")
    assert form.fields["text"] == "one\ntwo\n"
    assert form.choices["committer"] == ["alice", "bob", "carol"] and form.fields["committer"] == "bob"
    bob.press("commit", text="one\r\n2\r\n", message="Say it in digits\r\n\r\nBetter.")
    assert bob.status == 200 and "Your edit is committed to the branch." in bob.text
    clone = box.alice.clone
    clone.git("fetch", "-q", "origin")
    assert clone.oid("origin/one^") == before
    assert clone.git("log", "-1", "--format=%an <%ae>%n%B", "origin/one") == (
        "Bob <bob@example.com>\nSay it in digits\n\nBetter."
    )
    assert clone.git("diff", "--name-only", before, "origin/one") == "src/deep/new.py"
    assert clone.git("show", "origin/one:src/deep/new.py") == "one\n2"
    assert git(box.server.engine.directory(box.repo), "fsck", "--strict") == ""
    assert box.pull(1).head_oid == clone.oid("origin/one") and box.events(1) == ["pushed"]


def test_one_can_commit_as_somebody_else(box: Box, reader: Readers) -> None:
    submit(box, a_txt="a\n")
    alice = reader("alice").open(f"{PULL}/edit?path=a.txt").press("commit", text="b\n", committer="carol", message="")
    assert alice.status == 200
    head = box.server.engine.git(box.repo).need(box.pull(1).head_oid)
    assert (head.author.name, head.message) == ("Carol", "Apply suggestions from code review")
    assert "carol pushed one" in alice.text


@pytest.mark.parametrize(
    ("before", "sent", "after"),
    [
        (b"a\r\nb\r\n", "a\r\nc\r\n", b"a\r\nc\r\n"),
        (b"a\nb", "a\r\nc", b"a\nc"),
        (b"a\r\nb\nc\r\n", "a\r\nb\r\nd\r\n", b"a\nb\nd\n"),
        (b"\n\na\n", "\r\n\r\nb\r\n", b"\n\nb\n"),
        ("ä\n".encode(), "ö\r\n", "ö\n".encode()),
    ],
)
def test_line_ends_stay_what_they_were(box: Box, reader: Readers, before: bytes, sent: str, after: bytes) -> None:
    submit(box, a_txt=before)
    bob = reader("bob").open(f"{PULL}/edit?path=a.txt")
    assert bob.form("commit").fields["text"] == before.decode().replace("\r\n", "\n")
    bob.press("commit", text=sent)
    assert content(box, "a.txt") == after


def test_an_executable_file_stays_executable(box: Box, reader: Readers) -> None:
    box.alice.clone.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    submit(box, run_sh="#!/bin/sh\ntrue\n")
    reader("bob").open(f"{PULL}/edit?path=run.sh").press("commit", text="#!/bin/sh\nfalse\n")
    listing = git(box.server.engine.directory(box.repo), "ls-tree", "one", "run.sh")
    assert listing.startswith("100755 blob ") and content(box, "run.sh") == b"#!/bin/sh\nfalse\n"


def test_an_edit_of_a_file_that_changed_meanwhile_is_refused_and_kept(box: Box, reader: Readers) -> None:
    submit(box, a_txt="a\n")
    bob = reader("bob").open(f"{PULL}/edit?path=a.txt")
    box.alice.branch("one", "one", {"a.txt": "alice's\n"})
    box.alice.push("one")
    for _ in range(2):  # sent again it is as stale as before
        bob.press("commit", text="bob's\n")
        assert bob.status == 409 and "a.txt has changed since you opened it; your text is still below." in bob.text
        assert bob.form("commit").fields["text"] == "bob's\n"
    assert content(box, "a.txt") == b"alice's\n"


def test_an_edit_of_another_file_does_not_disturb(box: Box, reader: Readers) -> None:
    submit(box, a_txt="a\n")
    bob = reader("bob").open(f"{PULL}/edit?path=a.txt")
    box.alice.branch("one", "one", {"b.txt": "b\n"})
    box.alice.push("one")
    assert bob.press("commit", text="c\n").status == 200
    assert (content(box, "a.txt"), content(box, "b.txt")) == (b"c\n", b"b\n")


def test_no_change_and_no_such_person_are_refused(box: Box, reader: Readers) -> None:
    submit(box, a_txt="a\n")
    bob = reader("bob").open(f"{PULL}/edit?path=a.txt").press("commit")
    assert bob.status == 422 and "Nothing was changed, so there is nothing to commit." in bob.text
    bob.press("commit", text="b\n", committer="mallory")
    assert bob.status == 422 and "There is nobody called mallory." in bob.text


def test_who_may_not_push_may_not_commit(box: Box, reader: Readers) -> None:
    submit(box, a_txt="a\n")
    dave = reader("dave").open(f"{PULL}/edit?path=a.txt")
    assert "dave (may not push)" in dave.text
    dave.press("commit", text="b\n", committer="dave")
    assert dave.status == 403 and content(box, "a.txt") == b"a\n"
    nobody = reader("-").open(f"{PULL}/edit?path=a.txt").press("commit", text="b\n", committer="")
    assert nobody.status == 403 and content(box, "a.txt") == b"a\n"


def test_a_protected_branch_is_not_edited(box: Box, reader: Readers) -> None:
    submit(box, a_txt="a\n")
    box.server.protect(REPO, "one", "update")
    bob = reader("bob").open(f"{PULL}/edit?path=a.txt").press("commit", text="b\n")
    assert bob.status == 422 and "Cannot update this protected ref." in bob.text and content(box, "a.txt") == b"a\n"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "There is no file"),
        ("none.txt", "There is no file"),
        ("src", "There is no file"),
        ("a\nb", "There is no file"),
        ("binary.dat", "is binary or too large"),
        ("large.txt", "is binary or too large"),
        ("latin.txt", "it is not UTF-8"),
    ],
)
def test_what_is_no_text_file_cannot_be_edited(box: Box, reader: Readers, path: str, words: str) -> None:
    submit(box, binary_dat=b"a\0b", large_txt="x\n" * 100_001, latin_txt=b"\xe4\n")
    bob = reader("bob")
    bob.answer = bob.client.get(f"{PULL}/edit", query_string={"path": path})
    assert bob.status == 422 and words in bob.text and "That cannot be done" in bob.text


def test_a_link_is_not_edited_as_if_it_were_a_file(box: Box, reader: Readers) -> None:
    (box.alice.clone.path / "link").symlink_to("README.md")
    box.alice.clone.git("add", "link")
    submit(box, a_txt="a\n")
    bob = reader("bob").open(f"{PULL}/edit?path=link").press("commit", text="elsewhere")
    assert bob.status == 422 and "Only regular files can be edited here." in bob.text


def test_a_closed_pull_request_is_not_edited(box: Box, reader: Readers) -> None:
    submit(box, a_txt="a\n")
    bob = reader("bob").open(f"{PULL}/edit?path=a.txt")
    box.alice.patch("pulls/1", {"state": "closed"})
    bob.press("commit", text="b\n")
    assert bob.status == 422 and "is closed or gone" in bob.text


def test_an_edit_of_a_forks_branch_goes_into_the_fork(box: Box, reader: Readers) -> None:
    dave = box.dave
    dave.post("forks", {}, 202)
    dave.branch("fix", files={"fix.txt": "fix\n"})
    dave.clone.git("push", "-q", box.server.clone_url("dave/widgets", dave.token), "fix")
    dave.open("dave:fix")
    reader("dave").open(f"{PULL}/edit?path=fix.txt").press("commit", text="fixed\n")
    fork = box.server.repository("dave/widgets")
    head = box.server.engine.git(fork).branch("fix")
    assert head == box.pull(1).head_oid and box.events(1) == ["pushed"]
