"""The engine of cuts against all sets of small trees: frontier, hull, nested sets and prices."""

from itertools import product

import numpy as np
import pytest

from mckp.menu.cuts import frontier as engine
from mckp.menu.cuts.frontier import exact_frontier, hull, option_frontier, sweep
from mckp.menu.cuts.parts import Parts, ends_of
from tests.strategies import SCALE

NONE = 1e-9


def random_parts(rng: np.random.Generator, size: int) -> Parts:
    """Return a random forest; most have marks, some have units of several parts."""
    head = np.full(size, -1)
    unit = np.full(size, -1)
    above: list[int] = []
    for part in range(size):
        if part and rng.random() < 0.3 and unit[part - 1] >= 0:  # a further piece of a line
            unit[part] = unit[part - 1]
            first = int(np.flatnonzero(unit == unit[part])[0])
            head[part] = first
            continue
        while above and rng.random() < 0.4:
            above.pop()
        head[part] = above[-1] if above else -1
        unit[part] = part if rng.random() < 0.7 else -1
        if rng.random() < 0.6:
            above.append(part)
    opens, closes = rng.integers(0, 5, size), rng.integers(0, 5, size)
    is_piece = np.concatenate(([False], (unit[1:] == unit[:-1]) & (unit[1:] >= 0)))
    closes = np.where(is_piece, -rng.integers(0, opens.max() + 1, size), closes)
    opens = np.where(is_piece, np.maximum(opens, -closes), opens)
    # A mark within a unit pays back what the piece that it begins with has opened.
    closes = np.where(is_piece, np.maximum(closes, -opens.min()), closes)
    less = np.where(is_piece, 0, np.minimum(closes, rng.integers(0, 3, size)))
    worth = rng.integers(0, 40, size)
    worth[rng.random(size) < 0.2] = 0
    tail = int(rng.integers(0, 4))
    marks = {"opens": opens, "closes": closes, "unit": unit, "less": less}
    cost = rng.integers(5, 14, size)
    ends = {"tail": tail, "tail_less": int(rng.integers(0, tail + 1))}
    return Parts.of(cost, worth, head, **marks, **ends)


def closed_sets(parts: Parts) -> np.ndarray:
    """Return all sets that keep the head of each part that they keep."""
    heads: list[int] = parts.head.tolist()
    closed = [
        flags
        for flags in product((False, True), repeat=parts.size)
        if all(
            not is_kept or above < 0 or flags[above]
            for is_kept, above in zip(flags, heads, strict=True)
        )
    ]
    return np.array(closed)


def cost_of(parts: Parts, kept: list[bool]) -> int:
    """Return what a set costs, gap by gap."""
    total, part = 0, 0
    while part < parts.size:
        if kept[part]:
            total += int(parts.cost[part])
            part += 1
            continue
        behind = part
        while behind < parts.size and not kept[behind]:
            behind += 1
        units = set(parts.unit[part:behind].tolist())
        is_one = len(units) == 1 and -1 not in units
        at_end = behind == parts.size
        total += int(parts.opens[part]) + int(parts.tail if at_end else parts.closes[behind])
        if is_one:
            total -= int(parts.tail_less if at_end else parts.less[behind])
        part = behind
    return total


def pareto(costs: np.ndarray, worths: np.ndarray) -> list[tuple[int, int]]:
    """Return cost and worth of the sets that no other is better than."""
    front: list[tuple[int, int]] = []
    for place in np.lexsort((-worths, costs)):
        if not front or worths[place] > front[-1][1]:
            front.append((int(costs[place]), int(worths[place])))
    return front


