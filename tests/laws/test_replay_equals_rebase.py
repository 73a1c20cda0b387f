"""The law of the restack: a stack replayed in memory is as ``git rebase`` would have it, conflict for conflict.

Random stacks over random trunks: edits, renames of files and folders, deletions, modes, links, submodules, binary
files, attributes that change on the way. Longer: ``STACKR_LAW_EXAMPLES=5000``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from stackr.core.replaying import Pick
from stackr.repo.repository import Repository
from tests.support import histories
from tests.support.git import git, make_repo
from tests.support.histories import History, Rebased

EXAMPLES = int(os.environ.get("STACKR_LAW_EXAMPLES", "50"))
# Where git moves a file out of the way of a folder it names the side; for people it is the file that conflicts.
ASIDE = re.compile(rb"~(HEAD|[0-9a-f]{7,} \(.*\))(_\d+)?$", re.DOTALL)

numbers = st.integers(0, 11)
steps = st.lists(st.tuples(st.integers(0, 14), numbers, numbers, numbers), min_size=1, max_size=3)
CONFIGS = [
    *[(), (), ()],
    ("merge.directoryRenames=true",),
    ("merge.directoryRenames=false",),
    ("merge.renames=false",),
    ("merge.renormalize=true",),
    ("diff.renames=copies",),
    ("diff.algorithm=patience",),
]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One repository for all histories; each brings its own commits."""
    path = make_repo(tmp_path_factory.mktemp("law") / "repo").path
    git(path, "config", "merge.ours-first.driver", "cat %A %B > %A.new && mv %A.new %A")
    git(path, "config", "gc.auto", "0")
    git(path, "config", "advice.detachedHead", "false")
    yield path


def replayed(path: Path, history: History) -> Rebased:
    """The replay's outcome in the words of ``rebase``."""
    with Repository.open(path) as repo:
        commits = repo.read_commits([history.base, *history.stack])
        picks = [
            Pick.of(commits[oid], commits[below].tree, commits[oid].subject)
            for below, oid in zip([history.base, *history.stack], history.stack, strict=False)
        ]
        outcome = repo.replay(picks, history.trunk)
        if outcome.conflict is not None:
            paths = frozenset(os.fsencode(name) for name in outcome.conflict.paths)
            return Rebased(stopped=outcome.conflict.label, paths=paths)
        tip = outcome.picks[-1].oid
    kept = tuple((picked.label, picked.tree) for picked in outcome.picks if not picked.became_empty)
    rows = git(path, "log", "--reverse", "--format=%s%x00%T", f"{history.trunk}..{tip}").splitlines()
    assert tuple((row.split("\0")[0], row.split("\0")[1]) for row in rows) == kept
    return Rebased(kept)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    before=steps,
    trunk=steps,
    stack=st.lists(steps, min_size=1, max_size=4),
    config=st.sampled_from(CONFIGS),
    copied=numbers,
)
def test_a_replay_has_the_trees_and_the_conflicts_of_a_rebase(
    ground: Path,
    before: list[histories.Step],
    trunk: list[histories.Step],
    stack: list[list[histories.Step]],
    config: tuple[str, ...],
    copied: int,
) -> None:
    start = histories.applied(histories.beginning(), before)
    states, state = [], start
    for number, change in enumerate(stack):
        # Now and then a commit does what the trunk did, as one does that landed or was picked over.
        state = histories.applied(state, trunk if number == copied else change)
        states.append(state)
    history = histories.write(ground, start, histories.applied(start, trunk), states)
    histories.check_out(ground, history.stack[-1])
    with pytest.MonkeyPatch.context() as patch:
        for number, setting in enumerate(config):
            key, _, value = setting.partition("=")
            patch.setenv(f"GIT_CONFIG_KEY_{number}", key)
            patch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
            patch.setenv("GIT_CONFIG_COUNT", str(number + 1))
        ours = replayed(ground, history)
        theirs = histories.rebase(ground, history)
    assume(theirs is not None)
    assert theirs is not None
    assert ours == replace(theirs, paths=frozenset(ASIDE.sub(b"", path) for path in theirs.paths))
