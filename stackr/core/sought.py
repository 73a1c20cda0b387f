"""A pull request that a command is asked about, before anybody has asked GitHub. Data only."""

from __future__ import annotations

from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class Sought:
    """Which one: by ``number`` where that is known, else by ``head_ref``; ``name`` is what the user called it."""

    name: str
    number: int | None = None
    head_ref: str = ""
