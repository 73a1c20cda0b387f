"""The one line that tells why a check failed, and when two lines tell of the same thing."""

from __future__ import annotations

import pytest

from stackr.core.causes import Cause, cause_of, is_generic, job_key, normalise
from stackr.core.checks import Check, Evidence, Outcome

DOCKER = "RuntimeError: Command docker exec -t {} /exec failed with exit code 1"
CONTAINERS = ["eee135966cc9e12568cd99f04cad727c3cdf967976c422886e0856d544212e91", "6c30b00e2f3c33fe5df1341b4513933213"]


def cause(log: str | None = None, *annotations: str, summary: str = "") -> Cause:
    evidence = Evidence(annotations, log)
    return cause_of(Check("job", "job", Outcome.FAILED, summary=summary, evidence=evidence))


def stamped(*lines: str) -> str:
    """A log as GitHub Actions serves it."""
    return "\ufeff" + "\r\n".join(f"2026-12-01T10:20:{i:02}.1234567Z {line}" for i, line in enumerate(lines))


# -- where the line comes from -------------------------------------------------------------------------------


def test_an_annotation_that_says_something_comes_before_the_log() -> None:
    found = cause(stamped("ValueError: from the log"), "Process completed with exit code 1.", "E501 line too long")
    assert (found.text, found.generic) == ("E501 line too long", False)


def test_the_log_comes_before_an_annotation_that_says_nothing() -> None:
    found = cause(stamped("ValueError: from the log"), "Process completed with exit code 1.")
    assert found.text == "ValueError: from the log"


def test_an_annotation_that_says_nothing_comes_before_silence() -> None:
    found = cause(stamped("all is well"), "Process completed with exit code 139.")
    assert (found.text, found.generic) == ("Process completed with exit code 139.", True)
    assert cause(None, "Process completed with exit code 139.") == found


def test_a_generic_line_of_the_log_is_nearer_to_the_matter_than_the_runners_annotation() -> None:
    found = cause(stamped("RuntimeError: Command failed."), "Process completed with exit code 1.")
    assert (found.text, found.generic) == ("RuntimeError: Command failed.", True)


def test_what_a_check_says_of_itself_is_shown_and_proves_nothing() -> None:
    found = cause(summary="3 tests failed")
    assert (found.text, found.generic) == ("3 tests failed", True)


def test_nothing_known_is_explained_by_nothing() -> None:
    assert cause() == Cause()
    assert cause().text == ""
    assert not cause().is_explained_by(cause())


# -- lines of a log ------------------------------------------------------------------------------------------


def test_a_failing_test_is_named_without_its_reason() -> None:
    log = stamped(
        "RuntimeError: earlier",
        "\x1b[31mFAILED\x1b[0m test/test_transforms.py::\x1b[1mTestVecNorm::test_parallelenv_vecnorm\x1b[0m - 1 != 2",
        "##[error]Process completed with exit code 1.",
    )
    assert cause(log).text == "test/test_transforms.py::TestVecNorm::test_parallelenv_vecnorm"


def test_of_several_failing_tests_the_last_is_shown_and_all_are_compared() -> None:
    first, second, third = (f"FAILED test/test_a.py::test_{name}" for name in ("one", "two[a b]", "three"))
    found = cause(stamped("[gw0] [ 10%] FAILED test/test_a.py::test_one", first, second, f"{third} - why", first))
    assert found.text == "test/test_a.py::test_three (+2 more)"
    assert found.keys == {"test/test_a.py::test_one", "test/test_a.py::test_two[a b]", "test/test_a.py::test_three"}
    fewer, other = cause(stamped(first, third)), cause(stamped(first, "FAILED test/test_a.py::test_four"))
    assert fewer.is_explained_by(found)
    assert not found.is_explained_by(fewer)
    assert not other.is_explained_by(found)


def test_a_file_that_cannot_be_collected_is_a_failing_test() -> None:
    assert cause(stamped("ERROR test/test_a.py - ImportError: no torch")).text == "test/test_a.py"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["ValueError: first", "  KeyError: 'second'", "at the end"], "KeyError: 'second'"),
        (["E   torch.OutOfMemoryError: no memory"], "torch.OutOfMemoryError: no memory"),
        (["Error: Cannot find module 'x'"], "Error: Cannot find module 'x'"),
        (["requests.exceptions.ConnectionException: no route"], "requests.exceptions.ConnectionException: no route"),
        (["an Error: in the middle of a line", "##[error]Cannot read the cache"], "Cannot read the cache"),
        (["##[error]No space left on device", "##[error]"], "No space left on device"),
        (["RuntimeError: Command failed.", "##[error]No space left on device"], "No space left on device"),
        (
            ["RuntimeError: Command failed.", "##[error]Process completed with exit code 1."],
            "RuntimeError: Command failed.",
        ),
        (["ValueError: ", "all is well"], ""),
    ],
)
def test_else_the_last_error_else_what_the_runner_marks(lines: list[str], text: str) -> None:
    assert cause(stamped(*lines)).text == text


