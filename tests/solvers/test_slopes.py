"""Slopes are those of the least concave curve above a frontier."""

from __future__ import annotations

import numpy as np
import pytest

from mckp.solvers import Table
from mckp.solvers.frontiers import Slopes, frontier
from tests.solvers import instances


def test_slopes_are_those_of_the_hull() -> None:
    """Right of each budget the slope is the rise of the relaxed frontier."""
    for seed in range(instances.count(200)):
        table, _ = instances.tiny(seed)
        curve = frontier(table)
        if curve.floor is None or curve.useful is None:
            continue
        slopes, relaxed = Slopes(table, curve.useful), curve.relaxed.compressed()
        for place, rise in enumerate(np.diff(relaxed).tolist()):
            assert slopes.right_of(curve.floor + place) == pytest.approx(rise)
        assert slopes.right_of(curve.useful) == 0


def test_a_price_is_that_of_its_budget() -> None:
    """At what is spent for a price, tokens to the right cost more than they are worth."""
    for seed in range(instances.count(200)):
        table, _ = instances.tiny(seed)
        curve = frontier(table)
        if curve.floor is None or curve.useful is None:
            continue
        slopes = Slopes(table, curve.useful)
        for price in (0.1, 0.5, 1.0, 2.5):
            spent = slopes.spent(price)
            if spent is not None:
                assert slopes.right_of(spent) <= price + 1e-9
                assert slopes.right_of(spent - 1) >= price - 0.2


def test_nothing_fits() -> None:
    with pytest.raises(ValueError, match="no selection fits"):
        Slopes(Table.flat([[5, 6]], [[1, 2]]), 3)
