"""Tables as of documents: skips, whole options, layouts with rows of their own, extremes."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from time import process_time
from typing import TYPE_CHECKING

import instances
import numpy as np
import pytest

from mckp.solvers import auto
from tests.solvers import agreement
from tests.solvers.instances import JIT_OFF

if TYPE_CHECKING:
    from mckp.table import Table


def children(table: Table) -> dict[int, list[int]]:
    """Return the classes that each option opens."""
    below: dict[int, list[int]] = defaultdict(list)
    for i, owner in enumerate(table.parent_option.tolist()):
        below[owner].append(i)
    return below


def total(table: Table, below: dict[int, list[int]], option: int) -> int:
    """Return what it costs to open this option and take every class below it whole."""
    costs = [int(table.cost[table.start[i] + 1]) for i in below.get(option, [])]
    return int(table.cost[option]) + sum(costs)


@pytest.mark.parametrize("family", instances.RENDERINGS)
def test_renderings_skip_or_take_one_format(family: str) -> None:
    """The first option skips; one format costs all and loses nothing, the others less of each."""
    table = instances.renderings(family, seed=1, classes=300, options=5, whole=False).table
    cost, value = table.cost.reshape(300, 6), table.value.reshape(300, 6)
    assert not cost[:, 0].any()
    assert not value[:, 0].any()
    dearest = cost[:, 1:].max(axis=1, keepdims=True)
    assert (cost[:, 1:] >= 0.3 * dearest - 1).all()
    best = value[:, 1:].max(axis=1, keepdims=True)
    assert (value[:, 1:] >= 0.849 * best).all()
    kept = np.where(cost[:, 1:] == dearest, value[:, 1:], 0).max(axis=1, keepdims=True)
    assert (kept == best).all()


def test_equal_is_worth_the_same_in_every_format() -> None:
    """Of one piece all formats are worth the same."""
    value = instances.renderings("equal", seed=1, classes=300, options=5).table.value
    assert (np.ptp(value.reshape(300, 6)[:, 1:], axis=1) == 0).all()


def test_cheaper_formats_lose_more() -> None:
    """Within a piece a cheaper format is never worth more than a dearer one."""
    table = instances.renderings("fidelity", seed=1, classes=300, options=5).table
    cost, value = table.cost.reshape(300, 6)[:, 1:], table.value.reshape(300, 6)[:, 1:]
    order = np.lexsort((value, cost))
    assert (np.diff(np.take_along_axis(value, order, 1)) >= 0).all()


def test_density_is_nearly_constant_and_proportional_full_of_ties() -> None:
    """Value over size stays within a fifth; proportional values are hundredths of whole sizes."""
    dense = instances.renderings("density", seed=1, classes=300, options=5, whole=False).table
    ratio = dense.value.reshape(300, 6).max(axis=1) / dense.cost.reshape(300, 6).max(axis=1)
    assert 0.7 < ratio.min() < ratio.max() < 1.31
    whole = instances.renderings("proportional", seed=1, classes=300, options=5).table
    assert (whole.value % 10 == 0).all()
    sizes = whole.cost.reshape(300, 6).max(axis=1)
    assert (whole.value.reshape(300, 6).max(axis=1) == 1000 * sizes).all()


@pytest.mark.parametrize("nodes", [2, 3, 17, 1000, 20_000])
@pytest.mark.parametrize("layouts", [1, 2, 4])
def test_documents_have_as_many_classes_as_asked(nodes: int, layouts: int) -> None:
    """The document is grown until the classes are used up, whatever arrays it holds."""
    for seed in range(3):
        assert instances.document(seed=seed, nodes=nodes, layouts=layouts).table.classes == nodes


def test_every_class_of_a_document_can_be_skipped_or_taken_whole() -> None:
    """The first option costs and opens nothing, the second opens nothing and is worth something."""
    table = instances.document(seed=1, nodes=5000).table
    below, first = children(table), table.start[:-1]
    assert not table.cost[first].any()
    assert not table.value[first].any()
    assert (table.cost[first + 1] >= 1).all()
    assert (table.value[first + 1] >= 1).all()
    assert not any(option in below for option in [*first.tolist(), *(first + 1).tolist()])


def test_whole_is_no_dearer_than_any_way_to_open() -> None:
    """Taken whole, a container costs at most what its cheapest opening costs with all in it."""
    table = instances.document(seed=2, nodes=5000).table
    below = children(table)
    for i in range(table.classes):
        whole = int(table.start[i]) + 1
        openings = range(whole + 1, int(table.start[i + 1]))
        assert all(table.cost[whole] <= total(table, below, o) for o in openings)


def test_whole_is_worth_what_lies_below_in_every_layout() -> None:
    """Every way to open a container reaches the same value: only costs differ by layout."""
    table = instances.document(seed=3, nodes=5000).table
    below, layouts = children(table), 0
    for i in range(table.classes):
        whole = int(table.start[i]) + 1
        openings = range(whole + 1, int(table.start[i + 1]))
        for option in openings:
            inner = sum(int(table.value[table.start[c] + 1]) for c in below[option])
            assert inner == table.value[whole]
        layouts += len(openings) == 3
    assert layouts > 10


def test_layouts_trade_a_dearer_header_for_cheaper_rows() -> None:
    """Along the layouts of an array, headers never sink and rows never rise."""
    table = instances.document(seed=4, nodes=20_000).table
    below, compared = children(table), 0
    for i in np.flatnonzero(np.diff(table.start) == 5).tolist():
        opens = range(int(table.start[i]) + 2, int(table.start[i + 1]))
        rows = [[int(table.cost[table.start[c] + 1]) for c in below[o]] for o in opens]
        assert all(table.cost[a] <= table.cost[a + 1] for a in opens[:-1])
        assert all((np.array(a) >= b).all() for a, b in pairwise(rows))
        compared += rows[0] != rows[2]
    assert compared > 10


def test_leaves_are_lognormal_and_wrappers_small() -> None:
    """Leaves cost 2 to 800 with a median near e**3, wrappers and headers 2 to 12."""
    table = instances.document(seed=5, nodes=50_000, layouts=1).table
    below = children(table)
    opening = np.array([o for o in below if o >= 0])
    assert (table.cost[opening].min(), table.cost[opening].max()) == (2, 12)
    closed = np.flatnonzero(np.diff(table.start) == 2)
    cost = table.cost[table.start[closed] + 1]
    assert (cost.min(), cost.max()) == (2, 800)
    assert abs(np.log(np.median(cost)) - 3) < 0.1


def test_documents_nest_and_open_rows() -> None:
    """There are objects in objects, and rows both closed and open."""
    table = instances.document(seed=1, nodes=20_000).table
    assert 8 <= table.depth <= 12
    sizes = np.bincount(np.diff(table.start))
    assert all(sizes[kind] > 20 for kind in (2, 3, 5))


def test_a_hundred_thousand_classes_are_quick() -> None:
    """Large documents are made in whole arrays."""
    begin = process_time()
    instances.document(seed=1, nodes=100_000)
    assert process_time() - begin < 3


@pytest.mark.skipif(JIT_OFF, reason="slow without compilation")
def test_documents_are_solved_alike() -> None:
    """The default solver and the dp agree on documents, and a full budget buys everything."""
    for seed in range(10):
        made = instances.document(seed=seed, nodes=150, layouts=1 + seed % 4)
        agreement.assert_exact(made.table, made.budget)
        full = auto.solve(made.table, int(made.table.cost[1]))
        assert full.value == made.table.value[1]


def test_chain_and_star_have_extreme_shapes() -> None:
    """Ten thousand levels, and a hundred thousand children of one option."""
    chain, star = instances.chain(), instances.star()
    assert chain.table.classes == 10_000
    assert (chain.table.parent_option == 3 * np.arange(10_000) - 1).all()
    assert np.bincount(star.table.parent_option + 1).tolist() == [1, 0, 100_000]
    assert (star.table.cost[3::2].min(), star.table.cost.max()) == (1, 100)


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
