"""Users, tokens, permissions, and which repository somebody may see."""

from __future__ import annotations

import hashlib

from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, forbidden, not_found
from stackr.sandbox.model import Permission, Repository, Token, User

LEVELS = ("none", "read", "triage", "write", "maintain", "admin")
GHOST = User(id=0, login="ghost", type="User", created_at="2008-01-01T00:00:00Z")


def user_by_login(engine: Engine, login: str) -> User | None:
    """The account with this login; logins compare without case."""
    exact = engine.store.users.one(login=login)
    if exact:
        return exact
    return next((u for u in engine.store.users.all() if u.login.lower() == login.lower()), None)


def user(engine: Engine, user_id: int | None) -> User:
    """The account with this id, or GitHub's "ghost"."""
    return engine.store.users.get(user_id) or GHOST


def add_user(
    engine: Engine, login: str, *, name: str | None = None, email: str | None = None, kind: str = "User"
) -> User:
    """Create an account, or return the one that is there."""
    known = user_by_login(engine, login)
    if known:
        return known
    with engine.transaction():
        return engine.store.users.add(
            User(
                login=login,
                name=name or login.capitalize(),
                email=email or f"{login}@example.com",
                type=kind,
                created_at=engine.now(),
            )
        )


def add_token(
    engine: Engine,
    owner: User,
    token: str | None = None,
    *,
    kind: str = "classic",
    reads_checks: bool | None = None,
    reads_actions: bool = True,
    sso_required: bool = False,
    expired: bool = False,
) -> str:
    """Give an account a token and return it. Made-up ones look like GitHub's and are the same in every run.

    ``kind``: classic, fine-grained (which reads no checks unless ``reads_checks`` says so: cli/cli#12597), or job, that
    of a job of GitHub Actions.
    """
    number = len(engine.store.tokens.all()) + 1
    digest = hashlib.sha256(f"{owner.login}:{number}".encode()).hexdigest()
    prefix = "github_pat_" if kind == "fine-grained" else "ghp_"
    text = token or prefix + digest[:36]
    with engine.transaction():
        row = engine.store.tokens.one(token=text)
        if row is None:
            row = engine.store.tokens.add(Token(token=text, user_id=owner.id))
        row.kind, row.sso_required, row.expired = kind, sso_required, expired
        row.reads_checks = kind != "fine-grained" if reads_checks is None else reads_checks
        row.reads_actions = reads_actions
        engine.store.tokens.save(row)
    return text


def authenticate(engine: Engine, token: str) -> tuple[User, Token]:
    """Whose token it is; 401 for an unknown or expired one.

    https://docs.github.com/rest/authentication/authenticating-to-the-rest-api
    """
    row = engine.store.tokens.one(token=token)
    if row is None or row.expired:
        raise ApiError(401, "Bad credentials", graphql_type="UNAUTHORIZED")
    return engine.store.users.need(row.user_id), row


def owner(engine: Engine, repo: Repository) -> User:
    """The account that a repository belongs to."""
    return engine.store.users.need(repo.owner_id)


def full_name(engine: Engine, repo: Repository) -> str:
    """``owner/name``."""
    return f"{owner(engine, repo).login}/{repo.name}"


def permission(engine: Engine, viewer: User | None, repo: Repository) -> str:
    """One of LEVELS. Owners are admins; a public repository can be read by anyone."""
    floor = "none" if repo.private else "read"
    if viewer is None:
        return floor
    if viewer.id == repo.owner_id:
        return "admin"
    found = [row.level for row in engine.store.permissions.by(repo_id=repo.id) if row.user_id == viewer.id]
    return max([floor, *found], key=LEVELS.index)


def may(engine: Engine, viewer: User | None, repo: Repository, level: str) -> bool:
    """Whether the viewer has at least this level."""
    return LEVELS.index(permission(engine, viewer, repo)) >= LEVELS.index(level)


def require(engine: Engine, viewer: User | None, repo: Repository, level: str) -> None:
    """Refuse who has less: 404 without read access, 403 otherwise.

    https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api
    """
    if not may(engine, viewer, repo, "read"):
        raise not_found()
    if not may(engine, viewer, repo, level):
        if level == "admin":
            raise forbidden("Must have admin rights to Repository.")
        raise forbidden(
            "Resource not accessible by personal access token",
            headers={"X-Accepted-GitHub-Permissions": "contents=write; pull_requests=write"},
        )


def grant(engine: Engine, repo: Repository, login: str, level: str) -> None:
    """Give an account a level in a repository, or take it away with "none"."""
    account = user_by_login(engine, login)
    if account is None:
        raise not_found()
    with engine.transaction():
        rows = [r for r in engine.store.permissions.by(repo_id=repo.id) if r.user_id == account.id]
        row = rows[0] if rows else Permission(repo_id=repo.id, user_id=account.id, level=level)
        row.level = level
        if rows:
            engine.store.permissions.save(row)
        else:
            engine.store.permissions.add(row)


def repository(engine: Engine, viewer: User | None, owner_login: str, name: str) -> Repository:
    """A repository by owner and name (without case); 404 also when the viewer may not know of it."""
    repo = find_repository(engine, owner_login, name)
    if repo is None or not may(engine, viewer, repo, "read"):
        raise not_found()
    return repo


def find_repository(engine: Engine, owner_login: str, name: str) -> Repository | None:
    """A repository by owner and name, whoever asks."""
    account = user_by_login(engine, owner_login)
    if account is None:
        return None
    name = name.lower()
    return next(
        (repo for repo in engine.store.repositories.all() if repo.owner_id == account.id and repo.name.lower() == name),
        None,
    )


def assignable(engine: Engine, repo: Repository) -> list[User]:
    """Who can be asked for a review or assigned: the owner, and everybody with a level of his own."""
    levels = {r.user_id for r in engine.store.permissions.by(repo_id=repo.id) if r.level != "none"}
    people = [u for u in engine.store.users.all() if u.id in levels or u.id == repo.owner_id]
    return [u for u in people if u.type != "Organization"]
