"""Do the solvers say the same? One check, for the tests and for benches/agree_solvers.py."""

import math

from mckp.solvers import Solution, Status, auto, brute, cpsat, dp, greedy, large
from mckp.solvers.evaluation import cost_of, is_selection, sum_of, taken_options
from mckp.table import Table


def facts(solution: Solution) -> tuple[object, ...]:
    """Return all that exact solvers must agree on."""
    return solution.status, solution.value, solution.cost, solution.floor


def assert_valid(table: Table, budget: int, solution: Solution) -> None:
    """Recompute a solution from the table: who is reached, value, cost, bound, budget."""
    if solution.status is Status.INFEASIBLE:
        assert (solution.choice == -1).all()
        assert solution.floor is None or solution.floor > budget
        return
    assert is_selection(table, solution.choice)
    value = sum_of(table.value, taken_options(table, solution.choice))
    cost = cost_of(table, solution.choice)
    assert solution.cost == cost <= budget
    assert math.isclose(solution.value, value, abs_tol=1e-9)
    assert solution.bound >= solution.value
    assert solution.floor is not None
    assert solution.floor <= solution.cost


def assert_exact(table: Table, budget: int) -> Solution:
    """Check that all exact solvers of this package find the same; return what dp finds."""
    best = dp.solve(table, budget)
    assert_valid(table, budget, best)
    for solve in (large.solve, auto.solve):
        solution = solve(table, budget)
        assert_valid(table, budget, solution)
        assert facts(solution) == facts(best), solve
    assert_greedy(table, budget, best)
    return best


def assert_greedy(table: Table, budget: int, best: Solution) -> None:
    solution = greedy.solve(table, budget)
    assert_valid(table, budget, solution)
    assert solution.value <= best.bound
    assert best.value <= solution.bound
    if solution.status is Status.OPTIMAL:
        assert facts(solution) == facts(best)


def assert_brute(table: Table, budget: int, solution: Solution, work: int = 20_000) -> bool:
    """Check a solution of `dp` against every selection, unless there are too many."""
    tried = brute.solve(table, budget, work_limit=work)
    if tried.status is Status.FEASIBLE:
        return False
    assert facts(tried) == facts(solution)
    return True


def assert_cpsat(table: Table, budget: int, solution: Solution) -> None:
    peer = cpsat.solve(table, budget)
    assert_valid(table, budget, peer)
    assert facts(peer) == facts(solution)
