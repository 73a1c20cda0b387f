"""What stands in the way of a landing, said before anything is changed: by pull request and rule, with what to do.

docs/internals/protocol.md 7.1. Reviews count for the commit they were given on, whatever GitHub itself still counts.
Not here: the classes of failed jobs (``core.triage``), and how a landing goes on (``core.land``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from stackr.core.body import merge
from stackr.core.fates import Fate, name
from stackr.core.land import Prospect, Wanted, moves_head
from stackr.core.model import Change, PullRequest, PullState, Stack
from stackr.core.options import SubmitOptions
from stackr.core.ownership import BRANCHES, KEPT, REVIEWED, Ownership, ownership
from stackr.core.pulls import describe, final_base
from stackr.core.rules import LandingFacts, MergeState, Method, PullStanding
from stackr.core.triage import Kind, Verdict
from stackr.core.words import counted
from stackr.errors import Refused
from stackr.records import dataclass

BLOCKING_LABEL = "merge blocking"
# More failures than that at once are no accident any more, whatever each of them looks like.
MOST_WAIVED = 10
# What GitHub itself waits for, because a rule of its own asks for it.
_AWAITED = {
    Method.AUTO: frozenset({"approval", "threads", "check-pending", "check-missing"}),
    Method.QUEUE: frozenset({"check-pending"}),
}


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


def list_obstacles(question: Question) -> tuple[Obstacle, ...]:
    """Everything in the way of the group, bottom first; what stands above a blocked change waits for it."""
    found: list[Obstacle] = []
    waits = _AWAITED.get(question.method, frozenset())
    stopper: Change | None = None
    for index, change in enumerate(question.prospect.group):
        every = (*_of_sevs(question, change, index), *_of_change(question, change, index))
        own = [obstacle for obstacle in every if not (obstacle.source and obstacle.rule in waits)]
        found += own
        if stopper is not None and not own:
            found.append(Obstacle(change.id, "below", f"waits for {name(stopper)} below it", "", passes=True))
        stopper = stopper or (change if own else None)
    return tuple(found)


def ready(prospect: Prospect, obstacles: Sequence[Obstacle]) -> int:
    """How many of the lowest changes have nothing in their way."""
    blocked = {obstacle.change_id for obstacle in obstacles}
    return next((i for i, change in enumerate(prospect.group) if change.id in blocked), prospect.count)


def list_waived(question: Question) -> tuple[str, ...]:
    """One sentence for every job that failed and does not count, bottom first."""
    return tuple(
        f'{name(change)}: "{job.job}" failed and is waived ({_why(job)})'
        for change, job in _waivable(question)
        if _is_waived(question, change, job)
    )


def failing(question: Question) -> frozenset[tuple[str, str]]:
    """(change id, job) of everything in the group that has failed."""
    return frozenset((c.id, job.job) for c in question.prospect.group for job in question.jobs(c) if _has_failed(job))


def list_warnings(question: Question) -> Iterator[str]:
    """What nobody has to do anything about, but should know before it lands."""
    for sev in question.facts.sevs:
        if BLOCKING_LABEL not in sev.labels:
            yield f"open SEV #{sev.number}: {sev.title}"
    for change in question.prospect.group:
        older = _older_approvals(question, change)
        if older and question.facts.rules.approvals == 0:
            yield f"{name(change)}: {_approved_older(older, change)}"


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
            because = _because(sources.get("dismisses_stale", ""))
            yield f"{name(change)} loses its approvals when it is retargeted to {stack.trunk.name}{because}"
    for index in sorted({0, count} & set(range(len(question.prospect.group)))):
        if needs_another(question, index):
            who, because = name(stack.changes[index]), _because(sources.get("last_push_approval", ""))
            yield f"{who} has to be pushed before it lands, and then needs another approval{because}"


def _because(source: str) -> str:
    return f" ({source})" if source else ""


def blocked(question: Question, obstacles: Sequence[Obstacle]) -> Refused:
    """The error that names everything in the way, with the pieces for programs."""
    prospect = question.prospect
    changes = {change.id: change for change in prospect.group}
    count = len({obstacle.change_id for obstacle in obstacles})
    rows = [f"    {name(changes[o.change_id])}: {sentence(o)}" for o in obstacles]
    trunk = prospect.stack.trunk.name
    head = f"{count} of {counted(len(changes), 'change')} cannot land on {trunk}"
    error = Refused("\n".join([head, *rows]), next_step=_what_next(prospect, obstacles))
    error.details = {"obstacles": [_piece(changes[o.change_id], o) for o in obstacles]}
    return error


def sentence(obstacle: Obstacle) -> str:
    """What is the matter, by which rule, and what to do."""
    return f"{obstacle.text}{_because(obstacle.source)}" + (f"; {obstacle.next}" if obstacle.next else "")


def _piece(change: Change, obstacle: Obstacle) -> dict[str, object]:
    return {
        "id": change.id,
        "number": change.pull.number if change.pull else None,
        "rule": obstacle.rule,
        "message": obstacle.text,
        "source": obstacle.source or None,
        "next": obstacle.next or None,
    }


def _what_next(prospect: Prospect, obstacles: Sequence[Obstacle]) -> str:
    count = ready(prospect, obstacles)
    if count:
        names = ", ".join(f"#{change.pull.number}" for change in prospect.group[:count] if change.pull)
        return f"stackr land --ready lands {names}; the rest when that is mended"
    return "mend that, then stackr land again"


def _of_sevs(question: Question, change: Change, index: int) -> Iterator[Obstacle]:
    for sev in question.facts.sevs if index == 0 else ():
        if BLOCKING_LABEL in sev.labels:
            text = f"SEV #{sev.number} blocks landings: {sev.title}"
            yield Obstacle(change.id, "sev", text, f"wait until it is closed: {sev.url}", forcible=True)


def _of_change(question: Question, change: Change, index: int) -> Iterator[Obstacle]:
    if (ended := _ended(question, change)) is not None:
        yield ended
        return
    assert change.pull is not None, "a change without a pull request has ended above"
    yield from _of_local_state(question, change, index)
    yield from _of_base(question, change, change.pull, index)
    if change.pull.draft:
        yield Obstacle(change.id, "draft", "it is a draft", "mark it ready (stackr submit --ready)")
    reviews = tuple(_of_reviews(question, change, change.pull))
    jobs = tuple(_of_jobs(question, change))
    yield from reviews
    yield from jobs
    if not (reviews or jobs):
        yield from _of_github(question, change, change.pull)


def _ended(question: Question, change: Change) -> Obstacle | None:
    """A change that cannot land as it is: it has no open pull request, or that is not this change's any more."""
    pull, fate = change.pull, question.found[change.id]
    if pull is None:
        return Obstacle(change.id, "unsubmitted", "it has no pull request", "stackr submit")
    if fate is Fate.MISPLACED:
        text = f'it was merged into "{pull.base_ref}", which is not {question.prospect.stack.trunk.name}'
        return Obstacle(change.id, "wrong-base", text, "stackr sync keeps it as a new change, stackr submit sends that")
    if fate is Fate.AMENDED:
        return Obstacle(change.id, "unsubmitted", "it landed, and was amended since", "stackr sync, then stackr submit")
    if pull.state is not PullState.OPEN:
        return Obstacle(change.id, "closed", "its pull request is closed", "stackr submit --reopen")
    return None


