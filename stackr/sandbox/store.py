"""All rows in memory, written through to one SQLite file; nothing here knows a rule of GitHub.

Reads never touch SQLite: a table is a dictionary with a few indexes, so a query with a hundred aliases
costs microseconds each. Writes are collected and committed in one SQLite transaction when the outermost
``Engine.transaction`` ends. WAL with ``synchronous=NORMAL`` survives a killed process at any moment
(https://www.sqlite.org/wal.html); only a power cut may lose the last commits, never their consistency.
"""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import types
import typing
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar

from stackr.sandbox import model

R = TypeVar("R", bound=model.Row)


class Table(Generic[R]):
    """The rows of one kind, in insertion order."""

    def __init__(self, kind: type[R], touched: Callable[[Table[Any], int], None]) -> None:
        self.kind = kind
        self.name = kind.__name__
        self.rows: dict[int, R] = {}
        self._last = 0
        self._touched = touched
        self._indexes: dict[tuple[str, ...], dict[tuple[Any, ...], list[R]]] = {i: {} for i in kind.INDEXES}

    def get(self, row_id: int | None) -> R | None:
        """The row with this id, if any."""
        return None if row_id is None else self.rows.get(row_id)

    def need(self, row_id: int) -> R:
        """The row with this id; KeyError without one, which would be a bug of the sandbox."""
        return self.rows[row_id]

    def all(self) -> list[R]:
        """Every row, in insertion order."""
        return list(self.rows.values())

    def by(self, **values: Any) -> list[R]:
        """The rows with these values; the names must be one of the kind's INDEXES, in its order."""
        return list(self._indexes[tuple(values)].get(tuple(values.values()), ()))

    def one(self, **values: Any) -> R | None:
        """The first row that ``by`` finds."""
        found = self._indexes[tuple(values)].get(tuple(values.values()))
        return found[0] if found else None

    def add(self, row: R) -> R:
        """Give the row the next id and keep it."""
        row.id = self._last + 1
        self.load(row)
        self._touched(self, row.id)
        return row

    def save(self, row: R) -> R:
        """Write a changed row at the end of the transaction."""
        self._touched(self, row.id)
        return row

    def delete(self, row: R) -> None:
        """Forget a row; its id is not used again."""
        del self.rows[row.id]
        for names, index in self._indexes.items():
            index[tuple(getattr(row, name) for name in names)].remove(row)
        self._touched(self, row.id)

    def load(self, row: R) -> None:
        """Index a row that has its id already."""
        self._last = max(self._last, row.id)
        self.rows[row.id] = row
        for names, index in self._indexes.items():
            index.setdefault(tuple(getattr(row, name) for name in names), []).append(row)

    def reserve(self, last: int) -> None:
        """Never give out an id up to ``last``, though its row may be deleted."""
        self._last = max(self._last, last)


class Store:
    """The tables, and the SQLite file behind them."""

    def __init__(self, path: Path) -> None:
        self._dirty: dict[tuple[str, int], Table[Any]] = {}
        self.users = self._table(model.User)
        self.tokens = self._table(model.Token)
        self.repositories = self._table(model.Repository)
        self.permissions = self._table(model.Permission)
        self.issues = self._table(model.Issue)
        self.pulls = self._table(model.PullRequest)
        self.milestones = self._table(model.Milestone)
        self.labels = self._table(model.Label)
        self.comments = self._table(model.Comment)
        self.reviews = self._table(model.Review)
        self.events = self._table(model.Event)
        self.edits = self._table(model.Edit)
        self.statuses = self._table(model.Status)
        self.check_suites = self._table(model.CheckSuite)
        self.check_runs = self._table(model.CheckRun)
        self.rulesets = self._table(model.Ruleset)
        self.native_stacks = self._table(model.NativeStack)
        self.async_merges = self._table(model.AsyncMerge)
        self.queue_entries = self._table(model.QueueEntry)
        path.parent.mkdir(parents=True, exist_ok=True)
        # The caller's lock keeps threads apart, so one connection may serve them all.
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute("BEGIN")  # one transaction; nineteen would be most of a sandbox's start
        for table in self.tables():
            self._open(table)
        self._db.execute("COMMIT")

    def _table(self, kind: type[R]) -> Table[R]:
        return Table(kind, self._touch)

    def _touch(self, table: Table[Any], row_id: int) -> None:
        self._dirty[table.name, row_id] = table

    def tables(self) -> list[Table[Any]]:
        """Every table."""
        return [value for value in vars(self).values() if isinstance(value, Table)]

    def commit(self) -> None:
        """Write everything that changed since the last commit, all or nothing."""
        if not self._dirty:
            return
        self._db.execute("BEGIN IMMEDIATE")
        try:
            for (_, row_id), table in self._dirty.items():
                self._write(table, row_id)
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        self._dirty.clear()

    def close(self) -> None:
        """Commit and close the file."""
        self.commit()
        self._db.close()

    def _write(self, table: Table[Any], row_id: int) -> None:
        row = table.rows.get(row_id)
        if row is None:
            # Deleted rows stay as ids without data: an id is never given out twice.
            self._db.execute(f'INSERT OR REPLACE INTO "{table.name}" (id) VALUES (?)', (row_id,))  # noqa: S608
            return
        names = [f.name for f in dataclasses.fields(row)]
        marks = ", ".join("?" * len(names))
        columns = ", ".join(f'"{name}"' for name in names)
        values = [_encode(getattr(row, name)) for name in names]
        self._db.execute(f'INSERT OR REPLACE INTO "{table.name}" ({columns}) VALUES ({marks})', values)  # noqa: S608

    def _open(self, table: Table[Any]) -> None:
        fields = {f.name: hint for f, hint in _hints(table.kind)}
        columns = ", ".join(f'"{name}"' for name in fields if name != "id")
        self._db.execute(f'CREATE TABLE IF NOT EXISTS "{table.name}" (id INTEGER PRIMARY KEY, {columns})')
        known = [row[1] for row in self._db.execute(f'PRAGMA table_info("{table.name}")')]
        for name in fields:
            if name not in known:  # a sandbox directory from an older version
                self._db.execute(f'ALTER TABLE "{table.name}" ADD COLUMN "{name}"')
        present = [name for name in known if name in fields]
        for values in self._db.execute(f'SELECT {_quoted(present)} FROM "{table.name}" ORDER BY id'):  # noqa: S608
            self._load(table, fields, dict(zip(present, values, strict=True)))

    @staticmethod
    def _load(table: Table[Any], fields: dict[str, Any], values: dict[str, Any]) -> None:
        table.reserve(values["id"])
        if all(value is None for name, value in values.items() if name != "id"):
            return
        table.load(table.kind(**{name: _decode(fields[name], value) for name, value in values.items()}))


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


_fields_of: dict[type[model.Row], list[tuple[dataclasses.Field[Any], Any]]] = {}


def _hints(kind: type[model.Row]) -> list[tuple[dataclasses.Field[Any], Any]]:
    """Fields and their types; kept, since working out the types takes as long as opening a table."""
    if kind not in _fields_of:
        hints = typing.get_type_hints(kind)
        _fields_of[kind] = [(f, hints[f.name]) for f in dataclasses.fields(kind)]
    return _fields_of[kind]


def _encode(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _decode(hint: Any, value: Any) -> Any:
    """Give a column's value back its Python type: SQLite knows neither booleans nor lists."""
    if value is None:
        return None
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    if bool in options:
        return bool(value)
    if any(typing.get_origin(option) in (list, dict) for option in options):
        return json.loads(value)
    return value
