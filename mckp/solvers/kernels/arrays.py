"""The kernels of tables without nesting in NumPy: nothing is compiled, nothing is loaded.

`breaks` and `lists` do the same compiled, each function under the same name. Where two of them may
differ is which of equally good selections they find.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.solvers.tree import NEVER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.solvers.core import Base

    Ints = NDArray[np.int64]
    Small = NDArray[np.int32]
    Reals = NDArray[np.float64]
    Flags = NDArray[np.bool_]

ROOM: Final = 2**61
"""No product of a price or a gradient and a cost may pass this."""
UNLIMITED: Final = -(2**62)
"""Stands for a least cost or a least reduced value that is not known."""
MOST_ENTRY: Final = 2**31
"""Beyond this no structure is looked for; products of two stay within 64 bits."""
MOST_STATES: Final = 2**23
"""States made at most for one class."""

# Places in the array of what a search knows.
PLACES: Final = 12
NEED, LEFT, FOUND, NODES, WORK, SIZE, NEXT, MODE, STOP, QUOTA, LOWEST, REDUCED = range(PLACES)
# Modes: look for more value, or for less cost at this value.
VALUE, COST = range(2)


class Flat(NamedTuple):
    """A table without nesting, the least cost of each class, and what the budget leaves above."""

    start: Ints
    cost: Ints
    value: Ints
    least: Ints
    slack: int
    shift: int


class Priced(NamedTuple):
    """A table without nesting and its base at one price.

    Options that cost more than `reach` above the least of their class do not count.
    """

    start: Ints
    cost: Ints
    value: Ints
    least: Ints
    pick: Ints
    reach: int
    shift: int
    price: int


class Moves(NamedTuple):
    """All options of some classes, class by class, and what each does to the base.

    `owner` is the place of the class among the classes, `begin` says where each class begins. An
    option beyond the reach has the reduced value `NEVER`.
    """

    option: Ints
    owner: Ints
    begin: Ints
    cost: Ints
    value: Ints
    reduced: Ints

    @classmethod
    def of(cls, classes: Ints, at: Priced) -> Moves:
        """Compare the options of some classes with the base. O(options)."""
        option, owner, begin = _options(classes, at.start)
        base = at.pick[classes]
        more = at.cost[option] - at.cost[base][owner]
        worth = at.value[option] - at.value[base][owner]
        reduced = (worth << at.shift) - at.price * more
        reduced[at.cost[option] > (at.least[classes] + at.reach)[owner]] = NEVER
        return cls(option, owner, begin, more, worth, reduced)


def survey(start: Ints, cost: Ints) -> tuple[Ints, int, int, int]:
    """Return the least cost of each class, their sum, the divisor of all costs above them.

    The last number is the first class without options, or -1. Time O(options).
    """
    empty = np.flatnonzero(start[1:] == start[:-1])
    if empty.size or not cost.size:
        return start[:0], 0, 0, int(empty[0]) if empty.size else -1
    least = np.minimum.reduceat(cost, start[:-1])
    divisor = np.gcd.reduce(cost - np.repeat(least, np.diff(start)))
    return least, int(least.sum()), int(divisor), -1


def break_price(at: Flat) -> tuple[bool, int, int, Ints, Ints, Ints, int]:
    """Search for the price at which the budget is just met, as `breaks.break_price` does.

    The margin of no class is known, and the second selection is the first.
    """
    start, cost, value, slack = at.start, at.cost, at.value, at.slack
    option, owner, begin = _options(np.arange(start.size - 1), start)
    more = cost - at.least[owner]
    unknown = np.zeros(start.size - 1, dtype=np.int64)
    if not option.size:
        return True, 0, 0, unknown, unknown, unknown, 0
    _, light = _firsts(np.where(more == 0, value, NEVER), owner, begin)
    most = np.maximum.reduceat(np.where(more <= slack, value, NEVER), begin)
    is_best = (value == most[owner]) & (more <= slack)
    _, heavy = _firsts(np.where(is_best, -more, NEVER), owner, begin)
    spent = int(more[heavy].sum())
    if spent <= slack:
        return True, 0, spent, heavy, unknown, heavy, 0
    price, free = _meet(at, light, heavy)
    for i in np.flatnonzero(light != heavy).tolist():
        extra = int(cost[heavy[i]] - cost[light[i]])
        if 0 < extra <= free:
            light[i], free = heavy[i], free - extra
    return False, price, slack - free, light, unknown, light, 0


def _meet(at: Flat, light: Ints, heavy: Ints) -> tuple[int, int]:
    """Bring both selections to the break, as `breaks.meet` does.

    Returns its price, and what the light one leaves of the budget.
    """
    cost, value, free = at.cost, at.value, at.slack
    undecided = np.flatnonzero(light != heavy)
    while True:
        low, high = light[undecided], heavy[undecided]
        rise, run = int((value[high] - value[low]).sum()), int((cost[high] - cost[low]).sum())
        price = (rise << at.shift) // run
        reach = min(at.slack, ROOM // max(price, 1))
        light_ones = Priced(at.start, cost, value, at.least, light, reach, at.shift, price)
        moves = Moves.of(undecided, light_ones)
        best, at_best = _firsts(moves.reduced, moves.owner, moves.begin)
        if int(best.sum()) <= max(0, (rise << at.shift) - price * run):
            return price, free
        middle = np.where(best > 0, moves.option[at_best], low)
        spent = int((cost[middle] - cost[low]).sum())
        (light if spent <= free else heavy)[undecided] = middle
        free -= spent if spent <= free else 0
        undecided = undecided[light[undecided] != heavy[undecided]]


def losses(classes: Ints, at: Priced, free: int, bounty: int) -> tuple[Ints, Ints, Reals, int, int]:
    """Return what leaving the base costs each class in reduced value.

    For each class: the least loss among its other options; what the base itself lacks (0
    but for the rounding of the price); how near to the price the gradients of options within
    the bounty come, in reduced value a unit of cost, negative if the nearest costs less than
    the base. Then the greatest gain by a change of one class that fits `free`, and its option
    (-1: none). Options equal to the base count as the base. Time O(options).
    """
    if not classes.size:
        return classes, classes, classes.astype(np.float64), 0, -1
    option, owner, begin, more, worth, reduced = Moves.of(classes, at)
    reduced[(more == 0) & (worth == 0)] = NEVER
    best = np.maximum.reduceat(reduced, begin)
    lack = np.maximum(best, 0)
    inside = -reduced <= bounty
    away = np.where(inside, np.maximum(-reduced, 0) / np.maximum(np.abs(more), 1), np.inf)
    nearest, first = _firsts(-away, owner, begin)
    near = np.where(inside[first] & (more[first] < 0), nearest, -nearest)
    gains = np.where(inside & (more <= free), worth, 0)
    change = int(gains.argmax())
    gain = max(0, int(gains[change]))
    return lack - best, lack, near, gain, int(option[change]) if gain else -1


def outlier(
    first: int, classes: Ints, at: Priced, bounty: int, basis: tuple[int, int, int]
) -> tuple[int, int, int]:
    """Return place, cost and value of the first deviation that does not lie on a lattice."""
    a, b, c = basis
    moves = Moves.of(classes[first:], at)
    w, v = moves.cost, moves.value
    steps = w // a if a else np.zeros_like(w)
    rest = v - b * steps
    is_off = (w != a * steps) | ((rest % c if c else rest) != 0)
    is_large = np.maximum(np.abs(w), np.abs(v)) > MOST_ENTRY
    found = np.flatnonzero((-moves.reduced <= bounty) & (is_large | is_off))
    if not found.size:
        return classes.size, 0, 0
    return first + int(moves.owner[found[0]]), int(w[found[0]]), int(v[found[0]])


def extend(
    known: Ints, states: Ints, nodes: Small, rows: Ints, begin: Ints, bounds: Ints, base: Base
) -> tuple[Ints, Small]:
    """Extend the list by one class after the other, until done, at a limit, or proved.

    `known` changes: see the names of its places. Returns the list and the nodes. `lists` says
    what they are.
    """
    while known[NEXT] < begin.size - 1 and known[SIZE] > 0 and not reached(known):
        c, size = int(known[NEXT]), int(known[SIZE])
        bounty = base.bounty(int(known[NEED]), int(known[LEFT]))
        ways = rows[begin[c] : begin[c + 1]]
        ways = ways[(ways[:, 3] < 0) | (ways[:, 2] <= min(bounty, base.lack - known[REDUCED]))]
        if len(ways) > 1:
            if known[WORK] > known[QUOTA] or size * len(ways) > MOST_STATES:
                break
            states, nodes = _extended(known, states, nodes, ways, bounds[c + 1], base)
            known[WORK] += size * len(ways)
        known[NEXT] = c + 1
    return states, nodes


def _extended(
    known: Ints, states: Ints, nodes: Small, ways: Ints, bound: Ints, base: Base
) -> tuple[Ints, Small]:
    """Extend the list by one class, and note what was found."""
    w, v = (states[0] + ways[:, :1]).ravel(), (states[1] + ways[:, 1:2]).ravel()
    order = np.lexsort((-v, w))
    v = v[order]
    order = order[np.append(True, v[1:] > np.maximum.accumulate(v)[:-1])]
    way, state = np.divmod(order, states.shape[1])
    w, v = w[order], states[1][state] + ways[way, 1]
    wanted = np.flatnonzero((w <= known[LEFT]) & (v >= known[NEED]))
    keep = _promising(known, w, v, bound, base)
    keep[wanted] = True
    option, node = ways[way, 3], states[2][state]
    moved = np.flatnonzero(keep & (option >= 0))
    used, count = int(known[NODES]), int(known[NODES]) + moved.size
    if nodes.shape[1] < count:
        nodes = np.append(nodes, np.empty((2, count), dtype=np.int32), axis=1)
    nodes[0, used:count], nodes[1, used:count] = node[moved], option[moved]
    node[moved] = np.arange(used, count)
    if wanted.size:  # both ascend: the last is worth most, the first costs least
        best = wanted[-1] if known[MODE] == VALUE else wanted[0]
        known[FOUND] = node[best]
        if known[MODE] == VALUE:
            known[NEED] = v[best] + 1
        else:
            known[LEFT] = w[best] - 1
    states = np.stack((w, v, node))[:, keep]
    known[NODES], known[SIZE] = count, states.shape[1]
    return states, nodes


def _promising(known: Ints, w: Ints, v: Ints, bound: Ints, base: Base) -> Flags:
    """Mark the states that can become as good as what is looked for."""
    up, down, excess = bound.tolist()
    left, lowest, reduced = (int(known[place]) for place in (LEFT, LOWEST, REDUCED))
    worth, room, need = v << base.shift, left - w, int(known[NEED]) << base.shift
    if up <= down:
        up_reach, down_reach = ROOM // max(up, 1), min(base.given, ROOM // max(down, 1))
        above = (room > up_reach) | (worth + up * room >= need)
        below = (-room <= down_reach) & (worth + down * room >= need)
        is_near = (above & (room >= 0)) | (below & (room < 0))
    else:
        is_near = (-room <= base.given) & (worth + base.price * room + excess >= need)
    rest = worth - base.price * w
    if not up <= base.price <= down:
        rest += excess
    elif reduced > UNLIMITED:
        rest -= (base.price - up) * np.maximum(lowest - w, 0)
        rest -= (down - base.price) * np.maximum(-room, 0)
    is_possible: Flags = is_near & (rest >= reduced)
    return is_possible


def reached(known: Ints) -> bool:
    """Whether nothing better than what was found is possible."""
    if known[MODE] == VALUE:
        return bool(known[NEED] > known[STOP])
    return bool(known[LEFT] < known[STOP])


def _options(classes: Ints, start: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the options of some classes, the place of the class of each, and where each begins."""
    sizes = start[classes + 1] - start[classes]
    owner = np.repeat(np.arange(classes.size), sizes)
    begin = np.cumsum(sizes) - sizes
    return np.repeat(start[classes] - begin, sizes) + np.arange(owner.size), owner, begin


def _firsts(score: NDArray[np.number], owner: Ints, begin: Ints) -> tuple[NDArray[np.number], Ints]:
    """Return the greatest score of each class, and the first place that has it."""
    best = np.maximum.reduceat(score, begin)
    hits = np.flatnonzero(score == best[owner])
    return best, hits[np.searchsorted(owner[hits], np.arange(begin.size))]
