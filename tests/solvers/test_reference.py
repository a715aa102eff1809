"""The two solvers that are there to be read agree with the known optima and with the fast ones."""

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mckp.solvers import Table, auto
from mckp.solvers.evaluation import cost_of, is_selection

FOLDER = Path(__file__).parents[2] / "solvers"
REFERENCE: dict[str, Any] = runpy.run_path(str(FOLDER / "reference.py"))
FILES = [
    file
    for file in sorted((FOLDER / "instances").glob("*.json"))
    if json.loads(file.read_text("utf-8"))["budget"] <= REFERENCE["MOST_COSTS"]
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize("name", ["solve", "solve_with_cpsat"])
def test_the_known_optimum_is_found(file: Path, name: str) -> None:
    """Value, cost and choice are those of an optimum."""
    if name == "solve_with_cpsat":
        pytest.importorskip("ortools")
    instance = json.loads(file.read_text("utf-8"))
    classes, budget, known = instance["classes"], instance["budget"], instance["optimum"]
    if name == "solve_with_cpsat" and "." in json.dumps(classes):
        pytest.skip("its values are integers only")
    found = REFERENCE[name](classes, budget)
    if known["status"] == "infeasible":
        assert found is None
        return
    assert (found.value, found.cost) == (pytest.approx(known["value"]), known["cost"])
    table, choice = Table.nested(classes), np.array(found.choice)
    assert is_selection(table, choice)
    assert cost_of(table, choice) == found.cost


numbers = st.integers(0, 9)
flat = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=3)
nested = st.lists(
    st.tuples(numbers, numbers, st.lists(flat, max_size=2), numbers, st.booleans()),
    min_size=1,
    max_size=3,
)


@settings(deadline=None)
@given(st.lists(st.one_of(flat, nested), min_size=1, max_size=4), st.integers(0, 40))
def test_the_default_solver_agrees_with_the_plain_programme(classes: Any, budget: int) -> None:
    """On any small tree, `auto` gives the value and the cost that the plain programme gives."""
    found, fast = REFERENCE["solve"](classes, budget), auto.solve(Table.nested(classes), budget)
    assert (found is None) == (str(fast.status) == "infeasible")
    if found is not None:
        assert (found.value, found.cost) == (fast.value, fast.cost)
