"""What readers are likely to need goes first, and every row that is kept has its key."""

import pickle
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
from mckp.weights.columns import Columns, value_of
from mckp.weights.keys import composite_key, key_of
from mckp.weights.leaves import data_leaves, leaves
from mckp.weights.lexicon import Lexicon
from mckp.weights.salience import table
from mckp.weights.traits import kind_of
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
    worths = salience(ISSUES)
    for n in range(6):
        title, key = worths[f"$[{n}].title"], worths[f"$[{n}].id"]
        assert worths[f"$[{n}].state"] < key / 2 < title / 2
        for name in ("locked", "milestone"):
            assert worths[f"$[{n}].{name}"] < key / 10
    rare = salience([{"status": "failed" if n == 7 else "passed"} for n in range(40)])
    assert rare["$[7].status"] > 2 * rare["$[8].status"]


def test_names_of_columns_may_look_like_data() -> None:
    """Rows with the same names are one table, whose columns are distinguished; a map has one."""
    years = [{f"{2015 + k}": n * k for k in range(8)} for n in range(5)]
    assert {column.path for column in Columns(years).all} == {
        ("*", f"{2015 + k}") for k in range(8)
    }
    maps = [{f"{2000 + k + n}": n * k for k in range(8)} for n in range(5)]
    assert {column.path for column in Columns(maps).all} == {("*", "*")}
    assert {column.path for column in Columns(years[0]).all} == {("*",)}


def test_few_values_of_a_column_are_news() -> None:
    """A column of nulls but for two remarks is worth what these say."""
    rows = [{"place": f"p{n}", "remark": "moved" if n in (7, 30) else None} for n in range(60)]
    worths = salience(rows)
    assert worths["$[7].remark"] > 4 * worths["$[7].place"]


@given(value=VALUES | TABLES)
@examples(300)
def test_every_leaf_has_a_weight(value: Any) -> None:
    """Whatever a leaf is, it is worth a whole number above 0, the same in equal documents."""
    below = leaves(TreeNode.of(value))
    weights = Salience()(below)
    assert len(weights) == len(below)
    assert all(weight >= 1 and weight == int(weight) for weight in weights)
    assert Salience()(tuple(below)) == Salience().weigh_data(value) == weights


@given(value=VALUES | TABLES)
@examples(300)
def test_leaves_and_columns_are_the_same_document(value: Any) -> None:
    """Columns have each leaf once, at its number; data can be made from its leaves."""
    below = data_leaves(value)
    assert value_of(below) == value
    columns = Columns(value)
    by_place = {
        place: item
        for column in columns.all
        for place, item in zip(column.places, column.values, strict=True)
    }
    assert [by_place[place] for place in range(columns.size)] == [leaf.value for leaf in below]
    assert sum(len(column.places) for column in columns.all) == columns.size


def test_nothing_is_worth_nothing() -> None:
    """A document without leaves has no weights."""
    assert Salience()([]) == []


def test_every_column_is_found_once() -> None:
    """Columns of nested records are found with their values, and keys among them."""
    columns = {column.path: column for column in Columns(ISSUES).all}
    assert columns["*", "title"].values == [issue["title"] for issue in ISSUES]
    assert [path for path, column in columns.items() if column.is_key] == [
        ("*", "id"),
        ("*", "labels", "*", "id"),
    ]


def test_members_of_maps_are_rows() -> None:
    """Keys that are data make no columns of their own; objects that differ are no map."""
    stock = {f"sku_{n}": {"price": n * 10, "ok": True} for n in range(4)}
    columns = {column.path: column.values for column in Columns(stock).all}
    assert columns == {("*", "price"): [0, 10, 20, 30], ("*", "ok"): [True] * 4}
    order = {"buyer": {"name": "Ann"}, "parcel": {"weight": 3}}
    assert [column.path for column in Columns(order).all] == [
        ("buyer", "name"),
        ("parcel", "weight"),
    ]
    days = {f"2026-01-0{n}": n * 1.5 for n in range(1, 8)}
    assert [column.path for column in Columns(days).all] == [("*",)]


