"""Fetching just what is not here: a refspec for each branch whose tip is missing, all of them in one ``git fetch``."""

from __future__ import annotations

from collections.abc import Mapping

from stackr.core.ports import LocalState, Repo
from stackr.observe.local import OWN_TRUNK


def trunk_refspec(state: LocalState, remote: str, name: str) -> str:
    """A narrow fetch refspec keeps no tracking branch of trunk: remember it in a ref of our own then."""
    source = f"refs/heads/{name}"
    tracked = f"refs/remotes/{remote}/{name}" in state.refs
    return source if tracked else f"+{source}:{OWN_TRUNK}{name}"


def fetch_missing(repo: Repo, remote: str, tips: Mapping[str, str]) -> None:
    """Fetch the refspecs of ``tips`` whose commits are not here; none is no process."""
    present = repo.read_commits(tips.values())
    missing = [refspec for refspec, oid in tips.items() if oid not in present]
    if missing:
        repo.fetch(remote, missing)
