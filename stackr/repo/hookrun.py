"""Running the user's hooks, as git does; githooks(5). Where they lie and putting ours there is in ``hooks``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from stackr.errors import GitError
from stackr.repo.config import GitConfig
from stackr.repo.run import Runner


class HookRun:
    """The hooks of one repository. ``common_dir`` is the git directory that all worktrees share."""

    def __init__(self, runner: Runner, common_dir: Path, config: Callable[[], GitConfig]) -> None:
        self._runner = runner
        self._usual = common_dir / "hooks"
        self._config = config

    def _may_have(self, name: str) -> bool:
        """Whether there may be such a hook; ``False`` only where git would look nowhere but in an empty place."""
        # hook.<name>.command is git-hook(1) of newer gits.
        if any(entry.key.startswith(("hook.", "core.hookspath")) for entry in self._config().entries):
            return True
        return any(os.path.lexists(self._usual / file) for file in (name, f"{name}.exe"))

    def run(self, name: str, *args: str, env: Mapping[str, str] | None = None) -> bool:
        """Run a hook, if there is one; whether there may have been. Raises ``GitError`` when it declines."""
        if not self._may_have(name):
            return False
        options = ["--", *args] if args else []
        full = {"GIT_EDITOR": ":", **(env or {})}
        if self._runner.attended("hook", "run", "--ignore-missing", name, *options, env=full):
            raise GitError(f"the {name} hook declined", next_step="what it says is above; mend that and try again")
        return True
