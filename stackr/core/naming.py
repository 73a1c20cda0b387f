"""What a CHANGE on a command line means: a pull request number, its URL, a revision, or the beginning of a Change-Id.

docs/reference/cli.md. Needs no network: numbers come from the stack as far as it was read from GitHub, and from what
this clone remembers of pull requests (``PullName``). Reading and writing that memory is not done here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from stackr.core.model import Change, PullRequest, Stack
from stackr.errors import UsageError
from stackr.patterns import pattern
from stackr.records import dataclass

_NUMBER = pattern(r"#?([0-9]{1,18})")
_URL = pattern(r"(https?://[^/\s]+/[^/\s]+/[^/\s]+)/pull/([0-9]{1,18})(?:[/?#]\S*)?")
_CHANGE_ID = pattern(r"I[0-9a-f]{4,40}")
# The shortest object name git itself prints.
_COMMIT = pattern(r"[0-9a-f]{7,40}")
_SEE = "stackr status shows the stack"
_MOST = 3

Resolve = Callable[[str], str]
"""The commit id of a revision; raises ``UsageError`` when there is none."""


@dataclass(frozen=True, slots=True)
class PullName:
    """A pull request as this clone last saw it; ``state`` is ``open``, ``merged`` or ``closed``."""

    head_ref: str
    number: int
    url: str
    title: str
    state: str

    @classmethod
    def of(cls, pull: PullRequest) -> PullName:
        """What is worth remembering of a pull request."""
        return cls(pull.head_ref, pull.number, pull.url, pull.title, pull.state.value)


def pull_number(text: str) -> int | None:
    """The number in ``12``, ``#12`` or the URL of a pull request (of whichever repository); ``None`` for other text."""
    found = _URL.fullmatch(text)
    number = found[2] if found else found[1] if (found := _NUMBER.fullmatch(text)) else ""
    return int(number) if number else None


def pull_repository(text: str) -> str | None:
    """The address of the repository in the URL of a pull request; ``None`` for other text."""
    found = _URL.fullmatch(text)
    return found[1] if found else None


def find_change(stack: Stack, text: str, known: Iterable[PullName], resolve: Resolve) -> Change:
    """The change of ``stack`` that ``text`` names; raises ``UsageError`` (with what comes near) if there is none.

    A number is a pull request, and only a number of seven and more digits that is none may be a commit. What begins
    like a Change-Id is one if the stack has it. Everything else is a revision, for ``resolve``.
    """
    pulls = {name.number: name for name in _names(stack, known)}
    number = pull_number(text)
    if number is not None:
        found = _by_number(stack, text, number, pulls)
        if found is not None:
            return found
        if not _COMMIT.fullmatch(text):
            raise _no_such_pull(text, number, stack, pulls)
    found = _by_id(stack, text) if _CHANGE_ID.fullmatch(text) else None
    return found or _by_revision(stack, text, resolve)


def _names(stack: Stack, known: Iterable[PullName]) -> Iterator[PullName]:
    """What is remembered, then what GitHub has just said, which wins."""
    yield from known
    yield from (PullName.of(change.pull) for change in stack.changes if change.pull)


def _by_number(stack: Stack, text: str, number: int, pulls: Mapping[int, PullName]) -> Change | None:
    name = pulls.get(number)
    if name is None:
        return None
    repository = pull_repository(text)
    if repository is not None and name.url.rpartition("/pull/")[0].lower() != repository.lower():
        raise UsageError(f'"{text}" is a pull request of another repository', next_step=_SEE)
    return next((change for change in stack.changes if change.head_ref == name.head_ref), None)


def _no_such_pull(text: str, number: int, stack: Stack, pulls: Mapping[int, PullName]) -> UsageError:
    mine = {name.head_ref: name.number for name in pulls.values()}
    here = [f"#{mine[change.head_ref]}" for change in stack.changes if change.head_ref in mine]
    known = pulls.get(number)
    what = f'#{number} "{known.title}"' if known else f'"{text}"'
    shown = f"its pull requests are {', '.join(here)}; {_SEE}" if here else f"{_SEE}, and learns their numbers"
    return UsageError(f"{what} is no pull request of this stack", next_step=shown)


def _by_id(stack: Stack, text: str) -> Change | None:
    found = [change for change in stack.changes if change.id.startswith(text)]
    if len(found) > 1:
        names = " and ".join(f'{change.id[:11]} "{change.title}"' for change in found[:_MOST])
        raise UsageError(f'"{text}" is the beginning of several ids: {names}', next_step="write more digits of it")
    return found[0] if found else None


def _by_revision(stack: Stack, text: str, resolve: Resolve) -> Change:
    try:
        oid = resolve(text)
    except UsageError as problem:
        raise UsageError(f'"{text}" names no change of this stack', next_step=_near(stack, text)) from problem
    for change in stack.changes:
        if change.commit.oid == oid:
            return change
    what = f"commit {oid[:7]}" if oid.startswith(text) else f'"{text}" ({oid[:7]})'
    raise UsageError(
        f'{what} is not in the stack above "{stack.trunk.name}"',
        next_step=f"{_SEE}; check out the branch that holds the commit",
    )


def _near(stack: Stack, text: str) -> str:
    """The changes that may have been meant, by a word of their title or by their head branch."""
    lower = text.lower()
    names = {name.lower(): change for change in stack.changes for name in (change.title, change.head_ref)}
    near = [names[name] for name in names if lower in name]
    if not near:
        import difflib  # needed for nothing but a mistake

        near = [names[name] for name in difflib.get_close_matches(lower, names, n=_MOST)]
    guesses = dict.fromkeys(f'{change.commit.oid[:7]} "{change.title}"' for change in near)
    return f"did you mean {' or '.join(list(guesses)[:_MOST])}? {_SEE}" if guesses else _SEE
