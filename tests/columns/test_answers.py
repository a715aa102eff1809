"""Documents that went in columns answer as those that went value by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from tests.strategies import TABLES, examples

if TYPE_CHECKING:
    from mckp.plan import Plan

COUNTER = Bpe("o200k_base")
NATIVE = select("native")
NESTED: dict[str, Any] = {
    "total": 20,
    "rows": [{"id": n, "in": [{"a": n, "b": ["x"] * (n % 3)}] * (n % 3)} for n in range(20)],
    "settings": {"mode": "fast", "deep": {"x": 1, "y": [1, 2]}},
}


def result(plan: Plan, budget: int) -> Result | None:
    try:
        return encoded(Planned(plan, lambda: plan), COUNTER, budget, "auto")
    except BudgetError:
        return None


@given(value=TABLES, part=st.floats(0, 1), pick=st.randoms())
@example(value=NESTED, part=0.5, pick=None)
@examples(40)
def test_both_plans_answer_alike(value: Any, part: float, pick: Any) -> None:
    """Why, what was cut, the shadow price and the frontier are the same either way."""
    in_columns = column_plan(bytearray(dumped(value)), format_bits(NATIVE), COUNTER)
    assert in_columns is not None
    slow = MenuPlan(TreeNode.of(value), NATIVE, COUNTER)
    budget = int(part * slow.most)
    left, right = result(slow, budget), result(in_columns, budget)
    assert left == right
    if left is None or right is None:
        return
    assert left.shadow_price == right.shadow_price
    nodes = list(TreeNode.of(value).walk())
    for node in nodes if pick is None else pick.sample(nodes, min(5, len(nodes))):
        assert left.why(node.path) == right.why(node.path)
    for number, cut in enumerate(left.elided, 1):
        assert left.recall(cut) == right.recall(cut)
        assert left.recall(number) == right.recall(number)
    ours, theirs = left.frontier(), right.frontier()
    assert ours.values.tolist() == theirs.values.tolist()
    assert ours.tokens.tolist() == theirs.tokens.tolist()
    assert ours.method == theirs.method
