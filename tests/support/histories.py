"""Random histories for the law that a replay equals a rebase: a trunk that moved on, and a stack begun before.

A state is a dictionary of files; a step changes it. Steps are small tuples of numbers that fit every state, so that
hypothesis can shrink them. Written by one ``git fast-import`` for each history.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.git import git, git_bytes

File = tuple[str, bytes]
State = dict[str, File]
Step = tuple[int, int, int, int]

PLAIN, PROGRAM, LINK, MODULE = "100644", "100755", "120000", "160000"
FOLDERS = ["", "a/", "a/b/", "a/b/c/", "d/", "e/f/", "a/d/", "new/"]
NAMES = ["one.txt", "two.txt", "three.c", "four.bin", "five.lock", "a", "d", "b"]
MODULES = [f"{n:040x}" for n in (1, 2, 3)]
ATTRIBUTES = [
    b"*.txt merge=union\n",
    b"*.txt -merge\n*.c merge=union\n",
    b"*.c merge=ours-first\n",
    b"*.txt text eol=crlf\n* merge=binary\n",
    b"",
]


def lines(seed: int, count: int = 12) -> bytes:
    """A text whose lines tell it from other seeds'."""
    return b"".join(b"line %d of text %d, long enough to be similar\n" % (n, seed) for n in range(count))


def beginning() -> State:
    """Where every history begins."""
    paths = [
        "one.txt",
        "a/one.txt",
        "a/two.txt",
        "a/b/three.c",
        "a/b/one.txt",
        "a/b/c/two.txt",
        "d/one.txt",
        "d/two.txt",
    ]
    state = {path: (PLAIN, lines(n)) for n, path in enumerate(paths)}
    state["d/four.bin"] = (PLAIN, bytes(range(256)))
    state["e/f/five.lock"] = (PROGRAM, lines(50))
    state["link"] = (LINK, b"a/one.txt")
    return state


def applied(state: State, steps: Sequence[Step]) -> State:
    """The state after these steps."""
    for kind, first, second, third in steps:
        before = dict(state)
        state = _STEPS[kind % len(_STEPS)](dict(state), first, second, third)
        if not state:
            state = before
    return state


def _pick(state: State, number: int) -> str:
    return sorted(state)[number % len(state)]


def _edit(state: State, which: int, line: int, text: int) -> State:
    path = _pick(state, which)
    mode, raw = state[path]
    if mode in (LINK, MODULE):
        return state
    parts = raw.split(b"\n")
    parts[line % len(parts)] = b"edit %d" % (text % 3)
    return {**state, path: (mode, b"\n".join(parts))}


def _insert(state: State, which: int, line: int, text: int) -> State:
    path = _pick(state, which)
    mode, raw = state[path]
    if mode in (LINK, MODULE):
        return state
    parts = raw.split(b"\n")
    parts.insert(line % len(parts), b"inserted %d" % (text % 3))
    return {**state, path: (mode, b"\n".join(parts))}


def _rewrite(state: State, which: int, seed: int, _: int) -> State:
    path = _pick(state, which)
    return {**state, path: (PLAIN, lines(100 + seed % 4))}


def _put(state: State, path: str, file: File) -> State:
    """Put a file, clearing what would be in its way: its own folder, or files where its folders must be."""
    parents = {path[:at] for at, c in enumerate(path) if c == "/"}
    kept = {p: f for p, f in state.items() if p not in parents and not p.startswith(path + "/")}
    return {**kept, path: file}


def _add(state: State, folder: int, name: int, seed: int) -> State:
    return _put(state, FOLDERS[folder % len(FOLDERS)] + NAMES[name % len(NAMES)], (PLAIN, lines(seed % 6)))


def _delete(state: State, which: int, *_: int) -> State:
    path = _pick(state, which)
    return {p: f for p, f in state.items() if p != path}


def _folders(state: State) -> list[str]:
    return sorted({path[: at + 1] for path in state for at, c in enumerate(path) if c == "/"}) or [""]


def _delete_folder(state: State, which: int, *_: int) -> State:
    folders = _folders(state)
    folder = folders[which % len(folders)]
    return {p: f for p, f in state.items() if not folder or not p.startswith(folder)}


def _rename(state: State, which: int, folder: int, name: int) -> State:
    path = _pick(state, which)
    file = state.pop(path)
    return _put(state, FOLDERS[folder % len(FOLDERS)] + NAMES[name % len(NAMES)], file)


def _move(state: State, which: int, folder: int, _: int) -> State:
    """Into another folder, under the same name."""
    path = _pick(state, which)
    file = state.pop(path)
    return _put(state, FOLDERS[folder % len(FOLDERS)] + path.rpartition("/")[2], file)


def _rename_folder(state: State, which: int, target: int, deep: int) -> State:
    """A whole folder to another place: beside it, into itself, into its parent, to the top."""
    folders = _folders(state)
    old = folders[which % len(folders)]
    new = (FOLDERS[target % len(FOLDERS)], old + "sub/", old.rstrip("/").rpartition("/")[0] + "/")[deep % 3]
    new = new.lstrip("/")
    moving = {path: file for path, file in state.items() if path.startswith(old)}
    rest = {path: file for path, file in state.items() if path not in moving}
    for path, file in moving.items():
        rest = _put(rest, new + path[len(old) :], file)
    return rest


