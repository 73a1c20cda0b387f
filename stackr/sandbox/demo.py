"""The story of ``stackr demo``: real commits are submitted, amended, reordered and landed, by the real command line.

What the stage is built of is in ``playground``. This speaks through a callback; only ``stackr.main`` prints.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stackr.errors import GitError
from stackr.sandbox import playground
from stackr.sandbox.server import SandboxServer

REPOSITORY = "acme/demo"
_TIMEOUT_S = 300


@contextmanager
def stage(root: Path, say: Callable[[str], None], color: str) -> Iterator[Demo]:
    """A sandbox below ``root`` that serves real history, and a clone with a stack on it; ends with the block."""
    plain = playground.sealed(root / "home", {})
    history = playground.find_history(root, plain)
    playground.publish(history, root / "history.git", plain)
    with SandboxServer(root / "github") as server:
        tokens = {login: server.add_user(login) for login in ("alice", "bob")}
        server.add_repository(REPOSITORY, root / "history.git", writers=("alice", "bob"))
        env = {**plain, "STACKR_TOKEN": tokens["alice"], "PYTHONPATH": _package_folder()}
        clone = root / "clone"
        playground.check_out(server.clone_url(REPOSITORY), root / "history.git", clone, history, env)
        yield Demo(server.url, clone, env, tokens["bob"], say, color)


def _package_folder() -> str:
    """Where this very stackr lives, so that the demo shows it and no other."""
    return str(Path(__file__).resolve().parents[2])


@dataclass(frozen=True, slots=True)
class Demo:
    """Alice's clone on a running sandbox, and Bob, who reviews."""

    url: str
    clone: Path
    env: Mapping[str, str]
    bob_token: str
    say: Callable[[str], None]
    color: str

    def tell(self) -> None:
        """The whole story; raises when a step of it fails."""
        self._heading(f"{len(playground.stack(self.clone, self.env))} real commits on a branch, and not on GitHub yet")
        self._git("log", "--oneline", "origin/main..HEAD")
        self._heading("One command makes a stack of pull requests of them")
        self._stackr("submit")
        self._heading("Bob approves the lowest; Alice amends the second")
        lowest = self._numbers()[0]
        self._approve(lowest)
        self._amend(2, "docs/asked-for.md", "What Bob asked for.\n")
        self._stackr("submit")
        self._heading("Alice reorders two commits: every pull request stays open, only bases change")
        self._reorder()
        self._stackr("submit")
        self._heading("Alice inserts a commit in the middle")
        self._insert(2, "Explain the demo", "docs/demo.md", "A commit in the middle of the stack.\n")
        self._stackr("submit")
        self._heading("Nothing has changed: the same command writes nothing")
        self._stackr("submit")
        self._stackr("status")
        self._heading("What Bob has approved lands; the pull requests above are retargeted, and nothing is pushed")
        self._stackr("land", str(lowest), "--yes")

    def pages(self) -> list[str]:
        """Addresses to open in a browser: the repository, then the pull requests, newest on top."""
        return [f"{self.url}/{REPOSITORY}", *reversed([pull["url"] for pull in self._pulls()])]

    def _heading(self, text: str) -> None:
        self.say(f"\n## {text}")

    def _stackr(self, *args: str) -> None:
        """Run stackr as a person would, its output straight to the terminal."""
        self.say(f"\n$ stackr {' '.join(args)}")
        command = [sys.executable, "-m", "stackr", "--color", self.color, *args]
        done = subprocess.run(command, cwd=self.clone, env=dict(self.env), timeout=_TIMEOUT_S, check=False)
        if done.returncode:
            raise GitError(f"stackr {args[0]} ended with {done.returncode}; the demo stops here")

    def _git(self, *args: str) -> None:
        self.say(f"\n$ git {' '.join(args)}")
        self.say(playground.git(self.clone, self.env, *args).stdout.rstrip())

    def _pulls(self) -> list[dict[str, str]]:
        command = [sys.executable, "-m", "stackr", "status", "--json"]
        done = subprocess.run(
            command, cwd=self.clone, env=dict(self.env), timeout=_TIMEOUT_S, check=True, capture_output=True, text=True
        )
        return [change["pull"] for change in json.loads(done.stdout)["changes"] if change["pull"]]

    def _numbers(self) -> list[int]:
        return [int(pull["number"]) for pull in self._pulls()]

    def _approve(self, number: int) -> None:
        """Bob's click, through the API (https://docs.github.com/en/rest/pulls/reviews)."""
        self.say(f"\n(bob) approves #{number}")
        request = urllib.request.Request(  # noqa: S310 - our own server
            f"{self.url}/api/v3/repos/{REPOSITORY}/pulls/{number}/reviews",
            json.dumps({"event": "APPROVE"}).encode(),
            {"Authorization": f"Bearer {self.bob_token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60):  # noqa: S310
            pass

    def _amend(self, position: int, name: str, text: str) -> None:
        """Stop a rebase at one commit, change it, go on."""
        self._rebase(f"{position}s/^pick/edit/")
        self._write(name, text)
        self.say("$ git commit --amend --no-edit && git rebase --continue")
        playground.git(self.clone, self.env, "commit", "-q", "--amend", "--no-edit")
        playground.git(self.clone, self.env, "rebase", "--continue")

    def _insert(self, position: int, title: str, name: str, text: str) -> None:
        """Stop a rebase after one commit, add another, go on."""
        self._rebase(f"{position}s/^pick/edit/")
        self._write(name, text)
        self.say(f'$ git commit -m "{title}" && git rebase --continue')
        playground.git(self.clone, self.env, "commit", "-q", "-m", title)
        playground.git(self.clone, self.env, "rebase", "--continue")

    def _write(self, name: str, text: str) -> None:
        path = self.clone / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.say(f"$ git add {name}")
        playground.git(self.clone, self.env, "add", "--", name)

    def _reorder(self) -> None:
        """Swap two neighbours that do not touch the same lines, the uppermost such pair."""
        titles = playground.stack(self.clone, self.env)
        for lower in range(len(titles) - 1, 0, -1):
            if self._swap(lower):
                self.say(f'(swapped "{titles[lower - 1]}" and "{titles[lower]}")')
                return
        # Every pair of real commits conflicts: one that touches a file of its own can always be moved.
        self._write("docs/note.md", "A note.\n")
        playground.git(self.clone, self.env, "commit", "-q", "-m", "Add a note")
        self._swap(len(titles))

    def _swap(self, lower: int) -> bool:
        """Swap the commits at ``lower`` and ``lower + 1`` (from 1 at the bottom); false when they conflict."""
        if self._rebase(f"{lower}{{h;d;}};{lower + 1}G", check=False):
            return True
        playground.git(self.clone, self.env, "rebase", "--abort")
        return False

    def _rebase(self, script: str, *, check: bool = True) -> bool:
        """``git rebase -i`` whose list of commits is edited by sed."""
        self.say(f"\n$ git rebase -i origin/main    # the editor is: sed '{script}'")
        env = {**self.env, "GIT_SEQUENCE_EDITOR": f"sed -i.before -e '{script}'"}
        return playground.git(self.clone, env, "rebase", "-i", "origin/main", check=check).returncode == 0
