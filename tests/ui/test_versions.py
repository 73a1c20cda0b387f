"""Bytes of git's own go out as they are, to whatever stands for stdout."""

from __future__ import annotations

import io

from stackr.ui import output
from stackr.ui.console import Console


def test_bytes_go_out_as_they_are_after_what_was_said_before() -> None:
    beneath = io.BytesIO()
    stream = io.TextIOWrapper(beneath, "utf-8")
    console = Console(out=stream, env={})
    console.result("first")
    console.raw(b"\xff\x1b[31m\n")
    assert beneath.getvalue() == b"first\n\xff\x1b[31m\n"


def test_a_stream_of_text_alone_gets_text_and_a_closed_one_nothing() -> None:
    text = io.StringIO()
    output.write_raw(text, b"a\xff\n")
    output.write_raw(text, b"")
    output.write_raw(None, b"a\n")
    assert text.getvalue() == "a\ufffd\n"
