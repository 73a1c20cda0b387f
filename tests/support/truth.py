"""Whether the three lines of an error are true: what they call safe is held against what the run really did."""

from __future__ import annotations

from tests.support.stories import View
from tests.support.world import Result


def check_error(result: Result, before: View, after: View) -> None:
    """An error has three lines at the end of stderr, and what it says did not happen did not happen."""
    lines = result.err.splitlines()
    at = max(index for index, line in enumerate(lines) if line.startswith("error: "))
    told = [line for line in lines[at:] if not line.startswith("       ")]
    assert [line.split(" ")[0] for line in told] == ["error:", "safe:", "next:"], result.err
    assert "traceback" not in result.err.lower()
    assert "<" not in result.err, result.err
    safe = told[1]
    if "nothing was changed" in safe:
        assert (_visible(after.refs), after.branches, after.pulls) == (
            _visible(before.refs),
            before.branches,
            before.pulls,
        ), safe
    if "nothing was pushed" in safe:
        assert after.branches == before.branches, safe
    if "no pull request was created" in safe:
        assert after.pulls.keys() == before.pulls.keys(), safe


def _visible(refs: dict[str, str]) -> dict[str, str]:
    """Without our own records, which nobody sees."""
    return {ref: oid for ref, oid in refs.items() if not ref.startswith("refs/stackr/")}
