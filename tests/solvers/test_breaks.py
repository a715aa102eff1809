"""The price of the break, beside the linear relaxation in fractions with sorted hulls."""

from fractions import Fraction
from itertools import pairwise
from math import gcd

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from mckp.solvers import Table
from mckp.solvers.kernels import breaks
from mckp.solvers.scaling import price_shift
from tests.solvers import instances
from tests.solvers.instances import JIT_OFF, count

Ints = NDArray[np.int64]
Points = list[tuple[int, int]]
SIZES = [1, 2, 5, 30, 170, 400] if JIT_OFF else [1, 2, 5, 30, 170, 400, 2500]
STYLES = ["uniform", "ties", "equal slopes", "spread", "near ties", "offsets", "nothing to gain"]


def drawn(style: str, seed: int, n: int) -> Table:
    """Make a table of a style that is hard for slopes, pivots or sums."""
    rng = np.random.default_rng([seed, n])
    k = int(rng.integers(1, 6))
    costs = rng.integers(0, 1000, (n, k))
    values: NDArray[np.int64] = rng.integers(-100, 1000, (n, k))
    match style:
        case "ties":
            costs, values = rng.integers(0, 4, (n, k)), rng.integers(0, 4, (n, k))
        case "equal slopes":
            values = 3 * costs
        case "spread":
            costs, values = powers(rng, 44, (n, k)), powers(rng, 45, (n, k))
            costs[: n // 2], values[: n // 2] = 1, 2 ** int(rng.integers(30, 46))
            costs[:, 0], values[:, 0] = 0, 0
        case "near ties":
            return near_ties(seed, n)
        case "offsets":
            costs = costs + rng.integers(0, 2**40, (n, 1))
            values = values + rng.integers(-(2**40), 2**40, (n, 1))
        case "nothing to gain":
            values = -costs
        case _:
            pass
    return Table.flat(costs.tolist(), values.tolist())


def powers(rng: Generator, most: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    exponents: NDArray[np.float64] = rng.uniform(0, most, shape)
    return np.exp2(exponents).astype(np.int64)


def near_ties(seed: int, n: int) -> Table:
    """Make classes whose slopes differ by less than floats can say; the steeper comes later."""
    rng = np.random.default_rng([seed, n])
    classes: list[Points] = []
    while len(classes) < n:
        w = int(2 ** (27 + 2 * rng.random()))
        s = int(w * rng.random()) + 1
        if gcd(w, s) == 1:
            v = -pow(s, -1, w) % w
            classes.append([(0, 0), (w, v), (w + s, v + (1 + s * v) // w)])
    return Table.nested(classes)


def hull(points: Points) -> list[tuple[Fraction, int]]:
    """Return slope and cost of the edges of the upper hull, as far as they rise."""
    best: dict[int, int] = {}
    for w, v in points:
        best[w] = max(v, best.get(w, v))
    kept: Points = []
    for w, v in sorted(best.items()):
        if kept and v <= kept[-1][1]:
            continue
        while len(kept) > 1 and slope(kept[-2], kept[-1]) <= slope(kept[-2], (w, v)):
            kept.pop()
        kept.append((w, v))
    pairs = pairwise(kept)
    return [(slope(a, b), b[0] - a[0]) for a, b in pairs]


def slope(a: tuple[int, int], b: tuple[int, int]) -> Fraction:
    return Fraction(b[1] - a[1], b[0] - a[0])


def relaxed(classes: list[Points], slack: int) -> tuple[Fraction, int]:
    """Return the optimum of the linear relaxation, and what the best options cost."""
    total = Fraction(sum(max(v for w, v in points if w == 0) for points in classes))
    edges = sorted((edge for points in classes for edge in hull(points)), reverse=True)
    for steep, more in edges:
        taken = min(more, slack)
        total += steep * taken
        slack -= taken
    return total, sum(more for _, more in edges)


def points_of(table: Table, least: Ints, slack: int) -> list[Points]:
    """Return cost above the least and value of the options of each class within the slack."""
    start, cost, value = table.start.tolist(), table.cost.tolist(), table.value.tolist()
    return [
        [(cost[j] - low, value[j]) for j in range(start[i], start[i + 1]) if cost[j] - low <= slack]
        for i, low in enumerate(least.tolist())
    ]


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("n", SIZES)
def test_price_is_that_of_the_relaxation(style: str, n: int) -> None:
    """Bound, base, margins and tail are what the relaxation in fractions says."""
    for seed in range(count(3 if n < 400 else 1)):
        table = drawn(style, seed, n)
        rng = np.random.default_rng(seed)
        room = int((table.cost.reshape(n, -1).max(axis=1) - table.cost.reshape(n, -1).min(1)).sum())
        some = [int(room * rng.random()), int(room ** rng.random()), int(n * rng.random())]
        slacks = [*some, room - 1, room, 0, 1, room // 1000]
        for slack in slacks[: 8 if n < 400 else 4]:
            check_break(table, max(slack, 0))


def check_break(table: Table, slack: int) -> None:
    """Compare all that `break_price` returns with its definition."""
    least = np.minimum.reduceat(table.cost, table.start[:-1])
    shift, value = price_shift(table.largest_value), table.value.view(np.int64)
    broken = breaks.break_price(
        breaks.FlatTable(table.start, table.cost, value, least, slack, shift)
    )
    fits, price, spent, pick, margin, tail, gain = broken
    classes = points_of(table, least, slack)
    optimum, most = relaxed(classes, slack)
    owners = table.class_of
    assert (owners[pick] == np.arange(table.classes)).all()
    assert int((table.cost[pick] - least).sum()) == spent <= slack
    worth = int(value[pick].sum())
    if most <= slack:
        assert worth == optimum
        assert (price, spent) == (0, most)
        return
    assert not fits
    assert worth <= optimum
    assert (owners[tail] == np.arange(table.classes)).all()
    assert int((table.cost[tail] - least).sum()) <= slack
    assert int(value[tail].sum()) - worth == gain >= 0
    check_price(table, slack, (least, pick, margin), (int(price), shift), optimum)


def check_price(
    table: Table,
    slack: int,
    broken: tuple[Ints, Ints, Ints],
    at: tuple[int, int],
    optimum: Fraction,
) -> None:
    """The price is the best one up to its rounding, and nobody loses less than the margin."""
    (price, shift), pick = at, broken[1].tolist()
    start, cost, value = table.start.tolist(), table.cost.tolist(), table.value.tolist()
    bound, lack, spread = price * slack, 0, 0
    for i, (low, margin) in enumerate(zip(broken[0].tolist(), broken[2].tolist(), strict=True)):
        reduced = {
            j: (value[j] << shift) - price * (cost[j] - low)
            for j in range(start[i], start[i + 1])
            if cost[j] - low <= slack
        }
        reduced_value, best = reduced.pop(pick[i]), max(reduced.values(), default=None)
        spread += max(cost[j] - low for j in [pick[i], *reduced])
        if best is not None:
            assert margin == 0 or reduced_value - best >= margin, i
            lack += max(0, best - reduced_value)
        bound += reduced_value if best is None else max(reduced_value, best)
    rounding = Fraction(price, 2**50) + 1
    assert (optimum * 2**shift) <= bound <= optimum * 2**shift + (spread + slack) * rounding
    assert lack <= spread * rounding


def test_decided_classes_have_margins() -> None:
    """Where many classes are decided on the way, most margins are known, so few are looked at."""
    table, budget = instances.flat("uncorrelated", 1, 400, 5, 1000)
    least = np.minimum.reduceat(table.cost, table.start[:-1])
    floor = int(least.sum())
    value = table.value.view(np.int64)
    at = breaks.FlatTable(table.start, table.cost, value, least, budget - floor, 40)
    broken = breaks.break_price(at)
    assert (broken[4] > 0).sum() > 200
