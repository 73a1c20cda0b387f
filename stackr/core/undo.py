"""Operations -> Plan for ``stackr undo``; pure. What was moved, where everything stands now -> what to move back.

An operation is one command that moved local branches, or a detached HEAD. Taking one back is one too, so it can be
taken back itself. docs/internals/protocol.md 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from stackr.core.heading import files_between
from stackr.core.model import Commit, Head
from stackr.core.ownership import HEADS
from stackr.core.plan import MoveRefs, Plan, RefMove, on_branch
from stackr.core.ports import LocalState
from stackr.core.words import counted
from stackr.errors import Refused, UsageError
from stackr.records import dataclass

_BRANCHES = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Part:
    """One transaction of an operation.

    ``index`` is set when it committed what was uncommitted: files stayed, and the index went from one tree to another.
    """

    moves: tuple[RefMove, ...]
    index: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One command that moved local branches or a detached HEAD.

    ``at`` is in seconds since 1970, ``command`` the command line (``""``: not known), ``reason`` what the reflog says.
    ``branch`` is the short name of the branch HEAD was on, ``None`` if it was detached; ``worktree`` is the one it ran
    in (``""``: the main one). ``moves`` is all of it at once, ``parts`` how it went (empty: at once).
    """

    at: int
    command: str
    reason: str
    moves: tuple[RefMove, ...]
    branch: str | None = None
    worktree: str = ""
    parts: tuple[Part, ...] = ()

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        return self.command or f"stackr ({self.reason})"


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything stands now: refs and HEAD, which worktree this is, and the commits that are still here."""

    state: LocalState
    worktree: str
    commits: Mapping[str, Commit]

    def current(self, ref: str) -> str | None:
        """Where a ref is; for ``HEAD`` that is a branch, if it is on one."""
        if ref != "HEAD":
            return self.state.refs.get(ref)
        head = self.state.head
        return None if head is None else head.branch or head.oid

    def head_after(self, moves: Iterable[RefMove]) -> Head | None:
        """HEAD after these moves: its own, else its branch's."""
        if self.state.head is None:
            return None
        new = {move.ref: move.new for move in moves}
        where = new.get("HEAD") or self.current("HEAD") or ""
        if not on_branch(where):
            return Head(None, where)
        return Head(where, new.get(where) or self.state.refs.get(where, ""))

    def after(self, moves: Iterable[RefMove]) -> Place:
        """Where everything stands after these moves."""
        moves = tuple(moves)
        gone = {move.ref for move in moves if move.new is None}
        refs = {**self.state.refs, **{move.ref: move.new for move in moves if move.new and move.ref != "HEAD"}}
        left = {ref: oid for ref, oid in refs.items() if ref not in gone}
        return replace(self, state=replace(self.state, head=self.head_after(moves), refs=left))


def is_operation(moves: Iterable[RefMove]) -> bool:
    """Whether these moves are the user's to take back: a branch or HEAD among them goes somewhere else."""
    return any(_is_users(move.ref) and move.old != move.new for move in moves)


def recorded(moves: Iterable[RefMove]) -> Iterator[RefMove]:
    """What of an operation is worth remembering: branches, HEAD, and whose commits were accepted along with them."""
    for move in moves:
        if move.old != move.new and (_is_users(move.ref) or move.ref.startswith(HEADS)):
            yield move


def combined(moves: Iterable[RefMove]) -> tuple[RefMove, ...]:
    """One move a ref for many in the order of time: from where the first found it to where the last left it."""
    found: dict[str, RefMove] = {}
    for move in moves:
        first = found.get(move.ref, move)
        found[move.ref] = RefMove(move.ref, first.old, move.new)
    return tuple(found.values())


def _is_users(ref: str) -> bool:
    return ref == "HEAD" or ref.startswith(_BRANCHES)


def choose(operations: Sequence[Operation], count: int) -> tuple[Operation, ...]:
    """The ``count`` newest of ``operations`` (newest first); refuses when there are none, or not so many."""
    if not operations:
        raise Refused(
            "there is nothing to take back: stackr has moved no branch here lately", next_step="git reflog has the rest"
        )
    if count > len(operations):
        raise UsageError(
            f"there is not so much to take back: {counted(len(operations), 'operation')} in all",
            next_step="stackr undo --list shows them",
        )
    return tuple(operations[:count])


