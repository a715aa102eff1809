"""Tables as LP and MPS files: other solvers read them and find the same value."""

import importlib
from typing import Any

import pytest

import mckp
from mckp.solvers import Table, choice_of_columns, dp, evaluated, to_lp, to_mps
from tests.solvers import instances


def asked(text: str, name: str) -> dict[str, float]:
    """Return the columns that a solver of OR-Tools gives for an MPS file."""
    pytest.importorskip("ortools")
    builder: Any = importlib.import_module("ortools.linear_solver.python.model_builder")
    model = builder.Model()
    model.import_from_mps_string(text)
    solver = builder.Solver(name)
    solver.solve(model)
    columns = [model.var_from_index(number) for number in range(model.num_variables)]
    return {column.name: solver.value(column) for column in columns}


@pytest.mark.parametrize("name", ["sat", "highs"])
def test_solvers_that_read_mps_find_the_same_value(name: str) -> None:
    """Solvers that read MPS find the same value, with setup costs, nesting and negative values."""
    compared = 0
    for seed in range(instances.count(60)):
        table, budget = instances.with_setup(seed)
        own = dp.solve(table, budget)
        if not own.is_optimal:
            continue
        choice = choice_of_columns(table, asked(to_mps(table, budget), name))
        assert evaluated(table, budget, choice).value == pytest.approx(own.value)
        compared += 1
    assert compared


def test_a_document_goes_to_another_solver_and_back() -> None:
    """Another solver reads the MPS of a document and finds the same value within the budget."""
    rows = [{"id": n, "state": "done" if n % 3 else "failed", "runs": n * 7} for n in range(20)]
    instance = mckp.instance({"owner": "Ann", "jobs": rows}, budget=90)
    columns = asked(to_mps(instance.table, instance.capacity), "sat")
    choice = choice_of_columns(instance.table, columns)
    assert instance.evaluate(choice).value == pytest.approx(instance.solve().value)
    assert instance.tokens(choice) <= 90


def test_lp_says_setup_costs_and_what_never_fits() -> None:
    """The LP has the objective, setup costs, ties to parents and options that never fit."""
    cut = (0, 0, (), 0, True)
    table = Table.nested([[(0, 0), (2, 0, [[cut, (5, 3)], [cut, (60, 4.5)]], 1)]])
    lines = to_lp(table, 20).splitlines()
    assert lines[2] == "  3 x3 + 4.5 x5"
    for line in (" o2:", "  x2 - s1 <= 0", " c1:", "  x2 + x3 - x1 = 0", " x5 = 0"):
        assert line in lines, line
    assert "  2 x1 + 5 x3 + s1 <= 10" in lines  # more than 10 nothing costs
    assert lines[-2:] == [" x0 x1 x2 x3 x4 x5 s1", "End"]
    assert all(len(line) < 510 for line in lines)
