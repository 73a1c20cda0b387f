"""What reshaping a stack needs besides a replay: what is staged, other files in trees, whose lines they are, messages.

A façade, as ``repository`` is; every method says which module does the work. No ref moves here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from stackr.repo.message import Message
from stackr.repo.read import Reader
from stackr.repo.replay.trees import Trees
from stackr.repo.run import Runner
from stackr.repo.staging import Staging

if TYPE_CHECKING:
    from stackr.core.absorbing import Hunk, Origin


class Shaping:
    """The work bench of one work tree."""

    def __init__(
        self, runner: Runner, reader: Reader, staging: Staging, message: Message, env: Callable[[], Mapping[str, str]]
    ) -> None:
        """``env`` is what reading files takes in a partial clone, where git may have to fetch them."""
        self.staging = staging
        self.message = message
        self._runner = runner
        self._reader = reader
        self._env = env

    def list_hunks(self, head: str, tree: str) -> tuple[Hunk, ...]:
        """What differs between HEAD's commit and a tree, hunk by hunk; one process. See ``hunks``."""
        from stackr.repo import hunks

        return hunks.list_hunks(self._runner, head, tree, self._env())

    def read_origins(self, found: Sequence[Hunk], commits: Sequence[str], base: str) -> dict[str, dict[int, Origin]]:
        """Where the lines of these hunks, and those next to them, come from; a process a file. See ``hunks``."""
        from stackr.repo import hunks

        return hunks.read_origins(self._runner, found, commits, base, self._env())

    def read_files(self, tree: str, paths: Sequence[str]) -> dict[str, bytes]:
        """The bytes of files of a tree; what is no file is left out."""
        from stackr.repo import pieces

        return pieces.read_files(self._trees(), tree, paths)

    def write_trees(self, wanted: Sequence[tuple[str, Mapping[str, bytes]]]) -> list[str]:
        """Trees with other bytes in some of their files, written; one process for all of them."""
        from stackr.repo import pieces

        return pieces.write_trees(self._runner, self._trees(), wanted)

    def take_paths(self, old: str, new: str, paths: Sequence[str]) -> str:
        """The tree ``old`` with these files and folders as they are in ``new``; see ``pieces``."""
        from stackr.repo import pieces

        return pieces.take_paths(self._runner, self._trees(), old, new, paths)

    def choose_hunks(self, old: str, commit: str) -> str:
        """The tree ``old`` with those hunks of a commit that the user chooses, in git's own dialogue."""
        return self.staging.choose(old, commit)

    def _trees(self) -> Trees:
        return Trees(self._reader.object, self._reader.objects)
