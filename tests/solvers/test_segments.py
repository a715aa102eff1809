"""Losses and segments of paths, beside a list of all paths."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from mckp.jit import NEVER
from mckp.solvers.graph import Graph
from mckp.solvers.kernels import segments as kernel
from mckp.solvers.kernels.dual import best_paths, least_costs, spare_costs
from mckp.solvers.scaling import scale
from tests.solvers import instances
from tests.solvers.instances import count

if TYPE_CHECKING:
    from mckp.jit import Ints

SHIFT = 6
MOST_PATHS = 3000
Path = tuple[int, ...]


class Priced(NamedTuple):
    """A graph at a price, what `path_losses` says of it, and its paths with what they lose."""

    arrays: tuple[Ints, Ints, Ints, Ints]
    best: Ints
    most: int
    loss: Ints
    reached: Ints
    pick: Ints
    counts: Ints
    paths: dict[Path, int]

    @property
    def base(self) -> Path:
        """The options of the base."""
        path = kernel.follow(self.arrays[3], self.pick)
        return tuple(path[path >= 0].tolist())

    def classes(self, path: Path) -> list[int]:
        """Return the classes that a path goes through, and the end."""
        start = self.arrays[0]
        return [*(np.searchsorted(start, path, "right") - 1).tolist(), start.size - 1]

    def is_choice(self, option: int, bounty: int) -> bool:
        """Say whether another option of the same class is within the bounty."""
        start = self.arrays[0]
        u = int(np.searchsorted(start, option, "right")) - 1
        near = self.loss[start[u] : start[u + 1]] <= bounty - self.reached[u]
        return int(near.sum()) > 1

    def within(self, bounty: int) -> list[Path]:
        """Return the paths that lose at most a bounty."""
        return [path for path, lost in self.paths.items() if lost <= bounty]


def every_path(start: Ints, cost: Ints, succ: Ints, slack: int) -> list[Path]:
    """List the paths of options that cost no more than the slack."""
    found: list[Path] = []
    pending: list[tuple[int, Path]] = [(0, ())]
    while pending:
        u, path = pending.pop()
        if u == start.size - 1:
            found.append(path)
        else:
            options = [o for o in range(start[u], start[u + 1]) if cost[o] <= slack]
            pending += [(int(succ[o]), (*path, o)) for o in options]
        if len(found) + len(pending) > MOST_PATHS:
            return []
    return found


@cache
def priced(seed: int) -> Priced | None:
    """Make a small nested table at some price; None if it is too large or nothing fits."""
    table, budget = instances.tiny(seed)
    rng = np.random.default_rng(seed)
    graph = Graph.of(table, scale(table), budget)
    start, cost, value, succ = graph.arrays
    least = least_costs(start, cost, succ)
    if least[0] > budget or np.abs(value).max(initial=0) > 10**6:
        return None
    slack, price = budget - int(least[0]), int(rng.integers(0, 200))
    cost = spare_costs(start, cost, succ, least, slack)
    best, spent = (np.empty(start.size, dtype=np.int64) for _ in range(2))
    best_paths(start, cost, value, succ, slack, SHIFT, price, best, spent)
    paths = every_path(start, cost, succ, slack)
    most = int(rng.choice([0, 50, 500, 10**6]))
    arrays = start, cost, value, succ
    losses = kernel.path_losses(*arrays, best, spent, slack, SHIFT, price, most)
    lost = {
        path: int(best[0]) - sum((int(value[o]) << SHIFT) - price * int(cost[o]) for o in path)
        for path in paths
    }
    return Priced(arrays, best, most, *losses, lost) if paths else None


def test_losses_of_paths() -> None:
    """Losses add up along each path; each class is reached at the least loss of a way to it."""
    for seed in range(count(500)):
        if (at := priced(seed)) is None:
            continue
        reached = dict[int, int]()
        for path, lost in at.paths.items():
            before = 0
            for u, o in zip(at.classes(path), path, strict=False):
                reached[u] = min(before, reached.get(u, before))
                if before <= at.most:
                    before += int(at.loss[o])
                else:
                    break
            if lost <= at.most:
                assert before == lost, seed
                reached[at.reached.size - 1] = min(lost, reached.get(at.reached.size - 1, lost))
        for u, least in reached.items():
            assert at.reached[u] == least or at.reached[u] == -NEVER > at.most < least, seed


def test_base_is_the_cheapest_of_the_best() -> None:
    """The base loses nothing, costs least of all that lose nothing, and is the first of these."""
    for seed in range(count(500)):
        if (at := priced(seed)) is None:
            continue
        cost = at.arrays[1]
        best = [path for path, lost in at.paths.items() if lost == 0]
        assert at.base == min(best, key=lambda path: (int(cost[list(path)].sum()), path))


def test_counts_of_options() -> None:
    """The counts say how many options lie on a way of a loss of 1, 2, 4, ... at most."""
    for seed in range(count(300)):
        if (at := priced(seed)) is None:
            continue
        start = at.arrays[0]
        through = [
            int(at.reached[u] + at.loss[o])
            for u in range(start.size - 1)
            if at.reached[u] <= at.most
            for o in range(start[u], start[u + 1])
            if at.reached[u] + at.loss[o] <= at.most
        ]
        for place in range(1, 40):
            assert at.counts[place] == sum(lost < 2**place for lost in through)


@pytest.mark.parametrize("bounty", [0, 20, 200, 5000])
def test_paths_differ_only_within_segments(bounty: int) -> None:
    """All paths within the bounty pass the borders; between segments there is but one way."""
    found = 0
    for seed in range(count(400)):
        at = priced(seed)
        if at is None or bounty > at.most:
            continue
        spans = kernel.segments(at.arrays[0], at.arrays[3], at.loss, at.reached, bounty).tolist()
        found += len(spans)
        assert all(first < end for first, end in spans)
        assert all(end <= later for (_, end), (later, _) in pairwise(spans))
        paths = at.within(bounty)
        for path in paths:
            classes = at.classes(path)
            assert {border for span in spans for border in span} <= set(classes)
            outside = [
                o
                for u, o in zip(classes, path, strict=False)
                if not any(first <= u < end for first, end in spans)
            ]
            assert set(outside) <= set(at.base)
        for first, end in spans:  # a segment could not be cut any further
            ways = {tuple(u for u in at.classes(path) if first <= u < end) for path in paths}
            assert len({part_of(at, path, first, end) for path in paths}) > 1, seed
            common = set[int].intersection(*(set(way) for way in ways))
            assert common == {first}, seed
    assert found


def part_of(at: Priced, path: Path, first: int, end: int) -> Path:
    """Return the options of a path from one class on until another."""
    classes = at.classes(path)
    return tuple(o for u, o in zip(classes, path, strict=False) if first <= u < end)


@pytest.mark.parametrize("bounty", [0, 20, 200, 5000])
def test_listed_paths_are_the_undominated_ones(bounty: int) -> None:
    """Rows and labels of a segment are the undominated of all ways through it, first of equals."""
    for seed in range(count(400)):
        at = priced(seed)
        if at is None or bounty > at.most:
            continue
        start, cost, value, succ = at.arrays
        spans = kernel.segments(start, succ, at.loss, at.reached, bounty)
        listed, rows, begin, labels = kernel.segment_paths(
            spans, *at.arrays, at.pick, at.loss, at.reached, bounty, 10**6
        )
        assert listed
        for k, (first, end) in enumerate(spans.tolist()):
            base = list(part_of(at, at.base, first, end))
            totals: list[tuple[int, int, Path]] = []
            for way in {part_of(at, path, first, end) for path in at.within(bounty)}:
                w = int(cost[list(way)].sum() - cost[base].sum())
                totals.append((w, -int(value[list(way)].sum() - value[base].sum()), way))
            expected: list[list[int]] = []
            for w, lower, way in sorted(totals):
                if not expected or -lower > expected[-1][1]:
                    choices = [o for o in way if at.is_choice(o, bounty)]
                    expected.append([w, -lower, int(at.loss[list(way)].sum()), *choices])
            found = rows[begin[k] : begin[k + 1]].tolist()
            assert [[*row[:3], *traced(labels, row[3])] for row in found] == expected, seed
            assert [row[3] < 0 for row in found] == [row[:2] == [0, 0] for row in found]


def traced(labels: Ints, label: int) -> list[int]:
    """Return the options of a path by its label."""
    label, options = max(label, -1 - label), list[int]()
    while label >= 0:
        options.append(int(labels[label, 0]))
        label = int(labels[label, 1])
    return options


def test_rows_in_the_order_of_their_paths() -> None:
    """Within each segment rows can be sorted by the options of their paths."""
    for seed in range(count(200)):
        if (at := priced(seed)) is None:
            continue
        spans = kernel.segments(at.arrays[0], at.arrays[3], at.loss, at.reached, at.most)
        _, rows, begin, labels = kernel.segment_paths(
            spans, *at.arrays, at.pick, at.loss, at.reached, at.most, 10**6
        )
        order = kernel.by_path(rows, begin, labels).tolist()
        for first, end in pairwise(begin.tolist()):
            assert sorted(order[first:end]) == list(range(first, end))
            paths = [traced(labels, int(rows[row, 3])) for row in order[first:end]]
            assert paths == sorted(paths), seed


def test_ways_through_a_fork() -> None:
    """What is marked are the options of paths within the bounty that take one way on."""
    found = 0
    for seed in range(count(200)):
        if (at := priced(seed)) is None:
            continue
        start, _, _, succ = at.arrays
        spans = kernel.segments(start, succ, at.loss, at.reached, at.most).tolist()
        for fork, _ in spans:
            for option in range(int(start[fork]), int(start[fork + 1])):
                alive = kernel.through_fork(start, succ, at.loss, at.most, fork, option)
                on_paths = {o for path in at.within(at.most) if option in path for o in path}
                if on_paths:
                    assert set(np.flatnonzero(alive).tolist()) == on_paths, seed
                    found += 1
    assert found


def test_listing_ends_at_the_limit() -> None:
    """Listing says so when it would take too many steps."""
    for seed in range(50):
        if (at := priced(seed)) is None:
            continue
        spans = kernel.segments(at.arrays[0], at.arrays[3], at.loss, at.reached, at.most)
        listed, rows, _, _ = kernel.segment_paths(
            spans, *at.arrays, at.pick, at.loss, at.reached, at.most, 1
        )
        assert listed == (len(spans) == 0)
        assert rows.size == 0


def test_losses_of_rows() -> None:
    """The least loss of leaving the base, and how near to the price the nearest row comes."""
    rows = np.array([[0, 0, 0, -3], [4, 9, 8, 1], [-2, -7, 6, 0], [0, 0, 0, -1], [-5, 1, 5, 2]])
    alone, near = kernel.row_losses(rows, np.array([0, 3, 5]))
    assert alone.tolist() == [6, 5]
    assert near.tolist() == [2.0, -1.0]
    alone, near = kernel.row_losses(rows[:1], np.array([0, 1]))
    assert (alone[0], near[0]) == (-NEVER, np.inf)
