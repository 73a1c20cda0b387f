"""``python -m bench.adoption``: a real ghstack's stack is taken over, amended, submitted and landed; not timed.

The test suite does the same with branches as ``tests/support/ghstack_like.py`` makes them, which were taken from here.
This shows that a published ghstack still writes those, and that stackr gets along with it. Ends with 1 at the first
thing that is not as it should be.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench import work
from bench.sandbox import Sandbox
from bench.tools import GHSTACK, STACKR, Tool, environment, install
from bench.work import Clone

_NAME = "adoption"
_CHANGES = 4
_RUN_S = 300


class _Wrong(Exception):
    """Something is not as it should be."""


class _Story:
    """One stack and the bare repository behind it; ``_heads`` are the head branches as they were last seen."""

    def __init__(self, sandbox: Sandbox, clone: Clone, bare: Path, env: Mapping[str, Mapping[str, str]]) -> None:
        self._sandbox, self._clone, self._bare, self._env = sandbox, clone, bare, env
        self._heads: dict[str, str] = {}

    def run(self, tools: Mapping[str, Tool]) -> None:
        """Everything, told as it goes."""
        ghstack, stackr = tools[GHSTACK], tools[STACKR]
        self._call(ghstack, "submit")
        self._clone.amend_bottom()
        self._call(ghstack, "submit")
        numbers = self._open()
        self._call(stackr, "adopt")
        self._expect(self._open() == numbers, "the same pull requests are open")
        self._expect(
            "ghstack-source-id" not in self._clone.git("log", "--format=%B", "origin/main..HEAD"), "no trailers"
        )
        self._expect("nothing to do" in self._call(stackr, "submit"), "a submit has nothing to do")
        self._clone.amend_bottom()
        self._call(stackr, "submit")
        self._expect(self._open() == numbers, "the same pull requests are open after an amend")
        self._call(stackr, "adopt", "--cleanup")
        self._expect(not [ref for ref in self._refs() if ref.endswith(("/base", "/orig"))], "no branches are left over")
        trees = self._clone.trees()[1:]
        self._call(stackr, "land", "--yes", "--method", "squash")
        landed = work.git(
            self._bare, "log", "--reverse", f"-{_CHANGES}", "--format=%T", "main", env=self._plain
        ).split()
        self._expect(landed == trees, "trunk has all trees, in order")
        self._expect(all(self._sandbox.is_merged(_NAME, number) for number in numbers), "everything is merged")

    @property
    def _plain(self) -> Mapping[str, str]:
        return self._env["git"]

    def _call(self, tool: Tool, *args: str) -> str:
        done = subprocess.run(
            [tool.program, *args],
            cwd=self._clone.path,
            env=dict(self._env[tool.name]),
            capture_output=True,
            text=True,
            timeout=_RUN_S,
            check=False,
        )
        self._expect(
            done.returncode == 0, f"{tool.name} {' '.join(args)}\n{done.stderr}" if done.returncode else args[0]
        )
        self._check_heads()
        return done.stdout + done.stderr

    def _open(self) -> list[int]:
        return [pull.number for pull in self._sandbox.open_pulls(_NAME)]

    def _refs(self) -> dict[str, str]:
        lines = work.git(self._bare, "for-each-ref", "--format=%(refname) %(objectname)", env=self._plain).splitlines()
        return dict(line.split() for line in lines)

    def _check_heads(self) -> None:
        """No head branch ever loses a commit."""
        refs = self._refs()
        heads = {ref: oid for ref, oid in refs.items() if ref.startswith("refs/heads/gh/") and ref.endswith("/head")}
        pairs = [(old, heads[ref]) for ref, old in self._heads.items() if ref in heads]
        lost = [work.git(self._bare, "rev-list", old, f"^{new}", env=self._plain) for old, new in pairs]
        self._expect(not any(lost), f"{len(pairs)} head branches have all their commits")
        self._heads = heads

    def _expect(self, is_so: bool, what: str) -> None:
        if not is_so:
            raise _Wrong(what)
        sys.stdout.write(f"ok  {what}\n")


def main() -> int:
    """Run the story below a temporary directory."""
    tools = {name: install(name) for name in (GHSTACK, STACKR)}
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        plain = environment(None, root / "home", "", "")
        seed = work.make_seed(root / "seed", plain)
        with Sandbox(root / "sandbox", seed) as sandbox:
            bare = sandbox.repository(_NAME)
            clone = work.clone(bare, sandbox.remote(_NAME), root / _NAME, plain)
            clone.grow(_CHANGES)
            env = {
                name: environment(tool, root / f"home-{name}", sandbox.netloc, sandbox.token)
                for name, tool in tools.items()
            }
            try:
                _Story(sandbox, clone, bare, {**env, "git": plain}).run(tools)
            except _Wrong as problem:
                sys.stderr.write(f"NOT {problem}\n")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