def _of_local_state(question: Question, change: Change, index: int) -> Iterator[Obstacle]:
    prospect, stack = question.prospect, question.prospect.stack
    if ownership(change, stack) is Ownership.FOREIGN:
        names = sorted({commit.author_name or "somebody" for commit in stack.foreign.get(change.id, ())})
        text = f"{' and '.join(names) or 'somebody'} pushed to its branch, and you have not seen that here"
        yield Obstacle(change.id, "foreign", text, "stackr sync takes it in; then have a look, and stackr submit")
    elif not _is_sent(prospect, change):
        yield Obstacle(change.id, "out-of-date", "what is here is not what is on GitHub", "stackr submit")
    elif _is_reworded(question, change, index):
        yield Obstacle(change.id, "out-of-date", "its commit message was changed and not submitted", "stackr submit")
    if prospect.conflict is not None and prospect.conflict.label == change.commit.oid:
        files = ", ".join(f'"{path}"' for path in prospect.conflict.paths)
        text = f"it no longer applies on {stack.trunk.name} (conflict in {files})"
        yield Obstacle(change.id, "conflict", text, "stackr sync --resolve")
    elif (clean := prospect.clean.get(change.id)) is not None and clean.oid == clean.parent:
        text = f"nothing of it is left: {stack.trunk.name} has all of it"
        yield Obstacle(change.id, "empty", text, "stackr sync drops it; close its pull request")


