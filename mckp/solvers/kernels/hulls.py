"""The upper hulls of classes: what each takes as the price of cost falls.

An edge leads from one option to the next dearer one that is ever the best at some price. Slopes
are floats: they put prices in order, and prove nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.jit import njit
from mckp.solvers.kernels.order import ascending

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.jit import Ints

WRAP: Final = 32
"""Options of a class up to which its hull is wrapped, not sorted."""


@njit
def hull_edges(
    i: int,
    light: int,
    heavy: int,
    start: Ints,
    cost: Ints,
    value: Ints,
    slopes: NDArray[np.float64],
    ends: Ints,
    count: int,
) -> int:
    """Append the hull edges of a class from one option up to another, by gift wrapping.

    An edge is its slope and the option it leads to. Slopes never rise, not by a rounding
    error either, so sorting keeps the edges of a class in order; only positive ones count.
    Time O(options of the class x edges).
    """
    at, before = light, np.inf
    while cost[at] < cost[heavy]:
        slope, to = 0.0, -1
        for j in range(start[i], start[i + 1]):
            if cost[at] < cost[j] <= cost[heavy] and value[j] > value[at]:
                steep = (value[j] - value[at]) / (cost[j] - cost[at])
                if steep > slope or (steep == slope and to >= 0 and cost[j] < cost[to]):
                    slope, to = steep, j
        if to < 0:
            break
        before = min(before, slope)
        slopes[count], ends[count] = before, to
        count += 1
        at = to
    return count


@njit
def hull_edges_sorted(
    i: int,
    light: int,
    heavy: int,
    start: Ints,
    cost: Ints,
    value: Ints,
    slopes: NDArray[np.float64],
    ends: Ints,
    count: int,
) -> int:
    """Do what `hull_edges` does by sorting: O(k log k) for k options, whatever the hull."""
    costs = np.empty(start[i + 1] - start[i])
    for k in range(costs.size):
        costs[k] = cost[start[i] + k]
    first, at = count, light
    for k in ascending(costs):
        j = start[i] + k
        if not cost[light] < cost[j] <= cost[heavy]:
            continue
        while count > first:
            at = ends[count - 1]
            before = ends[count - 2] if count - 1 > first else light
            if cost[j] > cost[at]:
                steep = (value[j] - value[at]) / (cost[j] - cost[at])
                if steep <= (value[at] - value[before]) / (cost[at] - cost[before]):
                    break
            elif value[j] <= value[at]:
                break
            count -= 1
        at = ends[count - 1] if count > first else light
        if value[j] > value[at] and cost[j] > cost[at]:
            slopes[count] = (value[j] - value[at]) / (cost[j] - cost[at])
            ends[count] = j
            count += 1
    for e in range(first + 1, count):
        slopes[e] = min(slopes[e], slopes[e - 1])
    return count


@njit
def sort_edges(
    classes: Ints, light: Ints, heavy: Ints, start: Ints, cost: Ints, value: Ints
) -> tuple[NDArray[np.float64], Ints, Ints, Ints]:
    """Return the hull edges of some classes, steepest first: slope, class, from, to."""
    most = 0
    for i in classes:
        most += start[i + 1] - start[i]
    slopes, ends = np.empty(most), np.empty(most, dtype=np.int64)
    owners, begins = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    count = 0
    for i in classes:
        first = count
        at, to = int(light[i]), int(heavy[i])
        if start[i + 1] - start[i] <= WRAP:
            count = hull_edges(i, at, to, start, cost, value, slopes, ends, count)
        else:
            count = hull_edges_sorted(i, at, to, start, cost, value, slopes, ends, count)
        for e in range(first, count):
            owners[e] = i
            begins[e] = ends[e - 1] if e > first else light[i]
    falling = np.empty(count)
    for e in range(count):
        falling[e] = -slopes[e]
    order = ascending(falling)
    edges = np.empty((3, count), dtype=np.int64)
    for e in range(count):
        falling[e] = slopes[order[e]]
        edges[0, e], edges[1, e] = owners[order[e]], begins[order[e]]
        edges[2, e] = ends[order[e]]
    return falling, edges[0], edges[1], edges[2]
