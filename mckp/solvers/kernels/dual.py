"""The dual search among paths: the least price at which the best path fits the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.jit import NEVER, njit

if TYPE_CHECKING:
    from mckp.jit import Ints

LEAST: Final = -(2**63) + 1
NO_LIMIT: Final = 2**62
SECANTS: Final = 40
"""Steps before the search halves its interval instead."""
KEEP: Final = 0.5
"""Share of the classes that may stay if taking the others out is to pay."""
FEW: Final = 2_000
"""Classes up to which nothing is gained by looking at what is decided."""


@njit
def least_costs(start: Ints, cost: Ints, succ: Ints) -> Ints:
    """Return the least cost from each class to the end; `-NEVER` if there is no way."""
    n = start.size - 1
    least = np.empty(n + 1, dtype=np.int64)
    least[n] = 0
    for u in range(n - 1, -1, -1):
        lowest = -NEVER
        for o in range(start[u], start[u + 1]):
            if least[succ[o]] != -NEVER:
                lowest = min(lowest, cost[o] + least[succ[o]])
        least[u] = lowest
    return least


@njit
def spare_costs(start: Ints, cost: Ints, succ: Ints, least: Ints, slack: int) -> Ints:
    """Return what each option costs more than the cheapest way on from its class.

    An option through which no path costs `slack` more than the cheapest at most gets the
    cost ``slack + 1``: it is as good as gone. Time O(options).
    """
    n = start.size - 1
    spare = np.full(cost.size, slack + 1, dtype=np.int64)
    before = np.full(n + 1, slack + 1, dtype=np.int64)
    before[0] = 0
    for u in range(n):
        if before[u] > slack:
            continue
        room = slack - before[u] + least[u]
        for o in range(start[u], start[u + 1]):
            s = succ[o]
            if least[s] != -NEVER and cost[o] + least[s] <= room:
                spare[o] = cost[o] + least[s] - least[u]
                before[s] = min(before[s], before[u] + spare[o])
    return spare


@njit
def best_paths(
    start: Ints,
    cost: Ints,
    value: Ints,
    succ: Ints,
    slack: int,
    shift: int,
    price: int,
    best: Ints,
    spent: Ints,
) -> None:
    """Fill in the best reduced value from each class to the end, and its least cost.

    Options that cost more than `slack` do not count. Time O(options).
    """
    n = start.size - 1
    best[n], spent[n] = 0, 0
    for u in range(n - 1, -1, -1):
        top, weight = LEAST, 0
        for o in range(start[u], start[u + 1]):
            if cost[o] > slack:
                continue
            s = succ[o]
            total = best[s] + (value[o] << shift) - price * cost[o]
            w = spent[s] + cost[o]
            better = total > top or (total == top and w < weight)
            top = total if better else top
            weight = w if better else weight
        best[u], spent[u] = top, weight


@njit
def break_price_of_paths(
    start: Ints,
    cost: Ints,
    value: Ints,
    succ: Ints,
    after: Ints,
    budget: int,
    shift: int,
    high: int,
) -> tuple[int, Ints, Ints, int]:
    """Search for the least price at which the best path fits the budget, by secants.

    At the price `high` it does. Returns the price, what `best_paths` gives there, and the
    number of steps. What is decided between the prices still possible is taken out from time
    to time, so that after the first steps of O(options) the rest take little.
    """
    whole_start, whole_cost, whole_value, whole_succ = start, cost, value, succ
    n = start.size
    low_best, low_spent = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    high_best, high_spent = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    best, spent = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    best_paths(start, cost, value, succ, budget, shift, 0, low_best, low_spent)
    if low_spent[0] <= budget:
        return 0, low_best, low_spent, 1
    best_paths(start, cost, value, succ, budget, shift, high, high_best, high_spent)
    low, rounds, settled, most = 0, 2, False, budget
    while high - low > 1 and not settled:
        drop = low_best[0] + low * low_spent[0] - high_best[0] - high * high_spent[0]
        price = -(-drop // (low_spent[0] - high_spent[0]))
        if rounds > SECANTS:
            price = (low + high) // 2
        price = min(max(price, low + 1), high - 1)
        best_paths(start, cost, value, succ, most, shift, price, best, spent)
        rounds += 1
        if spent[0] > budget:
            low = price
            best, low_best, spent, low_spent = low_best, best, low_spent, spent
        else:
            settled = spent[0] == high_spent[0] and rounds <= SECANTS
            high = price
            best, high_best, spent, high_spent = high_best, best, high_spent, spent
        if start.size > FEW and not settled:
            before = start.size
            start, cost, value, succ, after = undecided_part(
                start, cost, value, succ, after, most, shift, low, high,
                low_best, low_spent, high_best, high_spent,
            )  # fmt: skip
            if start.size < before:  # all options left count, whatever is decided with them
                most = NO_LIMIT
    best, spent = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    best_paths(whole_start, whole_cost, whole_value, whole_succ, budget, shift, high, best, spent)
    return high, best, spent, rounds


@njit
def undecided_part(
    start: Ints,
    cost: Ints,
    value: Ints,
    succ: Ints,
    after: Ints,
    slack: int,
    shift: int,
    low: int,
    high: int,
    low_best: Ints,
    low_spent: Ints,
    high_best: Ints,
    high_spent: Ints,
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the graph without the classes that are decided between two prices.

    What a class and all below it are worth at best is convex in the price. If cost and value
    of the best are the same at both ends they are so in between, and the class with all
    below it becomes a constant. Class 0 stays, decided or not.
    """
    n = start.size - 1
    # Where each class leads when decided ones are passed over, and at which cost and value.
    leads, fee, gain = np.arange(n + 1), np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    n_open, m_open = 1, start[1]
    for u in range(n - 1, 0, -1):
        if high_best[u] == LEAST:  # no way on from here, and none that leads here
            continue
        t = after[u]
        own = high_spent[u] - high_spent[t]
        worth = high_best[u] - high_best[t] + high * own
        if low_spent[u] - low_spent[t] == own and low_best[u] - low_best[t] + low * own == worth:
            leads[u] = leads[t]
            fee[u], gain[u] = fee[t] + own, gain[t] + (worth >> shift)
        else:
            n_open, m_open = n_open + 1, m_open + start[u + 1] - start[u]
    if n_open > KEEP * n:
        return start, cost, value, succ, after
    label = np.full(n + 1, -1, dtype=np.int64)
    label[0] = 0
    new_start, new_after = np.zeros(n_open + 1, dtype=np.int64), np.empty(n_open, dtype=np.int64)
    new_cost, new_value = np.empty(m_open, dtype=np.int64), np.empty(m_open, dtype=np.int64)
    new_succ = np.empty(m_open, dtype=np.int64)
    classes, options = 0, 0
    for u in range(n):
        if label[u] < 0:
            continue
        label[u] = classes
        low_best[classes], low_spent[classes] = low_best[u], low_spent[u]
        high_best[classes], high_spent[classes] = high_best[u], high_spent[u]
        for o in range(start[u], start[u + 1]):
            if cost[o] > slack:
                continue
            s = succ[o]
            new_cost[options], new_value[options] = cost[o] + fee[s], value[o] + gain[s]
            new_succ[options] = leads[s]
            label[leads[s]] = 0
            options += 1
        new_after[classes] = leads[after[u]]
        classes += 1
        new_start[classes] = options
    label[n] = classes
    low_best[classes], low_spent[classes] = 0, 0
    high_best[classes], high_spent[classes] = 0, 0
    for o in range(options):
        new_succ[o] = label[new_succ[o]]
    for u in range(classes):
        new_after[u] = label[new_after[u]]
    return (
        new_start[: classes + 1], new_cost[:options], new_value[:options], new_succ[:options],
        new_after[:classes],
    )  # fmt: skip
