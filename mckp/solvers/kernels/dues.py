"""Dues at a price for cost: what classes are worth, and which children a due is spread over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.jit import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.jit import Ints

    Floats = NDArray[np.float64]

STEPS: Final = 40
"""Prices that are tried at most; a price that is a little off makes no share wrong."""


@njit
def worths(
    start: Ints,
    cost: Ints,
    value: Floats,
    parent: Ints,
    due: Ints,
    price: float,
    worth: Floats,
) -> float:
    """Fill in what each class is worth at a price; return the least cost of the best selection.

    The worth of a class that is left out at a due is that of its other options. Time O(options).
    """
    n = parent.size
    spent = np.zeros(n)
    # For each option, what it opens comes to if nothing is left out, and if all is that should be.
    kept, kept_cost = np.zeros(cost.size), np.zeros(cost.size)
    free, free_cost = np.zeros(cost.size), np.zeros(cost.size)
    total = 0.0
    for u in range(n - 1, -1, -1):
        above = parent[u]
        last = start[u + 1] - (above >= 0 and due[above] > 0)
        best, weight = -np.inf, 0.0
        for o in range(start[u], last):
            gain, fee = kept[o], kept_cost[o]
            if due[o] > 0 and free[o] - price * due[o] > gain:
                gain, fee = free[o] - price * due[o], free_cost[o] + due[o]
            gain += value[o] - price * cost[o]
            fee += cost[o]
            if gain > best or (gain == best and fee < weight):
                best, weight = gain, fee
        worth[u], spent[u] = best, weight
        if above < 0:
            total += weight
            continue
        kept[above] += best
        kept_cost[above] += weight
        if best > 0:
            free[above] += best
            free_cost[above] += weight
    return total


@njit
def due_price(
    start: Ints, cost: Ints, value: Floats, parent: Ints, due: Ints, budget: int
) -> float:
    """Return about the least price at which the best selection, dues included, fits the budget.

    By secants, as `kernels.dual` does.
    """
    worth = np.empty(parent.size)
    low, low_cost = 0.0, worths(start, cost, value, parent, due, 0.0, worth)
    low_value = _of_roots(parent, worth)
    high = price = 2 * low_value + 1
    high_cost = worths(start, cost, value, parent, due, high, worth)
    high_value = _of_roots(parent, worth) + high * high_cost
    for _ in range(STEPS):
        secant = (low_value - high_value) / max(low_cost - high_cost, 1.0)
        if not low < secant < high:
            break
        price = secant
        spent = worths(start, cost, value, parent, due, price, worth)
        gained = _of_roots(parent, worth) + price * spent
        if spent in (low_cost, high_cost):
            break
        if spent > budget:
            low, low_cost, low_value = price, spent, gained
        else:
            high, high_cost, high_value = price, spent, gained
    return price


@njit
def _of_roots(parent: Ints, worth: Floats) -> float:
    total = 0.0
    for u in range(parent.size):
        if parent[u] < 0:
            total += worth[u]
    return total


@njit
def spread(start: Ints, cost: Ints, value: Floats, parent: Ints, due: Ints, price: float) -> Ints:
    """Return what part of the due above it each class pays when it is left out.

    At a price, a class that should be left out is worth less than nothing. As much as that is
    it can pay and will still be left out, and a class that should stay will stay, whatever it
    would pay. So each unit of a due goes to the class that can best bear it; then the dues of the
    best selection at that price are paid to the last unit. Time O(options + due x classes).
    """
    worth = np.empty(parent.size)
    worths(start, cost, value, parent, due, price, worth)
    first, after = np.full(cost.size, -1, np.int64), np.full(parent.size, -1, np.int64)
    for u in range(parent.size - 1, -1, -1):
        above = parent[u]
        if above >= 0 and due[above] > 0:
            first[above], after[u] = u, first[above]
    shares = np.zeros(parent.size, np.int64)
    for o in range(cost.size):
        for _ in range(due[o] if first[o] >= 0 else 0):
            best, most = first[o], -np.inf
            u = first[o]
            while u >= 0:
                bears = -worth[u] / price - shares[u]
                if bears > most:
                    best, most = u, bears
                u = after[u]
            shares[best] += 1
    return shares
