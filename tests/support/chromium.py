"""Finds the Chromium that the tests of the sandbox's pages drive, or says how to install one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
ARGUMENTS = (
    "--no-sandbox",  # root in a container may not use it; only pages of our own are opened
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Asked when the module is imported: tests run in a sealed environment, from which such variables are gone.
_CHOSEN = os.environ.get("CHROMIUM", "")


class NoChromium(AssertionError):
    """There is no Chromium here; a test that needs one fails and does not skip, or nobody would notice."""


def find() -> str:
    """The path of the program: ``CHROMIUM`` in the environment, else the first on the PATH or among applications."""
    on_path = [path for name in NAMES if (path := shutil.which(name))]
    found = [_CHOSEN] if _CHOSEN else [*on_path, *(path for path in APPLICATIONS if Path(path).exists())]
    if not found:
        raise NoChromium(
            "there is no Chromium for the tests in tests/web; install one "
            "(Debian: apt-get update && apt-get install -y chromium; macOS: brew install --cask chromium), "
            "or name one: CHROMIUM=/path/to/chromium make test"
        )
    return found[0]
