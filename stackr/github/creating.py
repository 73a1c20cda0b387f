"""``create_pulls``: pull requests in order, bottom first, several a request, none of them twice.

Not here: updating (``updating``), how many go into a request (``pace``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stackr.core.model import PullRequest
from stackr.core.ports import Created, NewPull, PullText
from stackr.errors import GitHubError, StackrError
from stackr.github import queries
from stackr.github.facts import pull_from, text_from
from stackr.github.failures import Limited, Lost, Problem
from stackr.github.graphql import Answer, GraphQL, Query
from stackr.github.limits import limited
from stackr.github.pace import FIRST_CREATES, Pace
from stackr.github.reading import Reader

# A request that GitHub cuts has taken 10 s itself, so three tries need more than the 10 s that reads have.
_BUDGET_S = 45.0
_EXISTS = "already exists"
# GitHub's words for a branch that is not there. All are pushed before, but it may take some moments to know that
# (kdlbs/kandev#3134, HENNGE/tfupdate-action#40).
_NO_BRANCH = ("sha can't be blank", "ref must be a branch")
_LEARNING_S = (0.5, 1.0, 2.0, 4.0)


class Creation:
    """One run of ``create_pulls``: what is still to do, what is done, what was refused."""

    def __init__(
        self,
        graph: GraphQL,
        reader: Reader,
        pace: Pace,
        repository_id: str,
        pulls: Sequence[NewPull],
        reread: Sequence[int],
    ) -> None:
        self._graph = graph
        self._reader = reader
        self._pace = pace
        self._patience = graph.http.patience(_BUDGET_S)
        self._pauses = list(_LEARNING_S)
        self._repository_id = repository_id
        self._todo = list(pulls)
        self._reread = list(reread)
        self._size = FIRST_CREATES
        self._done: dict[str, PullRequest] = {}
        self._texts: dict[int, PullText] = {}
        self._refused: list[tuple[NewPull, Problem]] = []
        self._doubtful: tuple[NewPull, ...] = ()
        self._headers: Mapping[str, str] = {}

    def run(self) -> Created:
        """Create everything; raises GitHubError or ConfigError, which says what was created (``safe``, ``details``)."""
        try:
            while self._todo and not self._refused:
                self._round(self._todo[: self._size])
            if self._refused:
                raise self._refusal()
        except StackrError as error:
            error.safe = self._tally()
            created = [{"head_ref": pull.head_ref, "number": pull.number} for pull in self._done.values()]
            error.details = {**error.details, "created": created}
            raise
        return Created(self._done, self._all_texts())

    def _round(self, chunk: Sequence[NewPull]) -> None:
        try:
            answer = self._graph.once(self._query(chunk))
        except Lost as lost:
            # Smaller, in case GitHub cut it because it took too long.
            self._size = max(1, len(chunk) // 3)
            if lost.sent:
                self._adopt(chunk)
            self._go_on_after(lost)
        except Limited as limit:
            self._go_on_after(limit)
        else:
            self._take(chunk, answer)

    def _query(self, chunk: Sequence[NewPull]) -> Query:
        """The last request also reads the texts: by number where it is known, by head for those being created."""
        is_last = len(chunk) == len(self._todo)
        numbers = self._known_numbers() if is_last else []
        heads = [pull.head for pull in chunk] if is_last else []
        variables: dict[str, Any] = {f"p{i}": self._input(pull) for i, pull in enumerate(chunk)}
        variables |= {f"n{i}": number for i, number in enumerate(numbers)}
        variables |= {f"h{i}": head for i, head in enumerate(heads)}
        return Query(queries.create_mutation(len(chunk), len(numbers), len(heads)), variables)

    def _input(self, pull: NewPull) -> dict[str, Any]:
        return {
            "repositoryId": self._repository_id,
            # https://docs.github.com/en/graphql/reference/input-objects#createpullrequestinput
            "headRefName": f"{self._reader.fork_owner}:{pull.head}" if self._reader.fork_owner else pull.head,
            "baseRefName": pull.base,
            "title": pull.title,
            "body": pull.body,
            "draft": pull.draft,
        }

    def _known_numbers(self) -> list[int]:
        return list(dict.fromkeys([*(pull.number for pull in self._done.values()), *self._reread]))

    def _take(self, chunk: Sequence[NewPull], answer: Answer) -> None:
        self._headers = answer.headers
        doubtful: list[tuple[NewPull, Problem]] = []
        early: list[tuple[NewPull, Problem]] = []
        limit: Problem | None = None
        before = len(self._done)
        for i, pull in enumerate(chunk):
            node = (answer.data.get(f"p{i}") or {}).get("pullRequest")
            if node:
                self._done[pull.head] = pull_from(node)
                self._read_texts(node)
                continue
            problem = _problem_of(answer, f"p{i}")
            if problem.is_limit:
                limit = problem
            elif _may_exist(problem):
                doubtful.append((pull, problem))
            elif _is_early(problem):
                early.append((pull, problem))
            else:
                self._refused.append((pull, problem))
        # What was refused took no time.
        self._pace.measure(answer.seconds, len(self._done) - before)
        self._size = self._pace.creates()
        self._settle(doubtful)
        self._strike_off()
        if limit is not None and not self._refused:
            self._size = FIRST_CREATES
            self._go_on_after(limited(answer.headers, limit.message, self._graph.http.now()))
        elif early and not self._refused:
            self._give_time(early)

    def _settle(self, doubtful: Sequence[tuple[NewPull, Problem]]) -> None:
        """Those that may exist: take what is found; what is not found is refused, or tried again if GitHub failed."""
        if not doubtful:
            return
        self._adopt([pull for pull, _ in doubtful])
        missing = [(pull, problem) for pull, problem in doubtful if pull.head not in self._done]
        self._refused += [(pull, problem) for pull, problem in missing if _EXISTS in problem.message]
        if missing and not self._refused:
            self._go_on_after(Lost(f"github could not create a pull request ({missing[0][1].message})"))

    def _give_time(self, early: Sequence[tuple[NewPull, Problem]]) -> None:
        """Wait until GitHub knows the branches that were just pushed; refused if it does not after some seconds."""
        if self._pauses:
            self._graph.http.wait(self._pauses.pop(0), "github does not know yet what was just pushed")
        else:
            self._refused += early
            self._strike_off()

    def _adopt(self, pulls: Sequence[NewPull]) -> None:
        self._doubtful = tuple(pulls)
        self._done |= self._reader.open_by_head([pull.head for pull in pulls])
        self._doubtful = ()
        self._strike_off()

    def _strike_off(self) -> None:
        """Take what is done or refused off the list; that is progress."""
        settled = self._done.keys() | {pull.head for pull, _ in self._refused}
        remaining = [pull for pull in self._todo if pull.head not in settled]
        if len(remaining) < len(self._todo):
            self._patience.progress()
        self._todo = remaining

    def _go_on_after(self, failure: Lost | Limited) -> None:
        if self._todo and not self._patience.pause([failure]):
            raise failure

    def _read_texts(self, node: Mapping[str, Any]) -> None:
        for alias, found in (node.get("repository") or {}).items():
            nodes = self._reader.own(found)[:1] if alias.startswith("h") else [found]
            self._texts |= {node["number"]: text_from(node) for node in nodes if node}

    def _all_texts(self) -> dict[int, PullText]:
        """The texts that the last answer had; one more request when it had not all (something was looked up)."""
        missing = [number for number in self._known_numbers() if number not in self._texts]
        return self._texts | self._reader.texts(missing)

    def _refusal(self) -> StackrError:
        pull, problem = self._refused[0]
        error = self._graph.error([problem], self._headers, f'github refused a pull request for "{pull.head}"')
        if isinstance(error, GitHubError):
            error.next_step = "stackr submit"
        return error

    def _tally(self) -> str:
        """What is there, what may be there (the look-up failed as well), and what is not."""
        created = ", ".join(f"#{pull.number}" for pull in self._done.values())
        doubtful = [pull.head for pull in self._doubtful]
        missing = [pull.head for pull in (*(pull for pull, _ in self._refused), *self._todo)]
        missing = [head for head in missing if head not in doubtful]
        if not created and not doubtful:
            return f"no pull request was created, of: {_shown(missing)}"
        parts = [f"what was created ({created}) stays and is adopted by the next run"] if created else []
        parts += [f"perhaps created, which the next run finds out: {_shown(doubtful)}"] if doubtful else []
        parts += [f"not created: {_shown(missing)}"] if missing else []
        return "; ".join(parts)


def _shown(heads: Sequence[str]) -> str:
    return ", ".join(f'"{head}"' for head in heads)


def _problem_of(answer: Answer, alias: str) -> Problem:
    problems = answer.problems_at(alias)
    return problems[0] if problems else Problem("", "github gave no answer", (alias, "pullRequest"))


def _may_exist(problem: Problem) -> bool:
    """A pull request that was there before, or whose creation is uncertain: the error lies deeper, or GitHub failed."""
    return _EXISTS in problem.message or problem.is_transient or len(problem.path) > 1


def _is_early(problem: Problem) -> bool:
    """Whether GitHub does not know a branch."""
    return any(words in problem.message for words in _NO_BRANCH)
