"""Where the token comes from. stackr keeps none of its own and never asks for one.

Not here: sending it (``http``), and running gh or git (``stackr.repo``; two callables come in).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from stackr.errors import ConfigError
from stackr.github.hosts import Host
from stackr.records import dataclass

_GITHUB_COM = ("GH_TOKEN", "GITHUB_TOKEN")
_ENTERPRISE = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")


@dataclass(frozen=True, slots=True)
class Token:
    """A token and where it was found; its repr hides the value."""

    value: str = field(repr=False)
    source: str

    def hide(self, text: str) -> str:
        """``text`` with the token replaced by stars."""
        return text.replace(self.value, "***")


def find_token(
    host: Host,
    env: Mapping[str, str],
    gh_token: Callable[[str], str | None],
    credential: Callable[[str], str | None],
) -> Token:
    """The first token of docs/reference/cli.md's list; raises ConfigError when there is none.

    ``gh_token`` takes the host name, ``credential`` the repository's URL; either may be slow (a process each), so it is
    called only when nothing before it gave a token. An empty value counts as absent.
    """
    variables = ("STACKR_TOKEN", *(_GITHUB_COM if host.is_github_com else _ENTERPRISE))
    for variable in variables:
        if env.get(variable, "").strip():
            return _checked(env[variable], variable)
    found = gh_token(host.hostname)
    if found and found.strip():
        return _checked(found, "gh auth token")
    found = credential(f"{host.repository_url}.git")
    if found and found.strip():
        return _checked(found, "git credential fill")
    raise ConfigError(
        f'no token for "{host.hostname}"',
        safe=f"nothing was changed; looked at {', '.join(variables)}, gh auth token and git credential fill",
        next_step=f"gh auth login --hostname {host.hostname}, or set {variables[1]} or STACKR_TOKEN,"
        " or store one with git credential approve",
    )


def job_token(host: Host, env: Mapping[str, str]) -> Token:
    """The token of a job of GitHub Actions, which is for the host that the job runs on, whichever that is.

    https://docs.github.com/en/actions/tutorials/authenticate-with-github_token
    """
    variables = ("STACKR_TOKEN", *_GITHUB_COM)
    for variable in variables:
        if env.get(variable, "").strip():
            return _checked(env[variable], variable)
    raise ConfigError(
        f'this job has no token for "{host.hostname}" in {", ".join(variables)}',
        next_step="give the step env: GITHUB_TOKEN: ${{ github.token }}",
    )


def _checked(value: str, source: str) -> Token:
    """A token that fits into a header.

    The HTTP libraries quote a header they refuse, so a bad token must be stopped before they see it.
    """
    value = value.strip()
    if not all("!" <= character <= "~" for character in value):
        raise ConfigError(
            f"the token from {source} has characters that no token has (blanks, line ends, or not ASCII)",
            next_step=f"check {source}",
        )
    return Token(value, source)
