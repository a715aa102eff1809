"""The kernel of `dp` compiled by Numba, for many or hard nested tables.

The functions are those of `mckp.solvers.kernel`, with loops for what NumPy does in whole arrays.
They give the same answer with the same count of work, ten times as fast where there are many short
lists. Once this module is loaded, `dp` uses it in this process. `dp` loads it by itself where a
table has taken `mckp.solvers.search.PAYS` operations, more than any within the default limit:
loading takes a second or two, and the first use of an installation compiles for a minute or more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import numpy as np
from numba.extending import overload, register_jitable

from mckp.solvers import kernel, lattice, lists
from mckp.solvers.alike import MIX
from mckp.solvers.jit import njit
from mckp.solvers.lists import CHUNK, FAR

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.solvers.lists import Small
    from mckp.table import Ints

P = ParamSpec("P")
R = TypeVar("R")

WIDE: Final = 16
"""Sums are laid out over the range of their costs unless it is so many times their number."""


for _function in (
    kernel.make,
    kernel.union,
    kernel.open_item,
    kernel.list_of,
    kernel.new_term,
    kernel.add,
    kernel.sums_of,
    kernel.power,
    kernel.search,
    kernel.core_of,
    kernel.offer,
    kernel.cap,
    kernel.traced,
    kernel.arrange,
    kernel.split_of,
    lattice.spanned,
    lattice.highest,
    lists.work_of_sums,
):
    register_jitable(_function)


def instead_of(plain: Callable[P, R]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator: compiled code calls the decorated function in place of `plain`."""

    def note(loops: Callable[P, R]) -> Callable[P, R]:
        def chosen(*_: Any) -> Callable[P, R]:
            return loops

        overload(plain, strict=False)(chosen)
        return loops

    return note


@instead_of(lists.key_of)
def key_of(cost: Ints, loss: Ints) -> int:
    """Return a hash of a list, like `mckp.solvers.lists.key_of`, but with other numbers."""
    places = 2 * np.arange(cost.size) + 1
    return int(((cost * MIX[0] + loss * MIX[1]) * places).sum()) + cost.size


@instead_of(lists.undominated)
def undominated(cost: Ints, loss: Ints, rate: int) -> Ints:
    """Return the same as `mckp.solvers.lists.undominated`."""
    order = in_order(cost, loss)
    count, best = 0, np.int64(-2 * FAR)
    for at in order:
        worth = rate * cost[at] - loss[at]
        if worth > best:
            best = worth
            order[count] = at
            count += 1
    return order[:count].copy()


@register_jitable
def in_order(cost: Ints, loss: Ints) -> Ints:
    """Return the indexes of states sorted by cost, then loss, then index."""
    is_rising = True
    for n in range(1, cost.size):
        if cost[n] < cost[n - 1] or (cost[n] == cost[n - 1] and loss[n] < loss[n - 1]):
            is_rising = False
            break
    if is_rising:
        return np.arange(cost.size)
    order = np.argsort(loss, kind="mergesort")
    return order[np.argsort(cost[order], kind="mergesort")]


@instead_of(lists.nearest)
def nearest(key: Ints, cost: Ints, middle: int, most: int) -> tuple[Ints, int]:
    """Return the same as `mckp.solvers.lists.nearest`."""
    order = in_order(key, np.abs(cost - middle))
    low, half = cost.min(), most // 2
    width = (cost.max() - low) // max(1, half) + 1
    is_taken = np.zeros(max(1, half) + 1, np.bool_)
    kept, least = np.zeros(cost.size, np.bool_), np.int64(FAR)
    for n in range(order.size):
        at = order[n]
        step = (cost[at] - low) // width
        if n < most - half:
            kept[at] = True
        elif not is_taken[step]:
            is_taken[step], kept[at] = True, True
        else:
            least = min(least, key[at])
    places: Ints = kept.nonzero()[0]
    return places, int(least)


