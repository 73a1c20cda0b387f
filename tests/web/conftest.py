"""Fixtures for the sandbox's pages: a server with a stack on it, readers without a browser, and a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from werkzeug.test import Client

from tests.support import chromium
from tests.support.pages import Reader
from tests.support.sandbox import Box, build_seed, make_box


@pytest.fixture(scope="session")
def seed(_sealed_session: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bare repository that every sandbox copies."""
    return build_seed(tmp_path_factory.mktemp("seed"))


@pytest.fixture
def box(tmp_path: Path, seed: Path) -> Iterator[Box]:
    """A running sandbox of the test's own: alice and bob may write, carol administers, dave reads."""
    made = make_box(tmp_path, seed)
    yield made
    for person in made.people.values():
        person.session.close()
    made.server.stop()


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
    for person in made.people.values():
        person.session.close()
    made.server.stop()


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


@pytest.fixture
def open_page(browser: Browser, box: Box, complaints: list[str]) -> Iterator[Callable[..., Page]]:
    """Makes pages of the running sandbox; the test fails if one has a script error or says something on its console."""
    contexts = []

    def make(*, width: int = 1280, dark: bool = False, scripts: bool = True) -> Page:
        context = browser.new_context(
            base_url=box.server.url,
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
        )
        contexts.append(context)
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.on("console", lambda message: _hear(message, complaints))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(f"{request.url}: {request.failure}"))
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []


def _hear(message: ConsoleMessage, complaints: list[str]) -> None:
    # Chromium notes every page with an error status; a refusal is one.
    if "Failed to load resource: the server responded with a status of 4" not in message.text:
        complaints.append(f"{message.type}: {message.text}")
