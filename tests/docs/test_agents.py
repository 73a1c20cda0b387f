"""What is promised to scripts and coding agents: the skill file has the agreed form, and every command line parses."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from stackr.main import cli
from stackr.options import Invocation

DOCS = Path(__file__).resolve().parents[2] / "docs"
SKILL = DOCS / "agents" / "stackr" / "SKILL.md"
PAGES = (SKILL, DOCS / "reference" / "non-interactive.md")


def lines(page: Path) -> list[str]:
    """The command lines of stackr on a page: in its examples, and those between backticks that are whole ones."""
    return re.findall(r"^\$ (stackr .*)$|`(stackr [^`]*)`", page.read_text(), flags=re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_parses(page: Path) -> None:
    found = ["".join(pair) for pair in lines(page)]
    assert len(found) > 10
    for line in found:
        parse(cli, shlex.split(line)[1:], click.Context(cli, obj=Invocation()))


def parse(command: click.Command, arguments: list[str], parent: click.Context) -> None:
    """Parse a command line to its end; nothing runs."""
    if isinstance(command, click.Group):
        _, member, rest = command.resolve_command(parent, arguments)
        assert member is not None
        parse(member, rest, parent)
    else:
        command.make_context(command.name, arguments, parent=parent)


def test_the_skill_file_has_the_form_that_agents_read() -> None:
    begin, front, body = SKILL.read_text().split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    # The limits are those of the Agent Skills specification (agentskills.io).
    assert (begin, fields["name"]) == ("", SKILL.parent.name)
    assert "Use when" in fields["description"]
    assert len(fields["description"]) <= 1024
    assert len(body.splitlines()) < 500


def test_whatever_lands_or_takes_away_is_left_to_the_person() -> None:
    shown = {shlex.split(line)[1] for pair in lines(SKILL) if (line := "".join(pair))}
    assert {"status", "submit", "amend", "sync", "undo"} <= shown
    assert not {"abandon", "drop"} & shown
