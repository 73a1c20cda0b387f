"""Small stacks and reports for the views."""

from __future__ import annotations

from typing import Any

from stackr.core.model import Checks, Commit, Head, Mergeable, Orphan, PullRequest, PullState, Review, Trunk
from stackr.core.status import Report, Row

TRUNK = Trunk("main", "a" * 40)


def commit(digit: str, title: str = "Add cache") -> Commit:
    """A commit whose ids are one digit, forty times."""
    who = b"Alice <alice@example.com> 1700000000 +0000"
    return Commit(digit * 40, digit * 40, ("0" * 40,), who, who, title.encode() + b"\n")


def pull(number: int, **more: Any) -> PullRequest:
    """An open pull request that is ready to land."""
    facts: dict[str, Any] = {
        "state": PullState.OPEN,
        "draft": False,
        "review": Review.APPROVED,
        "checks": Checks.PASSING,
        "mergeable": Mergeable.YES,
        **more,
    }
    return PullRequest(
        number,
        f"PR_{number}",
        f"https://github.com/acme/w/pull/{number}",
        head_ref=f"stackr/alice/{number}",
        head_oid="f" * 40,
        base_ref="main",
        title=f"Title {number}",
        body="",
        **facts,
    )


def row(position: int, title: str, state: str, of: PullRequest | None = None, next_step: str | None = None) -> Row:
    """A row whose commit is its position, forty times."""
    digit = f"{position:x}"
    return Row(position, f"I{digit * 40}", title, digit * 40, f"stackr/alice/{digit * 10}", state, of, next_step)


def report(*rows: Row, orphans: tuple[Orphan, ...] = (), notes: tuple[str, ...] = (), head: str = "") -> Report:
    """Rows bottom first; HEAD is at the top one unless ``head`` says otherwise."""
    at = head or (rows[-1].commit if rows else "b" * 40)
    return Report("status", TRUNK, Head("refs/heads/feature", at), rows, orphans, notes)


def every_state() -> Report:
    """One row of every kind, two orphans' worth of notes."""
    return report(
        row(1, "Landed below", "landed", pull(11, state=PullState.MERGED), "sync"),
        row(2, "Add cache", "in-sync", pull(12)),
        row(3, "Read it", "modified", pull(13, review=Review.REQUIRED, checks=Checks.PENDING, draft=True), "submit"),
        row(4, "Theirs", "remote-ahead", pull(14, review=Review.CHANGES_REQUESTED, checks=Checks.FAILING), "sync"),
        row(5, "Closed", "closed", pull(15, state=PullState.CLOSED), "submit --reopen"),
        row(
            6,
            "Clash",
            "in-sync",
            pull(16, review=Review.NONE, checks=Checks.NONE, mergeable=Mergeable.CONFLICTING),
        ),
        row(7, "Brand new", "new", None, "submit"),
        orphans=(Orphan(pull(9), "I" + "9" * 40),),
        notes=("a rebase is in progress",),
    )
