"""Errors: three lines or one document, the exit codes of docs/reference/cli.md, and never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from stackr import main, options
from stackr.errors import ConfigError, Conflict, GitError, GitHubError, Refused
from stackr.options import Invocation
from stackr.ui import output


@pytest.fixture
def act(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes ``stackr act`` do what a function does."""

    def install(function: Callable[[], object]) -> None:
        @click.command("act")
        @options.json_option
        @click.option("--number", type=int)
        @click.pass_obj
        def command(invocation: Invocation, as_json: bool, number: int | None) -> object:
            """Act."""
            del invocation, as_json, number
            return function()

        module = types.ModuleType("stackr.commands.act")
        module.command = command  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "stackr.commands.act", module)
        monkeypatch.setitem(main.COMMANDS, "act", main.Entry("act", "Test", "Act."))

    yield install


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main.run(list(arguments))
    assert isinstance(caught.value.code, int)
    return caught.value.code


def failing(problem: BaseException) -> Callable[[], object]:
    def raise_it() -> object:
        raise problem

    return raise_it


@pytest.mark.parametrize(
    ("problem", "code", "kind"),
    [
        (Refused("no"), 3, "refused"),
        (Conflict("no"), 4, "conflict"),
        (GitHubError("no"), 5, "github"),
        (GitError("no"), 6, "git"),
        (ConfigError("no"), 7, "config"),
        (click.UsageError("no"), 2, "usage"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.Abort(), 130, "interrupted"),
        (OSError(28, "No space left on device", "/full/x"), 6, "git"),
        (RuntimeError("no"), 1, "bug"),
    ],
)
def test_every_kind_of_error_has_its_exit_code_and_its_json(
    act: Callable[..., None], capsys: pytest.CaptureFixture[str], problem: BaseException, code: int, kind: str
) -> None:
    act(failing(problem))
    assert run("act", "--json") == code
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["schema", "command", "ok", "error"]
    assert (document["schema"], document["command"], document["ok"]) == (1, "act", False)
    assert list(document["error"]) == ["kind", "message", "safe", "next"]
    assert document["error"]["kind"] == kind
    assert all(document["error"].values())


def test_an_error_is_three_lines_on_stderr(act: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    act(failing(Refused('"Add cache" is empty', safe="nothing was moved", next_step="drop it")))
    assert run("act") == 3
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err == 'error: "Add cache" is empty\nsafe:  nothing was moved\nnext:  drop it\n'


def test_further_lines_of_an_error_are_indented_and_cleaned(
    act: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    act(failing(Refused("somebody pushed\n    1f3c9a2 evil\x1b]0;title\x07 (Eve\x1b[2J)")))
    assert run("act") == 3
    assert capsys.readouterr().err == (
        "error: somebody pushed\n           1f3c9a2 evil (Eve)\n"
        "safe:  nothing was changed\nnext:  stackr status shows where things stand\n"
    )


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["statuss"], ['no such command "statuss"', 'did you mean "status"? stackr --help shows all']),
        (["xyzzy"], ['no such command "xyzzy"', "stackr --help"]),
        (["act", "--numbr", "3"], ['no such option "--numbr"', 'did you mean "--number"? stackr act --help shows all']),
        (["act", "--zz"], ['no such option "--zz"', "stackr act --help"]),
        (["act", "--number", "x"], ['invalid value for "--number": "x" is not a valid integer', "stackr act --help"]),
        (["act", "more"], ["got unexpected extra argument (more)", "stackr act --help"]),
        (["hook"], ["missing command", "stackr hook --help"]),
        (["--color", "red"], ['"red" is not one of "auto", "always", "never"', "stackr --help"]),
        (["-C", "x" * 5000, "act"], ["to change to (-C)", "stackr --help"]),
        (["-C", "nowhere", "act"], ['there is no directory "nowhere" to change to (-C)', "stackr --help"]),
    ],
)
def test_usage_errors_speak_in_our_voice(
    act: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    lines: list[str],
) -> None:
    act(lambda: None)
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    error, safe, next_step = capsys.readouterr().err.splitlines()
    assert error.startswith("error: ") and error.endswith(lines[0])
    assert safe == "safe:  nothing was changed"
    assert next_step == "next:  " + lines[1]