def test_a_key_beside_a_value_is_its_name() -> None:
    """A list of keys and values is weighed as an object with these members would be."""
    spans = [
        {
            "attributes": [
                {"key": "host.id", "value": {"stringValue": "a"}},
                {"key": "n", "value": 2},
            ]
        }
    ]
    assert {column.path for column in Columns(spans).all} == {
        ("*", "attributes", "*", "key"),
        ("*", "attributes", "*", "host.id "),
        ("*", "attributes", "*", "n "),
    }


@pytest.mark.parametrize(
    ("value", "kind"),
    [*cases(__file__, "test_kinds"), (10**400, "whole")],
)
def test_kinds(value: Any, kind: str) -> None:
    """A value is of this kind."""
    assert kind_of(value) == kind


def test_a_key_is_named_like_one_or_short() -> None:
    """The key of records is unique, complete, and named like a key or short."""
    rows = range(3)
    names, codes = ["Ann", "Bob", "Cy"], ["a-1", "a-2", "a-3"]
    assert key_of([("title_text", names, rows), ("part_number", codes, rows)], [0] * 3) == 1
    assert (
        key_of([("a", ["x" * 9, "y" * 9, "z" * 9], rows), ("b", list("xyz"), rows)], [0] * 3) == 1
    )
    assert key_of([("id", [1, 1, 2], rows)], [0] * 3) is None
    assert key_of([("id", [1, 1, 2], rows)], ["p", "q", "q"]) == 0
    assert key_of([("id", [1, None, 2], rows)], [0] * 3) is None
    assert key_of([("id", [1, 2], rows)], [0] * 3) is None


def test_what_is_measured_is_no_key() -> None:
    """A text names a row before a number that happens to be unique; numbers that rise may, too."""
    rows = range(3)
    volume, day = ("volume", [52, 17, 40], rows), ("day", ["Mo", "Tu", "We"], rows)
    assert key_of([volume, day], [0] * 3) == 1
    assert key_of([volume], [0] * 3) is None
    assert key_of([("year", [2019, 2020, 2021], rows)], [0] * 3) == 0
    assert key_of([("mixed", [1, "a", 2], rows)], [0] * 3) is None


def test_numbers_with_texts_identify_records() -> None:
    """Those that occur in all combinations or rise, not measured ones that differ by chance."""
    rows = range(12)
    country = ("country", [name for name in "ABC" for _ in range(4)], rows)
    year = ("year", [*range(2020, 2024)] * 3, rows)
    quarter = ("quarter", [1, 2] * 6, rows)
    measured = ("dose", [17, 4, 99, 31, 5, 88, 17, 2, 64, 30, 8, 51], rows)
    steps = ("line", [3, 9, 40, 41, 2, 5, 77, 80, 1, 9, 11, 300], rows)
    tables = [0] * 12
    assert composite_key([measured, country, year], tables) == (1, 2)
    assert composite_key([country, measured], tables) == ()
    assert composite_key([measured, country, steps], tables) == (1, 2)
    thirds = ("year", [2020] * 6 + [2021] * 6, rows)
    place = ("place", ["A", "A", "B", "B", "C", "C"] * 2, rows)
    assert composite_key([thirds, measured, place, quarter], tables) == (0, 2, 3)
    assert composite_key([("a", [1, 2], range(2)), ("b", [1, 1], range(2))], [0] * 2) == ()


def test_a_table_of_countries_and_years_keeps_both() -> None:
    """Rows that two columns identify keep both."""
    lines = [
        f"{name},{year},{year * 7919 % 9973}" for name in "ABCDE" for year in range(2000, 2020)
    ]
    text = "\n".join(["country,year,births", *lines, ""])
    for budget in (400, 150, 80):
        lines = mckp.encode(text, budget=budget).text.splitlines()
        assert lines[1] == "[100]{country year births}"
        rows = [tuple(line.split(" ")[:2]) for line in lines[2:] if not line.startswith(">")]
        assert len(set(rows)) == len(rows) > 5


