"""What a newcomer finds in a sandbox: four people with tokens, and a repository to clone.

Made once; a sandbox that was used before is left as it is. Nothing is printed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stackr.sandbox import accounts, playground
from stackr.sandbox.server import SandboxServer

WRITERS = ("alice", "bob", "carol")
READERS = ("dave",)
REPOSITORY = "acme/words"


@dataclass(frozen=True, slots=True)
class Person:
    """An account, its first token, and whether it may push to the welcome repository."""

    login: str
    token: str
    may_push: bool


@dataclass(frozen=True, slots=True)
class Welcome:
    """What to tell a newcomer."""

    url: str
    clone_url: str
    people: tuple[Person, ...]


def prepare(server: SandboxServer, root: Path) -> Welcome:
    """Fill an empty sandbox, and tell what is in it."""
    if not server.engine.store.repositories.all():
        for login in (*WRITERS, *READERS):
            server.add_user(login)
        env = playground.sealed(root / "home", {})
        if not (root / "welcome" / "project").exists():
            playground.make_history(root / "welcome", env)
        server.add_repository(REPOSITORY, root / "welcome" / "project", writers=WRITERS, readers=READERS)
    return Welcome(server.url, server.clone_url(REPOSITORY), tuple(_people(server)))


def _people(server: SandboxServer) -> list[Person]:
    engine = server.engine
    owner, _, name = REPOSITORY.partition("/")
    repository = accounts.find_repository(engine, owner, name)
    people: dict[int, Person] = {}
    for token in engine.store.tokens.all():
        user = engine.store.users.need(token.user_id)
        if user.id not in people:
            level = accounts.permission(engine, user, repository) if repository else "none"
            people[user.id] = Person(user.login, token.token, level in ("write", "maintain", "admin"))
    return list(people.values())
