"""GitHub's own stacks ("native stacks") as frozen values; the decision about them is ``core.linking``'s.

A pull request is in at most one. Source: https://docs.github.com/en/rest/pulls/stacks
"""

from __future__ import annotations

from stackr.records import dataclass

# https://docs.github.com/en/rest/pulls/stacks#create-a-pull-request-stack
FEWEST, MOST = 2, 100


@dataclass(frozen=True, slots=True)
class NativeStack:
    """One registered stack.

    ``members`` are the pull requests that are not merged (open and closed), bottom first; ``merged`` those that are:
    they stay in their stack for ever.
    """

    number: int
    members: tuple[int, ...]
    merged: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """How many pull requests count against GitHub's limit."""
        return len(self.members) + len(self.merged)
