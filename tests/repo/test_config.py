"""Git configuration as one snapshot: every scope, with origins, compared as git compares it."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackr.errors import ConfigError, Refused
from stackr.repo import remotes
from stackr.repo.config import Entry, GitConfig
from stackr.repo.repository import Repository
from tests.repo.conftest import Opener
from tests.support.git import Workspace


def config(*pairs: tuple[str, str | None]) -> GitConfig:
    return GitConfig(tuple(Entry(key, value, "local", "file:.git/config") for key, value in pairs))


def test_the_last_value_counts_and_all_can_be_had() -> None:
    found = config(("a.b", "1"), ("a.b", "2\nlines"), ("a.c", ""))
    assert (found.get("a.b"), found.get_all("a.b"), found.get("a.c"), found.get("a.d", "x")) == (
        "2\nlines",
        ("1", "2\nlines"),
        "",
        "x",
    )


def test_keys_are_compared_as_git_does_it() -> None:
    found = config(("branch.Topic.With.Dots.pushremote", "mine"))
    assert found.get("BRANCH.Topic.With.Dots.pushRemote") == "mine"
    assert found.get("branch.topic.with.dots.pushremote") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((value, True) for value in (None, "true", "YES", "on", "1", "-1")),
        *((value, False) for value in ("false", "no", "Off", "0", "")),
    ],
)
def test_booleans_are_gits(value: str | None, expected: bool) -> None:
    assert config(("a.b", value)).get_bool("a.b") is expected


def test_a_boolean_that_is_none_is_an_error_that_says_where_it_stands() -> None:
    with pytest.raises(ConfigError, match=r'"maybe" is no boolean: a\.b in file:\.git/config'):
        config(("a.b", "maybe")).get_bool("a.b")
    assert config().get_bool("a.b", default=True)


def test_every_scope_is_read_with_its_origin(
    workspace: Workspace, open_repo: Opener, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "global").write_text("[x]\n\tone = global\n\ttwo = global\n[include]\n\tpath = more\n")
    (home / "more").write_text("[x]\n\tincluded\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "global"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "x.three")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "command")
    workspace.clone.git("config", "x.two", "local")
    found = open_repo(workspace.clone.path).config
    assert [found.get(f"x.{key}") for key in ("one", "two", "three", "included")] == ["global", "local", "command", ""]
    assert found.get_bool("x.included")
    assert [found.origin(f"x.{key}") for key in ("one", "two", "three", "four")] == [
        f"global ({home}/global)",
        "local (.git/config)",
        "command (command line:)",
        None,
    ]


def test_configuration_of_a_worktree_counts_and_stackr_writes_what_all_share(
    workspace: Workspace, tmp_path: Path, open_repo: Opener
) -> None:
    workspace.clone.git("config", "extensions.worktreeConfig", "true")
    workspace.clone.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    repo = open_repo(tmp_path / "linked")
    repo.set_config("branch.main.stackrBase", "-dash\nand line")
    assert repo.config.get("branch.main.stackrbase") == "-dash\nand line"
    assert open_repo(workspace.clone.path).config.get("branch.main.stackrBase") == "-dash\nand line"


def test_a_key_can_be_replaced_and_removed(workspace: Workspace, repo: Repository) -> None:
    workspace.clone.git("config", "--add", "stackr.user", "one")
    workspace.clone.git("config", "--add", "stackr.user", "two")
    repo.set_config("stackr.user", "three")
    assert repo.config.get_all("stackr.user") == ("three",)
    repo.set_config("stackr.user", None)
    repo.set_config("stackr.user", None)
    assert repo.config.get("stackr.user") is None


def test_the_snapshot_is_read_once(repo: Repository) -> None:
    before = repo.process_count
    for _ in range(3):
        repo.config.get("a.b")
        assert repo.remotes() == ("origin",)
        assert repo.choose_remote("main") == "origin"
        repo.remote_url("origin")
    assert repo.process_count == before


TWO = (("remote.origin.url", "o"), ("remote.fork.url", "f"))


@pytest.mark.parametrize(
    ("pairs", "branch", "expected"),
    [
        ([("branch.t.pushremote", "fork"), ("remote.pushdefault", "origin"), *TWO], "t", "fork"),
        ([("branch.t.remote", "origin"), ("remote.pushdefault", "fork"), *TWO], "refs/heads/t", "fork"),
        ([("branch.t.remote", "fork"), *TWO], "t", "fork"),
        ([("branch.t.remote", "fork"), *TWO], "other", "origin"),
        ([("branch.t.remote", "."), *TWO], "t", "origin"),
        ([("remote.pushdefault", "fork"), *TWO], None, "fork"),
        ([("remote.upstream.url", "u")], "t", "upstream"),
        ([("remote.upstream.pushurl", "u")], None, "upstream"),
        ([("branch.t.remote", "https://github.com/o/r")], "t", "https://github.com/o/r"),
    ],
)
def test_the_remote_is_chosen_in_the_documented_order(
    pairs: list[tuple[str, str]], branch: str | None, expected: str
) -> None:
    assert remotes.choose(config(*pairs), branch) == expected


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "this repository has no remote"),
        ([("remote.a.url", "1"), ("remote.b.url", "2")], r'several remotes \("a", "b"\)'),
        ([("branch.t.pushremote", "gone"), *TWO], r'no remote "gone" \(from branch\.t\.pushremote\)'),
        ([("remote.pushdefault", "gone"), *TWO], r'no remote "gone" \(from remote\.pushdefault\)'),
    ],
)
def test_no_remote_is_refused_with_what_to_do(pairs: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        remotes.choose(config(*pairs), "t")
    assert refused.value.next_step.startswith("git ")


RULES = (
    ("url.https://github.com/.insteadof", "gh:"),
    ("url.https://github.com/org/.insteadof", "gh:org:"),
    ("url.https://github.com/.insteadof", "hub:"),
    ("url.ssh://git@github.com/.pushinsteadof", "https://github.com/"),
    ("url.ssh://git@github.com/.pushinsteadof", "gh:"),
)


@pytest.mark.parametrize(
    ("url", "push", "expected"),
    [
        ("gh:o/r", False, "https://github.com/o/r"),
        ("gh:org:r", False, "https://github.com/org/r"),
        ("hub:o/r", False, "https://github.com/o/r"),
        ("gh:o/r", True, "ssh://git@github.com/o/r"),
        ("https://github.com/o/r", True, "ssh://git@github.com/o/r"),
        ("hub:o/r", True, "https://github.com/o/r"),
        ("/path", True, "/path"),
    ],
)
def test_addresses_are_rewritten_by_the_longest_prefix(url: str, push: bool, expected: str) -> None:
    assert remotes.url(config(("remote.o.url", url), *RULES), "o", push=push) == expected


def test_a_push_url_is_rewritten_by_insteadof_only() -> None:
    found = config(("remote.o.url", "x"), ("remote.o.pushurl", "gh:o/r"), *RULES)
    assert remotes.url(found, "o", push=True) == "https://github.com/o/r"
    assert remotes.url(found, "https://github.com/a/b") == "https://github.com/a/b"


@pytest.mark.parametrize("push", [False, True])
def test_addresses_are_what_git_says(workspace: Workspace, open_repo: Opener, push: bool) -> None:
    clone = workspace.clone
    for key, value in RULES:
        clone.git("config", "--add", key, value)
    for number, url in enumerate(["gh:o/r", "gh:org:r", "hub:o/r", "https://github.com/o/r", "/path"]):
        clone.git("remote", "add", f"r{number}", url)
    repo = open_repo(clone.path)
    option = ["--push"] if push else []
    for name in repo.remotes():
        assert repo.remote_url(name, push=push) == clone.git("remote", "get-url", *option, name)
