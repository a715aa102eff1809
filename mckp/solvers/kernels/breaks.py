"""The linear relaxation of classes without nesting: at which price the budget is just met.

Names are the papers': at a *price* each class takes its option of greatest *reduced value*,
``(value << shift) - price * (cost - least)``; the *hull* of a class is what it takes as the
price falls; the *break class* is the one whose next hull edge no longer fits the budget.
Prices are whole numbers, so every bound is exact; floats only choose which prices to try.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.jit import NEVER, njit
from mckp.solvers.kernels.hulls import sort_edges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.jit import Ints

FEW: Final = 160
"""Undecided classes whose hull edges are simply sorted."""
MANY: Final = 2000
"""Undecided classes from which on it pays to look whether their edges need sorting."""
ROUNDS: Final = 24
ROOM: Final = 2**61
"""No price times a cost may pass this."""


@njit
def survey(start: Ints, cost: Ints) -> tuple[Ints, int, int, int]:
    """Return the least cost of each class, their sum, the divisor of all costs above them.

    The last number is the first class without options, or -1. Time O(options).
    """
    n = start.size - 1
    least = np.empty(n, dtype=np.int64)
    total, divisor, empty = 0, 0, -1
    for i in range(n):
        first, end = start[i], start[i + 1]
        if first == end:
            empty = i
            break
        lowest = cost[first]
        for j in range(first + 1, end):
            lowest = min(lowest, cost[j])
        least[i] = lowest
        total += lowest
        if divisor != 1:
            for j in range(first, end):
                divisor = math.gcd(divisor, int(cost[j] - lowest))
    return least, int(total), int(divisor), empty


@njit
def lightest(start: Ints, cost: Ints, value: Ints, least: Ints, pick: Ints) -> None:
    """Take in each class the option of least cost; equal ones by value, then by index."""
    for i in range(pick.size):
        best = -1
        for j in range(start[i], start[i + 1]):
            if cost[j] == least[i] and (best < 0 or value[j] > value[best]):
                best = j
        pick[i] = best


@njit
def best_options(
    classes: Ints, start: Ints, cost: Ints, value: Ints, least: Ints, reach: int, pick: Ints
) -> int:
    """Take in some classes the option of most value; equal ones by cost, then by index.

    Only options within `reach` of the least cost count. Returns the cost above the least.
    """
    total = 0
    for i in classes:
        limit, best = least[i] + reach, -1
        for j in range(start[i], start[i + 1]):
            if cost[j] <= limit and (
                best < 0
                or value[j] > value[best]
                or (value[j] == value[best] and cost[j] < cost[best])
            ):
                best = j
        pick[i] = best
        total += cost[best] - least[i]
    return total


@njit
def choose_at(
    classes: Ints,
    start: Ints,
    cost: Ints,
    value: Ints,
    least: Ints,
    slack: int,
    shift: int,
    prices: tuple[int, int],
    picks: tuple[Ints, Ints],
    margin: Ints,
) -> tuple[int, int]:
    """Choose for each class at two prices; return the costs of both above the least.

    `margin` becomes how much reduced value any other option loses at least, at every price
    between the two, where both choose the same; 0 elsewhere. Time O(options).
    """
    low, high = prices
    # Beyond its reach an option is worse than the cheapest one at that price.
    low_reach, high_reach = min(slack, ROOM // max(low, 1)), min(slack, ROOM // high)
    low_pick, high_pick = picks
    low_total, high_total = 0, 0
    for i in classes:
        base = least[i]
        low_best, low_next, low_at = NEVER, NEVER, -1
        high_best, high_next, high_at = NEVER, NEVER, -1
        for j in range(start[i], start[i + 1]):
            more = cost[j] - base
            if more > low_reach:
                continue
            worth = value[j] << shift
            here = worth - low * more
            better = here > low_best
            low_next = max(low_next, min(low_best, here))
            low_best = max(low_best, here)
            low_at = j if better else low_at
            if more > high_reach:
                continue
            here = worth - high * more
            better = here > high_best
            high_next = max(high_next, min(high_best, here))
            high_best = max(high_best, here)
            high_at = j if better else high_at
        low_pick[i], high_pick[i] = low_at, high_at
        low_total += cost[low_at] - base
        high_total += cost[high_at] - base
        margin[i] = min(low_best - low_next, high_best - high_next) if low_at == high_at else 0
    return low_total, high_total


@njit
def sampled(classes: Ints) -> Ints:
    """Return some of the classes, at regular distances."""
    size = min(classes.size, int(classes.size**0.62) + 48)
    sample = np.empty(size, dtype=np.int64)
    for k in range(size):
        sample[k] = classes[k * (classes.size // size)]
    return sample


@njit
def pivots(
    active: Ints,
    light: Ints,
    heavy: Ints,
    start: Ints,
    cost: Ints,
    value: Ints,
    missing: int,
    between: int,
    shift: int,
) -> tuple[int, int]:
    """Return two prices that probably enclose the break, from a sample of hull edges.

    `missing` is the cost still free when all take their light options, `between` what all
    take more with their heavy ones (0: not known; the sample's own is used).
    """
    sample = sampled(active)
    slopes, _, begins, ends = sort_edges(sample, light, heavy, start, cost, value)
    if slopes.size == 0:
        return 0, 1
    total = 0
    for e in range(slopes.size):
        total += cost[ends[e]] - cost[begins[e]]
    share = missing / between if between > 0 else missing * (sample.size / active.size) / total
    need, spent, q = share * total, 0.0, 0
    while q < slopes.size - 1 and spent + (cost[ends[q]] - cost[begins[q]]) <= need:
        spent += cost[ends[q]] - cost[begins[q]]
        q += 1
    away = int(1.1 * np.sqrt(slopes.size)) + 1
    unit = float(1 << shift)
    high = slopes[q - away] if q >= away else slopes[0] * 1.000001
    low = slopes[q + away] if q + away < slopes.size else slopes[-1] * 0.999999
    return max(0, int(low * unit) - 1), int(high * unit) + 1


@njit
def undecided(classes: Ints, light: Ints, heavy: Ints) -> Ints:
    """Keep the classes that choose differently at both ends."""
    kept = np.empty(classes.size, dtype=np.int64)
    count = 0
    for i in classes:
        kept[count] = i
        count += 1 if light[i] != heavy[i] else 0
    return kept[:count].copy()


@njit
def break_price(
    start: Ints, cost: Ints, value: Ints, least: Ints, slack: int, shift: int
) -> tuple[bool, int, int, Ints, Ints, Ints, int]:
    """Search for the price at which the budget is just met.

    Two prices from a sample enclose it; classes that choose the same at both are decided,
    and the search goes on among the others until their hull edges can be sorted.

    Returns whether the best option of every class fits; the price; the cost above the least;
    the option that each class takes, within the budget; the margin of each class (see
    `choose_at`; 0 where not known); and a second selection within the budget, which goes
    on greedily past the break class, with its gain in value.

    Expected time O(options), memory O(classes). E. Zemel, Information Processing Letters 18
    (1984); M. E. Dyer, Mathematical Programming 29 (1984); pivots in the manner of R. W.
    Floyd and R. L. Rivest, Communications of the ACM 18 (1975).
    """
    n = start.size - 1
    light, heavy = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    first, second = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    margin = np.zeros(n, dtype=np.int64)
    active = np.arange(n)
    lowest, highest = 0, 0  # the prices of heavy and light; no highest yet
    lightest(start, cost, value, least, light)
    light_cost, heavy_cost, known = 0, 0, False
    rounds = 0
    if n <= FEW:
        heavy_cost = best_options(active, start, cost, value, least, slack, heavy)
        if heavy_cost <= slack:
            return True, 0, heavy_cost, heavy, margin, heavy, 0
        known = True
        active = undecided(active, light, heavy)
    else:
        best_options(sampled(active), start, cost, value, least, slack, heavy)
    decided = 0  # cost above the least of the classes no longer active
    while (active.size > FEW or not known) and rounds < ROUNDS:
        rounds += 1
        between = heavy_cost - light_cost if known else 0
        low, high = pivots(
            active, light, heavy, start, cost, value, slack - light_cost, between, shift
        )
        low = max(low, lowest)
        if highest:
            high = min(high, highest)
        low = min(low, max(0, high - 1))
        if low == 0 and not known:  # of equal values the cheapest must be taken
            heavy_cost, known = best_options(active, start, cost, value, least, slack, heavy), True
            if heavy_cost <= slack:
                return True, 0, heavy_cost, heavy, margin, heavy, 0
        before = active.size
        low_cost, high_cost = choose_at(
            active, start, cost, value, least, slack, shift, (low, high), (first, second), margin
        )
        low_cost, high_cost = low_cost + decided, high_cost + decided
        if low_cost <= slack:
            if not known:
                heavy_cost = best_options(active, start, cost, value, least, slack, heavy)
                if heavy_cost <= slack:
                    return True, 0, heavy_cost, heavy, margin, heavy, 0
                known = True
            _copy(active, first, light)
            light_cost, highest = low_cost, low
            margin[active] = 0
        elif high_cost > slack:
            _copy(active, second, heavy)
            heavy_cost, lowest, known = high_cost, high, True
            margin[active] = 0
        else:
            _copy(active, first, heavy)
            _copy(active, second, light)
            heavy_cost, light_cost, known = low_cost, high_cost, True
            lowest, highest = low, high
        remaining = undecided(active, light, heavy)
        if remaining.size < before:
            for i in active:
                if light[i] == heavy[i]:
                    decided += cost[light[i]] - least[i]
        active = remaining
        if active.size > 0.9 * before and rounds > 1:
            break
    price, spent, tail, gain = _sorted_break(
        active, light, heavy, start, cost, value, slack - light_cost, shift, lowest, highest
    )
    margin[active] = 0
    return False, price, light_cost + spent, light, margin, tail, gain


@njit
def _copy(classes: Ints, source: Ints, target: Ints) -> None:
    for i in classes:
        target[i] = source[i]


@njit
def _sorted_break(
    active: Ints,
    light: Ints,
    heavy: Ints,
    start: Ints,
    cost: Ints,
    value: Ints,
    free: int,
    shift: int,
    lowest: int,
    highest: int,
) -> tuple[int, int, Ints, int]:
    """Take hull edges while they fit; `light` becomes the base, the price is the break's.

    The tail goes on past the break: edges that still fit are taken, one that does not
    closes its class.
    """
    if active.size > MANY and same_chords(active, light, heavy, cost, value):
        slopes, owners, ends = chords(active, light, heavy, cost, value)
    else:
        slopes, owners, _, ends = sort_edges(active, light, heavy, start, cost, value)
    e, spent = 0, 0
    while e < slopes.size:
        more = cost[ends[e]] - cost[light[owners[e]]]
        if spent + more > free:
            break
        light[owners[e]] = ends[e]
        spent += more
        e += 1
    price = int(slopes[e] * float(1 << shift) + 0.5) if e < slopes.size else lowest
    price = max(price, lowest)
    if highest:
        price = min(price, highest)
    tail, left, gain = light.copy(), free - spent, 0
    closed = np.zeros(light.size, dtype=np.bool_)
    for later in range(e, slopes.size):
        owner = owners[later]
        more = cost[ends[later]] - cost[tail[owner]]
        if more > left:
            closed[owner] = True
        if not closed[owner]:
            gain += value[ends[later]] - value[tail[owner]]
            tail[owner] = ends[later]
            left -= more
    return price, int(spent), tail, int(gain)


@njit
def same_chords(active: Ints, light: Ints, heavy: Ints, cost: Ints, value: Ints) -> bool:
    """Say whether the way from the light to the heavy option is equally steep everywhere."""
    low, high = np.inf, -np.inf
    for i in active:
        if cost[heavy[i]] > cost[light[i]]:
            steep = (value[heavy[i]] - value[light[i]]) / (cost[heavy[i]] - cost[light[i]])
            low, high = min(low, steep), max(high, steep)
    return bool(high - low <= 1e-12 * high)


@njit
def chords(
    active: Ints, light: Ints, heavy: Ints, cost: Ints, value: Ints
) -> tuple[NDArray[np.float64], Ints, Ints]:
    """Return one edge a class, from light to heavy: where all are equal, none needs sorting."""
    slopes = np.empty(active.size)
    owners, ends = np.empty(active.size, dtype=np.int64), np.empty(active.size, dtype=np.int64)
    count = 0
    for i in active:
        if cost[heavy[i]] > cost[light[i]]:
            slopes[count] = (value[heavy[i]] - value[light[i]]) / (cost[heavy[i]] - cost[light[i]])
            owners[count], ends[count] = i, heavy[i]
            count += 1
    return slopes[:count], owners[:count], ends[:count]
