"""Finding the browser: it never skips silently."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import chromium


def program(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any browser; its only folder of programs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(chromium, "APPLICATIONS", ())
    monkeypatch.setattr(chromium, "_CHOSEN", "")
    return tmp_path


def test_without_chromium_the_tests_fail_and_say_how_to_install_it(bare: Path) -> None:
    with pytest.raises(chromium.NoChromium, match="apt-get install -y chromium"):
        chromium.find()


def test_debians_name_comes_first(bare: Path) -> None:
    program(bare, "google-chrome")
    wanted = program(bare, "chromium")
    assert chromium.find() == wanted


def test_an_application_is_found_where_macos_keeps_it(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "APPLICATIONS", ("/nowhere/Chromium", wanted := program(bare, "App")))
    assert chromium.find() == wanted


def test_one_that_is_named_is_taken(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bare, "chromium")
    monkeypatch.setattr(chromium, "_CHOSEN", "/my/chromium")
    assert chromium.find() == "/my/chromium"
