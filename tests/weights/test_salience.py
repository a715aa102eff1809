"""What readers are likely to need goes first, and every row that is kept has its key."""

import tomllib
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.jsontext import path_text
from mckp.tree import TreeNode
from mckp.weights import Salience
from mckp.weights.keys import key_of
from mckp.weights.leaves import leaves
from mckp.weights.models import LONG
from mckp.weights.salience import table
from mckp.weights.traits import columns_of, indices_of, kind_of, traits_of_leaves
from tests.cases import cases
from tests.strategies import TABLES, VALUES, examples
from tests.within import fitted


def salience(value: Any) -> dict[str, float]:
    below = leaves(TreeNode.of(value))
    return {
        path_text(leaf.path): weight for leaf, weight in zip(below, Salience()(below), strict=True)
    }


ISSUES = [
    {
        "id": 900 + n,
        "title": f"{word} fails",
        "state": "open",
        "locked": False,
        "milestone": None,
        "labels": [{"id": n * 7 + k, "name": f"label {k}"} for k in range(n % 3)],
        "url": f"https://example.com/issues/{900 + n}",
    }
    for n, word in enumerate(["Login", "Search", "Upload", "Export", "Import", "Sync"])
]


def test_what_says_something_is_worth_more() -> None:
    """Nulls, flags and constants are worth less than titles, keys and rare values."""
    found = salience(ISSUES)
    for n in range(6):
        title, key = found[f"$[{n}].title"], found[f"$[{n}].id"]
        for name in ("state", "locked", "milestone"):
            assert found[f"$[{n}].{name}"] < key / 3 < title / 3
    rare = salience([{"status": "failed" if n == 7 else "passed"} for n in range(40)])
    assert rare["$[7].status"] > 2 * rare["$[8].status"]


@given(value=VALUES | TABLES)
@examples(300)
def test_every_leaf_has_a_weight(value: Any) -> None:
    """Whatever a leaf is, it is worth something; equal documents are worth the same."""
    below = leaves(TreeNode.of(value))
    weights = Salience()(below)
    assert len(weights) == len(below)
    assert all(2 <= weight <= 1002 for weight in weights)
    assert Salience()(tuple(below)) == weights


@given(value=VALUES | TABLES)
@examples(200)
def test_traits_are_what_is_added_up(value: Any) -> None:
    """The table is fitted to the traits that weigh: both ways to them agree."""
    below = leaves(TreeNode.of(value))
    weights, points = Salience()(below), table()
    places = {
        place: indices
        for each in columns_of(below)
        for place, indices in zip(each.places, indices_of(each, below), strict=True)
    }
    for place, traits in traits_of_leaves(below):
        score = sum(points.get(name, 0.0) * amount for name, amount in traits.items())
        likely = 1 / (1 + 2.718281828459045**-score)
        near = LONG / (LONG + max(places[place], default=0))
        assert weights[place] == pytest.approx(1000 * near * likely**1.5 + 2, abs=0.51)


def test_every_column_is_found_once() -> None:
    columns = {each.path: each for each in columns_of(leaves(TreeNode.of(ISSUES)))}
    assert columns["*", "title"].values == [issue["title"] for issue in ISSUES]
    assert [path for path, each in columns.items() if each.is_key] == [
        ("*", "id"),
        ("*", "labels", "*", "id"),
    ]


def test_members_of_maps_are_rows() -> None:
    """Keys that are data make no columns of their own; objects that differ are no map."""
    stock = {f"sku_{n}": {"price": n * 10, "ok": True} for n in range(4)}
    columns = {each.path: each.values for each in columns_of(leaves(TreeNode.of(stock)))}
    assert columns == {("*", "price"): [0, 10, 20, 30], ("*", "ok"): [True] * 4}
    order = leaves(TreeNode.of({"buyer": {"name": "Ann"}, "parcel": {"weight": 3}}))
    assert [each.path for each in columns_of(order)] == [("buyer", "name"), ("parcel", "weight")]


@pytest.mark.parametrize(
    ("value", "kind"),
    [*cases(__file__, "test_kinds"), (10**400, "whole")],
)
def test_kinds(value: Any, kind: str) -> None:
    assert kind_of(value) == kind


def test_a_key_is_named_like_one_or_short() -> None:
    rows = range(3)
    names, codes = ["Ann", "Bob", "Cy"], ["a-1", "a-2", "a-3"]
    assert key_of([("title_text", names, rows), ("part_number", codes, rows)], [0] * 3) == 1
    assert key_of([("a", ["x" * 9, "y" * 9, "z" * 9], rows), ("b", [1, 2, 3], rows)], [0] * 3) == 1
    assert key_of([("id", [1, 1, 2], rows)], [0] * 3) is None
    assert key_of([("id", [1, 1, 2], rows)], ["p", "q", "q"]) == 0
    assert key_of([("id", [1, None, 2], rows)], [0] * 3) is None
    assert key_of([("id", [1, 2], rows)], [0] * 3) is None


def test_the_table_can_be_read() -> None:
    text = files("mckp.weights").joinpath("salience.toml").read_text("utf-8")
    read = tomllib.loads(text)
    fields = [field for group in read["fields"].values() for field in group.split(", ")]
    assert len(fields) == len(set(fields)) > 50
    assert {"null", "boolean", "constant", "information", "key"} <= read["traits"].keys()
    with pytest.raises(ValueError, match="finite"):
        Salience({"null": float("nan")})
    assert Salience({"null": 9.0})(leaves(TreeNode.of([None, 1])))[0] > 900


CELLS = VALUES | st.text(max_size=60)


@st.composite
def keyed_tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw records that have a key called ``id`` and other members."""
    size = draw(st.integers(2, 12))
    keys = draw(st.lists(st.integers(1, 9999), min_size=size, max_size=size, unique=True))
    names = draw(st.lists(st.sampled_from(["a", "b", "note", "tags", "by"]), max_size=4))
    return [{"a_first": draw(CELLS), "id": key, **{n: draw(CELLS) for n in names}} for key in keys]


@given(rows=keyed_tables(), share=st.floats(0.15, 0.95), level=st.sampled_from(["native", "dense"]))
@examples(120)
def test_rows_have_their_keys(rows: list[dict[str, Any]], share: float, level: str) -> None:
    whole = mckp.encode(rows, formats=level).tokens
    left = mckp.decode(fitted(rows, budget=int(whole * share), formats=level).text)
    if left is not mckp.ABSENT:
        keys = [row["id"] for row in rows]
        assert all(row["id"] in keys for row in left if row)
