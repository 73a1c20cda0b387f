"""What mergify's stacks leave in branch names and descriptions, and how to read or remove it; pure.

Its own words, from https://docs.mergify.com/stacks/concepts and https://github.com/Mergifyio/mergify-cli: a change has
a ``Change-Id``, and a branch whose name ends in ``--`` and the first eight digits of it (before 2026: in the whole id);
a description ends in ``Depends-On: #<the pull request below>``. The list of the stack is in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from stackr.patterns import pattern

_DIGITS = 8
_DEPENDS_ON = pattern(r"\n*^Depends-On: #(?P<number>\d+)\s*\Z", re.MULTILINE)


def head_of(change: str, branches: Iterable[str]) -> str | None:
    """The branch of a change among ``branches``, if it is named in mergify's way."""
    endings = ("--" + change[1 : 1 + _DIGITS], "/" + change)
    return next((branch for branch in branches if branch.endswith(endings)), None)


def without_dependency(text: str, numbers: Collection[int]) -> str:
    """A description without the line that names the pull request below, if that is one of ``numbers``."""
    found = _DEPENDS_ON.search(text)
    return text[: found.start()] if found and int(found["number"]) in numbers else text
