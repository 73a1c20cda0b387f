"""A conversation with one git process: a line goes in, fields that end in a zero byte come out, many times over.

Only for commands that answer each line at once. Processes are started by ``run``, as everywhere.
"""

from __future__ import annotations

import select
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from stackr.errors import StackrError
from stackr.repo import failures
from stackr.repo.run import Runner
from stackr.repo.text import clean, decode

_CHUNK = 1 << 16


class Talk:
    """The open conversation; see ``talk``."""

    def __init__(self, verb: str, process: subprocess.Popen[bytes], err: IO[bytes], timeout_s: float) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._verb = verb
        self._process = process
        self._in = process.stdin
        self._out = process.stdout
        self._err = err
        self._timeout_s = timeout_s
        self._held = b""

    def say(self, line: bytes) -> None:
        """Send one line; raises ``GitError`` with git's words when the process has ended."""
        try:
            self._in.write(line)
            self._in.flush()
        except OSError as gone:
            raise self._ended() from gone

    def fields(self) -> Iterator[bytes]:
        """What comes back, field by field, without the zero bytes; waits for each as long as ``timeout_s``."""
        while True:
            field, zero, rest = self._held.partition(b"\0")
            if zero:
                self._held = rest
                yield field
            else:
                self._held += self._more()

    def _more(self) -> bytes:
        deadline = time.monotonic() + self._timeout_s
        while not select.select([self._out], [], [], max(0.0, deadline - time.monotonic()))[0]:
            if time.monotonic() >= deadline:
                raise failures.local_failure(self._verb, 0, "", self._timeout_s)
        raw: bytes = self._out.read1(_CHUNK)  # type: ignore[attr-defined] # a pipe is opened as a BufferedReader
        if not raw:
            raise self._ended()
        return raw

    def _ended(self) -> StackrError:
        code = self._process.wait()
        self._err.seek(0)
        return failures.local_failure(self._verb, code, clean(decode(self._err.read())))


@contextmanager
def talk(runner: Runner, cwd: Path, *args: str, env: Mapping[str, str], timeout_s: float) -> Iterator[Talk]:
    """Start ``git args`` in ``cwd`` as a local command and talk to it; it is ended with the block.

    Raises ``GitError`` from whichever call notices that git gave up.
    """
    with tempfile.TemporaryFile() as err, runner.open_git("-C", str(cwd), *args, env=env, err=err) as process:
        yield Talk(args[0], process, err, timeout_s)