@instead_of(lists.sums)
def sums(
    first: tuple[Ints, Ints],
    second: tuple[Ints, Ints],
    rate: int,
    most: int,
    dearest: int,
    is_sorted: bool,
) -> tuple[Ints, Ints, Small, Small]:
    """Return the same as `mckp.solvers.lists.sums`."""
    cost, more = first[0], second[0]
    low = cost[0] + more[0]
    span = min(cost[-1] + more[-1], dearest) - low + 1
    if span <= 0:
        none, small = np.zeros(0, np.int64), np.zeros(0, np.int32)
        return none, none, small, small
    if not is_sorted or span <= WIDE * cost.size * more.size + 1_024:
        return laid_out(first, second, (rate, most, low, span), is_sorted)
    return sorted_sums(first, second, (rate, most, dearest))


@register_jitable
def laid_out(
    states: tuple[Ints, Ints],
    added: tuple[Ints, Ints],
    limits: tuple[int, int, int, int],
    is_first: bool,
) -> tuple[Ints, Ints, Small, Small]:
    """Return the undominated sums by putting them into a table over the range of their costs.

    Of equal sums, the one kept is the first in sorted order if `is_first`, else the earliest in the
    second list.
    """
    (cost, loss), (more, lost) = states, added
    rate, most, low, span = limits
    step = max(1, CHUNK // cost.size)
    best = np.full(span, FAR)
    first, second = np.zeros(span, np.int32), np.zeros(span, np.int32)
    for j in range(more.size):
        room, off = most - lost[j], more[j] - low
        for i in range(cost.size):
            at = cost[i] + off
            if at >= span:
                break
            total = loss[i] + lost[j]
            if loss[i] > room:
                continue
            is_same = is_first and total == best[at] and second[at] // step == j // step
            if total < best[at] or (is_same and i < first[at]):
                best[at], first[at], second[at] = total, i, j
    count, highest = 0, np.int64(-2 * FAR)
    for at in range(span):
        worth = rate * at - best[at]
        if best[at] <= most and worth > highest:
            highest = worth
            count += 1
        else:
            best[at] = FAR
    costs, losses = np.empty(count, np.int64), np.empty(count, np.int64)
    firsts, seconds = np.empty(count, np.int32), np.empty(count, np.int32)
    count = 0
    for at in range(span):
        if best[at] < FAR:
            costs[count], losses[count] = at + low, best[at]
            firsts[count], seconds[count] = first[at], second[at]
            count += 1
    return costs, losses, firsts, seconds


@register_jitable
def sorted_sums(
    first: tuple[Ints, Ints], second: tuple[Ints, Ints], limits: tuple[int, int, int]
) -> tuple[Ints, Ints, Small, Small]:
    """Return the undominated sums by sorting, a few states of the second list at a time."""
    (cost, loss), (more, lost) = first, second
    rate, most, dearest = limits
    step = max(1, CHUNK // cost.size)
    costs, losses = np.zeros(0, np.int64), np.zeros(0, np.int64)
    firsts, seconds = np.zeros(0, np.int32), np.zeros(0, np.int32)
    for begin in range(0, more.size, step):
        end = min(more.size, begin + step)
        size = costs.size + cost.size * (end - begin)
        sum_cost, sum_loss = np.empty(size, np.int64), np.empty(size, np.int64)
        i, j = np.empty(size, np.int32), np.empty(size, np.int32)
        count = costs.size
        sum_cost[:count], sum_loss[:count] = costs, losses
        i[:count], j[:count] = firsts, seconds
        for a in range(cost.size):
            for b in range(begin, end):
                if loss[a] + lost[b] <= most:
                    sum_cost[count], sum_loss[count] = cost[a] + more[b], loss[a] + lost[b]
                    i[count], j[count] = a, b
                    count += 1
        order = in_order(sum_cost[:count], sum_loss[:count])
        filled, best = 0, np.int64(-2 * FAR)
        for at in order:
            worth = rate * sum_cost[at] - sum_loss[at]
            if worth > best and sum_cost[at] <= dearest:
                best = worth
                order[filled] = at
                filled += 1
        order = order[:filled].copy()
        costs, losses, firsts, seconds = sum_cost[order], sum_loss[order], i[order], j[order]
    return costs, losses, firsts, seconds


run = njit(kernel.run)
"""`mckp.solvers.kernel.run`, compiled."""
