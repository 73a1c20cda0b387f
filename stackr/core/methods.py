"""By which way a stack lands: the repository's default, or the one asked for if it can be used at all.

docs/internals/protocol.md 7.2. A way that cannot work is refused by name before anything is written, with the ways that
can.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackr.core.rules import LandingFacts, Method
from stackr.errors import Refused

# The order in which a way is chosen when nobody names one, the safest for the stack first.
_DIRECT = (Method.SQUASH, Method.REBASE, Method.MERGE)
_DEFAULTS = (Method.NATIVE, Method.QUEUE, *_DIRECT)


def choose_method(
    asked: Method | None, facts: LandingFacts, trunk: str, *, is_native: bool, signs: bool = False
) -> Method:
    """The way to land; ``asked`` is the flag or the setting. Raises ``Refused`` naming what the repository allows.

    ``is_native``: the stack is registered as one of GitHub's own; ``signs``: what is committed here gets signed.
    """
    usable = list_usable(facts, is_native=is_native, signs=signs)
    if asked is None:
        chosen = next((method for method in _DEFAULTS if method in usable), None)
        if chosen is None:
            default = Method.QUEUE if facts.rules.queue else Method.SQUASH
            raise Refused(f'nothing lands on "{trunk}": {_why_not(default, facts)}', next_step=_instead(usable))
        return chosen
    if asked not in usable:
        raise Refused(
            f'"{asked.value}" cannot be used for "{trunk}": {_why_not(asked, facts, is_native, signs)}',
            next_step=_instead(usable),
        )
    return asked


def list_usable(facts: LandingFacts, *, is_native: bool, signs: bool = False) -> tuple[Method, ...]:
    """Every way that the repository allows, in the order of ``Method``."""
    return tuple(method for method in Method if not _why_not(method, facts, is_native, signs))


def merge_kind(facts: LandingFacts) -> Method:
    """How GitHub merges when it does so later (a queue, auto-merge) or all at once (a native stack)."""
    if facts.rules.queue:
        return facts.rules.queue_method
    return next(_direct(facts), Method.SQUASH)


def _direct(facts: LandingFacts) -> Iterator[Method]:
    return (method for method in _DIRECT if not _why_not_direct(method, facts))


def _why_not(method: Method, facts: LandingFacts, is_native: bool = False, signs: bool = False) -> str:
    """What stands in the way of a method; ``""`` if nothing does."""
    if method is Method.NATIVE:
        return "" if is_native else "this stack is not registered with GitHub's own stacks"
    if is_native and method is not Method.PUSH:
        return "GitHub merges a registered stack as a whole only"
    if method is Method.PUSH:
        return _why_no_push(facts, signs)
    if method in (Method.QUEUE, Method.AUTO):
        return _why_not_later(method, facts)
    if facts.rules.queue:
        return f"{_source(facts, 'queue')} wants everything to go through the merge queue"
    return _why_not_direct(method, facts)


def _why_no_push(facts: LandingFacts, signs: bool) -> str:
    if not facts.rules.pushable:
        return f"{_source(facts, 'pushable')} forbids pushing to it"
    if facts.rules.signed and not signs:
        return f"{_source(facts, 'signed')} wants signed commits, and git signs none here (commit.gpgSign)"
    return _why_no_moved_heads(facts)


def _why_not_later(method: Method, facts: LandingFacts) -> str:
    if method is Method.QUEUE and not facts.rules.queue:
        return "it has no merge queue"
    if method is Method.AUTO and not facts.auto:
        return "auto-merge is off in this repository"
    if facts.rules.queue:
        # What a queue rebases is signed by GitHub, as everything it makes.
        return _why_no_moved_heads(facts) if facts.rules.queue_method is Method.REBASE else ""
    nothing = _why_no_moved_heads(facts) or "none of squash, rebase and merge is allowed"
    return "" if any(_direct(facts)) else nothing


def _why_not_direct(method: Method, facts: LandingFacts) -> str:
    """What stands in the way of squash, rebase or merge, where there is no queue."""
    rules = facts.rules
    if method not in facts.methods:
        return "it is switched off in this repository's settings"
    if rules.methods is not None and method not in rules.methods:
        return f"{_source(facts, 'methods')} does not allow it"
    if method is Method.MERGE and rules.linear:
        return f"{_source(facts, 'linear')} does not allow it"
    if method is Method.REBASE and rules.signed:
        return f"{_source(facts, 'signed')} wants signed commits, and GitHub signs none that it rebases"
    return _why_no_moved_heads(facts) if method is Method.REBASE else ""


def _why_no_moved_heads(facts: LandingFacts) -> str:
    """Where commits land just as they are, every head has to move to its clean commit first (protocol 2.5)."""
    return "" if facts.forced_heads else "it moves the stack's own branches, and a rule forbids force-pushes to those"


def _source(facts: LandingFacts, name: str) -> str:
    return facts.rules.sources.get(name, "a rule")


def _instead(usable: Sequence[Method]) -> str:
    if not usable:
        return "ask somebody who may change the repository's rules (stackr status shows where the stack stands)"
    names = ", ".join(method.value for method in usable)
    return f"stackr land --method {usable[0].value} (possible here: {names})"