def _is_sent(prospect: Prospect, change: Change) -> bool:
    """Whether the head on GitHub has what is here: as it was submitted, or as an earlier landing prepared it."""
    tree = prospect.stack.trees.get(change.remote_head or "")
    clean = prospect.clean.get(change.id)
    is_kept = prospect.stack.own_refs.get(KEPT + change.id) == change.commit.oid
    return is_kept or tree == change.commit.tree or (clean is not None and tree == clean.tree)


def _is_reworded(question: Question, change: Change, index: int) -> bool:
    """Whether the commit says something that a submit would put into the pull request."""
    stack, now = question.prospect.stack, change.pull
    assert now is not None, "without a pull request it was never sent"
    wanted = describe(stack, index, range(len(stack.changes)), SubmitOptions())
    numbers = {c.id: c.pull.number for c in stack.changes if c.pull}
    merged = merge(now.title, now.body, wanted, numbers)
    listed = merge(now.title, now.body, replace(wanted, list_only=True), numbers)
    return (merged.title, merged.body) != (None, listed.body)


def _of_base(question: Question, change: Change, pull: PullRequest, index: int) -> Iterator[Obstacle]:
    prospect, stack = question.prospect, question.prospect.stack
    expected = {stack.trunk.name, final_base(stack, index)}
    if index == 0:
        expected |= _landed_refs(stack)
    if pull.base_ref not in expected:
        text = f'it targets "{pull.base_ref}"'
        yield Obstacle(change.id, "wrong-base", text, "stackr submit gives it its place in the stack again")
    # GitHub brings its own stacks up to date itself, and clean commits are always on trunk's tip.
    stays_behind = question.method is not Method.NATIVE and not question.wanted.lands_clean
    if stays_behind and prospect.is_behind(index):
        below = "" if index == 0 else f" when {name(stack.changes[index - 1])} has landed"
        text = f"its branch {'is' if index == 0 else 'will be'} behind {stack.trunk.name}{below}"
        todo = "stackr land --wait brings it up to date and waits for its checks"
        source = question.facts.rules.sources.get("strict", "")
        yield Obstacle(change.id, "behind", text, todo, source, passes=True)


def _landed_refs(stack: Stack) -> set[str]:
    """Branches of ours that no live pull request has: what landed, from which GitHub may not have retargeted yet."""
    ours = {ref.removeprefix(BRANCHES) for ref in stack.own_refs if ref.startswith(BRANCHES)}
    return ours - {change.head_ref for change in stack.changes} - {orphan.pull.head_ref for orphan in stack.orphans}


def _of_reviews(question: Question, change: Change, pull: PullRequest) -> Iterator[Obstacle]:
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
    if missing > 0 and (older := _older_approvals(question, change)):
        text = _approved_older(older, change)
        yield Obstacle(change.id, "stale-approval", text, "ask for another look at it", source, forcible=True)
    elif missing > 0:
        text = f"it needs {counted(missing, 'more approving review' if approving else 'approving review')}"
        yield Obstacle(change.id, "approval", text, "ask for a review", source, forcible=True)
    threads = _standing(question, pull).threads
    if rules.resolved_threads and threads:
        text = f"{counted(threads, 'conversation')} on it {'is' if threads == 1 else 'are'} not resolved"
        source = rules.sources.get("resolved_threads", "")
        yield Obstacle(change.id, "threads", text, f"resolve them: {pull.url}", source, forcible=True)


