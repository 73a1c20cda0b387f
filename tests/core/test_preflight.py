"""Everything that can stand in the way of a landing, each with its message, its rule and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from stackr.core import approvals, preflight, waiving
from stackr.core.fates import Fate, fates
from stackr.core.land import Clean, Prospect, Wanted
from stackr.core.model import PullState, ReviewVote, Stack
from stackr.core.obstacles import Question, sentence
from stackr.core.ownership import BRANCHES, KEPT, REVIEWED
from stackr.core.preflight import list_obstacles, list_warnings
from stackr.core.replaying import ReplayConflict
from stackr.core.rules import LandingFacts, MergeState, Method, PullStanding, Sev, TrunkRules
from stackr.core.triage import Kind, Verdict
from stackr.core.waiving import list_waived
from tests.support.builders import cid, commit, listed, live, new, number, orphan, pull, ref, stack

SOURCES = {"approvals": 'ruleset "main"', "checks": "branch protection", "strict": "a", "resolved_threads": "b"}


def two() -> Stack:
    return listed(stack(live("a1", "t1"), live("b1", "a1", ref("A"))))


def ask(made: Stack, *, method: Method = Method.SQUASH, **more: object) -> Question:
    """The question of landing all of ``made``; fields of ``Question``, ``Prospect`` and ``TrunkRules`` by name."""
    own = {name: more.pop(name) for name in ("verdicts", "ignored", "found") if name in more}
    seen = {name: more.pop(name) for name in ("conflict", "clean", "count") if name in more}
    facts = {name: more.pop(name) for name in ("standings", "sevs") if name in more}
    clean = {c.id: Clean(f"clean {c.id}", c.commit.tree, "below") for c in made.changes}
    strict = bool(more.get("strict")) and not more.get("queue")
    prospect = Prospect(made, len(made.changes), clean, {c.id: c.commit.tree for c in made.changes}, strict=strict)
    rules = TrunkRules(**more, sources=SOURCES)  # type: ignore[arg-type]
    question = Question(replace(prospect, **seen), fates(made), LandingFacts(rules, **facts), Wanted(method))  # type: ignore[arg-type]
    return replace(question, **own)  # type: ignore[arg-type]


def told(question: Question) -> list[tuple[str, str, str]]:
    """(letter, rule, sentence) of every obstacle."""
    letters = {cid(letter): letter for letter in "ABC"}
    return [(letters[o.change_id], o.rule, sentence(o)) for o in list_obstacles(question)]


def with_pull(made: Stack, letter: str, **fields: object) -> Stack:
    """The stack with other facts about one pull request."""
    changes = tuple(
        replace(c, pull=replace(c.pull, **fields)) if c.id == cid(letter) and c.pull else c  # type: ignore[arg-type]
        for c in made.changes
    )
    return replace(made, changes=changes)


WAITS_FOR_A = ("B", "below", f'waits for #{number("A")} "Add A" below it')


def test_a_stack_that_is_as_it_was_submitted_and_has_no_rules_may_land() -> None:
    assert told(ask(two())) == []
    assert preflight.ready(ask(two()).prospect, ()) == 2


def test_a_change_that_was_never_submitted() -> None:
    made = stack(live("a1", "t1"), new("b1", "a1"))
    assert told(ask(made)) == [("B", "unsubmitted", "it has no pull request; stackr submit")]


@pytest.mark.parametrize(
    ("fate", "expected"),
    [
        (Fate.AMENDED, ("A", "unsubmitted", "it landed, and was amended since; stackr sync, then stackr submit")),
        (
            Fate.MISPLACED,
            (
                "A",
                "wrong-base",
                'it was merged into "main", which is not main; '
                "stackr sync keeps it as a new change, stackr submit sends that",
            ),
        ),
    ],
)
def test_a_change_that_is_not_what_was_merged(fate: Fate, expected: tuple[str, str, str]) -> None:
    question = ask(two())
    assert told(replace(question, found={**question.found, cid("A"): fate})) == [expected, WAITS_FOR_A]


def test_a_pull_request_that_was_closed() -> None:
    made = with_pull(two(), "A", state=PullState.CLOSED)
    assert told(ask(made)) == [("A", "closed", "its pull request is closed; stackr submit --reopen"), WAITS_FOR_A]


def test_commits_of_others_that_nobody_here_has_seen() -> None:
    made = listed(stack(live("a1", "t1", remote="a9", accepted="a1"), trees={"a9": "theirs"}, history={"a9": ("a1",)}))
    todo = "stackr sync takes it in; then have a look, and stackr submit"
    for commits, who in (((commit("a9", "a1", author=b"Bob <b@x> 1 +0000"),), "Bob"), ((), "somebody")):
        known = replace(made, foreign={cid("A"): commits})
        sentence = f"{who} pushed to its branch, and you have not seen that here; {todo}"
        assert told(ask(known)) == [("A", "foreign", sentence)]


def test_what_is_here_is_not_what_is_on_github() -> None:
    made = listed(stack(live("a2", "t1", remote="a1"), history={"a1": ("t1",)}))
    assert told(ask(made)) == [("A", "out-of-date", "what is here is not what is on GitHub; stackr submit")]
    # An earlier landing brought the head up to date with trunk, or left it as it was.
    assert told(ask(made, clean={cid("A"): Clean("x", "tree of a1", "t1")})) == []
    assert told(ask(replace(made, own_refs={**made.own_refs, KEPT + cid("A"): "a2"}))) == []


def test_a_message_that_was_reworded_and_not_submitted() -> None:
    made = two()
    reworded = replace(made.changes[0], commit=commit("a1", "t1", f"Add A well\n\nChange-Id: {cid('A')}\n"))
    assert told(ask(replace(made, changes=(reworded, made.changes[1])))) == [
        ("A", "out-of-date", "its commit message was changed and not submitted; stackr submit"),
        ("B", "below", f'waits for #{number("A")} "Add A well" below it'),
    ]


def test_a_change_that_no_longer_applies_or_is_on_trunk_already() -> None:
    conflict = ReplayConflict("a1", ("src/a.py", "b c"))
    sentence = 'it no longer applies on main (conflict in "src/a.py", "b c"); stackr sync --resolve'
    assert told(ask(two(), conflict=conflict, clean={})) == [("A", "conflict", sentence), WAITS_FOR_A]
    empty = {cid("A"): Clean("t1", "tree of a1", "t1"), cid("B"): Clean("b9", "tree of b1", "t1")}
    sentence = "nothing of it is left: main has all of it; stackr sync drops it; close its pull request"
    assert told(ask(two(), clean=empty)) == [("A", "empty", sentence), WAITS_FOR_A]


def test_a_pull_request_that_targets_another_branch() -> None:
    todo = "stackr submit gives it its place in the stack again"
    for letter, expected in (("A", WAITS_FOR_A), ("B", None)):
        made = with_pull(two(), letter, base_ref="elsewhere")
        rows = [(letter, "wrong-base", f'it targets "elsewhere"; {todo}'), *([expected] if expected else [])]
        assert told(ask(made)) == rows
    # The bottom one may still target the branch of what landed below it, but not that of one that was dropped.
    landed = with_pull(stack(live("b1", "t1")), "B", base_ref=ref("A"))
    landed = replace(landed, own_refs={**landed.own_refs, BRANCHES + ref("A"): "a1"})
    assert told(ask(landed)) == []
    dropped = replace(landed, orphans=(orphan("A", "main", "a1"),))
    assert told(ask(dropped)) == [("B", "wrong-base", f'it targets "{ref("A")}"; {todo}')]


def test_a_draft() -> None:
    made = with_pull(two(), "B", draft=True)
    assert told(ask(made)) == [("B", "draft", "it is a draft; mark it ready (stackr submit --ready)")]


def test_a_branch_that_is_behind_where_a_rule_forbids_that() -> None:
    made = replace(two(), trunk=replace(two().trunk, oid="t2"))
    todo = "(a); stackr land --wait brings it up to date and waits for its checks"
    question = ask(made, strict=True)
    above = ("B", "behind", f'its branch will be behind main when #{number("A")} "Add A" has landed {todo}')
    assert told(question) == [("A", "behind", f"its branch is behind main {todo}"), above]
    assert all(obstacle.passes for obstacle in list_obstacles(question))
    assert told(ask(two(), strict=True)) == [above]
    assert told(ask(made, strict=True, method=Method.REBASE)) == [] == told(ask(made))
    assert told(ask(made, strict=True, method=Method.QUEUE, queue=True)) == []


# Reviews


def votes(*given: tuple[str, str, str]) -> tuple[ReviewVote, ...]:
    return tuple(ReviewVote(*each) for each in given)


def test_an_approval_that_a_rule_asks_for_is_missing() -> None:
    rule = '(ruleset "main"); ask for a review'
    assert told(ask(two(), approvals=1)) == [
        ("A", "approval", f"it needs 1 approving review {rule}"),
        ("B", "approval", f"it needs 1 approving review {rule}"),
    ]
    made = with_pull(two(), "A", votes=votes(("bob", "APPROVED", "a1")))
    assert told(ask(made, approvals=1))[0][0] == "B"
    assert told(ask(made, approvals=3))[0] == ("A", "approval", f"it needs 2 more approving reviews {rule}")


def test_an_approval_for_an_older_version_does_not_count() -> None:
    made = with_pull(two(), "A", votes=votes(("bob", "APPROVED", "a0000000")))
    sentence = "approved by bob (a000000) for an older version than a1"
    row = ("A", "stale-approval", f'{sentence} (ruleset "main"); ask for another look at it')
    assert told(ask(made, approvals=1))[0] == row
    # No rule asks for it: nothing is in the way, but it is said.
    assert told(ask(made)) == []
    assert list(list_warnings(ask(made))) == [f'#{number("A")} "Add A": {sentence}']
    # A landing brought the head up to date: what was reviewed is what lands.
    noted = replace(made, own_refs={**made.own_refs, REVIEWED + cid("A"): "a0000000"})
    assert [row for row in told(ask(noted, approvals=1)) if row[0] == "A"] == []
    # But not where a rule wants the last push approved, whoever made it.
    assert told(ask(noted, approvals=1, last_push_approval=True))[0] == row


def test_somebody_asked_for_changes() -> None:
    made = with_pull(two(), "B", votes=votes(("carol", "CHANGES_REQUESTED", "b1"), ("bob", "CHANGES_REQUESTED", "b0")))
    sentence = "bob and carol asked for changes; answer, and ask for another review"
    assert told(ask(made)) == [("B", "changes-requested", sentence)]


def test_conversations_that_a_rule_wants_resolved() -> None:
    url = pull("A").url
    for count, words in ((1, "1 conversation on it is"), (2, "2 conversations on it are")):
        question = ask(two(), resolved_threads=True, standings={number("A"): PullStanding(threads=count)})
        assert told(question)[0] == ("A", "threads", f"{words} not resolved (b); resolve them: {url}")


def test_a_rule_of_github_that_cannot_be_read() -> None:
    blocked = {number("A"): PullStanding(MergeState.BLOCKED), number("B"): PullStanding(MergeState.BLOCKED)}
    row = ("A", "blocked", f"GitHub blocks the merge by a rule of the branch; see which: {pull('A').url}")
    assert told(ask(two(), standings=blocked)) == [row, WAITS_FOR_A]
    assert told(ask(two(), standings=blocked, method=Method.PUSH)) == []
    ((_, _, owned), _) = told(ask(two(), standings=blocked, code_owners=True))
    assert "by a rule of the branch, which wants an approval by a code owner; see which:" in owned


# Checks

JOBS: Mapping[str, Verdict] = {
    "new": Verdict("test", Kind.NEW, "AssertionError"),
    "bare": Verdict("test", Kind.CANCELLED),
    "pending": Verdict("test", Kind.PENDING),
    "awaiting": Verdict("test", Kind.AWAITING, link="https://run"),
    "missing": Verdict("test", Kind.MISSING, required=True),
    "broken": Verdict("test", Kind.BROKEN_TRUNK, "OSError", waivable=True),
    "required": Verdict("test", Kind.BROKEN_TRUNK, "OSError", waivable=True, required=True),
}


MEND = "mend it, or run it again (stackr status --ci tells more)"


@pytest.mark.parametrize(
    ("job", "rule", "sentence"),
    [
        ("new", "check-failed", f'"test" failed (NEW: AssertionError); {MEND}'),
        ("bare", "check-failed", f'"test" failed (CANCELLED); {MEND}'),
        ("pending", "check-pending", '"test" is not through yet; wait for it (stackr land --wait)'),
        ("awaiting", "check-pending", '"test" waits for somebody to approve its run; approve it: https://run'),
        (
            "missing",
            "check-missing",
            '"test" is required and never ran on b1 (branch protection); '
            "it may begin once this targets main (stackr land --wait)",
        ),
        ("required", "check-failed", f'"test" failed (BROKEN TRUNK: OSError) (branch protection); {MEND}'),
    ],
)
def test_a_check_that_has_not_passed(job: str, rule: str, sentence: str) -> None:
    assert told(ask(two(), verdicts={number("B"): (JOBS[job],)})) == [("B", rule, sentence)]


def test_a_check_that_never_ran_on_trunks_own_pull_request_is_not_waited_for() -> None:
    (found, _) = list_obstacles(ask(two(), verdicts={number("A"): (JOBS["missing"],)}))
    assert (found.passes, found.next) == (False, "let it run on this branch")


def test_a_failure_that_the_change_did_not_cause_is_waived_and_listed() -> None:
    question = ask(two(), verdicts={number("B"): (JOBS["broken"],)})
    assert told(question) == []
    assert list_waived(question) == (f'#{number("B")} "Add B": "test" failed and is waived (BROKEN TRUNK: OSError)',)
    # GitHub is not asked when trunk is pushed.
    assert told(ask(two(), verdicts={number("B"): (JOBS["required"],)}, method=Method.PUSH)) == []


def test_more_than_ten_failures_at_once_are_waived_no_more() -> None:
    jobs = tuple(replace(JOBS["broken"], job=f"test {n}") for n in range(11))
    assert told(ask(two(), verdicts={number("B"): jobs[:10]})) == []
    assert len(told(ask(two(), verdicts={number("B"): jobs}))) == 11
    assert list_waived(ask(two(), verdicts={number("B"): jobs})) == ()


def test_what_fails_now_can_be_put_up_with() -> None:
    question = ask(two(), verdicts={number("B"): (JOBS["new"], replace(JOBS["pending"], job="slow"))})
    assert waiving.failing(question) == {(cid("B"), "test")}
    ignoring = replace(question, ignored=waiving.failing(question))
    assert [rule for _, rule, _ in told(ignoring)] == ["check-pending"]


def test_auto_merge_and_queues_wait_for_what_github_itself_asks_for() -> None:
    pending = replace(JOBS["pending"], required=True)
    question = ask(two(), verdicts={number("B"): (pending, JOBS["missing"])}, approvals=1, method=Method.AUTO)
    assert told(question) == []
    rules = [rule for _, rule, _ in told(replace(question, wanted=Wanted(Method.QUEUE)))]
    assert rules == ["approval", "approval", "check-missing"]
    # Nothing of GitHub's holds this one back.
    assert told(ask(two(), verdicts={number("B"): (JOBS["pending"],)}, method=Method.AUTO)) != []


# Incidents, sentences, the error


def test_an_open_sev_blocks_if_it_says_so_and_is_shown_otherwise() -> None:
    sevs = (Sev(7, "CI is down", "https://sev/7", ("merge blocking",)), Sev(8, "CI is slow", "https://sev/8"))
    question = ask(two(), sevs=sevs)
    row = ("A", "sev", "SEV #7 blocks landings: CI is down; wait until it is closed: https://sev/7")
    assert told(question) == [row, WAITS_FOR_A]
    assert list(list_warnings(question)) == ["open SEV #8: CI is slow"]


def test_which_obstacles_force_goes_past_and_which_time_removes() -> None:
    verdicts = {number("A"): (JOBS["new"], JOBS["pending"])}
    made = with_pull(two(), "A", draft=True)
    found = list_obstacles(ask(made, approvals=1, verdicts=verdicts))
    assert [(o.rule, o.forcible, o.passes) for o in found] == [
        ("draft", False, False),
        ("approval", True, False),
        ("check-failed", True, False),
        ("check-pending", True, True),
        ("approval", True, False),
    ]


def test_the_error_names_everything_and_what_can_land_all_the_same() -> None:
    made = with_pull(two(), "B", draft=True)
    question = ask(made, approvals=1, method=Method.SQUASH)
    made_ready = replace(
        question,
        prospect=replace(question.prospect, stack=with_pull(made, "A", votes=votes(("bob", "APPROVED", "a1")))),
    )
    error = preflight.blocked(made_ready, list_obstacles(made_ready))
    b = f'#{number("B")} "Add B"'
    assert error.message == (
        "1 of 2 changes cannot land on main\n"
        f"    {b}: it is a draft; mark it ready (stackr submit --ready)\n"
        f'    {b}: it needs 1 approving review (ruleset "main"); ask for a review'
    )
    assert error.next_step == f"stackr land --ready lands #{number('A')}; the rest when that is mended"
    assert error.details["obstacles"][0] == {
        "id": cid("B"),
        "number": number("B"),
        "rule": "draft",
        "message": "it is a draft",
        "source": None,
        "next": "mark it ready (stackr submit --ready)",
    }
    nothing = preflight.blocked(question, list_obstacles(question))
    assert nothing.next_step == "mend that, then stackr land again"
    unsubmitted = ask(stack(new("a1", "t1")))
    assert preflight.blocked(unsubmitted, list_obstacles(unsubmitted)).details["obstacles"][0]["number"] is None


def test_a_landing_ends_below_a_change_that_loses_approvals_it_needs() -> None:
    made = two()
    for letter in "AB":
        made = with_pull(made, letter, votes=votes(("bob", "APPROVED", f"{letter.lower()}1")))
    question = ask(made, approvals=1, dismisses_stale=True)
    assert approvals.landable(question) == 1
    sentence = f'#{number("B")} "Add B" loses its approvals when it is retargeted to main'
    assert list(approvals.list_losses(question, 1)) == [sentence]
    assert list(approvals.list_losses(question, 2)) == []
    assert approvals.landable(replace(question, wanted=Wanted(Method.PUSH))) == 2
    assert approvals.landable(replace(question, wanted=Wanted(Method.NATIVE))) == 2
    assert approvals.landable(ask(with_pull(made, "B", base_ref="main"), approvals=1, dismisses_stale=True)) == 2
    assert approvals.landable(ask(made, dismisses_stale=True)) == 2
    sourced = replace(question.facts.rules, sources={"dismisses_stale": "branch protection"})
    sourced_question = replace(question, facts=replace(question.facts, rules=sourced))
    assert list(approvals.list_losses(sourced_question, 1)) == [f"{sentence} (branch protection)"]
    assert not approvals.loses_approvals(question, new("c1", "b1"))


def test_a_landing_ends_below_a_change_whose_head_has_to_be_pushed_where_the_last_push_needs_approval() -> None:
    """The first change is pushed all the same, so that it can be approved as it lands."""
    made = two()
    others = {c.id: "another tree" for c in made.changes}
    for merged, count, told_of in (({}, 2, ""), (others, 1, "AB")):
        question = ask(made, approvals=1, last_push_approval=True)
        prospect = replace(question.prospect, merged={**question.prospect.merged, **merged})
        question = replace(question, prospect=prospect)
        assert approvals.landable(question) == count
        assert list(approvals.list_losses(question, count)) == [
            f'#{number(letter)} "Add {letter}" has to be pushed before it lands, and then needs another approval'
            for letter in told_of
        ]
    assert approvals.landable(replace(question, wanted=Wanted(Method.PUSH))) == 2
    assert list(approvals.list_losses(replace(question, wanted=Wanted(Method.PUSH)), 1)) == []
