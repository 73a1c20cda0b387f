"""What the pages show."""

from __future__ import annotations

from collections.abc import Callable

from stackr.sandbox import checks, issues, reviews, timeline
from stackr.sandbox.web import standing
from tests.support.pages import Reader
from tests.support.sandbox import REPO, Box

Readers = Callable[[str], Reader]
MINUS = "\N{MINUS SIGN}"


def stack_list(box: Box, number: int) -> list[tuple[int, str, bool]]:
    """Number, state and "this one" of the stack list, from the top."""
    return [(it.number, it.state, this) for it, this in standing.stack(box.server.engine, box.pull(number))]


def test_home_shows_repositories_people_and_how_to_be_the_same_on_the_command_line(box: Box, reader: Readers) -> None:
    box.stack("one", "two")
    page = reader("bob").open("/").text
    assert "acme/widgets 2 open pull requests" in page
    assert "alice Alice bob Bob you carol Carol dave Dave" in page
    assert f"export STACKR_TOKEN={box.bob.token}" in page


def test_an_account_has_a_page_with_its_repositories(box: Box, reader: Readers) -> None:
    assert "acme/widgets 0 open pull requests" in reader("alice").open("/acme").text
    assert "None that you may see." in reader("alice").open("/bob").text


def test_a_repository_shows_branches_pull_requests_and_how_to_clone(box: Box, reader: Readers) -> None:
    box.stack("one", "two", "three")
    box.server.settings(REPO, description="Widgets of every size")
    box.alice.patch("pulls/3", {"state": "closed"})
    box.bob.put("pulls/1/merge")
    page = reader("bob").open(f"/{REPO}")
    assert "Widgets of every size You have write access." in page.text
    assert f"git clone {box.server.clone_url(REPO)}" in page.text
    assert "Open 1 Merged 1 Closed 1 open: Change two #2 by alice , one ← two" in page.text
    assert "main default" in page.text
    assert "merged: Change one #1" in page.open(f"/{REPO}?state=merged").text
    assert "closed: Change three #3" in page.open(f"/{REPO}?state=closed").text
    assert "open: Change two #2" in page.open(f"/{REPO}?state=nonsense").text


def test_addresses_people_paste_lead_to_the_page(box: Box, reader: Readers) -> None:
    box.stack("one")
    page = reader("bob")
    for path in (f"/{REPO}.git", f"/{REPO}/pulls"):
        assert "acme/widgets You have write access." in page.open(path).text
    for path in (f"/{REPO}/pull/1/files", f"/{REPO}/pull/1/commits", f"/{REPO}/pull/1/checks", f"/{REPO}/issues/1"):
        assert "Change one #1" in page.open(path).text


def test_an_empty_repository_says_so(box: Box, reader: Readers) -> None:
    box.server.add_repository("acme/empty", readers=["bob"])
    assert "This repository is empty" in reader("bob").open("/acme/empty").text


def test_a_branch_and_a_commit_have_pages(box: Box, reader: Readers) -> None:
    box.stack("feature/one")
    page = reader("bob").open(f"/{REPO}/commits/feature/one")
    assert "3 commits, newest first" in page.text
    assert "Change feature/one" in page.open(f"/{REPO}/tree/feature/one").text
    tip = box.tip("feature/one") or ""
    page.open(f"/{REPO}/commit/{tip}")
    assert tip in page.text and "Alice Author <alice@example.com>" in page.text
    assert f"Change-feature-one.txt added +1 {MINUS}0" in page.text
    root = box.server.engine.git(box.repo).graph.history(tip)[-1]
    assert "Parents none" in page.open(f"/{REPO}/commit/{root}").text


def test_a_pull_request_shows_where_it_goes_and_its_description(box: Box, reader: Readers) -> None:
    box.stack("one", "two")
    lines = ["<!-- stackr:begin v1 -->", "* __->__ #2", "* #1", "<!-- stackr:end -->", "", "Asked for by @bob."]
    box.alice.patch("pulls/2", {"body": "\r\n".join(lines)})
    page = reader("bob").open(f"/{REPO}/pull/2")
    assert "Change two #2 Open alice wants to merge 1 commit into one ← two" in page.text
    assert "-> open: Change two #2 open: Change one #1 Asked for by @bob ." in page.text
    assert "stackr:begin" not in page.html.split("<textarea")[0]
    assert "stackr:begin" in page.form("edit").fields["body"]
    assert "This merges into one , the branch of open: Change one #1 , and not into main ." in page.text


