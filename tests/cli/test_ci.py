"""``stackr status --ci`` and ``stackr report ci`` as a whole, against jobs, annotations and logs of the sandbox."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from stackr.sandbox import issues
from tests.core.test_ci_report import EXAMPLE
from tests.support.world import Clone, World

MARK = "<!-- stackr:report ci -->"
EXIT = "Process completed with exit code 1."


class Ci:
    """Plays the CI of a world: ``names`` are as people see them, workflow and job."""

    def __init__(self, world: World) -> None:
        self.world = world

    def put(self, commit: str, name: str, conclusion: str | None = "failure", cause: str = "", **more: Any) -> None:
        """A job, as it ended; its ``cause`` stands in its log, behind a time, as in the logs of runners."""
        workflow, _, job = name.partition(" / ")
        log = f"2026-12-01T10:20:30.1234567Z {cause}\n2026-12-01T10:20:31.1Z ##[error]{EXIT}\n" if cause else ""
        made = {"log": log, "annotations": [EXIT] if conclusion == "failure" else [], **more}
        self.world.server.job(self.world.name, commit, job, conclusion, workflow=workflow, **made)

    def head(self, number: int) -> str:
        return self.world.pull(number).head_oid

    def asked(self) -> Counter[str]:
        """How often each operation was asked for since the last look; logs with their redirect are one."""
        entries = self.world.server.log.api()
        self.world.forget()
        return Counter(each.operations[0] if each.operations else each.path.rpartition("/")[2] for each in entries)


def example(ci: Ci, number: int, base: str) -> None:
    """The five failures of the example, all green at the merge base."""
    for name, cause in EXAMPLE:
        ci.put(base, name, "success")
        test = f"FAILED {cause} - AssertionError: 1 != 2" if "::" in cause else cause
        noted = {"annotations": [cause]} if cause.startswith("Process") else {"cause": test}
        ci.put(ci.head(number), name, **noted)  # type: ignore[arg-type]


def sev(world: World, title: str, *labels: str) -> None:
    """An open issue that tells of broken infrastructure."""
    engine, repo = world.server.engine, world.server.repository(world.name)
    world.server.add_user("bob")
    issues.create_issue(engine, world.server.user("bob"), repo, title=title, labels=labels or ["ci: sev"])


def classes(clone: Clone) -> dict[int, list[str]]:
    """Classes by pull request, sorted by job; ``?`` where uncertain, ``~`` where waivable."""
    changes = clone.stackr("status", "--ci", "--json").json["changes"]
    return {
        change["pull"]["number"]: [
            f"{'~' * job['waivable']}{job['class']}{'?' * job['uncertain']}{job['blamed'] or ''}"
            for job in change["ci"]["jobs"]
        ]
        for change in changes
    }


def test_the_example_is_told_as_its_bots_told_it_and_then_trunk_breaks(world: World) -> None:
    clone, ci = world.stacked("A", "B"), Ci(world)
    base, url = clone.oid("origin/main"), f"{world.server.url}/{world.name}"
    sev(world, "B200 runners are down due to network issues")
    example(ci, 2, base)
    ci.put(ci.head(1), "CI / slow", None)
    world.forget()
    told = clone.stackr("status", "--ci", "--exit-code", code=1)
    head, jobs = told.out.split("\n\nNEW FAILURES")
    assert head.splitlines() == [
        "❗ 1 Active SEVs",
        f"    B200 runners are down due to network issues  {url}/issues/3",
        "",
        "❌ 5 New Failures, 1 Pending",
        f"▶ ✗ #2  B  5 new failures  {url}/pull/2",
        f"  ◐ #1  A  1 pending  {url}/pull/1",
    ]
    assert [line.strip().removeprefix("#2  ") for line in jobs.splitlines() if "http" not in line] == [
        "The following jobs have failed:",
        *(text for name, cause in EXAMPLE for text in (name, cause)),
        "",
        "PENDING  The following jobs have not ended:",
        "#1  CI / slow",
        "",
        f"As of commit {ci.head(2)[:7]} with merge base {base[:7]} (#2)",
    ]
    assert ci.asked() == {"StackrRead": 1, "StackrCommitChecks": 3, "StackrEvidence": 1, "logs": 5}

    page = clone.stackr("report", "ci").out
    assert page.startswith(
        "## ❗ 1 Active SEVs\n\n"
        "There are 1 currently active SEVs. If your PR is affected, please view them below:\n\n"
        f"* **B200 runners are down due to network issues** ([issue](<{url}/issues/3>))\n\n"
        "## ❌ 5 New Failures\n\n"
        f"As of commit {ci.head(2)[:7]} with merge base {base[:7]}:\n\n"
        "**NEW FAILURES** - The following jobs have failed:\n\n"
        f"* **{EXAMPLE[0][0]}** ([gh](<{url}/actions/runs/"
    )
    assert [line.strip(" `") for line in page.splitlines() if line.startswith("  ")] == [cause for _, cause in EXAMPLE]

    # Two of them fail on trunk as well: in other containers, so the lines prove nothing.
    for name, cause in EXAMPLE[1:3]:
        ci.put(base, name, cause=cause.replace("eee135966cc9", "0123456789ab").replace("6c30b00e2f3c", "ba9876543210"))
    assert classes(clone)[2] == ["new", "broken-trunk?", "broken-trunk?", "new", "new"]
    assert "\n## ❌ 3 New Failures, 2 Broken Trunk Failures?\n" in clone.stackr("report", "ci").out
    # With a cause that says something, trunk is to blame, and both are waived.
    for name, _ in EXAMPLE[1:3]:
        for commit in (base, ci.head(2)):
            ci.put(commit, name, cause=f"OSError: no room in /tmp/{commit[:8]} for {name[:4]}")
    assert classes(clone)[2] == ["new", "~broken-trunk", "~broken-trunk", "new", "new"]
    assert "\n## ❌ 3 New Failures, 2 Broken Trunk Failures\n" in clone.stackr("report", "ci").out


def test_every_class_is_told_from_what_github_has(world: World) -> None:
    clone, ci = world.stacked("A", "B", "C"), Ci(world)
    base, low, mid = clone.oid("origin/main"), ci.head(1), ci.head(2)
    # Rules hold as they stand on trunk; what a change itself calls flaky does not count.
    world.advance(".stackr.toml", '[ci]\nunstable = ["nightly / *"]\n')
    clone.git("fetch", "-q")
    (clone.path / ".stackr.toml").write_text('[ci]\nflaky = ["*"]\n')
    world.server.protect(
        world.name,
        "main",
        {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "gate"}]}},
    )
    for name in ("CI / tests", "CI / flaky", "CI / lost", "nightly / all", "CI / stop"):
        ci.put(base, name, "success")
    for commit in (low, mid):
        ci.put(commit, "CI / tests", cause="ValueError: bad shape")
        ci.put(commit, "CI / gate", "success")
    ci.put(mid, "CI / flaky", "success")
    ci.put(mid, "CI / flaky", cause="TimeoutError: no answer", attempt=2)
    ci.put(mid, "CI / fresh", cause="ValueError: new job")
    ci.put(mid, "CI / lost", annotations=[], steps=[{"name": "Set up job", "conclusion": "success"}])
    ci.put(mid, "CI / stop", "cancelled")
    ci.put(mid, "nightly / all", cause="ValueError: as always")
    world.server.hold(world.name, ci.head(3), "Deploy")
    assert classes(clone) == {
        1: ["new"],
        2: ["~flaky", "unclassified", "~infra", "cancelled", "inherited1", "~unstable"],
        3: ["awaiting-approval", "missing"],
    }
    page = clone.stackr("report", "ci", "--pr", "2", "--logs", "20").out
    assert page.startswith("## ❌ 1 Unclassified Failure, 1 Cancelled Job, 1 Inherited Failure, ")
    assert " from #1\n  `ValueError: bad shape`" in page


def test_a_landing_puts_up_with_what_trunk_breaks_and_stops_at_what_a_change_breaks(world: World) -> None:
    clone, ci = world.stacked("A", "B"), Ci(world)
    for commit in (clone.oid("origin/main"), ci.head(1), ci.head(2)):
        ci.put(commit, "CI / tests", cause="OSError: no route to the mirror")
    ci.put(clone.oid("origin/main"), "CI / lint", "success")
    ci.put(ci.head(2), "CI / lint", cause="SyntaxError: invalid syntax")
    (clone.path / ".stackr.toml").write_text('[ci]\nunstable = ["*"]\n')
    stopped = clone.stackr("land", "--yes", code=3).err
    assert '    #2 "B": "CI / lint" failed (NEW: SyntaxError: invalid syntax); mend it, or run it again' in stopped
    assert "CI / tests" not in stopped
    told = clone.stackr("land", "--yes", "--ready").out
    assert '#1 "A": "CI / tests" failed and is waived (BROKEN TRUNK: OSError: no route to the mirror)' in told
    assert [world.state(number) for number in (1, 2)] == ["merged", "open"]


def test_the_label_of_what_blocks_a_landing_is_that_on_trunk(world: World) -> None:
    clone = world.stacked("A")
    sev(world, "the site is down", "fire", "merge blocking")
    world.advance(".stackr.toml", 'sev_label = "fire"\n')
    # What the change says of it does not count, whether trunk's word for it has been seen here or not.
    (clone.path / ".stackr.toml").write_text('sev_label = "none of them"\n')
    clone.git("fetch", "-q", "--refmap=", "origin", "main")
    assert "## ❗ 1 Active SEVs" in clone.stackr("report", "ci", "--pr", "1").out
    assert "❗ 1 Active SEVs" in clone.stackr("status", "--ci").out
    assert '#1 "A": SEV #2 blocks landings: the site is down' in clone.stackr("land", "--yes", code=3).err


def test_rules_on_trunk_that_cannot_be_read_waive_nothing_and_stop_nothing(world: World) -> None:
    clone, ci = world.stacked("A"), Ci(world)
    ci.put(clone.oid("origin/main"), "CI / lint", "success")
    ci.put(ci.head(1), "CI / lint", cause="SyntaxError: invalid syntax")
    world.advance(".stackr.toml", '[ci]\nunstable = "*"\n')
    clone.git("fetch", "-q")
    for command in ("status", "--ci"), ("report", "ci", "--pr", "1"):
        told = clone.stackr(*command)
        assert "warning: the rules for CI on trunk do not hold: " in told.err
        assert "NEW FAILURES" in told.out


def test_a_job_without_a_clone_reports_on_a_stack_without_lists_and_keeps_its_summary(
    world: World, tmp_path: Path
) -> None:
    world.stacked("A", "B")
    ci, nowhere = Ci(world), Clone(tmp_path, "alice", "")
    for number in (1, 2):
        ci.put(ci.head(number), "CI / tests", cause="ValueError: bad shape")
        world.edit(number, body="nobody knows that this is a stack")
    env = {
        "STACKR_TOKEN": "",
        "GITHUB_TOKEN": world.server.add_user("carol"),
        "GITHUB_ACTIONS": "true",
        "GITHUB_REPOSITORY": world.name,
        "GITHUB_SERVER_URL": world.server.url,
        "GITHUB_API_URL": f"{world.server.url}/api/v3",
        "GITHUB_REF": "refs/pull/2/merge",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }
    told = nowhere.stackr("report", "ci", "--json", env=env).json
    assert told["markdown"].startswith("## ✅ No New Failures, 1 Inherited Failure\n\nAs of commit ")
    assert (tmp_path / "summary.md").read_text() == f"{told['markdown']}\n"
    assert [(job["class"], job["blamed"]) for job in told["jobs"]] == [("inherited", 1)]
    assert (told["pull"], told["head"], told["comment"]) == (2, ci.head(2), None)
    world.branch("release")
    world.edit(1, base="release")
    assert nowhere.stackr("report", "ci", "--json", env=env).json["jobs"] == told["jobs"]
    assert nowhere.stackr("report", "ci", "--pr", "7", env=env, code=2).err.startswith("error: #7 is no pull request ")
    missing = nowhere.stackr("report", "ci", env={**env, "GITHUB_REF": "refs/pull/7/merge"}, code=3)
    assert missing.err.startswith("error: there is no pull request #7\n")


def test_tokens_that_may_not_read_everything_are_told_what_is_missing(world: World) -> None:
    clone, ci = world.stacked("A"), Ci(world)
    for commit in (ci.head(1), clone.oid("origin/main")):
        ci.put(commit, "CI / tests", cause="ValueError: bad shape")
    assert classes(clone) == {1: ["~broken-trunk"]}
    without_logs = replace(clone, token=world.server.add_user("alice", reads_actions=False))
    told = without_logs.stackr("status", "--ci", "--json").json
    assert [job["class"] for job in told["changes"][0]["ci"]["jobs"]] == ["broken-trunk"]
    assert told["changes"][0]["ci"]["jobs"][0]["uncertain"]
    assert told["notes"][0].startswith("2 causes unavailable: the token from STACKR_TOKEN may not do this")
    blind = replace(clone, token=world.server.add_user("alice", reads_checks=False))
    told = blind.stackr("status", "--ci", "--json", "--exit-code", code=2).json
    assert told["changes"][0]["ci"] == {"readable": False, "merge_base": None, "compared_with": None, "jobs": []}
    assert told["notes"][0].startswith("checks cannot be read: the token from STACKR_TOKEN may not do this")
    assert "## ❔ Checks Cannot Be Read\n" in blind.stackr("report", "ci").out


def test_options_that_exclude_each_other_and_a_repository_without_a_commit(world: World) -> None:
    clone = world.clone()
    for options in (("--ci", "--all"), ("--ci", "--offline"), ("--logs", "3")):
        assert clone.stackr("status", *options, code=2).out == ""
    clone.git("checkout", "-q", "--orphan", "empty")
    assert "the current branch has no commit yet" in clone.stackr("status", "--ci").out


def test_of_101_checks_only_the_last_of_which_fails_it_is_reported(world: World) -> None:
    clone, ci = world.stacked("A"), Ci(world)
    for i in range(101):
        ci.put(
            ci.head(1),
            f"CI / job {i:03}",
            "success" if i < 100 else "failure",
            cause="ValueError: x" if i == 100 else "",
        )
    world.forget()
    told = clone.stackr("status", "--ci", "--logs", "0", "--exit-code", code=1)
    assert "UNCLASSIFIED" in told.out
    assert f"    #1  CI / job 100\n        {EXIT}\n" in told.out
    assert "job 099" not in told.out
    # The checks are two pages; nothing is asked about what passed.
    assert ci.asked() == {
        "StackrRead": 1,
        "StackrCommitChecks": 3,
        "StackrAncestry": 1,
        "StackrEvidence": 1,
    }


def test_hostile_logs_steer_no_terminal_and_their_comment_notifies_nobody(world: World) -> None:
    clone, ci = world.stacked("A"), Ci(world)
    evil = "ValueError: \x1b]0;owned\x07\x1b[2J`**@bob** <!-- acme/app#1 \u202e| https://evil.example"
    ci.put(ci.head(1), "CI / `@bob` <b>", cause=evil)
    told = clone.stackr("status", "--ci")
    assert "CI / `@bob` <b>" in told.out
    assert not any(sign in told.out for sign in "\x1b\x07\u202e")
    assert clone.stackr("status", "--ci", "--watch").out.endswith(told.out)
    first = clone.stackr("report", "ci", "--post")
    again = clone.stackr("report", "ci", "--post")
    assert first.err.startswith("commented on #1: ")
    assert again.err.startswith("the comment on #1 says so already: ")
    (comment,) = issues.comments_of(world.server.engine, world.pull(1))
    assert comment.body == f"{MARK}\n{first.out.rstrip()}"
    assert "* **CI / &#96;@\u200bbob&#96; &#60;b&#62;** (" in comment.body
    shown = "``ValueError: `**@\u200bbob** <!\u200b-- acme/app#\u200b1 | https:\u200b//evil.example``"
    assert comment.body.endswith(f"\n  {shown}")
    assert "@bob" not in comment.body
