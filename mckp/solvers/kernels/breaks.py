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
"""Most undecided classes for which no sample is drawn."""
ROOM: Final = -NEVER
"""No product of a price or a gradient and a cost may exceed this."""


class FlatTable(NamedTuple):
    """A table without nesting.

    Attributes
    ----------
    start : array of int64 [classes + 1]
        The first option of each class.
    cost, value : array of int64 [options]
        The cost and value of each option.
    least : array of int64 [classes]
        The least cost in each class.
    slack : int
        The budget above the sum of the least costs.
    shift : int
        The number of binary places of a price.
    """

    start: Ints
    cost: Ints
    value: Ints
    least: Ints
    slack: int
    shift: int


@njit
def take_best_options(classes: Ints, table: FlatTable, reach: int, picks: Ints) -> int:
    """Put the most valuable option of each class into `picks`; return the cost above the least.

    Ties go to the lower cost, then to the lower index. Only options that cost at most `reach` above
    the least cost of their class count.
    """
    start, cost, value, least = table.start, table.cost, table.value, table.least
    extra_cost = 0
    for owner in classes:
        limit, best_option = least[owner] + reach, -1
        for option in range(start[owner], start[owner + 1]):
            if cost[option] <= limit and (
                best_option < 0
                or value[option] > value[best_option]
                or (value[option] == value[best_option] and cost[option] < cost[best_option])
            ):
                best_option = option
        picks[owner] = best_option
        extra_cost += cost[best_option] - least[owner]
    return extra_cost


