"""``re.compile`` for patterns at the top of a module: compiled when first used, not when the module is imported.

A command uses a handful of the hundred patterns that its modules hold, and compiling them all was a twelfth of what a
short command takes (docs/internals/benchmarks.md). Type checkers see ``re.compile`` itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pattern = re.compile
else:

    def pattern(text: str | bytes, flags: int = 0) -> Any:
        """The pattern of a text; its methods and attributes are those of ``re.Pattern``."""
        return _Pattern(text, flags)


class _Pattern:
    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Asked only for what is not there yet: each method is looked up once and then found without us."""
        found = getattr(re.compile(self.pattern, self._flags), name)  # re remembers what it has compiled
        vars(self)[name] = found
        return found
