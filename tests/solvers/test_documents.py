"""Tables as of documents, and chains and stars, are solved alike by all exact solvers."""

from __future__ import annotations

import instances
import numpy as np
import pytest

from mckp.solvers import auto
from tests.solvers import agreement
from tests.solvers.instances import JIT_OFF


@pytest.mark.parametrize("nodes", [2, 3, 17, 1000, 20_000])
@pytest.mark.parametrize("layouts", [1, 2, 4])
def test_documents_have_as_many_classes_as_asked(nodes: int, layouts: int) -> None:
    """The document is grown until the classes are used up, whatever arrays it holds."""
    for seed in range(3):
        assert instances.document(seed=seed, nodes=nodes, layouts=layouts).table.classes == nodes


def test_leaves_cost_2_to_800() -> None:
    """Both ends occur; the small documents that are stored reach the lower one alone."""
    table = instances.document(seed=5, nodes=50_000, layouts=1).table
    closed = np.flatnonzero(np.diff(table.start) == 2)
    cost = table.cost[table.start[closed] + 1]
    assert (cost.min(), cost.max()) == (2, 800)


@pytest.mark.skipif(JIT_OFF, reason="slow without compilation")
def test_a_full_budget_buys_everything() -> None:
    """What the first class costs whole is enough for all that a document is worth."""
    for seed in range(10):
        made = instances.document(seed=seed, nodes=150, layouts=1 + seed % 4)
        full = auto.solve(made.table, int(made.table.cost[1]))
        assert full.value == made.table.value[1]


@pytest.mark.skipif(JIT_OFF, reason="slow without compilation")
def test_chain_and_star_are_solved() -> None:
    """Neither shape overflows the default solver, and smaller ones agree with the dp."""
    for made in (instances.chain(), instances.star(2_000)):
        assert auto.solve(made.table, made.budget).cost <= made.budget
    for made in (instances.chain(60), instances.star(60)):
        agreement.assert_exact(made.table, made.budget)


def test_documents_need_two_nodes() -> None:
    """A root without anything in it is no document."""
    with pytest.raises(ValueError, match="nodes"):
        instances.document(seed=1, nodes=1)
