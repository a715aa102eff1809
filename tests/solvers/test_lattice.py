"""The lattice of costs and values, beside minors, divisors and lists of all points."""

from functools import reduce
from itertools import combinations
from math import gcd

import numpy as np
import pytest

from mckp.solvers import Table
from mckp.solvers.kernels.losses import (
    NOWHERE,
    UNLIMITED,
    PricedTable,
    admissible_bounds,
    deviation_lattice,
    extend_basis,
)
from tests.solvers.instances import count

Basis = tuple[int, int, int]
Pairs = list[tuple[int, int]]


def lies_on(basis: Basis, w: int, v: int) -> bool:
    """Whether a point is a whole sum of the basis; 0 and NOWHERE stand for no vector."""
    a, b, c = (0 if x == NOWHERE else int(x) for x in basis)
    if w % a if a else w:
        return False
    rest = v - b * (w // a) if a else v
    return rest % c == 0 if c else rest == 0


def assert_spans(basis: Basis, vectors: Pairs) -> None:
    """Check that the basis spans exactly the sums of some vectors.

    All of them lie on it, and it is as coarse as their common divisors: the first entry divides
    all costs, and its area is the common divisor of the areas between any two.
    """
    assert all(lies_on(basis, w, v) for w, v in vectors)
    a, _, c = (0 if x == NOWHERE else int(x) for x in basis)
    assert a == gcd(*(w for w, _ in vectors))
    if a:
        assert a * c == gcd(*(p[0] * q[1] - p[1] * q[0] for p, q in combinations(vectors, 2)))
    else:
        assert c == gcd(*(v for _, v in vectors))


def structured(rng: np.random.Generator, size: int) -> Pairs:
    """Draw vectors that have something in common, more often than not."""
    g, h, k = (int(x) for x in rng.integers(1, 8, 3))
    w = g * rng.integers(-9, 10, size)
    v = k * w + h * rng.integers(-9, 10, size) * int(rng.integers(0, 2))
    return list(zip(w.tolist(), v.tolist(), strict=True))


def test_basis_of_any_vectors() -> None:
    """The basis spans exactly the lattice of the vectors."""
    for seed in range(count(500)):
        rng = np.random.default_rng(seed)
        vectors = structured(rng, int(rng.integers(0, 6)))
        if seed % 3 == 0:
            vectors = [(w * 10**9 + 7 * v, v * 10**9 - w) for w, v in vectors]
        basis = reduce(lambda basis, vector: extend_basis(basis, *vector), vectors, (0, 0, 0))
        if seed % 3 or basis != (1, 0, 1):  # a basis beyond 31 bits counts as none
            assert_spans(basis, vectors)


def priced(vectors: list[Pairs], price: int, shift: int) -> tuple[PricedTable, int]:
    """Make classes whose first option is the base and whose others deviate by these vectors."""
    low = min((w for part in vectors for w, _ in part), default=0)
    base = max(0, -low)
    table = Table.nested([[(base, 0), *((base + w, v) for w, v in part)] for part in vectors])
    least = np.minimum.reduceat(table.cost, table.start[:-1])
    value = table.value.view(np.int64)
    pick = table.start[:-1].copy()
    return PricedTable(table.start, table.cost, value, least, pick, 2**33, shift, price), base


@pytest.mark.parametrize("price", [0, 3, 40])
def test_lattice_of_deviations(price: int) -> None:
    """Deviations within the bounty span exactly the lattice that is returned."""
    for seed in range(count(300)):
        rng = np.random.default_rng([seed, price])
        vectors = [structured(rng, int(rng.integers(1, 4))) for _ in range(4)]
        at, _ = priced(vectors, price, 2)
        bounty = int(rng.choice([0, 50, 10_000]))
        within = [(w, v) for part in vectors for w, v in part if price * w - (v << 2) <= bounty]
        assert_spans(deviation_lattice(np.arange(4), at, bounty), within)


def test_no_structure_among_large_numbers() -> None:
    """Beyond 31 bits nothing is claimed; at a common factor below them, it is found."""
    at, _ = priced([[(6, 2**40)], [(9, 3)]], 1, 0)
    assert deviation_lattice(np.arange(2), at, 2**50) == (1, 0, 1)
    at, _ = priced([[(2**30, 2**30)], [(2**29, 2**30)]], 1, 0)
    assert deviation_lattice(np.arange(2), at, 2**50) == (2**29, 0, 2**30)


def every_point(basis: Basis, lack: int, price: int, need: int, high: int, free: int) -> Pairs:
    """List the points of a lattice in a window that do not lie above the relaxation."""
    lowest = (need << 2) - lack
    return [
        (w, v)
        for v in range(need, high + 1)
        for w in range(lowest // price - 1, free + 1)
        if (v << 2) - price * w <= lack and lies_on(basis, w, v)
    ]


def test_admissible_points_are_all_there_are() -> None:
    """Greatest value, least cost and least reduced value are those of the points listed."""
    for seed in range(count(400)):
        rng = np.random.default_rng(seed)
        a, c = (int(x) if rng.random() < 0.9 else NOWHERE for x in rng.integers(1, 9, 2))
        b = int(rng.integers(0, c if c != NOWHERE else 9)) if a != NOWHERE else 0
        price, free = int(rng.integers(1, 30)), int(rng.integers(-10, 15))
        lack, need = int(rng.integers(0, 4)), int(rng.integers(-9, 9))
        most = (lack + price * free) >> 2
        high = most if rng.random() < 0.7 else need
        points = every_point((a, b, c), lack, price, need, high, free)
        extremes = admissible_bounds((a, b, c), lack, price, 2, need, high, free)
        expected = (
            max((v for _, v in points), default=need - 1),
            min((w for w, _ in points), default=free + 1),
            min(((v << 2) - price * w for w, v in points), default=-UNLIMITED),
        )
        assert tuple(int(x) for x in extremes) == expected, seed


def test_more_points_than_are_looked_at() -> None:
    """Where the price is next to nothing no limit is claimed, and the value still bounded."""
    most, lowest, reduced = admissible_bounds((1, 0, 7), 2 * 10**6, 1, 0, 5, 10**6, 0)
    assert most >= 10**6 - 7
    assert (lowest, reduced) == (UNLIMITED // 2, UNLIMITED)
    assert admissible_bounds((1, 0, 3), 0, 1, 0, 0, 50, 2**40) == (50, UNLIMITED // 2, UNLIMITED)
