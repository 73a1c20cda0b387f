"""The token reaches git for one host only, through the environment, and is stored nowhere; helpers never prompt."""

from __future__ import annotations

import base64
import os
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from stackr.errors import ConfigError, GitHubError, Refused, StackrError
from stackr.repo.credentials import config_environment, scope_of
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import Workspace

TOKEN = "s3cret-token"
REF = b"0" * 40 + b" capabilities^{}\0agent=x\n"
REFS = b"001e# service=git-upload-pack\n0000%04x%s0000" % (len(REF) + 4, REF)


@dataclass
class Host:
    """A server that wants a password; it keeps the Authorization headers it was sent."""

    password: str = TOKEN
    redirect: str = ""
    status: int = 200
    seen: list[str] = field(default_factory=list)
    url: str = ""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        given = request.headers.get("Authorization", "")
        self.seen.append(given)
        if self.redirect:
            self.reply(request, 302, headers={"Location": self.redirect + request.path})
        elif not base64.b64decode(given.removeprefix("Basic ")).endswith(b":" + self.password.encode()):
            self.reply(request, 401, headers={"WWW-Authenticate": 'Basic realm="test"'})
        elif self.status != 200:
            self.reply(request, self.status, b"no\n", {"Content-Type": "text/plain"})
        else:
            self.reply(request, 200, REFS, {"Content-Type": "application/x-git-upload-pack-advertisement"})

    @staticmethod
    def reply(
        request: BaseHTTPRequestHandler, status: int, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> None:
        request.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)


def start(host: Host) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host.answer(self)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
    host.url = f"http://127.0.0.1:{server.server_port}"
    return server


@pytest.fixture
def hosts() -> Iterator[tuple[Host, Host]]:
    pair = (Host(), Host())
    servers = [start(host) for host in pair]
    yield pair
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def at_host(workspace: Workspace, hosts: tuple[Host, Host], open_repo: Opener) -> Repository:
    workspace.clone.git("remote", "set-url", "origin", hosts[0].url + "/o/r")
    return open_repo(workspace.clone.path)


def fetch(repo: Repository) -> StackrError:
    """The test hosts have no refs, so that the best possible outcome is a missing branch."""
    with pytest.raises(StackrError) as error:
        repo.fetch("origin", ["refs/heads/main"])
    assert TOKEN not in str(error.value) + error.value.next_step
    return error.value


def basic(password: str, user: str = "x-access-token") -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def test_the_token_serves_git_where_nobody_else_answers(at_host: Repository, hosts: tuple[Host, Host]) -> None:
    at_host.use_token(hosts[0].url, TOKEN)
    assert isinstance(fetch(at_host), Refused)
    assert set(hosts[0].seen) == {"", basic(TOKEN)}


def test_without_a_token_nothing_is_asked_and_the_error_says_so(at_host: Repository, hosts: tuple[Host, Host]) -> None:
    error = fetch(at_host)
    assert isinstance(error, ConfigError)
    assert (error.exit_code, error.next_step) == (7, "stackr auth status")
    assert set(hosts[0].seen) == {""}


def test_a_token_for_another_port_is_not_sent(at_host: Repository, hosts: tuple[Host, Host]) -> None:
    at_host.use_token(hosts[1].url, TOKEN)
    assert isinstance(fetch(at_host), ConfigError)
    assert set(hosts[0].seen) == {""}


def test_a_redirect_to_another_host_never_sees_the_token(at_host: Repository, hosts: tuple[Host, Host]) -> None:
    hosts[0].redirect = hosts[1].url
    at_host.use_token(hosts[0].url, TOKEN)
    assert isinstance(fetch(at_host), ConfigError)
    assert hosts[1].seen
    assert set(hosts[1].seen) == {""}


def test_a_redirect_after_authentication_does_not_see_it_either(at_host: Repository, hosts: tuple[Host, Host]) -> None:
    first, second = hosts
    at_host.use_token(first.url, TOKEN)
    plain = Host.answer

    def redirect_when_authenticated(request: BaseHTTPRequestHandler) -> None:
        first.redirect = second.url if request.headers.get("Authorization") else ""
        plain(first, request)

    first.answer = redirect_when_authenticated  # type: ignore[method-assign]
    fetch(at_host)
    assert basic(TOKEN) in first.seen
    assert set(second.seen) <= {""}


def test_a_token_that_is_refused_is_an_error_of_access(at_host: Repository, hosts: tuple[Host, Host]) -> None:
    hosts[0].password = "another"
    at_host.use_token(hosts[0].url, TOKEN)
    assert isinstance(fetch(at_host), ConfigError)


@pytest.mark.parametrize(
    ("status", "kind"), [(403, ConfigError), (404, GitHubError), (500, GitHubError), (502, GitHubError)]
)
def test_answers_of_the_host_have_their_exit_codes(
    at_host: Repository, hosts: tuple[Host, Host], status: int, kind: type[StackrError]
) -> None:
    hosts[0].status = status
    at_host.use_token(hosts[0].url, TOKEN)
    assert isinstance(fetch(at_host), kind)


