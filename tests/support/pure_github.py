"""GitHub's traps as values in memory: implements ``core.ports.Forge``.

A pull request is merged, for ever, as soon as its head is reachable from its base; GitHub sees the refs of one push one
after the other, in any order; a base change to a branch that holds the head is refused
(docs/internals/github-facts.md).
Unlike the sandbox it has no HTTP, no git and no database, so a thousand histories take seconds.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from stackr.core.model import PullRequest, PullState
from stackr.core.native import NativeStack
from stackr.core.ports import Created, ForgeFacts, Merge, NewPull, PullEdit, PullText, ReadRequest, RefUpdate
from stackr.core.rules import LandingFacts, MergeState, Method, PullStanding
from stackr.errors import GitHubError, LeaseLost, Refused
from tests.support.pure_git import Files, Gate, Objects


@dataclass
class PureGitHub:
    """One repository with the trunk ``main``. ``ended`` and ``forced`` say what must never have happened."""

    objects: Objects
    branches: dict[str, str]
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    forced: list[str] = field(default_factory=list)
    order: random.Random = field(default_factory=lambda: random.Random(0))
    gate: Gate = field(default_factory=Gate)
    requests: int = 0
    comments: list[tuple[int, str]] = field(default_factory=list)
    stacks: dict[int, list[int]] | None = None  # GitHub's own, by number; None: not enabled

    # Forge

    def viewer(self) -> str:
        return "alice"

    def read(self, request: ReadRequest) -> ForgeFacts:
        self.requests += 1
        trunk = request.trunk or "main"
        newest_first = [self._shown(n) for n in sorted(self.pulls, reverse=True)]
        return ForgeFacts(
            "R_1",
            "main",
            True,
            trunk,
            self.branches.get(trunk),
            {name: self.branches.get(name) for name in request.heads},
            {name: tuple(pull for pull in newest_first if pull.head_ref == name) for name in request.heads},
            {n: self._shown(n) for n in request.numbers if n in self.pulls},
            tuple(p for p in newest_first if p.base_ref in request.heads and p.state is PullState.OPEN)
            if request.targeting
            else (),
            landing=self._landing(request) if request.landing else None,
        )

    def _landing(self, request: ReadRequest) -> LandingFacts:
        """Nobody demands anything here, and GitHub knows it at once."""
        shown = [p for p in self.pulls.values() if p.head_ref in request.heads or p.number in request.numbers]
        return LandingFacts(standings={p.number: PullStanding(MergeState.CLEAN) for p in shown})

    def read_stacks(self, numbers: Sequence[int]) -> tuple[NativeStack, ...] | None:
        if self.stacks is None:
            return None
        found = [key for key, members in self.stacks.items() if set(members) & set(numbers)]
        return tuple(NativeStack(key, *self._split(self.stacks[key])) for key in found)

    def link_stack(self, numbers: Sequence[int], onto: int | None = None) -> bool:
        return self.stacks is not None and self.gate(lambda: self._link(numbers, onto))

    def dissolve_stack(self, number: int) -> tuple[int, ...]:
        return self.gate(lambda: self._dissolve(number))

    def create_pulls(self, repository_id: str, pulls: Sequence[NewPull], reread: Sequence[int] = ()) -> Created:
        made: dict[str, PullRequest] = {}
        for new in pulls:
            number = self.gate(lambda new=new: self._create(new))  # type: ignore[misc]
            made[new.head] = self._shown(number)
        numbers = [*reread, *(pull.number for pull in made.values())]
        return Created(made, self.read_texts(numbers))

    def read_texts(self, numbers: Sequence[int]) -> dict[int, PullText]:
        return {n: PullText(self.pulls[n].title, self.pulls[n].body) for n in numbers}

    def update_pulls(self, edits: Sequence[PullEdit]) -> None:
        for edit in edits:
            self.gate(lambda edit=edit: self._edit(edit))  # type: ignore[misc]

    def merge_pull(self, merge: Merge) -> str | None:
        """Whatever GitHub would do later, it has done before anybody looks."""
        oid = self.gate(lambda: self._merge(merge))
        return None if merge.method in (Method.QUEUE, Method.AUTO, Method.NATIVE) else oid

    def add_comment(self, number: int, text: str) -> None:
        if (number, text) not in self.comments:
            self.gate(lambda: self.comments.append((number, text)))

    def delete_refs(self, repository_id: str, refs: Sequence[tuple[str, str]]) -> None:
        self.gate(lambda: self._delete({ref.removeprefix("refs/heads/"): oid for ref, oid in refs}))

    def _link(self, numbers: Sequence[int], onto: int | None) -> bool:
        assert self.stacks is not None, "stacks are not enabled"
        members = self.stacks.get(onto, []) if onto else []
        taken = {number for stack in self.stacks.values() for number in stack}
        below = self.pulls[members[-1]] if members else None
        for pull in (self.pulls[number] for number in numbers):
            assert pull.number not in taken and pull.state is PullState.OPEN, "in a stack already, or not open"
            assert below is None or pull.base_ref == below.head_ref, "the bases do not chain"
            below = pull
        assert len(members) + len(numbers) >= 2, "too few"
        self.stacks[onto or len(self.stacks) + 1] = [*members, *numbers]
        return True

    def _dissolve(self, number: int) -> tuple[int, ...]:
        assert self.stacks is not None and self.stacks[number], "no such stack"
        self.stacks[number] = list(self._split(self.stacks[number])[1])
        return ()

    def _split(self, members: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What is not merged, and what is."""
        merged = tuple(n for n in members if self.pulls[n].state is PullState.MERGED)
        return tuple(n for n in members if n not in merged), merged

    def _shown(self, number: int) -> PullRequest:
        pull = self.pulls[number]
        return replace(pull, head_oid=self.branches.get(pull.head_ref, pull.head_oid))

    def _create(self, new: NewPull) -> int:
        assert new.head in self.branches, "head sha can't be blank"
        assert new.base in self.branches, "base sha can't be blank"
        assert self.branches[new.head] not in self.objects.ancestors(self.branches[new.base]), "No commits between"
        assert not any(p.head_ref == new.head and p.state is PullState.OPEN for p in self.pulls.values()), "duplicate"
        number = len(self.pulls) + 1
        head = self.branches[new.head]
        self.pulls[number] = PullRequest(
            number,
            f"PR_{number}",
            f"/{number}",
            PullState.OPEN,
            new.draft,
            new.head,
            head,
            new.base,
            new.title,
            new.body,
        )
        return number

    def _edit(self, edit: PullEdit) -> None:
        pull = self.pulls[edit.number]
        if edit.base is not None:
            assert edit.base != pull.base_ref, "a base that does not change was sent"
            stacked = {number for members in (self.stacks or {}).values() for number in members}
            assert edit.number not in stacked, "Cannot change the base branch because it is part of a stack"
            if pull.state is not PullState.OPEN:
                raise GitHubError("cannot change the base branch of a closed pull request")
            if self.branches[pull.head_ref] in self.objects.ancestors(self.branches[edit.base]):
                raise GitHubError(f"there are no new commits between base {edit.base} and head {pull.head_ref}")
            pull = replace(pull, base_ref=edit.base)
        if edit.title is not None:
            pull = replace(pull, title=edit.title)
        if edit.body is not None:
            pull = replace(pull, body=edit.body)
        self.pulls[edit.number] = pull

    def _merge(self, merge: Merge) -> str:
        pull = self.pulls[merge.number]
        head, base = self.branches[pull.head_ref], self.branches[pull.base_ref]
        if pull.state is not PullState.OPEN or head != merge.head:
            raise Refused(f"#{merge.number} is {pull.state.value}, or its head is not {merge.head}")
        how = merge.how if merge.method in (Method.QUEUE, Method.AUTO, Method.NATIVE) else merge.method
        parents = [base, head] if how is Method.MERGE else [base]
        message = f"{merge.title}\n\n{merge.message}".encode()
        oid = self.objects.add(self._merged_tree(base, head), parents, message, b"GitHub", b"GitHub")
        self.branches[pull.base_ref] = oid
        self.pulls[merge.number] = replace(pull, state=PullState.MERGED, head_oid=head, merge_commit=oid)
        self.look()
        return oid

    def _merged_tree(self, base: str, head: str) -> str:
        """What the head changed since the merge base, done to the base."""
        point = min(self.objects.merge_bases(base, head))
        files = dict(self.objects.content(base))
        for path, (before, after) in self.objects.diff(point, head).items():
            if files.get(path) not in (before, after):
                raise Refused("Pull Request is not mergeable")
            files.pop(path, None)
            files |= {} if after is None else {path: after}
        return self.objects.tree(files)

    def _delete(self, branches: Mapping[str, str]) -> None:
        """What still targets a deleted branch is closed, and what comes from it keeps its last commit."""
        if any(self.branches.get(name, oid) != oid for name, oid in branches.items()):
            raise LeaseLost("a branch has moved")
        for number, pull in self.pulls.items():
            if pull.state is PullState.OPEN and {pull.base_ref, pull.head_ref} & branches.keys():
                self.pulls[number] = replace(self._shown(number), state=PullState.CLOSED)
        for name in branches:
            self.branches.pop(name, None)

    # git on the server

    def receive(self, objects: Objects, updates: Sequence[RefUpdate]) -> None:
        """An atomic push with leases; GitHub then looks at every pull request after every single ref."""
        for update in updates:
            if self.branches.get(update.ref.removeprefix("refs/heads/")) != update.expected:
                raise LeaseLost(update.ref)
        for update in self.order.sample(list(updates), len(updates)):
            name = update.ref.removeprefix("refs/heads/")
            assert name != "main", "trunk was pushed"
            assert update.new is not None
            self.objects.take(objects, update.new)
            if update.expected is not None and update.expected not in self.objects.ancestors(update.new):
                self.forced.append(name)
            self.branches[name] = update.new
            self.look()

    def look(self) -> None:
        """Mark as merged what is reachable from its base."""
        for number, pull in self.pulls.items():
            if pull.state is PullState.OPEN:
                head, base = self.branches[pull.head_ref], self.branches[pull.base_ref]
                if head in self.objects.ancestors(base):
                    self.pulls[number] = replace(pull, state=PullState.MERGED)

    # people and what they see

    def commit_on(self, branch: str, edits: Files, author: bytes, message: bytes = b"Apply suggestion\n") -> str:
        """Somebody commits on a branch, on the page."""
        tip = self.branches[branch]
        tree = self.objects.tree({**self.objects.content(tip), **edits})
        self.branches[branch] = self.objects.add(tree, [tip], message, author, author)
        self.look()
        return self.branches[branch]

    def set_text(self, number: int, title: str, text: str) -> None:
        """Somebody edits a pull request on the page; the browser sends CRLF."""
        self.pulls[number] = replace(self.pulls[number], title=title, body=text.replace("\n", "\r\n"))

    def shown_diff(self, number: int) -> Mapping[str, tuple[str | None, str | None]]:
        """The three-dot diff of the page; one answer, whichever merge base GitHub takes."""
        pull = self.pulls[number]
        head, base = self.branches[pull.head_ref], self.branches[pull.base_ref]
        answers = [self.objects.diff(point, head) for point in self.objects.merge_bases(base, head)]
        assert all(answer == answers[0] for answer in answers), "the diff depends on the merge base"
        return answers[0]
