"""The engine: what every rule module is handed. State, clock, lock; no rule of GitHub's is here.

Rule modules are plain functions that take the engine first: ``pulls.create_pull(engine, viewer, ...)``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stackr.sandbox.clock import Clock
from stackr.sandbox.faults import Faults
from stackr.sandbox.git import GitRepo
from stackr.sandbox.limits import Limits
from stackr.sandbox.log import RequestLog
from stackr.sandbox.model import Repository
from stackr.sandbox.store import Store

if TYPE_CHECKING:
    from stackr.sandbox.latepushes import LatePush

# So many repositories are opened before the git processes of all rest.
_AWAKE = 16


@dataclass(slots=True)
class Settings:
    """What can be turned while the sandbox runs; not kept over a restart.

    ``mergeable_after`` is how often mergeability must be asked before it is known (GitHub computes it in the
    background). ``time_limit_s`` is where GitHub cuts a request with a 502. ``push_lag`` is how many API requests are
    answered before pull requests know of a push, ``branch_lag`` how often making one of a new branch is refused
    (``latepushes``). ``delete_race`` has GitHub's own deletion of a merged head overtake its retargeting (``merging``).
    """

    latency_ms: float = 0
    mutation_ms: float = 0
    time_limit_s: float = 10.0
    mergeable_after: int = 2
    async_merge_after: int = 2
    push_lag: int = 0
    branch_lag: int = 0
    delete_race: bool = False


class Engine:
    """The state of one sandbox directory: ``root/state.sqlite`` and ``root/repos/OWNER/NAME.git``."""

    def __init__(self, root: Path, *, clock: Clock | None = None) -> None:
        self.root = root
        self.clock = clock or Clock()
        self.settings = Settings()
        self.lock = threading.RLock()
        self.store = Store(root / "state.sqlite")
        self.faults = Faults()
        self.log = RequestLog()
        self.limits = Limits(self.clock)
        self.url = "http://127.0.0.1"
        # (pull id, head, base) -> how often its mergeability was asked, and the tree or None for a conflict
        self.merge_asked: dict[tuple[int, str, str], int] = {}
        self.merge_trees: dict[tuple[int, str, str], str | None] = {}
        # pushes that pull requests do not know yet; branches too new for one, with the refusals that are left
        self.late_pushes: list[LatePush] = []
        self.unseen_branches: dict[tuple[int, str], int] = {}
        self._repos: dict[int, GitRepo] = {}
        self._depth = 0

    def now(self) -> str:
        """The time, as GitHub prints it."""
        return self.clock.now()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the lock; when the outermost one ends, write what changed to SQLite.

        Also after an exception: memory and file always agree. So check first, then change.
        """
        with self.lock:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self.store.commit()

    def directory(self, repo: Repository) -> Path:
        """The git directory of a repository."""
        owner = self.store.users.need(repo.owner_id)
        return self.root / "repos" / owner.login / f"{repo.name}.git"

    def git(self, repo: Repository) -> GitRepo:
        """The git side of a repository, opened when first asked for."""
        with self.lock:
            if repo.id not in self._repos:
                # Each has a process that reads objects. All rest now and then, and start again when asked: a server
                # of hundreds of repositories would run out of file descriptors.
                if len(self._repos) % _AWAKE == 0:
                    self._rest()
                self._repos[repo.id] = GitRepo(self.directory(repo))
            return self._repos[repo.id]

    def close(self) -> None:
        """End the git processes and close the file."""
        with self.lock:
            self._rest()
            self._repos.clear()
            self.store.close()

    def _rest(self) -> None:
        for repo in self._repos.values():
            repo.close()
