"""The core's dynamic program: lists of undominated states, extended by one class after another.

A *state* is a selection, known by how much more it costs (``w``) and is worth (``v``) than the
base. The classes not yet looked at are at their base in it, so every state is a whole
selection. A list is sorted by ``w`` with strictly rising ``v``; its rows are w, v and the *node*
that remembers how the state came about. Nodes are kept in 32 bits: where there are many, it is
fresh memory that takes the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers.jit import njit
from mckp.solvers.kernels.breaks import ROOM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.solvers.core import Base
    from mckp.table import Ints

    Small = NDArray[np.int32]

MOST_STATES = 2**23
"""Most states of a list times options of a class; a search ends before it exceeds them."""

# Indexes in the array `progress`: the least value and the greatest cost above the base of a find,
# the node of the last find, the numbers of nodes, operations and states, the next class, the mode,
# the bound that ends the search, the work limit, and the least cost and reduced value of a find.
NEED, LEFT, FOUND, NODES, WORK, SIZE, NEXT, MODE, STOP, QUOTA, LOWEST, REDUCED = range(12)
PLACES = REDUCED + 1
# Modes: search more value, or a lower cost at this value.
VALUE, COST = range(2)


@njit
def extend(
    progress: Ints, states: Ints, nodes: Small, rows: Ints, starts: Ints, bounds: Ints, base: Base
) -> tuple[Ints, Small]:
    """Add classes to the list, one after another; return the list and the nodes.

    It ends when all classes are added, a limit is reached, or nothing better can exist. `rows` and
    `starts` have the options of each class (see `losses.deviations`), and `bounds` what the classes
    from each one on can gain (see `losses.gradients`). `progress` is changed in place.
    """
    spare, merged_spare = np.empty((3, 64), dtype=np.int64), np.empty((3, 64), dtype=np.int64)
    while progress[NEXT] < starts.size - 1 and progress[SIZE] > 0 and not is_finished(progress):
        class_index = progress[NEXT]
        bounty = base.lack + base.price * progress[LEFT] - (progress[NEED] << base.shift)
        bounty = min(bounty, base.lack - progress[REDUCED])
        option_count = 0
        for row in range(starts[class_index], starts[class_index + 1]):
            option_count += 1 if rows[row, 3] < 0 or rows[row, 2] <= bounty else 0
        if option_count > 1:
            size = progress[SIZE]
            if progress[WORK] > progress[QUOTA] or size * option_count > MOST_STATES:
                break
            if min(spare.shape[1], merged_spare.shape[1]) < size * option_count:
                spare = np.empty((3, 2 * size * option_count), dtype=np.int64)
                merged_spare = np.empty((3, 2 * size * option_count), dtype=np.int64)
            if nodes.shape[1] < progress[NODES] + size * option_count:
                nodes = make_room(nodes, progress, states, size * option_count)
            merged_size = 0
            for row in range(starts[class_index], starts[class_index + 1]):
                if rows[row, 3] < 0 or rows[row, 2] <= bounty:
                    bound = bounds[class_index + 1]
                    merged_size = merge(
                        spare,
                        merged_size,
                        states,
                        rows[row],
                        merged_spare,
                        bound,
                        progress,
                        nodes,
                        base,
                    )
                    spare, merged_spare = merged_spare, spare
            states, spare = spare, states
            progress[SIZE] = merged_size
            progress[WORK] += size * option_count
        progress[NEXT] = class_index + 1
    return states, nodes


@njit
def make_room(nodes: Small, progress: Ints, states: Ints, wanted: int) -> Small:
    """Return the nodes without those that no state or find needs, with room for `wanted` more.

    A node comes after the one that it extends: row 0 has that node (-1 for none), row 1 the option.
    The nodes in `states` and `progress` are renumbered in place.
    """
    node_count = progress[NODES]
    places = np.zeros(node_count, dtype=np.int64)
    for state in range(progress[SIZE]):
        if states[2, state] >= 0:
            places[states[2, state]] = 1
    if progress[FOUND] >= 0:
        places[progress[FOUND]] = 1
    for node in range(node_count - 1, -1, -1):
        if places[node] and nodes[0, node] >= 0:
            places[nodes[0, node]] = 1
    kept_count = 0
    for node in range(node_count):
        if places[node]:
            parent = nodes[0, node]
            nodes[0, kept_count] = places[parent] if parent >= 0 else -1
            nodes[1, kept_count] = nodes[1, node]
            places[node] = kept_count
            kept_count += 1
    for state in range(progress[SIZE]):
        if states[2, state] >= 0:
            states[2, state] = places[states[2, state]]
    if progress[FOUND] >= 0:
        progress[FOUND] = places[progress[FOUND]]
    progress[NODES] = node_count = kept_count
    if 2 * (node_count + wanted) > nodes.shape[1]:
        wider = np.empty((2, 2 * (node_count + wanted)), dtype=np.int32)
        for node in range(node_count):  # a loop compiles much faster than a slice
            wider[0, node], wider[1, node] = nodes[0, node], nodes[1, node]
        nodes = wider
    return nodes


@njit
def is_finished(progress: Ints) -> bool:
    """Whether the bound `STOP` proves that nothing is better than what was found."""
    if progress[MODE] == VALUE:
        return bool(progress[NEED] > progress[STOP])
    return bool(progress[LEFT] < progress[STOP])


@njit
def merge(
    kept: Ints,
    kept_size: int,
    states: Ints,
    row: Ints,
    target: Ints,
    bound: Ints,
    progress: Ints,
    nodes: Small,
    base: Base,
) -> int:
    """Merge a list with the states that one option makes of others; return the new length.

    The result goes into `target`: the first `kept_size` columns of `kept`, and `states` with the
    cost and value of the option in `row`. A state is dropped if another costs no more and is
    worth as much, or if it cannot become as good as needed. Of equal states, the older one is kept.
    """
    size, extra_cost, gain, option = progress[SIZE], row[0], row[1], row[3]
    price, shift, saved = base.price, base.shift, base.given
    up, down, excess = bound[0], bound[1], bound[2]
    are_gradients_ordered = up <= down
    up_reach = ROOM // max(up, 1)
    down_reach = min(saved, ROOM // max(down, 1))
    most_cost, threshold = progress[LEFT], progress[NEED] << shift
    lowest, reduced = progress[LOWEST], progress[REDUCED]
    k, s, count, last_value = 0, 0, 0, -ROOM
    while k < kept_size or s < size:
        if k < kept_size and (
            s >= size
            or kept[0, k] < states[0, s] + extra_cost
            or (kept[0, k] == states[0, s] + extra_cost and kept[1, k] >= states[1, s] + gain)
        ):
            cost, value, node = kept[0, k], kept[1, k], kept[2, k]
            k += 1
            if value <= last_value:
                continue
        else:
            cost, value, node = states[0, s] + extra_cost, states[1, s] + gain, states[2, s]
            s += 1
            if value <= last_value:
                continue
            free = most_cost - cost
            is_wanted = free >= 0 and value >= progress[NEED]
            if are_gradients_ordered:
                if free >= 0:
                    is_kept = free > up_reach or (value << shift) + up * free >= threshold
                else:
                    is_kept = -free <= down_reach and (value << shift) + down * free >= threshold
            else:
                is_kept = -free <= saved and (value << shift) + price * free + excess >= threshold
            if is_kept:
                reduced_left = (value << shift) - price * cost
                if not up <= price <= down:
                    reduced_left += excess
                elif cost < lowest:
                    reduced_left -= (price - up) * (lowest - cost)
                elif cost > most_cost:
                    reduced_left -= (down - price) * (cost - most_cost)
                is_kept = reduced_left >= reduced
            if not (is_kept or is_wanted):
                continue
            if option >= 0:
                nodes[0, progress[NODES]], nodes[1, progress[NODES]] = node, option
                node = progress[NODES]
                progress[NODES] += 1
            if is_wanted:
                progress[FOUND] = node
                if progress[MODE] == VALUE:
                    progress[NEED] = value + 1
                    threshold = progress[NEED] << shift
                else:
                    progress[LEFT] = most_cost = cost - 1
        target[0, count], target[1, count], target[2, count] = cost, value, node
        count += 1
        last_value = value
    return count
