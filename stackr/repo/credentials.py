"""Tokens from where git and gh keep them, and stackr's token served to git, to one host and for one command.

stackr stores nothing. The token reaches git through the environment of that one process, as a credential helper for
exactly one ``scheme://host[:port]`` (gitcredentials(7)): git asks helpers by the host it really talks to, so a
redirect or another remote never sees it, which ``http.extraHeader`` could not promise.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from stackr.errors import ConfigError
from stackr.patterns import pattern
from stackr.repo.config import GitConfig
from stackr.repo.run import SEALED, Runner

GH_TIMEOUT_S = 10.0
FILL_TIMEOUT_S = 15.0
_LOOPBACK = pattern(r"localhost|::1|127(?:\.\d{1,3}){3}")
_VARIABLE = "STACKR_GIT_TOKEN"
# `printf` is built into sh, so the token is on no command line here either.
_HELPER = (
    f'!f() {{ if test "$1" = get; then printf "username=x-access-token\\npassword=%s\\n" "${_VARIABLE}"; fi; }}; f'
)


class Credentials:
    """The token stackr was given for a host, and whether git needs it there."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._tokens: dict[str, str] = {}
        self._answers: dict[str, bool] = {}

    def use(self, host_url: str, token: str) -> None:
        """Serve ``token`` to git for this ``scheme://host[:port]``; https only, or http on a loopback address."""
        scope = scope_of(host_url)
        if scope is None:
            raise ConfigError(f'"{host_url}" is no address that may see a token', next_step="use an https:// remote")
        self._tokens[scope] = token
        self._runner.secrets.add(token)

    def environment(self, url: str, config: GitConfig) -> dict[str, str]:
        """What to add to the environment of a git command that talks to ``url``.

        Empty unless there is a token for its host and no credential helper of the user answers. If none does, all are
        switched off for that host: git would otherwise hand our token to them to be stored.
        """
        scope = scope_of(url)
        token = self._tokens.get(scope or "")
        if scope is None or token is None or self._helper_answers(scope, url, config):
            return {}
        key = f"credential.{scope}.helper"
        # git 2.46 and newer then send it with the first request, which saves a round trip; older ones ignore the key.
        early = (f"http.{scope}/.proactiveAuth", "basic")
        return {_VARIABLE: token, **config_environment([(key, ""), (key, _HELPER), early])}

    def _helper_answers(self, scope: str, url: str, config: GitConfig) -> bool:
        if not any(config.get_all("credential.helper")) and not config.subsections("credential", "helper"):
            return False
        if scope not in self._answers:
            self._answers[scope] = fill(self._runner, url) is not None
        return self._answers[scope]


def scope_of(url: str) -> str | None:
    """``scheme://host[:port]`` of an address that may see a token, else ``None`` (ssh, paths, http elsewhere)."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and _LOOPBACK.fullmatch(host))):
        return None
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{name}" + (f":{port}" if port else "")


def config_environment(settings: list[tuple[str, str]], base: Mapping[str, str] | None = None) -> dict[str, str]:
    """``GIT_CONFIG_COUNT`` and its friends for these settings, after those the user has in the environment."""
    present = (os.environ if base is None else base).get("GIT_CONFIG_COUNT", "")
    first = int(present) if present.isdigit() else 0
    env = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (key, value) in enumerate(settings, first):
        env[f"GIT_CONFIG_KEY_{number}"] = key
        env[f"GIT_CONFIG_VALUE_{number}"] = value
    return env


def fill(runner: Runner, url: str) -> str | None:
    """The password the user's credential helpers have for an address (``git credential fill``), without any prompt."""
    if any(c in url for c in "\n\r\0"):
        return None
    done = runner.try_git("credential", "fill", stdin=f"url={url}\n\n".encode(), timeout_s=FILL_TIMEOUT_S)
    if done.code or done.late:
        return None
    answer = dict(line.partition("=")[::2] for line in done.out.decode("utf-8", "replace").splitlines())
    token = answer.get("password") or None
    runner.secrets.update([token] if token else [])
    return token


def gh_token(runner: Runner, hostname: str) -> str | None:
    """The token the GitHub CLI has for a host (``gh auth token``), ``None`` without gh, login or answer in 10 s."""
    if not hostname or hostname.startswith("-"):
        return None
    argv = ["gh", "auth", "token", "--hostname", hostname]
    done = runner.try_program(argv, env={**SEALED, "GH_PROMPT_DISABLED": "1"}, timeout_s=GH_TIMEOUT_S)
    token = done.out.decode("utf-8", "replace").strip() if done and not done.code and not done.late else ""
    runner.secrets.update([token] if token else [])
    return token or None
