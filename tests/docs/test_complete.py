"""The documentation is complete and true: every command, option and setting, and every page that code refers to."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from stackr.errors import StackrError
from stackr.main import COMMANDS, cli
from stackr.settings import SETTINGS, TABLE, Setting

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def leaves(command: click.Command) -> Iterator[click.Command]:
    if isinstance(command, click.Group):
        for member in command.commands.values():
            yield from leaves(member)
    else:
        yield command


def load(name: str) -> click.Command:
    command: click.Command = importlib.import_module(f"stackr.commands.{COMMANDS[name].module}").command
    return command


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_page(name: str) -> None:
    page = (DOCS / "reference" / "commands" / f"{name}.md").read_text()
    assert f".. click:: stackr.commands.{COMMANDS[name].module}:command\n   :prog: stackr {name}\n" in page
    nested = isinstance(load(name), click.Group)
    assert (":nested: full" in page) is nested


def test_no_page_tells_of_a_command_that_does_not_exist() -> None:
    pages = {path.stem for path in (DOCS / "reference" / "commands").glob("*.md")} - {"index"}
    assert pages == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name: str) -> None:
    for command in [*leaves(load(name)), cli]:
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.opts}"
                assert parameter.help.endswith("."), f"{name} {parameter.opts}"


def row(setting: Setting) -> str:
    shown = "" if setting.default in (None, (), {}) else str(setting.default)
    default = f"`{shown.lower() if isinstance(setting.default, bool) else shown}`" if shown else ""
    in_file_only = setting.type == TABLE
    environment = "" if in_file_only else f"`{setting.environment}`"
    git_key = "" if in_file_only else f"`{setting.git_key}`"
    choices = f" One of {', '.join(setting.choices)}." if setting.choices else ""
    trusted = " Ignored in `.stackr.toml`." if setting.trusted_only else ""
    return f"| `{setting.name}` | {environment} | {git_key} | {default} | {setting.help}{choices}{trusted} |"


def test_every_setting_is_in_the_table_as_it_is() -> None:
    text = (DOCS / "reference" / "configuration.md").read_text()
    table = [line for line in text.splitlines() if line.startswith("| `")]
    assert table == [row(setting) for setting in SETTINGS]


def test_every_exit_code_is_in_the_table() -> None:
    text = (DOCS / "reference" / "cli.md").read_text()
    for kind in StackrError.__subclasses__():
        assert f"\n| {kind.exit_code} | " in text
        assert f"`{kind.kind}`" in text


def test_every_page_that_code_refers_to_exists() -> None:
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for folder in ("stackr", "tests")
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(r"docs/(?:guide|reference|internals|decisions|glossary)/[\w/-]+\.md", path.read_text())
        if not (ROOT / name).is_file()
    }
    assert not missing


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text()
    assert [name for name in COMMANDS if not re.search(rf"(stackr |`){name}\b", text)] == []
