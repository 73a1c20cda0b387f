"""Carries a ``Plan`` out in the order in which it stands; the only writer.

Nothing is decided here, with one exception that cannot be decided earlier: the text of a pull request is merged against
what stands on GitHub at the moment of writing, by the same pure function that planned it (core.body.merge).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from itertools import groupby
from typing import Any

from stackr.core import body
from stackr.core.broken import pieces, safe_line
from stackr.core.model import Change, Mergeable, PullRequest, PullState, Review, Stack
from stackr.core.plan import (
    Action,
    ClosePull,
    Comment,
    CreatePull,
    DeleteRefs,
    LinkStack,
    MergePull,
    MoveRefs,
    Park,
    Plan,
    Push,
    PushRefs,
    RefMove,
    Reopen,
    SetConfig,
    UnlinkStack,
    UpdatePull,
    WriteCommit,
)
from stackr.core.ports import Forge, Merge, NewPull, PullEdit, PullText, RefUpdate, Repo, Ui
from stackr.core.pulls import others
from stackr.core.words import counted
from stackr.errors import Interrupted, Refused, StackrError
from stackr.linking import Linking
from stackr.pushing import push_all
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """The stack as it is afterwards, the object ids that labels of the plan became, and what of the plan was done.

    All of it was, but perhaps not what it says of GitHub's own stacks.
    """

    stack: Stack
    oids: dict[str, str]
    done: Plan


def execute(plan: Plan, stack: Stack, repo: Repo, forge: Forge, ui: Ui) -> Outcome:
    """Carry out every action of ``plan``; raises at the first that fails, and a rerun finishes what is left.

    What is done by then is in the error's ``safe`` line, and in its ``details``.
    """
    run = _Run(plan, stack, repo, forge, ui)
    done: list[Action] = []
    for kind, group in groupby(plan.actions, type):
        actions = tuple(group)
        try:
            with _interruptions():
                run.carry_out(kind, actions)
        except StackrError as error:
            _tell(error, pieces(done, actions, run.oids, run.numbers()))
            error.safe = safe_line(done, error.safe)
            raise
        done += actions
    return run.outcome()


def _tell(error: StackrError, broken: Mapping[str, Any]) -> None:
    """Tell programs where a run broke off; a refusal before anything was done is none that did."""
    if broken["actions"] or not isinstance(error, Refused):
        error.details = {**broken, **error.details}


@contextmanager
def _interruptions() -> Iterator[None]:
    """Ctrl-C is an error like any other: programs want to know what was done before it."""
    try:
        yield
    except KeyboardInterrupt:
        safe, again = "every step is safe to stop after", "run the same command again; it goes on from here"
        raise Interrupted("interrupted", safe=safe, next_step=again) from None


def execute_local(plan: Plan, repo: Repo) -> dict[str, str]:
    """Carry out a plan that only writes commits and moves local refs; returns object ids by label."""
    writes = [action for action in plan.actions if isinstance(action, WriteCommit)]
    moves = [action for action in plan.actions if isinstance(action, MoveRefs)]
    oids = repo.write_commits([action.commit for action in writes])
    for index, action in enumerate(moves):
        try:
            repo.move_refs(_resolved(action.moves, oids), action.reason, action.files, action.index)
        except StackrError as error:
            if index:
                error.safe = "a part of it is done; stackr undo takes that back"
            _tell(error, pieces((*writes, *moves[:index]), (action,), oids, {}))
            raise
    return oids


def _resolved(moves: Sequence[RefMove], oids: Mapping[str, str]) -> list[RefMove]:
    """The moves with object ids in place of labels."""
    return [
        RefMove(move.ref, move.old and oids.get(move.old, move.old), move.new and oids.get(move.new, move.new))
        for move in moves
    ]


@dataclass(slots=True)
class _Run:
    """What is known so far: object ids by label, pull requests by change id, texts on GitHub by number.

    ``based`` are the numbers that have their new base already.
    """

    plan: Plan
    stack: Stack
    repo: Repo
    forge: Forge
    ui: Ui
    oids: dict[str, str] = field(default_factory=dict)
    created: dict[str, PullRequest] = field(default_factory=dict)
    texts: dict[int, PullText] = field(default_factory=dict)
    based: set[int] = field(default_factory=set)
    is_stale: bool = False
    linking: Linking = field(init=False)

    def __post_init__(self) -> None:
        self.linking = Linking(self.forge, self.ui)

    def carry_out(self, kind: type[Action], actions: Sequence[Action]) -> None:
        """One run of actions of the same kind."""
        steps: Mapping[type[Action], Callable[..., None]] = {
            WriteCommit: self._write,
            MoveRefs: self._move,
            SetConfig: self._configure,
            UnlinkStack: self.linking.unlink,
            Park: self._park,
            PushRefs: self._push,
            Reopen: self._reopen,
            ClosePull: self._close,
            CreatePull: self._create,
            UpdatePull: self._update,
            LinkStack: self._link,
            Comment: self._comment,
            MergePull: self._merge,
            DeleteRefs: self._delete,
        }
        steps[kind](actions)

    def _oid(self, name: str) -> str:
        return self.oids.get(name, name)

    def _write(self, actions: Sequence[WriteCommit]) -> None:
        self.oids |= self.repo.write_commits([action.commit for action in actions])

    def _move(self, actions: Sequence[MoveRefs]) -> None:
        for action in actions:
            self.repo.move_refs(_resolved(action.moves, self.oids), action.reason, action.files, action.index)

    def _configure(self, actions: Sequence[SetConfig]) -> None:
        for action in actions:
            self.repo.set_config(action.key, action.value)

    def _park(self, actions: Sequence[Park]) -> None:
        self.ui.step(f"parking {counted(len(actions), 'pull request')}")
        self.forge.update_pulls([PullEdit(a.number, a.node_id, base=a.base_ref) for a in actions])
        self.is_stale = True

    def _push(self, actions: Sequence[PushRefs]) -> None:
        updates = [
            RefUpdate(push.ref, self._oid(push.new), push.expected) for action in actions for push in action.pushes
        ]
        self.ui.step(f"pushing {counted(len(updates), 'branch', 'branches')}")
        push_all(self.repo, self.forge, self.stack, updates)
        self.is_stale = True

    def _reopen(self, actions: Sequence[Reopen]) -> None:
        """With its new base at once: the one that it has may be gone."""
        bases = {action.number: action.base_ref for action in self.plan.actions if isinstance(action, UpdatePull)}
        self.forge.update_pulls([PullEdit(a.number, a.node_id, base=bases.get(a.number), reopen=True) for a in actions])
        self.based = {action.number for action in actions}
        self.is_stale = True

    def _close(self, actions: Sequence[ClosePull]) -> None:
        self.forge.update_pulls([PullEdit(a.number, a.node_id, close=True) for a in actions])
        self.is_stale = True

    def _create(self, actions: Sequence[CreatePull]) -> None:
        self.ui.step(f"creating {counted(len(actions), 'pull request')}")
        numbers = self.numbers()
        news = [
            NewPull(a.head_ref, a.base_ref, a.title, body.new_body(a.description, numbers), a.draft) for a in actions
        ]
        result = self.forge.create_pulls(self.stack.repository_id, news, self._numbers_to_describe())
        self.created = {action.change_id: result.pulls[action.head_ref] for action in actions}
        self.texts = dict(result.texts)
        self.is_stale = False

    def _update(self, actions: Sequence[UpdatePull]) -> None:
        self.ui.step(f"updating {counted(len(actions), 'pull request')}")
        waiting = self._numbers_to_describe()
        if self.is_stale and waiting:
            # Time has passed since the facts were read: an edit made meanwhile must survive.
            self.texts = self.forge.read_texts(waiting)
        edits = [edit for action in actions if (edit := self._edit(action))]
        self.forge.update_pulls(edits)

    def _link(self, actions: Sequence[LinkStack]) -> None:
        self.linking.link(actions, self.numbers())

    def _comment(self, actions: Sequence[Comment]) -> None:
        for action in actions:
            self.forge.add_comment(action.number, action.text)

    def _merge(self, actions: Sequence[MergePull]) -> None:
        for action in actions:
            self.ui.step(f"merging #{action.number}")
            self.forge.merge_pull(
                Merge(
                    action.number,
                    action.node_id,
                    self._oid(action.head),
                    action.method,
                    action.title,
                    action.message,
                    action.how,
                )
            )

    def _delete(self, actions: Sequence[DeleteRefs]) -> None:
        refs = [ref for action in actions for ref in action.refs]
        self.ui.step(f"removing {counted(len(refs), 'branch', 'branches')}")
        self.forge.delete_refs(self.stack.repository_id, refs)

    def _numbers_to_describe(self) -> list[int]:
        return [
            action.number
            for action in self.plan.actions
            if isinstance(action, UpdatePull) and action.number is not None and action.description is not None
        ]

    def numbers(self) -> dict[str, int]:
        """Numbers of pull requests by change id, of those created by now too."""
        known = {change.id: change.pull.number for change in self.stack.changes if change.pull}
        return known | {change_id: pull.number for change_id, pull in self.created.items()}

    def _pull(self, action: UpdatePull) -> PullRequest:
        """The pull request to update: one that was created just now, one of the stack, or one that stands on it."""
        if action.change_id in self.created:
            return self.created[action.change_id]
        mine = (change.pull for change in self.stack.changes)
        known = (*mine, *(orphan.pull for orphan in self.stack.orphans), *self.stack.relatives)
        return next(pull for pull in known if pull is not None and pull.number == action.number)

    def _edit(self, action: UpdatePull) -> PullEdit | None:
        """The edit as it has to be now; ``None`` when nothing is left to change."""
        pull = self._pull(action)
        title = text = None
        if action.description is not None:
            now = self.texts.get(pull.number, PullText(pull.title, pull.body))
            merged = body.merge(now.title, now.body, action.description, self.numbers())
            title, text = merged.title, merged.body
            # An update of just the list leaves everything else as it is, edited or not.
            is_kept = bool(merged.kept or merged.elsewhere) or action.description.list_only
            self._tell_late_edit(pull, now, is_kept=is_kept)
        edit = PullEdit(
            pull.number,
            pull.node_id,
            title,
            text,
            None if pull.number in self.based else action.base_ref,
            action.draft,
            reviewers=others(action.reviewers, pull.author),
            labels=action.labels,
        )
        return edit if edit != PullEdit(pull.number, pull.node_id) else None

    def _tell_late_edit(self, pull: PullRequest, now: PullText, *, is_kept: bool) -> None:
        if is_kept and (now.title, now.body) != (pull.title, pull.body):
            self.ui.note(f"#{pull.number} was edited on GitHub during this run; the edit is kept")

    def outcome(self) -> Outcome:
        """The stack with everything in it that this run has changed."""
        commits = self.repo.read_commits(self.oids.values())
        changes = tuple(self._after(change) for change in self.stack.changes)
        head = replace(self.stack.head, oid=self._local_oid(self.stack.head.oid))
        trees = {**self.stack.trees, **{oid: commit.tree for oid, commit in commits.items()}}
        return Outcome(
            replace(self.stack, changes=changes, head=head, trees=trees), self.oids, self.linking.done(self.plan)
        )

    def _local_oid(self, oid: str) -> str:
        return self.oids.get(f":local/{oid}", oid)

    def _after(self, change: Change) -> Change:
        commit = replace(change.commit, oid=self._local_oid(change.commit.oid))
        pushed = {push.change_id: self._oid(push.new) for push in self._pushes()}
        remote = pushed.get(change.id, change.remote_head)
        accepted = pushed.get(change.id, change.accepted)
        pull = self._pull_after(change, remote)
        return replace(change, commit=commit, remote_head=remote, accepted=accepted, pull=pull)

    def _pushes(self) -> list[Push]:
        return [push for action in self.plan.actions if isinstance(action, PushRefs) for push in action.pushes]

    def _pull_after(self, change: Change, remote: str | None) -> PullRequest | None:
        pull = self.created.get(change.id, change.pull)
        if pull is None:
            return None
        reopened = {action.number for action in self.plan.actions if isinstance(action, Reopen)}
        parked = {action.number: action.base_ref for action in self.plan.actions if isinstance(action, Park)}
        pull = replace(pull, base_ref=parked.get(pull.number, pull.base_ref))
        updates = [a for a in self.plan.actions if isinstance(a, UpdatePull) and a.change_id == change.id]
        for update in updates:
            pull = replace(
                pull,
                base_ref=update.base_ref or pull.base_ref,
                draft=pull.draft if update.draft is None else update.draft,
            )
        state = PullState.OPEN if pull.number in reopened else pull.state
        pull = replace(pull, state=state)
        if remote is None or remote == pull.head_oid:
            return pull
        # Reviews count for the commit they were given on, and GitHub computes the rest anew.
        review = Review.REQUIRED if pull.review is Review.REQUIRED else Review.NONE
        return replace(pull, head_oid=remote, review=review, votes=(), mergeable=Mergeable.UNKNOWN)