@njit
def choose_at_prices(
    classes: Ints, table: FlatTable, prices: tuple[int, int], picks: tuple[Ints, Ints], margin: Ints
) -> tuple[int, int]:
    """Choose the best option of each class at two prices; return both total costs above the least.

    The options are put into the two arrays in `picks`. For a class with the same option at both,
    `margin` gets the least reduced value that any other option loses at every price between them;
    for others, it gets 0. Takes O(options).
    """
    start, cost, value, least, shift = (
        table.start,
        table.cost,
        table.value,
        table.least,
        table.shift,
    )
    low, high = prices
    # Beyond its reach an option is worse than the cheapest one at that price.
    low_reach, high_reach = min(table.slack, ROOM // max(low, 1)), min(table.slack, ROOM // high)
    low_pick, high_pick = picks
    low_total, high_total = 0, 0
    for owner in classes:
        least_cost = least[owner]
        low_best, low_second, low_option = NEVER, NEVER, -1
        high_best, high_second, high_option = NEVER, NEVER, -1
        for option in range(start[owner], start[owner + 1]):
            extra_cost = cost[option] - least_cost
            if extra_cost > low_reach:
                continue
            scaled_value = value[option] << shift
            reduced = scaled_value - low * extra_cost
            is_better = reduced > low_best
            low_second = max(low_second, min(low_best, reduced))
            low_best = max(low_best, reduced)
            low_option = option if is_better else low_option
            if extra_cost > high_reach:
                continue
            reduced = scaled_value - high * extra_cost
            is_better = reduced > high_best
            high_second = max(high_second, min(high_best, reduced))
            high_best = max(high_best, reduced)
            high_option = option if is_better else high_option
        low_pick[owner], high_pick[owner] = low_option, high_option
        low_total += cost[low_option] - least_cost
        high_total += cost[high_option] - least_cost
        margin[owner] = (
            min(low_best - low_second, high_best - high_second) if low_option == high_option else 0
        )
    return low_total, high_total


@njit
def close_on_break(classes: Ints, table: FlatTable, light: Ints, heavy: Ints, free: int) -> int:
    """Bring a light and a heavy selection of some classes to the break; return its price.

    Both have an option for each of the `classes`, in this order, and are changed in place. The
    budget allows `free` more than the light one costs. At the price of the line through both, there
    is a selection above the line, which replaces one of the two, or there is none: Y. P. Aneja and
    K. P. K. Nair, "Bicriteria transportation problem", Management Science 25 (1979). Takes
    O(options of the classes still undecided) for each price.
    """
    start, cost, value, least, shift = (
        table.start,
        table.cost,
        table.value,
        table.least,
        table.shift,
    )
    undecided, middle = np.arange(classes.size), light.copy()
    while True:
        rise, run = 0, 0
        for index in undecided:
            rise += value[heavy[index]] - value[light[index]]
            run += cost[heavy[index]] - cost[light[index]]
        price = int((rise << shift) // run)
        reach = min(table.slack, ROOM // max(price, 1))
        gain, extra_cost = 0, 0
        for index in undecided:
            owner, light_option, best_gain, chosen = classes[index], light[index], 0, light[index]
            limit = least[owner] + reach
            for option in range(start[owner], start[owner + 1]):
                if cost[option] <= limit:
                    gain_here = ((value[option] - value[light_option]) << shift) - price * (
                        cost[option] - cost[light_option]
                    )
                    chosen = option if gain_here > best_gain else chosen
                    best_gain = max(best_gain, gain_here)
            middle[index] = chosen
            gain += best_gain
            extra_cost += cost[chosen] - cost[light_option]
        if gain <= max(0, (rise << shift) - price * run):
            return price
        target, left = light if extra_cost <= free else heavy, 0
        free -= extra_cost if extra_cost <= free else 0
        for index in undecided:
            target[index] = middle[index]
            undecided[left] = index
            left += 1 if light[index] != heavy[index] else 0
        undecided = undecided[:left]


@njit
def enclosing_prices(
    classes: Ints, table: FlatTable, light: Ints, heavy: Ints, share: float
) -> tuple[int, int]:
    """Return two prices that probably enclose the break, from a sample of classes.

    `share` is the share of the cost between the light and the heavy selection that the budget
    allows.
    """
    extra_cost = 0
    for owner in classes:
        extra_cost += table.cost[heavy[owner]] - table.cost[light[owner]]
    low, high = 0, 1
    deviation = extra_cost / np.sqrt(classes.size)
    upper, lower = int(share * extra_cost + deviation), max(0, int(share * extra_cost - deviation))
    if upper < extra_cost:
        low = max(0, close_on_break(classes, table, light[classes], heavy[classes], upper) - 1)
    if lower < extra_cost:
        high = close_on_break(classes, table, light[classes], heavy[classes], lower) + 1
    return low, max(high, low + 1)


@njit
def sample_classes(classes: Ints) -> Ints:
    """Return a sample of classes: about ``size ** 0.62`` and 48 more, evenly spread."""
    size = min(classes.size, int(classes.size**0.62) + 48)
    sample = np.empty(size, dtype=np.int64)
    for index in range(size):
        sample[index] = classes[index * (classes.size // size)]
    return sample


@njit
def improve(classes: Ints, table: FlatTable, pick: Ints, free: int) -> tuple[Ints, int]:
    """Return the options after greedy changes of single classes, and the value gained.

    Each change gains the most value of all that cost no more than what is left of `free`.
    """
    start, cost, value = table.start, table.cost, table.value
    changed, total = pick.copy(), 0
    while True:
        gain, best_class, best_option = 0, -1, -1
        for owner in classes:
            taken = changed[owner]
            for option in range(start[owner], start[owner + 1]):
                if value[option] - value[taken] > gain and cost[option] - cost[taken] <= free:
                    gain, best_class, best_option = value[option] - value[taken], owner, option
        if best_option < 0:
            return changed, total
        free -= cost[best_option] - cost[changed[best_class]]
        changed[best_class] = best_option
        total += gain


@njit
def break_price(table: FlatTable) -> tuple[bool, int, int, Ints, Ints, Ints, int]:
    """Return the price at the break, and what was computed on the way.

    Two prices from a sample enclose the break; classes that choose the same option at both are
    decided, and the search goes on among the others.

    Returns
    -------
    bool
        Whether the most valuable option of every class fits; then the price is 0.
    int
        The price.
    int
        The cost above the least of the options in the next array.
    array of int64 [classes]
        The option that each class takes, within the budget.
    array of int64 [classes]
        The margin of each class (see `choose_at_prices`); 0 where it is not known.
    array of int64 [classes], int
        A second selection within the budget, which changes a few more classes, and its gain.

    Notes
    -----
    Expected time O(options), memory O(classes). E. Zemel, Information Processing Letters 18
    (1984); M. E. Dyer, Mathematical Programming 29 (1984); the sample in the manner of R. W.
    Floyd and R. L. Rivest, Communications of the ACM 18 (1975).
    """
    class_count, cost, least = table.start.size - 1, table.cost, table.least
    light, heavy = np.empty(class_count, dtype=np.int64), np.empty(class_count, dtype=np.int64)
    low_picks, high_picks = (
        np.empty(class_count, dtype=np.int64),
        np.empty(class_count, dtype=np.int64),
    )
    margin = np.zeros(class_count, dtype=np.int64)
    active = np.arange(class_count)
    take_best_options(active, table, 0, light)
    is_total_known = class_count <= FEW
    sample = active if is_total_known else sample_classes(active)
    heavy_cost = take_best_options(sample, table, table.slack, heavy)
    if is_total_known and heavy_cost <= table.slack:
        return True, 0, heavy_cost, heavy, margin, heavy, 0
    # What is left while all take the light options, and how much more the heavy ones cost.
    free, gap_cost, previous_size = (
        table.slack,
        heavy_cost * (class_count / sample.size),
        2 * class_count,
    )
    while active.size > FEW and 2 * active.size <= previous_size:
        previous_size = active.size
        prices = enclosing_prices(sample, table, light, heavy, free / max(gap_cost, 1.0))
        low, high = choose_at_prices(active, table, prices, (low_picks, high_picks), margin)
        for owner in active:
            low, high = (
                low - (cost[light[owner]] - least[owner]),
                high - (cost[light[owner]] - least[owner]),
            )
        if not is_total_known and (low <= free or prices[0] == 0):
            heavy_cost = take_best_options(active, table, table.slack, heavy)
            if heavy_cost <= table.slack:
                return True, 0, heavy_cost, heavy, margin, heavy, 0
        is_total_known, is_enclosed = True, low > free >= high
        light_picks = low_picks if low <= free else high_picks if is_enclosed else light
        heavy_picks = heavy if low <= free else low_picks if is_enclosed else high_picks
        left, gap_cost = 0, 0.0
        for owner in active:
            free -= int(cost[light_picks[owner]] - cost[light[owner]])
            light[owner], heavy[owner] = light_picks[owner], heavy_picks[owner]
            gap_cost += float(cost[heavy[owner]] - cost[light[owner]])
            margin[owner] = margin[owner] if is_enclosed else 0
            active[left] = owner
            left += 1 if light[owner] != heavy[owner] else 0
        active = active[:left]
        sample = sample_classes(active)
    light_picks, heavy_picks = light[active], heavy[active]
    price = close_on_break(active, table, light_picks, heavy_picks, free)
    margin[active] = 0
    for index in range(active.size):
        free -= int(cost[light_picks[index]] - cost[light[active[index]]])
    # At this price, the base may take either option.
    for index in range(active.size):
        extra_cost = int(cost[heavy_picks[index]] - cost[light_picks[index]])
        is_affordable = 0 < extra_cost <= free
        light[active[index]] = heavy_picks[index] if is_affordable else light_picks[index]
        free -= extra_cost if is_affordable else 0
    other, gain = improve(active[:FEW], table, light, free)
    return False, price, table.slack - free, light, margin, other, gain
