"""What the sandbox needs besides stackr itself; asked before anything of it is imported."""

from __future__ import annotations

import importlib.util
import shutil

from stackr.errors import ConfigError, GitError

_PACKAGES = ("flask", "graphql", "markdown_it")


def require() -> None:
    """Raise ``ConfigError`` or ``GitError`` when the sandbox cannot run here, with what to install."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"the sandbox needs packages that are not installed ({', '.join(missing)})",
            next_step='pip install "stackr-cli[sandbox]"',
        )
    if shutil.which("git") is None:
        raise GitError("git is not installed", next_step="install git 2.38 or newer")
