"""What the pull requests of a stack have to be and to say: bases, stack list, creates and updates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stackr.core import body
from stackr.core.belongings import is_somebody_elses
from stackr.core.forks import review_line
from stackr.core.model import Change, PullRequest, PullState, Stack
from stackr.core.options import SubmitOptions
from stackr.core.plan import CreatePull, Plan, UpdatePull
from stackr.core.said import is_news, words_of
from stackr.records import dataclass

# Room in a description for one list row whose number is not known yet: arrow, number, line end.
_ROW_ROOM = 24


def final_base(stack: Stack, index: int) -> str:
    """The base a change's pull request has to have: the branch below, trunk at the bottom, and from a fork always."""
    return stack.changes[index - 1].head_ref if index and stack.fork is None else stack.trunk.name


def stack_rows(stack: Stack, active: Sequence[int]) -> tuple[body.Row, ...]:
    """The stack list, bottom first: what landed, then every change that has or is about to get a pull request."""
    landed = [body.Row(number=number, landed=True) for number in stack.landed_numbers]
    alive = [
        body.Row(change.id, change.pull.number if change.pull else None)
        for index, change in enumerate(stack.changes)
        if index in active or _is_open(change)
    ]
    return (*landed, *alive)


def describe(
    stack: Stack,
    index: int,
    active: Sequence[int],
    options: SubmitOptions,
    rows: tuple[body.Row, ...] | None = None,
) -> body.Description:
    """What the pull request of the change at ``index`` has to say; outside the submitted part, only its list.

    ``rows`` is the stack list, for who has it already: it is the same for all of them.
    """
    change = stack.changes[index]
    rows = stack_rows(stack, active) if rows is None else rows
    return body.Description(
        change.id,
        *words_of(change.commit),
        rows if len(rows) > 1 else (),
        options.template,
        options.update_fields,
        list_only=index not in active,
        taken_over=options.taken_over,
        review=review_line(stack.fork, stack.changes[index - 1].head_ref if index else None, change.head_ref),
        said=stack.said.get(change.id),
    )


def plan_creates(stack: Stack, active: Sequence[int], options: SubmitOptions) -> Iterator[CreatePull]:
    """Pull requests that do not exist yet, bottom first."""
    rows = stack_rows(stack, active)
    for index in active:
        change = stack.changes[index]
        if change.pull is None:
            draft = options.new_draft if options.draft is None else options.draft
            wanted = describe(stack, index, active, options, rows)
            yield CreatePull(change.id, change.head_ref, final_base(stack, index), change.title, wanted, draft)


@dataclass(frozen=True, slots=True)
class Updates:
    """Updates of pull requests, bottom first, and what goes with them.

    There is a note for every text that is kept as it is on GitHub; ``said`` holds the ids of changes whose words will
    be on their pages then, and were not, as far as this clone knew.
    """

    pulls: tuple[UpdatePull, ...]
    notes: tuple[str, ...]
    said: tuple[str, ...]


def plan_updates(stack: Stack, active: Sequence[int], options: SubmitOptions, parked: set[int]) -> Updates:
    """What existing pull requests have to become; ``parked`` are the numbers of those that will be on trunk by then."""
    updates: list[UpdatePull | None] = []
    notes: list[str] = []
    said: list[str] = []
    rows = stack_rows(stack, active)
    for index, change in enumerate(stack.changes):
        wanted = describe(stack, index, active, options, rows)
        if change.pull is None:
            updates.append(_complete_new(change, wanted, options) if index in active else None)
        elif is_somebody_elses(change, stack) and not options.others:
            # Their own submit keeps their list; ours would go back and forth with it.
            continue
        elif index in active:
            base = _new_base(change.pull, final_base(stack, index), stack.trunk.name, parked)
            merged = _merged(stack, change.pull, wanted)
            updates.append(_update(stack, change.pull, wanted, merged, options, base))
            notes += _kept_notes(change.pull, merged)
            said += [change.id] if is_news(change, merged, stack) else []
        elif _is_open(change):
            updates.append(_list_update(stack, change.pull, wanted))
    return Updates(tuple(filter(None, updates)), tuple(notes), tuple(said))


def _is_open(change: Change) -> bool:
    return change.pull is not None and change.pull.state is PullState.OPEN


