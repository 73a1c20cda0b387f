"""The value of every setting and where it comes from (docs/reference/configuration.md).

flag > environment > ``.stackr.toml`` in the repository > the user's own file > git config > default. The repository's
file is written by others: keys that name a command, a host, a token or a path are ignored there, with a warning.
Which settings exist is in ``stackr.settings``. Nothing here runs git or looks at the environment by itself.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from stackr.core.model import Style
from stackr.errors import ConfigError
from stackr.records import dataclass
from stackr.settings import BY_NAME, BY_SQUASHED, SETTINGS, BadValue, Setting, Value, is_forbidden_in_repo, squash

REPO_FILE_NAME = ".stackr.toml"
# Environment variables that begin with STACKR_ and are no settings.
NOT_SETTINGS = frozenset({"STACKR_TOKEN"})
# What stackr itself notes in git's configuration: the login behind a token (docs/internals/protocol.md 1.2).
OWN_NOTES = frozenset({"login"})
_LARGEST_FILE_BYTES = 1_000_000
_NOT_UTF8 = "it is not UTF-8"


@dataclass(frozen=True, slots=True)
class Found:
    """One value and the words that tell where it stands."""

    value: Value
    origin: str


@dataclass(frozen=True, slots=True)
class Config:
    """All settings. ``warnings`` are sentences about what was ignored."""

    found: Mapping[str, Found] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def value(self, name: str) -> Value:
        """The value of a setting; a ``KeyError`` if there is no such setting."""
        setting = BY_NAME[name]
        return self.found[name].value if name in self.found else setting.default

    def origin(self, name: str) -> str:
        """Where the value of a setting stands: ``"flag --style"``, ``".stackr.toml, line 3"``, ``"default"``."""
        return self.found[name].origin if name in self.found else "default"

    @property
    def trunk(self) -> str | None:
        """The branch that stacks land on, if one is named."""
        return self._text("trunk")

    @property
    def remote(self) -> str | None:
        """The git remote, if one is named."""
        return self._text("remote")

    @property
    def user(self) -> str | None:
        """The name in head branches, if one is named."""
        return self._text("user")

    @property
    def branch_template(self) -> str:
        """The template of head branches, for ``core.identity.head_ref``: ``{user}`` and ``{id}`` are left in it."""
        return str(self.value("branch_template")).replace("{prefix}", str(self.value("branch_prefix")))

    @property
    def style(self) -> Style:
        """How a changed change is pushed."""
        return Style(self.value("style"))

    @property
    def draft(self) -> bool:
        """Whether new pull requests are drafts."""
        return bool(self.value("draft"))

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Whom to ask for a review of every new pull request."""
        return tuple(self.value("reviewers"))

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels for every new pull request."""
        return tuple(self.value("labels"))

    @property
    def method(self) -> str | None:
        """How changes land, if it is named."""
        return self._text("method")

    @property
    def native(self) -> bool:
        """Whether GitHub's native stacks are used where enabled."""
        return bool(self.value("native") == "auto")

    @property
    def sev_label(self) -> str:
        """The label of issues that tell of broken infrastructure."""
        return str(self.value("sev_label"))

    @property
    def ci(self) -> Mapping[str, Any]:
        """Rules for the classes of CI failures."""
        rules: Mapping[str, Any] = self.value("ci")
        return rules

    def _text(self, name: str) -> str | None:
        value = self.value(name)
        return None if value is None else str(value)


def load(
    flags: Mapping[str, Value],
    env: Mapping[str, str],
    repo_text: str | None,
    user_file: Path | None,
    git_config: Mapping[str, str],
) -> Config:
    """Gather every setting from its strongest source; raises ``ConfigError`` for the first that is wrong.

    ``flags`` maps setting names to values (``None`` or empty: not given); ``repo_text`` is what ``.stackr.toml`` says
    (``None``: there is none), and the user's file may be missing. ``git_config`` maps keys as ``git config --list``
    writes them.
    """
    warnings: list[str] = []
    sources = (
        _from_git(git_config),
        _from_user_file(user_file, env),
        _from_repo_file(repo_text, warnings),
        _from_environment(env),
        _from_flags(flags),
    )
    found: dict[str, Found] = {}
    for source in sources:
        found.update(source)
    return Config(found, tuple(warnings))


def load_anywhere(env: Mapping[str, str]) -> Config:
    """The settings that hold without a repository."""
    return load({}, env, None, user_file(env), {})


def read_repo_file(work_tree: Path | None) -> str | None:
    """What ``.stackr.toml`` at the top of a work tree says; ``None`` if there is none."""
    return _read(work_tree / REPO_FILE_NAME, REPO_FILE_NAME) if work_tree else None


def decode_repo_file(content: bytes | None) -> str | None:
    """The same for the bytes of a ``.stackr.toml`` that was committed."""
    if content is None:
        return None
    if len(content) > _LARGEST_FILE_BYTES:
        raise _no_settings(REPO_FILE_NAME)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise _unreadable(REPO_FILE_NAME, _NOT_UTF8) from problem


def user_file(env: Mapping[str, str]) -> Path | None:
    """The user's own file (XDG Base Directory Specification); ``None`` without a home."""
    base = env.get("XDG_CONFIG_HOME", "")
    if Path(base).is_absolute():
        return Path(base) / "stackr" / "config.toml"
    home = env.get("HOME") or env.get("USERPROFILE") or ""
    return Path(home) / ".config" / "stackr" / "config.toml" if home else None


