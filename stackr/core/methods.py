"""By which way a stack lands: the repository's default, or the one asked for if it can be used at all.

docs/internals/protocol.md 7.2. A way that cannot work is refused by name before anything is written, with the ways that
can.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackr.core.rules import LandingFacts, Method
from stackr.errors import Refused

# The order in which a way is chosen when nobody names one, the safest for the stack first.
DIRECT = (Method.SQUASH, Method.REBASE, Method.MERGE)
_DEFAULTS = (Method.NATIVE, Method.QUEUE, *DIRECT)


def choose_method(asked: Method | None, facts: LandingFacts, trunk: str, *, is_native: bool) -> Method:
    """The way to land; ``asked`` is the flag or the setting. Raises ``Refused`` naming what the repository allows.

    ``is_native``: the stack is registered as one of GitHub's own.
    """
    usable = list_usable(facts, is_native=is_native)
    if asked is None:
        chosen = next((method for method in _DEFAULTS if method in usable), None)
        if chosen is None:
            raise Refused(f'nothing lands on "{trunk}": {_why_not(Method.SQUASH, facts)}', next_step=_instead(usable))
        return chosen
    if asked not in usable:
        raise Refused(
            f'"{asked.value}" cannot be used for "{trunk}": {_why_not(asked, facts, is_native)}',
            next_step=_instead(usable),
        )
    return asked


def list_usable(facts: LandingFacts, *, is_native: bool) -> tuple[Method, ...]:
    """Every way that the repository allows, in the order of ``Method``."""
    return tuple(method for method in Method if not _why_not(method, facts, is_native))


def merge_kind(facts: LandingFacts) -> Method:
    """How GitHub shall merge when it does so later (auto-merge) or all at once (a native stack); the queue knows."""
    return next((method for method in _direct(facts)), Method.SQUASH)


def _direct(facts: LandingFacts) -> Iterator[Method]:
    rules = facts.rules
    for method in DIRECT:
        is_allowed = method in facts.methods and (rules.methods is None or method in rules.methods)
        if is_allowed and not (method is Method.MERGE and rules.linear):
            yield method


def _why_not(method: Method, facts: LandingFacts, is_native: bool = False) -> str:
    """What stands in the way of a method; ``""`` if nothing does."""
    rules = facts.rules
    if method is Method.NATIVE:
        return "" if is_native else "this stack is not registered with GitHub's own stacks"
    if is_native and method is not Method.PUSH:
        return "GitHub merges a registered stack as a whole only"
    if method is Method.PUSH:
        return "" if rules.pushable else f"{_source(facts, 'pushable')} forbids pushing to it"
    if method is Method.QUEUE:
        return "" if rules.queue else "it has no merge queue"
    if method is Method.AUTO:
        return "" if facts.auto else "auto-merge is off in this repository"
    if rules.queue:
        return f"{_source(facts, 'queue')} wants everything to go through the merge queue"
    if method in _direct(facts):
        return ""
    if method in facts.methods:
        name = "methods" if rules.methods is not None and method not in rules.methods else "linear"
        return f"{_source(facts, name)} does not allow it"
    return "it is switched off in this repository's settings"


def _source(facts: LandingFacts, name: str) -> str:
    return facts.rules.sources.get(name, "a rule")


def _instead(usable: Sequence[Method]) -> str:
    if not usable:
        return "ask somebody who may change the repository's rules (stackr status shows where the stack stands)"
    names = ", ".join(method.value for method in usable)
    return f"stackr land --method {usable[0].value} (possible here: {names})"