def plan_undo(undone: Sequence[Operation], place: Place) -> Plan:
    """Put branches, HEAD and files back to before the last of ``undone`` (newest first); refuses what cannot be.

    Every branch must be where the newest operation that moved it left it. That a branch moved by other means between
    two of them is no obstacle: going back past that is what was asked for; a note says so.
    """
    _refuse_head_elsewhere(undone, place)
    spans = combined(move for operation in reversed(undone) for move in operation.moves)
    for span in spans:
        _refuse_moved(span, undone, place)
    moves = tuple(move for span in spans if (move := _back(span, place)) is not None)
    _refuse_impossible(moves, place)
    if not is_operation(moves):
        return Plan("undo", notes=("everything is as it was before",))
    return Plan("undo", tuple(_actions(undone, place)), tuple(_notes(undone)))


def _actions(undone: Sequence[Operation], place: Place) -> Iterator[MoveRefs]:
    """Step by step back; where no index is put back, many steps are one."""
    for part in _steps(undone):
        moves = tuple(move for span in combined(part.moves) if (move := _back(span, place)) is not None)
        for some in _in_turn(moves):
            yield _action(some, part, place)
            place = place.after(some)


def _steps(undone: Sequence[Operation]) -> list[Part]:
    """What to take back in turn, the newest first."""
    steps: list[Part] = []
    for part in (part for operation in undone for part in reversed(operation.parts or (Part(operation.moves),))):
        if steps and steps[-1].index is None and part.index is None:
            steps[-1] = Part((*part.moves, *steps[-1].moves))
        else:
            steps.append(part)
    return steps


def _in_turn(moves: tuple[RefMove, ...]) -> Iterator[tuple[RefMove, ...]]:
    """Git refuses to move a branch in the transaction in which HEAD leaves it, and a branch may go: HEAD goes first."""
    gone = {move.ref for move in moves if move.new is None}
    leaving = tuple(
        move
        for move in moves
        if move.ref == "HEAD" and on_branch(move.old) and (not on_branch(move.new) or move.old in gone)
    )
    yield from (some for some in (leaving, tuple(move for move in moves if move not in leaving)) if some)


def _action(moves: tuple[RefMove, ...], part: Part, place: Place) -> MoveRefs:
    """One step; index and files are left alone when HEAD is not where the operation was any more."""
    files = _files(moves, place)
    if part.index is not None and files is not None:
        return MoveRefs(moves, "undo", index=(part.index[1], part.index[0]))
    return MoveRefs(moves, "undo", files)


def _back(span: RefMove, place: Place) -> RefMove | None:
    """The move that takes one ref back, ``None`` where there is nothing to do.

    A commit of somebody else that a sync took in counts as theirs again, or the next submit would take it out on
    GitHub without a word. Where our own push has moved that record on, it goes back all the same; where it is gone, or
    was at a commit that is, it stays.
    """
    current = place.current(span.ref)
    if not _is_users(span.ref) and (current is None or (span.old and span.old not in place.commits)):
        return None
    return None if current == span.old else RefMove(span.ref, current, span.old)


def _files(moves: Sequence[RefMove], place: Place) -> tuple[str, str] | None:
    """From and to which commit index and work tree go: HEAD's own move, or its branch's."""
    head, after = place.state.head, place.head_after(moves)
    return files_between(head, after) if head is not None and after is not None else None


def _refuse_head_elsewhere(undone: Sequence[Operation], place: Place) -> None:
    """A detached HEAD belongs to its worktree, and cannot be moved from another."""
    for operation in undone:
        if operation.worktree != place.worktree and any(move.ref == "HEAD" for move in operation.moves):
            where = f'the worktree "{operation.worktree}"' if operation.worktree else "the main worktree"
            raise Refused(f'"{operation.name}" moved the HEAD of {where}', next_step="run stackr undo there")