def _from_flags(flags: Mapping[str, Value]) -> dict[str, Found]:
    found = {}
    for name, raw in flags.items():
        if raw is None or raw == ():
            continue
        option = "--" + name.removesuffix("s").replace("_", "-") if isinstance(raw, tuple) else f"--{name}"
        found[name] = Found(_convert(BY_NAME[name], raw, f"flag {option}"), f"flag {option}")
    return found


def _from_environment(env: Mapping[str, str]) -> dict[str, Found]:
    found = {}
    for variable in sorted(env):
        if not variable.startswith("STACKR_") or variable in NOT_SETTINGS or variable.startswith("STACKR_INTERNAL_"):
            continue
        setting = BY_NAME.get(variable.removeprefix("STACKR_").lower())
        if setting is None:
            known = [each.environment for each in SETTINGS if each.is_text]
            raise _unknown(variable, known, "the environment", "unset it")
        if env[variable]:
            origin = f"environment {variable}"
            found[setting.name] = Found(_convert(setting, env[variable], origin, textual=True), origin)
    return found


def _from_git(git_config: Mapping[str, str]) -> dict[str, Found]:
    found = {}
    for key, raw in git_config.items():
        section, _, name = key.partition(".")
        # A name with another dot has a subsection: those are notes, not settings.
        if section.lower() != "stackr" or "." in name or name.lower() in OWN_NOTES:
            continue
        setting = BY_SQUASHED.get(squash(name))
        if setting is None:
            known = [each.git_key for each in SETTINGS if each.is_text]
            raise _unknown(key, known, "git config", f"git config --unset {key}")
        origin = f"git config {setting.git_key}"
        found[setting.name] = Found(_convert(setting, raw, origin, textual=True), origin)
    return found


def _from_user_file(path: Path | None, env: Mapping[str, str]) -> dict[str, Found]:
    name = _display(path, env)
    text = _read(path, name) if path is not None else None
    return {} if text is None else dict(_entries(_parse(text, name), text, name))


def _from_repo_file(text: str | None, warnings: list[str]) -> dict[str, Found]:
    if text is None:
        return {}
    content = _without_forbidden(_parse(text, REPO_FILE_NAME), REPO_FILE_NAME, warnings)
    return dict(_entries(content, text, REPO_FILE_NAME))


def _parse(text: str, name: str) -> dict[str, object]:
    import tomli  # most repositories have no file of ours, and then nobody waits for it

    try:
        return tomli.loads(text)
    except (tomli.TOMLDecodeError, RecursionError) as problem:
        raise ConfigError(f'"{name}" is not valid TOML ({problem})', next_step=f"mend {name}") from problem


def _entries(content: Mapping[str, object], text: str, file_name: str) -> Iterable[tuple[str, Found]]:
    for key, raw in content.items():
        origin = f"{file_name}{_line_of(key, text)}"
        if key not in BY_NAME:
            raise _unknown(key, list(BY_NAME), origin, f"mend {file_name}")
        yield key, Found(_convert(BY_NAME[key], raw, origin), origin)


def _without_forbidden(content: Mapping[str, object], name: str, warnings: list[str]) -> dict[str, object]:
    """The repository's file without the keys that only the user may set; each is named."""
    ignored = [key for key in content if is_forbidden_in_repo(key)]
    warnings += [
        f'"{key}" in {name} is ignored: a file that others write must not name a command, a host, a token or a path'
        for key in ignored
    ]
    return {key: value for key, value in content.items() if key not in ignored}


def _read(path: Path, name: str) -> str | None:
    """The text of a file, ``None`` if there is none. Nothing but a regular file of sane size is opened: a repository
    could hold a link to a device.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE_BYTES:
            raise _no_settings(name)
        return path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else _NOT_UTF8
        raise _unreadable(name, reason) from problem


def _no_settings(name: str) -> ConfigError:
    return ConfigError(f'"{name}" is not a file of settings', next_step=f"remove or replace {name}")


def _unreadable(name: str, reason: str | None) -> ConfigError:
    return ConfigError(f'cannot read "{name}" ({reason})', next_step=f"mend {name}")


def _convert(setting: Setting, raw: Value, origin: str, *, textual: bool = False) -> Value:
    try:
        return setting.parse(raw) if textual else setting.accept(raw)
    except BadValue as problem:
        shown = f', not "{raw}"' if isinstance(raw, (str, bool, int, float)) else ""
        where = f" ({origin})" if setting.name not in origin else f" in {origin}"
        raise ConfigError(
            f'"{setting.name}" {problem}{shown}{where}', next_step="stackr config shows every setting"
        ) from problem


def _unknown(key: str, known: list[str], origin: str, otherwise: str) -> ConfigError:
    import difflib

    guesses = difflib.get_close_matches(key, known, n=1, cutoff=0.0)
    return ConfigError(
        f'unknown setting "{key}" in {origin}', next_step=f'did you mean "{guesses[0]}"? else {otherwise}'
    )


def _line_of(key: str, text: str) -> str:
    """``", line N"`` for the line that sets a key or opens its table; ``""`` where it cannot be told."""
    pattern = re.compile(rf"^\s*\[*\s*[\"']?{re.escape(key)}[\"']?\s*[=.\]]", re.MULTILINE)
    match = pattern.search(text)
    return f", line {text.count(chr(10), 0, match.end()) + 1}" if match else ""


def _display(path: Path | None, env: Mapping[str, str]) -> str:
    home = env.get("HOME", "")
    text = str(path)
    return "~" + text[len(home) :] if len(home) > 1 and text.startswith(home + "/") else text
