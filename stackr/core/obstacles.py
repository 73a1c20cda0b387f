"""What a preflight is asked, and what it answers with: the words of ``preflight``, ``approvals`` and ``waiving``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from stackr.core.fates import Fate
from stackr.core.land import Prospect, Wanted
from stackr.core.model import Change, PullRequest
from stackr.core.rules import LandingFacts, Method, PullStanding
from stackr.core.triage import Verdict
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing in the way of one change.

    ``rule`` is a word for programs, ``text`` what is the matter, ``source`` the rule of GitHub behind it (``""``: it is
    stackr's own), ``next`` what to do (``""``: nothing here). ``--force`` goes past what is ``forcible``; time may
    remove what ``passes``.
    """

    change_id: str
    rule: str
    text: str
    next: str
    source: str = ""
    forcible: bool = False
    passes: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What is judged: the prospect, what became of its changes, GitHub's rules, how to land, and what jobs say.

    ``verdicts`` go by pull request number and hold what has not passed; ``ignored`` are (change id, job) pairs that
    ``--ignore-current`` has put up with.
    """

    prospect: Prospect
    found: Mapping[str, Fate]
    facts: LandingFacts
    wanted: Wanted
    verdicts: Mapping[int, tuple[Verdict, ...]] = field(default_factory=dict)
    ignored: frozenset[tuple[str, str]] = frozenset()

    @property
    def method(self) -> Method:
        """The way to land."""
        return self.wanted.method

    def jobs(self, change: Change) -> tuple[Verdict, ...]:
        """What has not passed on a change's pull request."""
        return self.verdicts.get(change.pull.number, ()) if change.pull else ()

    def standing(self, pull: PullRequest) -> PullStanding:
        """How a pull request stands with its present base."""
        return self.facts.standings.get(pull.number, PullStanding())


def sentence(obstacle: Obstacle) -> str:
    """What is the matter, by which rule, and what to do."""
    return f"{obstacle.text}{because(obstacle.source)}" + (f"; {obstacle.next}" if obstacle.next else "")


def because(source: str) -> str:
    """The rule behind something, in brackets."""
    return f" ({source})" if source else ""
