"""Recency: which dates are found, and which record each belongs to."""

from typing import Any

import pytest

from mckp import TreeNode, parse
from mckp.weights import Recency
from mckp.weights.ages import date_of
from mckp.weights.leaves import leaves
from tests.cases import cases


def factors(value: Any, **settings: Any) -> list[float]:
    return Recency(**settings)(leaves(TreeNode.of(value)))


@pytest.mark.parametrize(("name", "value", "date"), cases(__file__, "test_dates"))
def test_dates(name: str, value: Any, date: float | None) -> None:
    """Dates are found in ISO 8601 in any field, and as counts since 1970 where the name says so."""
    assert date_of(name, value) == date


def test_the_newest_counts_most() -> None:
    """The factor halves for each share of the time from the newest record to the oldest."""
    days = [{"at": f"2024-01-0{day}", "n": day} for day in (5, 1, 3)]
    assert factors(days) == [1, 1, 1 / 16, 1 / 16, 1 / 4, 1 / 4]
    half = pytest.approx(0.5**0.5)
    assert factors(days, half_life=1) == [1, 1, 0.5, 0.5, half, half]


def test_the_record_is_the_innermost_with_a_date() -> None:
    """Elements without dates belong to those around them; the rest is in no record."""
    old = {"at": "2020-01-01", "labels": [{"name": "a"}, "b"], "deep": {"x": 1}}
    new = {"at": "2024-01-01", "log": [{"at": "2022-01-01", "m": 1}]}
    ages = factors({"page": "2000-01-01", "jobs": [old, new, {"n": 1}]}, half_life=0.5)
    assert ages[:5] == [1] + [0.25] * 4
    assert ages[5] == 1
    assert ages[6:8] == [pytest.approx(0.5, abs=1e-3)] * 2
    assert ages[8] == 1


def test_which_of_several_dates() -> None:
    """Of several dates, the outermost counts, then changes, then the latest."""
    other = {"x": "2030-01-01"}
    last, first = {"n": [{"updated_at": "2024-01-01"}]}, {"n": [{"on": "2020-01-01"}]}
    many = {
        "user": other,
        "due": "2029-01-01",
        "created_at": "2021-01-01",
        "updated_at": "2020-01-01",
    }
    assert factors([many, last, first])[:4] == [1 / 16] * 4
    assert factors([{"a": "2022-01-01", "b": "2024-01-01"}, last])[:3] == [1] * 3
    assert factors([{"user": {"at": "2024-01-01"}}, first, last]) == [1, 1 / 16, 1]


def test_one_field_may_be_named() -> None:
    """The named field alone decides the age of its record."""
    rows = [{"a": "2024-01-01", "b": "2020-01-01"}, {"a": "2020-01-01", "b": "2024-01-01"}]
    assert factors(rows, field="b") == [1 / 16, 1 / 16, 1, 1]
    assert factors(rows, field="c") == [1] * 4


def test_without_dates_all_are_alike() -> None:
    """Records without dates, or of one date, have equal factors."""
    assert factors([{"a": 1}, {"a": 2}]) == [1, 1]
    assert factors([{"a": "2024-01-01"}, {"a": "2024-01-01"}, 3]) == [1, 1, 1]
    assert Recency()(leaves(parse("# 2024-01-01\n\n2020-01-01\n"))) == [1, 1]


@pytest.mark.parametrize("half_life", [0, -1, float("nan"), float("inf")])
def test_half_life_is_a_share(half_life: float) -> None:
    """A half-life must be a finite share above zero."""
    with pytest.raises(ValueError, match="a half-life must be a share above 0"):
        Recency(half_life=half_life)
