"""Small parts: the HTTP server, git's wire format, objects, diffs, node ids."""

from __future__ import annotations

import io
import logging
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stackr.sandbox import diffs, objects, pktline
from stackr.sandbox.git import GitRepo
from stackr.sandbox.gitrun import GitFailed
from stackr.sandbox.httpd import Server
from stackr.sandbox.ids import node_id, parse_node_id
from stackr.sandbox.repositories import make_bare
from stackr.sandbox.server import SandboxServer
from tests.support import git as support
from tests.support.sandbox import Box

# -- the server ----------------------------------------------------------------------------------------


def _app(environ: dict[str, object], start_response: Callable[..., object]) -> Iterator[bytes]:
    path = environ["PATH_INFO"]
    if path == "/crash":
        raise RuntimeError("a bug of the sandbox")
    if path == "/sized":
        start_response("200 OK", [("Content-Length", "2"), ("Date", "today")])
        return iter([b"", b"ok"])
    start_response("200 OK", [("X-Both", str(environ.get("HTTP_X_BOTH")))])
    if path == "/ignore-body":
        return iter([b"done"])
    body = environ["wsgi.input"]
    assert isinstance(body, io.BufferedReader)
    return iter([body.read(), b"!"])


@pytest.fixture
def raw() -> Iterator[socket.socket]:
    """A connection to a server with the little application above."""
    import threading

    server = Server(0, _app)  # type: ignore[arg-type]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as connection:
        yield connection
    server.shutdown()
    thread.join()
    server.server_close()
    server.end_connections()


def _exchange(connection: socket.socket, text: bytes, until: bytes) -> bytes:
    connection.sendall(text)
    answer = b""
    while not answer.endswith(until):
        part = connection.recv(65536)
        if not part:
            break
        answer += part
    return answer


def test_a_connection_is_kept_over_several_requests(raw: socket.socket) -> None:
    chunked = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n"
    assert b"5\r\nabcde\r\n1\r\n!\r\n0\r\n" in _exchange(raw, chunked, b"0\r\n\r\n")
    sized = _exchange(raw, b"GET /sized HTTP/1.1\r\n\r\n", b"ok")
    assert (b"Transfer-Encoding" in sized, sized.count(b"Date")) == (False, 1)
    unread = b"POST /ignore-body HTTP/1.1\r\nContent-Length: 5\r\n\r\nGET /"
    assert b"done" in _exchange(raw, unread, b"0\r\n\r\n")
    twice = b"GET / HTTP/1.1\r\nX-Both: one\r\nX-Both: two\r\nContent-Type: t\r\n\r\n"
    assert b"X-Both: one,two" in _exchange(raw, twice, b"0\r\n\r\n")
    assert b"200 OK" in _exchange(raw, b"HEAD / HTTP/1.1\r\n\r\n", b"\r\n\r\n")


