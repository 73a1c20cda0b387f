"""Git objects: read through one long-lived ``git cat-file --batch``, commits written without a process.

Parsing and printing of commits live here; what a merge commit should say is ``merging``.
Sources: git-cat-file(1), gitrepository-layout(5).
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
import threading
import zlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from stackr.sandbox.gitrun import environment

# The years 1001 to 9998: a day more or less in some zone still has four digits (RFC 3339).
_FIRST_S, _LAST_S = -30_578_688_000, 253_370_764_799
_PERSON = re.compile(r"^(.*?) ?<([^>]*)>(?: (-?\d+) ([+-]\d{4}))?")


@dataclass(frozen=True, slots=True)
class Person:
    """Author or committer: ``when`` in seconds since the epoch, ``zone`` as git writes it (+0200)."""

    name: str
    email: str
    when: int = 0
    zone: str = "+0000"

    @property
    def date_iso(self) -> str:
        """The date in UTC, as REST prints it: ``2026-12-01T05:00:00Z``."""
        return self._moment(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def local_iso(self) -> str:
        """The date in its own zone, as GraphQL's GitTimestamp prints it."""
        offset = timedelta(hours=int(self.zone[1:3]), minutes=int(self.zone[3:5]))
        if offset >= timedelta(days=1):  # git takes any four digits
            return self._moment(timezone.utc).isoformat()
        return self._moment(timezone(-offset if self.zone[0] == "-" else offset)).isoformat()

    def _moment(self, zone: timezone) -> datetime:
        """The date; one that no calendar has (git takes any number) is the first or last that can be written."""
        return datetime.fromtimestamp(min(max(self.when, _FIRST_S), _LAST_S), zone)

    def line(self) -> str:
        """As a commit header has it."""
        return f"{self.name} <{self.email}> {self.when} {self.zone}"


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """A commit, its message decoded; ``signature`` is the armoured text, if signed."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: str
    encoding: str = "utf-8"
    signature: str | None = None

    @property
    def headline(self) -> str:
        """The first line."""
        return self.message.lstrip("\n").partition("\n")[0]

    @property
    def body(self) -> str:
        """What follows the first line, without surrounding blank lines."""
        return self.message.lstrip("\n").partition("\n")[2].strip("\n")


def parse_person(text: str) -> Person:
    """Read an author or committer header; broken ones give what can be read."""
    found = _PERSON.match(text)
    if not found:
        return Person(text, "")
    name, email, when, zone = found.groups()
    return Person(name, email, int(when or 0), zone or "+0000")


def parse_commit(oid: str, data: bytes) -> CommitInfo:
    """Read a commit object."""
    head, _, message = data.partition(b"\n\n")
    headers: list[tuple[str, bytes]] = []
    for line in head.split(b"\n"):
        if line.startswith(b" ") and headers:
            headers[-1] = (headers[-1][0], headers[-1][1] + b"\n" + line[1:])
        else:
            name, _, value = line.partition(b" ")
            headers.append((name.decode("ascii", "replace"), value))
    first = dict(reversed(headers))
    encoding = first.get("encoding", b"utf-8").decode("ascii", "replace")
    return CommitInfo(
        oid=oid,
        tree=first["tree"].decode(),
        parents=tuple(value.decode() for name, value in headers if name == "parent"),
        author=parse_person(_text(first.get("author", b""), encoding)),
        committer=parse_person(_text(first.get("committer", b""), encoding)),
        message=_text(message, encoding),
        encoding=encoding,
        signature=first["gpgsig"].decode(errors="replace") if "gpgsig" in first else None,
    )


def _text(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        return data.decode("utf-8", "replace")


def print_commit(tree: str, parents: tuple[str, ...], author: Person, committer: Person, message: str) -> bytes:
    """The bytes of a commit object."""
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines += [f"author {author.line()}", f"committer {committer.line()}", "", message]
    return "\n".join(lines).encode()


def write_object(directory: Path, kind: str, data: bytes) -> str:
    """Write a loose object and return its oid. Written aside and renamed, so a kill leaves no half of one."""
    raw = f"{kind} {len(data)}\0".encode() + data
    oid = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
    path = directory / "objects" / oid[:2] / oid[2:]
    if path.exists():
        return oid
    path.parent.mkdir(exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix="tmp_obj_")
    with os.fdopen(handle, "wb") as file:
        file.write(zlib.compress(raw, 1))
    Path(aside).chmod(0o444)
    Path(aside).replace(path)
    return oid


class Reader:
    """One ``git cat-file --batch``, started when first asked, safe for threads."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, name: str) -> tuple[str, str, bytes] | None:
        """Oid, type and bytes of the object that a revision expression names; None if there is none."""
        if "\n" in name or not name:
            return None
        with self._lock:
            process = self._running()
            if process.stdin is None or process.stdout is None:  # pragma: no cover - both are pipes
                return None
            process.stdin.write(name.encode() + b"\n")
            process.stdin.flush()
            header = process.stdout.readline().decode(errors="replace").rstrip("\n")
            words = header.rsplit(" ", 2)
            if len(words) != 3 or not words[2].isdigit():  # "missing", "ambiguous"
                return None
            data = process.stdout.read(int(words[2]))
            process.stdout.read(1)
            return words[0], words[1], data

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None:
            self._process = subprocess.Popen(
                ["git", "cat-file", "--batch"],
                cwd=self._directory,
                env=environment({"GIT_DIR": str(self._directory)}),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        return self._process

    @property
    def awake(self) -> bool:
        """Whether the process is running."""
        return self._process is not None

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for pipe in filter(None, (process.stdin, process.stdout)):
                with suppress(BrokenPipeError):
                    pipe.close()
            process.wait(timeout=10)