def test_the_table_can_be_read() -> None:
    """The table is small, rates each name once, and another can be given."""
    text = files("mckp.weights").joinpath("salience.toml").read_text("utf-8")
    assert len(text.encode()) <= 40_000
    read = tomllib.loads(text)
    assert read == table()
    for part in ("names", "lists", "inside"):
        terms = [term for group in read[part].values() for term in group.split(", ")]
        assert len(terms) == len(set(terms)) > 50
    assert {"kind null", "kind boolean", "rows", "key"} <= read["factors"].keys()
    for wrong in (float("nan"), float("inf"), 0.0, -1.0):
        with pytest.raises(ValueError, match="finite numbers above 0"):
            Salience(read | {"factors": {"kind null": wrong}})
    below = leaves(TreeNode.of([None, "word"]))
    null, word = Salience(read | {"factors": {"kind null": 9.0}})(below)
    assert null > 2 * word


CELLS = VALUES | st.text(max_size=60)


@st.composite
def keyed_tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw records that have a key called ``id`` and other members."""
    size = draw(st.integers(2, 12))
    keys = draw(st.lists(st.integers(1, 9999), min_size=size, max_size=size, unique=True))
    names = draw(st.lists(st.sampled_from(["a", "b", "note", "tags", "by"]), max_size=4))
    return [{"a_first": draw(CELLS), "id": key, **{n: draw(CELLS) for n in names}} for key in keys]


@pytest.mark.slow
@given(rows=keyed_tables(), share=st.floats(0.15, 0.95), level=st.sampled_from(["native", "dense"]))
@examples(120)
def test_rows_have_their_keys(rows: list[dict[str, Any]], share: float, level: str) -> None:
    """Each row that is kept has its key."""
    whole = mckp.encode(rows, formats=[level]).tokens
    left = mckp.decode(fitted(rows, budget=int(whole * share), formats=level).text)
    if left is not mckp.ABSENT:
        keys = [row["id"] for row in rows]
        assert all(row["id"] in keys for row in left if row)


def test_another_process_can_have_it() -> None:
    """Benches and batches send the weights to processes of their own."""
    below = leaves(TreeNode.of(ISSUES))
    assert pickle.loads(pickle.dumps(Salience()))(below) == Salience()(below)


PRICES = [
    {"date": f"2026-01-{day:02}", "open": 40 + day / 7, "close": 41.0} for day in range(5, 10)
]
TOOLS = [
    {"name": name, "heading": f"{name} arguments", "verb": name[::-1]}
    for name in ("open", "read", "close")
]


def _worths(data: Any) -> dict[str, float]:
    """Return the worth of each leaf by its path."""
    worths = Salience().weigh_data(data)
    return {
        ".".join(map(str, leaf.path)): worth
        for leaf, worth in zip(data_leaves(data), worths, strict=True)
    }


@pytest.mark.parametrize(
    ("data", "more", "less"),
    [
        pytest.param(PRICES, "4.open", "0.open", id="the newest of a series"),
        pytest.param(PRICES, "4.open", "3.open", id="the newest alone"),
        pytest.param(TOOLS, "0.verb", "0.heading", id="a name with a constant behind it"),
        pytest.param(
            [{"cell": cell, "row": n, "floor": 2 * n + 5} for n, cell in enumerate("xyz")],
            "0.floor",
            "0.row",
            id="a count of records",
        ),
        pytest.param(
            {
                "issue": {"state": "open", "title": "a", "n": 1},
                "place": {"state": "TX", "city": "Houston"},
            },
            "issue.state",
            "place.state",
            id="a state that is an outcome",
        ),
        pytest.param(
            {"start_ms": 1764200000123, "end_ms": 1764200002345, "last_ms": 1764200002345},
            "start_ms",
            "last_ms",
            id="the moments of a period",
        ),
        pytest.param(
            [{"id": f"CVE-{n}", "source": {"url": f"https://e.org/CVE-{n}"}} for n in range(3)]
            + [{"id": "CVE-9", "source": {"link": "https://e.org/all"}}],
            "3.source.link",
            "0.source.url",
            id="an address with the id of the record around it",
        ),
        pytest.param(
            [{"id": n, "floor": f"{n * 7 % 5} of 5"} for n in range(1, 5)],
            "0.id",
            "0.floor",
            id="ids from 1 to 4",
        ),
        pytest.param(
            [
                {"role": "user", "content": [{"type": "text", "text": "Never touch pump 4."}]},
                {"role": "assistant", "content": [{"type": "text", "text": "I look at pump 9."}]},
            ],
            "0.content.0.text",
            "1.content.0.text",
            id="what a person said",
        ),
        pytest.param(
            [
                {"role": "user", "content": [{"type": "text", "text": "Never touch pump 4."}]},
                {"role": "assistant", "content": [{"type": "text", "text": "I look at pump 9."}]},
                {"role": "user", "content": [{"type": "tool_result", "text": "Pump 9 is well."}]},
            ],
            "0.content.0.text",
            "2.content.0.text",
            id="not what a tool answered",
        ),
    ],
)
def test_worth_more(data: Any, more: str, less: str) -> None:
    """Of each pair, the leaf that readers need more is worth clearly more."""
    worths = _worths(data)
    assert worths[more] > 1.3 * worths[less]


@pytest.mark.parametrize(
    ("name", "rated_like"),
    [
        ("startTimeUnixNano", "start_time"),
        ("price_in_cents", "price"),
        ("latency_seconds", "latency"),
        ("seconds", "second"),
        ("prep_time_minutes", "minute"),  # how long, not when
    ],
)
def test_a_unit_behind_a_name_does_not_hide_it(name: str, rated_like: str) -> None:
    """A name with a unit is rated like the name without it."""
    lexicon = Lexicon(table())
    assert lexicon.rating_of(name, "names") == lexicon.rating_of(rated_like, "names") is not None


def test_the_newest_of_a_series_stays() -> None:
    """The newest row of a series is kept."""
    left = mckp.decode(mckp.encode(PRICES, budget=50).text)
    assert len(left) < len(PRICES)
    assert left[-1]["date"] == PRICES[-1]["date"]


def test_words_for_booleans_and_ids_that_come_first() -> None:
    """The word "no" is worth less than another one, and an id more if it comes first."""
    assert _worths({"lift": "no"})["lift"] < _worths({"lift": "up"})["lift"]
    first, second = {"order_id": 92, "sum": 2}, {"sum": 2, "order_id": 92}
    assert _worths(first)["order_id"] > _worths(second)["order_id"]


def test_a_sentence_of_a_server_leaves_room_for_rows() -> None:
    """A hint of a server is worth less than half of its cursor."""
    hint = "To see the columns of a table, call the tool get_table with its name."
    worths = _worths({"hint": hint, "next_cursor": "a1"})
    assert worths["next_cursor"] > 2 * worths["hint"]


@pytest.mark.parametrize("budget", [300, 120, 60])
def test_what_a_server_says_of_the_rest_stays_beside_a_table(budget: int) -> None:
    """Lines around a table that count or continue it are kept."""
    rows = "".join(f"| {n} | issue number {n} of the tracker |\n" for n in range(60))
    first, last = '> [query: "status=open" | total=247]', "> [+227 more. call get_issues(page=2)]"
    text = f"{first}\n\n| id | title |\n|---|---|\n{rows}\n{last}\n"
    shown = mckp.encode(text, budget=budget).text.replace('\\"', '"')
    assert first in shown
    assert last in shown
