"""Sweeps over the classes: longest paths forwards and backwards, and what they leave out.

The and-or tree is read as a path through its classes: after an option comes the first class
it opens, or else the class that follows (`link`). A selection is a path from class 0 to the
end, and ``value * scale - price * cost`` summed along it is its reduced value.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mckp.jit import NEVER, njit

if TYPE_CHECKING:
    from mckp.jit import Ints


@njit
def link(start: Ints, parent_option: Ints) -> tuple[Ints, Ints]:
    """Return the class reached next after each option, and after all below each class.

    The end is one past the last class.
    """
    n, m = start.size - 1, start[-1]
    class_of = np.empty(m, dtype=np.int64)
    for u in range(n):
        class_of[start[u] : start[u + 1]] = u
    child = np.full(m + 1, -1, dtype=np.int64)
    after = np.empty(n, dtype=np.int64)
    # The classes at the root have parent option -1, which is the last place of `child`.
    for u in range(n - 1, -1, -1):
        after[u] = child[parent_option[u]]
        child[parent_option[u]] = u
    for u in range(n):
        if after[u] < 0:
            above = parent_option[u]
            after[u] = after[class_of[above]] if above >= 0 else n
    succ = np.empty(m, dtype=np.int64)
    for o in range(m):
        succ[o] = child[o] if child[o] >= 0 else after[class_of[o]]
    return succ, after


@njit
def suffix(
    start: Ints, cost: Ints, value: Ints, succ: Ints, scale: int, price: int
) -> tuple[Ints, Ints, Ints]:
    """Return the best reduced value from each class to the end, its cost, and its option.

    Equal reduced value goes to the lower cost, then to the earlier option. Time O(options).
    """
    n = start.size - 1
    best = np.full(n + 1, NEVER, dtype=np.int64)
    spent = np.zeros(n + 1, dtype=np.int64)
    pick = np.full(n, -1, dtype=np.int64)
    best[n] = 0
    for u in range(n - 1, -1, -1):
        for o in range(start[u], start[u + 1]):
            s = succ[o]
            if best[s] != NEVER:
                total = best[s] + value[o] * scale - price * cost[o]
                weight = spent[s] + cost[o]
                if total > best[u] or (total == best[u] and weight < spent[u]):
                    best[u], spent[u], pick[u] = total, weight, o
    return best, spent, pick


@njit
def prefix(start: Ints, cost: Ints, value: Ints, succ: Ints, scale: int, price: int) -> Ints:
    """Return the best reduced value from the first class up to each class. Time O(options)."""
    n = start.size - 1
    best = np.full(n + 1, NEVER, dtype=np.int64)
    best[0] = 0
    for u in range(n):
        if best[u] != NEVER:
            for o in range(start[u], start[u + 1]):
                total = best[u] + value[o] * scale - price * cost[o]
                if total > best[succ[o]]:
                    best[succ[o]] = total
    return best


@njit
def through(
    start: Ints, cost: Ints, value: Ints, succ: Ints, scale: int, price: int, least: int
) -> Ints:
    """Mark with 1 the options on some path of reduced value `least` or more. O(options)."""
    before = prefix(start, cost, value, succ, scale, price)
    after = suffix(start, cost, value, succ, scale, price)[0]
    alive = np.zeros(succ.size, dtype=np.int64)
    for u in range(start.size - 1):
        if before[u] != NEVER:
            for o in range(start[u], start[u + 1]):
                if after[succ[o]] != NEVER:
                    own = value[o] * scale - price * cost[o]
                    alive[o] = before[u] + own + after[succ[o]] >= least
    return alive


@njit
def jumps(
    start: Ints, cost: Ints, value: Ints, succ: Ints, alive: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Pass over classes with one option alive.

    Returns the class that each class passed over leads to (itself, if it is not passed
    over), the cost and the value on the way, and the option forced on each, else -1. Time
    O(options), memory O(classes).
    """
    n = start.size - 1
    jump = np.arange(n + 1)
    jump_cost = np.zeros(n + 1, dtype=np.int64)
    jump_value = np.zeros(n + 1, dtype=np.int64)
    forced = np.full(n, -1, dtype=np.int64)
    for u in range(n - 1, -1, -1):
        left, only = 0, -1
        for o in range(start[u], start[u + 1]):
            if alive[o]:
                left, only = left + 1, o
        if left == 1:
            s = succ[only]
            forced[u], jump[u] = only, jump[s]
            jump_cost[u] = jump_cost[s] + cost[only]
            jump_value[u] = jump_value[s] + value[only]
    return jump, jump_cost, jump_value, forced


