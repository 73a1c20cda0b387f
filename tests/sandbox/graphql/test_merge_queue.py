"""Merge queues: who gets in, what is built, how groups land, and what throws an entry out."""

from __future__ import annotations

from typing import Any

from stackr.sandbox.clock import ManualClock
from tests.support.graphql import data, on_pull, said
from tests.support.sandbox import REPO, Box

ENQUEUE, DEQUEUE = "enqueuePullRequest", "dequeuePullRequest"
ENTRY = """mergeQueueEntry {
  state position jump enqueuer {login} headCommit {oid message} baseCommit {oid} pullRequest {number}
}"""
READ = f"""query($n: Int!) {{repository(owner: "acme", name: "widgets") {{
  mergeQueue {{url entries(first: 9) {{nodes {{position pullRequest {{number}}}}}}}}
  none: mergeQueue(branch: "release") {{url}}
  pullRequest(number: $n) {{
    state mergeStateStatus isInMergeQueue isMergeQueueEnabled mergeCommit {{oid}} mergedBy {{login}}
    autoMergeRequest {{mergeMethod}} {ENTRY}
    timelineItems(last: 9, itemTypes: [ADDED_TO_MERGE_QUEUE_EVENT, REMOVED_FROM_MERGE_QUEUE_EVENT]) {{nodes {{
      ... on AddedToMergeQueueEvent {{enqueuer {{login}}}}
      ... on RemovedFromMergeQueueEvent {{reason actor {{login}} beforeCommit {{oid}}}}
    }}}}
  }}
}}}}"""
CI = {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "ci"}]}}


def with_queue(box: Box, *more: Any, method: str = "SQUASH", **parameters: Any) -> None:
    """A queue on main that waits for the check "ci"."""
    queue = {"type": "merge_queue", "parameters": {"merge_method": method, **parameters}}
    box.server.protect(REPO, "main", queue, CI, *more)


def three(box: Box, *names: str) -> list[int]:
    """Pull requests against main that do not touch each other, their own checks passed."""
    numbers = []
    for name in names or ("one", "two", "three"):
        oid = box.alice.branch(name, "origin/main", {f"{name}.txt": f"{name}\n"})
        box.alice.push(name)
        numbers.append(box.alice.open(name))
        passes(box, oid)
    return numbers


def passes(box: Box, oid: str | None, conclusion: str = "success") -> None:
    """The CI reports on a commit."""
    box.bob.post("check-runs", {"name": "ci", "head_sha": oid, "conclusion": conclusion})


def enqueue(box: Box, number: int, **more: Any) -> Any:
    """Queue as alice, which must work; the entry."""
    answer = on_pull(box.alice, ENQUEUE, number, ENTRY, **more)
    assert said(answer) is None
    return answer["data"][ENQUEUE]["mergeQueueEntry"]


def read(box: Box, number: int) -> Any:
    """The repository's queue and a pull request."""
    return data(box.alice, READ, n=number)["repository"]


def line(box: Box) -> list[int]:
    """Who is in the queue of main, in order."""
    nodes = read(box, 1)["mergeQueue"]["entries"]["nodes"]
    assert [node["position"] for node in nodes] == list(range(1, len(nodes) + 1))
    return [node["pullRequest"]["number"] for node in nodes]


