"""The commit graph in memory answers as git does, over random histories."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from stackr.sandbox.graph import Graph
from tests.support.git import GitRepo, make_repo

History = dict[str, tuple[str, ...]]


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Commits c0, c1, ...: each has none, one or two parents among those before it."""
    found: History = {}
    for number in range(draw(st.integers(2, 14))):
        names = list(found)
        count = draw(st.integers(0 if number == 0 or draw(st.integers(0, 9)) == 0 else 1, min(2, number)))
        parents = draw(st.permutations(names))[:count] if names else []
        found[f"c{number:02}"] = tuple(parents)
    return found


def _ancestors(history: History, tip: str) -> set[str]:
    seen, stack = set(), [tip]
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            stack.extend(history[name])
    return seen


@given(histories(), st.data())
@settings(max_examples=100, deadline=None)
def test_the_graph_answers_as_sets_of_ancestors_do(history: History, data: st.DataObject) -> None:
    graph = Graph(lambda oid: history[oid])
    left, right = (data.draw(st.sampled_from(sorted(history))) for _ in range(2))
    of_left, of_right = _ancestors(history, left), _ancestors(history, right)
    assert graph.is_ancestor(left, right) == (left in of_right)
    ahead = graph.ahead(left, right)
    assert set(ahead) == of_right - of_left
    assert len(ahead) == len(set(ahead))
    for oid in ahead:
        assert all(p not in ahead or ahead.index(p) < ahead.index(oid) for p in history[oid])
    common = of_left & of_right
    best = {c for c in common if not any(c != other and c in _ancestors(history, other) for other in common)}
    assert set(graph.merge_bases(left, right)) == best
    assert set(graph.history(left)) == of_left


def test_git_agrees(tmp_path: object) -> None:
    from pathlib import Path

    repo: GitRepo = make_repo(Path(str(tmp_path)) / "repo")
    repo.commit("a")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("b")
    repo.git("checkout", "-q", "main")
    repo.commit("c")
    repo.git("merge", "-q", "-m", "d", "side")
    repo.commit("e")
    graph = Graph(lambda oid: tuple(repo.git("rev-parse", f"{oid}^@").split()))
    tip, side = repo.oid("main"), repo.oid("side")
    assert set(graph.ahead(side, tip)) == set(repo.git("rev-list", f"{side}..{tip}").split())
    assert graph.merge_bases(side, repo.oid("main~2")) == [repo.git("merge-base", "side", "main~2")]
    assert len(graph.history(tip, 2)) == 2


def test_a_long_history_needs_no_deep_recursion() -> None:
    parents = {f"{n:06}": (f"{n - 1:06}",) if n else () for n in range(20_000)}
    graph = Graph(lambda oid: parents[oid])
    assert graph.is_ancestor("000000", "019999")
    assert len(graph.ahead("000000", "019999")) == 19_999
    assert graph.merge_bases("000005", "019999") == ["000005"]
