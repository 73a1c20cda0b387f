"""A remote's URL to the addresses of its GitHub."""

from __future__ import annotations

import pytest

from stackr.errors import ConfigError
from stackr.github.hosts import Host, parse_job, parse_remote

GITHUB_COM = Host(
    "https://github.com", "https://api.github.com", "https://api.github.com/graphql", "acme", "widgets", "github.com"
)


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/widgets.git",
        "https://github.com/acme/widgets",
        "https://github.com/acme/widgets/",
        "https://github.com/acme/widgets.git/",
        "https://alice:secret@github.com/acme/widgets.git",
        "https://github.com:443/acme/widgets",
        "https://www.github.com/acme/widgets",
        "https://GitHub.com/acme/widgets",
        "HTTPS://github.com/acme/widgets",
        "https://github.com./acme/widgets",
        "ssh://git@github.com/acme/widgets.git",
        "ssh://git@github.com:22/acme/widgets",
        "ssh://git@ssh.github.com:443/acme/widgets.git",
        "git+ssh://git@github.com/acme/widgets",
        "git://github.com/acme/widgets",
        "git@github.com:acme/widgets.git",
        "git@github.com:/acme/widgets.git",
        "github.com:acme/widgets",
        "org-123@github.com:acme/widgets",
        "git@github.com-widgets:acme/widgets.git",
        " git@github.com:acme/widgets.git\n",
    ],
)
def test_every_form_of_a_remote_on_github_com_means_the_same(url: str) -> None:
    assert parse_remote(url) == GITHUB_COM


def test_the_page_of_the_repository_follows_from_the_host() -> None:
    assert GITHUB_COM.repository_url == "https://github.com/acme/widgets"
    assert GITHUB_COM.is_github_com


def test_ghe_com_has_its_api_on_a_host_of_its_own() -> None:
    expected = Host(
        "https://corp.ghe.com",
        "https://api.corp.ghe.com",
        "https://api.corp.ghe.com/graphql",
        "acme",
        "widgets",
        "corp.ghe.com",
    )
    assert parse_remote("git@corp.ghe.com:acme/widgets.git") == expected
    assert parse_remote("https://corp.ghe.com/acme/widgets") == expected
    assert not expected.is_github_com


@pytest.mark.parametrize(
    ("url", "web", "hostname"),
    [
        ("https://git.corp.example/acme/widgets", "https://git.corp.example", "git.corp.example"),
        ("https://git.corp.example:8443/acme/widgets", "https://git.corp.example:8443", "git.corp.example"),
        ("ssh://git@git.corp.example:2222/acme/widgets", "https://git.corp.example", "git.corp.example"),
        ("git@git.corp.example:acme/widgets", "https://git.corp.example", "git.corp.example"),
        ("http://127.0.0.1:8123/acme/widgets.git", "http://127.0.0.1:8123", "127.0.0.1"),
        ("http://localhost/acme/widgets", "http://localhost", "localhost"),
        ("http://[::1]:8123/acme/widgets", "http://[::1]:8123", "::1"),
        ("ssh://git@[::1]:22/acme/widgets", "https://[::1]", "::1"),
        ("git@[::1]:acme/widgets", "https://[::1]", "::1"),
    ],
)
def test_any_other_host_serves_its_api_below_itself(url: str, web: str, hostname: str) -> None:
    host = parse_remote(url)
    assert host == Host(web, f"{web}/api/v3", f"{web}/api/graphql", "acme", "widgets", hostname)


@pytest.mark.parametrize("url", ["http://github.com/acme/widgets", "http://git.corp.example/acme/widgets"])
def test_plain_http_is_refused_off_loopback(url: str) -> None:
    with pytest.raises(ConfigError, match="uses plain http"):
        parse_remote(url)


@pytest.mark.parametrize(
    "url",
    [
        "/srv/git/widgets.git",
        "../widgets",
        "~/acme/widgets",
        "widgets",
        "",
        "C:\\src\\widgets",
        "C:/src/widgets",
        "./odd:acme/widgets",
        "file:///srv/git/acme/widgets.git",
        "ext::sh -c acme/widgets",
        "https:///acme/widgets",
        "https://github.com/acme",
        "https://github.com/acme/widgets/tree/main",
        "https://github.com/acme/..",
        "https://github.com:port/acme/widgets",
        "https://[::1/acme/widgets",
        "https://gitlab.com/acme/widgets.git",
        "git@bitbucket.org:acme/widgets.git",
    ],
)
def test_what_is_not_on_github_is_refused_by_name(url: str) -> None:
    with pytest.raises(ConfigError, match="is not on GitHub") as caught:
        parse_remote(url)
    assert caught.value.exit_code == 7
    assert caught.value.next_step


def test_a_password_in_a_url_is_not_repeated() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_remote("https://alice:hunter2@gitlab.com/acme/widgets")
    assert caught.value.message == 'the remote "https://gitlab.com/acme/widgets" is not on GitHub'


def test_a_job_of_github_actions_says_itself_where_it_runs() -> None:
    assert parse_job("https://github.com", "acme/widgets", "", "") == GITHUB_COM
    named = parse_job("https://github.com/", "acme/widgets", GITHUB_COM.rest + "/", GITHUB_COM.graphql)
    assert named == GITHUB_COM
    behind = parse_job("https://github.com", "acme/widgets", "http://127.0.0.1:9/api/v3", "")
    assert (behind.rest, behind.graphql) == ("http://127.0.0.1:9/api/v3", "http://127.0.0.1:9/api/graphql")
    assert parse_job("https://ghe", "a/b", "https://api.x.ghe.com", "").graphql == "https://api.x.ghe.com/graphql"


@pytest.mark.parametrize("addresses", [("http://evil.example", ""), ("", "ftp://evil.example")])
def test_the_token_of_a_job_is_not_sent_over_plain_http(addresses: tuple[str, str]) -> None:
    with pytest.raises(ConfigError, match=r'"(http|ftp)://evil.example" of the api is not https'):
        parse_job("https://github.com", "acme/widgets", *addresses)
