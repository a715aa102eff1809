"""How long solving takes; run ``pytest benches/time_solvers.py`` by name.

``--benchmark-disable`` turns it into a smoke test that solves each subject once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mckp.solvers import Status, auto, binary, dp, greedy, large
from tests.solvers import instances

if TYPE_CHECKING:
    from mckp.solvers import Solution, Table

DOCUMENTS = [(10, 200), (100, 1_000), (1_000, 4_000), (4_000, 20_000), (16_000, 60_000)]
SOLVERS = {
    "large": large.solve,
    "dp": dp.solve,
    "greedy": greedy.solve,
    "binary": binary.solve,
}


def run(benchmark: Any, solve: Any, table: Table, budget: int) -> None:
    """Time one solver on one table, and record what it was."""
    solution: Solution = benchmark(solve, table, budget)
    sizes = {"classes": table.classes, "options": table.options, "budget": budget}
    benchmark.extra_info.update(sizes, value=float(solution.value), gap=solution.gap)
    assert solution.status is not Status.INFEASIBLE


@pytest.mark.parametrize(("rows", "budget"), DOCUMENTS)
def test_documents(benchmark: Any, rows: int, budget: int) -> None:
    """The default solver on nested tables as documents give them."""
    run(benchmark, auto.solve, instances.document(1, rows), budget)


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_side_by_side(benchmark: Any, name: str) -> None:
    """Every quick solver on a document of 300 rows."""
    run(benchmark, SOLVERS[name], instances.document(1, 300), 2_000)
