"""What reviews mean for a landing: which are missing or were given for something else, and which get lost on the way.

docs/internals/protocol.md 7.1. Reviews count for the commit they were given on, whatever GitHub itself still counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackr.core.fates import name
from stackr.core.land import moves_head
from stackr.core.model import Change, PullRequest
from stackr.core.obstacles import Obstacle, Question, because
from stackr.core.ownership import REVIEWED
from stackr.core.rules import Method
from stackr.core.words import counted


def loses_approvals(question: Question, change: Change) -> bool:
    """Whether a change loses its approvals when it is retargeted to trunk.

    GitHub then dismisses them where the branch has that rule ("The base branch was changed."):
    https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets
    """
    rules, pull = question.facts.rules, change.pull
    is_retargeted = pull is not None and pull.base_ref != question.prospect.stack.trunk.name
    is_approved = pull is not None and any(vote.state == "APPROVED" for vote in pull.votes)
    return rules.dismisses_stale and is_retargeted and is_approved and question.method is not Method.NATIVE


def landable(question: Question) -> int:
    """How many of the lowest changes one landing can land: it ends below one that loses approvals which it needs."""
    group = question.prospect.group
    if question.method is Method.PUSH or not question.facts.rules.approvals:
        return len(group)
    losing = (i for i, c in enumerate(group) if i and (loses_approvals(question, c) or needs_another(question, i)))
    return next(losing, len(group))


def needs_another(question: Question, index: int) -> bool:
    """Whether a change needs another approval when it lands, since its head has to be pushed just before."""
    if not question.facts.rules.last_push_approval or question.method in (Method.PUSH, Method.NATIVE):
        return False
    return moves_head(question.prospect, index, question.wanted)


def list_losses(question: Question, count: int) -> Iterator[str]:
    """What becomes of approvals when the ``count`` lowest changes land, as far as it is in the way of something."""
    stack, sources = question.prospect.stack, question.facts.rules.sources
    for change in stack.changes[count : count + 1]:
        if loses_approvals(question, change):
            source = because(sources.get("dismisses_stale", ""))
            yield f"{name(change)} loses its approvals when it is retargeted to {stack.trunk.name}{source}"
    for index in sorted({0, count} & set(range(len(question.prospect.group)))):
        if needs_another(question, index):
            who, source = name(stack.changes[index]), because(sources.get("last_push_approval", ""))
            yield f"{who} has to be pushed before it lands, and then needs another approval{source}"


def list_lacking(question: Question, change: Change, pull: PullRequest) -> Iterator[Obstacle]:
    """What reviewers have not said yet, or said no to."""
    rules = question.facts.rules
    critics = sorted(vote.login for vote in pull.votes if vote.state == "CHANGES_REQUESTED")
    if critics:
        text = f"{' and '.join(critics)} asked for changes"
        yield Obstacle(change.id, "changes-requested", text, "answer, and ask for another review", forcible=True)
    approving = {
        vote.login for vote in pull.votes if vote.state == "APPROVED" and vote.commit in _seen(question, change)
    }
    missing = rules.approvals - len(approving)
    source = rules.sources.get("approvals", "")
    if missing > 0 and (older := older_approvals(question, change)):
        text = approved_older(older, change)
        yield Obstacle(change.id, "stale-approval", text, "ask for another look at it", source, forcible=True)
    elif missing > 0:
        text = f"it needs {counted(missing, 'more approving review' if approving else 'approving review')}"
        yield Obstacle(change.id, "approval", text, "ask for a review", source, forcible=True)
    threads = question.standing(pull).threads
    if rules.resolved_threads and threads:
        text = f"{counted(threads, 'conversation')} on it {'is' if threads == 1 else 'are'} not resolved"
        source = rules.sources.get("resolved_threads", "")
        yield Obstacle(change.id, "threads", text, f"resolve them: {pull.url}", source, forcible=True)


def _seen(question: Question, change: Change) -> set[str]:
    """The heads on which an approval counts: the present one, and the one that a landing brought up to date."""
    counts_before = not question.facts.rules.last_push_approval
    before = question.prospect.stack.own_refs.get(REVIEWED + change.id) if counts_before else None
    return {oid for oid in (change.remote_head, before) if oid is not None}


def older_approvals(question: Question, change: Change) -> list[tuple[str, str]]:
    """(login, commit) of approvals for an older head, by login."""
    votes = change.pull.votes if change.pull else ()
    seen = _seen(question, change)
    return sorted((vote.login, vote.commit) for vote in votes if vote.state == "APPROVED" and vote.commit not in seen)


def approved_older(older: Sequence[tuple[str, str]], change: Change) -> str:
    """Who approved which older version, in words."""
    who = " and ".join(f"{login} ({commit[:7]})" for login, commit in older)
    return f"approved by {who} for an older version than {(change.remote_head or '')[:7]}"
