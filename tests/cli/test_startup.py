"""The help starts at once and tells the truth about commands it has not imported."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import click
import pytest

from stackr.main import COMMANDS, cli

HEAVY = {"git", "gitdb", "requests", "urllib3", "rich", "flask", "graphql", "tomli"}


def modules_after(*arguments: str) -> set[str]:
    """The top-level packages in memory when ``stackr`` with these arguments ends."""
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr))\n"
        f"from stackr.main import run\nrun({list(arguments)!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    return set(ast.literal_eval(done.stderr.strip().splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], [], ["nonsense"]])
def test_help_imports_neither_git_nor_requests_nor_rich(arguments: list[str]) -> None:
    assert modules_after(*arguments) & HEAVY == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_imports_none_of_them_either(name: str) -> None:
    assert modules_after(name, "--help") & HEAVY == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_static_line_of_a_command_is_the_first_of_its_own_help(name: str) -> None:
    command: click.Command = importlib.import_module(f"stackr.commands.{COMMANDS[name].module}").command
    assert (command.help or "").strip().split("\n\n")[0].replace("\n", " ") == COMMANDS[name].help


def test_every_module_in_commands_is_in_the_table() -> None:
    folder = Path(importlib.import_module("stackr.commands").__path__[0])
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert modules == {entry.module for entry in COMMANDS.values()}


def test_the_help_lists_every_command_by_section() -> None:
    text = cli.get_help(click.Context(cli, info_name="stackr"))
    assert all(f"  {name} " in text for name in COMMANDS)
    assert cli.list_commands(click.Context(cli)) == list(COMMANDS)
    assert cli.get_command(click.Context(cli), "nonsense") is None
