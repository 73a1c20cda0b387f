"""Moving refs: all of them or none, each from where it was seen to be.

One ``git update-ref --stdin`` transaction (git-update-ref(1)), so that a concurrent git, a hook or a full disk leaves
either the old state or the new one. Which refs to move is decided by the planners.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stackr.core.plan import RefMove, on_branch
from stackr.errors import GitError, Refused, StackrError
from stackr.patterns import pattern
from stackr.repo import failures
from stackr.repo.run import Runner
from stackr.repo.text import encode_name

_MOVED = pattern(
    r"cannot lock ref '(?P<ref>[^']+)': (?:is at [0-9a-f]+ but expected [0-9a-f]+|reference already exists|"
    r"unable to resolve reference|reference is missing but expected)"
)
_IN_THE_WAY = pattern(r"'(?P<old>[^']+)' exists; cannot create '(?P<new>[^']+)'")
_TOGETHER = pattern(r"cannot process '(?P<old>[^']+)' and '(?P<new>[^']+)' at the same time")
_BAD_NAME = pattern(r"invalid ref format: (?P<ref>\S+)")
_HOOK = "aborted by hook"
_NOTHING: Mapping[str, str | None] = {}


def move(runner: Runner, moves: Sequence[RefMove], reason: str, outright: Mapping[str, str | None] = _NOTHING) -> None:
    """Move refs in one transaction with the reflog message ``stackr: <reason>``; with no moves, no process.

    A branch that is a symbolic ref moves its target; ``HEAD`` itself moves, never the branch it is on. If it goes onto
    a branch, that comes after the transaction, in another process; it cannot leave a branch that moves as well. Refs
    of ``outright`` are set, or (``None``) deleted, along with the others, whatever they were at. Raises ``Refused``
    when a ref is not at its old value, is locked, or its name clashes with another, and ``GitError`` when the
    repository's reference-transaction hook declined.
    """
    if not moves:
        return
    message = f"stackr: {' '.join(reason.split())}"
    done = runner.try_git("update-ref", "-m", message, "--stdin", "-z", stdin=_script(moves, outright))
    if done.code or done.late:
        raise _failure(done.code, done.err)
    for each in moves:
        if each.ref == "HEAD" and each.new is not None and on_branch(each.new):
            runner.git("symbolic-ref", "-m", message, "HEAD", each.new)


def _script(moves: Iterable[RefMove], outright: Mapping[str, str | None]) -> bytes:
    commands = (*(_command(move) for move in moves), *_unverified(outright))
    return b"".join([b"start\0", *commands, b"prepare\0", b"commit\0"])


def _unverified(refs: Mapping[str, str | None]) -> Iterator[bytes]:
    """Commands with an empty old value, which git does not compare; deleting what is not there is no error then."""
    for ref, new in refs.items():
        name = encode_name(ref) + b"\0"
        yield b"delete " + name + b"\0" if new is None else b"update " + name + new.encode("ascii") + b"\0\0"


def _command(move: RefMove) -> bytes:
    """One command of the transaction; the old value is always verified, "must not exist" included."""
    # Should HEAD have been attached to a branch meanwhile, that branch must not move: HEAD is then detached again.
    option = b"option no-deref\0" if move.ref == "HEAD" else b""
    if move.ref == "HEAD" and (on_branch(move.old) or on_branch(move.new)):
        return _of_head(move)
    verb = {
        (True, True): "verify",
        (True, False): "create",
        (False, True): "delete",
        (False, False): "update",
    }[(move.old is None, move.new is None)]
    values = [value for value in (move.new, move.old) if value is not None] or ["0" * 40]
    return option + f"{verb} ".encode() + encode_name(move.ref) + b"\0" + b"".join(f"{v}\0".encode() for v in values)


def _of_head(move: RefMove) -> bytes:
    """HEAD leaves a branch for a commit (an empty old value is not compared), or is about to go onto a branch."""
    if not on_branch(move.new):
        return b"option no-deref\0update HEAD\0%s\0\0" % (move.new or "").encode("ascii")
    return b"" if on_branch(move.old) else b"option no-deref\0verify HEAD\0%s\0" % (move.old or "").encode("ascii")


def _failure(code: int, err: str) -> StackrError:
    if found := _MOVED.search(err):
        return Refused(
            f'"{_short(found["ref"])}" moved meanwhile',
            next_step="run the same command again: it reads everything anew",
        )
    if found := _IN_THE_WAY.search(err) or _TOGETHER.search(err):
        old, new = _short(found["old"]), _short(found["new"])
        return Refused(
            f'git cannot have both "{old}" and "{new}": one name is a folder of the other',
            next_step=f"git branch -m {old} ANOTHER-NAME",
        )
    if found := _BAD_NAME.search(err):
        return Refused(f'"{_short(found["ref"])}" is no name git takes for a branch', next_step="choose another name")
    if _HOOK in err:
        said = dict.fromkeys(line.strip() for line in err.splitlines() if line and not line.startswith("fatal:"))
        return GitError(f"the reference-transaction hook declined: {'; '.join(said) or 'it gave no reason'}")
    return failures.local_failure("update-ref", code, err)


def _short(ref: str) -> str:
    return ref.removeprefix("refs/heads/").removeprefix("refs/remotes/")
