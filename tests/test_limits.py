"""Budgets as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.budgets import checked_budget, read_budget
from mckp.tokenizers import get
from mckp.tools.renderings import render

ROWS = [{"id": n, "state": "done"} for n in range(90)]


@given(st.integers(0, 10**9))
def test_a_number_is_read_as_it_is(number: int) -> None:
    """A whole number, also as text, is a budget of as many tokens."""
    assert read_budget(number) == read_budget(f" {number} ") == number


@given(st.integers(0, 10**6), st.integers(0, 999))
def test_thousands_may_have_a_point(thousands: int, rest: int) -> None:
    """A budget in thousands may have three decimals."""
    assert read_budget(f"{thousands}.{rest:03}k") == thousands * 1000 + rest


@given(st.integers(0, 200), st.integers(0, 9), st.integers(0, 10**6))
def test_a_share_is_never_more_than_it_says(whole: int, tenth: int, tokens: int) -> None:
    """A share of a budget is rounded down, and exact where it can be."""
    budget = checked_budget(f"{whole}.{tenth}%", lambda: tokens)
    assert budget is not None
    assert budget * 1000 <= (10 * whole + tenth) * tokens < (budget + 1) * 1000


def test_a_share_needs_something_that_it_is_of() -> None:
    """A share is an error where there is no document yet, as for results of tools."""
    with pytest.raises(
        ValueError, match="must be a number of tokens, such as 4000 or 4k, not the share 50%"
    ):
        checked_budget("50%")


def test_every_call_reads_a_budget_in_the_same_way() -> None:
    """Shares and thousands mean the same in each call, and a share is one of compact JSON."""
    whole = mckp.compare(ROWS).rows
    compact = next(row.tokens for row in whole if row.format == "json")
    half = mckp.encode(ROWS, budget="50%")
    assert half.budget == compact // 2
    assert half == mckp.encode(ROWS, budget=compact // 2)
    assert mckp.encode(ROWS).at("50%") == half
    assert mckp.encode(ROWS, budget="0.2k").budget == 200
    [result] = mckp.encode_many([ROWS], budget="50%", processes=1)
    assert result == half
    tools = [{"name": f"t{n}", "description": "Closes it. " * 9} for n in range(9)]
    tools_result = mckp.encode_tools(tools, budget="25%")
    compact = get("o200k").count(render(mckp.parse_tools(tools), "json"))
    assert tools_result.budget == compact // 4
    assert tools_result.tokens <= compact // 4
