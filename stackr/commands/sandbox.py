"""``stackr sandbox serve``: a GitHub in miniature, for trying things out and for tests."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stackr import options
from stackr.errors import Refused
from stackr.options import Invocation
from stackr.ui import as_json as documents
from stackr.ui import output
from stackr.ui.console import Console
from stackr.ui.line import Line, Span, line

if TYPE_CHECKING:
    from stackr.sandbox.welcome import Welcome

PORT = 8420


@click.group(no_args_is_help=False)
def command() -> None:
    """A GitHub in miniature on this machine.

    Real git repositories over HTTP, GitHub's REST and GraphQL, and pages to look at. Needs no account.
    """


@command.command()
@click.option("--root", metavar="DIR", help="Where its state lives (default: in your data directory); it survives.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 takes a free one.")
@click.option("--latency-ms", type=click.FloatRange(0), default=0, help="Delay every request by so many milliseconds.")
@click.option("--mutation-ms", type=click.FloatRange(0), default=0, help="Delay every write by so many milliseconds.")
@options.json_option
@click.pass_context
def serve(
    context: click.Context, root: str | None, port: int, latency_ms: float, mutation_ms: float, as_json: bool
) -> None:
    """Serve the sandbox on 127.0.0.1 until Ctrl-C.

    Prints the address, the people in it with their tokens, and how to begin. The same root serves the same state again.
    """
    from stackr.sandbox import needs

    needs.require()
    from stackr.repo import lock

    invocation = options.of(context)
    place = _root(invocation, root)
    # Two servers would write over each other's state: each keeps it in memory.
    with lock.hold(place, "sandbox serve", f'"{place}"'):
        _serve(invocation, place, port, latency_ms, mutation_ms, as_json=as_json)


def _serve(
    invocation: Invocation, place: Path, port: int, latency_ms: float, mutation_ms: float, *, as_json: bool
) -> None:
    from stackr.sandbox import welcome
    from stackr.sandbox.server import SandboxServer

    try:
        server = SandboxServer(place, port, latency_ms=latency_ms, mutation_ms=mutation_ms)
    except OSError as problem:
        raise Refused(
            f"port {port} cannot be used ({(problem.strerror or str(problem)).lower()})",
            next_step="stackr sandbox serve --port 0 takes a free one",
        ) from problem
    try:
        _greet(invocation, welcome.prepare(server, place), place, as_json=as_json)
        server.serve_forever()
    except KeyboardInterrupt:
        pass  # how this is meant to end
    finally:
        server.stop()


def _root(invocation: Invocation, root: str | None) -> Path:
    if root is not None:
        return invocation.directory / root
    data = os.environ.get("XDG_DATA_HOME", "")
    home = os.environ.get("HOME", "")
    if Path(data).is_absolute():
        return Path(data) / "stackr" / "sandbox"
    return Path(home) / ".local/share/stackr/sandbox" if home else Path(tempfile.mkdtemp(prefix="stackr-sandbox-"))


def _greet(invocation: Invocation, found: Welcome, place: Path, *, as_json: bool) -> None:
    console = Console(color=invocation.color)
    if as_json:
        people = [{"login": each.login, "token": each.token, "may_push": each.may_push} for each in found.people]
        console.json(
            documents.envelope("sandbox serve", url=found.url, root=str(place), clone_url=found.clone_url, users=people)
        )
    else:
        console.lines(_lines(found, place))
    output.flush()


def _lines(found: Welcome, place: Path) -> Iterator[Line]:
    yield line("the sandbox is at ", Span(found.url, "bold", found.url))
    yield line(f"its state is in {place}; Ctrl-C ends it")
    yield line("")
    for person in found.people:
        rights = "may push" if person.may_push else "may read"
        yield line(Span(person.login.ljust(8), "bold"), person.token, Span(f"  {rights}", "dim"))
    yield line("")
    yield line("to begin:")
    yield line(f"    git clone {found.clone_url} && cd {found.clone_url.rpartition('/')[2].removesuffix('.git')}")
    yield line(f"    export STACKR_TOKEN={found.people[0].token}" if found.people else "")
    yield line("    git checkout -b feature    # then commit something, twice")
    yield line("    stackr submit")
