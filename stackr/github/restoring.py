"""Bases brought back for as long as it takes to reopen what GitHub closed for want of them, and to give it another.

GitHub deletes a merged head by itself where the repository says so, and closes what stands on it when that is faster
than its retargeting (stickerdaniel/linkedin-mcp-server#619, Automattic/newspack-workspace#659). It takes no other base
for a closed pull request and reopens none whose base is gone, so the branch has to be there again, where it was
(ai-driven-dev/framework#843). Not here: sending the steps (``updating``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stackr.core.model import ZERO_OID
from stackr.github.reading import Reader
from stackr.github.updating import Step
from stackr.records import dataclass


@dataclass(frozen=True, slots=True)
class LostBase:
    """A base that is no branch any more: the full ref name, and the commit it was at."""

    repository_id: str
    ref: str
    oid: str


def with_bases(reader: Reader, steps: Sequence[Step]) -> list[Step]:
    """The steps, with what brings a lost base back before a reopening, and takes it away after the change of base.

    One request to see which are lost, if anything is reopened at all.
    """
    ids = [step.node_id for step in steps if step.kind == "reopen"]
    lost = {node["id"]: _lost(node) for node in reader.bases(ids) if node["baseRef"] is None} if ids else {}
    return list(_mended(steps, lost))


def _lost(node: Mapping[str, Any]) -> LostBase:
    return LostBase(node["repository"]["id"], f"refs/heads/{node['baseRefName']}", node["baseRefOid"])


def _mended(steps: Sequence[Step], lost: Mapping[str, LostBase]) -> Iterable[Step]:
    for step in steps:
        base = lost.get(step.node_id)
        if base is not None and step.kind == "reopen":
            yield _moved(step, base, {"afterOid": base.oid})
        yield step
        if base is not None and "baseRefName" in step.input:
            yield _moved(step, base, {"beforeOid": base.oid, "afterOid": ZERO_OID})


def _moved(step: Step, base: LostBase, move: Mapping[str, str]) -> Step:
    given = {"repositoryId": base.repository_id, "refUpdates": [{"name": base.ref, **move}]}
    return Step(step.number, step.node_id, "branch", given)
