"""The families of instances: seeds, sizes, budgets, and what is refused.

What each draws is held by the files that `test_instances` compares with what is made.
"""

from typing import Any

import instances
import numpy as np
import pytest
from instances import Instance
from numpy.typing import NDArray

from mckp.errors import UnknownNameError
from mckp.solvers import auto
from tests.solvers import agreement
from tests.solvers.instances import JIT_OFF

EVERY = [*instances.FAMILIES, *instances.RENDERINGS]


def make(family: str, **arguments: Any) -> Instance:
    if family in instances.RENDERINGS:
        return instances.renderings(family, **arguments)
    return instances.flat(family, **arguments)


def grids(instance: Instance) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return costs and values as ``[classes, options]``."""
    table = instance.table
    return table.cost.reshape(table.classes, -1), table.value.reshape(table.classes, -1)


@pytest.mark.parametrize("family", EVERY)
def test_the_seed_alone_decides(family: str) -> None:
    """The same seed makes the same instance, and another seed another one."""
    first, again, other = (make(family, seed=s, classes=20, options=4) for s in (1, 1, 2))
    assert first.table.to_json() == again.table.to_json()
    assert first.budget == again.budget
    assert first.table.to_json() != other.table.to_json()
    assert first.name != other.name


@pytest.mark.parametrize("family", EVERY)
def test_all_sizes_make_a_table(family: str) -> None:
    """Every family makes tables of any number of classes and options."""
    for classes, options in ((1, 1), (1, 9), (7, 1), (3, 4)):
        assert make(family, seed=3, classes=classes, options=options).table.classes == classes
    if family in instances.FAMILIES:
        cost, _ = grids(make(family, seed=3, classes=5, options=6, largest=1))
        assert (cost >= 0).all()


@pytest.mark.parametrize("family", EVERY)
def test_the_part_places_the_budget(family: str) -> None:
    """Part 0 is the least cost of a selection, part 1 that of the cheapest best one."""
    cost, value = grids(make(family, seed=5, classes=50, options=6))
    best = [min(c[v == v.max()]) for c, v in zip(cost, value, strict=True)]
    low, middle, high = (
        make(family, seed=5, classes=50, options=6, part=part).budget for part in (0, 0.5, 1)
    )
    assert (low, high) == (cost.min(axis=1).sum(), sum(best))
    assert middle == low + (high - low) // 2


def test_an_unknown_family_lists_the_known() -> None:
    """An unknown family is an error that lists the known ones."""
    with pytest.raises(UnknownNameError, match="strongly"):
        instances.flat("strong", seed=1)
    with pytest.raises(UnknownNameError, match="fidelity"):
        instances.renderings("strongly", seed=1)


@pytest.mark.parametrize("wrong", ["classes", "options", "largest"])
def test_counts_below_one_are_refused(wrong: str) -> None:
    """A size below one is an error that names it."""
    with pytest.raises(ValueError, match=f"{wrong} must be 1 or more, not 0"):
        instances.flat("weakly", seed=1, **{wrong: 0})


@pytest.mark.parametrize("part", [-0.1, float("nan"), float("inf")])
def test_a_part_is_a_number_of_zero_or_more(part: float) -> None:
    """A negative part would be a budget below any selection, and nan none at all."""
    with pytest.raises(ValueError, match="part is a number of 0 or more"):
        instances.flat("weakly", seed=1, part=part)
    with pytest.raises(ValueError, match="part is a number of 0 or more"):
        instances.document(seed=1, nodes=10, part=part)


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


@pytest.mark.slow
@pytest.mark.skipif(JIT_OFF, reason="slow without compilation")
def test_chain_and_star_are_solved() -> None:
    """Neither shape overflows the default solver, and smaller ones agree with the dp."""
    for made in (instances.chain(), instances.star(2_000)):
        assert auto.solve(made.table, made.budget).cost <= made.budget
    for made in (instances.chain(60), instances.star(60)):
        agreement.assert_exact(made.table, made.budget)


def test_documents_need_two_nodes() -> None:
    """A made-up document of one node is an error."""
    with pytest.raises(ValueError, match="nodes"):
        instances.document(seed=1, nodes=1)
