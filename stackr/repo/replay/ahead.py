"""Merges that build on one another, asked in two rounds for many commits: for git before 2.49.

Such a git answers when it has seen all its questions, and not before.

What a commit merges onto is the outcome of the one before, which is not known yet. But it can be guessed: the changes
of several commits merged at once. So the first round asks for such guesses, and the second for every commit's own merge
onto the guess for the one below. An answer is used only for exactly the three trees it was given for, so a wrong guess
costs time and nothing else. ``git merge-tree`` before 2.45 wants commits, so throw-away ones are made.
"""

from __future__ import annotations

from collections.abc import Sequence

from stackr.repo import failures
from stackr.repo.replay.attributes import Files
from stackr.repo.replay.real import MERGE_TIMEOUT_S, OPTIONS, Answer, Change, Workshop, read_answer
from stackr.repo.replay.trees import object_id

STDIN_SINCE = (2, 39)
_FIRST_WINDOW, _WIDEST_WINDOW = 16, 128
_NOBODY = b"stackr <stackr> 0 +0000"

Question = tuple[bytes, bytes, bytes]


class Ahead:
    """Answers questions, and while at it those that are likely to come next."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._attributes = shop.attributes()
        self._place = shop.place()
        self._answers: dict[Question, Answer] = {}
        self._files: Files = {}
        self._window = _FIRST_WINDOW if shop.version >= STDIN_SINCE else 0
        self._was_right = True

    def merge(self, base: bytes, ours: bytes, theirs: bytes, following: Sequence[Change] = ()) -> Answer:
        """Merge three trees; see ``real.Merge``."""
        files = self._attributes.of(ours)
        if files != self._files:
            self._answers.clear()  # they were given by other attributes
            self._files = dict(files)
        known = self._answers.get((base, ours, theirs))
        if known is not None:
            self._was_right = True
            return known
        return self._look_ahead((base, ours, theirs), following)

    def _look_ahead(self, question: Question, following: Sequence[Change]) -> Answer:
        following = following[: self._next_window()]
        base, ours, _ = question
        answer, *guesses = self._ask([question, *((base, ours, after) for _, after in following)], ours)
        below = [bytes.fromhex(guess.tree) if guess.clean else None for guess in (answer, *guesses)]
        questions = [
            (before, onto, after) for onto, (before, after) in zip(below, following, strict=False) if onto is not None
        ]
        self._answers = dict(zip(questions, self._ask(questions, ours), strict=True)) if questions else {}
        return answer

    def _next_window(self) -> int:
        """Twice as far as last time if that was of use, else half as far."""
        window = self._window
        if window:
            self._window = min(window * 2, _WIDEST_WINDOW) if self._was_right else max(window // 2, 1)
        self._was_right = False
        return window

    def _ask(self, questions: Sequence[Question], ours: bytes) -> list[Answer]:
        """One process for all questions, by the attributes of ``ours``; in git 2.38 there is only one question."""
        lines = self._commits(questions)
        cwd, env = self._place.of(ours, self._files)
        together = self._shop.version >= STDIN_SINCE
        how = ["--stdin", *OPTIONS] if together else ["--write-tree", "-z", *OPTIONS, *lines[0]]
        stdin = "".join(f"{one} {two}\n" for one, two in lines).encode() if together else b""
        args = ("-C", str(cwd), "merge-tree", *self._shop.options, *how)
        done = self._shop.runner.try_git(*args, stdin=stdin, env={**self._shop.env, **env}, timeout_s=MERGE_TIMEOUT_S)
        if done.code not in (0, 1) or done.late:
            raise failures.local_failure("merge-tree", done.code, done.err, MERGE_TIMEOUT_S if done.late else None)
        # Alone, an answer comes without its first and last field: the exit code is the first.
        out = done.out if together else b"%d\0%s\0" % (1 - done.code, done.out)
        fields = iter(out.split(b"\0"))
        return [read_answer(fields) for _ in questions]

    def _commits(self, questions: Sequence[Question]) -> list[tuple[str, str]]:
        """For each question two throw-away commits that have the base below them."""
        made: dict[str, tuple[str, bytes]] = {}
        pairs = []
        for base, ours, theirs in questions:
            root = _commit(made, base)
            pairs.append((_commit(made, ours, root), _commit(made, theirs, root)))
        self._shop.scratch.put_pack(list(made.values()))
        return pairs


def _commit(made: dict[str, tuple[str, bytes]], tree: bytes, *parents: str) -> str:
    lines = [f"tree {tree.hex()}", *(f"parent {parent}" for parent in parents)]
    raw = "\n".join(lines).encode() + b"\nauthor %s\ncommitter %s\n\n" % (_NOBODY, _NOBODY)
    oid = object_id("commit", raw).hex()
    made[oid] = ("commit", raw)
    return oid
