"""Wires configuration, repository, GitHub and console together for one command.

Everything is made on first use: a command that needs no GitHub does not import requests, one that needs no repository
does not import git. No decision of the stack protocol lives here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from stackr import options
from stackr.core import forks
from stackr.core.identity import is_head_ref
from stackr.core.trunk import TrunkChoice
from stackr.errors import ConfigError
from stackr.ui.console import Console

if TYPE_CHECKING:
    from stackr.config import Config
    from stackr.core.forks import Fork
    from stackr.core.model import Change, Stack
    from stackr.core.naming import PullName
    from stackr.core.plan import Plan
    from stackr.core.ports import ForgeFacts
    from stackr.core.triage import CiRules
    from stackr.github.api import GitHub
    from stackr.github.auth import Token
    from stackr.github.checks import CheckReader
    from stackr.github.hosts import Host
    from stackr.observe import Wanted
    from stackr.repo.repository import Repository

LOGIN_KEY = "stackr.login"


class App:
    """One run of a command. ``flags`` are settings given on the command line, by the names of ``stackr.settings``.

    ``fork`` is the remote that ``--fork`` names (``""``: whichever it is).
    """

    def __init__(
        self, context: click.Context, flags: Mapping[str, Any] | None = None, *, fork: str | None = None
    ) -> None:
        self.invocation = options.of(context)
        self._flags = dict(flags or {})
        self._fork = fork
        self._on_trunk: dict[str | None, Config] = {}
        context.call_on_close(self.close)

    def close(self) -> None:
        """End the reading process and the connections that this run opened."""
        for part in ("repo", "forge"):
            if part in self.__dict__:
                self.__dict__[part].close()

    @cached_property
    def ui(self) -> Console:
        """The console."""
        return Console(color=self.invocation.color)

    @cached_property
    def repo(self) -> Repository:
        """The repository around the working directory; raises ``Refused`` where there is none."""
        from stackr.repo.repository import Repository

        return Repository.open(self.invocation.directory)

    @cached_property
    def config(self) -> Config:
        """All settings; warnings about ignored ones are told once."""
        from stackr import config

        loaded = self._load(config.read_repo_file(self.repo.work_tree))
        for warning in loaded.warnings:
            self.ui.warn(warning)
        return loaded

    def _load(self, repo_text: str | None) -> Config:
        from stackr import config

        entries = (entry for entry in self.repo.config.entries if entry.key.startswith("stackr."))
        git_config = {entry.key: "true" if entry.value is None else entry.value for entry in entries}
        return config.load(self._flags, os.environ, repo_text, config.user_file(os.environ), git_config)

    def ci_rules(self, trunk: str | None) -> CiRules:
        """The rules for failed checks as they stand at the commit ``trunk`` (``None``: it is not here)."""
        from stackr.core.triage import CiRules

        return CiRules.from_table(self._config_on(trunk).ci)

    def sev_label(self, trunk: str | None) -> str:
        """The label of issues that may block landings, as it is named at the commit ``trunk`` (``None``: not here)."""
        return self._config_on(trunk).sev_label

    def _config_on(self, trunk: str | None) -> Config:
        """All settings, with the repository's file as it is on trunk; where that does not hold, without, and told once.

        For what decides about landings: in the work tree, a change could call its own failures unstable, and land.
        """
        if trunk not in self._on_trunk:
            from stackr import config

            try:
                content = self.repo.read_file(trunk, [config.REPO_FILE_NAME]) if trunk else None
                found = self._load(config.decode_repo_file(content))
            except ConfigError as problem:
                self.ui.warn(f"the rules for CI on trunk do not hold: {problem.message}")
                found = self._load(None)
            self._on_trunk[trunk] = found
        return self._on_trunk[trunk]

    @cached_property
    def remote(self) -> str:
        """The remote to work with: the setting, else git's own choice (docs/internals/protocol.md 1.4)."""
        return self.repo.choose_remote(self.repo.branch, self.config.remote)

    @cached_property
    def host(self) -> Host:
        """Where that remote lives; raises ``ConfigError`` when it is not a GitHub."""
        from stackr.github.hosts import parse_remote

        return parse_remote(self.repo.remote_url(self.remote))

    @cached_property
    def token(self) -> Token:
        """The token for ``host``; git is given it too, for that host alone."""
        from stackr.github.auth import find_token

        token = find_token(self.host, os.environ, self.repo.gh_token, self.repo.credential)
        self.repo.use_token(self.host.web, token.value)
        return token

    @cached_property
    def forge(self) -> GitHub:
        """The client for ``host``, and for the fork if there is one."""
        if self.fork is not None:
            from stackr.github.forked import ForkedGitHub
            from stackr.github.hosts import parse_remote

            fork = parse_remote(self.repo.remote_url(self.fork.remote, push=True))
            return ForkedGitHub(self.host, fork, self.token, sleep=self.ui.wait)
        from stackr.github.api import GitHub

        return GitHub(self.host, self.token, sleep=self.ui.wait)

    @cached_property
    def fork(self) -> Fork | None:
        """Where the head branches are, if not upstream: as ``--fork`` says, or said before for this branch."""
        chosen = self.remembered_fork if self._fork is None else self._fork
        if chosen is None:
            return None
        from stackr import forking

        return forking.find_fork(self.repo, self.host, self.remote, chosen)

    @cached_property
    def checks(self) -> CheckReader:
        """What reads checks; one for the whole run, since it remembers what failed jobs say."""
        from stackr.github.checks import CheckReader

        return CheckReader(self.forge.http)

    def user(self, *, remember: bool) -> str:
        """The name in new head branches: the setting, else the login cached in this clone, else asked once."""
        return self.config.user or self.login(remember=remember)

    def login(self, *, remember: bool) -> str:
        """The login of the token's owner: cached in this clone, else asked once."""
        known = self.repo.config.get(LOGIN_KEY)
        if known:
            return known
        login = self.forge.viewer()
        if remember:
            self.repo.set_config(LOGIN_KEY, login)
        return login

    def known_user(self) -> str:
        """The name in new head branches as far as it is known without asking GitHub; ``""`` if it is not."""
        return self.config.user or self.repo.config.get(LOGIN_KEY) or ""

    @property
    def remembered_base(self) -> str | None:
        """The trunk that an earlier ``--base`` chose for the current branch."""
        return self._of_branch("stackrBase")

    @property
    def remembered_fork(self) -> str | None:
        """The remote that an earlier ``--fork`` chose for the current branch."""
        return self._of_branch("stackrFork")

    def _of_branch(self, key: str) -> str | None:
        branch = self.repo.branch
        return self.repo.config.get(f"branch.{branch}.{key}") if branch else None

    @property
    def _upstream(self) -> str | None:
        """The branch of ``remote`` that the current one was made from (``git checkout -b topic origin/develop``).

        Its own namesake is no trunk: that is where somebody pushes the branch as a whole.
        """
        branch, config = self.repo.branch, self.repo.config
        if branch is None or config.get(f"branch.{branch}.remote") != self.remote:
            return None
        name = (config.get(f"branch.{branch}.merge") or "").removeprefix("refs/heads/")
        return name if name not in ("", branch) and not is_head_ref(name, self.config.branch_template) else None

    def wanted(self, user: str, base: str | None = None, **more: Any) -> Wanted:
        """What to observe for this branch and this configuration; ``more`` goes to ``Wanted`` as it is."""
        from stackr.observe import Wanted

        trunk = TrunkChoice(base, self.remembered_base, None, self.config.trunk, self._upstream)
        if self.config.native and more.get("writes") and self.fork is None:
            more = {"native": True, "known_pulls": self.known_numbers(), **more}
        return Wanted(self.remote, user, self.config.branch_template, trunk, fork=self.fork, **more)

    def find_change(self, stack: Stack, text: str) -> Change:
        """The change of ``stack`` that a CHANGE on the command line names; no network. See ``core.naming``."""
        from stackr.core import naming

        return naming.find_change(stack, text, self._known_pulls(), self.repo.resolve)

    def known_numbers(self) -> dict[str, int]:
        """Numbers of pull requests by head branch, as far as this clone remembers them."""
        return {name.head_ref: name.number for name in self._known_pulls()}

    def remembers_merged(self, number: int | None) -> bool:
        """Whether this clone has seen pull request ``number`` merged."""
        return any(name.number == number and name.state == "merged" for name in self._known_pulls())

    def _known_pulls(self) -> tuple[PullName, ...]:
        from stackr.repo import pullnames

        return pullnames.read(pullnames.path_in(self.repo.common_dir))

    def remember_pulls(self, stack: Stack) -> None:
        """Remember the pull requests of a stack that was read from GitHub, so that their numbers are known offline."""
        from stackr.core.naming import PullName
        from stackr.repo import pullnames

        seen = [PullName.of(change.pull) for change in stack.changes if change.pull]
        pullnames.remember(pullnames.path_in(self.repo.common_dir), seen)

    def refuse_without_write_access(self, facts: ForgeFacts | None, otherwise: str = "") -> None:
        """Say before anything is written that branches cannot be pushed, and what can be done ``otherwise``."""
        if facts is not None and not facts.can_push:
            error = forks.no_write_access(f"{self.host.owner}/{self.host.name}", self.fork)
            error.next_step = "; ".join(filter(None, (otherwise, error.next_step)))
            raise error

    def refuse_loss(self, plan: Plan) -> None:
        """A dry run says no where the real one would: files of the user's are in the way."""
        for files in plan.switches:
            self.repo.check_switch(*files)

    @contextmanager
    def lock(self, command: str, *, needed: bool = True, resolving: bool = False) -> Iterator[None]:
        """Keep a second stackr out of this repository; ``needed`` is false for a dry run, which writes nothing.

        Raises ``Refused`` while a rebase of ours waits for its conflicts, but for the commands that end it
        (``resolving``).
        """
        if not needed:
            yield
            return
        with self.repo.lock(command, self.invocation.line):
            self._mend()
            if not resolving:
                self._settle()
            yield

    def _settle(self) -> None:
        """See to a rebase of ours that has ended, or is still under way."""
        if self.repo.resolving.path.exists():
            from stackr import resolve

            resolve.settle(self.repo)

    def _mend(self) -> None:
        """Finish what an earlier run was stopped in, and say so."""
        mended = self.repo.mend()
        if mended is None:
            return
        if mended.moved_on:
            self.ui.warn(
                "an earlier run was stopped while it switched files, and HEAD has moved on since: nothing to do"
            )
            return
        self.ui.warn(f"an earlier run was stopped while it switched files; {mended.files} are up to date now")
        for name in mended.kept:
            self.ui.warn(f'"{name}" has changes of yours and was left as it is')