def test_what_is_queued_lands_when_the_checks_of_its_own_commit_pass(box: Box) -> None:
    with_queue(box)
    box.server.settings(REPO, delete_branch_on_merge=True)
    one, above = box.stack("one", "above")
    passes(box, box.tip("one"))
    start = box.tip("main")
    entry = enqueue(box, one, expectedHeadOid=box.tip("one"))
    oid = entry["headCommit"]["oid"]
    assert (entry["state"], entry["position"], entry["enqueuer"]) == ("AWAITING_CHECKS", 1, {"login": "alice"})
    assert entry["baseCommit"]["oid"] == start
    assert box.tip(f"gh-readonly-queue/main/pr-{one}-{start}") == oid
    found = read(box, one)["pullRequest"]
    assert (found["state"], found["isInMergeQueue"], found["isMergeQueueEnabled"]) == ("OPEN", True, True)
    refusal = box.alice.put(f"pulls/{one}/merge", {}, expect=405)
    assert refusal["message"] == "Pull Request is in the merge queue"
    assert said(on_pull(box.alice, ENQUEUE, one, ENTRY)) == "Pull request is already in the queue"
    passes(box, oid)
    assert box.tip("main") == start  # not in the answer to the report
    merged = read(box, one)
    pull = merged["pullRequest"]
    assert (pull["state"], pull["mergeCommit"], pull["mergedBy"]) == ("MERGED", {"oid": oid}, {"login": "alice"})
    assert (pull["isInMergeQueue"], pull["mergeQueueEntry"], merged["none"]) == (False, None, None)
    assert pull["timelineItems"]["nodes"] == [
        {"enqueuer": {"login": "alice"}},
        {"reason": "merged", "actor": {"login": "github-merge-queue"}, "beforeCommit": {"oid": oid}},
    ]
    assert box.tip("main") == oid
    assert box.server.engine.git(box.repo).need(oid).message == f"Change one (#{one})"
    assert (box.tip("one"), box.pull(above).base_ref) == (None, "main")
    assert [name for name in box.server.engine.git(box.repo).refs if "gh-readonly" in name] == []


def test_who_may_not_get_in_is_told_why(box: Box) -> None:
    (one, above) = box.stack("one", "above")
    text = "Merge queue is not enabled for this branch"
    assert said(on_pull(box.alice, ENQUEUE, one, ENTRY)) == text
    assert said(on_pull(box.alice, DEQUEUE, one, ENTRY)) == "Pull request is not in the merge queue"
    with_queue(box, {"type": "pull_request", "parameters": {"required_approving_review_count": 1}})
    assert said(on_pull(box.alice, ENQUEUE, above, ENTRY)) == text
    assert said(on_pull(box.alice, ENQUEUE, one, ENTRY)) == (
        'Pull request Required status check "ci" is expected., '
        "Pull request At least 1 approving review is required by reviewers with write access."
    )
    refusal = box.alice.put(f"pulls/{one}/merge", {}, expect=405)
    assert refusal["message"].endswith("Changes must be made through the merge queue\n\n")
    stale = on_pull(box.alice, ENQUEUE, one, ENTRY, expectedHeadOid=box.tip("above"))
    assert said(stale) == "Head branch was modified. Review and try the merge again."
    jump = on_pull(box.alice, ENQUEUE, one, ENTRY, jump=True)
    assert said(jump) == "alice does not have the correct permissions to execute `EnqueuePullRequest`"
    on_pull(box.alice, "convertPullRequestToDraft", one)
    assert said(on_pull(box.alice, ENQUEUE, one, ENTRY)) == "Pull request is in draft state"
    box.alice.patch(f"pulls/{one}", {"state": "closed"})
    assert said(on_pull(box.alice, ENQUEUE, one, ENTRY)) == "Pull request is closed"
    (clash,) = three(box, "clash")
    box.server.engine.store.rulesets.all()[0].enforcement = "disabled"
    box.bob.branch("main", "origin/main", {"clash.txt": "other\n"})
    box.bob.push("main")
    box.server.engine.store.rulesets.all()[0].enforcement = "active"
    assert said(on_pull(box.alice, ENQUEUE, clash, ENTRY)) == "Pull request has merge conflicts"


