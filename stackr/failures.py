"""What went wrong, in the words and codes of docs/reference/cli.md: any exception becomes one ``Failure``.

Nothing is printed here (``stackr.main`` does that); an exception that nobody foresaw is written to a report file
(``stackr.crash``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

import click

from stackr import options
from stackr.errors import GitError, Refused, StackrError, UsageError
from stackr.options import Invocation
from stackr.records import dataclass

INTERRUPTED = 130
_SEE_STATUS = "stackr status shows where things stand"


@dataclass(frozen=True, slots=True)
class Failure:
    """The three lines of an error, its kind for JSON, and the exit code; ``command`` is ``""`` if none was reached."""

    kind: str
    code: int
    message: str
    safe: str
    next_step: str
    command: str = ""
    as_json: bool = False
    details: Mapping[str, Any] = field(default_factory=dict)


def document(failure: Failure) -> dict[str, Any]:
    """The JSON document of a failure."""
    error = {"kind": failure.kind, "message": failure.message, "safe": failure.safe, "next": failure.next_step}
    return {"schema": 1, "command": failure.command or None, "ok": False, **failure.details, "error": error}


def explain(problem: BaseException, argv: Sequence[str], invocation: Invocation) -> Failure:
    """Name any exception: ours, click's, an interrupt, the machine's, or a bug."""
    kind, code, (message, safe, next_step) = _parts(problem, argv, invocation)
    # The parser may have stopped before it came to --json.
    as_json = invocation.as_json or (kind == "usage" and _asks_for_json(argv))
    details = problem.details if isinstance(problem, StackrError) else {}
    return Failure(kind, code, message, safe, next_step, invocation.command, as_json, details)


def _parts(
    problem: BaseException, argv: Sequence[str], invocation: Invocation
) -> tuple[str, int, tuple[str, str, str]]:
    if isinstance(problem, StackrError):
        return problem.kind, problem.exit_code, _of_ours(problem, invocation)
    if isinstance(problem, click.ClickException):
        return UsageError.kind, UsageError.exit_code, _of_click(problem, invocation)
    if isinstance(problem, (KeyboardInterrupt, click.exceptions.Abort)):
        safe = "every step is safe to stop after"
        return "interrupted", INTERRUPTED, ("interrupted", safe, "run the same command again; it goes on from here")
    if isinstance(problem, OSError) and problem.errno is not None:
        return GitError.kind, GitError.exit_code, _of_the_machine(problem)
    return "bug", 1, _of_a_bug(problem, argv, invocation)


def _of_ours(problem: StackrError, invocation: Invocation) -> tuple[str, str, str]:
    fallback = _help_of(invocation) if isinstance(problem, UsageError) else _SEE_STATUS
    return problem.message, problem.safe, problem.next_step or fallback


def _of_click(problem: click.ClickException, invocation: Invocation) -> tuple[str, str, str]:
    context = getattr(problem, "ctx", None)
    if context is not None:
        invocation.command = options.words(context)
    guesses: Sequence[str] = getattr(problem, "possibilities", None) or ()
    message = problem.message if guesses else problem.format_message()
    if isinstance(problem, click.NoSuchOption):
        message = f'no such option "{problem.option_name}"'
    help_line = _help_of(invocation)
    return _our_style(message), "nothing was changed", _did_you_mean(guesses, help_line)


def _our_style(message: str) -> str:
    """Lower case, double quotes, no full stop: click's sentences in the voice of ours."""
    quoted = re.sub(r"(?<!\w)'([^']*)'(?!\w)", r'"\1"', message.strip()).rstrip(".")
    return quoted[:1].lower() + quoted[1:]


def _help_of(invocation: Invocation) -> str:
    return " ".join(filter(None, ["stackr", invocation.command, "--help"]))


def _did_you_mean(guesses: Iterable[str], help_line: str) -> str:
    quoted = " or ".join(f'"{guess}"' for guess in guesses)
    return f"did you mean {quoted}? {help_line} shows all" if quoted else help_line


def unknown_command(word: str, known: Iterable[str]) -> UsageError:
    """The error for a command that does not exist; it names the nearest ones."""
    import difflib

    guesses = difflib.get_close_matches(word, list(known), n=2, cutoff=0.5)
    return UsageError(f'no such command "{word}"', next_step=_did_you_mean(guesses, "stackr --help"))


def _asks_for_json(argv: Sequence[str]) -> bool:
    arguments = list(argv)
    return "--json" in (arguments[: arguments.index("--")] if "--" in arguments else arguments)


def _of_the_machine(problem: OSError) -> tuple[str, str, str]:
    """A full disk, a directory without permission: the machine's fault, and the user can act on it."""
    name = f' "{problem.filename}"' if problem.filename else ""
    what = f"{(problem.strerror or 'input/output error').lower()}{name}"
    return what, "every step is safe to stop after", "mend that and run the same command again"


def _of_a_bug(problem: BaseException, argv: Sequence[str], invocation: Invocation) -> tuple[str, str, str]:
    from stackr import crash

    report = crash.write_report(problem, argv, invocation.directory)
    what = f"stackr has a bug ({crash.headline(problem)})"
    safe = "every step is safe to stop after; uncommitted work and old commits are kept"
    if report is None:
        return what, safe, "no report could be written; please tell how it came about"
    return what, safe, f"please report it with the text in {report} (tokens are removed)"


def refuse_without_directory() -> Refused:
    """The error for a current directory that was removed meanwhile."""
    return Refused("the current directory no longer exists", next_step="cd to a directory that does")