def test_a_bug_ends_the_connection_and_is_written_down(raw: socket.socket, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        assert _exchange(raw, b"GET /crash HTTP/1.1\r\n\r\n", b"never") == b""
    assert "the sandbox failed at GET /crash" in caplog.text


def test_nonsense_is_answered_with_400(raw: socket.socket) -> None:
    assert b"400" in _exchange(raw, b"BAD\x00 / NONSENSE\r\n\r\n", b"</html>\n")


def test_a_plain_request_takes_little_time(box: Box) -> None:
    box.alice.get("/user")
    fastest = min(_timed(lambda: box.alice.get("/user")) for _ in range(20))
    assert fastest < 0.02, "a delayed acknowledgement alone would cost 0.04"


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def test_a_port_in_use_leaves_nothing_behind(box: Box, tmp_path: Path) -> None:
    with pytest.raises(OSError):
        SandboxServer(tmp_path / "other", box.server.port)


# -- git's wire format ---------------------------------------------------------------------------------


def test_commands_are_read_from_a_push() -> None:
    one, two = "1" * 40, "2" * 40
    lines = [f"{one} {two} refs/heads/a\0 report-status".encode(), f"{two} {one} refs/heads/b\n".encode()]
    body = io.BytesIO(b"".join(pktline.packet(line) for line in [*lines, b"shallow x"]) + b"0000PACK")
    found = pktline.push_commands(body)
    assert [(move.name, move.old, move.new) for move in found] == [
        ("refs/heads/a", one, two),
        ("refs/heads/b", two, one),
    ]
    assert body.read() == b"PACK"
    assert pktline.push_commands(io.BytesIO(b"0000")) == []
    assert pktline.push_commands(io.BytesIO(b"")) == []


def test_a_report_is_reworded_only_for_declined_refs() -> None:
    inner = b"".join(
        pktline.packet(line)
        for line in (
            b"unpack ok\n",
            b"ok refs/heads/a\n",
            b"ng refs/heads/b hook declined\n",
            b"ng refs/heads/c other\n",
        )
    )
    noise = pktline.packet(b"\2error: hook declined to update refs/heads/b\n")
    data = noise + pktline.packet(b"\2why\n") + pktline.packet(b"\1" + inner + b"0000") + b"0000"
    found = pktline.reword_report(data, {"refs/heads/b": "not today", "refs/heads/c": "never"})
    assert b"ng refs/heads/b not today\n" in found
    assert b"ng refs/heads/c other\n" in found
    assert b"why" in found and b"hook declined" not in found
    assert pktline.reword_report(data, {}) == data
    assert list(pktline.packets(b"zzzz")) == []


# -- objects and diffs ---------------------------------------------------------------------------------


@pytest.fixture
def bare(box: Box) -> GitRepo:
    return box.server.engine.git(box.repo)


def test_commits_are_read_whatever_they_look_like(box: Box, bare: GitRepo) -> None:
    clone = box.alice.clone
    base = clone.raw_commit().split(b"\n")[0]
    odd = [
        base + b"\nauthor Nobody\ncommitter C <c> 5 -0230\nencoding latin-1\n\ncaf\xe9\n",
        base + b"\nauthor A <a> 1 +0000\ncommitter C <c> 1 +0000\nencoding no-such\n\ncaf\xe9\n",
        base + b"\nauthor A <a> 1 +0000\ncommitter C <c> 1 +0000\ngpgsig -----B\n x\n -----E\n\n\nHead\n\nbody\n\n",
    ]
    oids = [clone.store(raw) for raw in odd]
    clone.git("push", "-q", "origin", *(f"{oid}:refs/heads/odd{n}" for n, oid in enumerate(oids)))
    first, second, third = (bare.need(oid) for oid in oids)
    assert (first.message, first.author.name, first.encoding) == ("café\n", "Nobody", "latin-1")
    assert first.committer.local_iso == "1969-12-31T21:30:05-02:30"
    assert second.message == "caf\ufffd\n"
    assert (third.signature, third.headline, third.body) == ("-----B\nx\n-----E", "Head", "body")


def test_names_that_are_nothing_are_none(bare: GitRepo) -> None:
    assert bare.object("main:none") is None
    assert bare.object("a\nb") is None
    assert bare.commit("1" * 40) is None
    assert bare.resolve("none") is None
    tree = bare.object("main^{tree}")
    assert tree is not None
    assert bare.commit(tree[0]) is None
    with pytest.raises(KeyError):
        bare.need("1" * 40)


def test_writing_the_same_object_twice_is_one(bare: GitRepo) -> None:
    person = objects.Person("A", "a@b", 1)
    tree = bare.need(bare.refs["refs/heads/main"]).tree
    assert len({bare.write_commit(tree, (), person, person, "same\n") for _ in range(2)}) == 1


def test_the_reader_survives_its_process(bare: GitRepo) -> None:
    assert bare.object("main") is not None
    bare._reader.close()
    assert bare.object("main") is not None
    process = bare._reader._process
    assert process is not None
    process.kill()
    process.wait()
    assert bare.object("main") is not None


def test_refs_are_found_loose_packed_and_gone(box: Box, bare: GitRepo) -> None:
    box.stack("feature")
    bare.run("pack-refs", "--all")
    bare.run("update-ref", "refs/heads/main", "refs/heads/feature")
    moved = bare.sync(["refs/heads/main", "refs/heads/feature", "refs/heads/none"])
    assert [(move.branch, move.new) for move in moved] == [("main", bare.refs["refs/heads/feature"])]
    bare.run("update-ref", "-d", "refs/heads/feature")
    assert [move.name for move in bare.sync(["refs/heads/feature"])] == ["refs/heads/feature"]
    bare.update([])
    with pytest.raises(GitFailed):
        bare.run("no-such-command")


def test_every_kind_of_change_is_told(tmp_path: Path) -> None:
    repo = support.make_repo(tmp_path / "repo")
    lines = "".join(f"{n}\n" for n in range(20))
    repo.commit("one", {"move me": lines, "gone": "x\n", "binary": b"\0\1", "becomes link": "x\n", "text": "a\n"})
    repo.git("mv", "move me", "moved")
    repo.git("rm", "-q", "gone")
    repo.commit("two", {"moved": lines + "more\n", "binary": b"\0\2", "text": "b", "new": "n\n"})
    changes = {c.path: c for c in diffs.changed_files(repo.path / ".git", "HEAD~", "HEAD")}
    assert {path: (c.status, c.additions, c.deletions) for path, c in changes.items()} == {
        "binary": ("modified", 0, 0),
        "gone": ("removed", 0, 1),
        "moved": ("renamed", 1, 0),
        "new": ("added", 1, 0),
        "text": ("modified", 1, 1),
    }
    assert changes["moved"].old_path == "move me"
    assert changes["binary"].patch is None
    assert changes["text"].patch == "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file"
    assert diffs.changed_files(repo.path / ".git", "HEAD", "HEAD") == []


def test_a_file_that_became_a_link_shows_no_patch(tmp_path: Path) -> None:
    repo = support.make_repo(tmp_path / "repo")
    repo.commit("one", {"file": "x\n"})
    (repo.path / "file").unlink()
    (repo.path / "file").symlink_to("elsewhere")
    repo.git("commit", "-qam", "two")
    (change,) = diffs.changed_files(repo.path / ".git", "HEAD~", "HEAD")
    assert (change.status, change.patch) == ("changed", None)


def test_a_source_that_is_no_repository_fails(tmp_path: Path) -> None:
    with pytest.raises(GitFailed):
        make_bare(tmp_path / "new.git", tmp_path, "main")


# -- ids -----------------------------------------------------------------------------------------------


def test_node_ids_go_there_and_back() -> None:
    assert parse_node_id(node_id("PullRequest", 7)) == ("PullRequest", ["7"])
    assert parse_node_id(node_id("Ref", 7, "refs/heads/a:b")) == ("Ref", ["7", "refs/heads/a:b"])
    for text in ("", "PR_7", "XX_kwMQ", "PR_kw***", "PR_kw/w", "PR_kwgIA"):
        assert parse_node_id(text) is None or parse_node_id(text) == ("PullRequest", [""]), text
