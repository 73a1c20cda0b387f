"""Fetch and push: exactly the refs that were asked for, whatever the user's configuration would add.

Leases, not force (docs/internals/protocol.md 2.7). The pre-push hook runs as git runs it. What a failure means is in
``failures`` and ``porcelain``; where the token comes from in ``credentials``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

from stackr.core.ports import RefUpdate
from stackr.errors import GitError, Refused, StackrError
from stackr.repo import failures, porcelain, remotes
from stackr.repo.config import GitConfig
from stackr.repo.credentials import Credentials
from stackr.repo.run import Done, Runner
from stackr.repo.text import decode

FETCH_TIMEOUT_S = 900.0
FETCH_TRIES = 3
FETCH_BUDGET_S = 10.0
PUSH_TIMEOUT_S = 3600.0  # a pre-push hook may run a test suite
# Leases and refspecs go on the command line (git takes neither on standard input): about 250 bytes a branch. That is
# some 2,000 branches; Linux and macOS take 1 MiB and more with the environment, Windows 32,767 characters.
MAX_COMMAND_LINE = 24_000 if sys.platform == "win32" else 500_000
# A remote may be marked as a mirror, which git refuses to combine with refspecs.
_FETCH = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-prune")
_FETCH_QUIETLY = ("--no-auto-maintenance", "--no-write-commit-graph", "--no-show-forced-updates")
_PUSH = ("--porcelain", "--atomic", "--no-follow-tags", "--recurse-submodules=no")


class Transport:
    """Talks to remotes; one git process for a fetch, one for a push (and one to ask credential helpers, once)."""

    def __init__(self, runner: Runner, credentials: Credentials) -> None:
        self._runner = runner
        self._credentials = credentials

    def fetch(self, config: GitConfig, remote: str, refspecs: Sequence[str]) -> None:
        """One ``git fetch`` of exactly these refspecs; no tags, no FETCH_HEAD, no submodules, no pruning.

        A connection that breaks is tried three times in all, none begun later than 10 s after the first
        (docs/internals/protocol.md 5.6). Raises ``Refused`` when the remote lacks a ref, ``ConfigError`` without
        access, ``GitHubError`` for the network or a remote that is not there, else ``GitError``.
        """
        if not refspecs:
            return
        last_start = time.monotonic() + FETCH_BUDGET_S
        for attempt in range(1, FETCH_TRIES + 1):
            failure = self._fetch_once(config, remote, refspecs)
            if failure is None:
                return
            is_last = attempt == FETCH_TRIES or time.monotonic() > last_start
            if is_last or not isinstance(failure, failures.NetworkFailed):
                raise failure

    def _fetch_once(self, config: GitConfig, remote: str, refspecs: Sequence[str]) -> StackrError | None:
        args = ("fetch", *_FETCH, *_FETCH_QUIETLY, "--end-of-options", remote, *refspecs)
        url = remotes.url(config, remote)
        done = self._runner.try_remote(*args, env=self.environment(url, config), timeout_s=FETCH_TIMEOUT_S)
        if not done.code and not done.late:
            return None
        late = FETCH_TIMEOUT_S if done.late else None
        return failures.remote_failure("fetch", remote, done.code, done.err, late)

    def push(self, config: GitConfig, remote: str, updates: Sequence[RefUpdate]) -> None:
        """One ``git push --atomic`` with a lease for each ref that changes; nothing to change, no process.

        Raises as ``stackr.core.ports.Repo.push`` says; ``Refused`` when the command line would be too long.
        """
        changed = [update for update in updates if update.new != update.expected]
        if not changed:
            return
        args = _push_args(remote, changed)
        _refuse_too_long(args)
        url = remotes.url(config, remote, push=True)
        done = self._runner.try_remote(*args, env=self.environment(url, config), timeout_s=PUSH_TIMEOUT_S)
        if done.code or done.late:
            raise _push_failure(done, remote, changed)

    def environment(self, url: str, config: GitConfig) -> dict[str, str]:
        """What a git command that talks to ``url`` needs: our token where it serves, and an ssh that never asks."""
        env = self._credentials.environment(url, config)
        chosen = os.environ.get("GIT_SSH_COMMAND") or os.environ.get("GIT_SSH") or config.get("core.sshcommand")
        return env if chosen else {**env, "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=30"}


def _push_args(remote: str, updates: Sequence[RefUpdate]) -> list[str]:
    leases = [f"--force-with-lease={update.ref}:{update.expected or ''}" for update in updates]
    refspecs = [f"{update.new or ''}:{update.ref}" for update in updates]
    settings = ["-c", f"remote.{remote}.mirror=false"] if "=" not in remote else []
    return [*settings, "push", *_PUSH, *leases, "--end-of-options", remote, *refspecs]


def _refuse_too_long(args: Sequence[str]) -> None:
    if sum(len(os.fsencode(arg)) + 1 for arg in args) > MAX_COMMAND_LINE:
        raise Refused(
            "too many branches for one push", next_step="submit the lower part of the stack first: stackr submit REV"
        )


def _push_failure(done: Done, remote: str, updates: Sequence[RefUpdate]) -> Exception:
    if done.late:
        return failures.remote_failure("push", remote, done.code, done.err, PUSH_TIMEOUT_S)
    answers = porcelain.parse(decode(done.out), [update.ref for update in updates])
    if judged := porcelain.judge(answers, remote, done.err):
        return judged
    if answers or not _stopped_by_hook(done.err):
        return failures.remote_failure("push", remote, done.code, done.err)
    return GitError(
        f"the pre-push hook declined: {_hook_words(done)}",
        safe="nothing was pushed",
        next_step="mend what the hook names, then run the same command again",
    )


def _stopped_by_hook(err: str) -> bool:
    """Git has connected and compared refs by then, and its only complaint is that nothing was pushed."""
    complaints = [line for line in err.splitlines() if line.startswith(("fatal:", "error:"))]
    return bool(complaints) and complaints[-1].startswith("error: failed to push some refs") and "fatal:" not in err


def _hook_words(done: Done) -> str:
    """The last lines the hook wrote."""
    lines = [line.strip() for line in (decode(done.out) + "\n" + done.err).splitlines()]
    ours = ("error: failed to push", "To ", "Done", "hint:")
    said = [line for line in lines if line and not line.startswith(ours)]
    return "; ".join(said[-3:]) or "it gave no reason"
