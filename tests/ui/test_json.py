"""The JSON documents have exactly the keys of docs/reference/cli.md, in that order."""

from __future__ import annotations

import json

from stackr.core.model import Orphan
from stackr.core.status import Report
from stackr.ui import as_json
from tests.ui.builders import pull, report, row


def test_a_status_document_is_whole_and_bottom_first() -> None:
    shown = report(
        row(1, "Add cache", "in-sync", pull(12)), row(2, "Read it", "new", None, "submit"), orphans=(Orphan(pull(9)),)
    )
    assert json.loads(json.dumps(as_json.report(shown))) == {
        "schema": 1,
        "command": "status",
        "ok": True,
        "trunk": {"name": "main", "oid": "a" * 40},
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
                },
                "next": None,
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
            },
        ],
        "orphans": [{"number": 9, "url": "https://github.com/acme/w/pull/9"}],
    }


def test_keys_stand_in_the_order_of_the_contract() -> None:
    document = as_json.report(report(), [{"kind": "push"}])
    assert list(document) == ["schema", "command", "ok", "trunk", "head", "changes", "orphans", "actions"]
    assert document["actions"] == [{"kind": "push"}]


def test_what_is_not_known_is_null() -> None:
    document = as_json.report(Report("status", None, None, ()))
    assert (document["trunk"], document["head"]) == (None, None)
