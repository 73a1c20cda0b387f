"""Imported by the fork server last: compiles what stackr compiles when it is first used, once and not in every child.

That is patterns (``stackr.patterns``) and the ``__init__`` of records (``stackr.records``), a third of a short command.
"""

from __future__ import annotations

import dataclasses
import sys
from contextlib import suppress
from typing import Any


def compile_all() -> None:
    """Use every pattern and every record of the modules of stackr that are imported."""
    for module in [module for name, module in sys.modules.items() if name.startswith("stackr.")]:
        for value in list(vars(module).values()):
            _use(value)


def _use(value: Any) -> None:
    # Whatever is wrong with it, the test that uses it will say so.
    with suppress(Exception):
        if isinstance(value, type) and dataclasses.is_dataclass(value):
            value.__init__(value.__new__(value))  # without arguments: compiled first, refused then
        elif hasattr(value, "pattern"):
            _ = value.flags


compile_all()
