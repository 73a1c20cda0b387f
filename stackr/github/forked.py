"""``ForkedGitHub``: the ``Forge`` of a stack whose head branches are in a fork, and whose pull requests are upstream.

Both repositories are on the same GitHub and take the same token. Not here: which repository is the fork.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from stackr.core.ports import ForgeFacts, ReadRequest, Sleep
from stackr.github.api import GitHub
from stackr.github.auth import Token
from stackr.github.hosts import Host
from stackr.github.together import run_all, value


class ForkedGitHub(GitHub):
    """``host`` is upstream, ``fork`` where the branches are."""

    def __init__(self, host: Host, fork: Host, token: Token, *, sleep: Sleep) -> None:
        super().__init__(host, token, sleep=sleep, fork_owner=fork.owner)
        self._fork = GitHub(fork, token, sleep=sleep)
        self._fork_id = ""

    def read(self, request: ReadRequest) -> ForgeFacts:
        """All facts, with the branches of the fork and whether one may push there; two requests side by side."""
        branches = ReadRequest(request.heads)
        upstream, fork = map(value, run_all([partial(super().read, request), partial(self._fork.read, branches)]))
        self._fork_id = fork.repository_id
        return replace(upstream, branches=fork.branches, can_push=fork.can_push)

    def delete_refs(self, repository_id: str, refs: Sequence[tuple[str, str]]) -> None:
        """Delete branches of the fork, whichever repository the caller knows of."""
        self._fork.delete_refs(self._fork_id, refs)

    def close(self) -> None:
        """Close the connections to both."""
        self._fork.close()
        super().close()
