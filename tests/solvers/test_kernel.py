"""The bounded kernel: against brute force with short lists and limits, its limits, its work."""

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

import mckp
from mckp.agents.session import Session, SessionSettings
from mckp.errors import ConfigError
from mckp.solvers import Status, Table, auto, brute, dp, kernel, lattice, lists, look, search
from mckp.solvers.alike import alike
from tests.solvers import agreement, instances

OPERATIONS = 21_041
"""Work of the table of 500 members."""
Maker: TypeAlias = Callable[[int], tuple[Table, int]]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of three states, and equal nodes looked for in the smallest of tables."""
    monkeypatch.setattr(search, "STATES", 3)
    monkeypatch.setattr(search, "FIRST", 2)
    monkeypatch.setattr(look, "ALIKE", 0)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("make", [instances.tiny, instances.with_setup])
def test_bounds_hold_with_short_lists_and_little_work(make: Maker) -> None:
    """Whatever is left out, value and cost are right if proved, and the bound holds if not."""
    proved = 0
    for seed in range(instances.count(400)):
        table, budget = make(seed)
        best = brute.solve(table, budget, work_limit=20_000)
        if best.status is Status.FEASIBLE:
            continue
        for limit in (None, 50, 1_000, 5_000):
            solution = dp.solve(table, budget, work_limit=limit)
            agreement.assert_valid(table, budget, solution)
            if solution.status is Status.FEASIBLE:
                assert solution.value <= best.value <= solution.bound
            else:
                assert agreement.facts(solution) == agreement.facts(best)
                proved += 1
    assert proved


def wide(classes: int) -> Table:
    """Return a table of one object whose members are cut, whole, or open with two members."""
    random = np.random.default_rng(classes)
    cut, members = (0, 0, (), 0, True), list[object]()
    for cost, value in random.integers(3, 40, (classes, 2)).tolist():
        inner = [[cut, (cost // 2, value // 2)], [cut, (cost // 3, value // 3)]]
        members.append([cut, (cost, value), (2, 0, inner, 2)])
    return Table.nested([[(0, 0), (3, 0, members, 4)]])


@pytest.mark.parametrize("limit", [0, 10_000, 100_000])
def test_work_is_bounded_and_the_same_each_time(limit: int) -> None:
    """A limit of work holds, is repeatable, and leaves a gap below 5 %."""
    table = wide(500)
    runs = [dp.solve(table, 3_000, work_limit=limit) for _ in range(2)]
    assert runs[0].statistics == runs[1].statistics
    assert runs[0].choice.tolist() == runs[1].choice.tolist()
    # A look that begins within the limit ends with short lists.
    assert runs[0].statistics["operations"] <= limit + 500 * (kernel.NODE + 8 * lists.FEW)
    assert runs[0].gap < 0.05


def test_work_is_counted_the_same_on_every_machine() -> None:
    """A change of the algorithm shows here; a change of the machine does not."""
    solution = dp.solve(wide(500), 3_000)
    assert solution.is_optimal
    assert solution.statistics["looks"] <= 3
    assert solution.statistics["operations"] == OPERATIONS


def test_the_compiled_kernel_is_loaded_after_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the default limit nothing loads it; both kernels give the same."""
    loaded = list[str]()

    def load(name: str) -> object:
        loaded.append(name)
        return kernel

    monkeypatch.setattr(search, "import_module", load)
    monkeypatch.setattr(search, "is_installed", lambda: True)  # though Numba may be missing here
    table = wide(500)
    before = dp.solve(table, 3_000)
    assert not loaded
    assert dp.MOST_WORK < search.PAYS
    monkeypatch.setattr(search, "PAYS", 0)
    assert agreement.facts(dp.solve(table, 3_000)) == agreement.facts(before)
    assert set(loaded) == {"mckp.solvers.compiled"}


def test_more_work_proves_more() -> None:
    """The gap falls with more work, to zero."""
    table = wide(500)
    gaps = [dp.solve(table, 3_000, work_limit=limit).gap for limit in (0, 20_000, 10**8)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] == 0


