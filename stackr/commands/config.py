"""``stackr config``: every setting, its value, and where the value stands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from stackr import options
from stackr.app import App
from stackr.errors import Refused, UsageError
from stackr.settings import BY_NAME, Value
from stackr.ui import as_json as documents
from stackr.ui.line import Line, Span, line
from stackr.ui.text import pad

if TYPE_CHECKING:
    from stackr.config import Config


@click.command()
@click.argument("key", metavar="[KEY]", required=False)
@options.json_option
@click.pass_context
def command(context: click.Context, key: str | None, as_json: bool) -> None:
    """Show every setting and where its value comes from.

    With KEY, print just the value of that setting (a list has one item a line).
    """
    app = App(context)
    if key is not None and key not in BY_NAME:
        raise _no_such_setting(key)
    found = _load(app)
    names = [key] if key is not None else list(BY_NAME)
    if as_json:
        settings = [{"name": name, "value": found.value(name), "origin": found.origin(name)} for name in names]
        app.ui.json(documents.envelope("config", settings=settings, warnings=list(found.warnings)))
    elif key is not None:
        for item in _items(found.value(key)):
            app.ui.result(item)
    else:
        app.ui.lines(_table(found))


def _load(app: App) -> Config:
    """The settings here; outside a repository, those that hold everywhere."""
    try:
        app.repo  # noqa: B018 - found on first use
    except Refused:
        from stackr import config

        app.ui.note("not in a git repository: only the environment and your own file count")
        return config.load_anywhere(os.environ)
    return app.config


def _table(found: Config) -> Iterator[Line]:
    shown = {name: ", ".join(_items(found.value(name))) or "(not set)" for name in BY_NAME}
    columns = max(map(len, BY_NAME)), max(map(len, shown.values()))
    for name, value in shown.items():
        origin = found.origin(name)
        yield line(
            Span(pad(name, columns[0]), "bold"),
            f"  {pad(value, columns[1])}  ",
            Span(origin, "dim" * (origin == "default")),
        )


def _items(value: Value) -> list[str]:
    if value is None:
        return []
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, tuple):
        return list(value)
    return [value] if isinstance(value, str) else sorted(value)


def _no_such_setting(key: str) -> UsageError:
    import difflib

    guess = difflib.get_close_matches(key, BY_NAME, n=1, cutoff=0.0)[0]
    return UsageError(f'no such setting "{key}"', next_step=f'did you mean "{guess}"? stackr config shows all')
