"""``stackr doctor``: everything stackr needs, one verdict each, and what to do about it."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator

import click

from stackr import options
from stackr.app import App
from stackr.core.ports import ForgeFacts, ReadRequest
from stackr.errors import ConfigError, GitError, Refused, StackrError
from stackr.records import dataclass
from stackr.ui import as_json as documents
from stackr.ui.line import Line, Span, line

OLDEST_GIT = (2, 38)
_SIGNS = {"ok": ("✓ ", "green"), "note": ("● ", "yellow"), "problem": ("✗ ", "red"), "skipped": ("○ ", "dim")}


@dataclass(frozen=True, slots=True)
class Finding:
    """One verdict: ``ok``, ``note`` (works, but look at it), ``problem`` or ``skipped``; ``code`` is an exit code."""

    name: str
    verdict: str
    text: str
    todo: str = ""
    code: int = 0


@click.command()
@options.json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> int:
    """Check everything that stackr needs, and say what to do about it.

    Nothing is changed. Exits with 0 if all is well, else with the exit code of the first problem.
    """
    app = App(context)
    findings = list(_examine(app))
    code = next((finding.code for finding in findings if finding.code), 0)
    if as_json:
        checks = [
            {"name": each.name, "verdict": each.verdict, "message": each.text, "next": each.todo or None}
            for each in findings
        ]
        app.ui.json({**documents.envelope("doctor", checks=checks), "ok": code == 0})
    else:
        app.ui.lines(each for finding in findings for each in _lines(finding))
    return code


def _examine(app: App) -> Iterator[Finding]:
    """Every check in order; one that needs what failed before it is skipped."""
    patient = _Patient(app)
    failed: set[str] = set()
    for name, needs, check in patient.checks():
        missing = failed.intersection(needs)
        finding = Finding(name, "skipped", f"needs the {sorted(missing)[0]}") if missing else _ask(name, check)
        if finding.verdict in ("problem", "skipped"):
            failed.add(name)
        yield finding


def _ask(name: str, check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except StackrError as problem:
        return Finding(name, "problem", problem.message, problem.next_step, problem.exit_code)


def _lines(finding: Finding) -> Iterator[Line]:
    sign, style = _SIGNS[finding.verdict]
    yield line(Span(sign, style), Span(finding.name.ljust(11), "bold"), finding.text)
    if finding.todo:
        yield line(" " * 13, Span(f"next: {finding.todo}", "bold"))


class _Patient:
    """The checks; GitHub is asked once for all of them."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.facts: ForgeFacts | None = None

    def checks(self) -> tuple[tuple[str, tuple[str, ...], Callable[[], Finding]], ...]:
        """Name, what it needs, and the check."""
        return (
            ("python", (), self._python),
            ("repository", (), self._repository),
            ("git", ("repository",), self._git),
            ("identity", ("repository",), self._identity),
            ("settings", ("repository",), self._settings),
            ("remote", ("repository", "settings"), self._remote),
            ("token", ("remote",), self._token),
            ("login", ("token",), self._login),
            ("access", ("token",), self._access),
            ("trunk", ("access",), self._trunk),
            ("hook", ("repository",), self._hook),
        )

    @staticmethod
    def _python() -> Finding:
        return Finding("python", "ok", platform.python_version())

    def _repository(self) -> Finding:
        repo = self.app.repo
        state = repo.local_state("origin")
        if state.busy:
            return Finding("repository", "note", f"{repo.work_tree}: a {state.busy} is in progress", "finish it first")
        return Finding("repository", "ok", str(repo.work_tree))

    def _git(self) -> Finding:
        version = self.app.repo.git_version
        text = ".".join(map(str, version))
        if version < OLDEST_GIT:
            return Finding("git", "problem", f"{text} is too old", "install git 2.38 or newer", GitError.exit_code)
        return Finding("git", "ok", text)

    def _identity(self) -> Finding:
        from stackr.repo.ident import Identity

        committer = Identity(self.app.repo.runner, self.app.repo.config).committer
        return Finding("identity", "ok", committer.decode("utf-8", "replace").rpartition(">")[0] + ">")

    def _settings(self) -> Finding:
        warnings = self.app.config.warnings
        if warnings:
            return Finding("settings", "note", "; ".join(warnings), "stackr config shows what counts")
        return Finding("settings", "ok", "every value is understood")

    def _remote(self) -> Finding:
        host = self.app.host
        return Finding("remote", "ok", f"{self.app.remote}: {host.owner}/{host.name} on {host.hostname}")

    def _token(self) -> Finding:
        return Finding("token", "ok", f"from {self.app.token.source}")

    def _login(self) -> Finding:
        account = self.app.forge.describe_auth()
        return Finding("login", "ok", account.login)

    def _access(self) -> Finding:
        self.facts = self.app.forge.read(ReadRequest(trunk=self.app.config.trunk))
        repository = f"{self.app.host.owner}/{self.app.host.name}"
        if not self.facts.can_push:
            todo = "ask for write access, use a token that has it, or propose from a fork: stackr submit --fork"
            return Finding("access", "problem", f"may not push to {repository}", todo, ConfigError.exit_code)
        return Finding("access", "ok", f"may push to {repository}")

    def _trunk(self) -> Finding:
        facts = self.facts
        assert facts is not None, "the access is checked first"
        if facts.trunk_oid is None:
            todo = "name another with git config stackr.trunk BRANCH"
            return Finding("trunk", "problem", f'"{facts.trunk}" does not exist on GitHub', todo, Refused.exit_code)
        return Finding("trunk", "ok", f"{facts.trunk} at {facts.trunk_oid[:7]}")

    def _hook(self) -> Finding:
        from stackr.repo import hooks

        plan = hooks.plan_install(hooks.directory(self.app.repo.runner))
        if plan.done == "already there":
            return Finding("hook", "ok", str(plan.path))
        return Finding("hook", "ok", "not installed; submit names changes too (stackr hook install)")
