"""Whatever strangers put into titles, names, branches and files, no page lets it act."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stackr.sandbox import accounts, issues
from tests.support.pages import Reader
from tests.support.sandbox import REPO, Box

Readers = Callable[[str], Reader]
ATTACK = "\"'><script>alert(1)</script><img/src=x/onerror=alert(2)>{{80000000+7}}"
BRANCH = "x\"'><script>alert(1)</script>{{80000000+7}}&amp;#"
FILE = "dir/'\"><img src=x onerror=alert(3)>&?#%41.txt"


@pytest.fixture
def attacked(box: Box) -> Box:
    """A repository in which every text that can be is an attack."""
    server, alice = box.server, box.alice
    alice.clone.git("checkout", "-q", "-B", BRANCH, "origin/main")
    env = {"GIT_AUTHOR_NAME": "<b>Mallory</b>", "GIT_AUTHOR_EMAIL": "x<script>@example.com"}
    alice.clone.commit(f"{ATTACK}\n\n{ATTACK}", {FILE: f"{ATTACK}\n\u202e\x1b[31m\x00".replace("\0", "")}, env=env)
    alice.push(f"HEAD:refs/heads/{BRANCH}")
    number = alice.post("pulls", {"title": ATTACK, "head": BRANCH, "base": "main", "body": ATTACK})["number"]
    alice.patch(f"pulls/{number}", {"title": f"{ATTACK}!"})
    alice.post(f"issues/{number}/comments", {"body": ATTACK})
    box.bob.post(f"pulls/{number}/reviews", {"event": "REQUEST_CHANGES", "body": ATTACK}, 200)
    alice.post(f"statuses/{box.pull(number).head_oid}", {"context": ATTACK, "state": "error", "description": ATTACK})
    alice.post("issues", {"title": ATTACK, "body": ATTACK})
    issues.add_labels(server.engine, server.user("alice"), box.pull(number), [ATTACK])
    server.settings(REPO, description=ATTACK)
    server.protect(REPO, ATTACK, "deletion")
    accounts.add_user(server.engine, "mallory", name=ATTACK)
    alice.call("GET", f"/{ATTACK}")
    return box


PAGES = (
    "/",
    "/mallory",
    f"/{REPO}",
    f"/{REPO}/settings",
    f"/{REPO}/pull/1",
    f"/{REPO}/issues/2",
    "/-/sandbox",
    f"/{REPO}/commits/{BRANCH}".replace("#", "%23"),
    f"/{REPO}/nothing/<script>alert(1)</script>",
    "/<script>alert(1)<%2Fscript>",
    f"/{REPO}?state=<script>&done=<script>",
    f"/{REPO}/pull/1/edit?path=<script>alert(1)</script>",
)


def test_no_page_lets_markup_of_strangers_through(attacked: Box, reader: Readers) -> None:
    commit = f"/{REPO}/commit/{attacked.pull(1).head_oid}"
    bob = reader("bob")
    for path in (*PAGES, commit):
        bob.open(path)
        assert "80000007" not in bob.html, path
        for markup in ("<script>", "<img", "<b>", "onerror=alert(2)>"):
            assert markup not in bob.html, (path, markup)
        assert bob.status in (200, 404, 422)
        bob.forms  # noqa: B018 - reading them checks that every tag is closed


def test_what_strangers_wrote_can_still_be_read(attacked: Box, reader: Readers) -> None:
    page = reader("bob").open(f"/{REPO}/pull/1")
    assert page.text.count(ATTACK) >= 5
    assert BRANCH in page.text and FILE in page.text
    assert "[U+202E]" in page.text


def test_a_file_with_a_wild_name_can_be_edited(attacked: Box, reader: Readers) -> None:
    bob = reader("bob").open(f"/{REPO}/pull/1")
    href = bob.html.split("/pull/1/edit?path=")[1].split('"')[0]
    bob.open(f"/{REPO}/pull/1/edit?path={href}")
    assert bob.form("commit").fields["text"].startswith(f"{ATTACK}\n\u202e")
    bob.press("commit", text="tame\n")
    assert bob.status == 200
    found = attacked.server.engine.git(attacked.repo).object(f"{attacked.pull(1).head_oid}:{FILE}")
    assert found is not None and found[2] == b"tame\n"


def test_a_file_that_ends_the_text_field_stays_inside_it(box: Box, reader: Readers) -> None:
    text = "</textarea><script>alert(1)</script>\n"
    box.alice.branch("one", files={"a.txt": text})
    box.alice.push("one")
    box.alice.open("one", body=text)
    bob = reader("bob").open(f"/{REPO}/pull/1/edit?path=a.txt")
    assert bob.form("commit").fields["text"] == text and "<script>" not in bob.html
    assert bob.open(f"/{REPO}/pull/1").form("edit").fields["body"] == text


def test_a_refusal_shows_what_was_sent_as_text(attacked: Box, reader: Readers) -> None:
    bob = reader("bob").open(f"/{REPO}/pull/1")
    for do, fields in (
        ("check", {"name": ATTACK, "state": ATTACK}),
        ("merge", {"method": ATTACK, "title": ATTACK, "message": ATTACK}),
        ("edit", {"title": "", "body": ATTACK, "base": ATTACK}),
    ):
        bob.open(f"/{REPO}/pull/1").press(do, **fields)
        assert bob.status == 422
        assert "<script>" not in bob.html and "80000007" not in bob.html


def test_a_name_that_is_not_utf8_is_shown_and_not_edited(box: Box, reader: Readers) -> None:
    clone = box.alice.clone
    clone.git("checkout", "-q", "-B", "one", "origin/main")
    blob = clone.git("hash-object", "-w", "--stdin", stdin=b"text\n")
    clone.git("update-index", "-z", "--index-info", stdin=b"100644 " + blob.encode() + b"\tname\xff.txt\0")
    clone.git("commit", "-q", "-m", "Odd name")
    box.alice.push("one")
    box.alice.open("one")
    bob = reader("bob").open(f"/{REPO}/pull/1")
    assert "name\ufffd.txt added" in bob.text
    bob.answer = bob.client.get(f"/{REPO}/pull/1/edit", query_string={"path": "name\ufffd.txt"})
    assert bob.status == 422


@pytest.mark.parametrize(
    "date", ["999999999999 +0000", "9223372036854775808 +9999", "99999999999999999999 -0000", "-99999999999 +0100"]
)
def test_a_date_that_no_calendar_has_is_shown_as_the_nearest_one(box: Box, reader: Readers, date: str) -> None:
    clone = box.alice.clone
    box.alice.branch("one")
    lines = [f"{line.rsplit(b'> ', 1)[0].decode()}> {date}" if b"> " in line else line.decode()
             for line in clone.raw_commit().split(b"\n")]  # fmt: skip
    oid = clone.store("\n".join(lines).encode())
    box.alice.push(f"{oid}:refs/heads/one")
    box.alice.open("one")
    bob = reader("bob")
    shown, iso = (
        ("1 Jan 1001, ", "1001-01-01T00:00:00Z") if date[0] == "-" else ("31 Dec 9998, ", "9998-12-31T23:59:59Z")
    )
    for path in (f"/{REPO}", f"/{REPO}/pull/1", f"/{REPO}/commit/{oid}", f"/{REPO}/commits/one"):
        assert bob.open(path).status == 200 and shown in bob.text
    assert box.bob.get(f"commits/{oid}")["commit"]["author"]["date"] == iso
