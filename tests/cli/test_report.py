"""``stackr report bench`` as a whole: files in, Markdown out, one comment on the pull request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stackr.commands import report
from stackr.sandbox import issues
from tests.support.canned_http import Asked, Canned, CannedServer
from tests.support.world import Clone, Result, World

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "bench"
MARK = "<!-- stackr:report bench -->"
BENCH = ("report", "bench", "old.json", "new.json")


def write(folder: Path, name: str, ops: float, commit: str = "") -> None:
    """A file of one benchmark."""
    stats = {"max": 0.02, "mean": 0.01, "median": 0.01, "ops": ops}
    entry = {"name": "test_x", "fullname": "b.py::test_x", "stats": stats}
    (folder / name).write_text(json.dumps({"benchmarks": [entry], "commit_info": {"id": commit}}))


@pytest.fixture
def nowhere(tmp_path: Path) -> Clone:
    """A folder that is no repository, with two files; and no token."""
    write(tmp_path, "old.json", 100)
    write(tmp_path, "new.json", 90)
    return Clone(tmp_path, "alice", "")


def text(baseline: str, change: str, ops: str) -> str:
    """The report on the files that ``write`` makes, with 100 as the old figure."""
    return (
        f"## ⚠ Warning: benchmarks vs {baseline}\n\nTotal Benchmarks: 1. Improved: 0. Worsened: 1.\n\n"
        "| Name | Max | Mean | Ops | Ops before | Change |\n| --- | ---: | ---: | ---: | ---: | ---: |\n"
        f"| test_x | 20.0000ms | 10.0000ms | {ops} Ops/s | 100.0000 Ops/s | **{change}%** |\n\n"
        "More operations a second are better; changes of more than 5 % are bold and counted."
    )


def conversation(world: World, number: int) -> list[tuple[str, str]]:
    """(author, text) of every comment on a pull request."""
    engine, users = world.server.engine, world.server.engine.store.users
    return [(users.need(each.author_id).login, each.body) for each in issues.comments_of(engine, world.pull(number))]


def say(world: World, number: int, login: str, body: str) -> None:
    issues.add_comment(world.server.engine, world.server.user(login), world.pull(number), body)


def writes(world: World) -> int:
    """Requests to the comments that wrote something, since the last look."""
    found = [entry for entry in world.server.log.api() if entry.is_write and "/comments" in entry.path]
    world.forget()
    return len(found)


def test_the_example_needs_no_repository_no_network_and_no_token(nowhere: Clone) -> None:
    files = [str(FIXTURES / f"{name}.json") for name in ("old", "new")]
    told = nowhere.stackr("report", "bench", *files, "--style", "latex", "--threshold", "5")
    assert "Total Benchmarks: 164. Improved: 22. Worsened: 7." in told.out
    rows = [line.strip("| ").split(" | ") for line in told.out.splitlines() if line.startswith("| ")]
    expected = (FIXTURES / "expected.tsv").read_text().replace(r"\%", r"\\%").splitlines()
    assert [rows[0], *rows[2:]] == [line.split("\t") for line in expected]
    assert told.err == ""


def test_files_lie_where_the_command_runs_and_json_has_everything(nowhere: Clone) -> None:
    assert nowhere.stackr(*BENCH) == Result(0, text("old.json", "-10.00", "90.0000") + "\n", "")
    document = nowhere.stackr(*BENCH, "--json", "--stat", "median", "--base-label", "@main").json
    assert document.pop("markdown").startswith("## ✔ OK: benchmarks vs @\u200bmain\n")
    assert document == {
        "schema": 1,
        "command": "report bench",
        "ok": True,
        "stat": "median",
        "threshold": 5.0,
        "baseline": "@main",
        "total": 1,
        "improved": 0,
        "worsened": 0,
        "benchmarks": [
            {
                "fullname": "b.py::test_x",
                "name": "test_x",
                "old": 0.01,
                "new": 0.01,
                "change": 0.0,
                "verdict": "same",
                "stall_suspected": False,
            }
        ],
        "not_compared": {"new": [], "gone": []},
        "comment": None,
    }


def refusal(told: Result) -> str:
    assert told.out == ""
    lines = told.err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["error", "safe", "next"]
    return lines[0].removeprefix("error: ")


def test_what_cannot_be_compared_is_told_in_three_lines(nowhere: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    (nowhere.path / "empty.json").write_bytes(b"")
    for name, code, message in [
        ("nowhere.json", 2, 'there is no file "nowhere.json"'),
        ("new.json/x", 2, 'there is no file "new.json/x"'),
        ("a\0b", 2, 'there is no file "ab"'),
        (".", 2, '"." is a directory, not a file of pytest-benchmark'),
        ("empty.json", 3, '"empty.json" is no file of pytest-benchmark: it is empty'),
    ]:
        assert refusal(nowhere.stackr("report", "bench", name, "new.json", code=code)) == message
    for bad in ("nan", "-1", "x", "1e99"):
        told = nowhere.stackr(*BENCH, f"--threshold={bad}", code=2)
        assert refusal(told) == f'invalid value for "--threshold": "{bad}" is not a percentage'
    monkeypatch.setattr(report, "LARGEST_FILE", 100)
    assert refusal(nowhere.stackr(*BENCH, code=3)) == '"old.json" has more than 0 MB'


def test_one_comment_is_kept_and_written_only_when_the_text_changes(world: World) -> None:
    clone = world.stacked("A", "B")
    say(world, 2, "bob", f"{MARK}\nmine")
    write(clone.path, "old.json", 100, clone.oid("HEAD~1"))
    write(clone.path, "new.json", 90)
    told = clone.stackr(*BENCH, "--post", "--dry-run")
    assert (told.out, told.err) == (text("#1, the change below", "-10.00", "90.0000") + "\n", "would comment on #2\n")
    assert (writes(world), len(conversation(world, 2))) == (0, 1)

    first = clone.stackr(*BENCH, "--post")
    theirs, ours = ("bob", f"{MARK}\nmine"), ("alice", f"{MARK}\n{first.out.rstrip()}")
    assert conversation(world, 2) == [theirs, ours]
    assert first.err.startswith(f"commented on #2: {world.server.url}/{world.name}/pull/2#issuecomment-")
    assert writes(world) == 1

    again = clone.stackr(*BENCH, "--post")
    assert (again.out, again.err) == (
        first.out,
        first.err.replace("commented on #2", "the comment on #2 says so already"),
    )
    assert (writes(world), conversation(world, 2)) == (0, [theirs, ours])

    write(clone.path, "new.json", 80)
    assert clone.stackr(*BENCH, "--post", "--dry-run").err.startswith("would update the comment on #2: http")
    comment = clone.stackr(*BENCH, "--post", "--json").json["comment"]
    assert comment.pop("url") == first.err.split(": ")[1].rstrip()
    assert comment == {"pull": 2, "action": "update", "written": True}
    changed = ("alice", f"{MARK}\n" + text("#1, the change below", "-20.00", "80.0000"))
    assert (writes(world), conversation(world, 2)) == (1, [theirs, changed])

    # The bottom change is compared with trunk, and its own comment is found behind any number of others.
    clone.git("checkout", "-q", "--detach", "HEAD~1")
    write(clone.path, "old.json", 100, clone.oid("origin/main"))
    for n in range(149):
        say(world, 1, "bob", f"{MARK} {n}")
    assert clone.stackr(*BENCH, "--post").out == (
        text(f"main at {clone.oid('origin/main')[:7]}", "-20.00", "80.0000") + "\n"
    )
    assert [author for author, _ in conversation(world, 1)] == ["bob"] * 149 + ["alice"]
    assert clone.stackr(*BENCH, "--post", "--pr", "1", "--base-label", "x").err.startswith("updated the comment on #1")
    assert len(conversation(world, 1)) == 150
    missing = refusal(clone.stackr(*BENCH, "--post", "--pr", "99", code=2))
    assert missing == "#99 is no pull request of this repository"


def test_without_a_pull_request_nothing_is_posted(world: World) -> None:
    clone = world.stacked("A", submit=False)
    for name in ("old.json", "new.json"):
        write(clone.path, name, 100)
    for place in ("HEAD", "origin/main"):
        clone.git("checkout", "-q", "--detach", place)
        assert refusal(clone.stackr(*BENCH, "--post", code=3)) == "the change at HEAD has no pull request"


def in_job(world: World, folder: Path, event: Any = None, **env: str) -> dict[str, str]:
    """The environment of a job of GitHub Actions."""
    (folder / "event.json").write_text(json.dumps(event))
    return {
        "STACKR_TOKEN": "",
        "GITHUB_TOKEN": world.server.add_user("carol"),
        "GITHUB_ACTIONS": "true",
        "GITHUB_REPOSITORY": world.name,
        "GITHUB_SERVER_URL": world.server.url,
        "GITHUB_API_URL": f"{world.server.url}/api/v3",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        **env,
    }


def test_a_job_of_github_actions_needs_no_clone(world: World, nowhere: Clone) -> None:
    world.stacked("A", "B")
    below, above = world.pull(1), world.pull(2)
    write(nowhere.path, "old.json", 100, below.head_oid)
    base, head = (
        {"ref": below.head_ref, "sha": below.head_oid, "repo": {"default_branch": "main"}},
        {"repo": {"full_name": world.name}},
    )
    env = in_job(world, nowhere.path, {"pull_request": {"number": 2, "base": base, "head": head}})
    shown = text("#1, the change below", "-10.00", "90.0000")
    assert nowhere.stackr(*BENCH, "--post", "--dry-run", env=env).out == f"{shown}\n"
    assert not (nowhere.path / "summary.md").exists()
    nowhere.stackr(*BENCH, "--post", env=env)
    assert conversation(world, 2) == [("carol", f"{MARK}\n{shown}")]
    assert (nowhere.path / "summary.md").read_text() == f"{shown}\n"

    # After another workflow, or a push, its branch and commit tell; a tag belongs to no pull request.
    owner = world.name.partition("/")[0]
    run = {"head_branch": above.head_ref, "head_sha": above.head_oid, "head_repository": {"owner": {"login": owner}}}
    env = in_job(world, nowhere.path, {"workflow_run": run}, GITHUB_STEP_SUMMARY="")
    assert nowhere.stackr(*BENCH, "--post", env=env).err.startswith("the comment on #2 says so already")
    env |= {"GITHUB_EVENT_PATH": "", "GITHUB_REF": f"refs/heads/{above.head_ref}"}
    told = nowhere.stackr(*BENCH, "--post", env={**env, "GITHUB_SHA": above.head_oid})
    assert told.err.startswith("the comment on #2 says so already")
    gone = nowhere.stackr(*BENCH, "--post", env={**env, "GITHUB_SHA": "7" * 40}, code=3)
    assert refusal(gone) == f'no open pull requests have "{owner}:{above.head_ref}" at 7777777 as their head'
    tag = nowhere.stackr(*BENCH, "--post", env={**env, "GITHUB_REF": "refs/tags/v1"}, code=3)
    assert refusal(tag) == "this job does not run for a pull request"
    env["GITHUB_REF"] = "refs/pull/1/merge"
    assert nowhere.stackr(*BENCH, "--post", env=env).err.startswith("commented on #1")
    assert nowhere.stackr(*BENCH, "--post", "--pr", "2", env=env).err.startswith("the comment on #2 says so already")


def test_without_post_a_job_still_gets_its_summary(world: World, nowhere: Clone) -> None:
    env = in_job(world, nowhere.path, GITHUB_TOKEN="")
    told = nowhere.stackr(*BENCH, env=env)
    assert (nowhere.path / "summary.md").read_text() == told.out
    assert refusal(nowhere.stackr(*BENCH, "--post", env=env, code=7)).startswith("this job has no token")


@pytest.mark.parametrize(
    ("repository", "hint"),
    [
        ("eve/app", "a fork's job has a token that only reads: see docs/guide/ci-and-benchmarks.md"),
        ("", "give the token that permission, or use another: stackr auth status"),
    ],
)
def test_a_job_that_may_not_post_is_told_how_and_keeps_its_summary(
    world: World, nowhere: Clone, repository: str, hint: str
) -> None:
    def answer(asked: Asked) -> Canned:
        if asked.path.endswith("/graphql"):
            return Canned(body={"data": {"viewer": {"login": "github-actions[bot]"}}})
        if asked.method == "GET":
            return Canned(body=[{"id": 1, "user": {"login": "github-actions"}, "body": MARK, "html_url": ""}])
        return Canned(403, {"message": "Resource not accessible by integration"})

    event = {"pull_request": {"number": 5, "head": {"repo": {"full_name": repository}}}}
    with CannedServer(answer) as server:
        env = in_job(world, nowhere.path, event, GITHUB_SERVER_URL=server.url, GITHUB_API_URL="")
        told = nowhere.stackr(*BENCH, "--post", env=env, code=7)
    assert told.err.splitlines() == [
        "error: the token from GITHUB_TOKEN may not do this (Resource not accessible by integration)",
        "safe:  nothing was changed",
        f"next:  {hint}",
    ]
    assert (nowhere.path / "summary.md").read_text() == told.out
