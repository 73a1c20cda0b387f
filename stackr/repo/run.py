"""The only place that starts processes (GitPython's one ``cat-file`` apart, which gets the same environment).

Here: the sealed environment, time-outs, killing cleanly, counting, and keeping secrets out of what is reported. Not
here: what git's words mean (``failures``) and which commands to run (every other module of this room).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from stackr.errors import ConfigError, GitError
from stackr.records import dataclass
from stackr.repo import ending, failures
from stackr.repo.ending import KILL, Limit, abandon, send
from stackr.repo.text import clean, decode, redact

LOCAL_TIMEOUT_S = 120.0
_STDERR = 2
# How a program ends that Ctrl-C has ended, without a shell around it and with one.
_INTERRUPTED = (-signal.SIGINT, 128 + signal.SIGINT)

# English words, no questions, no editor. An empty GIT_ASKPASS also switches core.askPass and SSH_ASKPASS off (git(1)).
SEALED = {
    "LANGUAGE": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "GCM_INTERACTIVE": "never",
    "GIT_EDITOR": "false",
    "GIT_SEQUENCE_EDITOR": "false",
    "GIT_PAGER": "cat",
}
# GitHub knows neither replacement objects nor grafts: what is read must be what a push would send.
# GIT_OPTIONAL_LOCKS: a read must not make the user's own git fail on an index.lock.
LOCAL = {**SEALED, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1"}
# Hooks run inside these commands, as git runs them: a plain C locale would break those that print more than ASCII.
REMOTE = {**SEALED, "LC_ALL": "C.UTF-8"}


_Words = tuple[tuple[str, ...], frozenset[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Done:
    """A process that ended: exit code, standard output as it is, standard error fit to be shown.

    ``code`` is negative when a signal ended the process; ``late`` says that it was stopped at its time-out.
    """

    code: int
    out: bytes
    err: str
    late: bool = False


class Runner:
    """Starts git (and the few programs git itself would start) in one directory.

    ``count`` is the number of processes started so far. ``secrets`` are never part of an error.
    """

    def __init__(self, cwd: Path, extra: Mapping[str, str] | None = None, git: str = "git") -> None:
        self.cwd = cwd
        self.extra = dict(extra or {})
        self.git_program = git
        self.count = 0
        self.secrets: set[str] = set()
        self._live: set[subprocess.Popen[bytes]] = set()
        self._begun: dict[_Words, subprocess.Popen[bytes]] = {}
        self._guard = threading.RLock()

    def git(
        self,
        *args: str,
        stdin: bytes = b"",
        ok: Collection[int] = (0,),
        env: Mapping[str, str] | None = None,
        timeout_s: float = LOCAL_TIMEOUT_S,
    ) -> bytes:
        """Standard output of a local git command; raises what ``failures.local_failure`` makes of another exit code."""
        done = self.try_git(*args, stdin=stdin, env=env, timeout_s=timeout_s)
        if done.code not in ok or done.late:
            raise failures.local_failure(args[0], done.code, done.err, timeout_s if done.late else None)
        return done.out

    def try_git(
        self,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        timeout_s: float = LOCAL_TIMEOUT_S,
    ) -> Done:
        """Run a local git command and report however it ended."""
        return self._piped([self.git_program, *args], {**LOCAL, **(env or {})}, stdin, timeout_s, own_session=True)

    @contextmanager
    def begun(self, *args: str, env: Mapping[str, str] | None = None) -> Iterator[None]:
        """Start a local git command that ``git`` or ``try_git`` will be asked for, in the same words, in the block.

        It runs while Python goes on with something else; what it prints has to fit into a pipe. What nobody asks for
        ends with the block.
        """
        argv, full, pipe = [self.git_program, *args], {**LOCAL, **(env or {})}, subprocess.PIPE
        words = self._words(argv, full)
        self._begun[words] = process = self._start(argv, full, pipe, pipe, pipe, own_session=True)
        try:
            yield
        finally:
            if self._begun.pop(words, None) is not None:
                abandon(process)
                self._forget(process)

    def try_remote(self, *args: str, env: Mapping[str, str], timeout_s: float) -> Done:
        """Run a git command that talks to a remote (and may run hooks) and report however it ended.

        Its output goes through files: an ssh master connection or a hook may leave a process behind that keeps a pipe
        open for hours, and only the command itself is waited for.
        """
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = self._start([self.git_program, *args], {**REMOTE, **env}, subprocess.DEVNULL, out, err, True)
            late = self._wait(process, timeout_s)
            out.seek(0)
            err.seek(0)
            return Done(process.returncode, out.read(), self._shown(err.read()), late)

    @contextmanager
    def open_git(self, *args: str, env: Mapping[str, str], err: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
        """A local git command with open pipes for input and output, which ends with the block; see ``talk``."""
        pipe = subprocess.PIPE
        process = self._start([self.git_program, *args], {**LOCAL, **env}, pipe, pipe, err, own_session=True)
        try:
            yield process
        finally:
            self._stop(process)
            self._forget(process)

    def try_program(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        timeout_s: float,
        terminal: bool = False,
    ) -> Done | None:
        """Run another program and report however it ended, or ``None`` if it is not installed.

        ``terminal`` leaves it the terminal it may need to ask for a passphrase, if standard input is one.
        """
        own_session = not (terminal and _is_terminal())
        try:
            return self._piped(argv, dict(env or {}), stdin, timeout_s, own_session)
        except ConfigError:
            return None

    def attended(self, *args: str, env: Mapping[str, str] | None = None, on_stdout: bool = False) -> int:
        """Run a git command as the user would, with their terminal, editor and hooks; its exit code.

        What git says goes to standard error, as all talk does; ``on_stdout`` is for what is the result itself, which
        git then brings through its pager. Ctrl-C is git's, or the editor's, to answer; ``KeyboardInterrupt`` if it
        ended them.
        Without a terminal nobody is asked, and no editor opens but one that ``GIT_EDITOR`` names.
        """
        alone = {} if _is_terminal() else {"GIT_EDITOR": os.environ.get("GIT_EDITOR", ":"), "GIT_TERMINAL_PROMPT": "0"}
        full = {**alone, **(env or {})}
        return self._attended([self.git_program, *args], full, None if on_stdout else _STDERR)

    def attended_program(self, *argv: str) -> int:
        """Run another program in the same way: an editor."""
        return self._attended(argv, {}, _STDERR)

    def _attended(self, argv: Sequence[str], env: Mapping[str, str], out: int | None) -> int:
        process = self._start(argv, env, None, out, None, own_session=False)
        try:
            with _left_to_others(signal.SIGINT):
                code = process.wait()
        finally:
            self._forget(process)
        if code in _INTERRUPTED:
            # As git does: whoever stops the editor stops the command. Ctrl-C has reached our other processes, too.
            raise KeyboardInterrupt
        return code

    def interrupt(self) -> None:
        """Stop every process that is still running (another thread's, when the user pressed Ctrl-C)."""
        with self._guard:
            live = list(self._live)
        for process in live:
            send(process, signal.SIGTERM)

    def _piped(
        self, argv: Sequence[str], env: Mapping[str, str], stdin: bytes, timeout_s: float, own_session: bool
    ) -> Done:
        pipe = subprocess.PIPE
        process = self._begun.pop(self._words(argv, env), None) or self._start(argv, env, pipe, pipe, pipe, own_session)
        try:
            with Limit(process, timeout_s) as limit:
                out, err = process.communicate(stdin)
        except BaseException:
            abandon(process)
            raise
        finally:
            self._forget(process)
        return Done(process.returncode, out, self._shown(err), limit.is_passed)

    def _words(self, argv: Sequence[str], env: Mapping[str, str]) -> _Words:
        return tuple(argv), frozenset({**self.extra, **env}.items())

    def _start(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        stdin: int | None,
        out: int | IO[bytes] | None,
        err: int | IO[bytes] | None,
        own_session: bool,
    ) -> subprocess.Popen[bytes]:
        """Start a process, in a session of its own so that it can be stopped with all its children."""
        self.count += 1
        full = {**os.environ, **self.extra, **env}
        try:
            with self._guard:  # held until the process is known, or an interrupt in between would miss it
                process = subprocess.Popen(
                    argv, cwd=self.cwd, env=full, stdin=stdin, stdout=out, stderr=err, start_new_session=own_session
                )
                self._live.add(process)
                return process
        except FileNotFoundError as gone:
            if not self.cwd.exists():
                raise GitError(f'"{self.cwd}" is gone', next_step="cd into the clone and try again") from gone
            kind, name = (GitError if argv[0] == self.git_program else ConfigError), Path(argv[0]).name
            raise kind(f'"{name}" is not installed, or not on PATH', next_step=f"install {name}") from gone
        except OSError as problem:  # "Argument list too long", no permission
            why = (problem.strerror or "no reason given").lower()
            raise GitError(f'cannot start "{Path(argv[0]).name}": {why}') from problem

    def _wait(self, process: subprocess.Popen[bytes], timeout_s: float) -> bool:
        """Wait for the process itself; returns whether it had to be stopped at its time-out."""
        try:
            with Limit(process, timeout_s) as limit:
                process.wait()
        except BaseException:
            abandon(process)
            raise
        finally:
            self._forget(process)
        return limit.is_passed

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        """End a process and its children: politely first, as git then removes its lock files."""
        send(process, signal.SIGTERM)
        try:
            process.communicate(timeout=ending.GRACE_S)
        except subprocess.TimeoutExpired:
            send(process, KILL)
            process.communicate()

    def _forget(self, process: subprocess.Popen[bytes]) -> None:
        with self._guard:
            self._live.discard(process)

    def _shown(self, raw: bytes) -> str:
        return redact(clean(decode(raw)), self.secrets)


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


@contextmanager
def _left_to_others(number: int) -> Iterator[None]:
    """Do not act on a signal inside the block; unlike with SIG_IGN, a process started there does (execve(2))."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(number, before)
