"""Bad input that lies in configuration, tokens, hosts or the command line; nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackr.main import COMMANDS
from tests.support.laws import check_laws, error_of, refuses, untouched
from tests.support.world import Clone, World

# Flags and settings as a run would meet them without any token.
NO_TOKEN = {"STACKR_TOKEN": ""}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://gitlab.com/acme/widgets.git", "https://gitlab.com/acme/widgets.git"),
        ("https://me:secret@gitlab.com/acme/widgets", "https://gitlab.com/acme/widgets"),
        ("/srv/git/widgets.git", "/srv/git/widgets.git"),
        ("git@github.com:widgets", "git@github.com:widgets"),
    ],
)
def test_a_remote_that_is_not_on_github(world: World, url: str, shown: str) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("remote", "set-url", "origin", url)
    refuses(
        world,
        clone,
        "submit",
        code=7,
        kind="config",
        message=f'the remote "{shown}" is not on GitHub',
        next_step="choose a remote on GitHub (git remote -v), for example with: git config remote.pushDefault NAME",
    )


def test_plain_http_to_another_machine(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("remote", "set-url", "origin", "http://ghe.example/acme/widgets")
    refuses(
        world,
        clone,
        "submit",
        code=7,
        kind="config",
        message='the remote "http://ghe.example/acme/widgets" uses plain http',
        next_step="use https or ssh for it: git remote set-url",
    )


def test_without_a_token(world: World) -> None:
    clone = world.stacked("A", submit=False)
    refuses(
        world,
        clone,
        "submit",
        code=7,
        kind="config",
        message='no token for "127.0.0.1"',
        safe="nothing was changed; looked at STACKR_TOKEN, GH_ENTERPRISE_TOKEN, GITHUB_ENTERPRISE_TOKEN, "
        "gh auth token and git credential fill",
        next_step="gh auth login --hostname 127.0.0.1, or set GH_ENTERPRISE_TOKEN or STACKR_TOKEN, "
        "or store one with git credential approve",
        env=NO_TOKEN,
    )


def test_a_bad_token(world: World) -> None:
    clone = world.stacked("A", submit=False)
    refuses(
        world,
        clone,
        "submit",
        code=7,
        kind="config",
        message="github refused the token from STACKR_TOKEN (Bad credentials)",
        next_step="make a new token or run gh auth login, then stackr auth status",
        env={"STACKR_TOKEN": "ghp_wrong"},
    )


def test_a_token_that_expired_is_never_shown(world: World) -> None:
    clone = world.stacked("A", submit=False)
    token = world.server.add_user("alice", "ghp_expired0123456789", expired=True)
    with untouched(world, clone):
        result = clone.stackr("submit", code=7, env={"STACKR_TOKEN": token})
    assert token not in result.err + result.out


def test_a_token_without_single_sign_on(world: World) -> None:
    clone = world.stacked("A", submit=False)
    token = world.server.add_user("alice", "ghp_needs_sso", sso_required=True)
    with untouched(world, clone):
        _, error = error_of(clone, "submit", code=7, env={"STACKR_TOKEN": token})
    assert error["message"].startswith("the organization wants single sign-on for the token from STACKR_TOKEN")
    assert error["next"].startswith("authorize the token at http")


def test_without_write_access(world: World) -> None:
    clone = world.stacked("A", submit=False)
    token = world.server.add_user("dave")
    refuses(
        world,
        clone,
        "submit",
        code=7,
        kind="config",
        message=f'this token may not push to "{world.name}", and a chain of pull requests needs its branches there',
        next_step="stackr submit --fork proposes the stack from a fork, each pull request against trunk; "
        "or ask for write access (stackr auth status shows the token)",
        env={"STACKR_TOKEN": token},
    )
    told = clone.stackr("sync", code=7, env={"STACKR_TOKEN": token}).err
    assert "\nnext:  stackr sync --no-push brings it up to date just here; stackr submit --fork " in told


def test_a_repository_that_does_not_exist(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.stackr("status")
    clone.git("remote", "set-url", "origin", f"{world.server.url}/acme/nothing.git")
    refuses(
        world,
        clone,
        "submit",
        code=5,
        kind="github",
        message='github has no repository "acme/nothing",'
        " or the token from STACKR_TOKEN may not see it: the two look the same",
        next_step="check the remote (git remote -v) and what the token may read (stackr auth status)",
    )


def test_a_server_that_is_not_there(world: World, waits: list[float]) -> None:
    clone = world.stacked("A", submit=False)
    clone.git("remote", "set-url", "origin", "http://127.0.0.1:1/acme/widgets.git")
    clone.git("config", "stackr.user", "alice")
    with untouched(world, clone):
        _, error = error_of(clone, "submit", code=5)
    assert error["message"] == 'the connection to "127.0.0.1:1" failed (connection refused)'
    assert error["next"] == "check the network, then run the same command again"


@pytest.mark.parametrize("kind", ["500", "502-html", "drop", "cut-json"])
def test_a_github_that_is_down(world: World, waits: list[float], kind: str) -> None:
    clone = world.stacked("A", submit=False)
    world.server.faults.add(kind, selector="api", times=99)
    with untouched(world, clone):
        text, error = error_of(clone, "submit", code=5)
    assert error["kind"] == "github"
    assert "traceback" not in text.lower()
    assert "<html" not in text.lower()


def test_a_push_that_a_hook_of_the_server_declines(world: World) -> None:
    clone = world.stacked("A", submit=False)
    world.server.settings(world.name, declined_message="no pushes on Friday")
    result = clone.stackr("submit", code=6)
    branch = clone.head_ref("A")
    assert result.err == (
        f'error: "origin" declined "{branch}": pre-receive hook declined: no pushes on Friday\n'
        "safe:  nothing was pushed; before that: your commits have their change ids\n"
        "next:  mend what it names, or ask who looks after the repository's rules\n"
    )
    assert world.pulls() == []
    world.server.settings(world.name, declined_message="")
    clone.stackr("submit")
    check_laws(world, clone)


def test_a_push_that_the_users_own_hook_declines(world: World) -> None:
    clone = world.stacked("A", submit=False)
    hook = clone.write(".git/hooks/pre-push", "#!/bin/sh\necho tests fail >&2\nexit 1\n")
    hook.chmod(0o755)
    result = clone.stackr("submit", code=6)
    assert result.err == (
        "error: the pre-push hook declined: tests fail\n"
        "safe:  nothing was pushed; before that: your commits have their change ids\n"
        "next:  mend what the hook names, then run the same command again\n"
    )
    assert world.server.log.pushes() == []


@pytest.mark.parametrize(
    ("where", "origin", "otherwise"),
    [
        ("repository", ".stackr.toml, line 2", "mend .stackr.toml"),
        ("user", "~/.config/stackr/config.toml, line 2", "mend ~/.config/stackr/config.toml"),
        ("git", "git config", "git config --unset stackr.stile"),
        ("environment", "the environment", "unset it"),
    ],
)
def test_an_unknown_setting(world: World, home: Path, where: str, origin: str, otherwise: str) -> None:
    clone = world.stacked("A", submit=False)
    text, env = "\nstile = 'append'\n", {}
    key, known = "stile", "style"
    if where == "repository":
        clone.write(".stackr.toml", text)
    elif where == "user":
        (home / ".config/stackr").mkdir(parents=True)
        (home / ".config/stackr/config.toml").write_text(text)
    elif where == "git":
        key, known = "stackr.stile", "stackr.style"
        clone.git("config", key, "append")
    else:
        key, known = "STACKR_STILE", "STACKR_STYLE"
        env = {key: "append"}
    refuses(
        world,
        clone,
        "submit",
        code=7,
        kind="config",
        message=f'unknown setting "{key}" in {origin}',
        next_step=f'did you mean "{known}"? else {otherwise}',
        env=env,
    )


def test_a_setting_with_a_value_it_cannot_have(world: World) -> None:
    clone = world.stacked("A", submit=False)
    clone.write(".stackr.toml", 'style = "force"\n')
    with untouched(world, clone):
        _, error = error_of(clone, "submit", code=7)
    assert error["message"] == '"style" must be one of append, rewrite, not "force" (.stackr.toml, line 1)'


@pytest.mark.parametrize(
    ("args", "message", "next_step"),
    [
        (["--nonsense"], 'no such option "--nonsense"', "stackr submit --help"),
        (
            ["--updatefields"],
            'no such option "--updatefields"',
            'did you mean "--update-fields"? stackr submit --help shows all',
        ),
        ([""], '"" names no commit here', "git log --oneline shows those of the stack"),
        (["nowhere"], '"nowhere" names no commit here', "git log --oneline shows those of the stack"),
        (["--draft", "--ready"], "--draft and --ready exclude each other", "stackr submit --help"),
        (
            ["--style", "force"],
            'invalid value for "--style": "force" is not one of "append", "rewrite"',
            "stackr submit --help",
        ),
    ],
    ids=["option", "misspelt", "unset", "revision", "draft-ready", "style"],
)
def test_a_command_line_that_makes_no_sense(world: World, args: list[str], message: str, next_step: str) -> None:
    clone = world.stacked("A", submit=False)
    refuses(world, clone, "submit", *args, code=2, kind="usage", message=message, next_step=next_step)


def test_a_revision_that_is_not_in_the_stack(world: World) -> None:
    clone = world.stacked("A", submit=False)
    refuses(
        world,
        clone,
        "submit",
        "main",
        code=2,
        kind="usage",
        message=f'commit {clone.oid("main")[:7]} is not in the stack between "main" and HEAD',
        next_step="stackr status shows the stack; check out the branch that holds the commit",
    )


def test_a_directory_that_does_not_exist(world: World) -> None:
    clone = world.stacked("A", submit=False)
    with untouched(world, clone):
        result = clone.stackr("-C", "nowhere", "submit", code=2)
    assert result.err == (
        'error: there is no directory "nowhere" to change to (-C)\nsafe:  nothing was changed\nnext:  stackr --help\n'
    )


def test_an_unknown_reviewer_or_label_is_refused_before_anything_is_written(world: World) -> None:
    clone = world.stacked("A", submit=False)
    for flag, kind, advice in (
        ("--reviewer", "reviewer", "check the spelling"),
        ("--label", "label", "check the spelling, or create the label"),
    ):
        refuses(
            world,
            clone,
            "submit",
            flag,
            "nobody",
            code=3,
            kind="refused",
            message=f'github knows no {kind} "nobody"',
            next_step=advice,
        )


def test_a_repository_file_that_names_a_host_or_a_command_is_ignored_there(world: World, home: Path) -> None:
    clone = world.stacked("A", submit=False)
    clone.write(".stackr.toml", 'host = "evil.example"\neditor = "rm -rf ~"\n')
    with untouched(world, clone):
        told = clone.stackr("submit", "--dry-run")
    words = "is ignored: a file that others write must not name a command, a host, a token or a path"
    assert told.err.splitlines() == [f'warning: "{key}" in .stackr.toml {words}' for key in ("host", "editor")]
    del home


@pytest.mark.parametrize("command", ["submit", "status"])
def test_every_command_of_this_stage_speaks_of_a_missing_repository(tmp_path: Path, command: str) -> None:
    assert command in COMMANDS
    place = Clone(tmp_path, "alice", "ghp_x")
    text, error = error_of(place, command, code=3)
    assert error["kind"] == "refused"
    assert text == (
        f'error: "{tmp_path}" is not in a git repository\n'
        "safe:  nothing was changed\n"
        "next:  cd into a clone, or use stackr -C DIR\n"
    )
