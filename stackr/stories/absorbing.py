"""The story of ``stackr absorb``: whose lines are staged, what goes where, and then the edit as any other.

Homes are found in ``stackr.core.absorbing``; the replay and the move are those of ``stackr.stories.editing``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from stackr.core import editing as edits
from stackr.core.absorbing import Edit, Home, edited, edits_at_head, edits_at_home, find_homes
from stackr.core.moving import position
from stackr.core.words import counted
from stackr.errors import Refused
from stackr.stories import editing
from stackr.stories.locally import Way
from stackr.ui import homes as view

if TYPE_CHECKING:
    from stackr.app import App
    from stackr.core.model import Stack


def absorb(app: App, stack: Stack, way: Way) -> editing.Shape | None:
    """Every staged hunk goes into the change that last touched its lines; what goes where is shown first."""
    here = position(stack)
    before, after = app.repo.shaping.staging.read(hooks=not way.dry_run)
    if here < 0 or after == stack.changes[here].commit.tree:
        raise Refused("nothing is staged", next_step="git add what belongs into the changes")
    homes = _homes(app, stack, here, after)
    view.show(app.ui, stack, homes, app.known_numbers(), as_json=way.as_json)
    found = sorted({home.change for home in homes if home.change is not None})
    if not found:
        return None
    trees = _trees(app, stack, here, homes, found)
    edit = edits.amend(stack, dict(zip(found, trees[1:], strict=True)))
    count = sum(home.change is not None for home in homes)
    what = f"absorbing {counted(count, 'hunk')} into {counted(len(found), 'change')}"
    return editing.Shape(edit, what, (before, after), trees[0])


def _homes(app: App, stack: Stack, here: int, staged: str) -> tuple[Home, ...]:
    commits = [change.commit.oid for change in stack.changes[: here + 1]]
    hunks = app.repo.shaping.list_hunks(commits[-1], staged)
    return find_homes(hunks, app.repo.shaping.read_origins(hunks, commits, edits.base_of(stack)))


def _trees(app: App, stack: Stack, here: int, homes: Sequence[Home], found: Iterable[int]) -> list[str]:
    """The tree that HEAD has to come to, then those of the changes, bottom first."""
    wanted = [_edited(app, stack.changes[here].commit.tree, edits_at_head(homes))]
    wanted += [_edited(app, stack.changes[index].commit.tree, edits_at_home(homes, index)) for index in found]
    return app.repo.shaping.write_trees(wanted)


def _edited(app: App, tree: str, files: Mapping[str, Sequence[Edit]]) -> tuple[str, dict[str, bytes]]:
    texts = app.repo.shaping.read_files(tree, list(files))
    return tree, {path: edited(texts[path], some) for path, some in files.items()}
