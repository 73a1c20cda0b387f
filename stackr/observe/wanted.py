"""What an observation is asked for, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from stackr.core.forks import Fork
from stackr.core.model import Stack
from stackr.core.ports import ForgeFacts, LocalState
from stackr.core.trunk import TrunkChoice
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """That a commit is a certain change with a certain head branch."""

    change_id: str
    head_ref: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look at and how hard.

    ``template`` and ``user`` name head branches (core.identity.head_ref); ``writes`` refuses a repository in the
    middle of a rebase before anything else is asked; ``sync`` fetches trunk at once and looks for what landed;
    ``landing`` asks for the rules of trunk and for open issues with the label that ``sev_label`` names, given trunk's
    commit (``None``: it is not here); ``native`` asks for
    GitHub's own stacks, at once if one of ``known_pulls`` (numbers by head branch, as remembered here) is of this one;
    ``claims`` says, by commit id, which changes commits are that do not say it themselves; ``fork`` is where the head
    branches are, if not on ``remote``.
    """

    remote: str
    user: str
    template: str
    trunk: TrunkChoice = field(default_factory=TrunkChoice)
    fetch: bool = True
    writes: bool = False
    sync: bool = False
    details: bool = False
    checks: bool = False
    landing: bool = False
    sev_label: Callable[[str | None], str] | None = None
    native: bool = False
    known_pulls: Mapping[str, int] = field(default_factory=dict)
    claims: Mapping[str, Claim] = field(default_factory=dict)
    fork: Fork | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """A stack and where it came from; ``facts`` is ``None`` when nobody asked GitHub."""

    stack: Stack
    state: LocalState
    facts: ForgeFacts | None
    warnings: tuple[str, ...] = ()
