"""What every row is, and the words for its values; the rows themselves are named in ``model``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

ZERO_OID = "0" * 40
Json = dict[str, Any]


@dataclass(slots=True, kw_only=True, eq=False)
class Row:
    """What every table has: an id, 0 until ``store`` gives one; indexes over fields that never change."""

    INDEXES: ClassVar[tuple[tuple[str, ...], ...]] = ()
    id: int = 0
