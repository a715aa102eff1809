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
"""Beyond this no structure is looked for; products of two stay within 64 bits."""
MOST_STEPS: Final = 4_096
"""Costs that are looked at for the highest point; more count only if a price is next to nothing."""


def spanned(basis: tuple[int, int, int], run: Ints, rise: Ints) -> tuple[int, int, int]:
    """Return the basis (a, b), (0, c) extended by changes of cost and value.

    A basis that gets too large is replaced by that of all points, (1, 0, 1).

    Examples
    --------
    >>> spanned((0, 0, 0), np.array([3, 6, 8]), np.array([13, 16, 28]))
    (1, 1, 10)
    """
    a, b, c = basis
    if not run.size or max(np.abs(run).max(), np.abs(rise).max()) > MOST_ENTRY:
        return (1, 0, 1) if run.size else basis
    while True:
        steps = run // a if a else run
        rest = rise - b * steps
        off = (run - a * steps != 0) | ((rest % c if c else rest) != 0)
        at = np.flatnonzero(off)
        if not at.size:
            return a, b, c
        w, v = int(run[at[0]]), int(rise[at[0]])
        while w:
            q = a // w
            a, b, w, v = w, v, a - q * w, b - q * v
            if max(abs(b), abs(v)) > MOST_ENTRY:
                return 1, 0, 1
        while v:
            c, v = v, c % v
        c = abs(c)
        if a < 0:
            a, b = -a, -b
        b = b % c if c else b
        if a == 1 and c == 1:
            return 1, 0, 1


def highest(basis: tuple[int, int, int], slack: int, least: int, price: int, scale: int) -> int:
    """Return an upper bound on ``scale * y - x`` over the points (x, y) of a lattice.

    The points cost `least` to `slack`, and do not lie above the relaxation: ``scale * y <= price *
    x``. Without the lattice it is ``(price - 1) * slack``.

    Examples
    --------
    >>> highest((1, 1, 10), 7, -50, 3, 1), highest((1, 0, 1), 7, -50, 3, 1)
    (10, 14)
    """
    a, b, c = basis
    rate, free = price - 1, (price - 1) * slack
    if abs(slack) > MOST_ENTRY or (a == 1 and c == 1) or c > 2**60 // scale:
        return free
    if a == 0:
        return 0 if slack >= 0 else free
    first = slack // a
    number = min(MOST_STEPS, first - least // a + 1)
    steps = first - np.arange(number)
    x = a * steps
    y = price * x // scale
    if c:
        y = y - (y - b * steps) % c
    else:
        y = np.where(
            b * steps <= y,
            np.maximum(b * steps, y - MOST_ENTRY // scale - 1),
            y - MOST_ENTRY // scale - 1,
        )
    beyond = rate * a * (first - number)
    best = int((scale * y - x).max())
    return max(best, beyond) if number == MOST_STEPS else best
