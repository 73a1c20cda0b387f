"""``stackr config``, ``auth status`` and ``doctor``: what they tell, and with which exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackr.commands.auth import limit
from stackr.github.account import Account
from tests.support.git import git, make_repo
from tests.support.world import Clone, World


@pytest.fixture
def clone(world: World) -> Clone:
    return world.clone()


def test_config_shows_every_setting_with_its_value_and_origin(clone: Clone) -> None:
    clone.write(".stackr.toml", 'style = "rewrite"\nlabels = ["a", "b"]\n')
    shown = clone.stackr("config", env={"STACKR_TRUNK": "dev"}).out.splitlines()
    assert "trunk            dev                   environment STACKR_TRUNK" in shown
    assert "style            rewrite               .stackr.toml, line 1" in shown
    assert "labels           a, b                  .stackr.toml, line 2" in shown
    assert "draft            false                 default" in shown
    assert "remote           (not set)             default" in shown


def test_config_with_a_key_prints_just_its_value(clone: Clone) -> None:
    clone.git("config", "stackr.reviewers", "bob, carol")
    assert clone.stackr("config", "reviewers").out == "bob\ncarol\n"
    assert clone.stackr("config", "draft").out == "false\n"
    assert clone.stackr("config", "remote").out == ""


def test_config_in_json_has_values_as_they_are(clone: Clone) -> None:
    clone.write(".stackr.toml", 'remote = "evil"\n[ci]\nflaky = ["x"]\n')
    document = clone.stackr("config", "--json").json
    assert list(document) == ["schema", "command", "ok", "settings", "warnings"]
    by_name = {setting["name"]: setting for setting in document["settings"]}
    assert by_name["ci"] == {"name": "ci", "value": {"flaky": ["x"]}, "origin": ".stackr.toml, line 2"}
    assert by_name["remote"]["value"] is None
    assert "remote" in document["warnings"][0]
    assert clone.stackr("config", "ci").out == "flaky\n"


def test_config_names_the_nearest_setting(clone: Clone) -> None:
    result = clone.stackr("config", "stlye", code=2)
    assert 'no such setting "stlye"' in result.err
    assert 'did you mean "style"?' in result.err


def test_config_outside_a_repository_shows_what_holds_everywhere(world: World, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    outside = Clone(tmp_path / "empty", "alice", "x")
    result = outside.stackr("config", "style", env={"STACKR_STYLE": "rewrite"})
    assert (result.out, result.err) == (
        "rewrite\n",
        "not in a git repository: only the environment and your own file count\n",
    )


def test_an_unknown_key_of_the_repository_file_stops_every_command_that_reads_settings(clone: Clone) -> None:
    clone.write(".stackr.toml", "stlye = 1\n")
    result = clone.stackr("config", code=7)
    assert result.err.startswith('error: unknown setting "stlye" in .stackr.toml, line 1\n')


def test_auth_status_tells_whose_token_it_is_and_never_the_token(clone: Clone, world: World) -> None:
    result = clone.stackr("auth", "status")
    assert result.out.splitlines()[:3] == [
        "login:   alice on 127.0.0.1",
        "token:   from STACKR_TOKEN",
        "scopes:  repo, read:org, workflow",
    ]
    assert result.out.splitlines()[-1] == f"pushes:  may push to {world.name}"
    assert clone.token not in result.out + result.err


def test_auth_status_in_json(clone: Clone, world: World) -> None:
    document = clone.stackr("auth", "status", "--json").json
    assert document["command"] == "auth status"
    assert (document["login"], document["source"], document["can_push"]) == ("alice", "STACKR_TOKEN", True)
    assert document["repository"] == world.name
    assert list(document["rate_limit"]) == ["limit", "remaining", "reset"]


def test_auth_status_of_a_reader_and_of_a_token_without_scopes(world: World) -> None:
    reader = world.clone("dave")
    token = world.server.add_user("dave", "github_pat_" + "x" * 30, kind="fine-grained")
    assert "may NOT push" in reader.stackr("auth", "status").out
    assert "not told (a fine-grained" in reader.stackr("auth", "status", env={"STACKR_TOKEN": token}).out


def test_auth_status_with_a_refused_token_is_a_configuration_error(clone: Clone) -> None:
    result = clone.stackr("auth", "status", code=7, env={"STACKR_TOKEN": "ghp_wrong"})
    assert "ghp_wrong" not in result.err


def verdicts(result_json: dict[str, object]) -> dict[str, str]:
    checks = result_json["checks"]
    assert isinstance(checks, list)
    return {check["name"]: check["verdict"] for check in checks}


def test_the_doctor_finds_a_healthy_clone_healthy(clone: Clone, world: World) -> None:
    result = clone.stackr("doctor")
    assert [line[:13] for line in result.out.splitlines()] == [
        f"✓ {name:11}"
        for name in (
            "python",
            "repository",
            "git",
            "identity",
            "settings",
            "remote",
            "token",
            "login",
            "access",
            "trunk",
            "hook",
        )
    ]
    document = clone.stackr("doctor", "--json").json
    assert document["ok"] is True
    assert set(verdicts(document).values()) == {"ok"}


def test_the_doctor_names_the_first_problem_and_skips_what_needs_it(clone: Clone) -> None:
    result = clone.stackr("doctor", "--json", code=7, env={"STACKR_TOKEN": "ghp_wrong"})
    found = verdicts(result.json)
    assert (found["token"], found["login"], found["access"], found["trunk"]) == ("ok", "problem", "problem", "skipped")
    assert result.json["ok"] is False
    text = clone.stackr("doctor", code=7, env={"STACKR_TOKEN": "ghp_wrong"}).out
    assert "✗ login" in text
    assert "next: " in text
    assert "○ trunk      needs the access" in text


def test_the_doctor_outside_a_repository_says_so(world: World, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = Clone(tmp_path / "empty", "alice", "x").stackr("doctor", code=3)
    assert "✗ repository" in result.out


def test_the_doctor_warns_of_a_rebase_in_progress_and_of_ignored_settings(clone: Clone) -> None:
    clone.commit("One", {"f": "1\n"})
    clone.git("rebase", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": "sed -i s/pick/edit/"})
    clone.write(".stackr.toml", 'token = "x"\n')
    clone.stackr("hook", "install")
    found = verdicts(clone.stackr("doctor", "--json").json)
    assert (found["repository"], found["settings"], found["hook"]) == ("note", "note", "ok")


def test_the_doctor_misses_write_access_and_trunk(clone: Clone, world: World) -> None:
    reader = world.clone("dave")
    assert verdicts(reader.stackr("doctor", "--json", code=7).json)["access"] == "problem"
    result = clone.stackr("doctor", code=3, env={"STACKR_TRUNK": "nowhere"})
    assert '"nowhere" does not exist on GitHub' in result.out


def test_the_doctor_finds_git_too_old(clone: Clone, tmp_path: Path) -> None:
    real = git(tmp_path, "--exec-path")
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "git").write_text(
        f'#!/bin/sh\ncase " $* " in *" version "*) echo git version 2.30.1; exit;; esac\nexec "{real}/git" "$@"\n'
    )
    (tools / "git").chmod(0o755)
    result = clone.stackr("doctor", code=6, env={"PATH": f"{tools}:/usr/bin:/bin"})
    assert "2.30.1 is too old" in result.out


def test_the_doctor_needs_a_remote(world: World, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "alone")
    repo.commit("One")
    found = Clone(repo.path, "alice", "x").stackr("doctor", "--json", code=3)
    assert verdicts(found.json)["remote"] == "problem"


def test_what_github_does_not_tell_of_a_token_is_said_to_be_untold() -> None:
    assert limit(Account("alice", "GH_TOKEN", None, None, None, None, None)) == "not told"
    assert limit(Account("alice", "GH_TOKEN", None, 5000, 4990, None, None)) == "4990 of 5000 requests left"