def test_of_equal_classes_the_first_take_what_costs_more() -> None:
    """Of equal classes, the first ones take the dearer option."""
    table = Table.flat([[0, 5]] * 6, [[0, 3]] * 6)
    assert dp.solve(table, 17).choice.tolist() == [1, 1, 1, 0, 0, 0]


def test_the_lattice_proves_what_is_strongly_correlated() -> None:
    """Every value is a cost and a constant: the bound falls to what can be reached."""
    for seed in range(instances.count(10)):
        table, budget = instances.flat("strongly", seed, 300, 5, 400)
        assert dp.solve(table, budget).is_optimal


def test_a_lattice_is_spanned_by_all_changes() -> None:
    """The basis of a lattice generates all changes that it was made of."""
    run, rise = np.array([4, 6]), np.array([14, 16])
    a, b, c = lattice.extend_basis((0, 0, 0), run, rise)
    assert (a, c) == (2, 10)
    for x, y in zip(run.tolist(), rise.tolist(), strict=True):
        assert x % a == 0
        assert (y - b * (x // a)) % c == 0


def test_the_highest_point_is_that_of_a_search() -> None:
    """The highest point of a lattice below a line is that of an exhaustive search."""
    for a, b, c, slack, price in ((1, 1, 10, 7, 3), (2, 3, 5, 9, 4), (3, 0, 7, 20, 2)):
        points = (
            y - x
            for k in range(-20, slack // a + 1)
            for y in range(-200, 200)
            if y <= price * (x := a * k) and (y - b * k) % c == 0
        )
        assert lattice.highest_point((a, b, c), slack, -40, price, 1) == max(points)


def test_segments_of_one_hash_are_compared() -> None:
    """Equal segments share a number even if hashes collide, and unequal offsets keep them apart."""
    first = np.array([0, 2, 4, 6, 7])
    rows = [np.array([1, 2, 1, 2, 2, 1, 1])]
    assert alike(first, rows, [np.zeros(4, np.int64)]).tolist() == [0, 0, 2, 3]
    assert alike(first, rows, [np.array([0, 1, 0, 0])]).tolist() == [0, 1, 2, 3]


def doubled(levels: int) -> Table:
    """Return a nested table in which every class opens two equal ones."""
    row: list[Any] = [(0, 0, (), 0, True), (7, 5)]
    for _ in range(levels):
        row = [(0, 0, (), 0, True), (9, 6), (2, 0, [row, row], 1)]
    return Table.nested([row])


def test_equal_classes_are_made_once() -> None:
    """Two to the twelfth equal leaves are a few lists."""
    solution = dp.solve(doubled(12), 9_000)
    assert solution.is_optimal
    assert solution.statistics["operations"] < 4_000_000


@pytest.mark.slow
def test_limits_of_work_reach_documents_and_catalogs() -> None:
    """At its limit a text is within the budget, with a bound that is not below its worth."""
    rows = [{"id": n, "state": f"s{n % 7}", "note": "x" * (n % 13)} for n in range(40)]
    data = {f"field_{n}": {"rows": rows[: n % 9 + 3], "n": n} for n in range(30)}
    free, bound = mckp.encode(data, budget=300), mckp.encode(data, budget=300, work_limit=0)
    assert free.status == "optimal"
    assert bound.tokens <= 300
    assert bound.bound is not None
    assert bound.value <= free.value <= bound.bound
    with pytest.raises(ValueError, match="work_limit must be a whole number"):
        mckp.encode(data, budget=300, work_limit=-1)
    tools = [{"name": f"tool_{n}", "description": "It does things. " * n} for n in range(9)]
    assert mckp.encode_tools(tools, budget=60, work_limit=0).tokens <= 60


def test_a_limit_of_work_reaches_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting of a session is that of `mckp.encode`."""
    seen, solve = list[int | None](), auto.solve

    def watched(*given: Any, **more: Any) -> Any:
        seen.append(more["work_limit"])
        return solve(*given, **more)

    monkeypatch.setattr(auto, "solve", watched)
    text = json.dumps([{"id": n, "note": f"step {n} of them"} for n in range(60)])
    Session(SessionSettings(work_limit=7)).add(tool="jobs", text=text, budget=60)
    assert set(seen) == {7}
    with pytest.raises(ConfigError, match="work_limit"):
        SessionSettings(work_limit=-1)
