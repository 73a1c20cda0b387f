"""Every text that stackr can send, against GitHub's own schema."""

from __future__ import annotations

import inspect

import pytest

from stackr.github import queries
from tests.support.github_schema import validate_query


@pytest.mark.parametrize("name", queries.every_query())
def test_github_accepts_the_query(name: str) -> None:
    assert validate_query(queries.every_query()[name]) == []


def test_every_builder_is_among_them() -> None:
    builders = {
        name
        for name, builder in inspect.getmembers(queries, inspect.isfunction)
        if name.endswith(("_query", "_mutation")) and name != "every_query"
    }
    source = inspect.getsource(queries.every_query)
    assert builders == {name for name in builders if f"{name}(" in source}
    assert len(builders) >= 12


def test_a_text_depends_on_numbers_only_so_that_servers_can_remember_it() -> None:
    assert queries.read_query(3, 1, trunk=True, details=True) == queries.read_query(3, 1, trunk=True, details=True)
    assert '"' not in "".join(queries.every_query().values())


def test_a_hundred_heads_stay_far_below_githubs_limit_of_nodes() -> None:
    text = queries.read_query(queries.HEADS_A_QUERY, queries.HEADS_A_QUERY, trunk=True, details=True)
    pulls = queries.HEADS_A_QUERY * queries.PULLS_A_HEAD + queries.HEADS_A_QUERY
    assert text.count("first: 30") == 1
    assert pulls * (1 + 30) < 500_000 / 20
    landing = queries.read_query(queries.HEADS_A_QUERY, queries.HEADS_A_QUERY, trunk=True, details=True, landing=True)
    assert landing.count("first: 100") == 2
    rules = 3 * 100 * 20
    assert pulls * (1 + 30 + 1 + 100 + 1) + rules < 500_000 / 5