def _seen(question: Question, change: Change) -> set[str]:
    """The heads on which an approval counts: the present one, and the one that a landing brought up to date."""
    counts_before = not question.facts.rules.last_push_approval
    before = question.prospect.stack.own_refs.get(REVIEWED + change.id) if counts_before else None
    return {oid for oid in (change.remote_head, before) if oid is not None}


def _older_approvals(question: Question, change: Change) -> list[tuple[str, str]]:
    """(login, commit) of approvals for an older head, by login."""
    votes = change.pull.votes if change.pull else ()
    seen = _seen(question, change)
    return sorted((vote.login, vote.commit) for vote in votes if vote.state == "APPROVED" and vote.commit not in seen)


def _approved_older(older: Sequence[tuple[str, str]], change: Change) -> str:
    who = " and ".join(f"{login} ({commit[:7]})" for login, commit in older)
    return f"approved by {who} for an older version than {(change.remote_head or '')[:7]}"


def _of_jobs(question: Question, change: Change) -> Iterator[Obstacle]:
    for job in question.jobs(change):
        if not _is_waived(question, change, job):
            yield _of_job(question, change, job)


def _of_job(question: Question, change: Change, job: Verdict) -> Obstacle:
    source = question.facts.rules.sources.get("checks", "") if job.required else ""
    trunk = question.prospect.stack.trunk.name
    name, passes = f'"{job.job}"', job.kind is Kind.PENDING
    if job.kind is Kind.MISSING:
        # Workflows that are filtered to trunk begin when the pull request targets it.
        passes = change.pull is not None and change.pull.base_ref != trunk
        rule, text = "check-missing", f"{name} is required and never ran on {(change.remote_head or '')[:7]}"
        todo = f"it may begin once this targets {trunk} (stackr land --wait)" if passes else "let it run on this branch"
    elif job.kind is Kind.AWAITING:
        rule, text, todo = "check-pending", f"{name} waits for somebody to approve its run", f"approve it: {job.link}"
    elif passes:
        rule, text, todo = "check-pending", f"{name} is not through yet", "wait for it (stackr land --wait)"
    else:
        rule, text = "check-failed", f"{name} failed ({_why(job)})"
        todo = "mend it, or run it again (stackr status --ci tells more)"
    return Obstacle(change.id, rule, text, todo, source, forcible=True, passes=passes)


def _has_failed(job: Verdict) -> bool:
    return not job.kind.is_waiting


def _is_waived(question: Question, change: Change, job: Verdict) -> bool:
    """Whether a failure does not count; what GitHub itself requires can only be waived where GitHub is not asked."""
    if not _has_failed(job) or (job.required and question.method is not Method.PUSH):
        return False
    return (change.id, job.job) in question.ignored or (job.waivable and len(_waivable(question)) <= MOST_WAIVED)


def _waivable(question: Question) -> tuple[tuple[Change, Verdict], ...]:
    return tuple((c, job) for c in question.prospect.group for job in question.jobs(c) if job.waivable)


def _why(job: Verdict) -> str:
    return f"{job.label}: {job.cause}" if job.cause else job.label


def _of_github(question: Question, change: Change, pull: PullRequest) -> Iterator[Obstacle]:
    """GitHub says no to a pull request on trunk, and we cannot see why: code owners, deployments, a hidden rule."""
    is_asked = pull.base_ref == question.prospect.stack.trunk.name and question.method is not Method.PUSH
    if is_asked and not pull.draft and _standing(question, pull).merge_state is MergeState.BLOCKED:
        owners = ", which wants an approval by a code owner" if question.facts.rules.code_owners else ""
        text = f"GitHub blocks the merge by a rule of the branch{owners}"
        yield Obstacle(change.id, "blocked", text, f"see which: {pull.url}", forcible=True)


def _standing(question: Question, pull: PullRequest) -> PullStanding:
    return question.facts.standings.get(pull.number, PullStanding())
