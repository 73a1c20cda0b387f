"""Clones and submitted stacks that many tests begin with: made once a process, then copied to other repositories.

A copy is what git and stackr left where it was made, with the other repository's name: every file of the clone and of
the server's repository, and the sandbox's rows. It takes a tenth of the time of making it. Only an untouched world gets
one: where a test has set up anything that a clone or a submit could notice, both are done for real.
"""

from __future__ import annotations

import copy
import dataclasses
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stackr.sandbox.engine import Settings
from stackr.sandbox.limits import Secondary
from stackr.sandbox.model import Label, Permission, Repository, Row
from tests.support.folders import Folder, read_folder
from tests.support.git import sealed_env

if TYPE_CHECKING:
    from tests.support.world import World

OBJECTS = "objects"
_OF_A_NEW_REPOSITORY = (Label, Permission)
_OWN_FIELDS = ("id", "name", "owner_id", "created_at", "updated_at", "pushed_at")
_PATH = os.environ["PATH"]


@dataclass(frozen=True)
class Template:
    """What a clone and a repository of the server hold; ``rows`` by the name of their table."""

    name: str
    clone: Folder
    bare: Folder
    rows: tuple[tuple[str, Row], ...]


_kept: dict[tuple[object, ...], Template] = {}


def made(world: World, path: Path, key: tuple[object, ...], make: Callable[[], None]) -> None:
    """Let the clone at ``path`` and the world be as ``make`` leaves them; ``key`` tells this from other makings."""
    if not _is_untouched(world):
        make()
        return
    whole = (world.server.url, *key)
    if whole in _kept:
        copy_to(world, path, _kept[whole])
        return
    make()
    _kept[whole] = template_of(world, path)


def _is_untouched(world: World) -> bool:
    """Whether a clone or a submit finds nothing here that it would not find in any new world."""
    engine, repo, home = world.server.engine, world.server.repository(world.name), Path(os.environ["HOME"])
    rules = [*engine.store.rulesets.by(repo_id=repo.id), *engine.store.native_stacks.by(repo_id=repo.id)]
    permissions = [row.level for row in engine.store.permissions.by(repo_id=repo.id)]
    return (
        _settings(repo) == _settings(Repository(owner_id=0, name=""))
        and not rules
        and permissions == ["write"] * 3
        and (engine.settings, engine.limits.secondary) == (Settings(), Secondary())
        and not engine.faults.pending()
        and _is_sealed(home)
        and read_folder(world.bare.path, skip=OBJECTS) == world.begun
    )


def _is_sealed(home: Path) -> bool:
    """Whether git and stackr see the environment of any new test."""
    return os.environ == sealed_env(home) and os.environ["PATH"] == _PATH and not any(home.iterdir())


def _settings(repo: Repository) -> dict[str, object]:
    return {f.name: getattr(repo, f.name) for f in dataclasses.fields(repo) if f.name not in _OWN_FIELDS}


def template_of(world: World, path: Path) -> Template:
    """A world and a clone of it, to be copied."""
    store, repo = world.server.engine.store, world.server.repository(world.name)
    rows = [
        (table.name, copy.deepcopy(row))
        for table in store.tables()
        if table.kind not in _OF_A_NEW_REPOSITORY
        for row in table.all()
        if getattr(row, "repo_id", None) == repo.id
    ]
    return Template(world.name, read_folder(path), read_folder(world.bare.path), tuple(rows))


def copy_to(world: World, path: Path, template: Template) -> None:
    """Let a world that is as new and a clone of it at ``path`` be as the template's."""
    old, new = template.name.encode(), world.name.encode()
    at = b'"at": %d' % time.time()
    template.clone.write(
        path,
        {
            ".git/config": lambda data: data.replace(old + b".git", new + b".git"),
            ".git/stackr/pulls": lambda data: data.replace(old + b"/pull/", new + b"/pull/"),
            ".git/stackr/operations": lambda data: re.sub(rb'"at": \d+', at, data),
        },
    )
    template.bare.write(world.bare.path)
    if template.rows:
        _copy_rows(template, world)


def _copy_rows(template: Template, world: World) -> None:
    engine, repo = world.server.engine, world.server.repository(world.name)
    opened = engine.git(repo)
    if not any(ref.startswith("refs/pull/") for ref in opened.refs):  # it was open before
        opened.reload()
    tables = {table.name: table for table in engine.store.tables()}
    with engine.transaction():
        for name, row in template.rows:
            tables[name].add(_for(copy.deepcopy(row), repo, engine.now()))
            repo.last_number = max(repo.last_number, getattr(row, "number", 0))
        repo.updated_at = repo.pushed_at = engine.now()
        engine.store.repositories.save(repo)


def _for(row: Row, repo: Repository, now: str) -> Row:
    """The row as a row of another repository; what happened to it happened just now."""
    for field in dataclasses.fields(row):
        if field.name in ("repo_id", "head_repo_id"):
            setattr(row, field.name, repo.id)
        elif field.name.endswith("_at") and getattr(row, field.name) is not None:
            setattr(row, field.name, now)
    return row
