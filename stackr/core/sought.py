"""A pull request that a command is asked about, before anybody has asked GitHub. Data only."""

from __future__ import annotations

from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Sought:
    """Which one, and what the user called it: a change by its ``head_ref``, with the ``number`` this clone remembers.

    Without a ``head_ref`` the user has named the number.
    """

    name: str
    number: int | None = None
    head_ref: str = ""
