"""Selections for each budget, looked up in rows that are filled once."""

from __future__ import annotations

import sys
from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mckp.solvers import instances, plain
from mckp.solvers.auto import TINY
from mckp.solvers.each import EachBudget
from mckp.table import Table
from tests.strategies import examples


@given(seed=st.integers(0, 10**6), share=st.floats(0, 1))
@examples(60)
def test_each_is_what_is_best_for_its_budget(seed: int, share: float) -> None:
    """Ties included, and the least that fits anything where nothing does."""
    table = instances.document(seed=seed, nodes=30, layouts=2).table
    most = int(table.cost.sum())
    found, budget = EachBudget(table, most), int(most * share)
    alone = plain.solve(table, budget)
    if alone.status == "infeasible":
        assert alone.floor is not None
        alone = plain.solve(table, alone.floor)
    assert found.at(budget).tolist() == alone.choice.tolist()


def test_budgets_beyond_the_range_are_its_ends() -> None:
    found = EachBudget(Table.flat([[2, 5], [1, 3]], [[0, 9], [0, 0.5]]), 8)
    assert found.at(99).tolist() == found.at(8).tolist() == [1, 1]
    assert found.at(-5).tolist() == found.at(3).tolist() == [0, 0]


def test_it_pays_where_it_is_quick() -> None:
    tiny = Table.flat([[1, 2]] * (TINY // 2), [[0, 1]] * (TINY // 2))
    large = Table.flat([[1, 2]] * TINY, [[0, 1]] * TINY)
    with mock.patch.dict(sys.modules):
        sys.modules.pop("numba", None)
        assert not EachBudget.pays(tiny, 9)
        assert EachBudget.pays(large, 9)
    assert not EachBudget.pays(large, 10**9)
    assert np.array_equal(EachBudget(tiny, 99).at(50), plain.solve(tiny, 50).choice)
