"""What GitHub demands before a pull request may be merged, and how it may be merged: the facts a landing needs.

Read by ``stackr.github``, judged by ``core.preflight``, used by ``core.land``. Nothing here decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from stackr.core.model import Checks
from stackr.records import dataclass


class Method(str, Enum):
    """A way of landing, as ``--method`` names it (docs/internals/protocol.md 7.2)."""

    SQUASH = "squash"
    REBASE = "rebase"
    MERGE = "merge"
    QUEUE = "queue"
    AUTO = "auto"
    PUSH = "push"
    NATIVE = "native"


class MergeState(str, Enum):
    """GitHub's summary of whether a pull request can be merged into its present base.

    https://docs.github.com/en/graphql/reference/enums#mergestatestatus
    """

    BEHIND = "behind"
    BLOCKED = "blocked"
    CLEAN = "clean"
    DIRTY = "dirty"
    DRAFT = "draft"
    HAS_HOOKS = "has_hooks"
    UNKNOWN = "unknown"
    UNSTABLE = "unstable"


@dataclass(frozen=True, slots=True)
class TrunkRules:
    """The rules of one branch: rulesets and branch protection together, the stricter of two that say the same thing.

    ``approvals`` is the number of approving reviews needed; ``checks`` are the names of required checks;
    ``strict`` wants the head to contain the branch's tip; ``signed`` wants commits with a signature; ``methods`` is
    what a ruleset leaves of squash, rebase and merge (``None``: it does not say); ``queue_method`` is how a merge queue
    merges; ``pushable`` is whether the token's owner may push to the branch directly.
    ``sources`` names, by field, where a rule comes from (``ruleset "main"``, ``branch protection``).
    """

    approvals: int = 0
    dismisses_stale: bool = False
    last_push_approval: bool = False
    code_owners: bool = False
    resolved_threads: bool = False
    checks: tuple[str, ...] = ()
    strict: bool = False
    linear: bool = False
    signed: bool = False
    queue: bool = False
    queue_method: Method = Method.MERGE
    pushable: bool = True
    methods: frozenset[Method] | None = None
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sev:
    """An open issue that tells of broken infrastructure; ``labels`` tell whether it blocks landings."""

    number: int
    title: str
    url: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PullStanding:
    """How one pull request stands with its present base.

    ``queue`` is the state of its entry in a merge queue (GitHub's word in lower case: ``queued``, ``awaiting_checks``,
    ``mergeable``, ``unmergeable``, ``locked``; ``""``: not in one); ``auto`` whether auto-merge is on; ``threads`` the
    number of unresolved review threads, of the first hundred.
    """

    merge_state: MergeState = MergeState.UNKNOWN
    checks: Checks = Checks.NONE
    queue: str = ""
    auto: bool = False
    threads: int = 0


@dataclass(frozen=True, slots=True)
class LandingFacts:
    """What a landing has to know beyond the stack itself.

    ``methods`` holds those of squash, rebase and merge that the repository's settings allow, ``auto`` whether they
    allow auto-merge, ``deletes_heads`` whether they have GitHub delete what was merged. ``standings`` goes by pull
    request number. ``forced_heads`` is false where a rule forbids moving head branches to commits that do not contain
    their present one (``non_fast_forward`` on the stack's own branches).
    """

    rules: TrunkRules = TrunkRules()
    methods: frozenset[Method] = frozenset((Method.SQUASH, Method.REBASE, Method.MERGE))
    auto: bool = False
    deletes_heads: bool = False
    forced_heads: bool = True
    standings: Mapping[int, PullStanding] = field(default_factory=dict)
    sevs: tuple[Sev, ...] = ()
