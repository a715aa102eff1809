"""Tables as long frames, and the contract of a solver."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, Literal

import numpy as np
import pytest

import mckp
from mckp.errors import MissingExtraError
from mckp.solvers import Table, check, from_frame, get, greedy, solve, to_frame

CUT = (0, 0, (), 0, True)
NESTED = Table.nested([[(1, 2.5), (2, 0, [[CUT, (5, 3)], [CUT, (6, 4)]], 1)], [(0, 0), (3, 1)]])


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("table", [NESTED, Table.flat([[0, 40], [0]], [[0, 9], [0]])])
def test_a_table_comes_back_from_its_frame(
    table: Table, library: Literal["pandas", "polars"]
) -> None:
    """A table reads back from a frame of pandas or Polars."""
    pytest.importorskip(library)
    frame = to_frame(table, library)
    assert type(frame).__module__.startswith(library)
    assert list(frame.columns)[:3] == ["class", "cost", "value"]
    assert from_frame(frame).to_json() == table.to_json()


def test_arrow_and_plain_mappings_are_read() -> None:
    """A table is read from plain lists and from Arrow."""
    columns = {"class": ["b", "b", "a"], "cost": [0, 4, 1], "value": [0.0, 1.5, 1.0]}
    arrow: Any = import_module("pyarrow")
    for frame in (columns, arrow.table(columns)):
        table = from_frame(frame)
        assert (table.classes, table.value.tolist()) == (2, [0.0, 1.5, 1.0])


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"class": [0], "cost": [1]}, "'value' is missing among class, cost"),
        ({"class": [0, 0], "cost": [1, "x"], "value": [1, 2]}, "column 'cost' needs a number"),
        ({"class": [0, 0], "cost": [1, -1], "value": [1, 2]}, "option 1 has the negative cost"),
        (
            {"class": [0, 1, 0], "cost": [1] * 3, "value": [1] * 3, "parent_option": [-1, 0, -1]},
            "row 2 has class 0, whose rows are not together",
        ),
        (
            {"class": [0, 1, 1], "cost": [1] * 3, "value": [1] * 3, "parent_option": [-1, 0, -1]},
            "row 2 has the parent option -1, but other rows of its class",
        ),
    ],
)
def test_what_is_no_table_is_said(columns: dict[str, list[Any]], why: str) -> None:
    """A frame that is no table is an error with its column or row."""
    with pytest.raises(ValueError, match=why):
        from_frame(columns)


def test_another_library_is_an_error() -> None:
    """An unknown library of frames is an error."""
    with pytest.raises(ValueError, match="unknown library of frames 'panda'"):
        to_frame(NESTED, "panda")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


@pytest.mark.slow
def test_the_contract_separates_heuristics_from_exact_solvers() -> None:
    """`check` finds an exact solver best in each run, and a heuristic not."""
    exact, near = check(get("auto"), tables=30), check(greedy.solve, tables=30)
    assert exact.best == exact.runs == 90
    assert near.best < near.runs
    assert 0 <= near.worst < 1


def test_a_solver_gets_the_limits_that_it_takes() -> None:
    """A function of a table and a budget is a solver; limits reach those who name them."""
    seen: list[tuple[str, Any]] = []

    def plain(table: Table, budget: int) -> Any:
        return solve(table, budget, "dp").choice

    def limited(table: Table, budget: int, work_limit: int | None = None) -> Any:
        seen.append(("work_limit", work_limit))
        return solve(table, budget, "dp", work_limit=work_limit).choice

    assert check(plain, tables=5) == check(limited, tables=5) == check("dp", tables=5)
    document = [{"id": n, "name": f"n {n}"} for n in range(30)]
    assert mckp.encode(document, budget=60, solver=limited, work_limit=10**6).tokens <= 60
    assert seen[-1] == ("work_limit", 10**6)


def test_the_contract_refuses_what_is_no_solver() -> None:
    """`check` refuses a solver that exceeds budgets."""

    def spends_all(table: Table, budget: int, **_: Any) -> list[int]:
        dearest = np.maximum.reduceat(table.cost, table.start[:-1])
        return [
            int(np.argmax(table.cost[first:end] == most))
            for first, end, most in zip(table.start, table.start[1:], dearest, strict=False)
        ]

    with pytest.raises(ValueError, match="is not usable"):
        check(spends_all, tables=5)


def test_the_frame_of_a_document_says_what_its_options_are() -> None:
    """The frame of a document has the path of each option, and reads back as its table."""
    instance = mckp.instance([{"id": n} for n in range(30)], budget=20)
    frame = instance.to_frame()
    assert frame["path"].tolist() == [label.path for label in instance.labels]
    assert from_frame(frame).to_json() == instance.table.to_json()


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says to install the library itself."""
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match="run: pip install polars "):
        to_frame(Table.flat([[0, 40]], [[0, 9]]), "polars")