def helper(path: Path, password: str) -> str:
    script = path / "helper"
    script.write_text(
        f'#!/bin/sh\necho "$1" >> {path}/asked\ntest "$1" = get && test -n "{password}" || exit 0\n'
        f"echo username=helper\necho password={password}\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


def test_a_helper_that_answers_is_left_to_it(
    at_host: Repository, hosts: tuple[Host, Host], workspace: Workspace, tmp_path: Path, open_repo: Opener
) -> None:
    hosts[0].password = "from-helper"
    workspace.clone.git("config", f"credential.{hosts[0].url}.helper", helper(tmp_path, "from-helper"))
    repo = open_repo(workspace.clone.path)
    repo.use_token(hosts[0].url, TOKEN)
    assert isinstance(fetch(repo), Refused)
    assert isinstance(fetch(repo), Refused)
    assert set(hosts[0].seen) == {"", basic("from-helper", "helper")}


def test_our_token_is_never_given_to_a_helper_to_store(
    hosts: tuple[Host, Host], at_host: Repository, workspace: Workspace, tmp_path: Path, open_repo: Opener
) -> None:
    stored = tmp_path / "stored"
    workspace.clone.git("config", "credential.helper", f"store --file={stored}")
    workspace.clone.git("config", "--add", "credential.helper", helper(tmp_path, ""))
    repo = open_repo(workspace.clone.path)
    repo.use_token(hosts[0].url, TOKEN)
    assert isinstance(fetch(repo), Refused)
    assert basic(TOKEN) in hosts[0].seen
    assert not stored.exists()
    assert (tmp_path / "asked").read_text().split() == ["get"]


def test_the_token_is_on_no_command_line_and_in_no_file(
    at_host: Repository, hosts: tuple[Host, Host], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE", str(trace))
    at_host.use_token(hosts[0].url, TOKEN)
    fetch(at_host)
    assert "git-remote-http" in trace.read_text().replace("remote-http", "git-remote-http", 1)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in files if TOKEN.encode() in path.read_bytes()] == []


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "http://127.0.0.1.example.com",
        "ssh://git@github.com",
        "git@github.com:o/r",
        "",
        "https://",
        "http://[",
    ],
)
def test_addresses_that_may_not_see_a_token(repo: Repository, url: str) -> None:
    assert scope_of(url) is None
    with pytest.raises(ConfigError, match="no address that may see a token"):
        repo.use_token(url, TOKEN)


@pytest.mark.parametrize(
    ("url", "scope"),
    [
        ("https://alice:pw@GitHub.com/o/r.git", "https://github.com"),
        ("https://ghe.example.com:8443/o/r", "https://ghe.example.com:8443"),
        ("http://localhost:80/o", "http://localhost:80"),
        ("http://[::1]:8080/o", "http://[::1]:8080"),
        ("http://127.0.0.2:8080/o", "http://127.0.0.2:8080"),
    ],
)
def test_a_scope_is_scheme_host_and_port(url: str, scope: str) -> None:
    assert scope_of(url) == scope


def test_settings_come_after_those_of_the_users_environment() -> None:
    assert config_environment([("a.b", "1")], {"GIT_CONFIG_COUNT": "2"}) == {
        "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_2": "a.b",
        "GIT_CONFIG_VALUE_2": "1",
    }


def test_helpers_are_asked_for_a_password_without_any_prompt(
    workspace: Workspace, tmp_path: Path, repo: Repository
) -> None:
    assert repo.credential("https://github.com/o/r") is None
    workspace.clone.git("config", "credential.https://github.com.helper", helper(tmp_path, "abc"))
    assert repo.credential("https://github.com/o/r") == "abc"
    assert repo.credential("https://example.com/o/r") is None
    assert repo.credential("https://github.com/o\nhost=evil") is None
    assert "abc" in repo.runner.secrets


def test_an_askpass_program_is_not_started(
    workspace: Workspace, tmp_path: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = helper(tmp_path, "abc")
    monkeypatch.setenv("GIT_ASKPASS", program)
    monkeypatch.setenv("SSH_ASKPASS", program)
    workspace.clone.git("config", "core.askPass", program)
    assert repo.credential("https://github.com/o/r") is None
    assert not (tmp_path / "asked").exists()


def test_the_github_cli_is_asked_by_host(tmp_path: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    gh = tmp_path / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text('#!/bin/sh\ntest "$*" = "auth token --hostname ghe.example.com" || exit 1\necho gho_fromgh\n')
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", str(gh.parent) + os.pathsep + os.environ["PATH"])
    assert repo.gh_token("ghe.example.com") == "gho_fromgh"
    assert repo.gh_token("github.com") is None
    assert repo.gh_token("--help") is None
    assert repo.gh_token("") is None


def test_without_the_github_cli_there_is_no_token(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert repo.gh_token("github.com") is None


def test_a_partial_clone_gets_its_files_with_the_token(
    at_host: Repository, hosts: tuple[Host, Host], workspace: Workspace, open_repo: Opener
) -> None:
    """The host has no objects, so the file stays away; what counts is that it was asked for with the token."""
    clone = workspace.clone
    clone.git("config", "remote.origin.promisor", "true")
    blob = clone.oid("HEAD:README")
    (clone.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    repo = open_repo(clone.path)
    oid = repo.resolve("HEAD")
    repo.use_token(hosts[0].url, TOKEN)
    assert repo.read_file(oid, ["README"]) is None
    assert basic(TOKEN) in hosts[0].seen
    assert repo.resolve("HEAD") == oid


def test_newer_gits_send_the_token_at_once_and_to_this_host_alone(
    at_host: Repository, hosts: tuple[Host, Host]
) -> None:
    at_host.use_token(hosts[0].url, TOKEN)
    env = at_host._credentials.environment(hosts[0].url + "/o/r.git", at_host.config)
    settings = {env[f"GIT_CONFIG_KEY_{n}"]: env[f"GIT_CONFIG_VALUE_{n}"] for n in range(int(env["GIT_CONFIG_COUNT"]))}
    assert settings[f"http.{hosts[0].url}/.proactiveAuth"] == "basic"
