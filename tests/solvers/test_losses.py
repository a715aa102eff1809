"""What leaving the base costs, beside the same by definition in plain Python."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mckp.solvers import Table
from mckp.solvers.base import NEVER
from mckp.solvers.kernels.losses import (
    PricedTable,
    alternate_directions,
    deviations,
    gradients,
    losses,
)
from tests.solvers.instances import count

Ints = NDArray[np.int64]
SHIFT = 4


def priced(seed: int) -> tuple[PricedTable, list[list[tuple[int, int]]]]:
    """Make classes at some price with a base that need not be the best at it.

    Second, each class as cost and value above its base; what is out of reach is None.
    """
    rng = np.random.default_rng(seed)
    most = int(rng.choice([2, 10, 100]))
    classes = [
        [(int(w), int(v)) for w, v in rng.integers(0, most + 1, (rng.integers(1, 7), 2))]
        for _ in range(rng.integers(1, 6))
    ]
    table = Table.nested(classes)
    reach, price = int(rng.integers(0, 2 * most)), int(rng.integers(0, 40))
    least = np.array([min(w for w, _ in options) for options in classes], dtype=np.int64)
    pick = np.empty(table.classes, dtype=np.int64)
    for i, options in enumerate(classes):
        reduced = [(v << SHIFT) - price * w for w, v in options]
        near = [j for j, (w, _) in enumerate(options) if w <= least[i] + reach]
        best = max(near, key=lambda j, r=reduced: r[j])  # type: ignore[misc]
        pick[i] = table.start[i] + (best if rng.random() < 0.7 else int(rng.choice(near)))
    value = table.value.view(np.int64)
    return PricedTable(table.start, table.cost, value, least, pick, reach, SHIFT, price), classes


def moves(at: PricedTable, i: int) -> dict[int, tuple[int, int, int]]:
    """Return cost, value and reduced value above the base of the options that count."""
    base, by_option = int(at.pick[i]), dict[int, tuple[int, int, int]]()
    for j in range(int(at.start[i]), int(at.start[i + 1])):
        if at.cost[j] <= at.least[i] + at.reach:
            w, v = int(at.cost[j] - at.cost[base]), int(at.value[j] - at.value[base])
            by_option[j] = w, v, (v << at.shift) - at.price * w
    return by_option


@pytest.mark.slow
@pytest.mark.parametrize("bounty", [-1, 0, 5, 100, 10_000])
def test_losses_by_definition(bounty: int) -> None:
    """Least loss, lack of the base, nearness and the best single change are as defined."""
    for seed in range(count(150)):
        at, classes = priced(seed)
        free = seed % 7
        places = np.arange(len(classes))[:: 1 + seed % 2]
        alone, lack, near, gain, change = losses(places, at, free, bounty)
        changes = {0: -1}
        for c, i in enumerate(places):
            others = {j: m for j, m in moves(at, i).items() if m[:2] != (0, 0)}
            best = max((m[2] for m in others.values()), default=NEVER)
            assert lack[c] == max(0, best)
            assert alone[c] == max(0, best) - best
            distance = inf
            for j, (w, v, reduced) in others.items():
                if -reduced <= bounty:
                    away = max(-reduced, 0) / max(abs(w), 1)
                    if away < abs(distance):
                        distance = -away if w < 0 else away
                    if v > 0 and w <= free:
                        changes.setdefault(v, j)
            assert near[c] == distance
            assert np.signbit(near[c]) == np.signbit(distance)
        assert (gain, change) == max(changes.items())


@pytest.mark.slow
@pytest.mark.parametrize("bounty", [0, 5, 100, 10_000])
def test_deviations_by_definition(bounty: int) -> None:
    """The rows are the base and what loses at most the bounty, in the order of the options."""
    for seed in range(count(150)):
        at, classes = priced(seed)
        places = np.arange(len(classes))[:: 1 + seed % 2]
        rows, begin = deviations(places, at, bounty)
        for c, i in enumerate(places):
            by_option = moves(at, i)
            best = max(reduced for _, _, reduced in by_option.values())
            expected = [
                [w, v, best - reduced, -1 if j == at.pick[i] else j]
                for j, (w, v, reduced) in by_option.items()
                if j == at.pick[i] or (best - reduced <= bounty and (w, v) != (0, 0))
            ]
            assert rows[begin[c] : begin[c + 1]].tolist() == expected


@pytest.mark.parametrize("known", [False, True])
def test_gradients_bound_every_way_on(known: bool) -> None:
    """From each place on, no choice of rows gains more than the columns of the bounds say.

    With costs spent and given back in all, what is gained is at most the first column times
    the one less the second column times the other; else it is at most the lack.
    """
    for seed in range(count(100)):
        at, classes = priced(seed)
        rng = np.random.default_rng(seed)
        rows, begin = deviations(rng.permutation(len(classes)), at, 10_000)
        up, down, lack = (3 << SHIFT, 1 << SHIFT, 5) if known else (0, 2**62, 0)
        bounds = gradients(rows, begin, SHIFT, up, down, lack)
        assert bounds[-1].tolist() == [up, down, lack]
        for t in range(len(classes)):
            check_bounds(rows, begin, np.arange(t, len(classes)), bounds[t].tolist(), at.price)


def check_bounds(rows: Ints, begin: Ints, rest: Ints, bounds: list[int], price: int) -> None:
    """No row of the rest passes the bounds, and the first column is no higher than it must be."""
    up, down, lack = bounds
    lacking = 0
    for c in rest:
        for w, v, loss, option in rows[begin[c] : begin[c + 1]].tolist():
            gained = v << SHIFT
            lacking += loss if option < 0 else 0
            if w > 0:
                assert gained <= up * w
            elif w < 0:
                assert gained <= down * w
            elif v > 0:
                assert down < up
            assert gained - price * w <= lack
    assert lack in (lacking, lacking + 5)


@given(st.lists(st.floats(min_value=-100, max_value=100, width=16), max_size=40))
def test_directions_alternate(near: list[float]) -> None:
    """The order of classes takes one of each side in turn, nearest first, then the longer rest."""
    places = sorted(range(len(near)), key=lambda i: abs(near[i]))
    sides = [[i for i in places if bool(np.signbit(near[i])) == falls] for falls in (False, True)]
    common = min(map(len, sides))
    expected = [i for pair in zip(*sides, strict=False) for i in pair]
    assert alternate_directions(np.array(near, dtype=np.float64)).tolist() == [
        *expected,
        *sides[0][common:],
        *sides[1][common:],
    ]
