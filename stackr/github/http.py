"""The wire: one HTTP request and its answer, REST, and pages. The only user of requests.

Not here: GraphQL (``graphql``), when to try again (``limits``), the words of a refusal (``failures``).
"""

from __future__ import annotations

import json as json_codec
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import IncompleteRead, RemoteDisconnected
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.auth import AuthBase
from urllib3.exceptions import MaxRetryError, NewConnectionError

from stackr import __version__
from stackr.core.ports import Sleep
from stackr.core.watching import Budget
from stackr.errors import GitHubError, StackrError
from stackr.github.auth import Token
from stackr.github.failures import Lost, clean, refusal, says_limit, words_of
from stackr.github.hosts import Host, is_loopback
from stackr.github.limits import LOST_BUDGET_S, Clock, Patience, budget_in, limited
from stackr.github.together import persist, value
from stackr.records import dataclass

JSON = "application/vnd.github+json"
CONNECT_TIMEOUT_S = 5.0
# GitHub cuts a request after 10 s; an answer that takes longer than this is not coming.
READ_TIMEOUT_S = 30.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SAME_METHOD = frozenset({307, 308})
_LONGEST_CHAIN = 5
_SAFE_METHODS = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer below 400. ``headers`` have lower-case names, ``data`` is the JSON (``None`` for an empty body).

    ``seconds`` is from sending to the last byte; ``next_url`` is the next page's address.
    """

    status: int
    headers: Mapping[str, str]
    data: Any
    content: bytes
    seconds: float
    next_url: str | None = None


class Http:
    """Requests to one GitHub with one token. Connections stay open; several threads may send at once.

    ``budget`` is what is left of the limits, as the last answer told.
    """

    def __init__(
        self,
        host: Host,
        token: Token,
        *,
        sleep: Sleep,
        clock: Clock = time.monotonic,
        now: Clock = time.time,
    ) -> None:
        self.host = host
        self.token = token
        self._sleep = sleep
        self._clock = clock
        self.now = now
        self._auth = _TokenAuth(token, _origin(host.rest))
        self._idle: list[requests.Session] = []
        self.budget: Budget | None = None

    def __repr__(self) -> str:
        return f"Http({self.host.rest!r}, {self.token!r})"

    def patience(self, budget_s: float = LOST_BUDGET_S) -> Patience:
        """The rules for trying again, with this client's clock and countdown."""
        return Patience(self._clock, self._sleep, budget_s)

    def wait(self, seconds: float, reason: str) -> None:
        """Wait for something that GitHub does in the background, with this client's countdown."""
        self._sleep(seconds, reason)

    def rest(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        params: Mapping[str, str | int] | None = None,
        accept: str = JSON,
    ) -> Reply:
        """One REST call; ``path`` begins with ``/`` (or is a whole address on the same host).

        Lost answers are tried again only for reading; limits are waited for. Raises Rejected (with the status),
        ConfigError (token, permission, single sign-on) and GitHubError.
        https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api
        """
        url = path if "://" in path else self.host.rest + path
        self._refuse_other_host(url)

        def attempt() -> Reply:
            try:
                return self.send(method, url, json=json, params=params, accept=accept)
            except Lost as lost:
                if lost.sent and method not in _SAFE_METHODS:
                    raise GitHubError(
                        lost.message,
                        safe="what was asked may have happened or not; the next run looks before it writes",
                        next_step=lost.next_step,
                    ) from lost
                raise

        return value(persist([attempt], self.patience())[0])

    def get_pages(
        self, path: str, params: Mapping[str, str | int] | None = None, key: str | None = None
    ) -> Iterator[Any]:
        """The items of every page, in order, read as they are asked for; ``key`` names the list in an object answer.

        https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
        """
        reply = self.rest("GET", path, params={"per_page": 100, **(params or {})})
        seen = set()
        while True:
            items = reply.data.get(key) if key and isinstance(reply.data, Mapping) else reply.data
            if not isinstance(items, list):
                raise GitHubError(f'"{self.host.hostname}" answered "{clean(path)}" with something that is no list')
            yield from items
            url = reply.next_url
            if url is None or url in seen:
                return
            seen.add(url)
            reply = self.rest("GET", url)

    def send(
        self,
        method: str,
        url: str,
        *,
        json: Any = None,
        params: Mapping[str, str | int] | None = None,
        accept: str = JSON,
    ) -> Reply:
        """One attempt. Raises Lost, Limited, Rejected or ConfigError for everything that is not an answer below 400."""
        headers = {"Accept": accept}
        body = None
        if json is not None:
            headers["Content-Type"] = "application/json"
            body = json_codec.dumps(json).encode()
        started = self._clock()
        response = self._follow(method, url, params, body, headers)
        return self._reply(response, self._clock() - started, _wants_json(accept))

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()

    def _follow(
        self,
        method: str,
        url: str,
        params: Mapping[str, str | int] | None,
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> requests.Response:
        """Redirects by hand: requests would turn a POST into a GET, and would go to plain http."""
        for _ in range(_LONGEST_CHAIN):
            response = self._exchange(method, url, params, body, headers)
            location = response.headers.get("Location")
            if response.status_code not in _REDIRECTS or location is None:
                return response
            target = urljoin(url, location)
            self._refuse_redirect(method, response.status_code, target)
            url, params = target, None
        raise GitHubError(f'"{self.host.hostname}" redirects without end')

    def _exchange(
        self,
        method: str,
        url: str,
        params: Mapping[str, str | int] | None,
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> requests.Response:
        try:
            with self._session() as session:
                return session.request(
                    method,
                    url,
                    params=params,
                    data=body,
                    headers=headers,
                    auth=self._auth,
                    timeout=(CONNECT_TIMEOUT_S, READ_TIMEOUT_S),
                    allow_redirects=False,
                )
        except requests.RequestException as error:
            # Not "from error": it holds the request, and with it the token.
            raise self._lost(error, url) from None

    @contextmanager
    def _session(self) -> Iterator[requests.Session]:
        """An idle session or a new one: each thread has one to itself; a broken one is thrown away."""
        try:
            session = self._idle.pop()
        except IndexError:
            session = requests.Session()
            session.headers["User-Agent"] = f"stackr/{__version__}"
            session.headers["X-GitHub-Api-Version"] = "2022-11-28"
        try:
            yield session
        except BaseException:
            session.close()
            raise
        self._idle.append(session)

    def _reply(self, response: requests.Response, seconds: float, wants_json: bool) -> Reply:
        headers = {name.lower(): text for name, text in response.headers.items()}
        status = response.status_code
        self.budget = budget_in(headers, self.now()) or self.budget
        data = _parsed(response.content)
        if status >= 400:
            raise self._failure(response, headers, data)
        if wants_json and data is None and response.content:
            raise Lost(f'"{self.host.hostname}" did not answer with JSON: is "{self.host.rest}" really GitHub\'s API?')
        return Reply(status, headers, data, response.content, seconds, response.links.get("next", {}).get("url"))

    def _failure(self, response: requests.Response, headers: Mapping[str, str], data: Any) -> StackrError:
        status = response.status_code
        words = self.token.hide(words_of(data))
        if status == 429 or (status == 403 and _is_limit(headers, words)):
            return limited(headers, words, self.now())
        if status >= 500:
            return Lost(f"github answered with {status}" + (f" ({words})" if words else ""))
        what = clean(self.token.hide(urlsplit(response.url).path))
        return refusal(status, headers, words, f'"{what}"', self.token.source, data)

    def _lost(self, error: requests.RequestException, url: str) -> Lost:
        where = clean(urlsplit(url).netloc.rpartition("@")[2])
        if isinstance(error, requests.ReadTimeout):
            return Lost(f'"{where}" did not answer within {READ_TIMEOUT_S:.0f} s')
        return Lost(f'the connection to "{where}" failed ({_reason(error)})', sent=not _never_sent(error))

    def _refuse_other_host(self, url: str) -> None:
        if _origin(url) != _origin(self.host.rest):
            raise GitHubError(f'"{self.host.hostname}" sent an address on another host: "{clean(url)}"')

    def _refuse_redirect(self, method: str, status: int, target: str) -> None:
        scheme, hostname, _ = _origin(target)
        if _origin(target) == _origin(self.host.rest):
            allowed = method in _SAFE_METHODS or status in _SAME_METHOD
        else:
            # Logs and archives lie on other hosts: read without the token, never over plain http.
            private = scheme == "https" or (scheme == "http" and is_loopback(hostname) and self._is_local())
            allowed = method in _SAFE_METHODS and private
        if not allowed:
            raise GitHubError(f'"{self.host.hostname}" redirects to "{clean(target)}", which is not followed')

    def _is_local(self) -> bool:
        return is_loopback(self.host.hostname)


class _TokenAuth(AuthBase):
    """Adds the token to requests to one origin only.

    As an ``auth`` object rather than a header: with a header alone, requests would let ~/.netrc replace it.
    """

    def __init__(self, token: Token, origin: tuple[str, str, int | None]) -> None:
        self._token = token
        self._origin = origin

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if _origin(request.url or "") == self._origin:
            request.headers["Authorization"] = f"Bearer {self._token.value}"
        return request


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    return scheme, parts.hostname or "", parts.port or {"http": 80, "https": 443}.get(scheme)


def _wants_json(accept: str) -> bool:
    return accept.endswith("json")


def _parsed(content: bytes) -> Any:
    try:
        return json_codec.loads(content)
    except ValueError:
        return None


def _is_limit(headers: Mapping[str, str], words: str) -> bool:
    return "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0" or says_limit(words)


def _never_sent(error: requests.RequestException) -> bool:
    """Whether the connection itself failed, so that no request can have arrived."""
    if isinstance(error, requests.ConnectTimeout):
        return True
    inner = error.args[0] if error.args else None
    return isinstance(inner, MaxRetryError) and isinstance(inner.reason, NewConnectionError)


def _reason(error: BaseException) -> str:
    """The system's words for a broken connection, without addresses or headers."""
    seen: list[BaseException] = []
    todo: list[Any] = [error]
    while todo:
        current = todo.pop()
        if not isinstance(current, BaseException) or current in seen:
            continue
        seen.append(current)
        if isinstance(current, RemoteDisconnected):
            return "closed without an answer"
        if isinstance(current, IncompleteRead):
            return "cut off in the middle of the answer"
        if isinstance(current, OSError) and current.strerror and not isinstance(current, requests.RequestException):
            return clean(current.strerror).lower()
        todo += [*current.args, getattr(current, "reason", None), current.__cause__, current.__context__]
    return type(error).__name__
