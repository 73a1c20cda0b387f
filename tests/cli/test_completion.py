"""What Tab offers: commands, options, changes, branches; as the shells get it, from what the clone has seen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem, ShellComplete

from stackr.commands.completion import SHELLS
from stackr.completing import Completed, complete
from stackr.main import COMMANDS, cli
from stackr.options import Invocation
from tests.docs.test_complete import leaves
from tests.support.world import Clone, World


def tab(place: Path, line: str) -> list[str]:
    """What is offered for the last word of ``line`` in ``place``; files and folders as the kind of path they are."""
    return [item.value or item.type for item in items(place, line)]


def items(place: Path, line: str) -> list[CompletionItem]:
    *words, last = line.split(" ")[1:]
    complete(cli)
    completer = ShellComplete(cli, {"obj": Invocation()}, "stackr", "_STACKR_COMPLETE")
    return completer.get_completions(["-C", str(place), *words], last)


def test_changes_are_completed_by_number_or_id_with_their_titles(world: World) -> None:
    clone = world.stacked("One", "Two", "Three")
    world.edit(3, state="closed")
    clone.stackr("status")
    assert tab(clone.path, "stackr land ") == ["2", "1"]
    short = {title: change[:11] for title, change in clone.ids().items()}
    assert tab(clone.path, "stackr goto I") == [short["Two"], short["One"]]
    assert tab(clone.path, f"stackr goto {short['One'][:6]}") == [short["One"]]
    assert [item.help for item in items(clone.path, "stackr diff 2") + items(clone.path, "stackr diff I")] == [
        *("Two", "#2 Two", "#1 One")
    ]
    assert tab(clone.path, "stackr submit --base ") == ["main"]
    assert tab(clone.path, "stackr submit --fork=o") == ["origin"]
    assert tab(clone.path, "stackr submit f") == ["feature"]
    assert tab(clone.path.parent, "stackr land ") == []


def test_commands_options_choices_settings_and_paths_are_completed(tmp_path: Path) -> None:
    assert tab(tmp_path, "stackr ") == list(COMMANDS)
    assert [item.help for item in items(tmp_path, "stackr und")] == [COMMANDS["undo"].help]
    assert tab(tmp_path, "stackr land --m") == ["--method"]
    assert tab(tmp_path, "stackr land --method que") == ["queue"]
    assert tab(tmp_path, "stackr config branch_p") == ["branch_prefix"]
    assert tab(tmp_path, "stackr -C ") == ["dir"]
    assert tab(tmp_path, "stackr split 1 src") == ["file"]
    assert tab(tmp_path, "stackr --v") == ["--version"]
    assert tab(tmp_path, "stackr nonsense --j") == []
    assert tab(tmp_path, "stackr land ") == tab(tmp_path, "stackr submit --base ") == []


def test_every_change_and_branch_on_the_command_line_is_completed() -> None:
    context = click.Context(cli, resilient_parsing=True)  # as click has it when Tab was pressed
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        for parameter in (parameter for leaf in leaves(command) for parameter in leaf.params):
            if any(word in (parameter.metavar or "") for word in ("CHANGE", "BRANCH", "REV")):
                assert isinstance(parameter.type, Completed), f"{name} {parameter.name}"


def test_a_parameter_with_a_type_of_its_own_is_left_alone() -> None:
    parameter = click.Argument(["change"], metavar="CHANGE", type=int)
    complete(click.Command("x", params=[parameter]))
    assert parameter.type is click.INT


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_for_that_shell(shell: str, tmp_path: Path) -> None:
    script = Clone(tmp_path, "alice", "").stackr("completion", shell).out
    assert f"_STACKR_COMPLETE={shell}_complete" in script
    assert "_stackr_completion" in script


def test_bash_itself_offers_what_the_script_finds(tmp_path: Path) -> None:
    program = tmp_path / "stackr"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stackr "$@"\n')
    program.chmod(0o755)
    line = 'eval "$(stackr completion bash)"; COMP_WORDS=(stackr sub); COMP_CWORD=1; _stackr_completion stackr'
    line += '; echo "${COMPREPLY[@]}"'
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env={**os.environ, "PATH": path})
    assert (done.stdout, done.stderr) == ("submit\n", "")