def test_a_cause_is_one_clean_line_of_bounded_length() -> None:
    assert cause(None, "first\nsecond \x1b[2J\u202ethird").text == "first second third"
    assert cause(None, "x" * 1000).text == "x" * 299 + "…"


# -- generic causes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "Process completed with exit code 139.",
        "Error: Process completed with exit code 1.",
        "The process '/usr/bin/git' failed with exit code 128",
        "RuntimeError: Command failed.",
        "Command failed with exit code 1",
        DOCKER.format(CONTAINERS[0]),
        "subprocess.CalledProcessError: Command '['make']' returned non-zero exit status 2.",
        "exit status 1",
        "The operation was canceled.",
        'The job was canceled because "build_3_9" failed.',
        'The strategy configuration was canceled because "tests" failed',
        "The job has exceeded the maximum execution time of 6h0m0s",
        "The job running on runner GitHub Actions 3 has exceeded the maximum execution time of 30 minutes.",
        "",
    ],
)
def test_what_would_be_the_same_whatever_went_wrong_is_generic(line: str) -> None:
    assert is_generic(line)


@pytest.mark.parametrize(
    "line", ["AssertionError: 1 != 2", "RuntimeError: Command failed: no such file", "test/test_a.py::test_one"]
)
def test_what_names_the_matter_is_not_generic(line: str) -> None:
    assert not is_generic(line)


# -- what is compared ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (DOCKER.format(CONTAINERS[0]), DOCKER.format(CONTAINERS[1])),
        ("Error: object at 0x7f3c2a1b9d00", "Error: object at 0x7fffdeadbeef"),
        ("E: failed at 2026-12-01T10:20:30.5Z", "E: failed at 2025-01-02 03:04:05+01:00"),
        ("E: failed at 10:20:30", "E: failed at 1:20:31.5"),
        ("TimeoutError: no answer in 12.5s", "TimeoutError: no answer in 7 seconds"),
        ("E: no file /tmp/pytest-of-a/pytest-0/x.txt", "E: no file /tmp/tmpab12/y.txt"),
        ("E: no file C:\\Users\\a\\Temp\\x1", "E: no file D:\\a\\_temp\\y2"),
        ("E: no file /runner/a/_temp/x1", "E: no file /runner/b/_temp/y2"),
        ("E: shard 1/4 failed", "E: shard 3/4 failed"),
        ("E:  two\tspaces", "E: two spaces"),
    ],
)
def test_what_differs_from_run_to_run_is_not_compared(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("exit code 1", "exit code 139"),
        ("test_a[123456]", "test_a[123457]"),
        ("effaced", "defaced"),
        ("E: no file /srv/a", "E: no file /srv/b"),
    ],
)
def test_what_tells_of_another_matter_stays_different(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("CI / tests (1/4)", "CI / tests"),
        ("CI / tests shard 2 of 3", "CI / tests"),
        ("CI / tests-shard-2", "CI / tests"),
        ("CI / tests [shard 2]", "CI / tests"),
        ("pull / test (default, 2, 5, linux.2xlarge)", "pull / test (default, linux.2xlarge)"),
        ("pull / test (default, 5, 2, linux.2xlarge)", "pull / test (default, 5, 2, linux.2xlarge)"),
        ("Libs Tests on Linux / unittests-gym (3.9, 12.8) / linux-job", None),
        ("test (3.9/12.8)", None),
        ("test (2/12.8)", None),
        ("test (5/4)", None),
        ("test (0/4)", None),
    ],
)
def test_a_job_is_the_same_in_every_shard(name: str, key: str | None) -> None:
    assert job_key(name) == (name if key is None else key)


def test_logs_that_are_made_to_keep_us_busy_do_not() -> None:
    evil = [
        "] FAILED " + ".py" * 300_000,
        "E" + " " * 300_000 + "Error",
        "Error: " + "C:/tmp/" * 100_000,
        "[" * 300_000,
    ]
    found = cause("\n".join([*evil, "Command " + " failed with exit code" * 50_000, "##[error]" + "0x" * 200_000]))
    assert len(found.text) == 300
