"""The story of a watch: look, show, wait, and look again until nothing is pending.

When to look again and when to stop is decided in ``stackr.core.watching``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from stackr.core.outlook import is_pending, pulls_of
from stackr.core.watching import MOST_FAILURES, is_decided, next_look_s, retry_s
from stackr.core.words import counted
from stackr.errors import GitHubError
from stackr.stories.looking import Seen
from stackr.ui.board import open_board

if TYPE_CHECKING:
    from stackr.app import App


def watch(app: App, look: Callable[[], Seen], *, as_json: bool) -> Seen:
    """Look until no checks run any more, and give what was seen last.

    The first look's failure is raised: it may be a wrong name as well as a broken network. Later ones are told, and
    tried again for the better part of an hour.
    """
    seen, said = look(), set[str]()
    looks, before = 1, None
    with open_board(app.ui, silent=as_json) as board:
        while True:
            _warn(app, seen.warnings, said)
            board.show(seen.shown)
            if is_decided(seen.shown, looks):
                return seen
            now = app.forge.budget
            app.ui.pause(next_look_s(looks, before, now), _what_runs(seen))
            seen, looks, before = _look_again(app, look), looks + 1, now


def _look_again(app: App, look: Callable[[], Seen]) -> Seen:
    failures = 0
    while True:
        try:
            return look()
        except GitHubError as problem:
            failures += 1
            if failures == MOST_FAILURES:
                raise
            app.ui.wait(retry_s(failures), problem.message)


def _warn(app: App, warnings: Iterable[str], said: set[str]) -> None:
    """Each warning once, however often it comes."""
    for warning in warnings:
        if warning not in said:
            app.ui.warn(warning)
    said.update(warnings)


def _what_runs(seen: Seen) -> str:
    running = sum(is_pending(pull) for pull in pulls_of(seen.shown))
    return f"checks of {counted(running, 'pull request')} still run" if running else "no checks have begun"
