"""What every command line has in common: where it runs, how it speaks, and the options that many commands share.

No command lives here, and nothing here reads a repository or the network; ``stackr.app`` turns an ``Invocation`` into a
repository and a client. Source of the options: docs/reference/cli.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Any, TypeVar

import click

from stackr.records import dataclass

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])
COLORS = ("auto", "always", "never")


@dataclass(slots=True)
class Invocation:
    """One run of the program, filled in while click reads the command line; it is click's context object.

    ``directory`` is what ``-C`` names (absolute), ``command`` the words of the command without ``stackr``
    (``"auth status"``), ``line`` the command with all its arguments, as typed in a shell, ``as_json`` whether one JSON
    document is promised on stdout.
    """

    directory: Path = field(default_factory=Path)
    color: str = "auto"
    command: str = ""
    line: str = ""
    as_json: bool = False

    @property
    def interactive(self) -> bool:
        """Whether a question may be asked: a person sits at stdin and at stderr, where questions go."""
        return not self.as_json and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def of(context: click.Context) -> Invocation:
    """The invocation a click context belongs to."""
    invocation = context.find_object(Invocation)
    if invocation is None:  # a command called without the group, as click's own test runner may do
        invocation = context.obj = Invocation()
    return invocation


def words(context: click.Context) -> str:
    """The command as typed, without the program: ``"auth status"``."""
    return " ".join(context.command_path.split()[1:])


def _remember_json(context: click.Context, _: click.Parameter, value: bool) -> bool:
    invocation = of(context)
    invocation.as_json = invocation.as_json or value
    invocation.command = words(context)
    return value


def _remember_color(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        of(context).color = value


def json_option(function: AnyFunction) -> AnyFunction:
    """``--json``, passed to the command as ``as_json``. Eager, so that even a usage error knows of it."""
    return click.option(
        "--json",
        "as_json",
        is_flag=True,
        is_eager=True,
        callback=_remember_json,
        help="Print one JSON document on stdout and nothing else there.",
    )(function)


def dry_run_option(function: AnyFunction) -> AnyFunction:
    """``--dry-run``, passed to the command as ``dry_run``."""
    return click.option("--dry-run", is_flag=True, help="Show what would be done; write nothing anywhere.")(function)


def logs_option(function: AnyFunction) -> AnyFunction:
    """``--logs N``, passed to the command as ``logs``; ``None`` where nobody said."""
    return click.option(
        "--logs",
        metavar="N",
        type=click.IntRange(min=0),
        help="Read the logs of at most N failed jobs for the cause (default: 10).",
    )(function)


def color_option(*, hidden: bool = False) -> click.Option:
    """``--color``: stands before the command, and is understood after it too."""
    return click.Option(
        ["--color"],
        type=click.Choice(COLORS),
        expose_value=False,
        is_eager=True,
        hidden=hidden,
        callback=_remember_color,
        help="Colour and live progress: auto (the default) means on a terminal; NO_COLOR turns off colour alone.",
    )
