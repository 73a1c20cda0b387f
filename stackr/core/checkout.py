"""Pull requests -> clean local commits on a branch, for ``stackr checkout``; pure.

Every commit has the tree of its head, title and description as they stand on GitHub, and the first author. Nothing of
it depends on who checks out or when, so it is the same commits every time. What a head lacks of the one below it is
merged in between (``stackr.stories.checking_out``), which is the only step that is not here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from stackr.core import body, identity
from stackr.core.heading import files_between, head_moves
from stackr.core.model import Change, Commit, Graph, Head, NewCommit, PullRequest, PullState, Stack, Trunk
from stackr.core.ownership import BRANCHES, HEADS, KEPT, SAID, TAKEN, name_record, tells_change
from stackr.core.plan import MoveRefs, Plan, RefMove
from stackr.core.ports import LocalState
from stackr.core.versions import Version, list_versions
from stackr.errors import Refused, UsageError
from stackr.patterns import pattern
from stackr.records import dataclass

_LONGEST_SLUG = 40
# git-check-ref-format(1); git-branch(1) takes no HEAD and no hyphen at the front; refs/... would be below refs/heads/.
_NO_BRANCH = pattern(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|(?:^|/)\.|\.lock(?:/|$)|[/.]$|^[-/]|^(?:@|HEAD)?$|^refs/")


@dataclass(frozen=True, slots=True)
class Member:
    """One pull request of the stack, its id, and its versions.

    ``tree`` is what the local commit is to have; ``is_behind`` whether the head lacks what is below it.
    """

    pull: PullRequest
    id: str
    versions: tuple[Version, ...]
    tree: str = ""
    is_behind: bool = False

    @property
    def head(self) -> Commit:
        """The tip of the head branch."""
        return self.versions[-1].commit

    @property
    def first(self) -> Commit:
        """The commit that the head branch began with."""
        return self.versions[0].commit

    @property
    def message(self) -> bytes:
        """Title and description as they stand on GitHub, and the Change-Id."""
        found = body.parse(self.pull.body)
        text = body.without_template(found)
        paragraphs = [body.normalise(self.pull.title), *([text] if text else [])]
        return identity.with_change_id("\n\n".join(paragraphs).encode() + b"\n", self.id)


def members(pulls: Sequence[PullRequest], commits: Mapping[str, Commit], trunk: Trunk) -> tuple[Member, ...]:
    """Every pull request that has not landed, bottom first: trunk does not contain it, nor was it merged there.

    The id is the marker's; where there is none, or another pull request below has it too (a copied description), the
    first commit's own, else one that follows from that commit. Raises ``Refused`` for a head that its base contains.
    """
    found: list[Member] = []
    below = trunk.oid
    for pull in pulls:
        if pull.head_oid not in commits or (not found and _has_landed(pull, trunk)):
            continue
        block = body.parse(pull.body).block
        marked = block.id if block and block.id not in {member.id for member in found} else ""
        versions = list_versions(marked, pull.head_oid, below, commits)
        if not versions:
            raise Refused(
                f"the branch of #{pull.number} has no commit of its own",
                next_step="there is nothing to check out: its base contains all of it",
            )
        first = versions[0].commit
        change = marked or identity.change_id(first.message) or identity.new_id(first)
        found.append(Member(pull, change, versions))
        below = pull.head_oid
    if not found:
        raise Refused(f'"{trunk.name}" contains all of #{pulls[-1].number}', next_step=f"git switch {trunk.name}")
    return tuple(found)


def _has_landed(pull: PullRequest, trunk: Trunk) -> bool:
    return pull.state is PullState.MERGED and pull.base_ref == trunk.name


def new_commits(members: Sequence[Member], point: str) -> tuple[tuple[NewCommit, ...], tuple[str, ...]]:
    """The commits to write, and where each member's commit then is: an id, or the label of a commit to write.

    A head that is just that commit is taken as it is.
    """
    writes: list[NewCommit] = []
    tips: list[str] = []
    below = point
    for member in members:
        head = member.head
        if (head.tree, head.parents, head.message) == (member.tree, (below,), member.message):
            below = head.oid
        else:
            writes.append(_new_commit(member, below))
            below = writes[-1].label
        tips.append(below)
    return tuple(writes), tuple(tips)


def _new_commit(member: Member, below: str) -> NewCommit:
    author = member.first.author
    return NewCommit(f":checkout/{member.id}", member.tree, (below,), member.message, author, author, sign=False)


def branch_name(member: Member) -> str:
    """``alice/index-words-by-document``; the short id where the title leaves nothing that a branch may be called.

    An account that is gone has no name.
    """
    parts = _slug(member.pull.author), _slug(member.pull.title) or identity.short_id(member.id)
    return "/".join(filter(None, parts))


def _slug(text: str) -> str:
    """Lower case letters, digits and single hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:_LONGEST_SLUG].strip("-")


def is_foreign(member: Member, viewer: str, email: bytes) -> bool:
    """Whether it is somebody else's and not shared: shared is what the viewer has pushed to."""
    if member.pull.author.lower() == viewer.lower():
        return False
    return all(_email(version.commit.author) != email.lower() for version in member.versions)


def _email(person: bytes) -> bytes:
    return person.rpartition(b"<")[2].partition(b">")[0].strip().lower()