def test_the_stack_is_the_chain_of_bases_newest_on_top(box: Box) -> None:
    box.stack("one", "two", "three")
    assert stack_list(box, 2) == [(3, "open", False), (2, "open", True), (1, "open", False)]
    box.alice.branch("fork", "two")
    box.alice.push("fork")
    box.alice.open("fork", "two", draft=True)
    assert stack_list(box, 2) == [(2, "open", True), (1, "open", False)]  # above it the way forks
    assert stack_list(box, 4) == [(4, "draft", True), (2, "open", False), (1, "open", False)]


def test_a_single_pull_request_has_no_stack_and_circles_end(box: Box) -> None:
    box.stack("one")
    assert stack_list(box, 1) == []
    box.alice.branch("left")
    box.alice.branch("right")
    box.alice.push("left", "right")
    left, right = box.alice.open("left", "right"), box.alice.open("right", "left")
    assert stack_list(box, left) == [(left, "open", True), (right, "open", False)]


def test_a_registered_stack_is_shown_as_registered(box: Box) -> None:
    box.stack("one", "two")
    box.server.settings(REPO, stacks_enabled=True)
    box.alice.post("stacks", {"pull_requests": [1, 2]})
    assert stack_list(box, 1) == [(2, "open", False), (1, "open", True)]


def test_commits_are_the_line_that_was_pushed_and_force_pushes_are_told(box: Box, reader: Readers) -> None:
    box.stack("one")
    clone = box.alice.clone
    clone.git("checkout", "-q", "-B", "side", "origin/main")
    clone.commit("From the side", {"side.txt": "x\n"})
    clone.git("checkout", "-q", "one")
    clone.git("merge", "-q", "--no-ff", "-m", "Bring the side", "side")
    box.alice.push("one")
    page = reader("bob").open(f"/{REPO}/pull/1")
    commits = page.text.split("You can", 1)[-1].partition(" Commits ")[2]
    assert "wants to merge 2 commits" in page.text
    assert "And 1 commit that came with merges." in commits
    assert "alice pushed one from" in page.text and "Bring the side" in page.text
    clone.git("reset", "-q", "--hard", "HEAD^")
    clone.commit("Another way", {"other.txt": "x\n"})
    box.alice.push("+one")
    page.open(f"/{REPO}/pull/1")
    assert "alice force-pushed one from" in page.text
    assert "This branch was force-pushed 1 time:" in page.text


def test_reviewers_show_their_last_opinion_and_whether_it_is_for_an_older_head(box: Box, reader: Readers) -> None:
    box.stack("one")
    box.bob.post("pulls/1/reviews", {"event": "APPROVE"}, 200)
    box.bob.post("pulls/1/reviews", {"event": "COMMENT", "body": "By the way"}, 200)
    box.carol.post("pulls/1/reviews", {"event": "COMMENT", "body": "Hm"}, 200)
    box.alice.post("pulls/1/requested_reviewers", {"reviewers": ["dave"]})
    box.alice.branch("one", "one", {"more.txt": "x\n"})
    box.alice.push("one")
    text = reader("bob").open(f"/{REPO}/pull/1").text
    assert "Reviewers bob approved (an older head) carol commented (an older head) dave requested" in text
    assert "bob approved these changes at" in text and ", an older head" in text


def test_checks_show_runs_statuses_and_what_a_rule_waits_for(box: Box, reader: Readers) -> None:
    box.stack("one")
    required = [{"context": "build"}, {"context": "deploy"}]
    rule = {"type": "required_status_checks", "parameters": {"required_status_checks": required}}
    box.server.protect(REPO, "main", rule)
    engine, oid = box.server.engine, box.pull(1).head_oid
    for name, conclusion in (("build", "success"), ("lint", "timed_out"), ("docs", "skipped"), ("slow", None)):
        checks.put_check(engine, box.repo, oid=oid, name=name, conclusion=conclusion)
    box.bob.post(f"statuses/{oid}", {"context": "ci/old", "state": "error", "description": "It broke"})
    text = reader("bob").open(f"/{REPO}/pull/1").text
    assert (
        "success build (required) failure lint timed out skipped docs pending slow in progress "
        "failure ci/old It broke expected deploy waiting for it to be reported (required)" in text
    )
    assert reader("bob").open(f"/{REPO}/pull/1").form("check").fields["name"] == "lint"