def test_a_failed_check_throws_one_out_and_has_those_behind_it_built_again(box: Box) -> None:
    with_queue(box, method="MERGE")
    one, two, three_ = three(box)
    entries = [enqueue(box, number) for number in (one, two, three_)]
    assert [e["baseCommit"]["oid"] for e in entries[1:]] == [e["headCommit"]["oid"] for e in entries[:-1]]
    passes(box, entries[0]["headCommit"]["oid"])
    passes(box, entries[1]["headCommit"]["oid"], "failure")
    passes(box, entries[2]["headCommit"]["oid"])
    assert line(box) == [three_]  # the first has landed, the second is out
    assert (box.state(one), box.state(two), box.state(three_)) == ("merged", "open", "open")
    again = read(box, three_)["pullRequest"]["mergeQueueEntry"]
    assert (again["state"], again["baseCommit"]["oid"]) == ("AWAITING_CHECKS", box.tip("main"))
    assert again["headCommit"]["message"].startswith(f"Merge pull request #{three_} from acme/three")
    removed = read(box, two)["pullRequest"]["timelineItems"]["nodes"][-1]
    assert (removed["reason"], removed["beforeCommit"]) == ("failed_checks", {"oid": entries[1]["headCommit"]["oid"]})
    passes(box, again["headCommit"]["oid"])
    assert line(box) == []
    assert (box.state(three_), box.tip("main")) == ("merged", again["headCommit"]["oid"])


def test_jumping_leaving_and_losing_the_place(box: Box) -> None:
    with_queue(box, {"type": "pull_request", "parameters": {"required_approving_review_count": 1}}, method="REBASE")
    numbers = three(box, "one", "two", "three", "four")
    for number in numbers:
        box.bob.post(f"pulls/{number}/reviews", {"event": "APPROVE"}, expect=200)
    one, two, three_, four = numbers
    for number in (one, two, three_):
        enqueue(box, number)
    entry = on_pull(box.carol, ENQUEUE, four, ENTRY, jump=True)["data"][ENQUEUE]["mergeQueueEntry"]
    assert (entry["position"], entry["jump"], entry["baseCommit"]["oid"]) == (1, True, box.tip("main"))
    assert line(box) == [four, one, two, three_]
    assert said(on_pull(box.alice, DEQUEUE, four, ENTRY)) is None
    assert said(on_pull(box.dave, DEQUEUE, one, ENTRY)) is not None
    box.bob.post(f"pulls/{one}/reviews", {"event": "REQUEST_CHANGES", "body": "No"}, expect=200)
    on_pull(box.alice, "convertPullRequestToDraft", two)
    assert line(box) == [three_]
    reasons = [read(box, n)["pullRequest"]["timelineItems"]["nodes"][-1]["reason"] for n in (four, one, two)]
    assert reasons == ["manual", "branch_protections", "manual"]
    box.alice.patch(f"pulls/{three_}", {"state": "closed"})
    assert line(box) == []


def test_what_conflicts_in_the_queue_moved_elsewhere_or_landed_otherwise_leaves_it(box: Box) -> None:
    with_queue(box)
    one, two, three_, four = three(box, "one", "two", "three", "four")
    oid = box.alice.branch("clash", "origin/main", {"one.txt": "other\n"})
    box.alice.push("clash", "origin/main:refs/heads/release")
    clash = box.alice.open("clash")
    passes(box, oid)
    for number in (one, clash, two, three_, four):
        enqueue(box, number)
    assert line(box) == [one, two, three_, four]
    box.alice.patch(f"pulls/{two}", {"base": "release"})
    box.server.engine.store.rulesets.all()[0].bypass_user_ids.append(box.server.user("bob").id)
    box.bob.clone.git("fetch", "-q")
    box.bob.clone.git("push", "-q", "origin", "origin/three:main")
    box.bob.post(f"statuses/{box.tip('four')}", {"state": "failure", "context": "ci"})  # the check run counts
    box.bob.post("check-runs", {"name": "ci", "head_sha": box.tip("four"), "conclusion": "failure"})
    assert line(box) == [one]
    assert box.state(three_) == "merged"
    reasons = [
        read(box, number)["pullRequest"]["timelineItems"]["nodes"][-1]["reason"]
        for number in (clash, two, three_, four)
    ]
    assert reasons == ["merge_conflict", "branch_protections", "already_merged", "branch_protections"]


