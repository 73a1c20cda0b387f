"""Where each setting comes from, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackr import config, settings
from stackr.config import Config, load, read_repo_file
from stackr.core.model import Style
from stackr.errors import ConfigError


def read(
    tmp_path: Path,
    *,
    flags: dict[str, object] | None = None,
    env: dict[str, str] | None = None,
    repo: str | bytes | None = None,
    user: str | None = None,
    git: dict[str, str] | None = None,
) -> Config:
    for name, text in ((".stackr.toml", repo), ("config.toml", user)):
        if text is not None:
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    environment = {"HOME": str(tmp_path), **(env or {})}
    return load(flags or {}, environment, read_repo_file(tmp_path), tmp_path / "config.toml", git or {})


def refused(tmp_path: Path, **sources: object) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, **sources)  # type: ignore[arg-type]
    return caught.value


def test_without_any_source_every_setting_has_its_default(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert {setting.name: found.origin(setting.name) for setting in settings.SETTINGS} == dict.fromkeys(
        settings.BY_NAME, "default"
    )
    assert (found.trunk, found.remote, found.user, found.method) == (None, None, None, None)
    assert found.style is Style.APPEND
    assert (found.draft, found.native, found.reviewers, found.labels, dict(found.ci)) == (False, False, (), (), {})
    assert found.branch_template == "stackr/{user}/{id}"
    assert found.sev_label == "ci: sev"
    assert found.warnings == ()


def test_the_strongest_source_wins_and_is_named(tmp_path: Path) -> None:
    sources: dict[str, object] = {"git": {"stackr.style": "rewrite"}}
    seen = [read(tmp_path, **sources).origin("style")]  # type: ignore[arg-type]
    for name, value in (
        ("user", 'style = "append"\n'),
        ("repo", '# a team\n\nstyle = "rewrite"\n'),
        ("env", {"STACKR_STYLE": "append"}),
        ("flags", {"style": "rewrite"}),
    ):
        sources[name] = value
        seen.append(read(tmp_path, **sources).origin("style"))  # type: ignore[arg-type]
    assert seen == [
        "git config stackr.style",
        "~/config.toml, line 1",
        ".stackr.toml, line 3",
        "environment STACKR_STYLE",
        "flag --style",
    ]


def test_every_source_can_set_lists_and_flags(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        git={"stackr.branchprefix": "pr", "stackr.draft": "yes"},
        env={"STACKR_REVIEWERS": "alice, acme/core\nbob"},
        user='labels = ["a label", "x"]\n',
        repo='[ci]\nflaky = ["tests / *"]\n',
    )
    assert found.branch_template == "pr/{user}/{id}"
    assert found.draft is True
    assert found.reviewers == ("alice", "acme/core", "bob")
    assert found.labels == ("a label", "x")
    assert found.ci == {"flaky": ["tests / *"]}
    assert found.origin("ci") == ".stackr.toml, line 1"


def test_a_flag_given_without_value_or_not_at_all_says_nothing(tmp_path: Path) -> None:
    found = read(tmp_path, flags={"style": None, "reviewers": (), "labels": ("x",)}, user='style = "rewrite"\n')
    assert found.style is Style.REWRITE
    assert found.origin("labels") == "flag --label"


def test_an_unknown_key_names_the_file_the_line_and_the_nearest_key(tmp_path: Path) -> None:
    problem = refused(tmp_path, repo='trunk = "main"\n\nstlye = "append"\n')
    assert (problem.exit_code, problem.message) == (7, 'unknown setting "stlye" in .stackr.toml, line 3')
    assert problem.next_step == 'did you mean "style"? else mend .stackr.toml'


def test_an_unknown_key_in_git_config_and_environment_is_named_too(tmp_path: Path) -> None:
    assert refused(tmp_path, git={"stackr.brachprefix": "x"}).next_step == (
        'did you mean "stackr.branchPrefix"? else git config --unset stackr.brachprefix'
    )
    problem = refused(tmp_path, env={"STACKR_STYL": "x"})
    assert problem.message == 'unknown setting "STACKR_STYL" in the environment'
    assert problem.next_step == 'did you mean "STACKR_STYLE"? else unset it'
    # A table can only stand in a file.
    assert "STACKR_CI" not in refused(tmp_path, env={"STACKR_C": "x"}).next_step
    assert "stackr.ci" not in refused(tmp_path, git={"stackr.c": "x"}).next_step


def test_our_own_notes_in_git_config_and_the_token_are_no_settings(tmp_path: Path) -> None:
    git = {"stackr.login": "alice", "stackr.https://github.com.login": "alice", "core.editor": "vi"}
    env = {"STACKR_TOKEN": "t0ken", "STACKR_INTERNAL_X": "1", "STACKR_TRUNK": ""}
    assert read(tmp_path, git=git, env=env).found == {}


@pytest.mark.parametrize(
    "key",
    [
        "remote",
        "user",
        "api_url",
        "apiUrl",
        "API-URL",
        "token",
        "credential_command",
        "editor",
        "gh_path",
        "host",
        "ReMote",
    ],
)
def test_the_repository_cannot_name_a_command_host_token_or_path(tmp_path: Path, key: str) -> None:
    found = read(tmp_path, repo=f'{key} = "https://evil.example"\ntrunk = "dev"\n')
    assert found.trunk == "dev"
    assert found.origin("remote") == found.origin("user") == "default"
    assert found.warnings == (
        f'"{key}" in .stackr.toml is ignored: a file that others write must not name a command, a host, '
        "a token or a path",
    )


def test_forbidden_tables_in_the_repository_are_ignored_whole(tmp_path: Path) -> None:
    found = read(tmp_path, repo='[hooks]\npre_push = "rm -rf /"\n')
    assert found.found == {}
    assert "hooks" in found.warnings[0]


def test_the_user_may_name_a_remote(tmp_path: Path) -> None:
    found = read(tmp_path, user='remote = "fork"\nuser = "me"\n')
    assert (found.remote, found.user, found.warnings) == ("fork", "me", ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("style = 3\n", '"style" must be a string, not "3" (.stackr.toml, line 1)'),
        ('style = "squash"\n', '"style" must be one of append, rewrite, not "squash" (.stackr.toml, line 1)'),
        ('draft = "yes"\n', '"draft" must be true or false, not "yes" (.stackr.toml, line 1)'),
        ('reviewers = "alice"\n', '"reviewers" must be a list of strings, not "alice" (.stackr.toml, line 1)'),
        ('reviewers = ["--force"]\n', '"reviewers" must hold logins, or teams as org/team (.stackr.toml, line 1)'),
        ("labels = [1]\n", '"labels" must be a list of strings (.stackr.toml, line 1)'),
        ('trunk = "--upload-pack=x"\n', '"trunk" must be a branch name, not "--upload-pack=x" (.stackr.toml, line 1)'),
        (
            'trunk = ""\n',
            '"trunk" must not be empty or hold control characters or outer spaces, not "" (.stackr.toml, line 1)',
        ),
        ('ci = "x"\n', '"ci" must be a table, not "x" (.stackr.toml, line 1)'),
        (
            '[ci]\nunstabel = ["x"]\n',
            '"ci" has an unknown key "unstabel"; did you mean "unstable"? (.stackr.toml, line 1)',
        ),
        ('[ci]\nflaky = "x"\n', '"ci" must hold a list of strings as "flaky" (.stackr.toml, line 1)'),
        ("[ci]\ninfra = [1]\n", '"ci" must hold a list of strings as "infra" (.stackr.toml, line 1)'),
        (
            'branch_template = "x/{user}"\n',
            '"branch_template" must hold {id} exactly once, not "x/{user}" (.stackr.toml, line 1)',
        ),
        (
            'branch_template = "{user.__class__}/{id}"\n',
            '"branch_template" can only hold the fields {prefix}, {user} and {id}, '
            'not "{user.__class__}/{id}" (.stackr.toml, line 1)',
        ),
        (
            'branch_template = "a..b/{id}"\n',
            '"branch_template" must be a branch name, not "a..b/{id}" (.stackr.toml, line 1)',
        ),
    ],
)
def test_a_wrong_value_is_named_with_what_was_expected(tmp_path: Path, text: str, message: str) -> None:
    problem = refused(tmp_path, repo=text)
    assert (problem.exit_code, problem.message) == (7, message)


def test_a_wrong_value_of_the_environment_names_the_variable(tmp_path: Path) -> None:
    assert refused(tmp_path, env={"STACKR_DRAFT": "perhaps"}).message == (
        '"draft" must be true or false, not "perhaps" (environment STACKR_DRAFT)'
    )
    assert "can only stand in a configuration file" in refused(tmp_path, env={"STACKR_CI": "x"}).message
    assert read(tmp_path, env={"STACKR_DRAFT": "off"}).draft is False


def test_bad_toml_and_other_unreadable_files_are_configuration_errors(tmp_path: Path) -> None:
    assert refused(tmp_path, repo="trunk = \n").message.startswith('".stackr.toml" is not valid TOML (')
    assert refused(tmp_path, repo=b'trunk = "\xff"\n').message == 'cannot read ".stackr.toml" (it is not UTF-8)'
    assert refused(tmp_path, repo="a = " + "[" * 50_000).exit_code == 7
    assert refused(tmp_path, repo="#" * 1_000_001).message == '".stackr.toml" is not a file of settings'


def test_a_committed_file_is_read_like_one_on_disk() -> None:
    assert config.decode_repo_file(None) is None
    assert config.decode_repo_file(b'\xef\xbb\xbftrunk = "main"') == 'trunk = "main"'
    for content, message in (
        (b"\xff", 'cannot read ".stackr.toml" (it is not UTF-8)'),
        (b"#" * 1_000_001, '".stackr.toml" is not a file of settings'),
    ):
        with pytest.raises(ConfigError) as caught:
            config.decode_repo_file(content)
        assert caught.value.message == message


def test_a_link_to_a_device_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / ".stackr.toml").symlink_to("/dev/zero")
    assert refused(tmp_path).message == '".stackr.toml" is not a file of settings'


def test_a_file_that_may_not_be_read_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".stackr.toml").write_text("")

    def deny(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", deny)
    assert refused(tmp_path).message == 'cannot read ".stackr.toml" (Permission denied)'


def test_the_user_file_follows_xdg_then_home() -> None:
    assert config.user_file({"XDG_CONFIG_HOME": "/c", "HOME": "/h"}) == Path("/c/stackr/config.toml")
    assert config.user_file({"XDG_CONFIG_HOME": "relative", "HOME": "/h"}) == Path("/h/.config/stackr/config.toml")
    assert config.user_file({}) is None
    assert load({}, {}, None, None, {}) == Config()


def test_every_setting_can_be_named_in_git_config_and_environment() -> None:
    for setting in settings.SETTINGS:
        key = setting.git_key.removeprefix("stackr.").lower()
        assert settings.BY_SQUASHED[settings.squash(key)] is setting
        assert setting.environment == "STACKR_" + setting.name.upper()


def test_an_unknown_setting_cannot_be_asked_for() -> None:
    with pytest.raises(KeyError):
        Config().value("stlye")


@given(st.text(max_size=30))
def test_no_branch_name_that_passes_can_look_like_an_option_or_leave_its_folder(name: str) -> None:
    try:
        settings.check_branch(name)
    except settings.BadValue:
        return
    assert not name.startswith(("-", "/", "."))
    assert ".." not in name
