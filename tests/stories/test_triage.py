"""The story of a triage, over checks in memory: what is asked, how often, and what is said of what cannot be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from stackr.core.checks import Check, Evidence, Outcome
from stackr.core.model import Checks, PullRequest
from stackr.core.rules import LandingFacts, Sev, TrunkRules
from stackr.core.triage import NO_RULES, CiRules, Triage
from stackr.errors import ConfigError, GitHubError, StackrError
from stackr.stories import triage
from stackr.stories.triage import Subject
from tests.support.builders import pull

DENIED = ConfigError("the token may not do this")


@dataclass
class CheckSource:
    """``core.inquiry.Source`` in memory. ``calls`` counts what was asked for, a query each."""

    checks: dict[str, list[Check]] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    logs: dict[str, str | StackrError] = field(default_factory=dict)
    failing: Mapping[str, StackrError] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)

    def add(self, commit: str, name: str, outcome: Outcome = Outcome.FAILED, **evidence: object) -> Check:
        made = Check(f"CI / {name}", name, outcome, node_id=f"{name} at {commit}", job_id=1)
        self.checks.setdefault(commit, []).append(made)
        log = evidence.pop("log", None)
        if isinstance(log, (str, StackrError)):
            self.logs[made.node_id] = log
        self.evidence[made.node_id] = Evidence(**evidence)  # type: ignore[arg-type]
        return made

    def read_checks(self, apart: Sequence[str], together: Sequence[str] = ()) -> dict[str, tuple[Check, ...]]:
        self._count("checks", len(apart) + -(-len(together) // 10))
        return {commit: tuple(self.checks.get(commit, ())) for commit in (*apart, *together)}

    def find_ci(self, commit: str) -> str | None:
        self._count("ancestry")
        line = [commit]
        while line[-1] in self.parents and len(line) < 6:
            line.append(self.parents[line[-1]])
        return next((each for each in line if each in self.checks), None)

    def merge_base(self, one: str, other: str) -> str:
        self._count("merge base")
        return f"{one} below {other}"

    def read_evidence(self, checks: Sequence[Check]) -> list[Evidence]:
        self._count("evidence")
        return [self.evidence[check.node_id] for check in checks]

    def read_logs(self, checks: Sequence[Check]) -> list[str | StackrError]:
        self._count("logs", len(checks))
        return [self.logs[check.node_id] for check in checks]

    def _count(self, what: str, count: int = 1) -> None:
        self.calls[what] += count
        if what in self.failing:
            raise self.failing[what]


class Silence:
    """A ``Ui`` that says nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *words: None


@pytest.fixture
def source() -> CheckSource:
    return CheckSource()


def ask(
    source: CheckSource,
    *pulls: PullRequest,
    bases: Mapping[int, str] | None = None,
    facts: LandingFacts = LandingFacts(),  # noqa: B008
    rules: CiRules = NO_RULES,
    logs: int = 10,
) -> Triage:
    known = {each.number: "base" for each in pulls} if bases is None else bases
    return triage.run(source, Silence(), Subject(pulls, "main", known), facts, rules, logs)


def labels(found: Triage) -> dict[int, list[str]]:
    return {number: [verdict.label for verdict in verdicts] for number, verdicts in found.verdicts.items()}


RED, GREEN, RUNNING = Checks.FAILING, Checks.PASSING, Checks.PENDING
REQUIRED = LandingFacts(rules=TrunkRules(checks=("tests",)))


def test_failures_of_a_stack_are_judged_with_few_questions(source: CheckSource) -> None:
    for commit in ("a1", "b1"):
        source.add(commit, "tests", annotations=("ValueError: x",))
        source.add(commit, "lint", Outcome.PASSED)
    source.add("b1", "gpu", log="ValueError: y")
    source.add("base", "gpu", log="ValueError: y")
    source.add("base", "tests", Outcome.PASSED)
    found = ask(source, pull("A", checks=RED), pull("B", checks=RED), pull("C", checks=GREEN))
    assert labels(found) == {10: ["NEW"], 11: ["BROKEN TRUNK", "INHERITED #10"], 12: []}
    assert found.notes == ()
    assert source.calls == {"checks": 3, "evidence": 1, "logs": 2}


def test_a_stack_that_passed_is_not_asked_about(source: CheckSource) -> None:
    found = ask(source, *(pull(letter, checks=GREEN) for letter in "ABC"))
    assert (labels(found), source.calls["checks"]) == ({10: [], 11: [], 12: []}, 0)
    assert all(each.is_checked and not each.checks for each in found.pulls)
    assert labels(ask(source)) == {}


