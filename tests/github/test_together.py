"""Several tasks at once, and trying again."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable

import pytest

from stackr.errors import GitHubError, StackrError
from stackr.github.failures import Lost
from stackr.github.limits import Patience
from stackr.github.together import persist, run_all, value
from tests.support.canned_http import ManualClock


def test_results_come_in_the_order_of_the_tasks() -> None:
    tasks: list[Callable[[], int]] = [lambda i=i: i * i for i in range(20)]  # type: ignore[misc]
    assert run_all(tasks) == [i * i for i in range(20)]


def test_no_tasks_give_no_results() -> None:
    assert run_all([]) == []


def test_tasks_run_side_by_side_and_no_more_than_allowed() -> None:
    barrier = threading.Barrier(3, timeout=10)
    running = threading.BoundedSemaphore(3)

    def task() -> int:
        # More than three at once would find the semaphore taken; fewer would break the barrier.
        assert running.acquire(blocking=False)
        index = barrier.wait()
        running.release()
        barrier.wait()
        return index

    assert sorted(value(found) for found in run_all([task] * 6, at_once=3)) == [0, 0, 1, 1, 2, 2]


def test_one_task_needs_no_thread() -> None:
    assert run_all([threading.current_thread]) == [threading.current_thread()]


def test_a_failure_is_a_value_and_a_bug_is_raised() -> None:
    error = GitHubError("no")

    def fail() -> int:
        raise error

    def bug() -> int:
        raise KeyError("oops")

    assert run_all([fail, lambda: 1]) == [error, 1]
    with pytest.raises(KeyError):
        run_all([bug, lambda: 1])


def test_ctrl_c_does_not_wait_for_answers_under_way() -> None:
    answered = threading.Event()

    def slow() -> bool:
        return answered.wait(30)

    def interrupt() -> bool:
        _thread.interrupt_main()
        return answered.wait(30)

    with pytest.raises(KeyboardInterrupt):
        run_all([slow, interrupt])
    answered.set()


def test_nothing_to_persist_with_needs_no_patience() -> None:
    clock = ManualClock()
    assert persist([], Patience(clock, clock.sleep)) == []


def test_only_what_was_lost_is_tried_again() -> None:
    calls: list[str] = []

    def steady() -> str:
        calls.append("steady")
        return "fine"

    def shaky() -> str:
        calls.append("shaky")
        if calls.count("shaky") < 3:
            raise Lost("it broke")
        return "at last"

    clock = ManualClock()
    assert persist([steady, shaky], Patience(clock, clock.sleep)) == ["fine", "at last"]
    assert (calls.count("steady"), calls.count("shaky")) == (1, 3)


def test_what_stays_lost_is_given_back_as_it_is() -> None:
    def broken() -> str:
        raise Lost("it broke")

    clock = ManualClock()
    outcome = persist([broken], Patience(clock, clock.sleep))[0]
    assert isinstance(outcome, StackrError)
    with pytest.raises(Lost, match="it broke"):
        value(outcome)
