"""Just enough of GitHub's CI for the client's tests: commits with checks, over GitHub's own schema, and job logs.

Every text is held against that schema, as by ``canned_github``. Not here: pull requests, whole commands (the sandbox).
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLResolveInfo, execute_sync, parse, validate

from tests.support.canned_github import Said, said
from tests.support.canned_http import Asked, Canned
from tests.support.github_schema import github_schema

Json = dict[str, Any]
REPO = "/api/v3/repos/acme/widgets"


@dataclass
class CannedCi:
    """One repository, acme/widgets. ``logs`` goes by job, ``jobs`` by workflow run, ``parents`` by commit.

    ``forbidden``: fields whose reading the token has no permission for. A page has ``page`` checks at most.
    """

    commits: dict[str, list[Json]] = field(default_factory=dict)
    suites: dict[str, list[Json]] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    logs: dict[int, Canned] = field(default_factory=dict)
    jobs: dict[int, list[Json]] = field(default_factory=dict)
    forbidden: tuple[str, ...] = ()
    page: int = 100
    asked: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, commit: str, name: str, conclusion: str | None = "FAILURE", **more: Any) -> Json:
        """A job of the workflow CI on a commit; it has a number of its own, and the workflow's run has 7."""
        number = 100 + sum(map(len, self.commits.values()))
        made = {
            "__typename": "CheckRun",
            "id": f"CR_{number}",
            "databaseId": number,
            "name": name,
            "status": "COMPLETED" if conclusion else "IN_PROGRESS",
            "conclusion": conclusion,
            "title": None,
            "permalink": f"https://github.com/acme/widgets/runs/{number}",
            "detailsUrl": f"https://github.com/acme/widgets/actions/runs/7/job/{number}",
            "annotations": lambda info, first: {"nodes": made["notes"]},
            "steps": lambda info, first: made["done"] and {"nodes": made["done"]},
            "notes": [],
            "done": None,
            "passed": 0,
            "workflow": "CI",
            "run": 7,
            **more,
        }
        run = {"databaseId": made["run"], "event": "push", "workflow": {"name": made["workflow"]}}
        runs = {"totalCount": made["passed"]}
        made["checkSuite"] = {
            "workflowRun": run if made["workflow"] else None,
            "checkRuns": lambda info, first, filterBy: runs,
        }
        self.commits.setdefault(commit, []).append(made)
        return made

    def status(self, commit: str, context: str, state: str, **more: Any) -> None:
        """A commit status."""
        made = {"__typename": "StatusContext", "context": context, "state": state, **more}
        self.commits.setdefault(commit, []).append(made)

    def answer(self, asked: Asked) -> Canned:
        """The answer to one request."""
        with self._lock:
            self.asked.append(asked.path.removeprefix(REPO) if asked.json is None else operation(asked.json["query"]))
        if asked.json is not None:
            return self._query(asked.json["query"], asked.json["variables"])
        kind, _, rest = asked.path.removeprefix(f"{REPO}/").partition("/")
        return getattr(self, f"_get_{kind}")(rest, asked)

    def counts(self) -> Counter[str]:
        """How often each operation was asked for."""
        return Counter(self.asked)

    def _query(self, text: str, variables: Mapping[str, Any]) -> Canned:
        document = parse(text)
        faults = validate(github_schema(), document)
        assert not faults, faults
        root = {"repository": {"object": self._object}, "node": self._node}
        result = execute_sync(github_schema(), document, root, variable_values=dict(variables))
        errors = {"errors": [said(error) for error in result.errors]} if result.errors else {}
        return Canned(body={"data": result.data, **errors})

    def _object(self, info: GraphQLResolveInfo, oid: str) -> Json | None:
        if oid not in self.commits and oid not in self.parents:
            return None
        contexts = self.commits.get(oid)
        above = [node for node in [self._object(info, self.parents[oid])] if node] if oid in self.parents else []
        return {
            "__typename": "Commit",
            "oid": oid,
            "statusCheckRollup": lambda info: self._rollup(contexts),
            "checkSuites": lambda info, first: {"nodes": self.suites.get(oid, [])},
            "parents": lambda info, first: {"nodes": above},
        }

    def _rollup(self, contexts: list[Json] | None) -> Json | None:
        if "statusCheckRollup" in self.forbidden:
            raise Said("FORBIDDEN", "Resource not accessible by personal access token")
        if contexts is None:
            return None

        def page(info: GraphQLResolveInfo, first: int, after: str | None = None) -> Json:
            start = int(after or 0)
            end = start + min(first, self.page)
            if "StatusContext" in self.forbidden:
                refused = Said("FORBIDDEN", "Resource not accessible by integration")
                nodes = [refused if each["__typename"] == "StatusContext" else each for each in contexts]
            else:
                nodes = contexts
            return {
                "nodes": nodes[start:end],
                "pageInfo": {"hasNextPage": end < len(contexts), "endCursor": str(end)},
            }

        return {"state": "FAILURE", "contexts": page}

    def _node(self, info: GraphQLResolveInfo, id: str) -> Json | None:  # noqa: A002 - GitHub's name
        if "node" in self.forbidden:
            raise Said("FORBIDDEN", "Resource not accessible by personal access token")
        runs = (run for contexts in self.commits.values() for run in contexts)
        return next((run for run in runs if run.get("id") == id), None)

    def _get_actions(self, rest: str, asked: Asked) -> Canned:
        kind, number, what = rest.split("/")
        if (kind, what) == ("jobs", "logs"):
            return self.logs.get(int(number), Canned(404, {"message": "Not Found"}))
        assert (kind, what, asked.params["filter"]) == ("runs", "jobs", "all")
        if int(number) not in self.jobs:
            return Canned(403, {"message": "Resource not accessible by personal access token"})
        return Canned(body={"total_count": len(self.jobs[int(number)]), "jobs": self.jobs[int(number)]})

    def _get_compare(self, rest: str, asked: Asked) -> Canned:
        assert asked.params["page"] == "2"
        return Canned(body={"merge_base_commit": {"sha": f"base of {rest}"}})


def operation(text: str) -> str:
    """The name of a query."""
    return str(parse(text).to_dict()["definitions"][0]["name"]["value"])
