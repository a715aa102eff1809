"""The lattice of possible changes to a selection, and the bound that it gives.

If, for example, every value is a cost plus a constant, all changes of cost and value are integer
combinations of two vectors. No selection reaches the points between them, so the bound falls to the
next point below it. Strongly and inversely correlated tables need this for a proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from mckp.table import Ints

MOST_ENTRY: Final = 2**30
"""Greatest number of a basis or a change; products of two stay within 64 bits."""
MOST_STEPS: Final = 4_096
"""Most costs that are examined for the highest point; more matter only if a price is close to 0."""


def extend_basis(basis: tuple[int, int, int], run: Ints, rise: Ints) -> tuple[int, int, int]:
    """Return the basis (a, b), (0, c) extended by changes of cost (`run`) and value (`rise`).

    If a change or the basis has a number above `MOST_ENTRY`, the result is the basis of all points,
    (1, 0, 1).

    Examples
    --------
    >>> extend_basis((0, 0, 0), np.array([3, 6, 8]), np.array([13, 16, 28]))
    (1, 1, 10)
    """
    a, b, c = basis
    if not run.size or max(np.abs(run).max(), np.abs(rise).max()) > MOST_ENTRY:
        return (1, 0, 1) if run.size else basis
    while True:
        steps = run // a if a else run
        rest = rise - b * steps
        is_outside = (run - a * steps != 0) | ((rest % c if c else rest) != 0)
        outliers = np.flatnonzero(is_outside)
        if not outliers.size:
            return a, b, c
        cost, value = int(run[outliers[0]]), int(rise[outliers[0]])
        while cost:
            quotient = a // cost
            a, b, cost, value = cost, value, a - quotient * cost, b - quotient * value
            if max(abs(b), abs(value)) > MOST_ENTRY:
                return 1, 0, 1
        while value:
            c, value = value, c % value
        c = abs(c)
        if a < 0:
            a, b = -a, -b
        b = b % c if c else b
        if a == 1 and c == 1:
            return 1, 0, 1


def highest_point(
    basis: tuple[int, int, int], slack: int, least: int, price: int, scale: int
) -> int:
    """Return an upper bound on ``scale * y - x`` over the points (x, y) of a lattice.

    The points cost `least` to `slack`, and are not above the relaxation: ``scale * y <= price *
    x``. Without a usable lattice, the bound is ``(price - 1) * slack``.

    Examples
    --------
    >>> highest_point((1, 1, 10), 7, -50, 3, 1), highest_point((1, 0, 1), 7, -50, 3, 1)
    (10, 14)
    """
    a, b, c = basis
    rate, unlimited = price - 1, (price - 1) * slack
    if abs(slack) > MOST_ENTRY or (a == 1 and c == 1) or c > 2**60 // scale:
        return unlimited
    if a == 0:
        return 0 if slack >= 0 else unlimited
    first = slack // a
    count = min(MOST_STEPS, first - least // a + 1)
    steps = first - np.arange(count)
    costs = a * steps
    values = price * costs // scale
    if c:
        values = values - (values - b * steps) % c
    else:
        values = np.where(
            b * steps <= values,
            np.maximum(b * steps, values - MOST_ENTRY // scale - 1),
            values - MOST_ENTRY // scale - 1,
        )
    beyond = rate * a * (first - count)
    best = int((scale * values - costs).max())
    return max(best, beyond) if count == MOST_STEPS else best
