"""Git configuration as one snapshot with the origin of every value, and the one way to change it.

One ``git config --list`` costs as much as GitPython's reader and, unlike it, knows ``includeIf "hasconfig:"``,
``git -c``, ``GIT_CONFIG_COUNT`` and the configuration of worktrees. What stackr's own keys mean is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterator

from stackr.errors import ConfigError
from stackr.records import dataclass
from stackr.repo.run import Runner
from stackr.repo.text import decode_name

_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off", ""})


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of configuration. ``value`` is ``None`` for a key without ``=`` (git reads it as true)."""

    key: str
    value: str | None
    scope: str
    origin: str


class GitConfig:
    """All configuration that applies, in git's order: what comes later wins.

    Keys are compared as git does it: section and last part without case, the middle part with case.
    """

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries
        self._by_key: dict[str, list[Entry]] = {}
        for entry in entries:
            self._by_key.setdefault(entry.key, []).append(entry)

    def get(self, key: str, default: str | None = None) -> str | None:
        """The value that counts; ``""`` for a key without a value."""
        entry = self.entry(key)
        return default if entry is None else entry.value or ""

    def get_all(self, key: str) -> tuple[str, ...]:
        """Every value, in git's order."""
        return tuple(entry.value or "" for entry in self._by_key.get(normal(key), ()))

    def get_bool(self, key: str, default: bool = False) -> bool:
        """The value as git reads a boolean; raises ``ConfigError`` for anything else."""
        entry = self.entry(key)
        if entry is None:
            return default
        text = "true" if entry.value is None else entry.value.lower()
        if text in _TRUE or text in _FALSE:
            return text in _TRUE
        try:
            return int(text) != 0
        except ValueError:
            raise ConfigError(
                f'"{entry.value}" is no boolean: {entry.key} in {entry.origin}', next_step=f"git config {key} true"
            ) from None

    def entry(self, key: str) -> Entry | None:
        """The entry that counts, with its scope and origin."""
        entries = self._by_key.get(normal(key))
        return entries[-1] if entries else None

    def origin(self, key: str) -> str | None:
        """Where the value that counts stands, for people: ``local (.git/config)``."""
        entry = self.entry(key)
        return None if entry is None else f"{entry.scope} ({entry.origin.removeprefix('file:')})"

    def subsections(self, section: str, variable: str) -> dict[str, tuple[str, ...]]:
        """Values of ``section.<name>.variable`` by name, names in order of appearance."""
        found: dict[str, tuple[str, ...]] = {}
        for entry in self.entries:
            first, name, last = split(entry.key)
            if first == section and last == variable and name is not None:
                found[name] = (*found.get(name, ()), entry.value or "")
        return found


def split(key: str) -> tuple[str, str | None, str]:
    """Section, subsection (``None``: there is none) and variable of a key."""
    first, _, rest = key.partition(".")
    middle, dot, last = rest.rpartition(".")
    return first.lower(), middle if dot else None, last.lower()


def normal(key: str) -> str:
    """A key as ``git config --list`` prints it."""
    first, middle, last = split(key)
    return f"{first}.{last}" if middle is None else f"{first}.{middle}.{last}"


def read(runner: Runner) -> GitConfig:
    """Read everything that applies here; one process. Raises ``ConfigError`` for a broken file."""
    fields = runner.git("config", "--list", "-z", "--show-scope", "--show-origin").split(b"\0")
    return GitConfig(tuple(_entries([decode_name(field) for field in fields])))


def _entries(fields: list[str]) -> Iterator[Entry]:
    for at in range(0, len(fields) - 2, 3):
        scope, origin, line = fields[at : at + 3]
        key, newline, value = line.partition("\n")
        yield Entry(key, value if newline else None, scope, origin)


def write(runner: Runner, key: str, value: str | None) -> None:
    """Set a key of this repository (shared by its worktrees), or remove it for ``None``; one process."""
    if value is None:
        runner.git("config", "--local", "--unset-all", key, ok=(0, 5))  # 5: it was not set
    else:
        runner.git("config", "--local", "--replace-all", key, value)
