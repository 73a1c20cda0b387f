"""The process runner: a sealed environment, time-outs that leave nothing behind, and no secret in any error."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from stackr.errors import GitError
from stackr.repo.ending import send
from stackr.repo.run import Runner
from stackr.repo.text import clean, redact


def script(tmp_path: Path, text: str) -> str:
    path = tmp_path / "script"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] == "Z":
            return
        threading.Event().wait(0.01)
    raise AssertionError(f"process {pid} is still there")


def read_when_written(path: Path) -> str:
    deadline = time.monotonic() + 10
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)
    return path.read_text()


def test_git_asks_nothing_and_speaks_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("GIT_TERMINAL_PROMPT", "1")
    runner = Runner(tmp_path, {"EXTRA": "yes"}, git=script(tmp_path, "env"))
    local = dict(line.split("=", 1) for line in runner.git("x").decode().splitlines() if "=" in line)
    wanted = {
        "LC_ALL": "C",
        "LANGUAGE": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "GCM_INTERACTIVE": "never",
        "GIT_EDITOR": "false",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "EXTRA": "yes",
    }
    assert {key: local.get(key) for key in wanted} == wanted
    remote = runner.try_remote("x", env={"MORE": "1"}, timeout_s=10).out.decode()
    assert "LC_ALL=C.UTF-8\n" in remote
    assert "MORE=1\n" in remote
    assert "GIT_NO_REPLACE_OBJECTS" not in remote
    assert runner.count == 2


def test_a_failure_names_the_command_and_gits_reason(tmp_path: Path) -> None:
    runner = Runner(tmp_path, git=script(tmp_path, "echo 'fatal: no such luck' >&2; exit 3"))
    with pytest.raises(GitError) as error:
        runner.git("frobnicate", "--secret")
    assert error.value.message == '"git frobnicate" failed (3): no such luck'
    assert runner.git("frobnicate", ok=(0, 3)) == b""


def test_secrets_are_in_no_error(tmp_path: Path) -> None:
    text = "echo 'fatal: https://u:hunter2@host/ s3cret ghp_0123456789abcdef0123 \033[1mx\033[0m' >&2; exit 1"
    runner = Runner(tmp_path, git=script(tmp_path, text))
    runner.secrets.add("s3cret")
    with pytest.raises(GitError) as error:
        runner.git("x")
    assert error.value.message == '"git x" failed (1): https://***@host/ *** *** x'


@pytest.mark.parametrize("remote", [False, True])
def test_a_time_out_stops_the_process_and_its_children(tmp_path: Path, remote: bool) -> None:
    runner = Runner(tmp_path, git=script(tmp_path, f"sleep 100 & echo $! > {tmp_path}/pid; wait"))
    if remote:
        assert runner.try_remote("x", env={}, timeout_s=0.5).late
    else:
        with pytest.raises(GitError, match=r'"git x" did not end within 0\.5 s'):
            runner.git("x", timeout_s=0.5)
    wait_until_gone(int((tmp_path / "pid").read_text()))


def test_a_process_that_will_not_listen_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stackr.repo.ending.GRACE_S", 0.2)
    runner = Runner(tmp_path, git=script(tmp_path, "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done"))
    done = runner.try_git("x", timeout_s=0.5)
    assert (done.late, done.code) == (True, -9)
    wait_until_gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("remote", [False, True])
def test_ctrl_c_stops_the_process_and_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remote: bool
) -> None:
    runner = Runner(tmp_path, git=script(tmp_path, "sleep 100 & echo $! > pid; wait"))

    def pressed(*args: object, **kwargs: object) -> None:
        read_when_written(tmp_path / "pid")
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr("subprocess.Popen.wait" if remote else "subprocess.Popen.communicate", pressed)
    with pytest.raises(KeyboardInterrupt):
        runner.try_remote("x", env={}, timeout_s=60) if remote else runner.git("x")
    wait_until_gone(int((tmp_path / "pid").read_text()))


def test_another_threads_process_can_be_interrupted(tmp_path: Path) -> None:
    runner = Runner(tmp_path, git=script(tmp_path, "echo $$ > pid; exec sleep 100"))
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(runner.try_remote("x", env={}, timeout_s=60).code))
    thread.start()
    read_when_written(tmp_path / "pid")
    runner.interrupt()
    thread.join(timeout=10)
    assert codes == [-15]
    runner.interrupt()


def test_a_process_left_behind_does_not_keep_a_push_waiting(tmp_path: Path) -> None:
    runner = Runner(tmp_path, git=script(tmp_path, "sleep 100 & echo $! > pid; echo done; exit 0"))
    done = runner.try_remote("x", env={}, timeout_s=30)
    assert (done.code, done.out, done.late) == (0, b"done\n", False)
    os.kill(int((tmp_path / "pid").read_text()), 9)


def test_a_missing_git_is_named(tmp_path: Path) -> None:
    with pytest.raises(GitError, match='"no-such-git" is not installed, or not on PATH') as error:
        Runner(tmp_path, git="no-such-git").git("version")
    assert error.value.next_step == "install no-such-git"


def test_a_folder_that_is_gone_is_not_taken_for_a_missing_git(tmp_path: Path) -> None:
    with pytest.raises(GitError, match='nowhere" is gone'):
        Runner(tmp_path / "nowhere").git("version")


def test_a_command_line_that_is_too_long_is_an_error_of_git(tmp_path: Path) -> None:
    with pytest.raises(GitError, match='cannot start "git": argument list too long'):
        Runner(tmp_path).git("version", "x" * 3_000_000)


def test_a_program_that_ends_without_reading_its_input_is_no_trouble(tmp_path: Path) -> None:
    assert Runner(tmp_path, git=script(tmp_path, "exit 0")).git("x", stdin=b"x" * 1_000_000) == b""


def test_other_programs_are_run_without_gits_environment(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    done = runner.try_program([script(tmp_path, "cat; echo err >&2; exit 4")], stdin=b"in", timeout_s=10, terminal=True)
    assert done is not None
    assert (done.code, done.out, done.err) == (4, b"in", "err\n")
    assert runner.try_program(["no-such-program"], timeout_s=10) is None


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("10%\r50%\r100%\r\nnext \t", "100%\nnext"),
        ("bell\x07 null\x00 c1\x9b", "bell null c1"),
        ("evil \u202etxt", "evil txt"),
    ],
)
def test_control_characters_are_not_shown(raw: str, shown: str) -> None:
    assert clean(raw) == shown


def test_tokens_of_every_form_are_hidden() -> None:
    text = "gho_0123456789abcdefghij github_pat_11ABCDEFG0123456789_x https://me@host/ mail@host"
    assert redact(text, ["", "mail"]) == "*** *** https://***@host/ ***@host"


def test_a_program_that_shares_our_terminal_is_stopped_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A signer may ask for a passphrase there; it is then in our own process group, which must not be killed."""
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    argv = [script(tmp_path, "exec sleep 60")]
    done = Runner(tmp_path).try_program(argv, timeout_s=0.2, terminal=True)
    assert done is not None
    assert (done.late, done.code) == (True, -15)


