"""The work of the imagined developer: a repository, a clone, a stack of commits, and an amended bottom commit.

Only git is used here, outside of everything that is timed.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_FILES, _LINES, _HISTORY = 200, 40, 30


def git(cwd: Path, *args: str, env: Mapping[str, str]) -> str:
    """Standard output of one git command; raises with git's own words."""
    done = subprocess.run(["git", *args], cwd=cwd, env=dict(env), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"git {args[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def make_seed(path: Path, env: Mapping[str, str]) -> Path:
    """A bare repository: 200 files in 20 directories, 30 commits on ``main``."""
    work = path / "work"
    work.mkdir(parents=True)
    git(work, "init", "-q", "-b", "main", env=env)
    for number in range(_FILES):
        file = work / f"pkg{number % 20:02}" / f"module{number:03}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"value_{line} = {number * line}\n" for line in range(_LINES)))
    for number in range(_HISTORY):
        with (work / "CHANGES").open("a") as file_:
            file_.write(f"{number}\n")
        git(work, "add", "-A", env=env)
        git(work, "commit", "-q", "-m", f"History {number}", env=env)
    git(path, "clone", "-q", "--bare", str(work), str(path / "seed.git"), env=env)
    return path / "seed.git"


@dataclass(frozen=True, slots=True)
class Clone:
    """A clone with a stack on the branch ``feature``."""

    path: Path
    env: Mapping[str, str]

    def git(self, *args: str) -> str:
        """Git in this clone."""
        return git(self.path, *args, env=self.env)

    def grow(self, changes: int) -> None:
        """Commit so many changes, a file of 20 lines each."""
        self.git("checkout", "-q", "-b", "feature")
        for number in range(1, changes + 1):
            name = f"change{number:03}.py"
            (self.path / name).write_text("".join(f"line_{line} = {number}\n" for line in range(20)))
            self.git("add", name)
            self.git("commit", "-q", "-m", message(number))

    def amend_bottom(self) -> None:
        """Add a line to the bottom change and put the others on top of it again, as ``git rebase -i`` does."""
        with (self.path / "change001.py").open("a") as file:
            file.write("amended = True\n")
        bottom = self.git("rev-list", "--reverse", "origin/main..HEAD").split()[0]
        self.git("commit", "-q", "-a", f"--fixup={bottom}")
        self.git("-c", "sequence.editor=true", "rebase", "-q", "-i", "--autosquash", f"{bottom}^")

    def commits(self) -> list[str]:
        """The stack, bottom first."""
        return self.git("rev-list", "--reverse", "origin/main..HEAD").split()

    def trees(self) -> list[str]:
        """The tree of trunk, then that of every commit of the stack, bottom first."""
        above = self.git("log", "--reverse", "--format=%T", "origin/main..HEAD").split()
        return [self.git("rev-parse", "origin/main^{tree}"), *above]


def title(number: int) -> str:
    """The subject of a change, 1 at the bottom."""
    return f"Add change {number:03}"


def message(number: int) -> str:
    """Its message; revup makes pull requests of topics, so each commit names its own (the others do not mind)."""
    return f"{title(number)}\n\nIt adds a file of twenty lines.\n\nTopic: t{number:03}\n"


def clone(bare: Path, remote: str, path: Path, env: Mapping[str, str]) -> Clone:
    """A clone made from the directory, which is faster than over HTTP and leaves the same; its remote is HTTP."""
    git(path.parent, "clone", "-q", "--no-hardlinks", str(bare), str(path), env=env)
    git(path, "remote", "set-url", "origin", remote, env=env)
    return Clone(path, env)
