"""The table of facts in docs/internals/sandbox.md: each is a fact, is in the sandbox with its source, and is tested."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INTERNALS = ROOT / "docs" / "internals"
SOURCE = re.compile(r"https://|[\w.-]+/[\w.-]+#\d+|gitprotocol")
# Not about GitHub, or not about what it does.
ELSEWHERE = {"git", "Figures to beat"}


def rows() -> list[tuple[str, str, str]]:
    """Fact, code and test, without their marks."""
    lines = (INTERNALS / "sandbox.md").read_text().partition("| fact | code | test |\n| --- | --- | --- |\n")[2]
    cells = [line.strip("|").split(" | ") for line in lines.partition("\n\n")[0].splitlines()]
    return [(fact.strip(), code.strip(" `"), test.strip(" `")) for fact, code, test in cells]


def paragraphs() -> dict[str, str]:
    """The text under each heading of the page of facts."""
    parts = re.split(r"^\*\*([\w ]+?)\.?\*\*", (INTERNALS / "github-facts.md").read_text(), flags=re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def resolved(code: str) -> tuple[str, object]:
    """The text of the module that a row names, and what it names there."""
    names = code.split(".")
    for length in range(len(names), 0, -1):
        try:
            module = importlib.import_module(".".join(["stackr.sandbox", *names[:length]]))
        except ModuleNotFoundError:
            continue
        found: object = module
        for name in names[length:]:
            found = getattr(found, name)
        return inspect.getsource(module), found
    raise AssertionError(f"{code} is no module")


def test_every_fact_is_one_and_every_paragraph_of_facts_is_there() -> None:
    texts = paragraphs()
    places = {fact: {name for name, text in texts.items() if fact in text} for fact, _, _ in rows()}
    assert {fact: where for fact, where in places.items() if not where} == {}
    assert set(texts) - ELSEWHERE - set().union(*places.values()) == set()


@pytest.mark.parametrize("code", sorted({code for _, code, _ in rows()}))
def test_the_code_is_there_with_its_source(code: str) -> None:
    text, found = resolved(code)
    assert found is not None
    assert SOURCE.search(text), f"no source in the module of {code}"


def test_the_tests_are_there() -> None:
    texts = [path.read_text() for path in (ROOT / "tests" / "sandbox").rglob("test_*.py")]
    there = {name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}
    assert {test for _, _, test in rows()} - there == set()
