"""One request and its answer over a real socket: headers, redirects, pages, and every way to fail."""

from __future__ import annotations

import logging
import socket
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from stackr import __version__
from stackr.errors import ConfigError, GitHubError, StackrError
from stackr.github.api import GitHub
from stackr.github.auth import Token
from stackr.github.failures import Limited, Lost, Rejected
from stackr.github.hosts import parse_remote
from stackr.github.http import Http
from tests.github.conftest import SECRET
from tests.support.canned_github import CannedGitHub
from tests.support.canned_http import Asked, Canned, CannedServer, ManualClock

HTML = "<html><body><h1>502 Bad Gateway</h1></body></html>"


def always(canned: Canned) -> Callable[[Asked], Canned]:
    return lambda asked: canned


def in_turn(*answers: Canned) -> Callable[[Asked], Canned]:
    rest = iter(answers)
    return lambda asked: next(rest)


@pytest.fixture
def http(github: GitHub) -> Http:
    return github.http


def test_a_request_says_who_asks_and_for_which_version(http: Http, server: CannedServer) -> None:
    server.answer = always(Canned(body={"fine": True}, headers={"X-Odd": "yes"}))
    reply = http.rest("PATCH", "/repos/acme/widgets", json={"a": "ü"}, params={"page": 2})
    asked = server.requests[0]
    assert (asked.method, asked.path, asked.params) == ("PATCH", "/api/v3/repos/acme/widgets", {"page": "2"})
    assert asked.json == {"a": "ü"}
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert asked.headers["user-agent"] == f"stackr/{__version__}"
    assert asked.headers["x-github-api-version"] == "2022-11-28"
    assert asked.headers["accept"] == "application/vnd.github+json"
    assert (reply.status, reply.data, reply.headers["x-odd"]) == (200, {"fine": True}, "yes")


def test_requests_share_one_connection(http: Http, server: CannedServer) -> None:
    server.answer = always(Canned(body={}))
    for _ in range(5):
        http.rest("GET", "/user")
    assert server.connections == 1


def test_an_empty_answer_has_no_data(http: Http, server: CannedServer) -> None:
    server.answer = always(Canned(status=204, body=b""))
    assert http.rest("DELETE", "/repos/acme/widgets/git/refs/heads/x").data is None


def test_a_text_is_read_when_a_text_is_asked_for(http: Http, server: CannedServer) -> None:
    server.answer = always(Canned(body="diff --git a b", headers={"Content-Type": "text/plain"}))
    reply = http.rest("GET", "/repos/acme/widgets/pulls/1", accept="application/vnd.github.diff")
    assert reply.content == b"diff --git a b"


@pytest.mark.parametrize(
    ("canned", "kind", "message", "next_step"),
    [
        (
            Canned(401, {"message": "Bad credentials"}),
            ConfigError,
            "github refused the token from STACKR_TOKEN (Bad credentials)",
            "make a new token or run gh auth login, then stackr auth status",
        ),
        (
            Canned(
                403, {"message": "Not yours"}, {"X-GitHub-SSO": "required; url=https://github.com/orgs/acme/sso?x=1"}
            ),
            ConfigError,
            "the organization wants single sign-on for the token from STACKR_TOKEN (Not yours)",
            "authorize the token at https://github.com/orgs/acme/sso?x=1",
        ),
        (
            Canned(403, {}, {"X-GitHub-SSO": "required"}),
            ConfigError,
            "the organization wants single sign-on for the token from STACKR_TOKEN",
            "authorize the token for single sign-on",
        ),
        (
            Canned(
                403,
                {"message": "Resource not accessible by personal access token"},
                {"X-Accepted-GitHub-Permissions": "pull_requests=write"},
            ),
            ConfigError,
            "the token from STACKR_TOKEN may not do this: it needs pull_requests=write"
            " (Resource not accessible by personal access token)",
            "give the token that permission, or use another: stackr auth status",
        ),
        (
            Canned(403, {"message": "no"}, {"X-Accepted-OAuth-Scopes": "repo", "X-OAuth-Scopes": "gist"}),
            ConfigError,
            "the token from STACKR_TOKEN may not do this: it needs one of the scopes repo, and has gist (no)",
            "give the token that permission, or use another: stackr auth status",
        ),
        (
            Canned(403, HTML),
            ConfigError,
            "the token from STACKR_TOKEN may not do this",
            "give the token that permission, or use another: stackr auth status",
        ),
        (
            Canned(404, {"message": "Not Found"}),
            Rejected,
            'github has no "/api/v3/x", or the token from STACKR_TOKEN may not see it:'
            " the two look the same (Not Found)",
            "check the name of the repository and what the token may read: stackr auth status",
        ),
        (
            Canned(
                422,
                {
                    "message": "Validation Failed",
                    "errors": [
                        {"resource": "PullRequest", "code": "custom", "message": "No commits between\nmain and x"},
                        {"resource": "PullRequest", "field": "base", "code": "invalid"},
                        "and a text",
                    ],
                },
            ),
            Rejected,
            'github refused "/api/v3/x" with 422'
            " (Validation Failed; No commits between main and x; PullRequest base invalid; and a text)",
            "",
        ),
        (
            Canned(409, {"message": "moved", "errors": "odd"}),
            Rejected,
            'github refused "/api/v3/x" with 409 (moved; odd)',
            "",
        ),
    ],
)
def test_a_final_no_is_told_in_githubs_words(
    http: Http, server: CannedServer, canned: Canned, kind: type[StackrError], message: str, next_step: str
) -> None:
    server.answer = always(canned)
    with pytest.raises(kind) as caught:
        http.rest("GET", "/x")
    assert (caught.value.message, caught.value.next_step) == (message, next_step)
    assert len(server.requests) == 1


