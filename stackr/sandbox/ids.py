"""GraphQL node ids: opaque to clients, ``PREFIX_base64(parts)`` for us."""

from __future__ import annotations

import base64
import binascii

PREFIXES = {
    "User": "U",
    "Organization": "O",
    "Bot": "BOT",
    "Repository": "R",
    "PullRequest": "PR",
    "Issue": "I",
    "IssueComment": "IC",
    "PullRequestReview": "PRR",
    "Label": "LA",
    "Milestone": "MI",
    "CheckRun": "CR",
    "CheckSuite": "CS",
    "StatusContext": "SC",
    "App": "A",
    "Ref": "REF",
    "Commit": "C",
    "Tree": "T",
    "Blob": "B",
    "Event": "EV",
    "UserContentEdit": "UCE",
    "RepositoryRuleset": "RRS",
    "BranchProtectionRule": "BPR",
    "Stack": "ST",
    "Tag": "TAG",
    "Comparison": "CMP",
    "PullRequestCommit": "PURC",
    "ReviewRequest": "RRQ",
    "RepositoryRule": "RRU",
    "Status": "S",
    "StatusCheckRollup": "SCR",
    "Workflow": "W",
    "WorkflowRun": "WFR",
    "MergeQueue": "MQ",
    "MergeQueueEntry": "MQE",
}
_KINDS = {prefix: kind for kind, prefix in PREFIXES.items()}


def node_id(kind: str, *parts: object) -> str:
    """The node id of a row (``node_id("PullRequest", row.id)``), a ref (repo id, name) or a commit (repo id, oid)."""
    text = ":".join(str(part) for part in parts)
    return f"{PREFIXES[kind]}_kw{base64.urlsafe_b64encode(text.encode()).decode().rstrip('=')}"


def parse_node_id(text: str) -> tuple[str, list[str]] | None:
    """The kind and the parts of a node id, None if it is none of ours."""
    prefix, found, rest = text.partition("_kw")
    kind = _KINDS.get(prefix)
    if not found or kind is None:
        return None
    try:
        parts = base64.urlsafe_b64decode(rest + "=" * (-len(rest) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    limit = 1 if kind in {"Ref", "Commit", "Tree", "Blob", "Tag", "MergeQueue"} else -1
    return kind, parts.split(":", limit) if limit > 0 else [parts]
