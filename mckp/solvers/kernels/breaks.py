"""The linear relaxation of classes without nesting: finds the price that just meets the budget.

At a *price* each class takes its option of greatest *reduced value*, ``(value << shift) - price *
(cost - least)``. At the price of the *break*, one selection of such options still fits the budget
(the *light* one) and another does not (the *heavy* one). Prices are whole numbers, so every bound
is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.solvers.base import NEVER
from mckp.solvers.jit import njit

if TYPE_CHECKING:
    from mckp.table import Ints

FEW: Final = 160
"""Up to this number of undecided classes, no sample is drawn."""
ROOM: Final = -NEVER
"""No product of a price, or a gradient, and a cost may pass this."""


class Flat(NamedTuple):
    """A table without nesting, the least cost of each class, and what the budget leaves above."""

    start: Ints
    cost: Ints
    value: Ints
    least: Ints
    slack: int
    shift: int


@njit
def best_options(classes: Ints, at: Flat, reach: int, pick: Ints) -> int:
    """Take the most valuable option in each given class; ties go to cost, then to index.

    Only options within `reach` of the least cost count. Returns the cost above the least.
    """
    start, cost, value, least = at.start, at.cost, at.value, at.least
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
    classes: Ints, at: Flat, prices: tuple[int, int], picks: tuple[Ints, Ints], margin: Ints
) -> tuple[int, int]:
    """Choose for each class at two prices; return the costs of both above the least.

    `margin` becomes how much reduced value any other option loses at least, at every price
    between the two, where both choose the same; 0 elsewhere. Time O(options).
    """
    start, cost, value, least, shift = at.start, at.cost, at.value, at.least, at.shift
    low, high = prices
    # Beyond its reach an option is worse than the cheapest one at that price.
    low_reach, high_reach = min(at.slack, ROOM // max(low, 1)), min(at.slack, ROOM // high)
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
def meet(classes: Ints, at: Flat, light: Ints, heavy: Ints, free: int) -> int:
    """Bring the light and the heavy selection of some classes to the break; return its price.

    Both are given class by class, as those are in `classes`; the budget allows `free` more than
    the light one costs. The price of the line through both finds a third above it, or there is
    none: Y. P. Aneja and K. P. K. Nair, "Bicriteria transportation problem", Management Science 25
    (1979). Time O(options of the classes still undecided) for each price.
    """
    start, cost, value, least, shift = at.start, at.cost, at.value, at.least, at.shift
    undecided, middle = np.arange(classes.size), light.copy()
    while True:
        rise, run = 0, 0
        for c in undecided:
            rise += value[heavy[c]] - value[light[c]]
            run += cost[heavy[c]] - cost[light[c]]
        price = int((rise << shift) // run)
        reach = min(at.slack, ROOM // max(price, 1))
        gain, spent = 0, 0
        for c in undecided:
            i, base, best, to = classes[c], light[c], 0, light[c]
            limit = least[i] + reach
            for j in range(start[i], start[i + 1]):
                if cost[j] <= limit:
                    here = ((value[j] - value[base]) << shift) - price * (cost[j] - cost[base])
                    to = j if here > best else to
                    best = max(best, here)
            middle[c] = to
            gain += best
            spent += cost[to] - cost[base]
        if gain <= max(0, (rise << shift) - price * run):
            return price
        target, count = light if spent <= free else heavy, 0
        free -= spent if spent <= free else 0
        for c in undecided:
            target[c] = middle[c]
            undecided[count] = c
            count += 1 if light[c] != heavy[c] else 0
        undecided = undecided[:count]


@njit
def enclosing(classes: Ints, at: Flat, light: Ints, heavy: Ints, share: float) -> tuple[int, int]:
    """Return two prices that probably enclose the break, from a sample of classes.

    `share` is the part of the way from the light to the heavy selection that the budget allows.
    """
    total = 0
    for i in classes:
        total += at.cost[heavy[i]] - at.cost[light[i]]
    low, high = 0, 1
    away = total / np.sqrt(classes.size)
    most, least = int(share * total + away), max(0, int(share * total - away))
    if most < total:
        low = max(0, meet(classes, at, light[classes], heavy[classes], most) - 1)
    if least < total:
        high = meet(classes, at, light[classes], heavy[classes], least) + 1
    return low, max(high, low + 1)


@njit
def sampled(classes: Ints) -> Ints:
    """Return every n-th class, as a sample."""
    size = min(classes.size, int(classes.size**0.62) + 48)
    sample = np.empty(size, dtype=np.int64)
    for k in range(size):
        sample[k] = classes[k * (classes.size // size)]
    return sample


@njit
def improved(classes: Ints, at: Flat, pick: Ints, free: int) -> tuple[Ints, int]:
    """Change one class at a time, always to gain the most value that fits; return the gain, too."""
    start, cost, value = at.start, at.cost, at.value
    changed, total = pick.copy(), 0
    while True:
        gain, owner, to = 0, -1, -1
        for i in classes:
            base = changed[i]
            for j in range(start[i], start[i + 1]):
                if value[j] - value[base] > gain and cost[j] - cost[base] <= free:
                    gain, owner, to = value[j] - value[base], i, j
        if to < 0:
            return changed, total
        free -= cost[to] - cost[changed[owner]]
        changed[owner] = to
        total += gain


@njit
def break_price(at: Flat) -> tuple[bool, int, int, Ints, Ints, Ints, int]:
    """Search for the price at which the budget is just met.

    Two prices from a sample enclose it; classes that choose the same at both are decided, and
    the search goes on among the others.

    Returns whether the best option of every class fits; the price; the cost above the least;
    the option that each class takes, within the budget; the margin of each class (see
    `choose_at`; 0 where not known); and a second selection within the budget, which changes a
    few classes more, with its gain in value.

    Expected time O(options), memory O(classes). E. Zemel, Information Processing Letters 18
    (1984); M. E. Dyer, Mathematical Programming 29 (1984); the sample in the manner of R. W.
    Floyd and R. L. Rivest, Communications of the ACM 18 (1975).
    """
    n, cost, least = at.start.size - 1, at.cost, at.least
    light, heavy = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    first, second = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    margin = np.zeros(n, dtype=np.int64)
    active = np.arange(n)
    best_options(active, at, 0, light)
    known = n <= FEW
    sample = active if known else sampled(active)
    most = best_options(sample, at, at.slack, heavy)
    if known and most <= at.slack:
        return True, 0, most, heavy, margin, heavy, 0
    # What is left while all take the light options, and how much more the heavy ones cost.
    free, between, before = at.slack, most * (n / sample.size), 2 * n
    while active.size > FEW and 2 * active.size <= before:
        before = active.size
        prices = enclosing(sample, at, light, heavy, free / max(between, 1.0))
        low, high = choose_at(active, at, prices, (first, second), margin)
        for i in active:
            low, high = low - (cost[light[i]] - least[i]), high - (cost[light[i]] - least[i])
        if not known and (low <= free or prices[0] == 0):
            most = best_options(active, at, at.slack, heavy)
            if most <= at.slack:
                return True, 0, most, heavy, margin, heavy, 0
        known, enclosed = True, low > free >= high
        lights = first if low <= free else second if enclosed else light
        heavies = heavy if low <= free else first if enclosed else second
        count, between = 0, 0.0
        for i in active:
            free -= int(cost[lights[i]] - cost[light[i]])
            light[i], heavy[i] = lights[i], heavies[i]
            between += float(cost[heavy[i]] - cost[light[i]])
            margin[i] = margin[i] if enclosed else 0
            active[count] = i
            count += 1 if light[i] != heavy[i] else 0
        active = active[:count]
        sample = sampled(active)
    lights, heavies = light[active], heavy[active]
    price = meet(active, at, lights, heavies, free)
    margin[active] = 0
    for c in range(active.size):
        free -= int(cost[lights[c]] - cost[light[active[c]]])
    # At its price the base may take any of both.
    for c in range(active.size):
        more = int(cost[heavies[c]] - cost[lights[c]])
        fits = 0 < more <= free
        light[active[c]] = heavies[c] if fits else lights[c]
        free -= more if fits else 0
    tail, gain = improved(active[:FEW], at, light, free)
    return False, price, at.slack - free, light, margin, tail, gain
