"""Which settings exist: their names, types, defaults and choices, and what a value must look like.

One table, from which files, environment, git config and ``stackr config`` are all read. Where values come from and
which source wins is ``stackr.config``'s business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from stackr.patterns import pattern
from stackr.records import dataclass

# What an error says is expected.
TEXT, FLAG, LIST, TABLE = "a string", "true or false", "a list of strings", "a table"

Value = Any
"""A ``str``, ``bool``, ``tuple[str, ...]`` or mapping, as the type of the setting says; ``None`` is "not set"."""


class BadValue(ValueError):
    """The value does not fit the setting; the message ends a sentence that names it: ``style must be …``."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. ``trusted_only``: ignored in the repository's own file, which is written by others.

    ``keys`` are those of a table; the value of each is a list of strings.
    """

    name: str
    type: str
    default: Value
    help: str
    choices: tuple[str, ...] = ()
    trusted_only: bool = False
    check: Callable[[str], None] | None = None
    keys: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether a source that has only text (environment, git config) can set it."""
        return self.type != TABLE

    @property
    def environment(self) -> str:
        """The environment variable."""
        return f"STACKR_{self.name.upper()}"

    @property
    def git_key(self) -> str:
        """The key in git's configuration, in camel case as git writes its own."""
        first, *rest = self.name.split("_")
        return "stackr." + first + "".join(word.capitalize() for word in rest)

    def accept(self, raw: object) -> Value:
        """The value of a typed source (TOML, a flag), checked; raises ``BadValue``."""
        if self.type == LIST:
            if not isinstance(raw, (list, tuple)) or not all(isinstance(item, str) for item in raw):
                raise BadValue(f"must be {LIST}")
            return tuple(self._checked(item) for item in raw)
        expected: type = {TEXT: str, FLAG: bool, TABLE: Mapping}[self.type]
        if not isinstance(raw, expected):
            raise BadValue(f"must be {self.type}")
        if isinstance(raw, Mapping):
            self._check_keys(raw)
        return self._checked(raw) if isinstance(raw, str) else raw

    def parse(self, raw: str) -> Value:
        """The value of a source that has only text (environment, git config); raises ``BadValue``."""
        if self.type == FLAG:
            return parse_flag(raw)
        if self.type == LIST:
            return self.accept([item for item in re.split(r"[,\s]*,[,\s]*|\n", raw.strip()) if item])
        if not self.is_text:
            raise BadValue("can only stand in a configuration file")
        return self.accept(raw)

    def _check_keys(self, table: Mapping[str, object]) -> None:
        import difflib

        for key, value in table.items():
            if key not in self.keys:
                nearest = difflib.get_close_matches(key, self.keys, n=1, cutoff=0.0)[0]
                raise BadValue(f'has an unknown key "{key}"; did you mean "{nearest}"?')
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise BadValue(f'must hold {LIST} as "{key}"')

    def _checked(self, text: str) -> str:
        if not text or not text.isprintable() or text != text.strip():
            raise BadValue("must not be empty or hold control characters or outer spaces")
        if self.choices and text not in self.choices:
            raise BadValue(f"must be one of {', '.join(self.choices)}")
        if self.check is not None:
            self.check(text)
        return text


def parse_flag(raw: str) -> bool:
    """A boolean as git-config(1) writes it; raises ``BadValue``."""
    word = raw.strip().lower()
    if word in ("true", "yes", "on", "1"):
        return True
    if word in ("false", "no", "off", "0", ""):
        return False
    raise BadValue(f"must be {FLAG}")


# git-check-ref-format(1), and no leading dash: these names reach git's command line.
_BAD_BRANCH = pattern(r"^[-/.]|[/.]$|\.lock$|\.\.|//|/\.|\.lock/|@\{|^@$|[\x00-\x20\x7f~^:?*\[\\]")


def check_branch(name: str) -> None:
    """Refuse what cannot be a branch name."""
    if _BAD_BRANCH.search(name):
        raise BadValue("must be a branch name")


def check_template(template: str) -> None:
    """Refuse a template without {id}, with unknown fields, or whose branches could not exist."""
    if template.count("{id}") != 1:
        raise BadValue("must hold {id} exactly once")
    filled = re.sub(r"\{(?:prefix|user|id)\}", "x", template)
    if "{" in filled or "}" in filled:
        raise BadValue("can only hold the fields {prefix}, {user} and {id}")
    check_branch(filled)


def check_person(name: str) -> None:
    """Refuse what is no login, and no team as org/team."""
    if not re.fullmatch(r"@?[A-Za-z0-9](?:[\w-]*)(?:\[bot\])?(?:/[\w.-]+)?", name):
        raise BadValue("must hold logins, or teams as org/team")


SETTINGS: tuple[Setting, ...] = (
    Setting("trunk", TEXT, None, "The branch that stacks land on; without it, the remote's HEAD.", check=check_branch),
    Setting(
        "remote", TEXT, None, "The git remote to push to; without it, git's own choice.", (), True, check=check_branch
    ),
    Setting(
        "user", TEXT, None, "Your name in head branches; without it, your login.", trusted_only=True, check=check_branch
    ),
    Setting("branch_prefix", TEXT, "stackr", "What head branches begin with.", check=check_branch),
    Setting(
        "branch_template",
        TEXT,
        "{prefix}/{user}/{id}",
        "How head branches are named; {id} stands for the change.",
        check=check_template,
    ),
    Setting(
        "style",
        TEXT,
        "append",
        "How an update is pushed: append adds a commit and never forces; rewrite pushes the local commit, leased.",
        ("append", "rewrite"),
    ),
    Setting("draft", FLAG, False, "Create pull requests as drafts."),
    Setting("reviewers", LIST, (), "Whom to ask for a review of every new pull request.", check=check_person),
    Setting("labels", LIST, (), "Labels for every new pull request."),
    Setting(
        "method",
        TEXT,
        None,
        "How changes land; without it, what the repository allows.",
        ("squash", "rebase", "merge", "queue", "auto", "push", "native"),
    ),
    Setting("native", TEXT, "off", "Register stacks with GitHub's own stacks where enabled.", ("auto", "off")),
    Setting("sev_label", TEXT, "ci: sev", "The label of issues that tell of broken infrastructure."),
    Setting("ci", TABLE, {}, "Rules for the classes of CI failures.", keys=("unstable", "flaky", "infra")),
)

BY_NAME: dict[str, Setting] = {setting.name: setting for setting in SETTINGS}


def squash(name: str) -> str:
    """A key as it is compared across spellings: ``branch-Template`` and ``branchtemplate`` are the same."""
    return re.sub(r"[-_.\s]", "", name).lower()


BY_SQUASHED: dict[str, Setting] = {squash(setting.name): setting for setting in SETTINGS}

# Parts of a key that would name a command, a host, a secret, a path or a person. ghstack runs what a repository's own
# file names; a clone must not be able to do that (docs/internals/protocol.md, "What is trusted").
FORBIDDEN_IN_REPO = pattern(
    r"remote|user|login|host|url|uri|api|endpoint|server|proxy|domain|token|secret|passw|credential|auth|key|cert"
    r"|command|cmd|exec|run|shell|script|hook|program|helper|editor|pager|browser|askpass|ssh|gpg|alias"
    r"|path|dir|file|home|root|include|plugin"
)


def is_forbidden_in_repo(key: str) -> bool:
    """Whether a key must be ignored in the repository's file, however it is spelt and whether or not it exists."""
    setting = BY_SQUASHED.get(squash(key))
    return setting.trusted_only if setting else bool(FORBIDDEN_IN_REPO.search(squash(key)))
