"""Which pull request a word on the command line means, also one that is not in the local stack; nobody asks GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stackr.core.naming import pull_number, pull_repository
from stackr.core.sought import Sought
from stackr.errors import UsageError

if TYPE_CHECKING:
    from stackr.app import App


def seek(app: App, text: str) -> Sought:
    """The number of ``12``, ``#12`` or a URL; else the head branch of the change of this stack that ``text`` names.

    Raises ``UsageError`` for a pull request of another repository, and for what is neither.
    """
    number = pull_number(text)
    if number is not None:
        _refuse_elsewhere(app, text)
        return Sought(f"#{number}", number)
    from stackr.observe import observe_offline

    stack = observe_offline(app.repo, app.wanted(app.known_user())).stack
    change = app.find_change(stack, text)
    return Sought(f'"{change.title}"', app.known_numbers().get(change.head_ref), change.head_ref)


def find_number(app: App, sought: Sought) -> int:
    """The number of a pull request: as this clone knows it, else one request. Raises as ``find_pull`` does."""
    if sought.number is not None:
        return sought.number
    from stackr.observe.one import find_pull

    return find_pull(app.forge, sought)[0].number


def _refuse_elsewhere(app: App, text: str) -> None:
    repository = pull_repository(text)
    if repository is not None and repository.lower() != app.host.repository_url.lower():
        raise UsageError(
            f'"{text}" is a pull request of another repository: "{app.remote}" is {app.host.repository_url}',
            next_step="run stackr in a clone of that repository (-C DIR)",
        )
