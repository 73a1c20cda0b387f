"""Fixtures for the sandbox's pages: a server with a stack on it, readers without a browser, and a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Response, sync_playwright
from werkzeug.test import Client

from stackr.sandbox import checks, pulls
from tests.support import chromium
from tests.support.pages import Reader
from tests.support.sandbox import REPO, Box, build_seed, end_box, make_box

TIMEOUT_MS = 20_000  # of one click or look; a busy machine is slow, and a page that works does not wait


@pytest.fixture(scope="session")
def seed(_sealed_session: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bare repository that every sandbox copies."""
    return build_seed(tmp_path_factory.mktemp("seed"))


@pytest.fixture
def box(tmp_path: Path, seed: Path) -> Iterator[Box]:
    """A running sandbox of the test's own: alice and bob may write, carol administers, dave reads."""
    made = make_box(tmp_path, seed)
    yield made
    end_box(made, keep=True)


@pytest.fixture
def reader(box: Box) -> Callable[[str], Reader]:
    """Makes a reader who is the given person (``-``: signed out)."""
    return lambda login: Reader(Client(box.server.app)).become(login)


@pytest.fixture(scope="session")
def quiet_box(_sealed_session: None, seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A sandbox with one pull request, shared by tests that change nothing in it."""
    made = make_box(tmp_path_factory.mktemp("quiet"), seed)
    made.stack("one")
    yield made
    end_box(made)


@pytest.fixture
def client(quiet_box: Box) -> Client:
    """A client of the shared sandbox, without cookies."""
    return Client(quiet_box.server.app)


@pytest.fixture(scope="session")
def browser(_sealed_session: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One Chromium for the session (under xdist: for the worker); every test has a context of its own."""
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=chromium.find(),
            args=list(chromium.ARGUMENTS),
            downloads_path=str(tmp_path_factory.mktemp("downloads")),
        )
        yield made
        made.close()


@pytest.fixture
def complaints() -> list[str]:
    """What went wrong in the browser; empty at the end of a test, or the test fails."""
    return []


Pages = Callable[..., Page]


@contextmanager
def pages_of(box: Box, browser: Browser, complaints: list[str]) -> Iterator[Pages]:
    """Makes pages of a sandbox; at the end, fails if one had a script error or said something on its console."""
    contexts = []

    def make(*, scripts: bool = True) -> Page:
        context = browser.new_context(base_url=box.server.url, java_script_enabled=scripts)
        contexts.append(context)
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        page.on("console", lambda message: _hear(message, complaints))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("response", lambda response: _see(response, complaints))
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []


def _see(response: Response, complaints: list[str]) -> None:
    """Whatever a page asks for must be there; a page itself may be a refusal."""
    if response.status >= 400 and response.request.resource_type != "document":
        complaints.append(f"{response.status} {response.url}")


def _hear(message: ConsoleMessage, complaints: list[str]) -> None:
    # Chromium notes every page with an error status; a refusal is one.
    if "the server responded with a status of 4" not in message.text:
        complaints.append(f"{message.type}: {message.text}")


@pytest.fixture
def open_page(browser: Browser, box: Box, complaints: list[str]) -> Iterator[Pages]:
    """Makes pages of the test's own sandbox."""
    with pages_of(box, browser, complaints) as make:
        yield make


@pytest.fixture(scope="session")
def busy_box(_sealed_session: None, seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A sandbox with something of every colour on its pages, shared by tests that only look."""
    made = make_box(tmp_path_factory.mktemp("busy"), seed)
    fill(made)
    yield made
    end_box(made)


def fill(box: Box) -> None:
    """A stack with a list, a review of each kind, checks of each state, a blocked one, a merged one, long lines."""
    wide = "a_word_without_end_" * 12
    box.stack("one", "two", "three")
    box.alice.branch("one", "one", {"README.md": f"# Gadgets\n\n{wide}\n", "src/code.py": "line 0\n"})
    box.alice.push("one")
    lines = [
        "* #3",
        "* #2",
        "* __->__ #1",
        "",
        wide,
        "",
        "> quoted",
        "",
        "```",
        wide,
        "```",
        "",
        "|a|b|",
        "|-|-|",
        "|1|2|",
    ]
    box.alice.patch("pulls/1", {"title": f"Count {wide}", "body": "\n".join(lines)})
    box.bob.post("pulls/1/reviews", {"event": "REQUEST_CHANGES", "body": "No, `never`"}, 200)
    box.carol.post("pulls/1/reviews", {"event": "APPROVE"}, 200)
    box.dave.post("pulls/1/reviews", {"event": "COMMENT", "body": f"See #2 and <{wide}>"}, 200)
    engine, head = box.server.engine, box.pull(1).head_oid
    for name, conclusion in (("build", "success"), ("lint", "failure"), ("docs", "skipped"), (wide, None)):
        checks.put_check(engine, box.repo, oid=head, name=name, conclusion=conclusion)
    rule = {"required_status_checks": [{"context": "lint"}, {"context": "never"}]}
    box.server.protect(REPO, "main", {"type": "required_status_checks", "parameters": rule})
    pulls.convert_to_draft(engine, box.server.user("alice"), box.pull(3))
    box.bob.put("pulls/2/merge")


@pytest.fixture(scope="session")
def _busy(browser: Browser, busy_box: Box) -> Iterator[tuple[Page, list[str]]]:
    """One page of the shared sandbox, and what went wrong on it: a new one costs half a second of processor time."""
    complaints: list[str] = []
    with pages_of(busy_box, browser, complaints) as make:
        yield make(), complaints


@pytest.fixture
def busy_page(_busy: tuple[Page, list[str]]) -> Iterator[Page]:
    """The page of the shared, busy sandbox; what another test did with it is forgotten when it goes elsewhere."""
    page, complaints = _busy
    page.context.clear_cookies()
    yield page
    heard = complaints.copy()
    complaints.clear()
    assert heard == []
