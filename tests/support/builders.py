"""Small builders of core values, so that tests of pure code read as sentences.

Object ids are short words (``"a1"``), trees are ``"tree of a1"``, change ids follow from a letter: ``cid("A")``.
A change called A has the head branch ``stackr/alice/<short id of A>`` (``ref("A")``) and pull request #10, B has #11.
Here: values only. Not here: anything that decides, or that touches git or a server.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from stackr.core import body, identity
from stackr.core.model import Change, Commit, Graph, Head, Orphan, PullRequest, PullState, Stack, Trunk
from stackr.core.options import SubmitOptions
from stackr.core.ownership import BRANCHES, HEADS, PUSHING, SAID
from stackr.core.plan import Plan
from stackr.core.said import words_of
from stackr.core.submit import plan_submit

AUTHOR = b"Alice <alice@example.com> 1700000000 +0000"
BOB = b"Bob <bob@example.com> 1700000000 +0000"


def cid(letter: str) -> str:
    """The Change-Id of the change called ``letter``."""
    return "I" + hashlib.sha1(letter.encode()).hexdigest()


def ref(letter: str) -> str:
    """The head branch of the change called ``letter``."""
    return identity.head_ref(cid(letter), "alice")


def number(letter: str) -> int:
    """The number of its pull request."""
    return 10 + ord(letter) - ord("A")


def message(letter: str, text: str = "") -> bytes:
    """``Add A``, a text if there is one, and the Change-Id."""
    paragraphs = [f"Add {letter}", *([text] if text else []), f"Change-Id: {cid(letter)}"]
    return "\n\n".join(paragraphs).encode() + b"\n"


def commit(oid: str, parent: str, words: bytes | str = "", **more: object) -> Commit:
    """A commit whose tree is named after it; ``words`` is the whole message (default: that of its first letter)."""
    text = words.encode() if isinstance(words, str) else words
    made = Commit(oid, f"tree of {oid}", (parent,), AUTHOR, AUTHOR, text or message(oid[0].upper()))
    return replace(made, **more)  # type: ignore[arg-type]


def pull(letter: str, base: str = "main", head_oid: str = "", **more: object) -> PullRequest:
    """The open pull request of a change, with the description stackr gives a single change."""
    n = number(letter)
    wanted = body.Description(cid(letter), f"Add {letter}", "")
    made = PullRequest(
        n,
        f"PR_{n}",
        f"https://github.com/acme/widgets/pull/{n}",
        PullState.OPEN,
        False,
        ref(letter),
        head_oid or f"{letter.lower()}1",
        base,
        f"Add {letter}",
        body.new_body(wanted, {}),
        "alice",
    )
    return replace(made, **more)  # type: ignore[arg-type]


def change(oid: str, parent: str, *, remote: str | None = None, **more: object) -> Change:
    """The change whose local commit is ``oid`` (``"a2"`` belongs to A); ``remote`` is an accepted remote head."""
    letter = oid[0].upper()
    made = Change(cid(letter), commit(oid, parent), ref(letter), remote, remote)
    return replace(made, **more)  # type: ignore[arg-type]


def new(oid: str, parent: str, **more: object) -> Change:
    """A change that GitHub has not seen."""
    return change(oid, parent, **more)


def live(oid: str, parent: str, base: str = "main", remote: str | None = None, **more: object) -> Change:
    """A change with an open pull request; its remote head is ``remote``, else the local commit."""
    tip = remote or oid
    return change(oid, parent, remote=tip, **{"pull": pull(oid[0].upper(), base, tip), **more})


def stack(
    *changes: Change,
    history: Mapping[str, Sequence[str]] | None = None,
    trees: Mapping[str, str] | None = None,
    trunk: str = "t1",
    **more: object,
) -> Stack:
    """A stack of ``changes``, bottom first, on branch ``feature``.

    ``history`` adds parents by commit id for remote heads that are no local commit; ``trees`` their trees (default:
    ``tree of <oid>``). Records of accepted and intended heads follow from the changes; what has a pull request, this
    clone has given it the words that ``pull`` gives it.
    """
    local = {c.commit.oid: c.commit.parents for c in changes}
    older = {oid: tuple(parents) for oid, parents in (history or {}).items()}
    known = {oid: f"tree of {oid}" for oid in {*local, *older, trunk}} | {c.commit.oid: c.commit.tree for c in changes}
    head = changes[-1].commit.oid if changes else trunk
    made = Stack(
        Trunk("main", trunk),
        Head("refs/heads/feature", head),
        changes,
        graph=Graph({**older, **local}),
        trees={**known, **(trees or {})},
        local_branches={"refs/heads/feature": head},
        own_refs=records(changes),
        said={each.id: (each.pull.title, "") for each in changes if each.pull},
        repository_id="R_1",
    )
    return replace(made, **more)  # type: ignore[arg-type]


def records(changes: Sequence[Change]) -> dict[str, str]:
    """What the refs below ``refs/stackr/`` say of these changes."""
    found = {}
    for each in changes:
        if each.accepted is not None:
            found[HEADS + each.id] = found[BRANCHES + each.head_ref] = each.accepted
        if each.pushing is not None:
            found[PUSHING + each.id] = each.pushing
        if each.pull is not None:
            found[SAID + each.id] = each.commit.oid
    return found


def listed(made: Stack) -> Stack:
    """The stack with the right list in every description, as a submit leaves it."""
    rows = tuple(body.Row(c.id, c.pull.number) for c in made.changes if c.pull)
    changes = []
    for each in made.changes:
        if each.pull is not None:
            wanted = body.Description(each.id, *words_of(each.commit), rows if len(rows) > 1 else ())
            each = replace(each, pull=replace(each.pull, body=body.new_body(wanted, {})))
        changes.append(each)
    return replace(made, changes=tuple(changes), said={c.id: words_of(c.commit) for c in made.changes if c.pull})


def orphan(letter: str, base: str, head_oid: str) -> Orphan:
    """An open pull request that left the stack."""
    return Orphan(pull(letter, base, head_oid), cid(letter))


def submitted(made: Stack, **options: object) -> Plan:
    """What a submit of ``made`` would do."""
    return plan_submit(made, SubmitOptions(**options))  # type: ignore[arg-type]