def test_with_required_checks_all_heads_are_asked_about_ten_at_a_time(source: CheckSource) -> None:
    source.add("a1", "tests", Outcome.PASSED)
    pulls = [pull(letter, checks=GREEN if letter == "A" else Checks.NONE) for letter in "ABCDEFGHIJK"]
    found = ask(source, *pulls, facts=REQUIRED)
    assert labels(found) == {10: [], **{number: ["MISSING"] for number in range(11, 21)}}
    assert source.calls == {"checks": 2}


def test_a_merge_base_without_ci_is_stood_in_for_by_a_first_parent(source: CheckSource) -> None:
    source.add("a1", "tests", annotations=("ValueError: x",))
    source.add("old", "tests", annotations=("ValueError: x",))
    source.parents = {"base": "mid", "mid": "old"}
    found = ask(source, pull("A", checks=RED))
    assert labels(found) == {10: ["BROKEN TRUNK"]}
    assert (found.pulls[0].baseline.merge_base, found.pulls[0].baseline.commit) == ("base", "old")


def test_without_any_ci_on_trunk_nothing_can_be_said(source: CheckSource) -> None:
    source.add("a1", "tests", annotations=("ValueError: x",))
    found = ask(source, pull("A", checks=RED))
    assert labels(found) == {10: ["UNCLASSIFIED"]}
    assert (found.pulls[0].baseline.merge_base, found.pulls[0].baseline.commit) == ("base", "")


def test_a_merge_base_that_is_not_known_here_is_asked_for(source: CheckSource) -> None:
    source.add("a1", "tests", annotations=("ValueError: x",))
    source.add("main below a1", "tests", annotations=("ValueError: x",))
    assert labels(ask(source, pull("A", checks=RED), bases={})) == {10: ["BROKEN TRUNK"]}
    source.failing = {"merge base": GitHubError("no such commit")}
    assert labels(ask(source, pull("A", checks=RED), bases={})) == {10: ["UNCLASSIFIED"]}


def test_what_fails_while_others_still_run_is_judged_too(source: CheckSource) -> None:
    source.add("a1", "tests", Outcome.PENDING)
    source.add("a1", "lint", annotations=("E501",))
    source.add("base", "lint", Outcome.PASSED)
    assert labels(ask(source, pull("A", checks=RUNNING))) == {10: ["NEW", "PENDING"]}


def test_no_more_logs_are_read_than_asked_for_and_that_is_said(source: CheckSource) -> None:
    for i in range(12):
        source.add("a1", f"job {i:02}", log=f"ValueError: {i}")
        source.add("base", f"job {i:02}", Outcome.PASSED)
    found = ask(source, pull("A", checks=RED))
    assert source.calls["logs"] == 10
    assert found.notes == ("2 logs of failed jobs not read (--logs 12 reads all)",)
    assert [verdict.cause for verdict in found.verdicts[10]] == [*(f"ValueError: {i}" for i in range(10)), "", ""]
    assert set(labels(found)[10]) == {"NEW"}
    found = ask(source, pull("A", checks=RED), logs=0)
    assert (source.calls["logs"], found.notes) == (10, ())


def test_what_the_token_may_not_read_is_said_and_nothing_is_waived_for_it(source: CheckSource) -> None:
    for commit in ("a1", "base"):
        source.add(commit, "tests", annotations=("ValueError: x",))
    source.failing = {"evidence": DENIED}
    source.logs = dict.fromkeys(source.evidence, DENIED)
    found = ask(source, pull("A", checks=RED))
    assert labels(found) == {10: ["NEW"]}
    assert found.notes == (
        "causes unavailable: the token may not do this",
        "2 causes unavailable: the token may not do this",
    )
    assert found.exit_code == 1


def test_a_token_that_may_not_read_checks_still_gets_an_answer(source: CheckSource) -> None:
    source.failing = {"checks": DENIED}
    sev = Sev(7, "runners are down", "https://github.com/acme/widgets/issues/7")
    found = ask(source, pull("A"), facts=replace(REQUIRED, sevs=(sev,)))
    assert (found.exit_code, found.verdicts, found.sevs) == (2, {}, (sev,))
    assert found.notes == ("checks cannot be read: the token may not do this",)


def test_a_token_that_may_not_read_some_checks_is_told_so(source: CheckSource) -> None:
    source.add("a1", "tests", Outcome.PENDING)
    source.add("a1", "", Outcome.HIDDEN)
    found = ask(source, pull("A", checks=RUNNING), pull("B", checks=GREEN), facts=REQUIRED)
    assert labels(found) == {10: ["PENDING"], 11: ["MISSING"]}
    assert found.notes == ("not all checks of 1 pull request can be read with this token",)
    assert [each.readable for each in found.pulls] == [False, True]


def test_a_network_that_fails_is_no_answer(source: CheckSource) -> None:
    source.failing = {"checks": GitHubError("no answer")}
    with pytest.raises(GitHubError):
        ask(source, pull("A", checks=RED))
