"""Merging in the background: a pull request and, in one of GitHub's own stacks, everything below it, all or nothing.

GitHub takes the request, answers at once with a key, and is asked by that key until the merge is through. What is above
stays open; GitHub retargets and rebases it.
https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request-asynchronously
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stackr.core.ports import Merge
from stackr.errors import GitHubError, Refused
from stackr.github.failures import Rejected, clean
from stackr.github.http import Http
from stackr.github.together import persist, value

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
# "Up to a few minutes"; after this GitHub goes on without anybody looking.
LONGEST_S = 900.0
# A queue has its own way of merging, and refuses to be told another
# (https://github.com/navikt/copilot/pull/659): the words of that refusal.
_QUEUE_DECIDES = "custom merge params"


def merge_in_background(http: Http, merge: Merge) -> str | None:
    """Merge ``merge.number`` and what is below it; the commit that trunk got, ``None`` when GitHub will merge later.

    "Later" is a merge queue, or more than 15 minutes. A request that runs already is adopted, so a lost answer is asked
    for again. Raises ``Refused`` with GitHub's words, or when the head has moved.
    """
    given = {"sha": merge.head, "merge_method": merge.how.value, "merge_action": "default"}
    outcome = _wait(http, merge, _ask(http, merge, given))
    if _status(outcome) == "failed" and _QUEUE_DECIDES in _words(outcome).lower():
        given = {"sha": merge.head, "merge_action": "merge_queue"}
        outcome = _wait(http, merge, _ask(http, merge, given))
    if _status(outcome) == "failed":
        raise Refused(
            f"github did not merge #{merge.number}: {_words(outcome) or 'no reason given'}",
            safe="a stack merges as a whole or not at all: nothing was merged",
            next_step="see to that, then run the same command again",
        )
    sha = _details(outcome).get("sha")
    return str(sha) if _status(outcome) == "merged" and sha else None


def _ask(http: Http, merge: Merge, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Ask for the merge; the answer is a status, whether it was taken, runs already (409) or cannot be (400)."""

    def attempt() -> Any:
        try:
            return http.send("PUT", http.host.rest + _path(http, merge), json=given).data
        except Rejected as no:
            if no.status in (400, 409) and _status(no.data):
                return no.data
            raise

    outcome = value(persist([attempt], http.patience())[0])
    running = _details(outcome).get("expected_head_sha", merge.head)
    if running != merge.head:
        raise Refused(
            f"a merge of #{merge.number} is under way already, for another commit ({clean(str(running))[:7]})",
            next_step="wait for it, then stackr sync",
        )
    return _checked(outcome)


def _wait(http: Http, merge: Merge, outcome: Mapping[str, Any]) -> Mapping[str, Any]:
    """The outcome once it is no longer pending, or as it is when there is no point in waiting on."""
    pause_s, waited_s = FIRST_PAUSE_S, 0.0
    while _status(outcome) == "pending" and waited_s < LONGEST_S:
        http.wait(pause_s, f"github merges #{merge.number} and what is below it")
        waited_s += pause_s
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        key = clean(str(_details(outcome).get("uuid")))
        outcome = _checked(http.rest("GET", f"{_path(http, merge)}/{key}").data)
    return outcome


def _path(http: Http, merge: Merge) -> str:
    return f"/repos/{http.host.owner}/{http.host.name}/pulls/{merge.number}/merge-async"


def _checked(outcome: Any) -> Mapping[str, Any]:
    if _status(outcome) not in ("pending", "merged", "enqueued", "failed"):
        raise GitHubError("github answered a request to merge with something that is no status")
    return dict(outcome)


def _status(outcome: Any) -> str:
    return str(outcome.get("status") or "") if isinstance(outcome, Mapping) else ""


def _details(outcome: Any) -> Mapping[str, Any]:
    details = outcome.get("details") if isinstance(outcome, Mapping) else None
    return details if isinstance(details, Mapping) else {}


def _words(outcome: Any) -> str:
    return clean(str(_details(outcome).get("message") or ""))
