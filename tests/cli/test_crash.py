"""A bug leaves a report that can be pasted: complete, and without a secret."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from stackr import crash, failures
from stackr.options import Invocation

TOKEN = "ghp_" + "a1B2" * 9


def bug(text: str) -> Exception:
    try:
        raise KeyError(text)
    except KeyError as problem:
        return problem


def test_the_report_goes_into_the_git_directory_and_tells_what_ran(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "deep").mkdir()
    path = crash.write_report(bug("x"), ["submit", "--draft"], tmp_path / "deep")
    assert path is not None and path.parent == tmp_path / ".git"
    text = path.read_text()
    assert "- command: `stackr submit --draft`" in text
    assert "Traceback (most recent call last)" in text
    assert "KeyError: 'x'" in text
    assert "click 8" in text


def test_a_linked_worktree_has_its_git_directory_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "main" / "worktrees" / "w").mkdir(parents=True)
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / ".git").write_text("gitdir: ../main/worktrees/w\n")
    found = crash.find_git_dir(tmp_path / "w")
    assert found is not None and found.samefile(tmp_path / "main" / "worktrees" / "w")
    (tmp_path / "w" / ".git").write_text("gitdir: /nowhere\n")
    assert crash.find_git_dir(tmp_path / "w") is None


def test_outside_a_repository_it_goes_to_the_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(crash, "find_git_dir", lambda _: None)
    path = crash.write_report(bug("x"), [], tmp_path)
    assert path is not None and path.parent == tmp_path


def test_where_nothing_can_be_written_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    monkeypatch.setattr(crash, "find_git_dir", lambda _: None)
    failure = failures.explain(bug("x"), [], Invocation())
    assert failure.code == 1
    assert failure.message == "stackr has a bug (KeyError: 'x')"
    assert failure.next_step == "no report could be written; please tell how it came about"


def test_the_error_names_the_report(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    failure = failures.explain(bug("x"), [], Invocation(directory=tmp_path))
    assert f"{tmp_path}/.git/stackr-report-" in failure.next_step


@pytest.mark.parametrize(
    "secret",
    [
        TOKEN,
        "github_pat_" + "A" * 40,
        "https://alice:hunter22@github.com/o/r",
        "Authorization: Bearer abcdefgh12345678",
        "authorization: basic YWxpY2U6aHVudGVyMjI=",
    ],
)
def test_no_token_reaches_a_report_or_the_screen(tmp_path: Path, secret: str) -> None:
    text = crash.report_text(bug(f"calling {secret} failed"), ["submit", secret], {})
    for part in (TOKEN, "A" * 40, "hunter22", "abcdefgh12345678", "YWxpY2U6aHVudGVyMjI="):
        assert part not in text
        assert part not in crash.headline(bug(secret))
    assert "[removed]" in text


def test_values_of_secret_environment_variables_and_the_home_are_removed() -> None:
    env = {"STACKR_TOKEN": "plain-old-secret", "HOME": "/home/alice", "GH_TOKEN": "short", "LANG": "C"}
    text = crash.report_text(bug("plain-old-secret in /home/alice/x"), ["submit"], env)
    assert "plain-old-secret" not in text
    assert "[removed] in ~/x" in text


def test_a_missing_package_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crash, "_PACKAGES", ("no-such-package",))
    assert "no-such-package missing" in crash.report_text(bug("x"), [], {})


def test_an_exception_without_text_is_named_by_its_class() -> None:
    assert crash.headline(ValueError()) == "ValueError"
