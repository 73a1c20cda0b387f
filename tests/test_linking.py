"""GitHub's own stacks, looked at and changed: a failure is told, and stops only what could not work."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import pytest

from stackr.core.plan import LinkStack, Plan, UnlinkStack
from stackr.errors import GitHubError, Refused
from stackr.linking import Linking
from stackr.observe.native import Look


@dataclass
class Fake:
    """The little of a Forge and a Ui that linking uses; ``kept`` is what GitHub does not let go."""

    kept: tuple[int, ...] = ()
    fails: bool = False
    done: list[object] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)

    def dissolve_stack(self, number: int) -> tuple[int, ...]:
        self._do(number)
        return self.kept

    def link_stack(self, numbers: list[int], onto: int | None) -> bool:
        self._do((numbers, onto))
        return True

    def read_stacks(self, numbers: list[int]) -> tuple[()]:
        self.go_on.wait(10)
        self._do(numbers)
        return ()

    def _do(self, what: object) -> None:
        if self.fails:
            raise GitHubError("github answered with 500")
        self.done.append(what)

    def step(self, text: str) -> None:
        pass

    def warn(self, text: str) -> None:
        self.said.append(text)

    note = warn


UNLINK, LINK = UnlinkStack(7, (1, 2, 3)), LinkStack(("Ia", "Ib"))
NUMBERS = {"Ia": 1, "Ib": 2}


def run(fake: Fake, unlink: UnlinkStack) -> Plan:
    linking = Linking(fake, fake)  # type: ignore[arg-type]
    linking.unlink([unlink])
    linking.link([LINK], NUMBERS)
    return linking.done(Plan("submit", (unlink, LINK)))


def test_what_was_done_is_in_the_plan_and_what_github_keeps_is_told() -> None:
    assert run(Fake(), UNLINK).actions == (UNLINK, LINK)
    fake = Fake(kept=(3,))
    assert run(fake, UNLINK).actions == (UNLINK, LINK)
    kept = "GitHub keeps #3 in its own stack 7, as it does what is queued for a merge"
    assert (fake.done, fake.said) == ([7, ([1, 2], None)], [kept])


def test_what_cannot_be_dissolved_is_told_and_not_linked_anew() -> None:
    fake = Fake(fails=True)
    assert run(fake, UNLINK).actions == ()
    assert fake.said == [
        "GitHub's own stack is not as it should be: github answered with 500; the next submit tries again"
    ]


def test_what_has_to_get_another_base_and_cannot_leave_its_stack_stops_the_run_before_the_push() -> None:
    with pytest.raises(
        Refused, match=r"GitHub keeps #2, #3 in its own stack 7, .*; so there can be no other base"
    ) as caught:
        run(Fake(kept=(2, 3)), UnlinkStack(7, (1, 2, 3), (1, 2, 3)))
    assert caught.value.safe == "nothing was changed"
    with pytest.raises(GitHubError, match="github answered with 500"):
        run(Fake(fails=True), UnlinkStack(7, (1, 2, 3), (2,)))


def test_a_look_goes_on_beside_and_raises_in_the_end_what_went_wrong() -> None:
    fake = Fake(fails=True)
    look = Look(fake, 1)  # type: ignore[arg-type]
    threading.Timer(0.01, fake.go_on.set).start()
    with pytest.raises(GitHubError, match="github answered with 500"):
        look.outcome()
    assert Look(fake, None).outcome() == ()  # type: ignore[arg-type]
