"""Dues that classes share: no selection costs too much, the best ones cost what they should."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.solvers import Table, dues
from mckp.solvers.dues import Dues
from mckp.solvers.kernels.dues import worths
from tests.strategies import examples

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBER = st.integers(0, 9)
LEAF = st.tuples(NUMBER, NUMBER).map(lambda pair: [(10 * pair[0], pair[1])])


def opened(classes: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return classes with a way to take all and one that opens up to three classes."""
    below = st.lists(classes.map(lambda options: [*options, (0, 0)]), min_size=1, max_size=3)
    return st.builds(_opening, LEAF, NUMBER, below)


def _opening(leaf: list[Any], cost: int, below: list[Any]) -> list[Any]:
    return [*leaf, (cost, 0, below)]


CLASSES = opened(LEAF | opened(LEAF))


def selections(table: Table) -> Iterator[list[int]]:
    """Yield every choice there is."""
    owners: list[int] = table.parent_option.tolist()

    def onwards(choice: list[int], taken: set[int]) -> Iterator[list[int]]:
        u = len(choice)
        if u == table.classes:
            yield choice
        elif owners[u] not in taken:
            yield from onwards([*choice, -1], taken)
        else:
            for place, option in enumerate(range(table.start[u], table.start[u + 1])):
                yield from onwards([*choice, place], {*taken, option})

    return onwards([], {-1})


def totals(table: Table, choice: list[int]) -> tuple[int, int]:
    starts: list[int] = table.start[:-1].tolist()
    taken = [start + place for start, place in zip(starts, choice, strict=True) if place >= 0]
    return int(table.value[taken].sum()), int(table.cost[taken].sum())


def owed(table: Table, due: list[int], choice: list[int]) -> int:
    """Return the dues of a selection, the plain way: each once, for whatever is left out."""
    left_out = np.array(choice) == np.diff(table.start) - 1
    owners: set[int] = set(table.parent_option[left_out].tolist())
    return sum(due[owner] for owner in owners - {-1})


def with_dues(classes: list[Any], unit: int) -> tuple[Table, list[int]]:
    table = Table.nested([classes])
    table = Table(table.start, table.cost * unit, table.value, table.parent_option)
    opening = set(table.parent_option.tolist())
    due = [unit * (20 + option % 7) * (option in opening) for option in range(table.options)]
    return table, due


def spread(table: Table, due: list[int], budget: int) -> Dues:
    with mock.patch.object(dues, "TINY", 0):
        return Dues.spread(table, np.array(due), budget)


@given(classes=CLASSES, part=st.floats(0, 1))
@examples(100)
def test_shares_and_what_is_unpaid_are_what_is_owed(classes: list[Any], part: float) -> None:
    """No selection costs more than it should; `unpaid` is what it costs too little."""
    table, due = with_dues(classes, 1)
    shared = spread(table, due, int(part * int(table.cost.sum())))
    for choice in selections(table):
        cost = totals(table, choice)[1] + owed(table, due, choice)
        unpaid = shared.unpaid(np.array(choice))
        assert all(each > 0 for each in unpaid.values())
        assert totals(shared.shared, choice)[1] + sum(unpaid.values()) == cost
        assert totals(shared.paid().shared, choice)[1] >= cost


@given(classes=CLASSES, price=st.floats(0.0001, 2))
@examples(100)
def test_worths_are_those_of_the_best_selection(classes: list[Any], price: float) -> None:
    """At a price, the sweep finds what the best of all selections is worth."""
    table, due = with_dues(classes, 1)
    worth = np.empty(table.classes)
    arrays = table.start.copy(), table.cost.copy(), table.value.astype(float)
    worths(*arrays, table.parent_option.copy(), np.array(due), price, worth)
    assert worth[0] == pytest.approx(best(table, due, price))


@given(classes=CLASSES, part=st.floats(0.1, 0.9))
@examples(60)
def test_shares_bound_as_well_as_dues_do(classes: list[Any], part: float) -> None:
    """At its price the relaxation is worth no more than what it relaxes, but for rounding."""
    table, due = with_dues(classes, 100)
    shared = spread(table, due, int(part * int(table.cost.sum())))
    relaxed = best(shared.shared, [0] * table.options, shared.price)
    exact = best(table, due, shared.price)
    assert exact <= relaxed + 1e-9 <= exact + 2e-9 + shared.price * table.classes


def best(table: Table, due: list[int], price: float) -> float:
    return max(
        value - price * (cost + owed(table, due, choice))
        for choice in selections(table)
        for value, cost in [totals(table, choice)]
    )


def test_a_small_table_is_left_alone() -> None:
    """Nothing is compiled for it; all it owes is unpaid."""
    table, due = with_dues([(9, 9), (1, 0, [[(3, 3), (0, 0)], [(4, 4), (0, 0)]])], 1)
    shared = Dues.spread(table, np.array(due), 5)
    assert shared.shared.cost.tolist() == table.cost.tolist()
    assert shared.unpaid(np.array([1, 1, 1])) == {1: due[1]}


def test_what_stands_beside() -> None:
    """Options whose classes the same option opens are beside each other, others are not."""
    inner = [(9, 9), (1, 0, [[(3, 3), (0, 0)]]), (0, 0)]
    table, due = with_dues([(30, 30), (2, 0, [inner, inner])], 1)
    assert np.flatnonzero(due).tolist() == [1, 3, 8]
    shared = Dues.spread(table, np.array(due), 5)
    assert (shared.beside([3]), shared.beside([1])) == ([3, 8], [1])