def _complete_new(change: Change, wanted: body.Description, options: SubmitOptions) -> UpdatePull | None:
    """What a pull request cannot be given when it is created: the list (the numbers are not known), people, labels."""
    reviewers = options.reviewers or options.new_reviewers
    labels = options.labels or options.new_labels
    if not (wanted.rows or reviewers or labels):
        return None
    description = wanted if wanted.rows else None
    return UpdatePull(change.id, None, None, description=description, reviewers=reviewers, labels=labels)


def others(reviewers: Sequence[str], author: str) -> tuple[str, ...]:
    """The reviewers without the author: GitHub refuses to ask people about their own work, a team's list names all."""
    return tuple(name for name in reviewers if name.strip().removeprefix("@").lower() != author.lower())


def _merged(stack: Stack, pull: PullRequest, wanted: body.Description) -> body.Merged:
    return body.merge(pull.title, pull.body, wanted, _numbers(stack))


def _update(
    stack: Stack,
    pull: PullRequest,
    wanted: body.Description,
    merged: body.Merged,
    options: SubmitOptions,
    base: str | None,
) -> UpdatePull | None:
    draft = options.draft if options.draft not in (None, pull.draft) else None
    description = _pending(stack, pull, wanted, merged)
    reviewers = others(options.reviewers, pull.author)
    if base is None and description is None and draft is None and not (reviewers or options.labels):
        return None
    return UpdatePull(wanted.change_id, pull.number, pull.node_id, base, description, draft, reviewers, options.labels)


def _list_update(stack: Stack, pull: PullRequest, wanted: body.Description) -> UpdatePull | None:
    return _update(stack, pull, wanted, _merged(stack, pull, wanted), SubmitOptions(), None)


def plan_lists(stack: Stack) -> Iterator[UpdatePull]:
    """Bring just the stack lists of one's own open pull requests up to date, bottom first."""
    for index, change in enumerate(stack.changes):
        if change.pull is not None and _is_open(change) and not is_somebody_elses(change, stack):
            update = _list_update(stack, change.pull, describe(stack, index, (), SubmitOptions()))
            if update is not None:
                yield update


def _new_base(pull: PullRequest, final: str, trunk: str, parked: set[int]) -> str | None:
    """The base to set, or ``None``: a native stack refuses even an unchanged ``base``, so never send one."""
    present = trunk if pull.number in parked else pull.base_ref
    return final if final != present else None


def _numbers(stack: Stack) -> dict[str, int]:
    return {change.id: change.pull.number for change in stack.changes if change.pull}


def _pending(stack: Stack, pull: PullRequest, wanted: body.Description, merged: body.Merged) -> body.Description | None:
    """What of ``wanted`` would change, now or once all pull requests have numbers: anything, just the list, nothing."""
    just_list = replace(wanted, list_only=True)
    listed = merged if wanted.list_only else _merged(stack, pull, just_list)
    if (merged.title, merged.body) != (None, listed.body):
        return wanted
    is_waiting = any(row.number is None for row in wanted.rows)
    return just_list if listed.body is not None or is_waiting else None


def _kept_notes(pull: PullRequest, merged: body.Merged) -> Iterator[str]:
    reasons = dict.fromkeys(merged.kept, "edited on GitHub")
    reasons |= dict.fromkeys(merged.elsewhere, "changed from another clone")
    for name, reason in reasons.items():
        yield (
            f"the {name} of #{pull.number} was {reason} and is kept; "
            "stackr submit --update-fields replaces it with the commit message"
        )


def people(plan: Plan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All reviewers and all labels that a plan names, each once."""
    updates = [action for action in plan.actions if isinstance(action, UpdatePull)]
    reviewers = dict.fromkeys(name for update in updates for name in update.reviewers)
    labels = dict.fromkeys(name for update in updates for name in update.labels)
    return tuple(reviewers), tuple(labels)


def body_lengths(stack: Stack, active: Sequence[int], options: SubmitOptions) -> list[tuple[Change, int]]:
    """How long, in characters, each submitted description may become with its list."""
    lengths = []
    for index in active:
        change = stack.changes[index]
        wanted = describe(stack, index, active, options)
        if change.pull is None:
            text = body.new_body(wanted, _numbers(stack))
        else:
            text = _merged(stack, change.pull, wanted).body or ""
        waiting = sum(row.number is None for row in wanted.rows)
        lengths.append((change, len(text) + _ROW_ROOM * waiting))
    return lengths
