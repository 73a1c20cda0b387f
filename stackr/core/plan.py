"""A plan as data: what a command is about to do, in the order in which it is safe to die after every step.

Built purely by the planners, shown by ``--dry-run``, carried out by ``stackr.execute``. Commits that do not exist yet
are named by labels (``:...``), pull requests that do not exist yet by their change id; ``execute`` resolves both.
"""

from __future__ import annotations

from dataclasses import field

from stackr.core.body import Description
from stackr.core.model import NewCommit
from stackr.core.rules import Method
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class WriteCommit:
    """Write one commit object; ``why`` is ``id`` (a Change-Id is added) or ``head`` (a head branch moves on)."""

    commit: NewCommit
    why: str
    change_id: str


@dataclass(frozen=True, slots=True)
class RefMove:
    """One ref from ``old`` (``None``: must not exist) to ``new`` (``None``: delete); ``new`` may be a label.

    For ``HEAD`` either may be the full name of a branch: HEAD is on that branch, and not at a commit.
    """

    ref: str
    old: str | None
    new: str | None


def on_branch(place: str | None) -> bool:
    """Whether one end of a move of HEAD is a branch, and not a commit."""
    return place is not None and place.startswith("refs/heads/")


@dataclass(frozen=True, slots=True)
class MoveRefs:
    """Local refs in one transaction; the ref ``HEAD`` moves a detached HEAD.

    ``files`` is set when HEAD's tree changes: (old commit, new commit), between which index and work tree are switched.
    ``index`` is set instead when what was uncommitted is committed: the work tree stays as it is, and the index goes
    from one tree to another (to the same one, if all of it was staged).
    """

    moves: tuple[RefMove, ...]
    reason: str
    files: tuple[str, str] | None = None
    index: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class SetConfig:
    """Remember a choice in the clone's own git configuration (``branch.<name>.stackrBase``)."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Park:
    """Retarget an open pull request to trunk before the push, so that the push cannot merge or close it."""

    number: int
    node_id: str
    base_ref: str


@dataclass(frozen=True, slots=True)
class Push:
    """One head branch: from ``expected`` (``None``: must not exist) to ``new`` (an object id or a label)."""

    change_id: str
    ref: str
    new: str
    expected: str | None


@dataclass(frozen=True, slots=True)
class PushRefs:
    """All head branches of the command in one ``git push --atomic``, a lease each."""

    pushes: tuple[Push, ...]


@dataclass(frozen=True, slots=True)
class Reopen:
    """Reopen a closed pull request; its head branch exists again by then."""

    number: int
    node_id: str


@dataclass(frozen=True, slots=True)
class ClosePull:
    """Close an open pull request without merging it; nothing targets its branch any more."""

    change_id: str
    number: int
    node_id: str


@dataclass(frozen=True, slots=True)
class CreatePull:
    """Create the pull request of a change. Creates run in order, bottom first."""

    change_id: str
    head_ref: str
    base_ref: str
    title: str
    description: Description
    draft: bool


@dataclass(frozen=True, slots=True)
class UpdatePull:
    """Bring a pull request to what is wanted; a field that is ``None`` or empty is not touched.

    The description is merged against the text on GitHub at the moment of writing (``body.merge``), so an edit made
    meanwhile survives.
    """

    change_id: str
    number: int | None
    node_id: str | None
    base_ref: str | None = None
    description: Description | None = None
    draft: bool | None = None
    reviewers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnlinkStack:
    """Dissolve one of GitHub's own stacks; ``members`` are in it, and ``needed`` of them must leave it.

    Those are about to get another base, which a member refuses.
    """

    number: int
    members: tuple[int, ...]
    needed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkStack:
    """Register the pull requests of these changes, bottom first, as GitHub's own stack, or on top of stack ``onto``."""

    change_ids: tuple[str, ...]
    onto: int | None = None


@dataclass(frozen=True, slots=True)
class DeleteRefs:
    """Delete head branches on GitHub, after nothing targets them any more; (ref, expected oid) pairs."""

    refs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Comment:
    """Say something on a pull request, where its readers will look for it."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class MergePull:
    """Merge a pull request if its head is still ``head`` (an object id or a label), or ask GitHub to.

    ``title`` and ``message`` are those of the commit that trunk gets; ``how`` says how a method that merges later, or a
    whole stack at once, is to do it.
    """

    change_id: str
    number: int
    node_id: str
    head: str
    base_ref: str
    method: Method
    title: str
    message: str
    how: Method = Method.SQUASH


Action = (
    WriteCommit
    | MoveRefs
    | SetConfig
    | UnlinkStack
    | Park
    | PushRefs
    | Reopen
    | ClosePull
    | CreatePull
    | UpdatePull
    | LinkStack
    | Comment
    | MergePull
    | DeleteRefs
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a command will do. ``notes`` are sentences for the user that need no action."""

    command: str
    actions: tuple[Action, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be written anywhere."""
        return not self.actions

    @property
    def switches(self) -> tuple[tuple[str, str], ...]:
        """(old commit, new commit) of every change of the work tree."""
        return tuple(action.files for action in self.actions if isinstance(action, MoveRefs) and action.files)
