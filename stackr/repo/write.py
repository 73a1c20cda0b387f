"""Writing objects, any number with one git process, every byte of them chosen here.

Objects are built and named in memory and go to git as one pack: GitPython's store, and ``git commit-tree``, would cost
a process each, and ``git fast-import`` would drop unknown headers. Which commits to write is decided by the planners.
"""

from __future__ import annotations

from collections.abc import Sequence

from stackr.core.model import NewCommit
from stackr.repo import codec, packs
from stackr.repo.ident import Identity
from stackr.repo.run import Runner
from stackr.repo.sign import Signer

# From here on one pack instead of loose objects, as git does after a fetch (fetch.unpackLimit, default 100).
UNPACK_LIMIT = 100


def write_commits(
    runner: Runner, commits: Sequence[NewCommit], identity: Identity, sign: Signer | None
) -> dict[str, str]:
    """Write commits whose parents are ids or labels of earlier ones; returns ids by label, in order.

    ``identity`` is asked only when a commit leaves author or committer open. With ``sign`` every commit is signed that
    may be, else none is: a signature of the commit it replaces would not hold. Writing an object that exists is
    harmless.
    """
    if not commits:
        return {}
    built = build_commits(commits, identity, sign)
    store(runner, [("commit", raw) for _, raw in built.values()])
    return {label: oid for label, (oid, _) in built.items()}


def build_commits(
    commits: Sequence[NewCommit], identity: Identity, sign: Signer | None
) -> dict[str, tuple[str, bytes]]:
    """Ids and bytes by label of commits that are not written yet; the rest as ``write_commits`` says."""
    oids: dict[str, str] = {}
    built: dict[str, tuple[str, bytes]] = {}
    for commit in commits:
        raw = _build(commit, oids, identity, sign)
        oids[commit.label] = codec.object_id(raw)
        built[commit.label] = (oids[commit.label], raw)
    return built


def _build(commit: NewCommit, oids: dict[str, str], identity: Identity, sign: Signer | None) -> bytes:
    by = identity.committer if commit.committer is None else commit.committer
    raw = codec.serialise(
        tree=commit.tree,
        parents=[oids[parent] if parent.startswith(":") else parent for parent in commit.parents],
        author=identity.author if commit.author is None else commit.author,
        committer=by,
        message=commit.message,
        encoding=commit.encoding,
        extra=commit.extra,
    )
    return raw if sign is None or not commit.sign else codec.add_signature(raw, sign(raw, by))


def store(runner: Runner, objects: Sequence[tuple[str, bytes]]) -> None:
    """Write (kind, bytes) objects in one process; those that exist do no harm, and none is no process."""
    if not objects:
        return
    different = list(dict.fromkeys(objects))
    pack = packs.pack(different)
    if len(different) < UNPACK_LIMIT:
        runner.git("unpack-objects", "-q", stdin=pack)
    else:
        runner.git("index-pack", "--stdin", stdin=pack)