def _refuse_moved(span: RefMove, undone: Sequence[Operation], place: Place) -> None:
    """What was built on an operation would be lost with it."""
    current = place.current(span.ref)
    if current == span.new or not _is_users(span.ref):
        return
    operation = next(each for each in undone if any(move.ref == span.ref for move in each.moves))
    left = f'where "{operation.name}" left it'
    name = _short(span.ref)
    if span.new is None:
        problem, cure = f'"{name}" exists again', f"git branch -m {name} ANOTHER-NAME"
    elif span.ref == "HEAD":
        switch = f"git switch {_short(span.new)}" if on_branch(span.new) else f"git switch --detach {span.new[:7]}"
        problem, cure = f"HEAD is not {left}", switch
    elif current is None:
        problem, cure = f'"{name}" was deleted since', f"git branch {name} {span.new[:7]}"
    else:
        problem = f'"{name}" has moved on: it is at {current[:7]} and not {left} ({span.new[:7]})'
        cure = f"git branch NEW {name} keeps what is there now; {_reset(name, span, place)}"
    raise Refused(problem, next_step=f"{cure}; then run stackr undo again")


def _reset(name: str, span: RefMove, place: Place) -> str:
    """The command that puts one branch where ``span`` ended."""
    oid = (span.new or "")[:7]
    head = place.state.head
    return f"git reset --keep {oid}" if head and head.branch == span.ref else f"git branch -f {name} {oid}"


def _refuse_impossible(moves: Sequence[RefMove], place: Place) -> None:
    """Commits that are gone, and branches whose files are not in this work tree."""
    head = place.state.head
    is_leaving = any(move.ref == "HEAD" for move in moves)
    for move in moves:
        name = _short(move.ref)
        if on_branch(move.new):
            _refuse_taken(move.new or "", moves, place)
        elif move.new is not None and move.new not in place.commits:
            raise Refused(
                f'commit {move.new[:7]}, where "{name}" was, is no longer here', next_step="git fsck --lost-found"
            )
        if move.new is None and head is not None and head.branch == move.ref and not is_leaving:
            raise Refused(
                f'HEAD is on "{name}", which did not exist before',
                next_step="git switch ANOTHER-BRANCH; then run stackr undo again",
            )
        path = place.state.other_worktrees.get(move.ref)
        if path is not None and not _same_files(move, place):
            raise Refused(
                f'"{name}" is checked out in "{path}", and its files would have to change',
                next_step=f'git -C "{path}" switch --detach; then run stackr undo again',
            )


def _refuse_taken(branch: str, moves: Sequence[RefMove], place: Place) -> None:
    """HEAD cannot go back to a branch that is gone, or that another worktree has by now."""
    name = _short(branch)
    if branch not in place.after(moves).state.refs:
        raise Refused(
            f'"{name}", which HEAD was on, was deleted since',
            next_step=f"git branch {name} COMMIT (git reflog shows where it was); then run stackr undo again",
        )
    path = place.state.other_worktrees.get(branch)
    if path is not None:
        raise Refused(
            f'"{name}", which HEAD was on, is checked out in "{path}"',
            next_step=f'git -C "{path}" switch --detach; then run stackr undo again',
        )


def _same_files(move: RefMove, place: Place) -> bool:
    old, new = (place.commits.get(oid or "") for oid in (move.old, move.new))
    return old is not None and new is not None and old.tree == new.tree


def _notes(undone: Sequence[Operation]) -> Iterator[str]:
    """What the user should know about going back."""
    left: dict[str, str | None] = {}
    strays: dict[str, None] = {}
    for operation in reversed(undone):
        for move in operation.moves:
            if _is_users(move.ref) and left.get(move.ref, move.old) != move.old:
                strays[_short(move.ref)] = None
            left[move.ref] = move.new
    for name in strays:
        yield f'"{name}" was also moved in between, by other means than stackr; that is taken back with it'
    if any(move.ref != "HEAD" for operation in undone for move in operation.moves):
        yield "GitHub is as it was: the next stackr submit brings it to where you are now"


def _short(ref: str) -> str:
    return ref.removeprefix(_BRANCHES)
