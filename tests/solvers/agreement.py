"""Do the solvers say the same? One check, for the tests and for benches/agree_solvers.py."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mckp.solvers import Status, auto, bands, brute, core, cpsat, dp, plain, tree

if TYPE_CHECKING:
    from mckp.solvers import Solution
    from mckp.table import Table


def facts(solution: Solution) -> tuple[object, ...]:
    """Return all that exact solvers must agree on."""
    choice = solution.choice.tolist()
    return solution.status, solution.value, solution.cost, solution.floor, choice


def assert_valid(table: Table, budget: int, solution: Solution) -> None:
    """Recompute a solution from the table: who is reached, value, cost, bound, budget."""
    if solution.status is Status.INFEASIBLE:
        assert (solution.choice == -1).all()
        assert solution.floor is None or solution.floor > budget
        return
    taken = [
        int(table.start[i]) + place
        for i, place in enumerate(solution.choice.tolist())
        if place >= 0
    ]
    open_options = {-1, *taken}
    reached = [int(owner) in open_options for owner in table.parent_option]
    assert reached == (solution.choice >= 0).tolist()
    assert (solution.choice < table.start[1:] - table.start[:-1]).all()
    assert solution.cost == int(table.cost[taken].sum()) <= budget
    assert math.isclose(solution.value, math.fsum(table.value[taken].tolist()), abs_tol=1e-9)
    assert solution.bound >= solution.value
    assert solution.floor is not None
    assert solution.floor <= solution.cost


def assert_exact(table: Table, budget: int) -> Solution:
    """Check that all exact solvers of this package choose the same options; return dp's."""
    best = dp.solve(table, budget)
    assert_valid(table, budget, best)
    solvers = [tree.solve, bands.solve, auto.solve, *([core.solve] if table.is_flat else [])]
    for solve in solvers:
        solution = solve(table, budget)
        assert_valid(table, budget, solution)
        assert facts(solution)[:-1] == facts(best)[:-1], solve
        if solution.statistics.get("earliest", 1):
            assert facts(solution) == facts(best), solve
    return best


def assert_brute(table: Table, budget: int, solution: Solution) -> None:
    """Check a solution of `dp` against every selection there is, and against plain lists."""
    assert facts(brute.solve(table, budget)) == facts(solution)
    assert facts(plain.solve(table, budget)) == facts(solution)


def assert_cpsat(table: Table, budget: int, solution: Solution) -> None:
    """Check status, value and cost of a solution of `dp` against CP-SAT."""
    peer = cpsat.solve(table, budget)
    assert_valid(table, budget, peer)
    assert (peer.status, peer.value, peer.cost) == (
        solution.status,
        solution.value,
        solution.cost,
    )
