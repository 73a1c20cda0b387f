"""Which branch is the trunk of a stack (docs/internals/protocol.md 1.4)."""

from __future__ import annotations

from collections.abc import Collection

from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class TrunkChoice:
    """The places a trunk may be named, strongest first; ``None`` or ``""`` where it is not.

    ``remembered`` is ``branch.<name>.stackrBase``, which an earlier ``--base`` left; ``bottom_base`` the base of the
    bottom pull request; ``upstream`` the remote branch that the local one was made from, as git notes it, unless it is
    its own namesake.
    """

    flag: str | None = None
    remembered: str | None = None
    bottom_base: str | None = None
    configured: str | None = None
    upstream: str | None = None
    remote_head: str | None = None

    def name(self, stack_branches: Collection[str]) -> str | None:
        """The trunk, or ``None`` when only GitHub can tell (its default branch).

        The bottom pull request's base and the upstream count only if they are no head branch of a stack: after a
        reorder the new bottom still targets a branch of the stack.
        """
        bottom = self.bottom_base if self.bottom_base not in stack_branches else None
        upstream = self.upstream if self.upstream not in stack_branches else None
        return self.flag or self.remembered or bottom or self.configured or upstream or self.remote_head or None
