"""``stackr status --ci``: what is drawn, and its JSON."""

from __future__ import annotations

from stackr.core.checks import Baseline, PullChecks
from stackr.core.model import CheckCounts, PullState
from stackr.core.rules import Sev
from stackr.core.triage import Kind, Triage, Verdict
from stackr.ui import triage_view
from stackr.ui.line import plain
from tests.ui.builders import pull, report, row

HEAD, BASE = "f" * 40, "7866d11" + "0" * 33
LINK = "https://github.com/acme/w/actions/runs/7/job/1"
SEV = Sev(7, "B200 runners are down", "https://github.com/acme/w/issues/7", ("ci: sev",))
COMPARED = Baseline(BASE, BASE)
STACK = report(
    row(1, "Landed below", "landed", pull(11, state=PullState.MERGED)),
    row(2, "Add cache", "in-sync", pull(12, counts=CheckCounts(3, 2))),
    row(3, "Read it", "in-sync", pull(13, counts=CheckCounts(3, 1, 2))),
    row(4, "Write it", "in-sync", pull(14, counts=CheckCounts(5))),
    row(5, "Use it", "in-sync", pull(15, counts=CheckCounts(5))),
    row(6, "Document it", "new"),
    notes=("a rebase is in progress",),
)
FOUND = Triage(
    (
        PullChecks(12, HEAD, baseline=COMPARED),
        PullChecks(13, HEAD, baseline=COMPARED),
        PullChecks(14, HEAD),
        PullChecks(15, HEAD),
    ),
    {
        12: (
            Verdict("CI / gpu", Kind.BROKEN_TRUNK, "exit status 1", LINK, uncertain=True),
            Verdict("CI / tests", Kind.NEW, "ValueError: x", LINK, required=True),
        ),
        13: (
            Verdict("CI / docs", Kind.PENDING),
            Verdict("CI / lint", Kind.PENDING),
            Verdict("CI / old", Kind.CANCELLED),
            Verdict("CI / tests", Kind.INHERITED, "ValueError: x", blamed=12),
        ),
        14: (Verdict("CI / a", Kind.MISSING),),
        15: (),
    },
    (SEV,),
    ("causes unavailable: no permission",),
)


def drawn(found: Triage = FOUND, *, links: bool = False) -> str:
    return "\n".join(plain(each) for each in triage_view.lines(STACK, found, links=links))


def test_what_failed_follows_the_stack_by_class() -> None:
    assert (
        drawn()
        == f"""\
❗ 1 Active SEVs
    B200 runners are down  https://github.com/acme/w/issues/7

❌ 1 New Failure, 1 Cancelled Job, 1 Inherited Failure, 1 Broken Trunk Failure?, 1 Missing Check, 2 Pending
▶ ○ new  Document it   not submitted
  ✓ #15  Use it        5/5 checks  https://github.com/acme/w/pull/15
  ◐ #14  Write it      1 missing check  https://github.com/acme/w/pull/14
  ✗ #13  Read it       1 cancelled job · 1 inherited failure · 2 pending  https://github.com/acme/w/pull/13
  ✗ #12  Add cache     1 new failure · 1 broken trunk failure?  https://github.com/acme/w/pull/12
  ✓ #11  Landed below  landed  https://github.com/acme/w/pull/11

NEW FAILURES  The following jobs have failed:
    #12  CI / tests  required
         ValueError: x
         {LINK}

CANCELLED JOBS  The following jobs were cancelled:
    #13  CI / old

INHERITED #12  The following jobs fail in the same way on a pull request below:
    #13  CI / tests  from #12
         ValueError: x

BROKEN TRUNK?  The following jobs fail on trunk as well, with a cause that says too little:
    #12  CI / gpu
         exit status 1
         {LINK}

MISSING CHECKS  The following checks are required, and were never created:
    #14  CI / a

PENDING  The following jobs have not ended:
    #13  CI / docs, CI / lint

As of commit fffffff with merge base 7866d11 (#13)
As of commit fffffff with merge base 7866d11 (#12)
note: a rebase is in progress
note: causes unavailable: no permission"""
    )


def test_where_links_are_shown_as_links_addresses_are_left_out() -> None:
    lines = triage_view.lines(STACK, FOUND, links=True)
    assert "https://" not in "\n".join(map(plain, lines))
    assert {span.link for each in lines for span in each} >= {LINK, SEV.url, "https://github.com/acme/w/pull/12"}


def test_without_permission_each_pull_request_says_so_and_nothing_else_is_claimed() -> None:
    unread = Triage(tuple(PullChecks(number, HEAD, readable=False) for number in (12, 13, 14, 15)), {})
    assert drawn(unread).splitlines() == [
        "❔ Checks Cannot Be Read",
        "▶ ○ new  Document it   not submitted",
        *(
            f"  ○ #{number}  {title}  checks cannot be read  https://github.com/acme/w/pull/{number}"
            for number, title in (
                (15, "Use it      "),
                (14, "Write it    "),
                (13, "Read it     "),
                (12, "Add cache   "),
            )
        ),
        "  ✓ #11  Landed below  landed  https://github.com/acme/w/pull/11",
        "note: a rebase is in progress",
    ]


def test_a_pull_request_without_checks_has_none() -> None:
    alone = report(row(1, "Add cache", "in-sync", pull(12)))
    title, line = triage_view.lines(alone, Triage((PullChecks(12, HEAD),), {12: ()}))
    assert (plain(title), plain(line)) == (
        "✅ No Checks",
        "▶ ○ #12  Add cache  no checks  https://github.com/acme/w/pull/12",
    )
    assert triage_view.lines(report(), Triage((), {})) == []


def test_json_gains_what_was_found_and_changes_nothing_else() -> None:
    document = triage_view.document(STACK, FOUND)
    landed, cache, read, *_, new = document["changes"]
    assert (landed["ci"], new["ci"]) == (None, None)
    assert cache["ci"] == {
        "readable": True,
        "merge_base": BASE,
        "compared_with": BASE,
        "jobs": [
            {
                "job": "CI / gpu",
                "class": "broken-trunk",
                "uncertain": True,
                "blamed": None,
                "waivable": False,
                "required": False,
                "cause": "exit status 1",
                "url": LINK,
            },
            {
                "job": "CI / tests",
                "class": "new",
                "uncertain": False,
                "blamed": None,
                "waivable": False,
                "required": True,
                "cause": "ValueError: x",
                "url": LINK,
            },
        ],
    }
    assert read["ci"]["jobs"][3]["blamed"] == 12
    assert document["sevs"] == [{"number": 7, "title": SEV.title, "url": SEV.url, "labels": ["ci: sev"]}]
    assert document["notes"] == ["a rebase is in progress", "causes unavailable: no permission"]
