"""The JSON documents have exactly the keys of docs/reference/cli.md, in that order."""

from __future__ import annotations

import json
from dataclasses import replace

from stackr.core.model import CheckCounts, Orphan, ReviewVote
from stackr.core.overview import PullStack
from stackr.core.status import Report
from stackr.ui import as_json
from tests.ui.builders import commit, pull, report, row


def test_a_status_document_is_whole_and_bottom_first() -> None:
    shown = report(
        row(1, "Add cache", "in-sync", pull(12)), row(2, "Read it", "new", None, "submit"), orphans=(Orphan(pull(9)),)
    )
    assert json.loads(json.dumps(as_json.report(shown))) == {
        "schema": 1,
        "command": "status",
        "ok": True,
        "trunk": {"name": "main", "oid": "a" * 40, "behind": 0},
        "head": {"branch": "feature", "oid": "2" * 40},
        "changes": [
            {
                "position": 1,
                "id": "I" + "1" * 40,
                "title": "Add cache",
                "commit": "1" * 40,
                "head_ref": "stackr/alice/1111111111",
                "state": "in-sync",
                "pull": {
                    "number": 12,
                    "url": "https://github.com/acme/w/pull/12",
                    "state": "open",
                    "draft": False,
                    "base_ref": "main",
                    "head_oid": "f" * 40,
                    "review": "approved",
                    "checks": "passing",
                    "mergeable": "yes",
                    "check_counts": {"passing": 0, "failing": 0, "pending": 0},
                    "reviews": [],
                },
                "next": None,
                "drift": [],
                "foreign": [],
            },
            {
                "position": 2,
                "id": "I" + "2" * 40,
                "title": "Read it",
                "commit": "2" * 40,
                "head_ref": "stackr/alice/2222222222",
                "state": "new",
                "pull": None,
                "next": "submit",
                "drift": [],
                "foreign": [],
            },
        ],
        "orphans": [{"number": 9, "url": "https://github.com/acme/w/pull/9"}],
        "landed": [],
        "ready": [12],
        "notes": [],
    }


def test_keys_stand_in_the_order_of_the_contract() -> None:
    document = as_json.report(report(), [{"kind": "push"}])
    keys = ["schema", "command", "ok", "trunk", "head", "changes", "orphans"]
    assert list(document) == [*keys, "actions"]
    assert document["trunk"] == {"name": "main", "oid": "a" * 40}
    assert list(as_json.report(report())) == [*keys, "landed", "ready", "notes"]
    assert document["actions"] == [{"kind": "push"}]


def test_what_is_not_known_is_null() -> None:
    document = as_json.report(Report("status", None, None, ()))
    assert (document["trunk"], document["head"]) == (None, None)


def test_reviews_counts_drift_and_what_others_pushed_are_told() -> None:
    votes = (ReviewVote("bob", "APPROVED", "f" * 40), ReviewVote("carol", "CHANGES_REQUESTED", "e" * 40))
    mine = pull(12, votes=votes, counts=CheckCounts(3, 1, 2))
    theirs = replace(row(1, "Add cache", "remote-ahead", mine, "sync"), foreign=(commit("c", "Suggest"),))
    (change,) = as_json.report(report(replace(theirs, drift=("commit", "base"))))["changes"]
    assert change["drift"] == ["commit", "base"]
    assert change["foreign"] == [{"commit": "c" * 40, "author": "Alice", "title": "Suggest"}]
    assert change["pull"]["check_counts"] == {"passing": 3, "failing": 1, "pending": 2}
    assert change["pull"]["reviews"] == [
        {"login": "bob", "review": "approved", "current": True},
        {"login": "carol", "review": "changes-requested", "current": False},
    ]


def test_all_stacks_are_told_with_their_branches() -> None:
    document = as_json.overview([PullStack("main", (pull(1), pull(2)), ("feature",), 2)])
    (stack,) = document["stacks"]
    assert (stack["base"], stack["branches"], stack["head"]) == ("main", ["feature"], 2)
    assert [(change["position"], change["pull"]["number"]) for change in stack["changes"]] == [(1, 1), (2, 2)]
    assert [*document, *stack["changes"][0]] == [
        *("schema", "command", "ok", "stacks"),
        *("position", "title", "head_ref", "fork", "pull"),
    ]
