"""The way in columns and the way value by value lead to the same result, in every field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mckp import BudgetError, Result
from mckp.api import encoded
from mckp.columns.plan import column_plan
from mckp.encoders import select
from mckp.jsontext import dumped
from mckp.menu_plan import MenuPlan
from mckp.planning import Planned, format_bits
from mckp.tokenizers.bpe import Bpe
from mckp.tree import TreeNode
from tests.strategies import TABLES, VALUES, examples

if TYPE_CHECKING:
    from mckp.plan import Plan

COUNTER = Bpe("o200k_base")
FORMATS: list[str | list[str]] = ["standard", "native", "dense", ["json", "kv"], ["json", "rows"]]


def result(plan: Plan, budget: int | None) -> Result | str:
    try:
        return encoded(Planned(plan, lambda: plan), COUNTER, budget, "auto")
    except BudgetError as error:
        return str(error)


def both(value: Any, formats: str | list[str]) -> tuple[MenuPlan, Plan]:
    chosen = select(formats)
    in_columns = column_plan(bytearray(dumped(value)), format_bits(chosen), COUNTER)
    assert in_columns is not None
    return MenuPlan(TreeNode.of(value), chosen, COUNTER), in_columns


@pytest.mark.parametrize("formats", FORMATS, ids=str)
@given(value=VALUES | TABLES | st.lists(TABLES, min_size=2, max_size=5), part=st.floats(0, 1))
@example(value={}, part=0)
@example(value=[], part=0.5)
@example(value="a\nb\nc", part=0.5)
@example(value={"a": '{"b": [1, {"c": "[2,3]"}]}'}, part=0.9)
@example(value=[{"a": 1, "b": ["x"] * 9}] * 12, part=0.3)
@examples(120)
def test_both_plans_agree(formats: str | list[str], value: Any, part: float) -> None:
    slow, fast = both(value, formats)
    assert fast.most == slow.most
    for budget in (None, int(part * slow.most)):
        assert result(fast, budget) == result(slow, budget)


def test_tables_are_what_a_solver_may_be_given() -> None:
    rows = [{"id": n, "in": [{"a": n, "b": ["x"] * (n % 3)}] * (n % 4)} for n in range(60)]
    fast = both({"total": len(rows), "rows": rows}, "standard")[1]
    offer = fast.offer(fast.most // 2, set())
    owing = np.flatnonzero(offer.due).tolist()
    assert owing
    for exact in ({offer.container(row) for row in owing[::2]}, set[int]()):
        fast.offer(fast.most // 2, exact).table.check()


def test_a_long_table_under_a_budget() -> None:
    rows = [{"id": n, "name": f"job {n % 7}", "tags": ["x"] * (n % 3)} for n in range(1500)]
    slow, fast = both({"total": len(rows), "rows": rows}, "native")
    for budget in (2000, 9000):
        assert result(fast, budget) == result(slow, budget)


def test_a_text_that_repeats_is_abridged_alike() -> None:
    rows = [
        {"id": n, "url": f"https://api.example.org/repos/acme/tide/issues/{n}", "by": "octocat"}
        for n in range(400)
    ]
    slow, fast = both(rows, "dense")
    assert result(fast, None) == result(slow, None)
    assert result(fast, slow.most // 2) == result(slow, slow.most // 2)
