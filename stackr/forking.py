"""Which remote is the fork that a stack is proposed from. What follows from that is decided in ``core.forks``."""

from __future__ import annotations

from stackr.core.forks import Fork, choose_fork
from stackr.errors import ConfigError
from stackr.github.hosts import Host, parse_remote
from stackr.repo import remotes
from stackr.repo.repository import Repository


def find_fork(repo: Repository, upstream: Host, remote: str, named: str) -> Fork:
    """The fork ``named``, or (``""``) the only remote besides ``remote`` that may be one. Raises ``ConfigError``."""
    others = (name for name in remotes.names(repo.config) if name != remote)
    candidates = tuple(name for name in others if _is_elsewhere(repo, name, upstream))
    chosen = choose_fork(named, candidates, remote, f"{upstream.owner}/{upstream.name}")
    host = parse_remote(repo.remote_url(chosen, push=True))
    return Fork(chosen, host.owner, host.repository_url)


def _is_elsewhere(repo: Repository, name: str, upstream: Host) -> bool:
    """Whether a remote leads to somebody else's repository on the same GitHub."""
    try:
        host = parse_remote(repo.remote_url(name, push=True))
    except ConfigError:
        return False
    return host.web == upstream.web and host.owner.lower() != upstream.owner.lower()