def test_a_usage_error_is_a_document_when_json_was_asked_for(
    act: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    act(lambda: None)
    assert run("act", "--zz", "--json") == 2
    assert json.loads(capsys.readouterr().out)["error"]["message"] == 'no such option "--zz"'
    assert run("act", "--zz", "--", "--json") == 2
    assert capsys.readouterr().out == ""


def test_a_command_ends_with_the_code_it_returns(act: Callable[..., None]) -> None:
    for returned, code in ((None, 0), (0, 0), (2, 2), (True, 0), ("text", 0)):
        act(lambda returned=returned: returned)
        assert run("act") == code


def test_minus_c_is_relative_to_the_one_before(
    act: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    act(lambda: seen.append(click.get_current_context().obj.directory))
    assert run("-C", "a", "-C", "b", "-C", "", "act") == 0
    assert seen == [tmp_path / "a" / "b"]


def test_color_is_understood_before_and_after_the_command(act: Callable[..., None]) -> None:
    seen: list[str] = []
    act(lambda: seen.append(click.get_current_context().obj.color))
    for arguments in (["--color=never", "act"], ["act", "--color=always"], ["act"]):
        assert run(*arguments) == 0
    assert seen == ["never", "always", "auto"]


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    assert "Usage: stackr" in capsys.readouterr().out


def test_color_paints_the_labels_of_an_error(act: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    act(failing(Refused("no")))
    run("--color=always", "act")
    assert capsys.readouterr().err.startswith("\x1b[31merror: \x1b[0mno\n")


def test_a_pipe_to_another_process_that_breaks_is_not_taken_for_our_own(
    act: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    act(failing(BrokenPipeError(32, "Broken pipe")))
    assert run("act") == 6
    assert capsys.readouterr().err.startswith("error: broken pipe\n")


def test_the_echo_of_ctrl_c_gets_a_line_of_its_own(
    act: Callable[..., None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda _: True)
    act(failing(KeyboardInterrupt()))
    assert run("--color=never", "act") == 130
    assert capsys.readouterr().err.startswith("\nerror: interrupted\n")


def test_shells_can_complete_commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("_STACKR_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "stackr sub")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert run() == 0
    assert capsys.readouterr().out == "plain,submit\n"


def test_what_cannot_be_flushed_is_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", buffering=4096, encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        stream.write("nobody reads this")
        assert output.is_closed_pipe(BrokenPipeError())
        output.abandon()
        stream.write("nor this")
        stream.flush()


def test_a_command_outside_the_group_still_has_an_invocation() -> None:
    assert options.of(click.Context(click.Command("alone"))) == Invocation()


def test_nobody_is_asked_when_stdin_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Invocation().interactive is False
    terminal = types.SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    assert Invocation().interactive is True
    assert Invocation(as_json=True).interactive is False
    monkeypatch.setattr(sys, "stdin", None)
    assert Invocation().interactive is False


# The rest runs the program as a process: streams, locales and signals are the point.


def process(*arguments: str, env: dict[str, str] | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stackr", *arguments]
    environment = {**os.environ, **(env or {})}
    return subprocess.run(
        command, env=environment, text=True, errors="replace", timeout=60, stderr=subprocess.PIPE, **options
    )


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = process("--help", stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_full_disk_under_stdout_is_reported(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = process("--help", stdout=full)
        in_json = process("nonsense", "--json", stdout=full)
    assert done.returncode == 6
    assert done.stderr.startswith("error: no space left on device\n")
    assert in_json.returncode == 2
    assert in_json.stderr.startswith('error: no such command "nonsense"\n')


def test_closed_streams_are_survived() -> None:
    command = f"{sys.executable} -m stackr --version >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], timeout=60).returncode == 0
    command = f"{sys.executable} -m stackr nonsense <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], timeout=60).returncode == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_no_character_crashes_whatever_the_encoding(encoding: str) -> None:
    done = process("nönsense\udcff…", env={"PYTHONIOENCODING": encoding, "LC_ALL": "C"}, stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith('error: no such command "n')


def test_it_runs_without_a_home_and_without_a_terminal() -> None:
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
    command = [sys.executable, "-m", "stackr", "--version"]
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("stackr ")


def test_a_directory_that_vanished_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    program = "import os, sys; os.rmdir(os.getcwd()); from stackr.main import run; run(['demo'])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path / "gone", capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "error: the current directory no longer exists")
