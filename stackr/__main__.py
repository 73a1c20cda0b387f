"""The process ``stackr``, and ``python -m stackr``: the command line, with a garbage collector out of its way.

Not here: anything that a command does. Who calls ``stackr.main.run`` from a program of their own keeps their collector.
"""

from __future__ import annotations

import gc
from typing import NoReturn

_GARBAGE_AFTER = 50_000
"""New objects before Python looks for garbage; 700 is its default. A long-lived ``sandbox serve`` still gets there."""


def main() -> NoReturn:
    """Run the command line and exit; the entry point of ``stackr``."""
    # Imports make many objects that stay: looking for garbage among them again and again is a tenth of a short command.
    gc.set_threshold(_GARBAGE_AFTER)
    from stackr.main import run

    try:
        run()
    finally:
        # So is looking through all of them once more when Python ends, to free what the system takes back anyway.
        gc.freeze()


if __name__ == "__main__":
    main()
