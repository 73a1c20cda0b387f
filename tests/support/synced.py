"""What must be true after a sync, looked at from outside; and the ways in which people merge a stack on GitHub.

Here: ``land`` in all ways, ``check_settled``. The laws of every submitted stack are in ``tests/support/laws.py``.
"""

from __future__ import annotations

from pathlib import Path

from tests.support.world import Clone, World

TITLES = ("A", "B", "C", "D")
BRANCHES = ("kept", "deleted", "retargeted by hand")
"""What becomes of a merged head branch; GitHub retargets what is above it only when it deletes the branch itself."""


def land(world: World, number: int, method: str = "squash", branch: str = "kept") -> str:
    """Merge the lowest pull request on the page, after retargeting it to main as a person would; main's new tip."""
    if world.pull(number).base_ref != "main":
        world.edit(number, base="main")
    above = [pull.number for pull in world.pulls() if pull.base_ref == world.pull(number).head_ref]
    oid = world.merge(number, method=method, delete=branch == "deleted")
    if branch == "retargeted by hand":
        for upper in above:
            world.edit(upper, base="main")
    return oid


def push_to_trunk(world: World, clone: Clone, *commits: str, login: str = "bob", message: str = "") -> str:
    """Somebody else cherry-picks commits of a clone to main and pushes them; main's new tip.

    With a ``message`` the last one gets other words, and so loses its Change-Id.
    """
    other = world.clone(login)
    other.git("fetch", "-q", str(clone.path), "HEAD")
    other.git("cherry-pick", *commits, env=other.person)
    if message:
        other.git("commit", "-q", "--amend", "-m", message)
    other.git("push", "-q", world.server.clone_url(world.name, other.token), "HEAD:refs/heads/main")
    return other.oid()


def check_settled(world: World, clone: Clone) -> None:
    """Another sync: one request, one fetch, no push, no write, every ref, commit and file as it was."""
    before = clone.refs(), clone.oid(), world.facts(), times(clone)
    world.forget()
    document = clone.stackr("sync", "--json").json
    assert document["actions"] == [], document["actions"]
    counts = world.server.log.counts()
    assert (counts["api"], counts["mutations"], counts["pushes"]) == (1, 0, 0)
    assert counts["fetches"] <= 1
    assert (clone.refs(), clone.oid(), world.facts(), times(clone)) == before


def times(clone: Clone) -> dict[str, int]:
    """When every file of the work tree, and the index, was last written."""
    files = [path for path in clone.path.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {str(path.relative_to(clone.path)): path.stat().st_mtime_ns for path in [*files, _index(clone)]}


def _index(clone: Clone) -> Path:
    return clone.path / ".git" / "index"
