"""A world for the demo: real history served by a sandbox, and a clone of it with a branch of real commits.

Git processes only; what is done in the clone is the story of ``stackr.sandbox.demo``.
"""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stackr.errors import GitError

STACK_SIZE = 5
_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class History:
    """A repository and a line of ``STACK_SIZE`` commits in it: the stack is ``base..tip``."""

    path: Path
    base: str
    tip: str


def sealed(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    """An environment in which neither the user's git configuration nor tokens play a part."""
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "GH_", "GITHUB_", "STACKR_", "XDG_")) and not name.lower().endswith("_proxy")
    }
    home.mkdir(parents=True, exist_ok=True)
    return {
        **env,
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GIT_AUTHOR_NAME": "Alice",
        "GIT_AUTHOR_EMAIL": "alice@example.com",
        "GIT_COMMITTER_NAME": "Alice",
        "GIT_COMMITTER_EMAIL": "alice@example.com",
        **more,
    }


def git(cwd: Path, env: Mapping[str, str], *args: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run git; raises ``GitError`` with its words when it fails and ``check`` is set."""
    done = subprocess.run(
        ["git", *args],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_TIMEOUT_S,
        check=False,
    )
    if check and done.returncode:
        raise GitError(f"git {args[0]} failed: {done.stderr.strip()}", safe="the demo works on a copy of its own")
    return done


def find_history(root: Path, env: Mapping[str, str]) -> History:
    """This project's own history where it is at hand, else a small one made below ``root``."""
    project = Path(__file__).resolve().parents[2]
    return line_of_commits(project, env) or make_history(root, env)


def line_of_commits(path: Path, env: Mapping[str, str]) -> History | None:
    """The newest ``STACK_SIZE`` commits in a row that are neither merges nor empty, if there are so many.

    ``None`` also where ``path`` is no repository or a shallow one, which cannot be served.
    """
    if not (path / ".git").exists() or _ask(path, env, "rev-parse", "--is-shallow-repository") != "false":
        return None
    listing = _ask(path, env, "log", "--first-parent", "--format=%H %T %P", "-n", "500")
    rows = [line.split() for line in listing.splitlines()]
    run: list[str] = []
    for row, below in itertools.pairwise(rows):
        is_plain = len(row) == 3 and row[1] != below[1]
        run = [*run, row[0]] if is_plain else []
        if len(run) == STACK_SIZE:
            return History(path, below[0], run[0])
    return None


def _ask(path: Path, env: Mapping[str, str], *args: str) -> str:
    # Another user may own the directory (a container's volume): it is only read.
    return git(path, env, "-c", "safe.directory=*", *args, check=False).stdout.strip()


def make_history(root: Path, env: Mapping[str, str]) -> History:
    """A little project with one commit on main and a line of commits above it."""
    path = root / "project"
    path.mkdir(parents=True)
    git(path, env, "init", "-q", "-b", "main")
    base = _commit(
        path, env, "Begin a word counter", {"README.md": "# words\n", "words.py": "def count(text):\n    ...\n"}
    )
    for title, files in (
        ("Count words", {"words.py": "def count(text):\n    return len(text.split())\n"}),
        ("Test the counter", {"test_words.py": "from words import count\n\nassert count('a b') == 2\n"}),
        ("Describe how to use it", {"README.md": "# words\n\nCounts words: `count(text)`.\n"}),
        (
            "Add a command line",
            {"__main__.py": "import sys\n\nfrom words import count\n\nprint(count(sys.stdin.read()))\n"},
        ),
        ("Choose a license", {"LICENSE": "MIT\n"}),
    ):
        tip = _commit(path, env, title, files)
    return History(path, base, tip)


def _commit(path: Path, env: Mapping[str, str], title: str, files: Mapping[str, str]) -> str:
    for name, text in files.items():
        (path / name).write_text(text, encoding="utf-8")
    git(path, env, "add", "--", *files)
    git(path, env, "commit", "-q", "-m", title)
    return git(path, env, "rev-parse", "HEAD").stdout.strip()


def publish(history: History, bare: Path, env: Mapping[str, str]) -> None:
    """A bare copy of the history whose main ends below the stack."""
    bare.mkdir(parents=True)
    git(bare, env, "init", "-q", "--bare", "-b", "main")
    git(
        bare,
        env,
        "-c",
        "safe.directory=*",
        "fetch",
        "-q",
        str(history.path),
        f"{history.tip}:refs/heads/main",
        check=True,
    )
    git(bare, env, "update-ref", "refs/heads/main", history.base)


def check_out(url: str, bare: Path, clone: Path, history: History, env: Mapping[str, str]) -> None:
    """Clone from the sandbox and put the stack on a branch called ``feature``."""
    git(clone.parent, env, "clone", "-q", url, str(clone))
    git(clone, env, "fetch", "-q", str(bare), history.tip)
    git(clone, env, "checkout", "-q", "-b", "feature", history.tip)


def stack(clone: Path, env: Mapping[str, str]) -> Sequence[str]:
    """The titles of the stack, bottom first."""
    return git(clone, env, "log", "--reverse", "--format=%s", "origin/main..HEAD").stdout.splitlines()
