"""Slopes are those of the least concave curve above a frontier."""

import numpy as np
import pytest

from mckp.solvers import Table
from mckp.solvers.frontiers import Slopes, frontier
from tests.solvers import instances


def above(points: list[tuple[int, int | float]], budget: int) -> float:
    """Return what the least concave curve above some points is at a budget."""
    return max(
        float(v1 + (v2 - v1) * (budget - b1) / max(1, b2 - b1))
        for b1, v1 in points
        for b2, v2 in points
        if b1 <= budget <= b2
    )


def test_slopes_are_those_of_the_hull() -> None:
    """Right of each budget the slope is the rise of the least concave curve, nested or not."""
    for seed in range(instances.count(200)):
        table, _ = instances.tiny(seed)
        curve = frontier(table)
        if curve.floor is None or curve.useful is None:
            continue
        slopes, points = Slopes(table, curve.useful), curve.steps()
        hull = [above(points, budget) for budget in range(curve.floor, curve.useful + 1)]
        for place, rise in enumerate(np.diff(hull).tolist()):
            assert slopes.slope_at(curve.floor + place) == pytest.approx(rise)
        assert slopes.slope_at(curve.useful) == 0


def test_a_price_is_that_of_its_budget() -> None:
    """At what is spent for a price, tokens to the right cost more than they are worth."""
    for seed in range(instances.count(200)):
        table, _ = instances.tiny(seed)
        curve = frontier(table)
        if curve.floor is None or curve.useful is None:
            continue
        slopes = Slopes(table, curve.useful)
        for price in (0.1, 0.5, 1.0, 2.5):
            spent = slopes.cost_above(price)
            if spent is not None:
                assert slopes.slope_at(spent) <= price + 1e-9
                assert slopes.slope_at(spent - 1) >= price - 0.2


def test_nothing_fits() -> None:
    """A budget below the cheapest selection is refused."""
    with pytest.raises(ValueError, match="no selection fits"):
        Slopes(Table.flat([[5, 6]], [[1, 2]]), 3)
