"""How commits hang together: ranges, parents, ancestry, each with one ``git rev-list`` (or ``merge-base``).

Shallow clones end where git says they end; nothing is ever fetched. What is inside a commit is read in ``read``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stackr.repo.run import Runner
from stackr.repo.text import decode_name

# --missing keeps rev-list from going to the network in a partial clone; --ignore-missing skips tips that are not here.
_QUIET = ("--ignore-missing", "--missing=allow-any", "--stdin")


def list_ids(runner: Runner, tips: Sequence[str], exclude: Sequence[str]) -> tuple[str, ...]:
    """Commits reachable from ``tips`` and not from ``exclude``, parents before children."""
    return tuple(read_parents(runner, tips, exclude))


def read_parents(runner: Runner, tips: Sequence[str], exclude: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Parents by commit, parents before children, for what ``tips`` reach and ``exclude`` does not.

    Tips that are not here are ignored; with no tips no process is started.
    """
    if not tips:
        return {}
    out = runner.git("rev-list", "--topo-order", "--reverse", "--parents", *_QUIET, stdin=_range(tips, exclude))
    rows = (line.split(" ") for line in out.decode("ascii").splitlines())
    return {row[0]: tuple(row[1:]) for row in rows}


def count_commits(runner: Runner, tip: str, exclude: str) -> int:
    """How many commits ``tip`` reaches and ``exclude`` does not."""
    return int(runner.git("rev-list", "--count", *_QUIET, stdin=_range([tip], [exclude])))


def list_equivalent(runner: Runner, head: str, trunk: str) -> frozenset[str]:
    """Commits of ``trunk..head`` whose patch is in ``head..trunk`` too: git-rev-list(1), ``--cherry-mark``."""
    out = runner.git("rev-list", "--cherry-mark", "--right-only", "--no-merges", f"{trunk}...{head}", "--")
    return frozenset(line[1:] for line in out.decode("ascii").splitlines() if line.startswith("="))


def list_touching(runner: Runner, paths: Sequence[str], tip: str, exclude: str) -> tuple[str, ...]:
    """Commits of ``exclude..tip`` that touch one of ``paths`` (taken literally), newest first."""
    env = {"GIT_LITERAL_PATHSPECS": "1"}
    out = runner.git("rev-list", "--no-merges", tip, f"^{exclude}", "--", *paths, env=env)
    return tuple(out.decode("ascii").split())


def list_independent(runner: Runner, oids: Sequence[str]) -> tuple[str, ...]:
    """Those commits that no other one of them contains: git-merge-base(1), ``--independent``."""
    return tuple(runner.git("merge-base", "--independent", *oids).decode("ascii").split())


def list_branches_with(runner: Runner, oid: str) -> tuple[str, ...]:
    """Full names of the local branches that contain a commit, sorted."""
    out = runner.git("for-each-ref", "--format=%(refname)", f"--contains={oid}", "refs/heads/")
    return tuple(decode_name(line) for line in out.splitlines())


def _range(tips: Iterable[str], exclude: Iterable[str]) -> bytes:
    return "".join([*(f"{tip}\n" for tip in tips), *(f"^{tip}\n" for tip in exclude)]).encode()
