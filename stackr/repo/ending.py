"""How a process that runs too long, or that nobody wants any more, is ended together with its children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from types import TracebackType

GRACE_S = 5.0
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no other


class Limit:
    """Ends a process, and its children, that takes longer than it may: politely, then not; ``is_passed`` tells.

    With a time-out of its own ``subprocess`` would look whether a process has ended after 1, 3, 7 ms and so on, and
    every 50 in the end: all the while nothing would be done.
    """

    def __init__(self, process: subprocess.Popen[bytes], timeout_s: float) -> None:
        self.is_passed = False
        self._process = process
        self._ended = threading.Event()
        self._timer = threading.Timer(timeout_s, self._pass)
        self._timer.daemon = True

    def __enter__(self) -> Limit:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._ended.set()

    def _pass(self) -> None:
        if self._process.poll() is None:
            self.is_passed = True
            send(self._process, signal.SIGTERM)
            if not self._ended.wait(GRACE_S):
                send(self._process, KILL)


def abandon(process: subprocess.Popen[bytes]) -> None:
    """End a process and its children, and their pipes, when nobody wants their output any more.

    ``communicate`` cannot be called again where an interrupt cut its first call short.
    """
    send(process, signal.SIGTERM)
    try:
        process.wait(timeout=GRACE_S)
    except subprocess.TimeoutExpired:
        send(process, KILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def send(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to the process's whole group if it has one of its own, else to the process."""
    if sys.platform == "win32":  # pragma: no cover
        process.terminate()
        return
    try:
        group = os.getpgid(process.pid)
        if group == process.pid:
            os.killpg(group, number)
        else:
            process.send_signal(number)
    except ProcessLookupError:
        pass
