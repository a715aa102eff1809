"""Tables hold what was given, refuse what makes no sense, and survive JSON."""

from typing import Any

import numpy as np
import pytest

from mckp.table import Table
from tests.cases import cases
from tests.solvers import instances

ROW = [(0, 0), (5, 3)]
NESTED: list[list[tuple[Any, ...]]] = [[(0, 0), (9, 6), (2, 0, [ROW, ROW]), (4, 0, [ROW])], ROW]


def test_nested_classes_are_in_preorder() -> None:
    """A class is followed by all below its options, in order, then by its next sibling."""
    table = Table.nested(NESTED)
    assert table.parent_option.tolist() == [-1, 2, 2, 3, -1]
    assert table.start.tolist() == [0, 4, 6, 8, 10, 12]
    assert table.class_of.tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert (table.classes, table.options, table.depth) == (5, 12, 2)


def test_flat_can_add_a_skip() -> None:
    """With skip=True each class gets one more option, of cost 0 and value 0, at its end."""
    table = Table.flat([[4], []], [[2], []], skip=True)
    assert (table.start.tolist(), table.cost.tolist()) == ([0, 2, 3], [4, 0, 0])


def test_json_gives_the_same_table_again() -> None:
    """A table reads back from JSON with the same arrays and types."""
    for seed in range(instances.count(200)):
        table, _ = instances.tiny(seed)
        again = Table.from_json(table.to_json())
        for name in ("start", "cost", "value", "parent_option"):
            first, second = getattr(table, name), getattr(again, name)
            assert first.dtype == second.dtype
            assert first.tolist() == second.tolist()


def test_json_may_be_nested_lists() -> None:
    """The readable form of solvers/instances is read as well, as text or as data."""
    table = Table.from_json({"classes": NESTED})
    assert table.to_json() == Table.nested(NESTED).to_json()


def test_arrays_cannot_be_written() -> None:
    """A table copies its arrays, which are read-only."""
    cost = np.array([1, 2])
    table = Table([0, 2], cost, [3, 4], [-1])
    cost[0] = 9
    assert table.cost.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        table.cost[0] = 5
    with pytest.raises(AttributeError):
        table.cost = cost  # type: ignore[misc]


SENSELESS: list[Any] = cases(__file__, "SENSELESS")


@pytest.mark.parametrize(("arrays", "message"), SENSELESS)
def test_senseless_arrays_are_refused(arrays: list[Any], message: str) -> None:
    """What is not a table is refused, and the message names the class or the option."""
    with pytest.raises(ValueError, match=message):
        Table(*arrays)


@pytest.mark.parametrize(
    "owners",
    [
        [-1, 1, 0],  # the second option's class before the first's
        [-1, 0, -1, 0],  # a subtree that goes on after the next root
        [-1, 0, 1, 0],  # an option's classes split by another's
        [-1, 0, 2, 0, 2],  # a grandchild after its parent's sibling
    ],
)
def test_classes_out_of_preorder_are_refused(owners: list[int]) -> None:
    """Subtrees must be contiguous, in the order of the options."""
    n = len(owners)
    start = list(range(0, 2 * n + 1, 2))
    with pytest.raises(ValueError, match=f"preorder, but class {n - 1} "):
        Table(start, [0] * (2 * n), [0] * (2 * n), owners)


def test_lists_of_different_length_are_refused() -> None:
    """Costs and values of different length are an error with the class."""
    with pytest.raises(ValueError, match="class 1 has 2 costs but 1 values"):
        Table.flat([[1], [1, 2]], [[1], [1]])


def test_deep_tables_need_no_recursion() -> None:
    """A table 2,000 classes deep is made and read back."""
    root: list[Any] = [(0, 0)]
    for _ in range(2000):
        root = [(0, 0), (1, 1, [root])]
    table = Table.nested([root])
    assert table.depth == 2001
    assert Table.from_json(table.to_json()).classes == 2001


def test_representations_are_small() -> None:
    """The representation of a table gives its sizes alone."""
    table = Table.nested(NESTED)
    assert repr(table) == "Table(classes=5, options=12, depth=2)"
