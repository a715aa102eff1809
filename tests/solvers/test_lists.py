"""Lists of undominated states, beside a dictionary of every state there is."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from mckp.solvers.core import Base
from mckp.solvers.kernels import lists
from mckp.solvers.kernels.losses import UNLIMITED, gradients
from tests.solvers.instances import count

Ints = NDArray[np.int64]
Small = NDArray[np.int32]
SHIFT = 5
NO_RETURN = 2**62
State = tuple[int, int, tuple[int, ...]]


class Core(NamedTuple):
    """Classes as rows, and their base at a price."""

    rows: Ints
    begin: Ints
    price: int
    lack: int
    repair: int

    def row_of(self) -> dict[int, list[int]]:
        return {row[3]: row for row in self.rows.tolist() if row[3] >= 0}


def drawn(seed: int) -> Core:
    """Make rows of classes with ties, free options, gains that are free, and a poor base."""
    rng = np.random.default_rng(seed)
    n, most = int(rng.integers(1, 7)), int(rng.choice([2, 6, 60]))
    price = int(rng.choice([0, 1, 20, 32, 50, 300]))
    rows: list[list[int]] = []
    begin, lack, repair = [0], 0, 0
    for _ in range(n):
        moves = rng.integers(-most, most + 1, (rng.integers(0, 5), 2))
        if rng.random() < 0.6:  # a base that is the best of its class
            moves = moves[(moves[:, 1] << SHIFT) <= price * moves[:, 0]]
        own = [[w, v, 0, len(rows) + j + 1] for j, (w, v) in enumerate(moves.tolist()) if w or v]
        own.insert(int(rng.integers(0, len(own) + 1)), [0, 0, 0, -1])
        reduced = [(v << SHIFT) - price * w for w, v, _, _ in own]
        for row, here in zip(own, reduced, strict=True):
            row[2] = max(reduced) - here
        lack += max(reduced)
        repair += max(-w for w, _, _, _ in own)
        rows += own
        begin.append(len(rows))
    return Core(np.array(rows, dtype=np.int64), np.array(begin), price, lack, repair)


def every_state(core: Core) -> list[State]:
    """Return cost, value and rows of every selection, the first of equal ones, by a dictionary.

    The rows of the last class come first.
    """
    states: dict[tuple[int, int], tuple[int, ...]] = {(0, 0): ()}
    for c in range(core.begin.size - 1):
        longer: dict[tuple[int, int], tuple[int, ...]] = {}
        for e in range(core.begin[c], core.begin[c + 1]):
            w, v, _, _ = core.rows[e].tolist()
            for (cost, value), taken in states.items():
                longer.setdefault((cost + w, value + v), (e, *taken))
        states = longer
    return [(w, v, taken) for (w, v), taken in states.items()]


def extended(core: Core, known: dict[int, int], quota: int) -> tuple[Ints, Ints, Small]:
    """Run through all classes, some operations at a time; return what is known and the list."""
    facts = np.zeros(lists.PLACES, dtype=np.int64)
    facts[lists.FOUND], facts[lists.SIZE] = -1, 1
    facts[lists.LOWEST], facts[lists.REDUCED] = UNLIMITED // 2, UNLIMITED
    for place, number in known.items():
        facts[place] = number
    states = np.array([[0], [0], [-1]], dtype=np.int64)
    nodes = np.empty((2, 4), dtype=np.int32)
    bounds = gradients(core.rows, core.begin, SHIFT, 0, NO_RETURN, 0)
    base, before = Base(core.price, SHIFT, 0, core.repair, core.lack), -1
    while facts[lists.NEXT] < core.begin.size - 1 and before < facts[lists.NEXT]:
        before = int(facts[lists.NEXT])
        facts[lists.QUOTA] = facts[lists.WORK] + quota
        states, nodes = lists.extend(facts, states, nodes, core.rows, core.begin, bounds, base)
    return facts, states[:, : facts[lists.SIZE]], nodes


def traced(nodes: Small, node: int) -> list[int]:
    options: list[int] = []
    while node >= 0:
        options.append(int(nodes[1, node]))
        node = int(nodes[0, node])
    return options


def assert_makes(core: Core, options: list[int], cost: int, value: int) -> None:
    rows = core.row_of()
    assert sum(rows[option][0] for option in options) == cost
    assert sum(rows[option][1] for option in options) == value
    places = [np.flatnonzero(core.rows[:, 3] == option)[0] for option in options]
    owners = np.searchsorted(core.begin, places, "right")
    assert len(set(owners.tolist())) == len(options)


@pytest.mark.parametrize("quota", [0, 10**9])
def test_most_value_within_a_cost(quota: int) -> None:
    """Looking for value finds the greatest one within the budget, if it is as much as needed."""
    for seed in range(count(600)):
        core = drawn(seed)
        rng = np.random.default_rng(seed)
        free, need = int(rng.integers(0, 60)), int(rng.integers(-5, 40))
        sought = [s for s in every_state(core) if s[0] <= free and s[1] >= need]
        known = {lists.MODE: lists.VALUE, lists.NEED: need, lists.LEFT: free, lists.STOP: 10**9}
        if need <= 0:  # the base itself counts as found from the start
            sought = [s for s in sought if s[1] > 0]
            known[lists.NEED] = need = 1
        if sought and seed % 2:
            known[lists.LOWEST] = min(w for w, _, _ in sought)
            known[lists.REDUCED] = min((v << SHIFT) - core.price * w for w, v, _ in sought)
        facts, _, nodes = extended(core, known, quota)
        best = max((v for _, v, _ in sought), default=need - 1)
        assert facts[lists.NEED] == best + 1, seed
        assert (facts[lists.FOUND] >= 0) == bool(sought)
        if sought:
            options = traced(nodes, int(facts[lists.FOUND]))
            cost = sum(core.row_of()[option][0] for option in options)
            assert cost <= free
            assert_makes(core, options, cost, best)


@pytest.mark.parametrize("quota", [0, 10**9])
def test_least_cost_of_a_value(quota: int) -> None:
    """The least cost of a value is that among all states, and its trace makes that state."""
    for seed in range(count(600)):
        core = drawn(seed)
        rng = np.random.default_rng(seed)
        free, need = int(rng.integers(-30, 60)), int(rng.integers(1, 40))
        sought = [s for s in every_state(core) if s[0] <= free and s[1] >= need]
        known = {lists.MODE: lists.COST, lists.NEED: need, lists.LEFT: free, lists.STOP: -(10**9)}
        facts, _, nodes = extended(core, known, quota)
        least = min((w for w, _, _ in sought), default=free + 1)
        assert facts[lists.LEFT] == least - 1, seed
        if sought:
            options = traced(nodes, int(facts[lists.FOUND]))
            value = sum(core.row_of()[option][1] for option in options)
            assert value >= need
            assert_makes(core, options, least, value)


def test_lists_stay_sorted_and_undominated() -> None:
    """What is left of a list rises in cost and in value, whatever the bounds took away."""
    for seed in range(count(200)):
        core = drawn(seed)
        known = {lists.NEED: 1, lists.LEFT: 20, lists.STOP: 10**9}
        _, held, _ = extended(core, known, 10**9)
        assert (np.diff(held[0]) > 0).all()
        assert (np.diff(held[1]) > 0).all()


def test_nodes_that_nobody_needs_are_forgotten() -> None:
    """Making room keeps the traces in use and drops all other nodes."""
    rng = np.random.default_rng(1)
    used = 10_000
    nodes = np.empty((2, used), dtype=np.int32)
    nodes[0] = np.arange(used) - rng.integers(1, 2000, used)
    nodes[0, nodes[0] < 0] = -1
    nodes[1] = rng.integers(0, 100, used)
    states = np.zeros((3, 50), dtype=np.int64)
    states[2] = rng.integers(-1, used, 50)
    known = np.zeros(lists.PLACES, dtype=np.int64)
    known[lists.NODES], known[lists.SIZE], known[lists.FOUND] = used, 50, used - 1
    before = [traced(nodes, int(node)) for node in [*states[2], used - 1]]
    nodes = lists.make_room(nodes, known, states, 7)
    after = [traced(nodes, int(node)) for node in [*states[2], known[lists.FOUND]]]
    assert before == after
    assert known[lists.NODES] < used // 10
    assert nodes.shape[1] >= known[lists.NODES] + 7