def test_a_queued_branch_takes_no_push_and_a_push_to_a_fork_costs_the_place(box: Box) -> None:
    with_queue(box)
    (one,) = three(box, "one")
    box.dave.post("forks", {}, expect=202)
    oid = box.dave.branch("fix", "origin/main", {"fix.txt": "fix\n"})
    fork = box.server.clone_url("dave/widgets", box.dave.token)
    box.dave.clone.git("push", "-q", fork, "fix")
    number = box.dave.open("dave:fix")
    passes(box, oid)
    enqueue(box, one)
    enqueue(box, number)
    box.alice.branch("one", "one", {"more.txt": "more\n"})
    text = box.alice.refused("origin", "one")
    assert "A pull request for this branch has been added to a merge queue." in text
    assert "associated pull request." in text
    moved = box.alice.patch("git/refs/heads/one", {"sha": box.tip("main"), "force": True}, expect=422)
    assert "are queued for merging cannot be updated" in moved["message"]
    box.dave.branch("fix", "fix", {"more.txt": "more\n"})
    box.dave.clone.git("push", "-q", fork, "fix")
    assert line(box) == [one]
    built = f"refs/heads/gh-readonly-queue/main/pr-{one}-{box.tip('main')}"
    assert "Cannot update this protected ref." in box.alice.refused("origin", f"+one:{built}")


def test_a_push_to_the_base_in_the_same_moment_has_the_queue_begin_anew(box: Box) -> None:
    with_queue(box)
    (one,) = three(box, "one")
    oid = enqueue(box, one)["headCommit"]["oid"]
    theirs = box.bob.branch("main", "origin/main", {"theirs.txt": "theirs\n"})
    box.bob.clone.git("push", "-q", "origin", "main:refs/heads/theirs")
    passes(box, oid)
    git = box.server.engine.git(box.repo)
    (git.directory / "refs" / "heads" / "main").write_text(f"{theirs}\n")  # by git, which the server has not heard of
    box.server.catch_up()
    assert (box.state(one), box.server.queued(REPO, one)) == ("open", oid)
    git.sync(["refs/heads/main"])
    box.server.catch_up()
    again = box.server.queued(REPO, one)
    assert again is not None and git.need(again).parents == (theirs,)


def test_groups_wait_for_company_and_give_up_on_checks_that_never_come(box: Box) -> None:
    box.server.engine.clock = clock = ManualClock()
    with_queue(box, min_entries_to_merge=2, max_entries_to_build=2, check_response_timeout_minutes=10)
    one, two, three_ = three(box)
    first = enqueue(box, one)["headCommit"]["oid"]
    passes(box, first)
    assert read(box, one)["pullRequest"]["mergeQueueEntry"]["state"] == "MERGEABLE"
    enqueue(box, two)
    assert enqueue(box, three_)["state"] == "QUEUED"
    clock.sleep(6 * 60)  # nobody else is ready in time: the smaller group lands
    assert line(box) == [two, three_]
    clock.sleep(5 * 60)
    assert line(box) == [three_]
    removed = read(box, two)["pullRequest"]["timelineItems"]["nodes"][-1]
    assert removed["reason"] == "ci_timeout"
    box.server.engine.store.rulesets.all()[0].enforcement = "disabled"
    assert read(box, three_)["pullRequest"]["timelineItems"]["nodes"][-1]["reason"] == "queue_cleared"


def test_headgreen_forgives_a_failure_that_the_last_of_the_group_makes_good(box: Box) -> None:
    with_queue(box, grouping_strategy="HEADGREEN")
    one, two = three(box, "one", "two")
    first, second = (enqueue(box, number)["headCommit"]["oid"] for number in (one, two))
    passes(box, first, "failure")
    assert line(box) == [one, two]
    passes(box, second)
    assert line(box) == []
    assert (box.state(one), box.state(two), box.tip("main")) == ("merged", "merged", second)


