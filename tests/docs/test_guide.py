"""The examples of the guide run as they stand: commands at ``$``, and below each what it says, ``…`` for what varies.

A line of ``…`` alone stands for any lines. A command fails if, and only if, the page shows its error. A page whose
examples go on from one another begins in a clone with a stack that fits it. What git itself says is not compared.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from stackr.main import COMMANDS
from tests.support.ghstack_like import Ghstack
from tests.support.world import Clone, World
from tests.support.world_fixtures import sandbox_server, source_repository, world

__all__ = ["sandbox_server", "source_repository", "world"]

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page: str) -> Iterator[tuple[str, str]]:
    """The commands of a page and their output, in order; a comment behind a command is for the reader."""
    for block in _BLOCK.findall((GUIDE / page).read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield re.sub(r"\s+# .*$", "", command), output


def run(clone: Clone, command: str, *, fails: bool) -> str:
    """What a command prints, results before talk."""
    if command.startswith("stackr "):
        result = clone.stackr(*shlex.split(command)[1:], code=None)
        assert bool(result.code) is fails, f"$ {command}\n{result}"
        return result.out + result.err
    done = subprocess.run(["sh", "-c", command], cwd=clone.path, capture_output=True, text=True, check=True)
    return done.stdout


def check(clone: Clone, page: str, before: Mapping[str, Callable[[], object]] | None = None) -> None:
    """Run a page from beginning to end; ``before`` says what others do before the first run of a command."""
    meanwhile = dict(before or {})
    for command, expected in examples(page):
        meanwhile.pop(command, lambda: None)()
        printed = run(clone, command, fails="error: " in expected)
        pattern = "".join(_pattern(line) for line in expected.splitlines(keepends=True))
        assert re.fullmatch(pattern, printed), f"$ {command}\n{printed}\nbut the page says\n{expected}"
    assert not meanwhile


def _pattern(line: str) -> str:
    return r"(?:.*\n)*" if line == "…\n" else re.escape(line).replace("…", ".*")


@pytest.fixture
def searching(world: World) -> Clone:
    """Four changes of a search engine on the branch ``feature``, not submitted."""
    clone = world.stacked(submit=False)
    clone.commit("Split text into words", {"words.py": "def words(text): return text.split()\n"})
    clone.commit("Index words by document", {"index.py": "def index(documents): ...\n"})
    clone.commit("Rank the answers", {"rank.py": "def rank(found): return sorted(found)\n"})
    clone.commit("Answer queries", {"query.py": "def answer(query): ...\n"})
    return clone


def test_the_page_on_editing_a_stack_is_true(searching: Clone) -> None:
    check(searching, "editing-a-stack.md")


def test_the_page_on_reviewing_a_stack_is_true(searching: Clone, world: World) -> None:
    searching.stackr("submit")
    check(world.clone("bob"), "reviewing-a-stack.md")


def test_the_page_on_coming_from_ghstack_is_true(searching: Clone, world: World) -> None:
    Ghstack(world, searching).submit()
    check(searching, "coming-from-ghstack.md")


def test_the_tour_of_every_command_is_true(searching: Clone, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_EDITOR", ":")  # who continues a rebase takes the message as it is
    for name, ops in (("old.json", 100), ("new.json", 90)):
        stats = {"max": 0.02, "mean": 0.01, "median": 0.01, "ops": ops}
        run_of = {"benchmarks": [{"name": "test_x", "fullname": "b.py::test_x", "stats": stats}]}
        (searching.path / name).write_text(json.dumps(run_of))
    theirs = "def rank(found): return list(found)\n"
    check(searching, "tour.md", {"stackr sync": lambda: world.advance("rank.py", theirs)})


def test_every_command_has_an_example_that_runs() -> None:
    pages = ("editing-a-stack.md", "reviewing-a-stack.md", "coming-from-ghstack.md", "tour.md")
    here = {command.split()[1] for page in pages for command, _ in examples(page) if command.startswith("stackr ")}
    # These two serve until Ctrl-C: tests/cli/test_demo.py and test_sandbox_command.py run them.
    served = {command.split()[1] for command, _ in examples("sandbox.md")}
    assert served == {"demo", "sandbox"}
    assert set(COMMANDS) == here | served
