"""The compiled kernel gives the same answer as the plain one, with the same count of work."""

import os
from typing import Any

import pytest

from mckp.solvers import dp, kernel, search
from mckp.solvers.program import Program
from tests.solvers import instances

pytest.importorskip("numba")
if not os.environ.get("MCKP_TEST_COMPILED"):
    pytest.skip("compiling takes a minute; set MCKP_TEST_COMPILED", allow_module_level=True)


def test_plain_and_compiled_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain and the compiled kernel have the same choice and the same counts of work."""
    from mckp.solvers import compiled

    def both(program: Program, counts: Any) -> Any:
        again = counts.copy()
        choice, peer = kernel.run(program, counts), compiled.run(program, again)
        assert counts.tolist() == again.tolist()
        assert choice.tolist() == peer.tolist()
        return choice

    def runner(_: int) -> Any:
        return both

    monkeypatch.setattr(search, "_choose_kernel", runner)
    for make in (instances.tiny, instances.with_setup):
        for seed in range(instances.count(500)):
            table, budget = make(seed)
            for limit in (None, 1_000):
                dp.solve(table, budget, work_limit=limit)
    for seed in range(instances.count(40)):
        table = instances.document(seed, 60)
        for budget in (60, 200, 500):
            dp.solve(table, budget)
