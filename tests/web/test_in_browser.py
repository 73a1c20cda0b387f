"""The pages in a real browser: a newcomer clicks through, nothing complains, everything can be read.

Every test fails if a page has a script error, writes to the console, or asks for something that is not there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.sandbox import REPO, Box

Pages = Callable[..., Page]
PULL = f"/{REPO}/pull/1"


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def become(page: Page, login: str) -> None:
    page.get_by_text("You are:").click()
    press(page, login)
    expect(page.get_by_text("You are:")).to_contain_text(login)


def protect(box: Box) -> None:
    checks = {"required_status_checks": [{"context": "build"}]}
    approvals = {"required_approving_review_count": 1}
    box.server.protect(
        REPO,
        "main",
        {"type": "pull_request", "parameters": approvals},
        {"type": "required_status_checks", "parameters": checks},
    )


def review_and_merge(page: Page) -> None:
    """The way of a newcomer: see what Alice submitted, become Bob, approve, play the CI, merge, tidy up."""
    page.goto("/")
    page.get_by_role("link", name=REPO).click()
    page.get_by_role("link", name="Change one").first.click()
    expect(page.get_by_role("button", name="Approve")).to_be_disabled()
    become(page, "bob")
    expect(page.get_by_text("At least 1 approving review is required")).to_be_visible()
    page.get_by_label("Comment, in Markdown").fill("Good **work**")
    press(page, "Approve")
    expect(page.get_by_role("status")).to_have_text("You approved these changes.")
    expect(page.get_by_role("button", name="Merge", exact=True)).to_be_disabled()
    press(page, "Set the check")
    expect(page.get_by_text("Nothing is in the way.")).to_be_visible()
    page.get_by_label("Method").select_option("squash")
    press(page, "Merge")
    expect(page.get_by_role("status")).to_have_text("Merged.")
    expect(page.get_by_text("bob merged 1 commit into")).to_be_visible()
    page.get_by_role("button", name="Delete branch").click()
    expect(page.get_by_role("status")).to_have_text("The branch is deleted.")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_newcomer_plays_the_colleague_from_review_to_merge(box: Box, open_page: Pages, scripts: bool) -> None:
    box.stack("one", "two")
    protect(box)
    review_and_merge(open_page(scripts=scripts))
    assert box.state(1) == "merged" and box.tip("one") is None
    assert box.pull(2).base_ref == "main" and box.state(2) == "open"


def test_a_suggestion_is_committed_as_somebody_else(box: Box, open_page: Pages) -> None:
    box.stack("one")
    page = open_page()
    page.goto(PULL)
    page.get_by_role("link", name="Edit Change-one.txt").click()
    expect(page.get_by_label("Text of the file")).to_have_value("Change one\n")
    page.get_by_label("Text of the file").fill("Change one\nand more\n")
    page.get_by_label("Commit as").select_option("carol")
    press(page, "Commit")
    expect(page.get_by_role("status")).to_have_text("Your edit is committed to the branch.")
    expect(page.get_by_text("carol pushed")).to_be_visible()
    found = box.server.engine.git(box.repo).object("refs/heads/one:Change-one.txt")
    assert found is not None and found[2] == b"Change one\nand more\n"


def test_a_refusal_is_a_message_and_keeps_the_text(box: Box, open_page: Pages) -> None:
    box.stack("one")
    page = open_page()
    page.goto(PULL)
    page.get_by_text("Edit title, description or base").click()
    page.get_by_label("Title").fill("x" * 300)
    press(page, "Save")
    expect(page.get_by_role("alert")).to_contain_text("Title is too long (maximum is 256 characters)")
    expect(page.get_by_label("Title")).to_have_value("x" * 300)


def test_the_comforts_of_scripts(box: Box, open_page: Pages) -> None:
    page = open_page()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"/{REPO}")
    press(page, "Copy")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"git clone {box.server.clone_url(REPO)}"
    menu = page.get_by_role("button", name="bob", exact=True)
    page.get_by_text("You are:").click()
    expect(menu).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    page.get_by_text("You are:").click()
    page.get_by_role("heading", name="Branches").click()
    expect(menu).to_be_hidden()


def test_hostile_texts_do_nothing(box: Box, open_page: Pages) -> None:
    attack = "\"'><script>document.title='owned'</script><img src=/x onerror=\"document.title='owned'\">"
    box.alice.branch("one", files={"<img src=y onerror=document.title='owned'>.txt": attack})
    box.alice.push("one")
    body = f"{attack}\n\n[a](javascript:document.title='owned')\n\n![b](https://elsewhere.invalid/b.png)"
    box.alice.post("pulls", {"title": attack, "head": "one", "base": "main", "body": body})
    page = open_page()
    page.goto(PULL)
    assert page.title() == f"{attack} · Pull request #1 · {REPO}"
    expect(page.get_by_role("heading", level=1)).to_contain_text(attack)
    assert page.locator("main img, main script, [onerror]").count() == 0


# Every text must stand out from its ground by 4.5 : 1 (https://www.w3.org/TR/WCAG21/#contrast-minimum); disabled
# buttons are exempt. Grounds are opaque, so the nearest one counts.
_FAINT = """() => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const shine = (text) => {
    const [r, g, b] = parts(text).slice(0, 3).map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((parts(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || node.closest(":disabled") || !node.checkVisibility()) continue;
    const [one, other] = [shine(getComputedStyle(node).color), shine(ground(node))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)}: ${walker.currentNode.data.trim().slice(0, 40)}`);
  }
  return faint;
}"""
_NAMELESS = """() => [...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
  .filter((field) => !field.labels.length).map((field) => field.outerHTML)"""
_TWICE = """() => [...document.querySelectorAll("[id]")].map((node) => node.id)
  .filter((id, at, all) => all.indexOf(id) !== at)"""
_WIDTH = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


_LOOKS = list(itertools.product((1280, 340), ("light", "dark")))
"""Widths of the window in pixels, and what the reader prefers."""


@pytest.mark.parametrize("path", [
    "/",
    f"/{REPO}",
    f"{PULL}?done=merged",
    f"/{REPO}/pull/2",
    f"/{REPO}/settings",
    "/-/sandbox",
    f"{PULL}/edit?path=README.md",
])  # fmt: skip
def test_everything_can_be_read(busy_page: Page, path: str) -> None:
    page = busy_page
    page.goto(path)
    for width, colours in _LOOKS:
        look(page, width, colours)
        assert page.evaluate(_FAINT) == [], (width, colours)
        assert page.evaluate(_WIDTH) <= 0, f"wider than the window of {width}, {colours}"
    assert page.evaluate(_NAMELESS) == []
    assert page.evaluate(_TWICE) == []
    assert page.locator("h1").count() == 1


def test_a_refusal_and_the_menu_can_be_read_too(busy_page: Page) -> None:
    page = busy_page
    page.goto(PULL)
    press(page, "Comment")
    page.get_by_text("You are:").click()
    expect(page.get_by_role("alert")).to_contain_text("Body can't be blank")
    for width, colours in _LOOKS:
        look(page, width, colours)
        assert page.evaluate(_FAINT) == [], (width, colours)


def look(page: Page, width: int, colours: str) -> None:
    """Make the window so wide, and let its owner prefer light or dark."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
