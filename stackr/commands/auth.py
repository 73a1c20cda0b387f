"""``stackr auth status``: which token is used, whose it is, and what it may do."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

import click

from stackr import options
from stackr.app import App
from stackr.core.ports import ReadRequest
from stackr.ui import as_json as documents
from stackr.ui.line import Line, Span, line

if TYPE_CHECKING:
    from stackr.github.account import Account


@click.group(no_args_is_help=False)
def command() -> None:
    """See which token stackr uses.

    stackr stores no token of its own. The first of these is used: STACKR_TOKEN; GH_TOKEN or GITHUB_TOKEN (for
    github.com), GH_ENTERPRISE_TOKEN or GITHUB_ENTERPRISE_TOKEN (elsewhere); what "gh auth token" and "git credential
    fill" answer.
    """


@command.command()
@options.json_option
@click.pass_context
def status(context: click.Context, as_json: bool) -> None:
    """Show whose token it is, where it was found, and what it may do here. Never the token."""
    app = App(context)
    account = app.forge.describe_auth()
    can_push = app.forge.read(ReadRequest()).can_push
    repository = f"{app.host.owner}/{app.host.name}"
    if as_json:
        app.ui.json(
            documents.envelope(
                "auth status",
                host=app.host.hostname,
                login=account.login,
                source=account.source,
                scopes=list(account.scopes) if account.scopes is not None else None,
                expires=account.expires,
                rate_limit={"limit": account.limit, "remaining": account.remaining, "reset": account.reset},
                repository=repository,
                can_push=can_push,
            )
        )
        return
    app.ui.lines(_lines(app.host.hostname, account, repository, can_push))


def _lines(hostname: str, account: Account, repository: str, can_push: bool) -> list[Line]:
    scopes = "not told (a fine-grained or app token)" if account.scopes is None else ", ".join(account.scopes) or "none"
    facts = {
        "login": f"{account.login} on {hostname}",
        "token": f"from {account.source}",
        "scopes": scopes,
        "expires": account.expires or "not told",
        "limit": limit(account),
        "pushes": f"may push to {repository}" if can_push else f"may NOT push to {repository}",
    }
    return [line(Span(f"{name}:".ljust(9), "bold"), text) for name, text in facts.items()]


def limit(account: Account) -> str:
    """What is left of the hour's requests, and until when (UTC)."""
    if account.remaining is None or account.limit is None:
        return "not told"
    until = f" until {datetime.fromtimestamp(account.reset, timezone.utc):%H:%M} UTC" if account.reset else ""
    return f"{account.remaining} of {account.limit} requests left{until}"
