"""Tables of containers that can be opened in two ways, solved by branches."""

from __future__ import annotations

import numpy as np
import pytest

from mckp.solvers import Solution, Status, Table, bands, dp, nested, tree
from mckp.solvers.branches import Found
from tests.solvers import agreement
from tests.solvers.instances import count


def copies(seed: int) -> tuple[Table, int]:
    """Make a table with two copies of everything at some levels, and a budget near their break.

    A container is written whole, opened with a hint and all below it cuttable, opened without
    one and nothing cuttable, or cut.
    """
    rng = np.random.default_rng(seed)
    fixed = int(rng.integers(1, 9)), int(rng.integers(0, 6))

    def leaf(cuttable: bool, cost: int, value: int) -> list[tuple[object, ...]]:
        return [(cost, value), *([(0, 0)] if cuttable else [(cost // 2, value // 3)])]

    def container(depth: int, cuttable: bool) -> list[tuple[object, ...]]:
        numbers = rng.integers(1, 9, (int(rng.integers(2, 7)), 2)).tolist()
        nested = int(rng.integers(1, 3)) if depth else 0
        state = rng.bit_generator.state
        options: list[tuple[object, ...]] = []
        for own, cut in ((fixed[0], True), (fixed[0] - fixed[1], False)):
            rng.bit_generator.state = state  # both ways hold the same
            below = [container(depth - 1, cut) for _ in range(nested)]
            below += [leaf(cut, cost + 2, value) for cost, value in numbers]
            options.append((max(0, own), 0, below))
        return [*options, *([(0, 0)] if cuttable else [])]

    table = Table.nested([container(int(rng.integers(1, 4)), cuttable=False)])
    least = dp.solve(table, 0).floor
    assert least is not None
    most = dp.solve(table, 10**4).cost
    return table, int(rng.integers(least, max(most, least) + 1))


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let even short lists be too long, so that small tables are solved by branches."""

    class Few(nested.Nested):
        def steps(self) -> int:
            return 4

    monkeypatch.setattr(tree, "Nested", Few)
    monkeypatch.setattr("mckp.solvers.branches.Nested", Few)


@pytest.mark.usefixtures("few_steps")
def test_branches_find_the_optimum() -> None:
    """Value, cost and, where it says so, the earliest options are those of the dynamic program."""
    branched = 0
    for seed in range(count(300)):
        table, budget = copies(seed)
        best, solution = dp.solve(table, budget), tree.solve(table, budget)
        agreement.assert_valid(table, budget, solution)
        assert agreement.facts(solution)[:-1] == agreement.facts(best)[:-1], seed
        if solution.statistics.get("earliest", 1):
            assert agreement.facts(solution) == agreement.facts(best), seed
        branched += "branches" in solution.statistics and "cells" not in solution.statistics
    assert branched > count(300) // 10


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize("work", [0, 10, 100, 1000, 10_000])
def test_branches_stop_at_a_limit(work: int) -> None:
    """With little work left there is a selection, and the bound holds."""
    for seed in range(count(60)):
        table, budget = copies(seed)
        best, solution = dp.solve(table, budget), tree.solve(table, budget, work_limit=work)
        agreement.assert_valid(table, budget, solution)
        assert solution.value <= best.value <= solution.bound, seed
        if solution.status is Status.OPTIMAL:
            assert (solution.value, solution.cost) == (best.value, best.cost), seed


@pytest.mark.usefixtures("few_steps")
def test_too_many_branches_are_left_to_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where branches would have too many options the proof is that of `bands`."""
    monkeypatch.setattr(tree, "TIMES", 0)
    monkeypatch.setattr(tree, "FREE", 0)
    passed_on: list[Solution] = []
    go_on = bands.go_on

    def listening(*given: object) -> Solution:
        passed_on.append(given[2])  # type: ignore[arg-type]
        return go_on(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(bands, "go_on", listening)
    for seed in range(count(60)):
        table, budget = copies(seed)
        best, solution = dp.solve(table, budget), tree.solve(table, budget)
        assert (solution.status, solution.value, solution.cost) == (
            best.status,
            best.value,
            best.cost,
        )
    assert any(each.status is Status.FEASIBLE for each in passed_on)


def test_which_path_is_better() -> None:
    """More value comes first, then less cost, then the earlier option where paths differ."""
    path = np.array([0, 2, -1])
    found = Found(path, 5, 4, earliest=True)
    assert found.beats(None)
    assert found.beats(Found(path, 4, 1, earliest=True))
    assert found.beats(Found(path, 5, 5, earliest=True))
    assert found.beats(Found(np.array([0, 3, 4]), 5, 4, earliest=True))
    assert not found.beats(Found(np.array([0, 1, 4]), 5, 4, earliest=True))
    assert not found.beats(found)