@njit
def keep(start: Ints, alive: Ints, forced: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Number what is left when classes without choice and dead options are gone.

    Returns the new starts, the old places of the classes and of the options left, and the new
    place of each class. Time and memory O(classes + options).
    """
    n = start.size - 1
    nodes, options = np.empty(n, dtype=np.int64), np.empty(alive.size, dtype=np.int64)
    label, new_start = np.empty(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    kept, edges = 0, 0
    for u in range(n):
        label[u] = kept
        if forced[u] < 0:
            for o in range(start[u], start[u + 1]):
                if alive[o]:
                    options[edges] = o
                    edges += 1
            if edges > new_start[kept]:
                nodes[kept] = u
                kept += 1
                new_start[kept] = edges
    label[n] = kept
    return new_start[: kept + 1].copy(), nodes[:kept].copy(), options[:edges].copy(), label


@njit
def route(
    options: Ints,
    cost: Ints,
    value: Ints,
    succ: Ints,
    jump: Ints,
    jump_cost: Ints,
    jump_value: Ints,
    label: Ints,
) -> tuple[Ints, Ints, Ints]:
    """Return cost, value and next class of the options kept, with all that is passed over."""
    new_cost, new_value = np.empty(options.size, dtype=np.int64), np.empty(options.size, np.int64)
    new_succ = np.empty(options.size, dtype=np.int64)
    for e in range(options.size):
        o = options[e]
        s = succ[o]
        new_cost[e], new_value[e] = cost[o] + jump_cost[s], value[o] + jump_value[s]
        new_succ[e] = label[jump[s]]
    return new_cost, new_value, new_succ


@njit
def divide(amount: Ints) -> int:
    """Divide all amounts, in place, by their greatest common divisor, which is returned."""
    unit: int = 0
    for e in range(amount.size):
        unit = math.gcd(unit, int(amount[e]))
        if unit == 1:
            return 1
    if unit > 1:
        for e in range(amount.size):
            amount[e] //= unit
    return max(unit, 1)


@njit
def rebase(start: Ints, amount: Ints, succ: Ints) -> int:
    """Shift amounts along each path so that every class has an option of least amount 0.

    `amount` changes in place: afterwards no option has less than 0, and from every class
    a path of total 0 leads to the end. All paths lose the same total, which is returned.
    """
    n = start.size - 1
    least = np.zeros(n + 1, dtype=np.int64)
    for u in range(n - 1, -1, -1):
        lowest = amount[start[u]] + least[succ[start[u]]]
        for o in range(start[u], start[u + 1]):
            amount[o] += least[succ[o]]
            lowest = min(lowest, amount[o])
        for o in range(start[u], start[u + 1]):
            amount[o] -= lowest
        least[u] = lowest
    total: int = least[0]
    return total


@njit
def narrow(
    low: Ints, high: Ints, before: Ints, after: Ints, paid: int, price: int, total: int, least: int
) -> None:
    """Shrink the windows of budgets left on reaching each class, by two prices.

    What is before a class is worth at most ``before + paid * spent``, what follows at most
    ``after + price * left`` where ``spent + left = total``. Both together must reach `least`.
    """
    slope = price - paid
    for u in range(low.size):
        sure = before[u] + paid * total + after[u] - least
        if slope > 0:
            low[u] = max(low[u], -(sure // slope))
        else:
            high[u] = min(high[u], sure // -slope)


@njit
def top_up(
    start: Ints,
    cost: Ints,
    value: Ints,
    succ: Ints,
    scale: int,
    price: int,
    left: int,
    spent: Ints,
    worth: Ints,
) -> Ints:
    """Walk from the first class on; take the best option that still leaves room for the rest.

    The rest is what `spent` and `worth` say of a path known to fit. Time O(options).
    """
    n = start.size - 1
    path = np.full(n, -1, dtype=np.int64)
    u = 0
    while u < n:
        best, taken = NEVER, -1
        for o in range(start[u], start[u + 1]):
            if cost[o] + spent[succ[o]] <= left:
                total = (value[o] + worth[succ[o]]) * scale - price * (cost[o] + spent[succ[o]])
                if total > best:
                    best, taken = total, o
        path[u] = taken
        left -= cost[taken]
        u = succ[taken]
    return path


@njit
def totals(cost: Ints, value: Ints, succ: Ints, path: Ints) -> tuple[int, int]:
    """Return value and cost of a path."""
    u: int = 0
    gained: int = 0
    spent: int = 0
    while u < path.size:
        o: int = path[u]
        gained, spent = gained + value[o], spent + cost[o]
        u = succ[o]
    return gained, spent


@njit
def choices(start: Ints, succ: Ints, path: Ints) -> Ints:
    """Return the place of each option on a path within its class; -1 off the path."""
    choice = np.full(path.size, -1, dtype=np.int64)
    u = 0
    while u < path.size:
        choice[u] = path[u] - start[u]
        u = succ[path[u]]
    return choice