def test_every_kind_of_event_is_a_sentence(box: Box, reader: Readers) -> None:
    box.stack("one", "two")
    alice = box.alice
    alice.patch("pulls/2", {"title": "A better title", "base": "main"})
    alice.patch("issues/2", {"labels": ["bug"], "assignees": ["bob"]})
    alice.patch("issues/2", {"labels": [], "assignees": []})
    alice.post("pulls/2/requested_reviewers", {"reviewers": ["bob", "carol"]})
    alice.delete("pulls/2/requested_reviewers", {"reviewers": ["carol"]}, 200)
    engine, pull, user = box.server.engine, box.pull(2), box.server.user("alice")
    milestone = issues.add_milestone(engine, user, box.repo, "1.0")
    issues.set_milestone(engine, user, pull, milestone.number)
    issues.set_milestone(engine, user, pull, None)
    review = reviews.add_review(engine, box.server.user("bob"), pull, event="REQUEST_CHANGES", body="No")
    reviews.dismiss_review(engine, user, pull, review, "Done <b>since</b>")
    timeline.record(engine, pull, "locked_in_a_box", None)
    box.server.settings(REPO, stacks_enabled=True)
    text = reader("bob").open(f"/{REPO}/pull/2").text
    for sentence in (
        "alice changed the title from Change two to A better title",
        "alice changed the base branch from one to main",
        "alice added the label bug",
        "alice removed the label bug",
        "alice assigned bob",
        "alice unassigned bob",
        "alice asked bob for a review",
        "alice no longer asks carol for a review",
        "alice set the milestone 1.0",
        "alice removed the milestone",
        "bob reviewed (dismissed since)",
        "alice dismissed a review (changes requested): Done <b>since</b>",
        "ghost locked in a box",
    ):
        assert sentence in text


def test_the_end_of_a_pull_request_is_told_once(box: Box, reader: Readers) -> None:
    box.stack("one", "two")
    box.server.settings(REPO, delete_branch_on_merge=True)
    box.bob.put("pulls/1/merge", {"merge_method": "squash"})
    page = reader("alice").open(f"/{REPO}/pull/1")
    assert "Change one #1 Merged bob merged 1 commit into main ← one" in page.text
    assert "bob merged commit" in page.text and "bob closed this" not in page.text
    assert "bob deleted the branch one" in page.text
    assert page.button("merge") is None and page.button("delete-branch") is None and page.button("reopen") is None
    page.open(f"/{REPO}/pull/2")
    assert "bob had the base branch changed by GitHub from one to main" in page.text


def test_a_pull_request_from_a_fork_names_its_owner(box: Box, reader: Readers) -> None:
    dave = box.dave
    dave.post("forks", {}, 202)
    dave.branch("fix")
    dave.clone.git("push", "-q", box.server.clone_url("dave/widgets", dave.token), "fix")
    number = dave.open("dave:fix")
    page = reader("alice").open(f"/{REPO}/pull/{number}")
    assert "dave wants to merge 1 commit into main ← dave:fix" in page.text
    assert "open: Change dave:fix" in page.open("/dave/widgets").text
    box.server.settings(REPO, private=True)
    box.server.add_user("eve")
    assert "Change dave:fix" not in reader("eve").open("/dave/widgets").text


def test_a_plain_issue_has_a_page(box: Box, reader: Readers) -> None:
    number = box.bob.post("issues", {"title": "It is slow", "body": "Very."})["number"]
    box.alice.post(f"issues/{number}/comments", {"body": "Is it?"})
    page = reader("dave").open(f"/{REPO}/issues/{number}")
    assert "It is slow #1 Open bob opened this" in page.text
    assert "Very." in page.text and "alice commented" in page.text and "Is it?" in page.text


def test_a_deleted_file_cannot_be_edited_and_a_binary_one_has_no_lines(box: Box, reader: Readers) -> None:
    clone = box.alice.clone
    clone.git("checkout", "-q", "-B", "one", "origin/main")
    clone.git("rm", "-q", "README.md")
    clone.write("picture.png", b"\x89PNG\0\1\2")
    clone.git("add", "picture.png")
    clone.commit("Swap", {})
    box.alice.push("one")
    box.alice.open("one")
    page = reader("bob").open(f"/{REPO}/pull/1")
    assert f"README.md removed +0 {MINUS}1" in page.text
    assert f"picture.png added +0 {MINUS}0 Renamed without changes, binary, empty, or a change of mode." in page.text
    assert "Edit , as" not in page.text and "/edit?path=" not in page.html