def test_a_rejection_keeps_its_status(http: Http, server: CannedServer) -> None:
    server.answer = always(Canned(405, {"message": "not mergeable"}))
    with pytest.raises(Rejected) as caught:
        http.rest("PUT", "/x")
    assert caught.value.status == 405


BROKEN = {
    "500": (Canned(500, {"message": "Server Error"}), "github answered with 500 (Server Error)"),
    "502 html": (Canned(502, HTML), "github answered with 502"),
    "html": (Canned(200, HTML), "did not answer with JSON"),
    "cut json": (Canned(200, '{"a": '), "did not answer with JSON"),
    "cut answer": (Canned(200, {"a": "b" * 50}, cut=True), "failed (cut off in the middle of the answer)"),
    "no answer": (Canned(drop=True), "failed (closed without an answer)"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_read_is_tried_three_times(http: Http, server: CannedServer, forge: CannedGitHub, name: str) -> None:
    canned, message = BROKEN[name]
    server.answer = always(canned)
    with pytest.raises(GitHubError, match=message.replace("(", r"\(").replace(")", r"\)")) as caught:
        http.rest("GET", "/x")
    assert caught.value.exit_code == 5
    assert len(server.requests) == 3
    assert [seconds for seconds, _ in forge.clock.waits] == [0.5, 1.5]


@pytest.mark.parametrize("name", BROKEN)
def test_a_read_that_broke_once_succeeds(http: Http, server: CannedServer, name: str) -> None:
    server.answer = in_turn(BROKEN[name][0], Canned(body={"fine": True}))
    assert http.rest("GET", "/x").data == {"fine": True}


@pytest.mark.parametrize("name", BROKEN)
def test_a_write_whose_answer_is_lost_is_not_repeated(http: Http, server: CannedServer, name: str) -> None:
    server.answer = always(BROKEN[name][0])
    with pytest.raises(GitHubError) as caught:
        http.rest("POST", "/x", json={})
    assert caught.value.safe == "what was asked may have happened or not; the next run looks before it writes"
    assert len(server.requests) == 1


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_write_that_never_left_is_tried_again() -> None:
    clock = ManualClock()
    host = parse_remote(f"http://127.0.0.1:{closed_port()}/acme/widgets")
    with pytest.raises(Lost, match="connection refused") as caught:
        Http(host, Token(SECRET, "x"), sleep=clock.sleep, clock=clock, now=clock).rest("POST", "/x", json={})
    assert not caught.value.sent
    assert len(clock.waits) == 2


def test_a_host_without_an_address_is_named() -> None:
    clock = ManualClock()
    host = parse_remote("https://stackr.invalid/acme/widgets")
    with pytest.raises(Lost, match=r'the connection to "stackr.invalid" failed'):
        Http(host, Token(SECRET, "x"), sleep=clock.sleep, clock=clock, now=clock).rest("GET", "/x")


def test_a_slow_answer_is_lost(http: Http, server: CannedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stackr.github.http.READ_TIMEOUT_S", 0.05)
    given_up = threading.Event()

    def hold(asked: Asked) -> Canned:
        given_up.wait(10)
        return Canned(drop=True)

    server.answer = hold
    with pytest.raises(Lost, match="did not answer within"):
        http.send("GET", f"{server.url}/api/v3/x")
    given_up.set()


@pytest.mark.parametrize(
    ("canned", "waits"),
    [
        (Canned(429, {"message": "slow down"}, {"Retry-After": "7"}), [7]),
        (Canned(403, {"message": "slow down"}, {"Retry-After": "7"}), [7]),
        (Canned(403, {"message": "You have exceeded a secondary rate limit."}), [60]),
        (Canned(403, {"message": "API rate limit exceeded"}, {"X-RateLimit-Remaining": "0"}), [60]),
        (Canned(429, HTML), [60]),
    ],
)
def test_a_limit_is_waited_for_even_in_a_write(
    http: Http, server: CannedServer, forge: CannedGitHub, canned: Canned, waits: list[float]
) -> None:
    server.answer = in_turn(canned, Canned(201, {"fine": True}))
    assert http.rest("POST", "/x", json={}).data == {"fine": True}
    assert [seconds for seconds, _ in forge.clock.waits] == waits


def test_a_limit_far_away_fails_at_once_with_the_time(http: Http, server: CannedServer, forge: CannedGitHub) -> None:
    server.answer = always(
        Canned(
            403,
            {"message": "API rate limit exceeded"},
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4600", "Date": "Thu, 01 Jan 1970 00:16:40 GMT"},
        )
    )
    with pytest.raises(Limited) as caught:
        http.rest("GET", "/x")
    assert caught.value.next_step == "try again in 60 min, at 01:16:41"
    assert forge.clock.waits == []


def test_ctrl_c_in_a_countdown_ends_everything(server: CannedServer) -> None:
    server.answer = always(Canned(429, {}))

    def interrupted(seconds: float, reason: str) -> None:
        raise KeyboardInterrupt

    client = Http(parse_remote(f"{server.url}/acme/widgets"), Token(SECRET, "x"), sleep=interrupted)
    with pytest.raises(KeyboardInterrupt):
        client.rest("GET", "/x")
    client.close()


def test_pages_are_followed_to_the_last(http: Http, server: CannedServer) -> None:
    def page(asked: Asked) -> Canned:
        number = int(asked.params.get("page", "1"))
        link = f'<{server.url}/api/v3/list?per_page=100&page={number + 1}>; rel="next"'
        return Canned(body=[number], headers={"Link": link} if number < 3 else {})

    server.answer = page
    assert list(http.get_pages("/list")) == [1, 2, 3]
    assert [asked.params for asked in server.requests] == [
        {"per_page": "100"},
        {"per_page": "100", "page": "2"},
        {"per_page": "100", "page": "3"},
    ]


def test_pages_of_an_object_are_read_from_its_list(http: Http, server: CannedServer) -> None:
    server.answer = always(Canned(body={"total_count": 2, "check_runs": ["a", "b"]}))
    assert list(http.get_pages("/runs", key="check_runs")) == ["a", "b"]


def test_a_page_that_is_no_list_is_an_error(http: Http, server: CannedServer) -> None:
    server.answer = always(Canned(body={"total_count": 2}))
    with pytest.raises(GitHubError, match="is no list"):
        list(http.get_pages("/runs", key="check_runs"))


def test_pages_that_go_round_in_circles_end(http: Http, server: CannedServer) -> None:
    server.answer = lambda asked: Canned(body=[1], headers={"Link": f'<{server.url}/api/v3/list?page=1>; rel="next"'})
    assert list(http.get_pages("/list")) == [1, 1]


def test_a_page_on_another_host_is_not_asked_for(http: Http, server: CannedServer) -> None:
    with CannedServer(always(Canned(body=[]))) as other:
        server.answer = always(Canned(body=[1], headers={"Link": f'<{other.url}/list>; rel="next"'}))
        with pytest.raises(GitHubError, match="an address on another host"):
            list(http.get_pages("/list"))
        assert other.requests == []


def redirect(target: str, status: int = 302) -> Canned:
    return Canned(status, b"", {"Location": target})


def test_a_renamed_repository_is_followed(http: Http, server: CannedServer) -> None:
    server.answer = in_turn(redirect("/api/v3/repositories/1", 301), Canned(body={"id": 1}))
    assert http.rest("GET", "/repos/acme/old", params={"a": 1}).data == {"id": 1}
    assert server.requests[1].headers["authorization"] == f"Bearer {SECRET}"
    assert server.requests[1].params == {}


def test_a_write_is_redirected_only_as_a_write(http: Http, server: CannedServer) -> None:
    server.answer = in_turn(redirect("/api/v3/repositories/1", 307), Canned(body={}))
    http.rest("PATCH", "/repos/acme/old", json={"a": 1})
    assert [(asked.method, asked.json) for asked in server.requests] == [("PATCH", {"a": 1})] * 2
    server.answer = always(redirect("/api/v3/repositories/1", 301))
    with pytest.raises(GitHubError, match="which is not followed"):
        http.rest("PATCH", "/repos/acme/old", json={})


def test_another_host_never_sees_the_token(http: Http, server: CannedServer, home: Path) -> None:
    (home / ".netrc").write_text("default login alice password hunter2\n")
    with CannedServer(always(Canned(body={"log": 1}))) as other:
        server.answer = always(redirect(f"{other.url}/log"))
        assert http.rest("GET", "/logs").data == {"log": 1}
        assert "authorization" not in other.requests[0].headers
        with pytest.raises(GitHubError, match="which is not followed"):
            http.rest("POST", "/logs", json={})
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"


def test_a_redirect_to_plain_http_elsewhere_is_not_followed(http: Http, server: CannedServer) -> None:
    server.answer = always(redirect("http://stackr.invalid/log"))
    with pytest.raises(GitHubError, match="which is not followed"):
        http.rest("GET", "/logs")


def test_redirects_without_end_end(http: Http, server: CannedServer) -> None:
    server.answer = always(redirect("/api/v3/x"))
    with pytest.raises(GitHubError, match="redirects without end"):
        http.rest("GET", "/x")
    assert len(server.requests) == 5


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ManualClock()
    with CannedServer(always(Canned(body={"via": "proxy"}))) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        # An address on loopback that nobody serves: only the proxy can have answered.
        host = parse_remote(f"http://127.0.0.2:{closed_port()}/acme/widgets")
        client = Http(host, Token(SECRET, "x"), sleep=clock.sleep, clock=clock, now=clock)
        assert client.rest("GET", "/user").data == {"via": "proxy"}
        client.close()


@pytest.mark.parametrize(
    "canned",
    [
        Canned(401, {"message": f"bad token {SECRET}"}),
        Canned(403, {"message": f"token {SECRET}", "errors": [SECRET]}),
        Canned(404, {"message": SECRET}),
        Canned(422, {"message": "no", "errors": [{"message": SECRET}]}),
        Canned(429, {"message": SECRET}, {"Retry-After": "9999"}),
        Canned(500, {"message": SECRET}),
        Canned(200, f"<html>{SECRET}</html>"),
        Canned(200, {"data": None, "errors": [{"message": f"who is {SECRET}?"}]}),
        Canned(200, {"data": {"viewer": None}, "errors": [{"message": SECRET, "path": ["viewer"]}]}),
        Canned(drop=True),
    ],
)
def test_no_error_repeats_the_token(
    github: GitHub, server: CannedServer, canned: Canned, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answer = always(canned)
    calls: list[Callable[[], object]] = [github.viewer]
    if canned.status >= 400:
        calls.append(lambda: github.http.rest("GET", f"/x/{SECRET}"))
    for call in calls:
        with pytest.raises(StackrError) as caught:
            call()
        error = caught.value
        told = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        assert SECRET not in told + error.message + error.safe + error.next_step + repr(error)


def test_nothing_that_holds_the_token_shows_it(github: GitHub) -> None:
    assert SECRET not in repr(github) + repr(github.http) + repr(github.http.token)


def test_control_characters_of_an_answer_do_not_reach_the_terminal(http: Http, server: CannedServer) -> None:
    server.answer = always(Canned(422, {"message": "a\x1b[31mred\x07 \u202ealert" + "x" * 2000}))
    with pytest.raises(Rejected) as caught:
        http.rest("GET", "/x")
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 700
