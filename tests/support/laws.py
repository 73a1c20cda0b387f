"""What must be true after any submit, looked at from outside: the server's own state and git's own diffs.

Here: ``check_laws`` for success and ``untouched`` for a run that must not change anything. Not here: how tests get to
such a state (``tests/support/world.py``), nor anything of stackr itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stackr.sandbox.model import PullRequest
from tests.support.git import git_bytes
from tests.support.world import Clone, World

BLOCK = re.compile(r"<!-- stackr:begin v1 [^<>]*-->\n(.*?)<!-- stackr:end -->", re.DOTALL)
FETCHED = re.compile(r"\.git/(objects/|stackr/lock|(logs/)?refs/(remotes|stackr/trunk)/)")
FORBIDDEN_EVENTS = {"closed", "merged", "head_ref_force_pushed", "head_ref_deleted", "base_ref_deleted"}


@dataclass(frozen=True)
class Seen:
    """One change of the stack as the clone and the server have it."""

    commit: str
    id: str
    pull: PullRequest


def stack_of(world: World, clone: Clone, trunk: str = "main") -> list[Seen]:
    """The changes between trunk and HEAD, bottom first; fails unless every commit has one id and one pull request."""
    format_ = "--format=%H%x00%(trailers:key=Change-Id,valueonly,separator=%x2c)"
    lines = clone.git("log", "--reverse", "--first-parent", format_, f"origin/{trunk}..HEAD").splitlines()
    return [_seen(world, *line.split("\0")) for line in lines]


def _seen(world: World, commit: str, change: str) -> Seen:
    assert re.fullmatch(r"I[0-9a-f]{40}", change), f"{commit} has the ids {change!r}"
    named = [pull for pull in world.pulls() if pull.head_ref.endswith("/" + change[1:11])]
    # A branch that another tool made is not named after the change; the description tells it.
    mine = named or [pull for pull in world.pulls() if f'<!-- stackr:begin v1 id="{change}"' in (pull.body or "")]
    assert len(mine) == 1, f"{commit} has {len(mine)} pull requests"
    return Seen(commit, change, mine[0])


def check_laws(
    world: World,
    clone: Clone,
    trunk: str = "main",
    *,
    landed: Sequence[int] = (),
    gone: Sequence[int] = (),
    forced: bool = False,
    again: bool = True,
) -> list[Seen]:
    """Every law of a submitted stack (docs/internals/architecture.md, Laws); returns its changes, bottom first.

    ``landed`` are the numbers the list has to show as landed, bottom first; ``gone`` pull requests that the test itself
    closed or merged; ``forced`` allows branches that were moved by force (style ``rewrite``). ``again`` submits once
    more, which must find nothing to do.
    """
    stack = stack_of(world, clone, trunk)
    assert stack, "the stack is empty"
    bases = [trunk, *(seen.pull.head_ref for seen in stack)]
    diffs = _own_diffs(clone, trunk)
    for seen, base in zip(stack, bases, strict=False):
        assert world.state(seen.pull.number) == "open", f"#{seen.pull.number} is {world.state(seen.pull.number)}"
        assert seen.pull.base_ref == base, f"#{seen.pull.number} targets {seen.pull.base_ref}, not {base}"
        _same_diff(world, seen, diffs[seen.commit])
        check_list(stack, seen, landed)
    check_history(world, gone, forced)
    if again:
        check_nothing_to_do(world, clone)
    return stack


_DIFF = ("--binary", "--full-index", "--no-renames")


def _own_diffs(clone: Clone, trunk: str) -> dict[str, bytes]:
    """The diff of every commit of the stack, by one process."""
    shown = git_bytes(clone.path, "log", "--format=%x00%H%n", "-p", *_DIFF, f"origin/{trunk}..HEAD")
    return {part[:40].decode(): part[40:].strip(b"\n") for part in shown.split(b"\0") if part}


def check_diff(world: World, clone: Clone, seen: Seen) -> None:
    """The three-dot diff on the server is the commit's own."""
    _same_diff(world, seen, git_bytes(clone.path, "diff", *_DIFF, f"{seen.commit}^", seen.commit).strip(b"\n"))


def _same_diff(world: World, seen: Seen, ours: bytes) -> None:
    span = f"{seen.pull.base_ref}...{seen.pull.head_ref}"
    theirs = git_bytes(world.bare.path, "diff", *_DIFF, span).strip(b"\n")
    assert theirs == ours, f"#{seen.pull.number} shows:\n{theirs!r}\nbut its commit is:\n{ours!r}"