def _mode(state: State, which: int, *_: int) -> State:
    path = _pick(state, which)
    mode, raw = state[path]
    other = {PLAIN: PROGRAM, PROGRAM: PLAIN}.get(mode, mode)
    return {**state, path: (other, raw)}


def _link(state: State, which: int, target: int, _: int) -> State:
    return {**state, _pick(state, which): (LINK, NAMES[target % len(NAMES)].encode())}


def _module(state: State, which: int, oid: int, _: int) -> State:
    name = ("module", "a/module", "d")[which % 3]
    return _put(state, name, (MODULE, MODULES[oid % 3].encode()))


def _binary(state: State, which: int, byte: int, _: int) -> State:
    path = _pick(state, which)
    return {**state, path: (PLAIN, bytes(range(256)) + bytes([byte % 3]))}


def _attributes(state: State, folder: int, text: int, _: int) -> State:
    return _put(state, ("", "a/", "d/")[folder % 3] + ".gitattributes", (PLAIN, ATTRIBUTES[text % len(ATTRIBUTES)]))


_STEPS = [
    _edit,
    _insert,
    _rename,
    _rename_folder,
    _move,
    _add,
    _delete,
    _delete_folder,
    _edit,
    _rewrite,
    _mode,
    _link,
    _module,
    _binary,
    _attributes,
]


@dataclass(frozen=True)
class History:
    """Commit ids: where stack and trunk part, the trunk's tip, and the stack from the bottom."""

    base: str
    trunk: str
    stack: tuple[str, ...]


def write(repo: Path, start: State, trunk: State, stack: Sequence[State]) -> History:
    """Write the commits; commit ``n`` of the stack has the subject ``pick n``."""
    states = [("base", start, None), ("trunk", trunk, 1)]
    states += [(f"pick {n}", state, 1 if n == 0 else n + 2) for n, state in enumerate(stack)]
    script = b"".join(_commit(n + 1, *rest) for n, rest in enumerate(states))
    marks = repo / ".git" / "marks"
    git(repo, "fast-import", "--quiet", "--force", f"--export-marks={marks}", stdin=script + b"done\n")
    oids = dict(line.split(" ") for line in marks.read_text().splitlines())
    named = [oids[f":{n + 1}"] for n in range(len(states))]
    return History(named[0], named[1], tuple(named[2:]))


def _commit(mark: int, subject: str, state: State, parent: int | None) -> bytes:
    head = b"commit refs/import/%d\nmark :%d\ncommitter A <a@example.com> 1700000000 +0000\n" % (mark, mark)
    head += b"data %d\n%s\n" % (len(subject), subject.encode())
    if parent is not None:
        head += b"from :%d\n" % parent
    return head + b"deleteall\n" + b"".join(_file(path, *file) for path, file in state.items()) + b"\n"


def _file(path: str, mode: str, raw: bytes) -> bytes:
    if mode == MODULE:
        return b"M 160000 %s %s\n" % (raw, path.encode())
    return b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), path.encode(), len(raw), raw)


@dataclass(frozen=True)
class Rebased:
    """What a rebase made: (subject, tree) of every commit, or where it stopped and the files in conflict."""

    commits: tuple[tuple[str, str], ...] = ()
    stopped: str = ""
    paths: frozenset[bytes] = frozenset()


def check_out(repo: Path, commit: str) -> None:
    """Put every file there anew, whatever attributes the last history left it by."""
    git(repo, "read-tree", "--empty")
    git(repo, "clean", "-qffdx")
    git(repo, "checkout", "-q", "-f", "--detach", commit)


def rebase(repo: Path, history: History) -> Rebased | None:
    """Let git do it, in the work tree, which is left detached.

    ``None`` where git cannot: attributes that change what a file looks like make it find changes nobody made.
    """
    git(repo, "rebase", "-q", "--no-stat", "--onto", history.trunk, history.base, history.stack[-1], check=False)
    state = repo / ".git" / "rebase-merge"
    unmerged = {row.partition(b"\t")[2] for row in git_bytes(repo, "ls-files", "-u", "-z").split(b"\0")[:-1]}
    if not state.exists() and _contains(repo, history.trunk):
        rows = git(repo, "log", "--reverse", "--format=%s%x00%T", f"{history.trunk}..HEAD").splitlines()
        return Rebased(tuple((row.split("\0")[0], row.split("\0")[1]) for row in rows))
    stopped = state / "stopped-sha"
    subject = git(repo, "log", "-1", "--format=%s", stopped.read_text().strip()) if stopped.exists() else ""
    shutil.rmtree(state, ignore_errors=True)
    return Rebased(stopped=subject, paths=frozenset(unmerged)) if subject and unmerged else None


def _contains(repo: Path, commit: str) -> bool:
    return git(repo, "merge-base", "HEAD", commit) == commit
