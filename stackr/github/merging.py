"""``merge_pull``: one pull request merged now, given to the merge queue, or left to auto-merge.

Whatever goes wrong, the pull request is looked at before anything is asked again: it may be merged, or have moved. The
expected head is part of every request, so nothing lands that was not there when it was judged. Not here: GitHub's own
stacks (``background``), how a merge is chosen (``core.land``).
https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request,
https://docs.github.com/en/graphql/reference/mutations#enqueuepullrequest, #enablepullrequestautomerge
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stackr.core.ports import Merge
from stackr.core.rules import Method
from stackr.errors import Refused, StackrError
from stackr.github import queries
from stackr.github.facts import tip
from stackr.github.failures import IS_STACKED, NO_ACCESS, Limited, Lost, Rejected
from stackr.github.graphql import Answer, GraphQL, Query
from stackr.github.limits import limited
from stackr.github.reading import Reader
from stackr.records import dataclass

# A request that GitHub cuts has taken 10 s itself, so three tries need more than the 10 s that reads have.
_BUDGET_S = 45.0
# How long GitHub is given to find out whether a pull request can be merged.
_COMPUTING_S = (0.5, 1.0, 2.0, 4.0)
_NO = frozenset({403, 405, 409, 422})
# GitHub's words, from public threads: KnpLabs/php-github-api#497, ClickHouse/ClickHouse#109183,
# peter-evans/enable-pull-request-automerge#343 and #355, iterative/cml#955, cli/cli#5653.
_BASE_MOVED = "base branch was modified"
_NOTHING_TO_WAIT_FOR = ("in clean status", "in unstable status", "in has_hooks status", "rules not configured")
_QUEUE_DECIDES = "not valid for merge queue"
_NOT_ALLOWED = "auto merge is not allowed"


class Declined(Exception):
    """GitHub said no, in these words; it may be for good, or only for now."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


@dataclass(frozen=True, slots=True)
class Settled:
    """What was asked for is so: merged as ``commit``, or (``None``) queued, or on auto-merge."""

    commit: str | None


