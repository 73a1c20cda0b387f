"""Stacks as ghstack and mergify leave them on GitHub and in a clone, written without either of them.

``Ghstack`` writes what ghstack 0.18 wrote in a real run against the sandbox (``python -m bench.adoption`` makes one):
for every change the branches ``base``, ``head`` and ``orig``, their commits with these very messages and parents, the
list in the description, and the trailers in the local commits. ``mergify_push`` does the same for a first
``mergify stack push``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from stackr.sandbox import opening, pulls, refs
from stackr.sandbox.model import ZERO_OID
from stackr.sandbox.refs import RefChange
from tests.support.git import git_bytes
from tests.support.world import Clone, World

LIST = "Stack from [ghstack](https://github.com/ezyang/ghstack/tree/0.18.0) (oldest at bottom):"
_POISON = "\n\n[ghstack-poisoned]"
_OWN = re.compile(r"^(ghstack-source-id|Pull-Request): .*\n?", re.MULTILINE)


@dataclass
class Ghstack:
    """ghstack for one person; ``submit`` may be called again after an amend, a reorder, a rebase."""

    world: World
    clone: Clone
    trunk: str = "main"
    _numbers: dict[int, int] = field(default_factory=dict)

    def submit(self) -> None:
        """Push the stack at HEAD, open or update its pull requests, and write the trailers into the local commits."""
        self.world.bare.git("fetch", "-q", str(self.clone.path), "HEAD")
        point = self.clone.git("merge-base", "HEAD", f"origin/{self.trunk}")
        below = self.clone.tree(point)
        moved: dict[str, str] = {}
        changes: list[tuple[int, str, str]] = []
        for oid in self.clone.stack(f"origin/{self.trunk}"):
            message, tree = self.clone.git("log", "-1", "--format=%B", oid), self.clone.tree(oid)
            number = self._number_of(message)
            moved |= self._branches(number, tree, below, point)
            changes.append((number, message, tree))
            below = tree
        self._move(moved)
        top = self._origs(changes, point)
        self._describe(changes)
        self.clone.git("fetch", "-q", str(self.world.bare.path), "+refs/heads/gh/*:refs/remotes/origin/gh/*")
        self.clone.git("reset", "-q", "--soft", top)

    def land(self, count: int) -> None:
        """``ghstack land`` of the lowest changes: cherry-picks on trunk, ``base`` at ``head``, then no branches."""
        oids = self.clone.stack(f"origin/{self.trunk}")[:count]
        messages = [self.clone.git("log", "-1", "--format=%B", oid) for oid in oids]
        numbers = [self._number_of(message) for message in messages]
        tip = self.world.bare.oid(self.trunk)
        for oid, message, number in zip(oids, messages, numbers, strict=True):
            subject, _, rest = message.partition("\n")
            tip = self._commit(self._picked(oid, tip), (tip,), f"{subject} (#{self._numbers[number]})\n{rest}")
        self._move({self.trunk: tip})
        self._move({f"gh/alice/{n}/base": self.world.bare.oid(f"gh/alice/{n}/head") for n in numbers})
        kinds = ("orig", "base", "head")
        self._move({f"gh/alice/{number}/{kind}": ZERO_OID for number in numbers for kind in kinds})

    def _picked(self, oid: str, onto: str) -> str:
        """The tree that a cherry-pick gives."""
        env = {"GIT_INDEX_FILE": str(self.world.root / "index")}
        self.world.bare.git("read-tree", onto, env=env)
        patch = git_bytes(self.world.bare.path, "diff-tree", "-p", "--binary", "--full-index", f"{oid}^", oid)
        self.world.bare.git("apply", "--cached", stdin=patch, env=env)
        return self.world.bare.git("write-tree", env=env)

    def _number_of(self, message: str) -> int:
        """The number in the branch names: that of an earlier submit, else the next."""
        found = re.search(r"^Pull-Request: \S+/pull/(\d+)$", message, re.MULTILINE)
        if found:
            return next(number for number, pull in self._numbers.items() if pull == int(found[1]))
        number = len(self._numbers) + 1
        self._numbers[number] = 0
        return number

    def _branches(self, number: int, tree: str, below: str, point: str) -> dict[str, str]:
        """Where base and head of a change go, on top of where they are."""
        base_ref, head_ref = f"gh/alice/{number}/base", f"gh/alice/{number}/head"
        have = self.world.bare.refs(f"refs/heads/gh/alice/{number}")
        base, head = have.get(f"refs/heads/{base_ref}"), have.get(f"refs/heads/{head_ref}")
        if base is None or head is None:
            base = self._commit(below, (point,), "Update (base update)" + _POISON)
            return {base_ref: base, head_ref: self._commit(tree, (base,), "[INITIAL] Update" + _POISON)}
        moved: dict[str, str] = {}
        parents = (head,)
        if self.world.bare.tree(base) != below or not self._contains(base, point):
            onto = (base,) if self._contains(base, point) else (base, point)
            moved[base_ref] = self._commit(below, onto, "Update (base update)" + _POISON)
            parents = (head, moved[base_ref])
        if moved or self.world.bare.tree(head) != tree:
            moved[head_ref] = self._commit(tree, parents, "[UPDATE] Update" + _POISON)
        return moved

    def _origs(self, changes: list[tuple[int, str, str]], point: str) -> str:
        """The clean commits, with ghstack's trailers; where the topmost is."""
        moved = {}
        for number, message, tree in changes:
            address = f"https://{self.world.server.url.partition('://')[2]}/{self.world.name}/pull"
            bare = _OWN.sub("", message).rstrip()
            if not self._numbers[number]:
                self._numbers[number] = self._open(number, bare)
            gap = "\n" if "\n\n" in bare and re.match(r"[A-Za-z-]+: ", bare.rpartition("\n\n")[2]) else "\n\n"
            trailers = f"ghstack-source-id: {tree}\nPull-Request: {address}/{self._numbers[number]}"
            point = moved[f"gh/alice/{number}/orig"] = self._commit(tree, (point,), f"{bare}{gap}{trailers}\n")
        self._move(moved)
        return point

    def _open(self, number: int, message: str) -> int:
        title, _, text = message.partition("\n")
        repo, user = self.world.server.repository(self.world.name), self.world.server.user("alice")
        rule = "----\n\n" if text.lstrip().startswith(("* ", "- ")) else ""
        body = f"{LIST}\n* (to be filled)\n\n{rule}{text.strip()}"
        stem = f"gh/alice/{number}"
        made = opening.create_pull(
            self.world.server.engine, user, repo, title=title, head=f"{stem}/head", base=f"{stem}/base", body=body
        )
        return made.number

    def _describe(self, changes: list[tuple[int, str, str]]) -> None:
        """The list in every description."""
        members = [self._numbers[number] for number, _, _ in reversed(changes)]
        for mine in members:
            rows = "".join(f"* {'__->__ ' if each == mine else ''}#{each}\n" for each in members)
            old = self.world.pull(mine).body or ""
            body = re.sub(r"Stack.*:\r?\n(\* [^\r\n]+\r?\n)+", f"{LIST}\n{rows}", old)
            pulls.update_pull(
                self.world.server.engine, self.world.server.user("alice"), self.world.pull(mine), body=body
            )

    def _commit(self, tree: str, parents: tuple[str, ...], message: str) -> str:
        options = [word for parent in parents for word in ("-p", parent)]
        return self.world.bare.git("commit-tree", tree, *options, stdin=message.encode(), env=self.clone.person)

    def _contains(self, descendant: str, ancestor: str) -> bool:
        return self.world.bare.git("merge-base", descendant, ancestor) == ancestor

    def _move(self, moved: dict[str, str]) -> None:
        move(self.world, moved)