def test_a_process_that_ended_by_itself_needs_no_signal(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
        send(process, signal.SIGTERM)


class Stdin:
    """Standard input, as a terminal or not."""

    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("stdin", "variable", "editor"),
    [
        (Stdin(True), None, "configured"),
        (Stdin(False), None, ":"),
        (None, None, ":"),
        (Stdin(False), "chosen", "chosen"),
    ],
)
def test_without_a_terminal_no_editor_opens_unless_the_environment_names_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    stdin: Stdin | None,
    variable: str | None,
    editor: str,
) -> None:
    monkeypatch.delenv("GIT_EDITOR", raising=False)
    if variable is not None:
        monkeypatch.setenv("GIT_EDITOR", variable)
    monkeypatch.setattr("sys.stdin", stdin)
    assert Runner(tmp_path).attended("-c", "core.editor=configured", "var", "GIT_EDITOR") == 0
    assert capfd.readouterr().err == f"{editor}\n"


def test_an_interrupt_that_cuts_the_talk_short_at_its_beginning_ends_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def cut_short(process: subprocess.Popen[bytes], *_: object, **__: object) -> None:
        started.append(process)
        process._communication_started = True  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "_communicate", cut_short)
    with pytest.raises(KeyboardInterrupt):
        Runner(tmp_path).try_program([script(tmp_path, "exec sleep 60")], env={}, timeout_s=60)
    wait_until_gone(started[0].pid)
    assert started[0].returncode == -signal.SIGTERM


def test_what_was_begun_is_asked_for_in_the_same_words_and_started_once(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    with runner.begun("var", "GIT_EDITOR", env={"GIT_EDITOR": "mine"}):
        assert runner.try_git("var", "GIT_EDITOR").out == b"false\n"  # other words: another environment
        assert runner.count == 2
        assert runner.git("var", "GIT_EDITOR", env={"GIT_EDITOR": "mine"}) == b"mine\n"
        assert runner.count == 2
        runner.git("var", "GIT_EDITOR", env={"GIT_EDITOR": "mine"})
        assert runner.count == 3


def test_what_was_begun_and_never_asked_for_ends_with_the_block(tmp_path: Path) -> None:
    runner = Runner(tmp_path, git=script(tmp_path, "exec sleep 100"))
    with runner.begun("anything"):
        (process,) = runner._live
        assert process.poll() is None
    assert process.returncode == -signal.SIGTERM
    assert not runner._live
