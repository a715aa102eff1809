"""Solvers that share nothing but the table agree on thousands of instances."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest

from mckp.solvers import Table, dp
from tests.solvers import agreement, instances

BATCH = 100
Maker: TypeAlias = Callable[[int], tuple[Table, int]]


MADE = [(instances.tiny, 20), (instances.with_setup, 10)]
BATCHES = [(make, batch) for make, batches in MADE for batch in range(instances.count(batches))]


@pytest.mark.slow
@pytest.mark.parametrize(("make", "batch"), BATCHES)
def test_small_trees_have_one_answer(make: Maker, batch: int) -> None:
    """The dp, the compiled solver and brute force agree, with setup costs and without."""
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        table, budget = make(seed)
        agreement.assert_brute(table, budget, agreement.assert_exact(table, budget))


@pytest.mark.parametrize(("make", "most"), [(instances.tiny, 300), (instances.with_setup, 200)])
def test_cpsat_agrees_on_small_trees(make: Maker, most: int) -> None:
    """CP-SAT, which models each setup cost as a variable, proves the same value and cost."""
    pytest.importorskip("ortools")
    for seed in range(instances.count(most)):
        table, budget = make(seed)
        agreement.assert_cpsat(table, budget, dp.solve(table, budget))


@pytest.mark.skipif(instances.JIT_OFF, reason="slow without compilation")
@pytest.mark.parametrize("family", instances.FAMILIES)
def test_literature_families_have_one_answer(family: str) -> None:
    """All exact solvers agree on random instances of each family."""
    for seed in range(instances.count(30)):
        rng = np.random.default_rng(seed)
        n, k, most = int(rng.integers(1, 60)), int(rng.integers(1, 9)), int(rng.integers(5, 200))
        table, budget = instances.flat(family, seed, n, k, most, float(rng.uniform(0, 1.1)))
        agreement.assert_exact(table, budget)


@pytest.mark.parametrize("family", instances.FAMILIES)
def test_cpsat_agrees_on_literature_families(family: str) -> None:
    """CP-SAT and the own solver agree on instances of each family."""
    pytest.importorskip("ortools")
    for seed in range(instances.count(3)):
        table, budget = instances.flat(family, seed, 8, 4, 30, 0.5)
        agreement.assert_cpsat(table, budget, dp.solve(table, budget))


@pytest.mark.skipif(instances.JIT_OFF, reason="slow without compilation")
@pytest.mark.parametrize("rows", [10, 60, 300])
def test_documents_have_one_answer(rows: int) -> None:
    """Both exact solvers agree on nested tables as documents give them, full of ties."""
    for seed in range(instances.count(20)):
        table = instances.document(seed, rows)
        for budget in (rows // 2, rows * 5, rows * 15):
            agreement.assert_exact(table, budget)


@pytest.mark.skipif(instances.JIT_OFF, reason="slow without compilation")
def test_binary_values_of_floats_agree() -> None:
    """Exact solvers agree on values that are arbitrary floats."""
    for seed in range(instances.count(30)):
        rng = np.random.default_rng(seed)
        costs = rng.integers(0, 30, (40, 3)).tolist()
        table = Table.flat(costs, rng.normal(size=(40, 3)).tolist())
        agreement.assert_exact(table, int(rng.integers(0, 600)))
