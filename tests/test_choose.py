"""Pricing only some hints exactly finds what pricing all of them exactly finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mckp import choose
from mckp.columns.plan import column_plan
from mckp.encoders import select
from mckp.jsontext import dumped
from mckp.menu_plan import MenuPlan
from mckp.planning import format_bits
from mckp.solvers import solve
from mckp.tokenizers.bpe import Bpe
from mckp.tree import TreeNode
from tests.strategies import TABLES, VALUES, examples

if TYPE_CHECKING:
    from mckp.plan import Plan
    from mckp.solvers import Table

COUNTER = Bpe("o200k_base")
LARGEST = 20_000
NESTED = st.lists(
    st.fixed_dictionaries({"id": st.integers(0, 99), "in": TABLES | VALUES}), min_size=2, max_size=6
)


def planned(value: Any, formats: str, way: str) -> Plan:
    chosen = select(formats)
    if way != "columns":
        return MenuPlan(TreeNode.of(value), chosen, COUNTER, reduced=way == "reduced")
    plan = column_plan(bytearray(dumped(value)), format_bits(chosen), COUNTER)
    assert plan is not None
    return plan


def exact_table(plan: Plan, limit: int) -> Table:
    """Return the table in which nothing is left to be owed."""
    exact: set[int] = set()
    while True:
        offer = plan.offer(limit, exact, limit)
        assume(offer.table.classes < LARGEST)
        owing = [row for row, due in enumerate(offer.due.tolist()) if due]
        if not owing:
            return offer.table
        exact |= {offer.container(row) for row in owing}


def choice(plan: Plan, budget: int) -> choose.Chosen:
    found = choose.choose_whole(plan, COUNTER, budget)
    found = found or choose.choose_part(plan, COUNTER, budget, "auto")
    assert found is not None
    return found


@pytest.mark.parametrize("way", ["menu", "columns"])
@given(
    value=NESTED | TABLES | VALUES,
    part=st.floats(0.05, 1),
    formats=st.sampled_from(["standard", "native"]),
)
@examples(150)
def test_lazily_exact_is_exact(way: str, value: Any, part: float, formats: str) -> None:
    plan = planned(value, formats, way)
    budget = int(part * plan.most)
    wanted = solve(exact_table(plan, budget), budget)
    assume(wanted.is_optimal)
    found = choice(plan, budget)
    assert (found.draft.value, found.tokens, found.optimal) == (wanted.value, wanted.cost, True)


@given(
    value=NESTED | TABLES | VALUES,
    part=st.floats(0.05, 1),
    formats=st.sampled_from(["standard", "native"]),
)
@examples(100)
def test_parts_and_what_is_left_over(value: Any, part: float, formats: str) -> None:
    """With members cut and texts shortened, a choice is proved the best of what was offered."""
    plan = planned(value, formats, "reduced")
    budget = int(part * plan.most)
    wanted = solve(exact_table(plan, budget), budget)
    assume(wanted.is_optimal)
    found = choice(plan, budget)
    assert found.optimal
    assert (found.draft.value, found.tokens) == (wanted.value, wanted.cost)
    assert choice(plan, budget).draft.text == found.draft.text


def test_many_that_are_alike_take_few_rounds() -> None:
    """What one of them does not pay in full, the next would not pay either: all are looked at."""
    rows = [
        {"id": n, "name": f"job {n}", "at": {"x": n, "y": [n, n + 1, {"deep": n}], "z": "one two"}}
        for n in range(40)
    ]
    for part in (0.2, 0.5, 0.8):
        plan = planned(rows, "standard", "menu")
        found = choice(plan, int(part * plan.most))
        assert found.optimal
        assert found.bound == found.draft.value
