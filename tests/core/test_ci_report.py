"""The report on CI for one pull request."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackr.core.checks import Baseline, Check, Outcome, PullChecks
from stackr.core.ci_report import Subject, count_jobs, write
from stackr.core.ci_words import as_of, headline, sections, sign
from stackr.core.rules import Sev
from stackr.core.triage import Kind, Verdict

HEAD, BASE, OLDER = ("633b83c" + "0" * 33, "7866d11" + "0" * 33, "1234567" + "0" * 33)
PULL = PullChecks(3285, HEAD, (Check("CI / lint", "lint", Outcome.PASSED),), Baseline(BASE, BASE), is_checked=True)
DOCKER = "RuntimeError: Command docker exec -t {} /exec failed with exit code 1"
EXAMPLE = (
    ("Continuous Benchmark (PR) / GPU Pytest benchmark", "Process completed with exit code 139."),
    ("Habitat Tests on Linux / tests (3.9, 12.8) / linux-job", DOCKER.format("eee135966cc9")),
    ("Libs Tests on Linux / unittests-gym (3.9, 12.8) / linux-job", DOCKER.format("6c30b00e2f3c")),
    (
        "Unit-tests on Linux / tests-olddeps (3.9, 11.6) / linux-job",
        "test/test_transforms.py::TestVecNorm::test_parallelenv_vecnorm",
    ),
    (
        "Unit-tests on Windows / unittests-cpu (3.10, windows.4xlarge, cpu) / windows-job",
        "RuntimeError: Command failed.",
    ),
)


def verdict(kind: Kind = Kind.NEW, job: str = "CI / tests", **more: object) -> Verdict:
    return Verdict(job, kind, **more)  # type: ignore[arg-type]


def report(*verdicts: Verdict, keep: int = 100, **more: object) -> str:
    return write(replace(Subject(PULL, verdicts), **more), keep)  # type: ignore[arg-type]


def test_the_example_reads_as_its_bot_wrote_it() -> None:
    found = tuple(verdict(job=job, cause=cause, link="https://ci/1") for job, cause in EXAMPLE)
    sevs = (Sev(7, "B200 runners are down due to network issues", "https://github.com/acme/widgets/issues/7"),)
    jobs = "\n".join(f"* **{job}** ([gh](<https://ci/1>))\n  `{cause}`" for job, cause in EXAMPLE)
    assert report(*found, sevs=sevs) == (
        "## ❗ 1 Active SEVs\n"
        "\n"
        "There are 1 currently active SEVs. If your PR is affected, please view them below:\n"
        "\n"
        "* **B200 runners are down due to network issues** ([issue](<https://github.com/acme/widgets/issues/7>))\n"
        "\n"
        "## ❌ 5 New Failures\n"
        "\n"
        "As of commit 633b83c with merge base 7866d11:\n"
        "\n"
        "**NEW FAILURES** - The following jobs have failed:\n"
        "\n"
        f"{jobs}"
    )


def test_every_class_has_its_place_and_its_words() -> None:
    found = [verdict(kind, uncertain=False) for kind in Kind]
    found += [verdict(Kind.BROKEN_TRUNK, uncertain=True), verdict(Kind.INHERITED, uncertain=True)]
    assert [(section.heading, section.count) for section in sections(found)] == [
        ("NEW FAILURES", "1 New Failure"),
        ("UNCLASSIFIED", "1 Unclassified Failure"),
        ("CANCELLED JOBS", "1 Cancelled Job"),
        ("INHERITED?", "1 Inherited Failure?"),
        ("INHERITED", "1 Inherited Failure"),
        ("BROKEN TRUNK?", "1 Broken Trunk Failure?"),
        ("BROKEN TRUNK", "1 Broken Trunk Failure"),
        ("FLAKY", "1 Flaky Failure"),
        ("INFRA", "1 Infrastructure Failure"),
        ("UNSTABLE", "1 Unstable Failure"),
        ("AWAITING APPROVAL", "1 Awaiting Approval"),
        ("MISSING CHECKS", "1 Missing Check"),
        ("PENDING", "1 Pending"),
    ]
    assert all(section.explanation for section in sections(found))
    (blaming,) = sections(verdict(Kind.INHERITED, uncertain=True, blamed=number) for number in (14, 12, 14))
    assert blaming.heading == "INHERITED? #12, #14"


@pytest.mark.parametrize(
    ("verdicts", "title"),
    [
        ([], "✅ No Failures"),
        ([verdict(), verdict(), verdict(Kind.PENDING)], "❌ 2 New Failures, 1 Pending"),
        ([verdict(Kind.CANCELLED)], "❌ 1 Cancelled Job"),
        ([verdict(Kind.UNCLASSIFIED)], "❌ 1 Unclassified Failure"),
        ([verdict(Kind.BROKEN_TRUNK, uncertain=True)] * 2, "❌ 2 Broken Trunk Failures?"),
        ([verdict(Kind.BROKEN_TRUNK)] * 2, "✅ No New Failures, 2 Broken Trunk Failures"),
        ([verdict(Kind.INHERITED, blamed=7)], "✅ No New Failures, 1 Inherited Failure"),
        ([verdict(Kind.AWAITING)] * 2 + [verdict(Kind.PENDING)] * 3, "⚠️ No Failures, 2 Awaiting Approval, 3 Pending"),
        ([verdict(Kind.MISSING)] * 2, "⚠️ No Failures, 2 Missing Checks"),
        ([verdict(Kind.PENDING)], "⏳ No Failures, 1 Pending"),
    ],
)
def test_the_title_says_how_bad_it_is(verdicts: list[Verdict], title: str) -> None:
    found = sections(verdicts)
    assert f"{sign(found)} {headline(found)}" == title


def test_where_nothing_failed_the_commit_is_named_all_the_same() -> None:
    green = replace(PULL, baseline=Baseline())
    assert report(pull=green) == "## ✅ No Failures\n\nAs of commit 633b83c."
    # Checks that passed need not have been read.
    assert report(pull=replace(green, checks=())) == "## ✅ No Failures\n\nAs of commit 633b83c."
    assert report(pull=PullChecks(3285, HEAD)) == "## ✅ No Checks\n\nAs of commit 633b83c."


def test_a_token_that_may_not_read_checks_makes_a_report_that_says_so() -> None:
    unread = PullChecks(3285, HEAD, readable=False)
    assert report(pull=unread, notes=("checks cannot be read: no <permission>",)) == (
        "## ❔ Checks Cannot Be Read\n\nAs of commit 633b83c.\n\n> checks cannot be read: no &#60;permission&#62;"
    )


def test_a_token_that_may_not_read_all_checks_makes_no_promise() -> None:
    part = replace(PULL, readable=False)
    assert report(verdict(Kind.FLAKY), pull=part).startswith("## ❔ No New Failures, 1 Flaky Failure\n")
    assert report(verdict(), pull=part).startswith("## ❌ 1 New Failure\n")


def test_the_commit_that_was_compared_with_is_named() -> None:
    assert [
        as_of(PullChecks(1, HEAD, baseline=baseline))
        for baseline in (Baseline(), Baseline(BASE), Baseline(BASE, OLDER))
    ] == [
        "As of commit 633b83c",
        "As of commit 633b83c with merge base 7866d11 (no CI there, nor at its first parents)",
        "As of commit 633b83c with merge base 7866d11 "
        "(no CI there, so compared with 1234567, its nearest first parent that has any)",
    ]


def test_an_inherited_failure_names_the_pull_request_it_came_with() -> None:
    text = report(verdict(Kind.INHERITED, cause="ValueError: x", blamed=3283))
    assert "* **CI / tests** from #3283\n  `ValueError: x`" in text


def test_what_least_wants_attention_is_left_out_first() -> None:
    found = (verdict(), verdict(Kind.FLAKY, "CI / a"), verdict(Kind.FLAKY, "CI / b"), verdict(Kind.PENDING))
    text = report(*found, keep=2)
    assert text.endswith("* **CI / a**\n\n2 of 4 jobs are left out here.")
    assert "PENDING" not in text
    assert report(*found, keep=0).endswith("\n\n4 of 4 jobs are left out here.")
    assert count_jobs(Subject(PULL, found)) == 4


def test_hostile_names_causes_and_links_neither_break_out_nor_notify_anybody() -> None:
    evil = "`**@alice** <!-- #1 \x1b[31m\u202e](https://evil.example) | ```"
    text = report(verdict(job=f"1. {evil}", cause=evil, link="https://x/>)<!--"), sevs=(Sev(1, evil, "javascript:x"),))
    assert "@alice" not in text
    assert "#1 " not in text
    assert "https://evil" not in text
    assert "\x1b" not in text
    assert "javascript" not in text
    assert "https://x" not in text
    start, middle, end = (
        "&#96;&#42;&#42;@\u200balice&#42;&#42;",
        "&#60;!-- #\u200b1 &#93;",
        "(https:\u200b//evil.example)",
    )
    safe = f"{start} {middle}{end} &#124; &#96;&#96;&#96;"
    code = "`**@\u200balice** <!\u200b-- #\u200b1 ](https:\u200b//evil.example) | ```"
    assert f"\n* **{safe}**\n" in text
    assert text.endswith(f"\n* **1. {safe}**\n  ```` {code} ````")
