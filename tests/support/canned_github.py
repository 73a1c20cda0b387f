"""Just enough of GitHub's GraphQL for the client's tests: GitHub's own schema over a list of pull requests.

Every query is validated against the full public schema before it is answered, so a query that GitHub would refuse fails
here too. What lives here: data, the few mutations, faults by call. Not here: rules (that is the sandbox).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLError, GraphQLResolveInfo, execute_sync, parse, validate

from stackr.core.model import ZERO_OID
from tests.support.canned_http import Asked, Canned, ManualClock
from tests.support.github_schema import github_schema

Json = dict[str, Any]


class Said(GraphQLError):
    """An entry of ``errors`` as GitHub writes it, with a type beside the message."""

    def __init__(self, type_: str, message: str) -> None:
        super().__init__(message)
        self.type = type_


def said(error: GraphQLError) -> Json:
    """The JSON of an error; the type is GitHub's addition to the GraphQL specification."""
    original = error.original_error
    type_ = original.type if isinstance(original, Said) else getattr(error, "type", None)
    return {**error.formatted, **({"type": type_} if type_ else {})}


@dataclass
class CannedGitHub:
    """One repository, acme/widgets. ``faults[k]`` replaces the k-th answer (from 1), before or after its effect."""

    pulls: list[Json] = field(default_factory=list)
    branches: dict[str, str] = field(default_factory=lambda: {"main": "0" * 39 + "1"})
    users: tuple[str, ...] = ("alice", "bob")
    labels: tuple[str, ...] = ("bug",)
    permission: str = "WRITE"
    settings: Json = field(default_factory=dict)
    rules: dict[str, Json] = field(default_factory=dict)
    queues: dict[str, Json] = field(default_factory=dict)
    issues: list[Json] = field(default_factory=list)
    exists: bool = True
    checks_error: Said | None = None
    clock: ManualClock = field(default_factory=ManualClock)
    seconds_a_mutation: float = 0.0
    faults: dict[int, tuple[Canned, bool]] = field(default_factory=dict)
    refuse: Callable[[str, Json], Said | None] = lambda mutation, given: None
    asked: list[Json] = field(default_factory=list)
    mutations: list[tuple[str, Json]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def fail(self, call: int, canned: Canned, *, after: bool = False) -> None:
        """Answer the ``call``-th request with ``canned``; with ``after``, do first what was asked."""
        self.faults[call] = (canned, after)

    def operations(self) -> list[str]:
        """The names of the operations asked for, in order."""
        return [str(parse(asked["query"]).to_dict()["definitions"][0]["name"]["value"]) for asked in self.asked]

    def add(self, head: str, **more: Any) -> Json:
        """A pull request that exists."""
        number = len(self.pulls) + 1
        author = {"__typename": "User", "login": more.pop("author", "alice")}
        pull = {
            "__typename": "PullRequest",
            "number": number,
            "id": f"PR_{number}",
            "url": f"https://github.com/acme/widgets/pull/{number}",
            "state": "OPEN",
            "isDraft": False,
            "isCrossRepository": False,
            "headRefName": head,
            "headRefOid": "a" * 40,
            "baseRefName": "main",
            "baseRefOid": "b" * 40,
            "title": f"title {number}",
            "body": f"body {number}",
            "author": author,
            "mergeCommit": None,
            "reviewDecision": None,
            "mergeable": "UNKNOWN",
            "latestOpinionatedReviews": {"nodes": []},
            "rollup": None,
            "mergeStateStatus": "CLEAN",
            "mergeQueueEntry": None,
            "autoMergeRequest": None,
            "reviewThreads": {"nodes": []},
            **more,
        }
        pull["repository"] = self.repository
        pull["baseRef"] = lambda info: self._ref(info, pull["baseRefName"])
        pull["statusCheckRollup"] = lambda info: self._rollup(pull)
        self.pulls.append(pull)
        return pull

    def answer(self, asked: Asked) -> Canned:
        """The answer to one request to /api/graphql."""
        with self._lock:
            self.asked.append(asked.json)
            canned, after = self.faults.get(len(self.asked), (None, False))
            if canned is not None and not after:
                return canned
            real = self._run(asked.json["query"], asked.json["variables"])
            return canned or real

    def answer_to_last(self) -> Json:
        """The JSON of the last answer, to be told again with a change."""
        body: Json = self._run(self.asked[-1]["query"], self.asked[-1]["variables"]).body
        return body

    def _run(self, text: str, variables: Mapping[str, Any]) -> Canned:
        document = parse(text)
        faults = validate(github_schema(), document)
        assert not faults, faults
        root = {
            "viewer": {"login": "alice"},
            "repository": self._find_repository,
            "search": self._search,
            "user": lambda info, login: self._user(login),
            "organization": lambda info, login: (
                {"team": lambda i, slug: {"id": f"T_{slug}"}} if login == "acme" else None
            ),
            "nodes": lambda info, ids: [next((p for p in self.pulls if p["id"] == i), None) for i in ids],
        }
        for mutation in ("reopenPullRequest", "closePullRequest", "updatePullRequest", "convertPullRequestToDraft"):
            root[mutation] = self._mutation
        for mutation in ("markPullRequestReadyForReview", "requestReviews", "addLabelsToLabelable", "updateRefs"):
            root[mutation] = self._mutation
        for mutation in ("createPullRequest", "enqueuePullRequest", "enablePullRequestAutoMerge"):
            root[mutation] = self._mutation
        result = execute_sync(github_schema(), document, root, variable_values=dict(variables))
        body: Json = {"data": result.data}
        if result.errors:
            body["errors"] = [said(error) for error in result.errors]
        return Canned(body=body)

    def _find_repository(self, info: GraphQLResolveInfo, owner: str, name: str, **more: Any) -> Json:
        if not self.exists:
            raise Said("NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return self.repository(info)

    def repository(self, info: GraphQLResolveInfo) -> Json:
        return {
            "id": "R_1",
            "viewerPermission": self.permission,
            "defaultBranchRef": self._ref(info, "refs/heads/main"),
            "ref": self._ref,
            "pullRequests": self._by_head,
            "pullRequest": self._by_number,
            "label": lambda info, name: {"id": f"L_{name}"} if name in self.labels else None,
            **dict.fromkeys(("mergeCommitAllowed", "squashMergeAllowed", "rebaseMergeAllowed"), True),
            "autoMergeAllowed": False,
            "deleteBranchOnMerge": False,
            "mergeQueue": lambda info, branch="main": self.queues.get(branch),
            "issues": self._issues,
            **self.settings,
        }

    def _ref(self, info: GraphQLResolveInfo, qualifiedName: str) -> Json | None:
        name = qualifiedName.removeprefix("refs/heads/")
        oid = self.branches.get(name)
        if oid is None:
            return None
        rules = {
            "branchProtectionRule": None,
            "refUpdateRule": None,
            "rules": {"nodes": []},
            **self.rules.get(name, {}),
        }
        return {"id": f"REF_{name}", "name": name, "target": {"__typename": "Commit", "oid": oid}, **rules}

    def _issues(self, info: GraphQLResolveInfo, labels: list[str], states: list[str], first: int, **more: Any) -> Json:
        assert (states, first) == (["OPEN"], 20)
        named = [(issue, [label["name"] for label in issue["labels"]["nodes"]]) for issue in self.issues]
        return {"nodes": [issue for issue, names in named if set(labels) & set(names)]}

    def _by_head(self, info: GraphQLResolveInfo, first: int, **more: Any) -> Json:
        chosen = {key: more[key] for key in ("headRefName", "baseRefName") if key in more}
        found = [p for p in reversed(self.pulls) if all(p[key] == name for key, name in chosen.items())]
        found = [p for p in found if p["state"] in more.get("states", [p["state"]])]
        start = int(more.get("after") or 0)
        page = {"hasNextPage": len(found) > start + first, "endCursor": str(start + first)}
        return {"nodes": found[start : start + first], "pageInfo": page}

    def _search(self, info: GraphQLResolveInfo, query: str, first: int, **more: Any) -> Json:
        assert query == "repo:acme/widgets is:pr is:open author:@me"
        found = [p for p in self.pulls if p["state"] == "OPEN" and p["author"]["login"] == "alice"]
        start = int(more.get("after") or 0)
        page = {"hasNextPage": len(found) > start + first, "endCursor": str(start + first)}
        return {"nodes": found[start : start + first], "pageInfo": page}

    def _by_number(self, info: GraphQLResolveInfo, number: int) -> Json:
        if number > len(self.pulls):
            raise Said("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")
        return self.pulls[number - 1]

    def _user(self, login: str) -> Json:
        if login not in self.users:
            raise Said("NOT_FOUND", f"Could not resolve to a User with the login of '{login}'.")
        return {"id": f"U_{login}"}

    def _rollup(self, pull: Json) -> Json | None:
        if self.checks_error is not None:
            raise self.checks_error
        runs = [{"state": state, "count": count} for state, count in pull.get("runs", {}).items()]
        statuses = [{"state": state, "count": count} for state, count in pull.get("statuses", {}).items()]
        counts = {"checkRunCountsByState": runs, "statusContextCountsByState": statuses}
        return {"state": pull["rollup"], "contexts": lambda info, first: counts} if pull["rollup"] else None

    def _mutation(self, info: GraphQLResolveInfo, input: Json) -> Json:  # noqa: A002 - GitHub's name
        self.clock.pass_(self.seconds_a_mutation)
        refusal = self.refuse(info.field_name, input)
        if refusal is not None:
            raise refusal
        self.mutations.append((info.field_name, input))
        effect = getattr(self, f"_do_{info.field_name}", None)
        done: Json = effect(input) if effect else {}
        return {"clientMutationId": None, **done}

    def _do_createPullRequest(self, given: Json) -> Json:
        head = given["headRefName"]
        if any(p["headRefName"] == head and p["state"] == "OPEN" for p in self.pulls):
            raise Said("UNPROCESSABLE", f"A pull request already exists for acme:{head}.")
        pull = self.add(head, baseRefName=given["baseRefName"], title=given["title"], body=given["body"])
        pull["isDraft"] = given["draft"]
        return {"pullRequest": pull}

    def _do_updatePullRequest(self, given: Json) -> Json:
        pull = self._pull(given["pullRequestId"])
        pull.update({name: given[name] for name in ("title", "body", "baseRefName") if name in given})
        return {}

    def _do_closePullRequest(self, given: Json) -> Json:
        pull = self._pull(given["pullRequestId"])
        if pull["state"] != "OPEN":
            raise Said("UNPROCESSABLE", "Could not close the pull request.")
        pull["state"] = "CLOSED"
        return {}

    def _do_reopenPullRequest(self, given: Json) -> Json:
        pull = self._pull(given["pullRequestId"])
        if pull["state"] == "OPEN":
            raise Said("UNPROCESSABLE", "Could not open the pull request.")
        pull["state"] = "OPEN"
        return {}

    def _do_convertPullRequestToDraft(self, given: Json) -> Json:
        self._pull(given["pullRequestId"])["isDraft"] = True
        return {}

    def _do_markPullRequestReadyForReview(self, given: Json) -> Json:
        self._pull(given["pullRequestId"])["isDraft"] = False
        return {}

    def _do_updateRefs(self, given: Json) -> Json:
        for update in given["refUpdates"]:
            name = update["name"].removeprefix("refs/heads/")
            if "beforeOid" in update and self.branches.get(name) != update["beforeOid"]:
                raise Said("UNPROCESSABLE", f"Reference cannot be updated: {name}")
        for update in given["refUpdates"]:
            name, oid = update["name"].removeprefix("refs/heads/"), update["afterOid"]
            self.branches = {key: tip for key, tip in self.branches.items() if key != name}
            self.branches |= {name: oid} if oid != ZERO_OID else {}
        return {}

    def _do_enqueuePullRequest(self, given: Json) -> Json:
        self._pull(given["pullRequestId"])["mergeQueueEntry"] = entry = {"state": "QUEUED"}
        return {"mergeQueueEntry": entry}

    def _do_enablePullRequestAutoMerge(self, given: Json) -> Json:
        asked = {name: given.get(name) for name in ("mergeMethod", "commitHeadline", "commitBody")}
        self._pull(given["pullRequestId"])["autoMergeRequest"] = {**asked, "enabledAt": "2026-12-01T00:00:00Z"}
        return {}

    def _pull(self, node_id: str) -> Json:
        return next(pull for pull in self.pulls if pull["id"] == node_id)
