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

from mckp.errors import import_extra
from mckp.solvers import kernel, lattice, lists
from mckp.solvers.alike import MIX
from mckp.solvers.jit import njit
from mckp.solvers.lists import CHUNK, FAR

if TYPE_CHECKING:
    from collections.abc import Callable

    from numba.extending import overload, register_jitable

    from mckp.solvers.lists import Small
    from mckp.table import Ints

else:
    extending = import_extra("numba.extending", "numba", "jit")
    overload, register_jitable = extending.overload, extending.register_jitable

P = ParamSpec("P")
R = TypeVar("R")

WIDE: Final = 16
"""Greatest range of costs, as a multiple of the number of sums, for a table over that range."""


for _function in (
    kernel.make_node_list,
    kernel.merge_ways,
    kernel.open_item,
    kernel.node_term,
    kernel.store_term,
    kernel.add_terms,
    kernel.add_bounded,
    kernel.multiply_term,
    kernel.search_core,
    kernel.group_core,
    kernel.record_best,
    kernel.core_bound,
    kernel.trace_back,
    kernel.sort_equal_terms,
    kernel.split_state,
    lattice.extend_basis,
    lattice.highest_point,
    lists.sum_work,
):
    register_jitable(_function)


def instead_of(plain: Callable[P, R]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator: compiled code calls the decorated function instead of `plain`."""

    def register(compiled_twin: Callable[P, R]) -> Callable[P, R]:
        def choose(*_: Any) -> Callable[P, R]:
            return compiled_twin

        overload(plain, strict=False)(choose)
        return compiled_twin

    return register


@instead_of(lists.hash_list)
def hash_list(cost: Ints, loss: Ints) -> int:
    """Return a hash of a list of states; `mckp.solvers.lists.hash_list` returns another number."""
    places = 2 * np.arange(cost.size) + 1
    return int(((cost * MIX[0] + loss * MIX[1]) * places).sum()) + cost.size


@instead_of(lists.undominated_states)
def undominated_states(cost: Ints, loss: Ints, rate: int) -> Ints:
    """Return the same as `mckp.solvers.lists.undominated_states`."""
    order = sorted_indexes(cost, loss)
    count, best = 0, np.int64(-2 * FAR)
    for index in order:
        worth = rate * cost[index] - loss[index]
        if worth > best:
            best = worth
            order[count] = index
            count += 1
    return order[:count].copy()


@register_jitable
def sorted_indexes(cost: Ints, loss: Ints) -> Ints:
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


@instead_of(lists.nearest_states)
def nearest_states(key: Ints, cost: Ints, middle: int, most_kept: int) -> tuple[Ints, int]:
    """Return the same as `mckp.solvers.lists.nearest_states`."""
    order = sorted_indexes(key, np.abs(cost - middle))
    low, half = cost.min(), most_kept // 2
    width = (cost.max() - low) // max(1, half) + 1
    is_taken = np.zeros(max(1, half) + 1, np.bool_)
    kept, least = np.zeros(cost.size, np.bool_), np.int64(FAR)
    for rank in range(order.size):
        index = order[rank]
        range_index = (cost[index] - low) // width
        if rank < most_kept - half:
            kept[index] = True
        elif not is_taken[range_index]:
            is_taken[range_index], kept[index] = True, True
        else:
            least = min(least, key[index])
    places: Ints = kept.nonzero()[0]
    return places, int(least)


@instead_of(lists.add_lists)
def add_lists(
    first: tuple[Ints, Ints],
    second: tuple[Ints, Ints],
    rate: int,
    most: int,
    dearest: int,
    is_sorted: bool,
) -> tuple[Ints, Ints, Small, Small]:
    """Return the same as `mckp.solvers.lists.add_lists`."""
    cost, other_cost = first[0], second[0]
    low = cost[0] + other_cost[0]
    span = min(cost[-1] + other_cost[-1], dearest) - low + 1
    if span <= 0:
        empty, empty_small = np.zeros(0, np.int64), np.zeros(0, np.int32)
        return empty, empty, empty_small, empty_small
    if not is_sorted or span <= WIDE * cost.size * other_cost.size + 1_024:
        return sums_by_cost(first, second, (rate, most, low, span), is_sorted)
    return sorted_sums(first, second, (rate, most, dearest))


@register_jitable
def sums_by_cost(
    states: tuple[Ints, Ints],
    added: tuple[Ints, Ints],
    limits: tuple[int, int, int, int],
    is_first: bool,
) -> tuple[Ints, Ints, Small, Small]:
    """Return the undominated sums of two lists, by a table over the range of their costs.

    `limits` are the rate, the greatest loss, the least cost of a sum, and the number of costs. Of
    equal sums, the one kept is the first in sorted order if `is_first`, else the earliest in the
    second list.
    """
    (cost, loss), (other_cost, other_loss) = states, added
    rate, most, low, span = limits
    step = max(1, CHUNK // cost.size)
    best = np.full(span, FAR)
    first_at, second_at = np.zeros(span, np.int32), np.zeros(span, np.int32)
    for second_place in range(other_cost.size):
        loss_room, offset = most - other_loss[second_place], other_cost[second_place] - low
        for first_place in range(cost.size):
            cell = cost[first_place] + offset
            if cell >= span:
                break
            total = loss[first_place] + other_loss[second_place]
            if loss[first_place] > loss_room:
                continue
            is_same = (
                is_first and total == best[cell] and second_at[cell] // step == second_place // step
            )
            if total < best[cell] or (is_same and first_place < first_at[cell]):
                best[cell], first_at[cell], second_at[cell] = total, first_place, second_place
    count, highest = 0, np.int64(-2 * FAR)
    for cell in range(span):
        worth = rate * cell - best[cell]
        if best[cell] <= most and worth > highest:
            highest = worth
            count += 1
        else:
            best[cell] = FAR
    costs, losses = np.empty(count, np.int64), np.empty(count, np.int64)
    firsts, seconds = np.empty(count, np.int32), np.empty(count, np.int32)
    count = 0
    for cell in range(span):
        if best[cell] < FAR:
            costs[count], losses[count] = cell + low, best[cell]
            firsts[count], seconds[count] = first_at[cell], second_at[cell]
            count += 1
    return costs, losses, firsts, seconds


@register_jitable
def sorted_sums(
    first: tuple[Ints, Ints], second: tuple[Ints, Ints], limits: tuple[int, int, int]
) -> tuple[Ints, Ints, Small, Small]:
    """Return the undominated sums of two lists, sorted for a few states of the second at a time.

    `limits` are the rate, the greatest loss, and the greatest cost of a sum.
    """
    (cost, loss), (other_cost, other_loss) = first, second
    rate, most, dearest = limits
    step = max(1, CHUNK // cost.size)
    costs, losses = np.zeros(0, np.int64), np.zeros(0, np.int64)
    firsts, seconds = np.zeros(0, np.int32), np.zeros(0, np.int32)
    for start in range(0, other_cost.size, step):
        end = min(other_cost.size, start + step)
        size = costs.size + cost.size * (end - start)
        sum_cost, sum_loss = np.empty(size, np.int64), np.empty(size, np.int64)
        first_places, second_places = np.empty(size, np.int32), np.empty(size, np.int32)
        count = costs.size
        sum_cost[:count], sum_loss[:count] = costs, losses
        first_places[:count], second_places[:count] = firsts, seconds
        for first_place in range(cost.size):
            for second_place in range(start, end):
                if loss[first_place] + other_loss[second_place] <= most:
                    sum_cost[count], sum_loss[count] = (
                        cost[first_place] + other_cost[second_place],
                        loss[first_place] + other_loss[second_place],
                    )
                    first_places[count], second_places[count] = first_place, second_place
                    count += 1
        order = sorted_indexes(sum_cost[:count], sum_loss[:count])
        filled, best = 0, np.int64(-2 * FAR)
        for index in order:
            worth = rate * sum_cost[index] - sum_loss[index]
            if worth > best and sum_cost[index] <= dearest:
                best = worth
                order[filled] = index
                filled += 1
        order = order[:filled].copy()
        costs, losses, firsts, seconds = (
            sum_cost[order],
            sum_loss[order],
            first_places[order],
            second_places[order],
        )
    return costs, losses, firsts, seconds


run = njit(kernel.run)
"""`mckp.solvers.kernel.run`, compiled."""
