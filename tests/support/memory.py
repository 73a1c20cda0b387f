"""Where the suite's temporary files lie: in memory, where that is possible.

Thousands of small repositories are made, and a disk takes longer for them than git does. Whoever names a place of their
own (``TMPDIR``, ``--basetemp``) gets it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ROOM = 4 * 2**30
"""Far more than the suite needs, in bytes: nobody else's memory is taken."""


def work_in_memory() -> None:
    """Let this process and those it starts have their temporary files in memory."""
    if "TMPDIR" in os.environ or not _is_fit(_MEMORY):
        return
    os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)


def _is_fit(place: Path) -> bool:
    """Whether there is room, and programs can be run from there: containers often allow neither."""
    with suppress(OSError), tempfile.TemporaryDirectory(dir=place) as folder:
        script = Path(folder, "script")
        script.write_text("#!/bin/sh\n")
        script.chmod(0o700)
        subprocess.run([script], check=True)
        return shutil.disk_usage(place).free >= _ROOM
    return False
