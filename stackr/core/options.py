"""What the user asked for, once flags and configuration are settled."""

from __future__ import annotations

from collections.abc import Sequence

from stackr.core.model import Stack, Style
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class SubmitOptions:
    """The choices of one submit.

    ``upto`` is the commit id of the topmost change to submit (``None``: all); ``draft``, ``reviewers`` and ``labels``
    are what was asked for on the command line and go to every submitted change, the ``new_...`` ones are configuration
    and go to pull requests that are created now; ``template`` is the repository's pull request template; ``others``
    lets changes of other people be pushed that this clone checked out; ``taken_over`` is set when ghstack or mergify
    had the stack until now.
    """

    upto: str | None = None
    only: bool = False
    message: str | None = None
    draft: bool | None = None
    reviewers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    new_draft: bool = False
    new_reviewers: tuple[str, ...] = ()
    new_labels: tuple[str, ...] = ()
    update_fields: bool = False
    overwrite: bool = False
    reopen: bool = False
    style: Style = Style.APPEND
    template: str = ""
    remember_base: str | None = None
    remember_fork: str | None = None
    others: bool = False
    taken_over: bool = False

    def active(self, stack: Stack) -> Sequence[int]:
        """The indices of the changes to submit, ascending."""
        last = len(stack.changes) - 1
        if self.upto is not None:
            last = next(i for i, change in enumerate(stack.changes) if change.commit.oid == self.upto)
        return range(last, last + 1) if self.only else range(last + 1)
