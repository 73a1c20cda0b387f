"""What the sandbox needs besides stackr itself; asked before anything of it is imported."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess

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
    # Smart HTTP is git's own program; some distributions ship it apart (git-http-backend(1)).
    done = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, timeout=60, check=False)
    if shutil.which("git-http-backend", path=done.stdout.strip()) is None:
        raise GitError(
            "the sandbox needs git-http-backend, which is not installed",
            next_step="install the package of your distribution that has it (git-daemon, git-core or the like)",
        )
