"""The bottom of a hundred changes amended, in a repository of 10,000 files: git's way and ``stackr amend``, in turn.

Git's way is ``git commit --fixup`` and ``git rebase --autosquash``. stackr is timed as a whole command, the start of
Python included, and again inside a Python that runs already, which tells what the work itself takes. Every outcome is
compared, tree by tree, and the files of the work tree must not have been written. Alone: ``python -m bench.amend``.
"""

from __future__ import annotations

import contextlib
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from stackr.main import run

STACK, FILES, RUNS = 100, 10_000, 5
_LINES = 1000
_OUT = Console(width=160, soft_wrap=False)


@dataclass(frozen=True, slots=True)
class Figure:
    """Medians in milliseconds for one kind of stack; ``is_same`` holds if all trees were those of git in every run."""

    meets: bool
    git: float
    inside: float
    command: float
    is_same: bool
    is_untouched: bool


def main(runs: int = RUNS) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="stackr-amend-") as folder:
        repo = Path(folder) / "repo"
        env = {**os.environ, **_sealed(Path(folder))}
        _make(repo, env)
        figures = [_compare(repo, env, meets, runs) for meets in (False, True)]
    _print(figures)


def _sealed(home: Path) -> Mapping[str, str]:
    person = {f"GIT_{role}_{part}": "bench" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    quiet = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_SEQUENCE_EDITOR": "true"}
    return {**person, **quiet, "HOME": str(home)}


def _make(repo: Path, env: Mapping[str, str]) -> None:
    _git(repo.parent, env, "init", "-q", "-b", "main", "--template=", str(repo))
    for key, value in {
        "gc.auto": "0",
        "maintenance.auto": "false",
        "remote.origin.url": "https://github.com/acme/bench.git",
        "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
    }.items():
        _git(repo, env, "config", key, value)
    _git(repo, env, "fast-import", "--quiet", stdin=b"".join(_script()))
    _git(repo, env, "update-ref", "refs/remotes/origin/main", "main")
    _git(repo, env, "repack", "-qad")


def _script() -> Iterator[bytes]:
    """A trunk and two stacks on it: commits that edit files of their own, and commits that all edit one."""
    shared = [f"line {n} of the shared file\n" for n in range(_LINES)]
    texts = {_path(n): f"file {n}\n" for n in range(1, FILES)} | {_path(0): "".join(shared)}
    yield _commit("main", 1, None, texts)
    mark, below = 1, 1
    for n in range(STACK):
        mark += 1
        yield _commit("apart", mark, below, {_path((n + 1) * (FILES // (STACK + 1))): f"change {n}\n"})
        below = mark
    below = 1
    for n in range(STACK):
        mark += 1
        shared[4 * n] = f"change {n}\n"
        yield _commit("together", mark, below, {_path(0): "".join(shared)})
        below = mark


def _path(number: int) -> str:
    return f"e{number // 100:03}/f{number % 100:02}.txt"


def _commit(branch: str, mark: int, parent: int | None, content: Mapping[str, str]) -> bytes:
    title = f"Change {mark}"
    head = [f"commit refs/heads/{branch}", f"mark :{mark}", "committer bench <bench@example.com> 1700000000 +0000"]
    head += [f"data {len(title) + 1}", title, *([f"from :{parent}"] if parent else [])]
    lines = [line for path, text in content.items() for line in (f"M 100644 inline {path}", f"data {len(text)}", text)]
    return "\n".join([*head, *lines]).encode() + b"\n"


def _compare(repo: Path, env: Mapping[str, str], meets: bool, runs: int) -> Figure:
    branch = "together" if meets else "apart"
    _git(repo, env, "checkout", "-qf", branch)
    _git(repo, env, "update-index", "-q", "--really-refresh")
    tip = _git(repo, env, "rev-parse", branch)
    bottom = _git(repo, env, "rev-list", "--reverse", f"main..{branch}").split()[0]
    path = _path(0) if meets else _path(FILES // (STACK + 1))
    text = (repo / path).read_text().replace("change 0\n", "change 0, amended\n")
    objects = _objects(repo)

    def staged() -> None:
        for each in _objects(repo) - objects:
            each.unlink()
        _git(repo, env, "reset", "-q", "--hard", tip)
        (repo / path).write_text(text)
        _git(repo, env, "add", path)

    def with_git() -> None:
        _git(repo, env, "commit", "-q", f"--fixup={bottom}")
        _git(repo, env, "rebase", "-q", "-i", "--autosquash", "main")

    argv = ["-C", str(repo), "amend", bottom]
    ways = {"git": with_git, "inside": lambda: _inside(env, argv), "command": lambda: _stackr(env, argv)}
    spent: dict[str, list[float]] = {name: [] for name in ways}
    same = untouched = True
    for _ in range(runs):
        trees = set()
        for name, way in ways.items():
            staged()
            before = _times(repo)
            spent[name].append(_timed(way))
            trees.add(_git(repo, env, "log", "--format=%T", f"main..{branch}"))
            untouched &= name == "git" or (before == _times(repo) and not _git(repo, env, "status", "--porcelain"))
        same &= len(trees) == 1
    medians = {name: statistics.median(values) * 1000 for name, values in spent.items()}
    return Figure(meets, medians["git"], medians["inside"], medians["command"], same, untouched)


def _times(repo: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in repo.glob("e*/*.txt")}


def _objects(repo: Path) -> set[Path]:
    return {path for path in (repo / ".git" / "objects").rglob("*") if path.is_file()}


def _stackr(env: Mapping[str, str], argv: list[str]) -> None:
    _run([sys.executable, "-m", "stackr", *argv], Path.cwd(), env)


def _inside(env: Mapping[str, str], argv: list[str]) -> None:
    os.environ.update(env)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            run(argv)
        except SystemExit as ended:
            assert not ended.code


def _git(cwd: Path, env: Mapping[str, str], *args: str, stdin: bytes = b"") -> str:
    return _run(["git", *args], cwd, env, stdin)


def _run(argv: list[str], cwd: Path, env: Mapping[str, str], stdin: bytes = b"") -> str:
    done = subprocess.run(argv, cwd=cwd, env=env, input=stdin, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode().strip()


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _print(figures: list[Figure]) -> None:
    table = Table(title=f"The bottom of {STACK} changes amended, {FILES:,} files, in ms")
    columns = ("changes edit", "git", "stackr, inside", "times faster", "stackr, whole", "times faster")
    for column in (*columns, "same trees", "untouched"):
        table.add_column(column, justify="right")
    for each in figures:
        table.add_row(
            "the same file" if each.meets else "other files",
            f"{each.git:.0f}",
            *(cell for spent in (each.inside, each.command) for cell in (f"{spent:.0f}", f"{each.git / spent:.1f}")),
            "yes" if each.is_same else "NO",
            "yes" if each.is_untouched else "NO",
        )
    _OUT.print(table)


if __name__ == "__main__":
    main()
