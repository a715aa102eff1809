"""Parts of documents: cuts from columns and smaller versions, as if all were one menu."""

from __future__ import annotations

from typing import Any

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
from mckp.part_plan import PartPlan, VersionPick
from mckp.planning import Planned, format_bits
from mckp.tokenizers.bpe import Bpe
from mckp.tree import TreeNode
from tests.strategies import TABLES, VALUES, examples

COUNTER = Bpe("o200k_base")
JOBS = [
    {"id": n, "ok": n % 2 == 0, "url": f"https://example.com/jobs/{n * 7919}", "by": {"n": n}}
    for n in range(12)
]
NESTED = [
    {"id": n, "rows": [{"a": m, "log": f"It works {m * 7919}. It is line {m}."} for m in range(n)]}
    for n in range(7)
]
TEXT = (
    '[[{"type": "buy", "1": 0, "name": null}, {"type": "buy", "1": 0, "name": null}, '
    '{"type": "view", "a": {"id": null}}, {"type": "view", "a": {"id": null}, "id": null}]]'
)
DOCUMENT = {"page": 1, "note": "It works. It fails. It was tried.", "jobs": JOBS, "in": NESTED}


def both(value: Any, formats: str | list[str]) -> tuple[Planned, Planned]:
    chosen = select(formats)
    columns = column_plan(bytearray(dumped(value)), format_bits(chosen), COUNTER)
    assert columns is not None
    slow = MenuPlan(TreeNode.of(value), chosen, COUNTER, reduced=True)
    fast = PartPlan(columns, value, chosen)
    return Planned(slow, lambda: slow), Planned(columns, lambda: fast)


def result(plans: Planned, budget: int) -> Result | None:
    try:
        return encoded(plans, COUNTER, budget, "auto")
    except BudgetError:
        return None


def told(found: Result | None) -> Any:
    if found is None:
        return None
    return found.value, found.tokens, found.bound, found.status, found.total


@pytest.mark.parametrize("formats", ["standard", "native", "dense", ["json", "kv"]], ids=str)
@given(value=VALUES | TABLES | st.lists(TABLES, min_size=2, max_size=4), part=st.floats(0, 1))
@example(value=DOCUMENT, part=0.01)
@example(value=DOCUMENT, part=0.4)
@example(value=NESTED, part=0.7)
@example(value=TEXT, part=0.75)
@examples(40)
def test_it_is_as_good_as_one_menu(formats: str | list[str], value: Any, part: float) -> None:
    slow, fast = both(value, formats)
    budget = int(part * slow.whole.most)
    assert told(result(slow, budget)) == told(result(fast, budget))


@pytest.mark.parametrize("part", [0.1, 0.3, 0.6, 0.9])
def test_it_gives_the_same_answers(part: float) -> None:
    slow, fast = both(DOCUMENT, "native")
    budget = int(part * slow.whole.most)
    one, other = result(slow, budget), result(fast, budget)
    assert one is not None
    assert other is not None
    assert other == one
    assert [other.why(path) for path in ("jobs", "in[3].rows", "note")] == [
        one.why(path) for path in ("jobs", "in[3].rows", "note")
    ]
    assert other.shadow_price == one.shadow_price
    assert [other.recall(n + 1) for n in range(len(other.elided))] == [
        one.recall(n + 1) for n in range(len(one.elided))
    ]
    for name in ("budgets", "values"):
        assert np.array_equal(getattr(other.frontier(), name), getattr(one.frontier(), name))


def test_tables_are_what_a_solver_may_be_given() -> None:
    """Whatever is priced exactly, be it a container of the document or of a version."""
    plan = both(DOCUMENT, "native")[1].part
    most = plan.most
    for limit, near in ((most, None), (most // 2, most // 2)):
        offer = plan.offer(limit, set(), near)
        containers = {offer.container(row) for row in np.flatnonzero(offer.due).tolist()}
        assert min(containers) < 0 <= max(containers)
        exact = plan.offer(limit, containers, near)
        assert exact.table.options > offer.table.options
        offer.table.check()
        exact.table.check()


def test_picks_are_of_either_kind() -> None:
    """The first options cut the document, the last ones are versions of it."""
    plan = both(DOCUMENT, "native")[1].part
    table = (offer := plan.offer(plan.most // 2, set(), plan.most // 2)).table
    kinds: list[bool] = []
    for taken in range(int(table.start[1])):
        choice = [0 if parent == taken else -1 for parent in table.parent_option.tolist()]
        draft = offer.draft([taken, *choice[1:]])
        kinds.append(isinstance(draft.pick, VersionPick))
        plan.verify(draft)
    assert kinds == sorted(kinds)
    assert set(kinds) == {False, True}


def test_notes_stand_below_a_line_in_codes() -> None:
    url = "https://api.example.org/repos/acme/tide-tables/"
    names = ("issues", "pulls", "labels", "events", "keys", "hooks", "teams", "tags", "forks")
    slow, fast = both({f"{name}_url": f"{url}{name}{{/number}}" for name in names}, "dense")
    budget = slow.whole.most - 8
    one, other = result(slow, budget), result(fast, budget)
    assert one is not None
    assert one == other
    head, definition, _, note, end = one.text.split("\n")
    assert (head, definition[1:6]) == ("(1) phrases", "=_url")
    assert (note[-12:], end) == (" of 9 facts]", "")
