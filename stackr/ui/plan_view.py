"""A plan as people see it, for ``--dry-run``; as programs do, in ``stackr.core.steps``.

Bookkeeping (refs below ``refs/stackr/``) is not shown: it follows from what is. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stackr.core.model import Stack
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
    PushRefs,
    Reopen,
    SetConfig,
    UnlinkStack,
    UpdatePull,
    WriteCommit,
    on_branch,
)
from stackr.core.steps import is_visible, old_commit, short_ref
from stackr.core.words import counted
from stackr.ui.line import Line, Span, line

_VERB_COLUMNS = 9


def lines(plan: Plan, stack: Stack | None = None) -> list[Line]:
    """One line a step, in the order of the plan; a single line when there is nothing to do.

    ``stack`` gives changes their titles.
    """
    view = _View({change.id: change.title for change in (stack.changes if stack else ())})
    shown = [each for action in plan.actions for each in view.of(action)]
    return shown or [line("nothing to do")]


class _View:
    """Lines of single actions; ``titles`` maps change ids to titles."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._titles = titles

    def of(self, action: Action) -> Iterator[Line]:
        """The lines of one action; none for bookkeeping."""
        if isinstance(action, WriteCommit) and action.why == "id":
            yield self._line("rewrite", f"{short(old_commit(action))}..(new)", self._title(action.change_id))
        elif isinstance(action, MoveRefs):
            for move in filter(is_visible, action.moves):
                yield self._line("move", short_ref(move.ref), f"{short(move.old)}..{short(move.new)}")
        elif isinstance(action, SetConfig):
            yield self._line("set", f"{action.key} = {action.value}")
        elif isinstance(action, PushRefs):
            for push in action.pushes:
                span = f"{short(push.expected)}..{short(push.new)}"
                yield self._line("push", short_ref(push.ref), span, self._title(push.change_id))
        elif isinstance(action, DeleteRefs):
            for ref, oid in action.refs:
                yield self._line("delete", short_ref(ref), short(oid))
        elif isinstance(action, UnlinkStack):
            members = ", ".join(f"#{number}" for number in action.members)
            yield self._line("unlink", f"GitHub's own stack {action.number}", members)
        elif isinstance(action, LinkStack):
            where = "as GitHub's own stack" if action.onto is None else f"on top of GitHub's own stack {action.onto}"
            yield self._line("link", counted(len(action.change_ids), "pull request"), where)
        else:
            yield from self._of_pull(action)

    def _of_pull(self, action: Action) -> Iterator[Line]:
        if isinstance(action, Park):
            yield self._line("park", f"#{action.number}", f"onto {short_ref(action.base_ref)} while branches move")
        elif isinstance(action, Reopen):
            yield self._line("reopen", f"#{action.number}")
        elif isinstance(action, ClosePull):
            yield self._line("close", f"#{action.number}", self._title(action.change_id))
        elif isinstance(action, CreatePull):
            draft = "draft " if action.draft else ""
            yield self._line("create", f'{draft}"{action.title}"', f"{action.head_ref} onto {action.base_ref}")
        elif isinstance(action, UpdatePull):
            name = f"#{action.number}" if action.number is not None else self._title(action.change_id)
            yield self._line("update", name, ", ".join(_edits(action)))
        elif isinstance(action, Comment):
            yield self._line("comment", f"#{action.number}", action.text.split("\n", 1)[0])
        elif isinstance(action, MergePull):
            yield self._line(
                "merge", f"#{action.number}", f"into {action.base_ref} by {action.method.value}", action.title
            )

    def _title(self, change_id: str) -> str:
        return f'"{self._titles[change_id]}"' if change_id in self._titles else change_id[:11]

    @staticmethod
    def _line(verb: str, *parts: str) -> Line:
        return line(Span(verb.ljust(_VERB_COLUMNS), "bold"), "  ".join(part for part in parts if part))


def short(oid: str | None) -> str:
    """Seven digits of a commit; ``(none)`` where there must be none, ``(new)`` for a commit yet to be written.

    HEAD may be on a branch, which is told by its name.
    """
    if oid is None:
        return "(none)"
    if on_branch(oid):
        return short_ref(oid)
    return "(new)" if oid.startswith(":") else oid[:7]


def _edits(action: UpdatePull) -> Iterator[str]:
    if action.base_ref is not None:
        yield f"base {short_ref(action.base_ref)}"
    if action.description is not None:
        yield "description"
    if action.draft is not None:
        yield "draft" if action.draft else "ready for review"
    if action.reviewers:
        yield f"reviewers {', '.join(action.reviewers)}"
    if action.labels:
        yield f"labels {', '.join(action.labels)}"
