"""``stackr open``: the page of a pull request, printed where there is no browser."""

from __future__ import annotations

import click
import pytest

from stackr.commands import open_
from tests.support.world import World


def test_the_address_is_printed_without_the_network_where_the_number_is_known(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = world.stacked("A", "B")
    page = world.server.clone_url(world.name).removesuffix(".git") + "/pull/"
    world.forget()
    assert clone.stackr("open").out == f"{page}2\n"
    assert clone.stackr("open", "HEAD~1", "--print").out == f"{page}1\n"
    assert clone.stackr("open", "#77").out == f"{page}77\n"
    assert clone.stackr("open", "--json").json == {
        "schema": 1,
        "command": "open",
        "ok": True,
        "number": 2,
        "url": f"{page}2",
    }
    assert world.api_count() == 0
    (clone.path / ".git" / "stackr" / "pulls").unlink()
    assert clone.stackr("open").out == f"{page}2\n"
    assert world.api_count() == 1
    opened: list[str] = []
    monkeypatch.setattr(open_, "_has_browser", lambda: True)
    monkeypatch.setattr(click, "launch", lambda url: len(opened.append(url) or opened) - 1)
    told = clone.stackr("open", "1")
    assert (told.out, told.err, opened) == ("", f"opening {page}1\n", [f"{page}1"])
    # The browser did not start.
    assert clone.stackr("open", "1").out == f"{page}1\n"
    clone.change("C")
    told = clone.stackr("open", code=3)
    assert told.err.splitlines()[0] == 'error: "C" has no pull request'