class Merging:
    """One run of ``merge_pull`` for any method but ``push`` and ``native``."""

    def __init__(self, graph: GraphQL, reader: Reader, merge: Merge) -> None:
        self._graph = graph
        self._reader = reader
        self._merge = merge
        self._method = merge.method
        self._patience = graph.http.patience(_BUDGET_S)
        self._pauses = list(_COMPUTING_S)
        self._queue_decides = False
        later: dict[Method, Callable[[], str | None]] = {Method.QUEUE: self._enqueue, Method.AUTO: self._enable}
        self._ask = later.get(merge.method, self._put)

    def run(self) -> str | None:
        """The commit that trunk got, ``None`` when GitHub will merge later."""
        while True:
            try:
                return self._ask()
            except (Lost, Limited, Declined) as failure:
                settled = self._look(failure)
                if settled is not None:
                    return settled.commit

    # The three ways to ask

    def _put(self) -> str:
        """Merge now, by REST."""
        http, merge = self._graph.http, self._merge
        url = f"{http.host.rest}/repos/{http.host.owner}/{http.host.name}/pulls/{merge.number}/merge"
        given = {"merge_method": self._method.value, "sha": merge.head}
        if self._method is not Method.REBASE and merge.title:
            given |= {"commit_title": merge.title, "commit_message": merge.message}
        try:
            answer = http.send("PUT", url, json=given).data
        except Rejected as no:
            if no.status in _NO:
                raise Declined(no.words or f"status {no.status}") from no
            raise
        if not isinstance(answer, Mapping) or not answer.get("sha"):
            raise Lost(f"github did not name the commit of #{merge.number}")
        return str(answer["sha"])

    def _enqueue(self) -> None:
        given = {"pullRequestId": self._merge.node_id, "expectedHeadOid": self._merge.head}
        self._mutate(queries.enqueue_mutation(), given)

    def _enable(self) -> str | None:
        """Leave it to auto-merge; where there is nothing to wait for, GitHub refuses that, and it is merged at once."""
        try:
            self._mutate(queries.auto_merge_mutation(), self._auto_merge())
        except Declined as no:
            words = no.words.lower()
            if _NOT_ALLOWED in words:
                raise self._refusal(no.words, "switch it on in the settings, or land by another --method") from no
            if _QUEUE_DECIDES in words and not self._queue_decides:
                self._queue_decides = True
                return self._enable()
            if any(reason in words for reason in _NOTHING_TO_WAIT_FOR):
                self._method, self._ask = self._merge.how, self._put
                return self._put()
            raise
        return None

    def _auto_merge(self) -> dict[str, str]:
        """What auto-merge is asked for; a queue has a method and messages of its own, and refuses others."""
        merge = self._merge
        given = {"pullRequestId": merge.node_id, "expectedHeadOid": merge.head}
        if self._queue_decides:
            return given
        given["mergeMethod"] = merge.how.name
        if merge.how is not Method.REBASE and merge.title:
            given |= {"commitHeadline": merge.title, "commitBody": merge.message}
        return given

    def _mutate(self, text: str, given: Mapping[str, str]) -> None:
        answer = self._graph.once(Query(text, {"input": given}))
        if answer.problems:
            raise self._problem(answer)

    def _problem(self, answer: Answer) -> StackrError | Declined:
        problem = answer.problems[0]
        if problem.is_limit:
            return limited(answer.headers, problem.message, self._graph.http.now())
        if problem.is_transient:
            return Lost(f"github could not take #{self._merge.number} ({problem.message})")
        if problem.type in NO_ACCESS:
            return self._graph.error(answer.problems, answer.headers)
        return Declined("; ".join(dict.fromkeys(each.message for each in answer.problems)))

    # Afterwards

    def _look(self, failure: Lost | Limited | Declined) -> Settled | None:
        """How it stands after a failure; ``None``, when it is time to ask again. Raises what is final."""
        if isinstance(failure, Limited) or (isinstance(failure, Lost) and not failure.sent):
            self._pause(failure)
            return None
        pull = self._read()
        if pull["state"] == "MERGED":
            return self._merged(pull)
        self._refuse_changed(pull)
        if self._is_taken(pull):
            return Settled(None)
        if isinstance(failure, Declined):
            self._wait_for_github(pull, failure)
        else:
            self._pause(failure)
        return None

    def _read(self) -> Mapping[str, Any]:
        try:
            return self._reader.outcome(self._merge.number)
        except StackrError as error:
            error.safe = f"whether #{self._merge.number} is merged is not known; the next run looks before it merges"
            raise

    def _merged(self, pull: Mapping[str, Any]) -> Settled:
        """Merged by us, or by somebody else at the same head."""
        if pull["headRefOid"] != self._merge.head:
            raise Refused(
                f"#{self._merge.number} was merged meanwhile, at another commit ({pull['headRefOid'][:7]})"
                " than the one that was to land",
                next_step="stackr sync takes that in",
            )
        return Settled((pull["mergeCommit"] or {}).get("oid"))

    def _refuse_changed(self, pull: Mapping[str, Any]) -> None:
        number, safe = self._merge.number, f"#{self._merge.number} was not merged"
        if pull["state"] == "CLOSED":
            raise Refused(f"#{number} was closed meanwhile", safe=safe, next_step="stackr status")
        if pull["headRefOid"] != self._merge.head and not self._is_lagging(pull):
            raise Refused(
                f"somebody pushed to #{number} meanwhile: its head is {pull['headRefOid'][:7]},"
                f" not {self._merge.head[:7]}",
                safe=safe,
                next_step="stackr sync takes that in; then stackr land again",
            )

    def _is_lagging(self, pull: Mapping[str, Any]) -> bool:
        """Whether the branch is where it should be, and the pull request does not know yet: a push was just now."""
        return bool(pull["headRefOid"] != self._merge.head == tip(pull["headRef"]))

    def _is_taken(self, pull: Mapping[str, Any]) -> bool:
        """Whether GitHub has it in the queue, or on auto-merge as it was asked for."""
        if self._method not in (Method.QUEUE, Method.AUTO):
            return False
        if pull["mergeQueueEntry"] is not None:
            return True
        present = pull["autoMergeRequest"]
        if self._method is Method.QUEUE or present is None:
            return False
        return all(present[field] == text for field, text in self._auto_merge().items() if field in present)

    def _wait_for_github(self, pull: Mapping[str, Any], no: Declined) -> None:
        """GitHub finds out in the background whether a pull request can be merged, anew whenever its base moves."""
        is_known = pull["mergeable"] != "UNKNOWN" and not self._is_lagging(pull)
        if (is_known and _BASE_MOVED not in no.words.lower()) or not self._pauses:
            raise self._refusal(no.words, _next_step(no.words)) from no
        self._graph.http.wait(self._pauses.pop(0), f"github finds out whether #{self._merge.number} can be merged")

    def _pause(self, failure: Lost | Limited) -> None:
        if not self._patience.pause([failure]):
            failure.safe = f"#{self._merge.number} was not merged when it was last looked at; the next run looks again"
            raise failure

    def _refusal(self, words: str, next_step: str) -> Refused:
        number = f"#{self._merge.number}"
        what = {Method.QUEUE: f"queue {number}", Method.AUTO: f"put {number} on auto-merge"}
        return Refused(
            f"github refused to {what.get(self._method, f'merge {number}')}: {words}",
            safe=f"{number} was not merged",
            next_step=next_step,
        )


def _next_step(words: str) -> str:
    if IS_STACKED in words.lower():
        return "somebody registered it as a stack of GitHub's own; git config stackr.native auto, then land again"
    return "stackr land --dry-run tells what is in the way"
