"""A reader of the sandbox's pages without a browser: opens a page, finds its forms, presses buttons.

A form is sent as a browser would: the hidden fields and present values of the form, and the button that was pressed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from werkzeug.test import Client, TestResponse

_VOID = {"col", "input", "meta", "link", "br", "hr", "img"}


@dataclass
class Form:
    """A form: where it goes, its fields with their present values, its buttons as (name, value, disabled)."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    buttons: list[tuple[str, str, bool]] = field(default_factory=list)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.form: Form | None = None
        self.area = self.select = ""
        self.words: list[str] = []
        self.open_tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = {name: value or "" for name, value in attrs}
        if tag not in _VOID:
            self.open_tags.append(tag)
        if tag == "form":
            self.form = Form(at.get("action", ""))
            self.forms.append(self.form)
        if self.form is None:
            return
        if tag == "input" and not (at.get("type") == "checkbox" and "checked" not in at):
            self.form.fields[at["name"]] = at.get("value", "on" if at.get("type") == "checkbox" else "")
        if tag == "textarea":
            self.area = at["name"]
            self.form.fields[self.area] = ""
        if tag == "select":
            self.select = at["name"]
            self.form.choices[self.select] = []
        if tag == "option" and self.select:
            self._option(self.form, at)
        if tag == "button":
            self.form.buttons.append((at["name"], at["value"], "disabled" in at))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def _option(self, form: Form, at: dict[str, str]) -> None:
        form.choices[self.select].append(at.get("value", ""))
        if "selected" in at or self.select not in form.fields:
            form.fields[self.select] = at.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags and self.open_tags.pop() == tag, f"</{tag}> closes nothing"
        if tag == "form":
            self.form = None
        if tag == "textarea" and self.form is not None:
            # A browser swallows one line end at the start (HTML standard, "the textarea element").
            self.form.fields[self.area] = self.form.fields[self.area].removeprefix("\n")
            self.area = ""
        if tag == "select":
            self.select = ""

    def handle_data(self, data: str) -> None:
        if self.form is not None and self.area:
            self.form.fields[self.area] += data
        elif data.strip() and "script" not in self.open_tags:
            self.words.append(" ".join(data.split()))


@dataclass
class Reader:
    """Somebody in front of the pages; ``answer`` is the last page, after redirects."""

    client: Client
    answer: TestResponse | None = None

    def become(self, login: str) -> Reader:
        """Choose who one is, with the form at the top of every page."""
        self.open("/")
        form = next(form for form in self.forms if form.action == "/-/you")
        data = {**form.fields, "login": login}
        self.answer = self.client.post("/-/you", data=data, follow_redirects=True)
        return self

    def open(self, path: str) -> Reader:
        """Open a page and follow where it leads."""
        self.answer = self.client.get(path, follow_redirects=True)
        return self

    @property
    def status(self) -> int:
        """The status of the page."""
        assert self.answer is not None
        return self.answer.status_code

    @property
    def html(self) -> str:
        """Its source."""
        assert self.answer is not None
        return self.answer.get_data(as_text=True)

    @property
    def text(self) -> str:
        """What can be read on it, in one line."""
        return " ".join(self._parsed().words)

    @property
    def forms(self) -> list[Form]:
        """Its forms."""
        return self._parsed().forms

    def _parsed(self) -> _Forms:
        parser = _Forms()
        parser.feed(self.html)
        parser.close()
        assert not parser.open_tags, f"never closed: {parser.open_tags}"
        return parser

    def button(self, do: str) -> bool | None:
        """Whether a button can be pressed; None if it is not there."""
        found = [
            not disabled for form in self.forms for name, value, disabled in form.buttons if (name, value) == ("do", do)
        ]
        return found[0] if found else None

    def form(self, do: str) -> Form:
        """The form that has this button."""
        return next(form for form in self.forms if any((name, value) == ("do", do) for name, value, _ in form.buttons))

    def press(self, do: str, **fields: str | None) -> Reader:
        """Fill in fields (None leaves one out) and press a button, also a disabled one: browsers are not trusted."""
        assert self.answer is not None
        form = self.form(do)
        filled: dict[str, Any] = {**form.fields, **fields, "do": do}
        data = {name: value for name, value in filled.items() if value is not None}
        path = form.action or self.answer.request.path
        self.answer = self.client.post(path, data=data, follow_redirects=True)
        return self
