"""The help starts at once and tells the truth about commands it has not imported."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from stackr.main import COMMANDS, cli
from tests.support.git import Workspace

HEAVY = {"git", "gitdb", "requests", "urllib3", "rich", "flask", "graphql", "tomli"}


def modules_after(*arguments: str, **environment: str) -> set[str]:
    """The top-level packages in memory when ``stackr`` ends, and "a process" if it started one."""
    program = (
        "import atexit, sys\n"
        "started = []\n"
        "sys.addaudithook(lambda event, _: started.append('a process') if event == 'subprocess.Popen' else None)\n"
        "loaded = lambda: sorted({*started, *(name.split('.')[0] for name in sys.modules)})\n"
        "atexit.register(lambda: print(loaded(), file=sys.stderr))\n"
        f"from stackr.main import run\nrun({list(arguments)!r})\n"
    )
    env = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=env)
    return set(ast.literal_eval(done.stderr.strip().splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], [], ["nonsense"]])
def test_help_imports_neither_git_nor_requests_nor_rich(arguments: list[str]) -> None:
    assert modules_after(*arguments) & HEAVY == set()


def test_python_looks_for_garbage_neither_while_it_imports_nor_when_it_ends() -> None:
    program = (
        "import atexit, gc, sys\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 1000, gc.get_stats()[2]['collections']))\n"
        "from stackr.__main__ import main\nsys.argv = ['stackr', '--version']\nmain()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[1] == "True 0"


def test_the_help_of_no_command_imports_any_of_them_either() -> None:
    program = (
        "import contextlib, sys\n"
        "from stackr.main import COMMANDS, run\n"
        "for name in COMMANDS:\n"
        "    with contextlib.suppress(SystemExit):\n"
        "        run([name, '--help'])\n"
        f"    print(name, sorted(set({sorted(HEAVY)}) & sys.modules.keys()), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stderr.splitlines() == [f"{name} []" for name in COMMANDS]


@pytest.mark.parametrize("line", ["stackr ", "stackr land ", "stackr submit --base "])
def test_completion_imports_none_of_them_and_runs_no_process(line: str, workspace: Workspace) -> None:
    inside = line.replace("stackr", f"stackr -C {workspace.clone.path}")
    words = str(len(inside.split()))
    loaded = modules_after(_STACKR_COMPLETE="bash_complete", COMP_WORDS=inside, COMP_CWORD=words)
    assert loaded & {*HEAVY, "a process"} == set()


def test_a_process_would_be_noticed(workspace: Workspace) -> None:
    assert "a process" in modules_after("-C", str(workspace.clone.path), "id")


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
