"""GitHub's own stacks that the pull requests of a stack are in.

REST finds them by the number of a pull request only, and the numbers are being asked for at the same moment. So one is
remembered from the last run, which costs nothing when it is right, and one more request when it is not.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

from stackr.core.model import PullState, Stack
from stackr.core.native import NativeStack
from stackr.core.ports import Forge
from stackr.core.pulls import final_base
from stackr.errors import StackrError
from stackr.observe.local import Local
from stackr.observe.wanted import Wanted

_WAKE_S = 0.5


def known_pull(local: Local, wanted: Wanted) -> int | None:
    """The number of the lowest pull request that is remembered; it may be an older one of the same branch."""
    heads = (local.heads[change] for change in local.ids)
    return next((wanted.known_pulls[head] for head in heads if head in wanted.known_pulls), None)


class Look:
    """A look at the native stack of pull request ``number`` (``None``: none is known), beside what the caller does.

    The thread is a daemon: after Ctrl-C nobody waits for an answer.
    """

    def __init__(self, forge: Forge, number: int | None) -> None:
        self.number = number
        self._forge = forge
        self._found: tuple[NativeStack, ...] | None = ()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._look, daemon=True, name="stackr-native")
        if number is not None:
            self._thread.start()

    def outcome(self) -> tuple[NativeStack, ...] | None:
        """What was found, ``None`` where stacks are not enabled; raises what the look-up raised."""
        while self._thread.is_alive():
            # A wait without end cannot be interrupted on Windows.
            self._thread.join(_WAKE_S)
        if self._error is not None:
            raise self._error
        return self._found

    def _look(self) -> None:
        try:
            self._found = self._forge.read_stacks([self.number]) if self.number is not None else ()
        except Exception as error:  # noqa: BLE001 - carried to the caller's thread and raised there
            self._error = error


def with_native(forge: Forge, stack: Stack, look: Look) -> tuple[Stack, tuple[str, ...]]:
    """The stack with its native ones, as far as a decision needs them, and a warning if they could not be read.

    Asks again only for what the first look cannot have told. Without any pull request there is nothing to ask for.
    """
    try:
        known = look.outcome()
        more = tuple(_untold(stack, look.number, known or ())) if known is not None else ()
        if known is not None and more:
            found = forge.read_stacks(more)
            known = None if found is None else tuple(dict.fromkeys((*known, *found)))
    except StackrError as error:
        return stack, (f"GitHub's own stacks could not be read, so nothing is registered: {error.message}",)
    return replace(stack, native=known), ()


def _untold(stack: Stack, asked: int | None, known: Sequence[NativeStack]) -> Iterator[int]:
    """The pull requests worth another look: those at the ends, and those that have to get another base."""
    told = {asked, *(number for each in known for number in each.members)}
    pulls = [(i, c.pull) for i, c in enumerate(stack.changes) if c.pull and c.pull.state is PullState.OPEN]
    for index, pull in pulls:
        is_end = index in (pulls[0][0], pulls[-1][0])
        if pull.number not in told and (is_end or pull.base_ref != final_base(stack, index)):
            yield pull.number