def upper_hull(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the vertices of the least concave curve above some points."""
    vertices: list[tuple[int, int]] = []
    for cost, worth in points:
        while len(vertices) > 1 and (vertices[-1][1] - vertices[-2][1]) * (
            cost - vertices[-1][0]
        ) <= (worth - vertices[-1][1]) * (vertices[-1][0] - vertices[-2][0]):
            vertices.pop()
        vertices.append((cost, worth))
    return vertices


def test_frontiers_are_those_of_all_sets() -> None:
    """The programme finds the Pareto set, its options cost what they say."""
    rng = np.random.default_rng(0)
    for _ in range(max(20, int(600 * SCALE))):
        parts = random_parts(rng, int(rng.integers(1, 10)))
        sets = closed_sets(parts)
        costs, worths = parts.price_sets(sets)
        assert costs.tolist() == [cost_of(parts, flags) for flags in sets.tolist()]
        options = exact_frontier(parts, NONE, int(costs.max()))
        wanted = pareto(costs, worths)
        assert list(zip(options.cost.tolist(), options.worth.tolist(), strict=True)) == wanted
        known = {tuple(flags) for flags in sets.tolist()}
        for option, cost in enumerate(options.cost.tolist()):
            flags = options.kept(option).tolist()
            assert tuple(flags) in known
            assert cost_of(parts, flags) == cost


def test_hulls_have_all_vertices() -> None:
    """The sweep finds each vertex of the hull, in nested sets, and nothing above it.

    Gaps of one unit cost the sweep as much as others, so there are none here.
    """
    rng = np.random.default_rng(1)
    for _ in range(max(20, int(600 * SCALE))):
        parts = random_parts(rng, int(rng.integers(1, 10)))
        parts = Parts.of(
            parts.cost,
            parts.worth,
            parts.head,
            opens=parts.opens,
            closes=parts.closes,
            tail=parts.tail,
        )
        sets = closed_sets(parts)
        costs, worths = parts.price_sets(sets)
        vertices = upper_hull(pareto(costs, worths))
        options = hull(parts, NONE, price_count=16, rounds=30, fills=False)
        mine = list(zip(options.cost.tolist(), options.worth.tolist(), strict=True))
        assert set(vertices) <= set(mine), (vertices, mine)
        for option, (cost, worth) in enumerate(mine):
            flags = options.kept(option)
            assert (cost_of(parts, flags.tolist()), parts.worth[flags].sum()) == (cost, worth)
            assert any((flags == candidate).all() for candidate in sets)
            costs_of, worths_of = np.array(vertices, dtype=np.float64).T
            assert worth <= np.interp(cost, costs_of, worths_of) + 1e-9


def test_prices_of_a_hull_are_those_of_parts_that_are_worth_something() -> None:
    """In a long log, nearly all lines are worth nothing, and errors more than warnings."""
    size = 20_000
    worth = np.zeros(size)
    worth[::50] = 1.0  # warnings
    worth[25::1000] = 40.0  # errors
    parts = Parts.of([30] * size, worth, opens=3, closes=2, tail=2)
    options = hull(parts, fills=True)
    option = int(np.searchsorted(options.cost, 1000, side="right")) - 1
    kept = options.kept(option)
    assert kept[25::1000].sum() == 20
    assert options.cost[option] > 900


def test_sets_of_falling_prices_are_nested() -> None:
    """Larger trees: nested sets, whose prices are those of `priced`, below the exact frontier."""
    rng = np.random.default_rng(2)
    for _ in range(max(20, int(60 * SCALE))):
        parts = random_parts(rng, int(rng.integers(20, 120)))
        prices = np.unique(rng.integers(0, 1 << 24, 40).astype(float))[::-1]
        sets = sweep(parts, prices, float(1 << 22))
        assert (sets[:-1] <= sets[1:]).all()
        full = exact_frontier(parts, NONE)
        for fills in (False, True):
            options = hull(parts, NONE, fills=fills)
            flags = np.array([options.kept(option) for option in range(len(options.cost))])
            costs, worths = parts.price_sets(flags)
            assert costs.tolist() == options.cost.tolist()
            assert worths.tolist() == options.worth.tolist()
            assert (flags[:-1] <= flags[1:]).all()
            places = np.searchsorted(full.cost, costs, side="right") - 1
            within = costs <= parts.cost.sum()
            assert (full.worth[places][within] >= worths[within]).all()


def test_options_are_thinned_by_their_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within any budget, an option is worth as much as any that costs 1 % less."""
    rng = np.random.default_rng(3)
    parts = random_parts(rng, 60)
    full, thinned = exact_frontier(parts, NONE), option_frontier(parts)
    assert len(thinned.cost) < len(full.cost)
    for budget in range(int(full.cost[1]), int(full.cost[-1])):
        best = thinned.worth[np.searchsorted(thinned.cost, budget, side="right") - 1]
        place = np.searchsorted(full.cost, budget / 1.01, side="right") - 1
        assert best >= full.worth[place]
    monkeypatch.setattr(engine, "CELLS", 0)
    nested = option_frontier(parts)
    assert nested.sets is None
    assert nested.worth[-1] == full.worth[-1]


def test_parts_are_in_preorder() -> None:
    """Parts whose heads cross are refused."""
    with pytest.raises(AssertionError):
        ends_of(np.array([-1, -1, 0]))


def test_nothing_is_an_option() -> None:
    """No parts at all make one option."""
    options = option_frontier(Parts.of([], []))
    assert options.cost.tolist() == [0]
