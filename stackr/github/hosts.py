"""Which GitHub a remote's URL means: the addresses of its pages and its two APIs.

Pure text. Not here: which remote is meant and how ``insteadOf`` rewrites it (``stackr.repo``), and tokens (``auth``).
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import replace
from urllib.parse import urlsplit

from stackr.errors import ConfigError
from stackr.patterns import pattern
from stackr.records import dataclass

_SSH_SCHEMES = frozenset({"ssh", "git+ssh", "ssh+git", "git"})
_SCP_LIKE = pattern(r"(?:[^@/\s]+@)?(?P<host>\[[0-9a-fA-F:.]+\]|[^:/\s\\]{2,}):(?P<path>[^\\]+)\Z")
_NAME = pattern(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]+\Z")
_OTHER_FORGES = frozenset(
    {"gitlab.com", "bitbucket.org", "codeberg.org", "gitea.com", "git.sr.ht", "dev.azure.com", "ssh.dev.azure.com"}
)


@dataclass(frozen=True, slots=True)
class Host:
    """One repository on one GitHub.

    ``web`` is the site (``scheme://host[:port]``, no path), ``rest`` and ``graphql`` are the full addresses of the two
    APIs without a trailing slash, ``hostname`` is the bare name, lower case, without a port.
    """

    web: str
    rest: str
    graphql: str
    owner: str
    name: str
    hostname: str

    @property
    def repository_url(self) -> str:
        """The page of the repository."""
        return f"{self.web}/{self.owner}/{self.name}"

    @property
    def is_github_com(self) -> bool:
        """Whether this is github.com, not an enterprise host."""
        return self.hostname == "github.com"


def parse_remote(url: str) -> Host:
    """The GitHub repository behind a remote's effective URL; raises ConfigError when there is none.

    Every form that git takes is read: https, ssh, scp-like, with user, port, ``.git`` and a trailing slash
    (git-clone(1), GIT URLS). The addresses follow docs/reference/cli.md, "Hosts and authentication".
    """
    scheme, netloc, hostname, path = _taken_apart(url.strip(), url)
    owner, name = _owner_and_name(path, url)
    if hostname in _OTHER_FORGES:
        raise _not_github(url)
    if scheme == "http" and not is_loopback(hostname):
        raise ConfigError(
            f'the remote "{_shown(url)}" uses plain http',
            next_step="use https or ssh for it: git remote set-url",
        )
    web, rest, graphql = _addresses(scheme, netloc, hostname)
    return Host(web, rest, graphql, owner, name, hostname)


def parse_job(server: str, repository: str, rest: str, graphql: str) -> Host:
    """The repository that a job of GitHub Actions runs for, by the addresses in its environment.

    An empty ``rest`` or ``graphql`` follows from the rest. Raises ConfigError for plain http off this machine.
    https://docs.github.com/en/actions/reference/workflows-and-actions/variables
    """
    host = parse_remote(f"{server.rstrip('/')}/{repository}")
    rest = rest.rstrip("/") or host.rest
    beside = f"{rest.removesuffix('/v3')}/graphql"
    graphql = graphql.rstrip("/") or (host.graphql if rest == host.rest else beside)
    for address in (rest, graphql):
        parts = urlsplit(address)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
            raise ConfigError(
                f'the address "{_shown(address)}" of the api is not https',
                next_step="see GITHUB_API_URL and GITHUB_GRAPHQL_URL in the environment of the job",
            )
    return replace(host, rest=rest, graphql=graphql)


def is_loopback(hostname: str) -> bool:
    """Whether a host name can only mean this machine."""
    if hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(hostname).is_loopback
    except ValueError:
        return False


def _taken_apart(url: str, shown: str) -> tuple[str, str, str, str]:
    """Scheme (http or https), host with port, bare host name, path."""
    if "://" in url:
        return _from_url(url, shown)
    scp = _SCP_LIKE.match(url)
    if scp is None or url.startswith(("/", ".", "~")):
        raise _not_github(shown)
    netloc = scp["host"].lower()
    hostname = _known_alias(netloc.strip("[]"))
    return "https", _bracketed(hostname), hostname, scp["path"]


def _from_url(url: str, shown: str) -> tuple[str, str, str, str]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _not_github(shown) from error
    hostname = (parts.hostname or "").rstrip(".")
    scheme = parts.scheme.lower()
    if not hostname or scheme not in _SSH_SCHEMES | {"http", "https"}:
        raise _not_github(shown)
    if scheme in _SSH_SCHEMES:
        # The port of an ssh address says nothing about the web site's.
        hostname = _known_alias(hostname)
        return "https", _bracketed(hostname), hostname, parts.path
    hostname = "github.com" if hostname == "www.github.com" else hostname
    default = {"http": 80, "https": 443}[scheme]
    netloc = _bracketed(hostname) + (f":{port}" if port not in (None, default) else "")
    return scheme, netloc, hostname, parts.path


def _bracketed(hostname: str) -> str:
    return f"[{hostname}]" if ":" in hostname else hostname


def _known_alias(hostname: str) -> str:
    """GitHub's two documented other names in ssh addresses.

    ssh.github.com serves ssh on port 443: https://docs.github.com/en/authentication/troubleshooting-ssh.
    ``github.com-x`` is how GitHub tells people to name several deploy keys in ssh's configuration:
    https://docs.github.com/en/authentication/connecting-to-github-with-ssh/managing-deploy-keys.
    """
    if hostname == "ssh.github.com" or hostname.startswith("github.com-"):
        return "github.com"
    return hostname


def _owner_and_name(path: str, shown: str) -> tuple[str, str]:
    segments = path.strip("/").removesuffix(".git").split("/")
    if len(segments) != 2 or not all(_NAME.match(segment) for segment in segments):
        raise _not_github(shown)
    return segments[0], segments[1]


def _addresses(scheme: str, netloc: str, hostname: str) -> tuple[str, str, str]:
    """Site, REST and GraphQL: https://docs.github.com/en/enterprise-server/rest/using-the-rest-api."""
    web = f"{scheme}://{netloc}"
    if hostname == "github.com" or hostname.endswith(".ghe.com"):
        api = f"https://api.{hostname}"
        return f"https://{hostname}", api, f"{api}/graphql"
    return web, f"{web}/api/v3", f"{web}/api/graphql"


def _shown(url: str) -> str:
    """The URL for people: without the password that some put into it, and without control characters."""
    without = re.sub(r"//[^/@\s]*@", "//", url)
    return "".join(c for c in without if c.isprintable())


def _not_github(url: str) -> ConfigError:
    return ConfigError(
        f'the remote "{_shown(url)}" is not on GitHub',
        next_step="choose a remote on GitHub (git remote -v), for example with: git config remote.pushDefault NAME",
    )
