"""Several requests side by side, and trying again those that got lost or were too many.

Not here: what a request is. Waiting happens in the caller's thread only, so Ctrl-C ends a countdown at once.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from stackr.errors import StackrError
from stackr.github.failures import Limited, Lost
from stackr.github.limits import Patience

T = TypeVar("T")

AT_ONCE = 4
_WAKE_S = 0.5


def run_all(tasks: Sequence[Callable[[], T]], at_once: int = AT_ONCE) -> list[T | StackrError]:
    """Run the tasks, at most ``at_once`` at a time; results in order, a StackrError as a value. Others are raised.

    The threads are daemons: after Ctrl-C nobody waits for an answer that may take half a minute. One task alone runs in
    the caller's thread.
    """
    if len(tasks) == 1:
        return [_outcome(tasks[0])]
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, T | StackrError | Exception]] = queue.SimpleQueue()
    for index in range(len(tasks)):
        todo.put(index)
    for _ in range(min(at_once, len(tasks))):
        threading.Thread(target=_work, args=(tasks, todo, done), daemon=True, name="stackr-github").start()
    outcomes = dict(_next(done) for _ in tasks)
    return [outcomes[index] for index in range(len(tasks))]


def persist(tasks: Sequence[Callable[[], T]], patience: Patience) -> list[T | StackrError]:
    """As ``run_all``, but what was lost or limited is tried again as long as there is patience.

    Only for tasks that may run twice.
    """
    outcomes: dict[int, T | StackrError] = {}
    todo = list(range(len(tasks)))
    while todo:
        outcomes.update(zip(todo, run_all([tasks[index] for index in todo]), strict=True))
        failures = {i: outcome for i in todo if isinstance(outcome := outcomes[i], (Lost, Limited))}
        if len(failures) < len(todo):
            patience.progress()
        if not failures or not patience.pause(list(failures.values())):
            break
        todo = list(failures)
    return [outcomes[index] for index in range(len(tasks))]


def value(outcome: T | StackrError) -> T:
    """The value, or the exception raised."""
    if isinstance(outcome, StackrError):
        raise outcome
    return outcome


def _outcome(task: Callable[[], T]) -> T | StackrError:
    try:
        return task()
    except StackrError as error:
        return error


def _work(
    tasks: Sequence[Callable[[], T]],
    todo: queue.SimpleQueue[int],
    done: queue.SimpleQueue[tuple[int, T | StackrError | Exception]],
) -> None:
    while True:
        try:
            index = todo.get_nowait()
        except queue.Empty:
            return
        try:
            done.put((index, _outcome(tasks[index])))
        except Exception as bug:  # noqa: BLE001 - carried to the caller's thread and raised there
            done.put((index, bug))


def _next(done: queue.SimpleQueue[tuple[int, T | StackrError | Exception]]) -> tuple[int, T | StackrError]:
    while True:
        try:
            # A wait without end cannot be interrupted on Windows.
            index, outcome = done.get(timeout=_WAKE_S)
        except queue.Empty:
            continue
        if isinstance(outcome, Exception) and not isinstance(outcome, StackrError):
            raise outcome
        return index, outcome
