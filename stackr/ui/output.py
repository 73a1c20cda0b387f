"""The process's two output streams, used with care: encodings, closed pipes, full disks, the form of an error.

``Console`` builds on this. Nothing here knows what a command has to say.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from stackr.ui.text import clean_lines, to_encoding

RED, DIM, BOLD = "31", "2", "1"
_ERASE_LINE = "\r\x1b[2K"  # carriage return, then ECMA-48 EL
_progress_on: list[TextIO] = []


def never_crash_on_characters() -> None:
    """Let no character end the program: a title in Japanese in a C locale prints question marks."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):  # None, closed, or not a text file
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def wants_color(stream: TextIO | None, color: str, env: Mapping[str, str]) -> bool:
    """Whether to colour: the flag, then NO_COLOR (https://no-color.org), then whether ``stream`` is a terminal."""
    if color != "auto":
        return color == "always"
    return not env.get("NO_COLOR") and is_terminal(stream) and env.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at ``stream``; a missing or closed one is no terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def paint(text: str, code: str, on: bool) -> str:
    """``text`` with one ANSI attribute (ECMA-48 SGR), or as it is."""
    return f"\x1b[{code}m{text}\x1b[0m" if on else text


def show_progress(stream: TextIO, text: str) -> None:
    """Write ``text`` over the terminal's current line; whatever is written next erases it first."""
    _progress_on[:] = [stream]
    stream.write(_ERASE_LINE + text)
    stream.flush()


def erase_progress() -> None:
    """Take back what ``show_progress`` wrote, if it still stands there."""
    while _progress_on:
        stream = _progress_on.pop()
        with contextlib.suppress(OSError, ValueError):  # the terminal went away
            stream.write(_ERASE_LINE)
            stream.flush()


def write(stream: TextIO | None, text: str) -> None:
    """``text`` and a line end; a stream that the caller closed before starting us is ignored."""
    erase_progress()
    if stream is not None:
        stream.write(to_encoding(text, getattr(stream, "encoding", None)) + "\n")


def write_raw(stream: TextIO | None, raw: bytes) -> None:
    """Bytes as they are; into a stream of text alone, as far as they are text."""
    erase_progress()
    if stream is None or not raw:
        return
    beneath = getattr(stream, "buffer", None)
    if beneath is None:
        stream.write(raw.decode("utf-8", "replace"))
        return
    stream.flush()
    beneath.write(raw)
    beneath.flush()


def write_json(document: Mapping[str, Any], stream: TextIO | None = None) -> None:
    """One document on stdout: ASCII, so that every locale can carry it."""
    write(stream or sys.stdout, _ascii_json(document))


def _ascii_json(document: Mapping[str, Any]) -> str:
    """What is no character (a byte of a file name that is not UTF-8) becomes U+FFFD: half a pair is no JSON to many.

    https://www.rfc-editor.org/rfc/rfc8259#section-8.2
    """
    text = json.dumps(document, ensure_ascii=True, indent=2)
    if "\\ud" not in text:
        return text
    characters = json.dumps(document, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
    return json.dumps(json.loads(characters.decode("utf-16-le", "replace")), ensure_ascii=True, indent=2)


def write_error(message: str, safe: str, next_step: str, *, color: str = "auto", env: Mapping[str, str]) -> None:
    """The three lines of an error on stderr; further lines of a part are indented under its first."""
    painted = wants_color(sys.stderr, color, env)
    for label, text, code in (("error: ", message, RED), ("safe:  ", safe, DIM), ("next:  ", next_step, BOLD)):
        first, *rest = clean_lines(text)
        with contextlib.suppress(OSError, ValueError):  # nobody is left to tell
            write(sys.stderr, paint(label, code, painted) + "\n       ".join([first, *rest]))


def flush() -> None:
    """Bring what was written to where it goes, so that a full disk is noticed while it can be reported."""
    erase_progress()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()


def is_closed_pipe(problem: BaseException) -> bool:
    """Whether ``problem`` means that the reader of our stdout or stderr went away, and not of some other pipe."""
    # Windows reports a closed pipe as EINVAL.
    is_pipe = isinstance(problem, BrokenPipeError) or (
        isinstance(problem, OSError) and problem.errno == errno.EINVAL and os.name == "nt"
    )
    return is_pipe and any(_has_no_reader(stream) for stream in (sys.stdout, sys.stderr))


def _has_no_reader(stream: TextIO | None) -> bool:
    """Ask the system, since a failed flush may forget what it could not write (poll(2): POLLERR on a pipe)."""
    if not hasattr(select, "poll"):
        return True
    try:
        descriptor = stream.fileno() if stream is not None else -1
    except (OSError, ValueError):
        return False
    poll = select.poll()
    if descriptor >= 0:
        poll.register(descriptor, 0)
    return any(events & select.POLLERR for _, events in poll.poll(0))


def _can_flush() -> bool:
    try:
        flush()
    except (OSError, ValueError):
        return False
    return True


def abandon() -> None:
    """Let the interpreter end in peace: what cannot be flushed is thrown away."""
    if _can_flush():
        return
    with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                os.dup2(nowhere.fileno(), stream.fileno())
