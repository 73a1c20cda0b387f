"""``stackr.patterns.pattern`` is ``re.compile``, later."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stackr
from stackr.patterns import pattern


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    word, compiled = pattern(r"(?P<first>\w)\w*", re.ASCII), re.compile(r"(?P<first>\w)\w*", re.ASCII)
    assert word.findall("an owl") == compiled.findall("an owl") == ["a", "o"]
    assert (word.pattern, word.flags, word.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)
    assert pattern(rb"\d").sub(b"", b"a1") == b"a"


def test_a_wrong_pattern_is_told_when_it_is_used() -> None:
    broken = pattern("(")
    with pytest.raises(re.error):
        broken.match("")


def test_no_module_of_a_command_compiles_a_pattern_while_it_is_imported() -> None:
    root = Path(stackr.__file__).parent
    found = [
        f"{path.relative_to(root)}: {line}"
        for path in root.rglob("*.py")
        if path.relative_to(root).parts[0] != "sandbox"
        for line in path.read_text(encoding="utf-8").splitlines()
        if "re.compile(" in line and not line.startswith(" " * 4)
    ]
    assert found == []


def test_every_pattern_of_stackr_can_be_compiled() -> None:
    """What ``re.compile`` would have told at import."""
    root = Path(stackr.__file__).parent
    for path in root.rglob("*.py"):
        name = ".".join(path.relative_to(root.parent).with_suffix("").parts)
        if "= pattern(" in path.read_text(encoding="utf-8"):
            module = __import__(name, fromlist=["_"])
            for value in vars(module).values():
                if type(value).__name__ == "_Pattern":
                    re.compile(value.pattern, value.flags)
