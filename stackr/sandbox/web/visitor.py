"""Who is looking at the pages, and whether a form that was sent really comes from one of them.

Anybody at this machine may be anybody: a cookie says who. That is the point of the sandbox, so there is no password.
What must not happen is that some other web page acts here, hence the token in every form and the check of the host.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path

from flask import Request

from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, forbidden
from stackr.sandbox.model import User

SIGNED_OUT = "-"
TOKEN_FIELD = "form_token"  # noqa: S105 - the name of a form field
_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})


@dataclass(frozen=True, slots=True)
class Visitor:
    """The account that looks and acts (None: signed out), and the token that its forms carry."""

    user: User | None
    token: str

    @property
    def login(self) -> str:
        """The login; ``-`` for somebody signed out."""
        return self.user.login if self.user else SIGNED_OUT


def read_key(root: Path) -> bytes:
    """The secret behind the forms' tokens, made once for a sandbox: forms stay good when the server is restarted."""
    path = root / "pages.key"
    try:
        return path.read_bytes()
    except FileNotFoundError:
        path.touch(mode=0o600)
        path.write_bytes(secrets.token_bytes(32))
        return path.read_bytes()


def people(engine: Engine) -> list[User]:
    """Everybody one can be: accounts that are no organizations, in the order they came."""
    return [user for user in engine.store.users.all() if user.type == "User"]


def cookie_name(request: Request) -> str:
    """Cookies do not tell ports apart, so that two sandboxes on one machine need two names (RFC 6265, 8.5)."""
    return f"stackr_you_{request.host.rpartition(':')[2]}"


def find(engine: Engine, request: Request, key: bytes) -> Visitor:
    """Who the cookie says; the first person there is without a cookie."""
    login = request.cookies.get(cookie_name(request))
    known = people(engine)
    user = next((u for u in known if u.login == login), known[0] if known else None)
    if login == SIGNED_OUT:
        user = None
    return Visitor(user, _token(key, user.login if user else SIGNED_OUT))


def _token(key: bytes, login: str) -> str:
    return hmac.new(key, login.encode(), hashlib.sha256).hexdigest()


def refuse_foreign_host(request: Request) -> None:
    """Refuse names that only pretend to be this machine: a page elsewhere could give itself one (DNS rebinding)."""
    host = request.host.lower()
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if name not in _HOSTS:
        raise ApiError(421, "These pages answer to 127.0.0.1 and localhost only.")


def refuse_foreign_origin(request: Request) -> None:
    """Refuse what a browser sends here for a page from elsewhere (https://www.rfc-editor.org/rfc/rfc6454#section-7)."""
    origin = request.headers.get("Origin")
    if request.method == "POST" and origin is not None and origin != request.host_url.rstrip("/"):
        raise forbidden("This form comes from a page that is not of this sandbox.")


def refuse_foreign_form(visitor: Visitor, request: Request) -> None:
    """Refuse a form that is not from these pages, or that was shown to somebody else than who sends it."""
    sent = request.form.get(TOKEN_FIELD, "")
    if not hmac.compare_digest(sent.encode(), visitor.token.encode()):
        raise forbidden(
            f"This form was not made for {visitor.login}; nothing was changed. "
            "If you have become somebody else in the meantime, send it again from here."
        )


def local_path(wanted: str) -> str:
    """A path of ours to go back to; the home page for anything that could lead elsewhere."""
    safe = wanted.startswith("/") and not wanted.startswith(("//", "/\\")) and wanted.isprintable()
    return wanted if safe and "\\" not in wanted else "/"
