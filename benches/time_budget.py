"""How long a choice within a budget takes; run ``pytest benches/time_budget.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from samples import samples

import mckp

if TYPE_CHECKING:
    from mckp import Result

SHARES = [0.1, 0.5, 0.9]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("shape", ["table", "orders", "notes"])
def test_encode(benchmark: Any, rows: int, shape: str, share: float) -> None:
    """A document within a share of its tokens, from its data."""
    data = dict(samples(rows=rows))[shape]
    budget = max(12, int(share * mckp.encode(data).tokens))
    result: Result = benchmark(mckp.encode, data, budget=budget)
    benchmark.extra_info.update(rows=rows, tokens=result.tokens, value=result.value)
    assert result.tokens <= budget


@pytest.mark.parametrize("solver", ["auto", "greedy", "binary"])
def test_solvers(benchmark: Any, rows: int, solver: str) -> None:
    """Orders within half of their tokens, by the exact solver and by simpler rules."""
    data = dict(samples(rows=rows))["orders"]
    budget = mckp.encode(data).tokens // 2
    result: Result = benchmark(mckp.encode, data, budget=budget, solver=solver)
    benchmark.extra_info.update(rows=rows, tokens=result.tokens, value=result.value)
    assert result.tokens <= budget


def test_another_budget(benchmark: Any, rows: int) -> None:
    """Orders within half of what a result has, from its plans."""
    result = mckp.encode(dict(samples(rows=rows))["orders"])
    budget = result.tokens // 2
    assert benchmark(result.at, budget).tokens <= budget


def test_all_budgets(benchmark: Any, rows: int) -> None:
    """The best value for every budget."""
    result = mckp.encode(dict(samples(rows=rows // 4))["orders"], budget=60)
    assert benchmark(result.frontier).budgets[-1] > 60