def test_auto_merge_queues_what_is_ready_and_waits_for_the_rest(box: Box) -> None:
    with_queue(box)
    numbers = three(box, "ready")
    box.server.settings(REPO, allow_auto_merge=True, ci="pass")
    waiting = box.stack("waiting")[0]
    refusal = on_pull(box.alice, "enablePullRequestAutoMerge", waiting, mergeMethod="SQUASH")
    assert said(refusal) == "merge method is not valid for merge queue"
    box.server.settings(REPO, ci="manual")
    entry = on_pull(box.alice, "enablePullRequestAutoMerge", numbers[0], "pullRequest {isInMergeQueue}")
    assert entry["data"]["enablePullRequestAutoMerge"] == {"pullRequest": {"isInMergeQueue": True}}
    again = on_pull(box.alice, "enablePullRequestAutoMerge", numbers[0])
    assert said(again) == "Pull request is already in the queue"
    on_pull(box.alice, DEQUEUE, numbers[0], ENTRY)
    number = box.stack("later")[0]
    for each in (*numbers, number):
        assert said(on_pull(box.alice, "enablePullRequestAutoMerge", each)) is None
    found = read(box, numbers[0])["pullRequest"]
    assert (found["isInMergeQueue"], found["autoMergeRequest"]) == (True, None)
    found = read(box, number)["pullRequest"]
    assert (found["isInMergeQueue"], found["autoMergeRequest"]) == (False, {"mergeMethod": "SQUASH"})
    box.server.settings(REPO, ci="pass")
    seen = []
    for _look in range(2):
        found = read(box, number)["pullRequest"]
        seen.append((found["state"], (found["mergeQueueEntry"] or {}).get("state")))
    assert seen == [("OPEN", "AWAITING_CHECKS"), ("MERGED", None)]
    assert box.state(numbers[0]) == "merged"


def asked_and_polled(box: Box, path: str, **body: str) -> list[Any]:
    """An asynchronous merge asked for, and what two looks at it say."""
    key = box.alice.put(path, body, expect=202)["details"]["uuid"]
    return [box.alice.get(f"{path}/{key}") for _look in range(2)]


def test_a_native_stack_is_queued_as_a_whole_and_lands_together(box: Box) -> None:
    with_queue(box)
    box.server.settings(REPO, stacks_enabled=True)
    numbers = box.stack("one", "two", "three")
    box.alice.post("stacks", {"pull_requests": numbers})
    for name in ("one", "two", "three"):
        passes(box, box.tip(name))
    text = "Pull requests that are part of a stack must be merged with the stack."
    assert said(on_pull(box.alice, ENQUEUE, numbers[0], ENTRY)) == text
    path = f"pulls/{numbers[1]}/merge-async"
    explicit = box.alice.put(path, {"merge_method": "squash", "merge_action": "merge_queue"}, expect=422)
    assert explicit["message"].startswith("Custom merge params (merge_method, commit_title, commit_message) are not")
    assert [answer["status"] for answer in asked_and_polled(box, path, merge_method="squash")] == ["pending", "failed"]
    answers = asked_and_polled(box, path)
    assert [answer["status"] for answer in answers] == ["pending", "enqueued"]
    assert answers[0]["details"]["merge_method"] == "default"
    again = box.alice.put(f"pulls/{numbers[1]}/merge-async", {}, expect=200)
    assert again["details"]["message"] == "Pull request is already in the merge queue."
    assert line(box) == numbers[:2]
    for number in numbers[:2]:
        passes(box, box.server.queued(REPO, number))
    box.server.catch_up()
    assert [box.state(number) for number in numbers] == ["merged", "merged", "open"]
    assert box.pull(numbers[2]).base_ref == "main"
