"""The story of a reshaping: look, say which commits are wanted, replay them in memory, move branches and HEAD.

One function here for each of ``stackr amend``, ``reword``, ``fold``, ``drop``, ``reorder``, ``split``, ``insert``; it
reads what its command needs and lets ``stackr.core.editing`` say what has to be replayed. Hooks and editors are run by
``stackr.repo.shaping``; a conflict moves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from stackr.core import conflicts, editing, identity, todo
from stackr.core.editing import Edit
from stackr.core.moving import position
from stackr.core.plan import Plan
from stackr.core.words import counted
from stackr.errors import Conflict, Refused, UsageError
from stackr.patterns import pattern
from stackr.records import dataclass
from stackr.stories import locally
from stackr.stories.locally import Way

if TYPE_CHECKING:
    from stackr.app import App
    from stackr.core.model import Stack

_DONE = {
    "absorbing": "absorbed",
    "amending": "amended",
    "dropping": "dropped",
    "folding": "folded",
    "inserting": "inserted",
    "reordering": "reordered",
    "rewording": "reworded",
    "splitting": "split",
}
_PAST = pattern(r"^\w+")
_HELP = "\nThe message of the change. Lines that begin with the comment sign are ignored; an empty message ends this.\n"


@dataclass(frozen=True, slots=True)
class Shape:
    """What a command makes of a stack.

    ``what`` says it in a sentence that begins with "after", its first word a gerund. ``index`` is set when uncommitted
    work is committed: the tree of the index before and after; HEAD's tree is ``tree`` then.
    """

    edit: Edit
    what: str
    index: tuple[str, str] | None = None
    tree: str = ""


def run(app: App, command: str, way: Way, shape: Callable[[Stack], Shape | None], *, reads_index: bool = False) -> None:
    """Reshape the stack, and show it; ``None`` of ``shape`` says that there is nothing to do.

    ``reads_index``: ``shape`` will ask what is staged, so git may begin to read that.
    """
    # The commits of a dry run tell where everything would go; nobody needs them afterwards.
    with app.lock(command, needed=not way.dry_run), app.repo.rehearsal() if way.dry_run else nullcontext():
        with app.repo.shaping.staging.reading() if reads_index else nullcontext():
            stack = locally.read_stack(app)
            shaped = shape(stack)
        planned = Plan(command, notes=(editing.NOTHING,)) if shaped is None else plan(app, command, stack, shaped)
        if shaped is not None and not planned.is_empty:
            told = shaped.what if way.dry_run else _PAST.sub(lambda found: _DONE[found[0]], shaped.what)
            planned = replace(planned, notes=(told, *planned.notes))
        locally.carry_out(app, planned, stack, way)


def plan(app: App, command: str, stack: Stack, shape: Shape) -> Plan:
    """Replay in memory, and say what moves; raises ``Conflict``, and then nothing was written."""
    edit = shape.edit
    replayed = app.repo.replay(edit.picks, editing.base_of(stack))
    if replayed.conflict is not None:
        raise conflicts.within(stack, replayed.conflict, shape.what)
    if shape.tree and editing.head_tree(stack, edit, replayed) != shape.tree:
        raise Conflict(
            f"after {shape.what} the changes up to HEAD would not come to what is staged",
            safe=conflicts.still_there(stack),
            next_step="stackr amend HEAD puts it into the change at HEAD",
        )
    return editing.plan_edit(command, stack, edit, replayed, shape.index)


def amend(app: App, stack: Stack, name: str | None, text: str | None, way: Way, *, everything: bool) -> Shape:
    """What is staged goes into a change, the one at HEAD if none is named."""
    here = _here(stack)
    index = here if name is None else _index(app, stack, name)
    change = stack.changes[index]
    before, after = app.repo.shaping.staging.read(everything=everything, hooks=not way.dry_run)
    if after == stack.changes[here].commit.tree:
        if text is None:
            raise _nothing_staged(everything)
        return reword(app, stack, name or stack.head.oid, text, way)
    tree = _with_staged(app, stack, index, after)
    message = None if text is None else editing.with_id(_given(app, text, way), change)
    edit = editing.amend(stack, {index: tree}, message)
    return Shape(edit, f'amending "{change.title}"', (before, after), after)


def insert(app: App, stack: Stack, name: str, text: str | None, way: Way) -> Shape:
    """What is staged becomes a change of its own on top of another."""
    index = _index(app, stack, name)
    change = stack.changes[index]
    before, after = app.repo.shaping.staging.read(hooks=not way.dry_run)
    if after == stack.changes[_here(stack)].commit.tree:
        raise _nothing_staged(everything=False)
    what = f'inserting a change after "{change.title}"'
    tree = _with_staged(app, stack, index, after)
    message = _message(app, text, b"", way, f"stackr insert {name} -m TEXT")
    return Shape(editing.insert(stack, index, tree, message), what, (before, after), after)


def reword(app: App, stack: Stack, name: str, text: str | None, way: Way) -> Shape:
    """Another message for a change."""
    index = _index(app, stack, name)
    change = stack.changes[index]
    usage = f"stackr reword {name} -m TEXT"
    message = _message(app, text, change.commit.text.encode(), way, usage, of=change.commit.oid)
    return Shape(editing.reword(stack, index, editing.with_id(message, change)), f'rewording "{change.title}"')


def fold(app: App, stack: Stack, name: str, text: str | None, way: Way) -> Shape:
    """One change of two."""
    index = _index(app, stack, name)
    upper = stack.changes[index]
    if index == 0:
        raise Refused(f'"{upper.title}" is the lowest change, and there is none below to fold it into')
    lower = stack.changes[index - 1]
    message = editing.folded_message(lower, upper)
    if text is not None:
        message = editing.with_id(_given(app, text, way), lower)
    return Shape(editing.fold(stack, index, message), f'folding "{upper.title}" into "{lower.title}"')


def drop(app: App, stack: Stack, name: str) -> Shape:
    """One change less."""
    index = _index(app, stack, name)
    return Shape(editing.drop(stack, index), f'dropping "{stack.changes[index].title}"')


def reorder(app: App, stack: Stack, names: Sequence[str], way: Way) -> Shape | None:
    """Another order: of the command line, or of the editor."""
    if names:
        order = tuple(_index(app, stack, name) for name in names)
        if len(set(order)) != len(order) or len(order) != len(stack.changes):
            raise UsageError(
                f"the stack has {counted(len(stack.changes), 'change')}, and each has to be named once",
                next_step="stackr reorder CHANGE CHANGE..., the lowest first; stackr drop takes one out",
            )
    else:
        order = _order_of_editor(app, stack, way)
    if order in ((), tuple(range(len(stack.changes)))):
        return None
    return Shape(editing.reorder(stack, order), "reordering")


def _order_of_editor(app: App, stack: Stack, way: Way) -> tuple[int, ...]:
    if way.dry_run or not app.invocation.interactive:
        raise UsageError(
            "there is no terminal to edit the list in" if not way.dry_run else "a dry run opens no editor",
            next_step="stackr reorder CHANGE CHANGE... names all of them, the lowest first",
        )
    text = todo.as_text(stack, app.known_numbers())
    return todo.read_order(stack, app.repo.shaping.message.edited_list(text, todo.HELP))


def split(app: App, stack: Stack, name: str, paths: Sequence[str], text: str | None, way: Way) -> Shape:
    """Two changes of one: the files named, or the hunks chosen, first."""
    index = _index(app, stack, name)
    change = stack.changes[index]
    old = editing.picks_of(stack)[index].base_tree
    if paths:
        tree = app.repo.shaping.take_paths(old, change.commit.tree, paths)
    elif app.invocation.interactive and not way.dry_run:
        tree = app.repo.shaping.staging.choose(old, change.commit.oid)
    else:
        raise UsageError(
            "there is no terminal to choose hunks in" if not way.dry_run else "a dry run asks nothing",
            next_step=f"stackr split {name} PATH... -m TEXT",
        )
    rest = change.commit.text.encode()
    usage = f"stackr split {name} {' '.join(paths)} -m TEXT"
    # Checked with any message first: nobody should write one for nothing.
    editing.split(stack, index, tree, rest)
    message = _message(app, text, identity.without_change_id(rest), way, usage)
    return Shape(editing.split(stack, index, tree, message), f'splitting "{change.title}"')


def _index(app: App, stack: Stack, name: str) -> int:
    return stack.position(app.find_change(stack, name).id)


def _here(stack: Stack) -> int:
    """The index of the change at HEAD."""
    here = position(stack)
    if here < 0:
        raise Refused("HEAD is below the stack, at what has landed", next_step="stackr up goes to the lowest change")
    return here


def _nothing_staged(everything: bool) -> Refused:
    what = "there is nothing to commit" if everything else "nothing is staged"
    return Refused(what, next_step="git add what belongs into the change" + ("" if everything else ", or --all"))


def _with_staged(app: App, stack: Stack, index: int, staged: str) -> str:
    """The tree of a change at or below HEAD with what is staged in it."""
    here = _here(stack)
    at_head, change = stack.changes[here].commit, stack.changes[index]
    if index > here:
        raise Refused(
            f'"{change.title}" is above HEAD, and what is staged was made without it',
            next_step=f"stackr goto {change.commit.oid[:7]} takes it along; then run the same command again",
        )
    merged = app.repo.draft_merge(at_head.tree, change.commit.tree, staged)
    if merged.tree is None:
        raise conflicts.not_there(stack, change, merged.paths)
    return merged.tree


def _message(app: App, text: str | None, start: bytes, way: Way, usage: str, of: str = "") -> bytes:
    """The message given, or the editor's; ``usage`` is how to give it where nobody can edit.

    ``of`` is the commit whose message is edited, if there is one.
    """
    if text is not None:
        return _given(app, text, way)
    if way.dry_run:
        return start.rstrip() + b"\n\n(as you will edit it)\n"
    if not app.invocation.interactive:
        raise UsageError("there is no terminal to edit the message in", next_step=usage)
    return app.repo.shaping.message.edited(start, _HELP, of)


def _given(app: App, text: str, way: Way) -> bytes:
    """A message of the command line; hooks see it, but not in a dry run."""
    if not text.strip():
        raise UsageError("the message is empty", next_step="say what the change does: -m TEXT")
    return text.strip().encode() + b"\n" if way.dry_run else app.repo.shaping.message.of_text(text)