def move(world: World, moved: dict[str, str]) -> None:
    """Branches of the server, as alice's push moves them."""
    changes = [RefChange(f"refs/heads/{name}", oid, force=name.endswith("/orig")) for name, oid in moved.items()]
    refs.update_refs(world.server.engine, world.server.user("alice"), world.server.repository(world.name), changes)


def mergify_push(world: World, clone: Clone) -> None:
    """``mergify stack push`` of a new stack whose commits have ids: its branches, bases and ``Depends-On`` lines."""
    world.bare.git("fetch", "-q", str(clone.path), "HEAD")
    base, below = "main", None
    for oid in clone.stack():
        title, text = clone.git("log", "-1", "--format=%s%x00%b", oid).split("\0")
        found = re.search(r"^Change-Id: I([0-9a-f]{8})", text, re.MULTILINE)
        assert found, f"{oid} has no Change-Id"
        head = f"stack/alice/feature/{title.lower()}--{found[1]}"
        move(world, {head: oid})
        body = re.sub(r"^Change-Id: .*$", "", text, flags=re.MULTILINE).rstrip("\n")
        body += f"\n\nDepends-On: #{below}" if below else ""
        repo, user = world.server.repository(world.name), world.server.user("alice")
        made = opening.create_pull(world.server.engine, user, repo, title=title, head=head, base=base, body=body)
        base, below = head, made.number
