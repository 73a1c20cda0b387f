"""The story of a watch, without a repository or a server: what is said, how long is waited, when it is given up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from stackr.core.model import Checks
from stackr.core.overview import Overview, PullStack
from stackr.core.watching import MOST_FAILURES, Budget
from stackr.errors import ConfigError, GitHubError
from stackr.stories.looking import Seen
from stackr.stories.watching import watch
from stackr.ui.console import Console
from tests.support.builders import pull
from tests.ui.test_console import Clock, Stream


@dataclass
class Story:
    """A console in a pipe whose time passes only by waiting, and looks that were prepared."""

    looks: list[Seen | Exception]
    budgets: list[Budget | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clock = Clock()
        self.out, self.err = Stream(), Stream()
        self.ui = Console(out=self.out, err=self.err, env={}, sleep=self.clock.sleep, clock=self.clock)

    def watch(self) -> Seen:
        looks, budgets = iter(self.looks), iter(self.budgets)

        class Forge:
            @property
            def budget(self) -> Budget | None:
                return next(budgets, None)

        app: Any = SimpleNamespace(ui=self.ui, forge=Forge())
        return watch(app, self._taker(looks), as_json=False)

    def _taker(self, looks: Iterator[Seen | Exception]) -> Callable[[], Seen]:
        def look() -> Seen:
            seen = next(looks)
            if isinstance(seen, Exception):
                raise seen
            return seen

        return look

    @property
    def seconds(self) -> float:
        return self.clock.now - 100


def seen(checks: Checks, *warnings: str) -> Seen:
    return Seen(Overview((PullStack("main", (pull("A", checks=checks),)),)), warnings)


RUNS, PASSES = seen(Checks.PENDING), seen(Checks.PASSING)


def test_each_warning_is_told_once() -> None:
    runs = seen(Checks.PENDING, "checks are old")
    story = Story([runs, runs, seen(Checks.PASSING, "checks are old", "and odd")])
    assert story.watch() == story.looks[-1]
    assert story.err.getvalue() == "warning: checks are old\nwarning: and odd\n"
    assert story.seconds == 20


def test_looks_become_rarer_when_github_has_little_left() -> None:
    story = Story([RUNS, RUNS, PASSES], [Budget(100, 600), Budget(60, 590)])
    story.watch()
    assert story.seconds == pytest.approx(600 * 2 * 2 / 100 + 590 * 40 * 2 / 60)


def test_a_network_that_does_not_come_back_is_given_up_after_the_better_part_of_an_hour() -> None:
    lost = GitHubError("the network is down")
    story = Story([RUNS, *[lost] * MOST_FAILURES])
    with pytest.raises(GitHubError):
        story.watch()
    assert 40 * 60 < story.seconds < 60 * 60
    assert story.err.getvalue().count("the network is down; waiting 2 min 00 s\n") == MOST_FAILURES - 5


def test_what_no_waiting_mends_is_raised_at_once() -> None:
    for looks in ([GitHubError("no such repository")], [RUNS, ConfigError("the token was revoked")]):
        with pytest.raises((GitHubError, ConfigError)):
            Story([*looks]).watch()