def check_list(stack: Sequence[Seen], seen: Seen, landed: Sequence[int] = ()) -> None:
    """One stack block, with the newest on top, an arrow at the page's own pull request, landed ones marked."""
    body = (seen.pull.body or "").replace("\r\n", "\n")
    blocks = BLOCK.findall(body)
    assert len(blocks) == 1, f"#{seen.pull.number} has {len(blocks)} blocks:\n{body}"
    rows = [f"* {'__->__ ' if other is seen else ''}#{other.pull.number}" for other in reversed(stack)]
    rows += [f"* #{number} (landed)" for number in reversed(landed)]
    wanted = ["Stack from stackr (oldest at bottom):", *rows] if len(rows) > 1 else []
    assert blocks[0].splitlines() == wanted, f"#{seen.pull.number} lists:\n{blocks[0]}"


def check_history(world: World, gone: Sequence[int] = (), forced: bool = False) -> None:
    """Nothing was closed or merged or forced, not even for a moment."""
    allowed = {"head_ref_force_pushed"} if forced else set()
    for pull in world.pulls():
        if pull.number not in gone:
            bad = (FORBIDDEN_EVENTS - allowed) & set(world.events(pull.number))
            assert not bad, f"#{pull.number}: {world.events(pull.number)}"
    assert forced or not world.server.log.forced()


def check_nothing_to_do(world: World, clone: Clone) -> None:
    """Another submit: one request, no push, no fetch, the same commits and refs, an empty plan."""
    before = clone.refs(), clone.oid(), world.facts()
    world.forget()
    document = clone.stackr("submit", "--json").json
    assert document["actions"] == []
    assert {change["state"] for change in document["changes"]} == {"in-sync"}
    assert world.server.log.counts() == {"api": 1, "mutations": 0, "git": 0, "pushes": 0, "fetches": 0}
    assert (clone.refs(), clone.oid(), world.facts()) == before


# -- nothing was changed -------------------------------------------------------------------------------


@contextmanager
def untouched(world: World, clone: Clone, *, strictly: bool = False) -> Iterator[None]:
    """Fails if anything was written meanwhile: on the server, by the API, by a push, in refs, files or configuration.

    A fetch is allowed (objects, remote-tracking branches), and so is a note of the login; ``strictly`` allows neither,
    nor the lock file.
    """
    before = world.facts(), _files(clone, strictly)
    world.forget()
    yield
    writes = [entry for entry in world.server.log.entries() if entry.is_write]
    assert not writes, writes
    assert (world.facts(), _files(clone, strictly)) == before


def _files(clone: Clone, strictly: bool) -> dict[str, bytes]:
    """Every file of the work tree and of git's own, by name."""
    found = {}
    for path in sorted(clone.path.rglob("*")):
        name = path.relative_to(clone.path).as_posix()
        if path.is_file() and (strictly or not FETCHED.match(name)):
            found[name] = path.read_bytes() if strictly or name != ".git/config" else _without_login(path)
    return found


def _without_login(config: Path) -> bytes:
    """The configuration without the login that the first request notes."""
    return re.sub(rb"\[stackr\]\n\tlogin = .*\n", b"", config.read_bytes())


def error_of(clone: Clone, *args: str, code: int, env: dict[str, str] | None = None) -> tuple[str, dict[str, Any]]:
    """The three lines of an error and its JSON form, from two runs of the same command."""
    plain = clone.stackr(*args, code=code, env=env)
    assert plain.out == "", str(plain)
    machine = clone.stackr(*args, "--json", code=code, env=env)
    assert list(machine.json) == ["schema", "command", "ok", "error"], str(machine)
    assert (machine.json["schema"], machine.json["command"], machine.json["ok"]) == (1, args[0], False)
    error: dict[str, Any] = machine.json["error"]
    assert list(error) == ["kind", "message", "safe", "next"]
    return plain.err, error


def refuses(
    world: World,
    clone: Clone,
    *args: str,
    code: int,
    kind: str,
    message: str,
    next_step: str,
    safe: str = "nothing was changed",
    env: dict[str, str] | None = None,
) -> None:
    """The command ends with ``code`` and exactly these three lines, in text and in JSON, and changes nothing."""
    with untouched(world, clone):
        text, error = error_of(clone, *args, code=code, env=env)
    assert error == {"kind": kind, "message": message, "safe": safe, "next": next_step}
    indented = message.replace("\n", "\n       ")
    assert text == f"error: {indented}\nsafe:  {safe}\nnext:  {next_step}\n"
