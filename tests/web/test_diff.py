"""Patches as numbered lines."""

from __future__ import annotations

from stackr.sandbox.diffs import FileChange
from stackr.sandbox.web import diff
from stackr.sandbox.web.diff import Line


def change(patch: str | None, **more: object) -> FileChange:
    values: dict[str, object] = {"path": "a.py", "old_path": None, "status": "modified", "additions": 1, "deletions": 1}
    return FileChange(**{**values, "oid": "0" * 40, "patch": patch, **more})  # type: ignore[arg-type]


def test_lines_carry_the_numbers_of_their_sides() -> None:
    patch = "@@ -3,2 +3,2 @@ def f():\n same\n-old\n+new\n\\ No newline at end of file\n@@ -9 +9 @@\n-x\r\n+y\x0cz"
    (file,) = diff.views([change(patch)])
    assert file.lines == (
        Line("hunk", None, None, "@@ -3,2 +3,2 @@ def f():"),
        Line("same", 3, 3, "same"),
        Line("removed", 4, None, "old"),
        Line("added", None, 4, "new"),
        Line("note", None, None, "\\ No newline at end of file"),
        Line("hunk", None, None, "@@ -9 +9 @@"),
        Line("removed", 9, None, "x"),
        Line("added", None, 9, "y\x0cz"),
    )
    assert [line.sign for line in file.lines] == ["", "", "-", "+", "", "", "-", "+"]
    assert file.editable and file.name == "a.py" and not file.note


def test_a_line_that_looks_like_a_file_header_is_a_line() -> None:
    (file,) = diff.views([change("@@ -1 +1 @@\n--- a\n+++ b")])
    assert [(line.kind, line.text) for line in file.lines[1:]] == [("removed", "-- a"), ("added", "++ b")]


def test_what_has_no_lines_says_why() -> None:
    renamed = change(None, old_path="b.py", status="renamed", additions=0, deletions=0)
    odd = change(None)
    removed = change("@@ -1 +0,0 @@\n-x", status="removed")
    files = diff.views([renamed, odd, removed])
    assert [file.note for file in files] == [
        "Renamed without changes, binary, empty, or a change of mode.",
        "Not shown.",
        "",
    ]
    assert files[0].name == "b.py → a.py"
    assert [file.editable for file in files] == [False, False, False]


def test_too_many_lines_are_left_out_a_file_at_a_time_and_in_all() -> None:
    long = change("@@ -0,0 +1,3000 @@\n" + "\n".join(["+x"] * 3000))
    fitting = change("@@ -0,0 +1,1900 @@\n" + "\n".join(["+x"] * 1900))
    files = diff.views([long, *[fitting] * 6])
    assert files[0].note == "3001 lines are too many to show here; fetch the branch to read them."
    assert [bool(file.lines) for file in files] == [False, True, True, True, True, True, False]


def test_deceiving_characters_are_shown() -> None:
    (file,) = diff.views([change("@@ -0,0 +1 @@\n+a\u2066b", path="x\u202ey")])
    assert file.lines[1].text == "a[U+2066]b"
    assert file.name == "x[U+202E]y"
