"""Where a token is looked for, and that nobody sees it."""

from __future__ import annotations

import pytest

from stackr.errors import ConfigError
from stackr.github.auth import Token, find_token, job_token
from stackr.github.hosts import parse_remote

GITHUB_COM = parse_remote("https://github.com/acme/widgets")
CORP = parse_remote("https://git.corp.example/acme/widgets")


def none(_: str) -> str | None:
    return None


def never(_: str) -> str | None:
    raise AssertionError("asked although a token was found before")


@pytest.mark.parametrize("source", ["STACKR_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"])
def test_the_first_variable_that_is_set_wins_on_github_com(source: str) -> None:
    names = ["STACKR_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"]
    env = {name: f"token-of-{name}" for name in names[names.index(source) :]}
    assert find_token(GITHUB_COM, env, never, never) == Token(f"token-of-{source}", source)


@pytest.mark.parametrize("source", ["STACKR_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"])
def test_other_hosts_have_variables_of_their_own(source: str) -> None:
    names = ["STACKR_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
    env = {name: f"token-of-{name}" for name in names[names.index(source) :]}
    assert find_token(CORP, env, never, never) == Token(f"token-of-{source}", source)


def test_a_token_for_github_com_never_goes_elsewhere() -> None:
    with pytest.raises(ConfigError):
        find_token(CORP, {"GH_TOKEN": "a", "GITHUB_TOKEN": "b"}, none, none)
    with pytest.raises(ConfigError):
        find_token(GITHUB_COM, {"GH_ENTERPRISE_TOKEN": "a"}, none, none)


def test_gh_is_asked_by_host_name_and_git_by_address() -> None:
    assert find_token(CORP, {}, lambda host: f"gh-{host}\n", never).value == "gh-git.corp.example"
    found = find_token(GITHUB_COM, {"GH_TOKEN": " "}, none, lambda url: url)
    assert found == Token("https://github.com/acme/widgets.git", "git credential fill")


def test_no_token_names_every_way_to_give_one() -> None:
    with pytest.raises(ConfigError) as caught:
        find_token(GITHUB_COM, {}, lambda _: " ", none)
    error = caught.value
    assert (error.exit_code, error.message) == (7, 'no token for "github.com"')
    assert error.safe == (
        "nothing was changed; looked at STACKR_TOKEN, GH_TOKEN, GITHUB_TOKEN, gh auth token and git credential fill"
    )
    assert error.next_step == (
        "gh auth login --hostname github.com, or set GH_TOKEN or STACKR_TOKEN, or store one with git credential approve"
    )


@pytest.mark.parametrize("value", ["two words", "line\nend", "smörgås", "tab\there"])
def test_a_token_that_no_header_can_carry_is_refused_unseen(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_token(GITHUB_COM, {"STACKR_TOKEN": value}, never, never)
    assert value not in str(caught.value)
    assert "STACKR_TOKEN" in caught.value.message


def test_the_repr_of_a_token_hides_it() -> None:
    assert repr(Token("hush", "GH_TOKEN")) == "Token(source='GH_TOKEN')"


def test_the_token_of_a_job_is_for_the_host_it_runs_on() -> None:
    assert job_token(CORP, {"GH_TOKEN": " ", "GITHUB_TOKEN": "b"}) == Token("b", "GITHUB_TOKEN")
    assert job_token(GITHUB_COM, {"STACKR_TOKEN": "a", "GH_TOKEN": "b"}) == Token("a", "STACKR_TOKEN")
    with pytest.raises(ConfigError) as caught:
        job_token(CORP, {"GH_ENTERPRISE_TOKEN": "a"})
    assert caught.value.message == (
        'this job has no token for "git.corp.example" in STACKR_TOKEN, GH_TOKEN, GITHUB_TOKEN'
    )
    assert caught.value.next_step == "give the step env: GITHUB_TOKEN: ${{ github.token }}"
