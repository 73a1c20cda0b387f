"""A hundred commits carried over fifty new ones of the trunk: ``git rebase`` and stackr on the same machine, in turn.

From reading the commits to the last ref; index and files are timed apart, since ``git rebase`` writes them on the way.
Every outcome is compared, tree by tree. Run it alone with ``python -m bench.restack``; another git, first on PATH, is
measured in the same way.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from stackr.core.plan import RefMove
from stackr.core.replaying import Pick
from stackr.repo.repository import Repository

STACK, TRUNK = 100, 50
SIZES = (10_000, 100_000)
RUNS = 3
_LINES = 1000
_SHARED = 0  # the file that every commit edits where commits meet

_OUT = Console(width=160, soft_wrap=False)


@dataclass(frozen=True, slots=True)
class Figure:
    """Medians in milliseconds for one repository and one kind of edits; ``same_trees`` holds for every run."""

    files: int
    meets: bool
    rebase: float
    replay: float
    files_after: float
    processes: int
    same_trees: bool


def main(runs: int = RUNS) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="stackr-restack-") as folder:
        environment = {**os.environ, **_sealed(Path(folder))}
        os.environ.update(environment)
        figures = [figure for files in SIZES for figure in _measure(Path(folder), files, runs)]
    _print(figures)


def _sealed(home: Path) -> Mapping[str, str]:
    who = {f"GIT_{role}_{part}": f"bench{at}" for role in ("AUTHOR", "COMMITTER") for part, at in _IDENTITY}
    return {
        **who,
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_EDITOR": "false",
    }


_IDENTITY = (("NAME", ""), ("EMAIL", "@example.com"))


def _measure(root: Path, files: int, runs: int) -> Iterator[Figure]:
    repo = root / f"files-{files}"
    _git(root, "init", "-q", "-b", "main", "--template=", str(repo))
    for key, value in {"gc.auto": "0", "maintenance.auto": "false", "advice.detachedHead": "false"}.items():
        _git(repo, "config", key, value)
    _git(repo, "fast-import", "--quiet", stdin=b"".join(_script(files)))
    _git(repo, "repack", "-qad")
    for meets in (False, True):
        stack = "together" if meets else "apart"
        _git(repo, "checkout", "-qf", f"stack-{stack}")
        yield _compare(repo, files, meets, f"stack-{stack}", f"trunk-{stack}", runs)


def _compare(repo: Path, files: int, meets: bool, stack: str, trunk: str, runs: int) -> Figure:
    tip = _git(repo, "rev-parse", stack)
    rebases, replays, switches, same, processes, objects = [], [], [], True, 0, _objects(repo)
    for _ in range(runs):
        seconds = _timed(lambda: _git(repo, "rebase", "-q", "--no-stat", "--onto", trunk, "base", stack))
        rebases.append(seconds)
        wanted = _git(repo, "log", "--format=%T", f"{trunk}..{stack}")
        _back(repo, tip, objects)
        replay, switch, processes = _with_stackr(repo, stack, tip, trunk)
        replays.append(replay)
        switches.append(switch)
        same &= wanted == _git(repo, "log", "--format=%T", f"{trunk}..{stack}") and not _git(
            repo, "status", "--porcelain"
        )
        _back(repo, tip, objects)
    medians = [statistics.median(values) * 1000 for values in (rebases, replays, switches)]
    return Figure(files, meets, *medians, processes=processes, same_trees=same)


def _with_stackr(repo: Path, stack: str, tip: str, trunk: str) -> tuple[float, float, int]:
    """Seconds from reading the commits to the last ref, seconds for index and files, processes of the former."""
    with Repository.open(repo) as repository:
        base, onto = (_git(repo, "rev-parse", name) for name in ("base", trunk))
        before = repository.process_count
        started = time.perf_counter()
        commits = repository.list_commits([tip], [base])
        below = {base: repository.read_commits([base])[base], **{commit.oid: commit for commit in commits}}
        picks = [Pick.of(commit, below[commit.parents[0]].tree) for commit in commits]
        new = repository.replay(picks, onto).picks[-1].oid
        replayed = time.perf_counter() - started
        started = time.perf_counter()
        with repository.switching(tip, new):
            begun = time.perf_counter() - started
            started = time.perf_counter()
            repository.move_refs([RefMove(f"refs/heads/{stack}", tip, new)], "bench")
            moved = time.perf_counter() - started
            processes = repository.process_count - before - 1  # one of them looked at the work tree
            started = time.perf_counter()
        return replayed + moved, begun + time.perf_counter() - started, processes


def _script(files: int) -> Iterator[bytes]:
    """Two trunks and two stacks on one base: commits that edit files of their own, and commits that all edit one."""
    texts = [f"file {n}\n" for n in range(files)]
    shared = [f"line {n} of the shared file\n" for n in range(_LINES)]
    content = {_path(n): text for n, text in enumerate(texts)} | {_path(_SHARED): "".join(shared)}
    yield _commit("base", 1, None, content)
    mark = 1
    for branch, count, first in (("trunk", TRUNK, 1), ("stack", STACK, 1 + TRUNK)):
        below = 1
        for n in range(count):
            mark, step = mark + 1, files // (TRUNK + STACK + 1)
            yield _commit(f"{branch}-apart", mark, below, {_path((first + n) * step): f"{branch} {n}\n"})
            below = mark
    for branch, count, first in (("trunk", TRUNK, 0), ("stack", STACK, _LINES // 2)):
        below, lines = 1, list(shared)
        for n in range(count):
            mark += 1
            lines[first + 4 * n] = f"{branch} {n}\n"
            yield _commit(f"{branch}-together", mark, below, {_path(_SHARED): "".join(lines)})
            below = mark


def _path(number: int) -> str:
    return f"d{number // 10_000:02}/e{number // 100 % 100:02}/f{number % 100:02}.txt"


def _commit(branch: str, mark: int, parent: int | None, content: Mapping[str, str]) -> bytes:
    lines = [f"commit refs/heads/{branch}", f"mark :{mark}", "committer bench <bench@example.com> 1700000000 +0000"]
    lines += [f"data {len(branch) + 1}", branch, *([f"from :{parent}"] if parent else [])]
    for path, text in content.items():
        lines += [f"M 100644 inline {path}", f"data {len(text)}", text]
    return "\n".join(lines).encode() + b"\n"


def _back(repo: Path, tip: str, objects: set[Path]) -> None:
    """As it was before, without the objects the last run wrote, so that every run begins alike."""
    _git(repo, "reset", "-q", "--hard", tip)
    _git(repo, "reflog", "expire", "--expire=now", "--all")
    for path in _objects(repo) - objects:
        path.unlink()


def _objects(repo: Path) -> set[Path]:
    return {path for path in (repo / ".git" / "objects").rglob("*") if path.is_file()}


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _git(cwd: Path, *args: str, stdin: bytes = b"") -> str:
    done = subprocess.run(["git", *args], cwd=cwd, input=stdin, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"git {' '.join(args)}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode().strip()


def _print(figures: Sequence[Figure]) -> None:
    version = _git(Path.cwd(), "version")
    table = Table(title=f"Restack of {STACK} commits over {TRUNK}, in ms ({version})")
    columns = (
        "files in the repository",
        "commits edit",
        "git rebase",
        "stackr",
        "times faster",
        "index and files after",
    )
    for column in (*columns, "git processes", "same trees"):
        table.add_column(column, justify="right")
    for each in figures:
        cells = [f"{value:.0f}" for value in (each.rebase, each.replay)]
        cells += [f"{each.rebase / each.replay:.1f}", f"{each.files_after:.0f}", str(each.processes)]
        edits = "the same file" if each.meets else "other files"
        table.add_row(f"{each.files:,}", edits, *cells, "yes" if each.same_trees else "NO")
    _OUT.print(table)
    for meets in (False, True):
        small, large = (next(f for f in figures if f.files == size and f.meets == meets) for size in SIZES)
        what = "the same file" if meets else "other files"
        _OUT.print(
            f"{SIZES[1]:,} files against {SIZES[0]:,}, {what}: {large.replay / small.replay:.2f} times", highlight=False
        )


if __name__ == "__main__":
    main()
