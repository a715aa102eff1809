"""Beyond the limits of memory and work, a solution still comes with a bound that holds."""

from __future__ import annotations

import pytest

from mckp.solvers import Status, Table, auto, cpsat, dp, greedy
from tests.solvers import agreement, instances


def test_dp_refuses_what_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain dp names the way out when its rows would not fit."""
    monkeypatch.setattr(dp, "MAX_BYTES", 1000)
    table, budget = instances.flat("weakly", 1, 20, 4, 50)
    with pytest.raises(ValueError, match="solver='auto'"):
        dp.solve(table, budget)


@pytest.mark.parametrize("limit", [0, 300, 1000, 3000, 10_000])
@pytest.mark.parametrize("family", instances.FAMILIES)
def test_auto_gives_a_bound_at_any_limit(
    family: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However small the limit, auto stays feasible and its bound above the optimum."""
    table, budget = instances.flat(family, 1, 12, 4, 50)
    best = auto.solve(table, budget)
    monkeypatch.setattr(dp, "MAX_BYTES", limit)
    solution = auto.solve(table, budget)
    agreement.assert_valid(table, budget, solution)
    assert solution.value <= best.value <= solution.bound
    if solution.status is Status.OPTIMAL:
        assert (solution.value, solution.cost) == (best.value, best.cost)


def test_widths_beyond_a_byte_are_kept() -> None:
    """More than 256 options a class do not wrap around in the table of choices."""
    table = Table.flat([range(300)] * 2, [range(300)] * 2)
    assert dp.solve(table, 598).choice.tolist() == [299, 299]
    assert agreement.assert_dp_and_auto(table, 597).choice.tolist() == [298, 299]


def test_cpsat_is_honest_about_time() -> None:
    """Without time CP-SAT gives some selection within the budget, and says it is not proved."""
    pytest.importorskip("ortools")
    table, budget = instances.flat("uncorrelated", 1, 30, 5, 50)
    solution = cpsat.solve(table, budget, time_limit=0.0)
    agreement.assert_valid(table, budget, solution)
    assert solution.status is Status.FEASIBLE
    assert solution.gap > 0


def test_greedy_bound_is_close() -> None:
    """On a hundred uncorrelated classes greedy is within half a percent of its bound."""
    table, budget = instances.flat("uncorrelated", 1, 100, 7, 100)
    assert greedy.solve(table, budget).gap < 0.005
