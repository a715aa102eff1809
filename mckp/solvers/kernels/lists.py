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
"""States of a list times options of a class beyond which a search ends."""

# Places in the array of what a search knows.
NEED, LEFT, FOUND, NODES, WORK, SIZE, NEXT, MODE, STOP, QUOTA, LOWEST, REDUCED = range(12)
PLACES = REDUCED + 1
# Modes: look for more value, or for less cost at this value.
VALUE, COST = range(2)


@njit
def extend(
    known: Ints, states: Ints, nodes: Small, rows: Ints, begin: Ints, bounds: Ints, base: Base
) -> tuple[Ints, Small]:
    """Extend the list by one class after another, until all are added, a limit, or a proof.

    `known` is changed; the names of its places say how. Returns the list and the nodes.
    """
    spare, third = np.empty((3, 64), dtype=np.int64), np.empty((3, 64), dtype=np.int64)
    while known[NEXT] < begin.size - 1 and known[SIZE] > 0 and not reached(known):
        c = known[NEXT]
        bounty = base.lack + base.price * known[LEFT] - (known[NEED] << base.shift)
        bounty = min(bounty, base.lack - known[REDUCED])
        count = 0
        for e in range(begin[c], begin[c + 1]):
            count += 1 if rows[e, 3] < 0 or rows[e, 2] <= bounty else 0
        if count > 1:
            size = known[SIZE]
            if known[WORK] > known[QUOTA] or size * count > MOST_STATES:
                break
            if min(spare.shape[1], third.shape[1]) < size * count:
                spare = np.empty((3, 2 * size * count), dtype=np.int64)
                third = np.empty((3, 2 * size * count), dtype=np.int64)
            if nodes.shape[1] < known[NODES] + size * count:
                nodes = make_room(nodes, known, states, size * count)
            held = 0
            for e in range(begin[c], begin[c + 1]):
                if rows[e, 3] < 0 or rows[e, 2] <= bounty:
                    bound = bounds[c + 1]
                    held = merge(spare, held, states, rows[e], third, bound, known, nodes, base)
                    spare, third = third, spare
            states, spare = spare, states
            known[SIZE] = held
            known[WORK] += size * count
        known[NEXT] = c + 1
    return states, nodes


@njit
def make_room(nodes: Small, known: Ints, states: Ints, more: int) -> Small:
    """Drop nodes that no state or find is traced back to; grow the array if need be.

    A node comes after the one that it extends: row 0 has that node (-1 for none), row 1 the option.
    """
    used = known[NODES]
    place = np.zeros(used, dtype=np.int64)
    for s in range(known[SIZE]):
        if states[2, s] >= 0:
            place[states[2, s]] = 1
    if known[FOUND] >= 0:
        place[known[FOUND]] = 1
    for node in range(used - 1, -1, -1):
        if place[node] and nodes[0, node] >= 0:
            place[nodes[0, node]] = 1
    count = 0
    for node in range(used):
        if place[node]:
            before = nodes[0, node]
            nodes[0, count] = place[before] if before >= 0 else -1
            nodes[1, count] = nodes[1, node]
            place[node] = count
            count += 1
    for s in range(known[SIZE]):
        if states[2, s] >= 0:
            states[2, s] = place[states[2, s]]
    if known[FOUND] >= 0:
        known[FOUND] = place[known[FOUND]]
    known[NODES] = used = count
    if 2 * (used + more) > nodes.shape[1]:
        wider = np.empty((2, 2 * (used + more)), dtype=np.int32)
        for node in range(used):  # a loop compiles much faster than a slice
            wider[0, node], wider[1, node] = nodes[0, node], nodes[1, node]
        nodes = wider
    return nodes


@njit
def reached(known: Ints) -> bool:
    """Whether nothing can be better than what was found."""
    if known[MODE] == VALUE:
        return bool(known[NEED] > known[STOP])
    return bool(known[LEFT] < known[STOP])


@njit
def merge(
    kept: Ints,
    held: int,
    states: Ints,
    row: Ints,
    target: Ints,
    bound: Ints,
    known: Ints,
    nodes: Small,
    base: Base,
) -> int:
    """Merge a list with its states moved by one option; return the new length.

    A state is dropped if another costs less and is worth as much, or if it cannot become as good as
    needed. Of equal states, the older one is kept.
    """
    size, more, worth, option = known[SIZE], row[0], row[1], row[3]
    price, shift, repair = base.price, base.shift, base.given
    up, down, excess = bound[0], bound[1], bound[2]
    sound = up <= down
    up_reach = ROOM // max(up, 1)
    down_reach = min(repair, ROOM // max(down, 1))
    left, threshold = known[LEFT], known[NEED] << shift
    lowest, reduced = known[LOWEST], known[REDUCED]
    i, j, count, last = 0, 0, 0, -ROOM
    while i < held or j < size:
        if i < held and (
            j >= size
            or kept[0, i] < states[0, j] + more
            or (kept[0, i] == states[0, j] + more and kept[1, i] >= states[1, j] + worth)
        ):
            w, v, node = kept[0, i], kept[1, i], kept[2, i]
            i += 1
            if v <= last:
                continue
        else:
            w, v, node = states[0, j] + more, states[1, j] + worth, states[2, j]
            j += 1
            if v <= last:
                continue
            room = left - w
            wanted = room >= 0 and v >= known[NEED]
            if sound:
                if room >= 0:
                    keep = room > up_reach or (v << shift) + up * room >= threshold
                else:
                    keep = -room <= down_reach and (v << shift) + down * room >= threshold
            else:
                keep = -room <= repair and (v << shift) + price * room + excess >= threshold
            if keep:
                rest = (v << shift) - price * w
                if not up <= price <= down:
                    rest += excess
                elif w < lowest:
                    rest -= (price - up) * (lowest - w)
                elif w > left:
                    rest -= (down - price) * (w - left)
                keep = rest >= reduced
            if not (keep or wanted):
                continue
            if option >= 0:
                nodes[0, known[NODES]], nodes[1, known[NODES]] = node, option
                node = known[NODES]
                known[NODES] += 1
            if wanted:
                known[FOUND] = node
                if known[MODE] == VALUE:
                    known[NEED] = v + 1
                    threshold = known[NEED] << shift
                else:
                    known[LEFT] = left = w - 1
        target[0, count], target[1, count], target[2, count] = w, v, node
        count += 1
        last = v
    return count
