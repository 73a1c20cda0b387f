"""The examples of the guide run as they stand: commands at ``$``, and below each what it says, ``…`` for what varies.

A page whose examples go on from one another begins in a clone with a stack that fits it. What git itself says is not
compared.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

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


def run(clone: Clone, command: str) -> str:
    """What a command prints, results before talk."""
    if command.startswith("stackr "):
        result = clone.stackr(*shlex.split(command)[1:])
        return result.out + result.err
    done = subprocess.run(["sh", "-c", command], cwd=clone.path, capture_output=True, text=True, check=True)
    return done.stdout


def check(clone: Clone, page: str) -> None:
    """Run a page from beginning to end."""
    for command, expected in examples(page):
        printed = run(clone, command)
        pattern = re.escape(expected).replace("…", ".*")
        assert re.fullmatch(pattern, printed), f"$ {command}\n{printed}\nbut the page says\n{expected}"


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
