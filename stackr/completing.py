"""What the shell offers on Tab, besides commands and options, which click knows: changes, branches, settings, paths.

What an argument stands for is read off its placeholder in the help (``CHANGE``, ``BRANCH``, …), so that a new command
is completed without saying so. Everything comes from files of this clone: the memory of pull requests and the branches
(``stackr.repo.pullnames``, ``stackr.repo.plainly``). No process, no network, no heavy import: Tab answers at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from stackr import options
from stackr.patterns import pattern

Offer = Callable[[Path, str], Iterator[CompletionItem]]
"""What may stand there: for the directory in which the command would run, and what was typed already."""

_HEAD_BRANCH = pattern(r"(?:.*[/-])?([0-9a-f]{10})")


class Completed(click.types.StringParamType):
    """Text, for which the shell offers what begins with what was typed."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """What begins with ``incomplete``; files and folders are the shell's own business."""
        items = self._offer(options.of(ctx).directory, incomplete)
        return [item for item in items if item.type != "plain" or item.value.startswith(incomplete)]


def complete(command: click.Command) -> None:
    """Let the shell complete the arguments and options of ``command``, and of the commands within it."""
    if isinstance(command, click.Group):
        for member in command.commands.values():
            complete(member)
    for parameter in command.params:
        offer = _OFFERS.get((parameter.metavar or "").strip("[].")) if parameter.type is click.STRING else None
        if offer is not None:
            parameter.type = Completed(offer)


def _changes(directory: Path, typed: str) -> Iterator[CompletionItem]:
    """The open pull requests that this clone remembers, those seen last first: by number, or by id after an ``I``."""
    from stackr.core.untrusted import clean
    from stackr.repo import plainly, pullnames

    common = plainly.find_common_dir(directory)
    names = () if common is None else pullnames.read(pullnames.path_in(common))
    for name in reversed(names):
        found = _HEAD_BRANCH.fullmatch(name.head_ref)
        if name.state == "open" and not typed.startswith("I"):
            yield CompletionItem(str(name.number), help=clean(name.title))
        elif name.state == "open" and found:
            yield CompletionItem(f"I{found[1]}", help=f"#{name.number} {clean(name.title)}")


def _remote_branches(directory: Path, _: str) -> Iterator[CompletionItem]:
    """Branches that a stack can land on: those of remotes, without the heads of changes."""
    names = dict.fromkeys(name.partition("/")[2] for name in _branches(directory, "remotes"))
    return (CompletionItem(name) for name in names if not _HEAD_BRANCH.fullmatch(name))


def _revisions(directory: Path, _: str) -> Iterator[CompletionItem]:
    return (CompletionItem(name) for kind in ("heads", "remotes") for name in _branches(directory, kind))


def _branches(directory: Path, kind: str) -> tuple[str, ...]:
    from stackr.repo import plainly

    common = plainly.find_common_dir(directory)
    return () if common is None else plainly.list_branches(common, kind)


def _remotes(directory: Path, _: str) -> Iterator[CompletionItem]:
    """Remotes that something was fetched from."""
    return (
        CompletionItem(name) for name in dict.fromkeys(n.partition("/")[0] for n in _branches(directory, "remotes"))
    )


def _settings(_: Path, __: str) -> Iterator[CompletionItem]:
    from stackr.settings import SETTINGS

    return (CompletionItem(setting.name, help=setting.help) for setting in SETTINGS)


def _files(_: Path, __: str) -> Iterator[CompletionItem]:
    yield CompletionItem("", type="file")


def _folders(_: Path, __: str) -> Iterator[CompletionItem]:
    yield CompletionItem("", type="dir")


_OFFERS: dict[str, Offer] = {
    "CHANGE": _changes,
    "PR": _changes,
    "PR|URL|CHANGE": _changes,
    "REV": _revisions,
    "BRANCH": _remote_branches,
    "REMOTE": _remotes,
    "KEY": _settings,
    "FILE": _files,
    "PATHS": _files,
    "DIR": _folders,
}
"""By the placeholder in the help, without the brackets and dots that say how often."""