def same_content(existing: Sequence[Commit], members: Sequence[Member]) -> bool:
    """Whether the commits of a branch are these changes as they are, whoever committed them."""
    return [(commit.tree, identity.change_id(commit.message)) for commit in existing] == [
        (member.tree, member.id) for member in members
    ]


def refuse_other_content(name: str, oid: str, number: int) -> None:
    """A branch of that name holds something else."""
    raise Refused(
        f'the branch "{name}" exists (at {oid[:7]}) and is not what #{number} is now',
        next_step=f"git switch {name} && stackr sync takes in what is new there; "
        f"stackr checkout {number} --branch ANOTHER-NAME makes another branch",
    )


def refuse_name(name: str) -> None:
    """A name for a branch that git does not take, or that would be taken for something else."""
    if _NO_BRANCH.search(name):
        raise UsageError(f'"{name}" cannot be the name of a branch', next_step="choose another one: --branch NAME")


def refuse_elsewhere(ref: str, state: LocalState) -> None:
    """A branch that is checked out in another worktree."""
    path = state.other_worktrees.get(ref)
    if path is not None:
        raise Refused(
            f'"{ref.removeprefix("refs/heads/")}" is checked out in "{path}"',
            next_step=f'cd "{path}", or check it out under another name: --branch NAME',
        )


def moved_on(members: Sequence[Member], refs: Mapping[str, str]) -> frozenset[str]:
    """Ids of the changes that were pushed to since this clone last took them in."""
    return frozenset(member.id for member in members if refs.get(HEADS + member.id, member.head.oid) != member.head.oid)


def refuse_left_behind(moved: frozenset[str], holders: Mapping[str, Sequence[Commit]]) -> None:
    """A local branch that holds such a change as it was: nothing would tell later what it lacks.

    ``holders`` maps short names of local branches to their commits above trunk.
    """
    for name, commits in sorted(holders.items()):
        old = next((commit for commit in commits if identity.change_id(commit.message) in moved), None)
        if old is not None:
            raise Refused(
                f'the branch "{name}" holds "{old.subject}" without what was pushed since',
                next_step=f"git switch {name} && stackr sync takes it in; then repeat the command",
            )


def plan_checkout(
    members: Sequence[Member],
    tips: Sequence[str],
    ref: str,
    head: Head,
    refs: Mapping[str, str],
    foreign: frozenset[str],
) -> Plan:
    """The branch, our records of its changes, and HEAD, in one transaction.

    ``tips`` are the members' local commits, ``refs`` where every ref is now, ``foreign`` ids of others' changes.
    """
    after = Head(ref, tips[-1])
    branch = [RefMove(ref, None, after.oid)] if ref not in refs else []
    moves = (*branch, *_records(members, tips, refs, foreign, is_new=bool(branch)), *head_moves(head, after))
    action = MoveRefs(moves, "checkout", files_between(head, after))
    return Plan("checkout", (action,) if moves else (), tuple(_notes(members)))


def kept_as_they_are(members: Sequence[Member]) -> frozenset[str]:
    """Ids of the lowest changes whose heads lack what has landed below them: until they are amended, that is right.

    docs/internals/protocol.md 7.3.
    """
    return frozenset(member.id for member in takewhile(lambda member: member.is_behind, members))


def _records(
    members: Sequence[Member], tips: Sequence[str], refs: Mapping[str, str], foreign: frozenset[str], *, is_new: bool
) -> Iterator[RefMove]:
    """What GitHub has counts as taken in; its words, too, where the commits are new and have them."""
    kept = kept_as_they_are(members)
    for member, tip in zip(members, tips, strict=True):
        head = member.head.oid
        wanted: dict[str, str | None] = {
            HEADS + member.id: head,
            BRANCHES + member.pull.head_ref: head,
            TAKEN + member.id: head if member.id in foreign else None,
            KEPT + member.id: tip if member.id in kept else refs.get(KEPT + member.id),
            SAID + member.id: tip if is_new else refs.get(SAID + member.id),
        }
        if not tells_change(member.pull.head_ref, member.id):
            wanted[name_record(member.id, member.pull.head_ref)] = head
        yield from (RefMove(ref, refs.get(ref), oid) for ref, oid in wanted.items() if refs.get(ref) != oid)


def _notes(members: Sequence[Member]) -> Iterator[str]:
    """Members that are no longer open, below one that is."""
    for member in members:
        pull = member.pull
        if pull.state is PullState.MERGED:
            yield f'#{pull.number} "{pull.title}" was merged into "{pull.base_ref}"; stackr sync sees to it'
        elif pull.state is PullState.CLOSED:
            yield f'#{pull.number} "{pull.title}" is closed, and still below the others'


def stack_after(
    members: Sequence[Member],
    commits: Sequence[Commit],
    ref: str,
    trunk: Trunk,
    graph: Graph,
) -> Stack:
    """The stack as it is checked out, for the report."""
    changes = tuple(
        Change(member.id, commit, member.pull.head_ref, member.head.oid, member.head.oid, None, member.pull)
        for member, commit in zip(members, commits, strict=True)
    )
    trees = {member.head.oid: member.head.tree for member in members}
    return Stack(trunk, Head(ref, commits[-1].oid), changes, graph=graph, trees=trees)
