"""Columns that follow from others come back as they were, whole and within budgets."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import BudgetError, encode
from mckp.answers.reading import decode
from mckp.encoders import DERIVED, write_all
from mckp.encoders.follow_columns import column_rules
from mckp.encoders.records import Records
from mckp.errors import ParseError
from mckp.jsontext import difference
from tests.cases import cases
from tests.strategies import SCALARS, examples

WORDS = st.sampled_from(
    ["7", "12", "ann", "a b", "", "{id}", "${id}", "x", "é", 7, 12, 10**20, -3, True]
)
PARTS = st.sampled_from(cases(__file__, "PARTS"))


def fill(text: str, record: dict[str, Any]) -> str:
    """Return a text with members of a record in place of their names in braces."""
    for name, value in record.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


@st.composite
def records(draw: st.DrawFn) -> list[dict[str, Any]]:
    templates = draw(st.lists(st.lists(PARTS, min_size=1, max_size=5), min_size=1, max_size=3))
    odd, is_nested = draw(st.booleans()), draw(st.booleans())
    rows: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(2, 5))):
        record: dict[str, Any] = {"id": draw(WORDS), "name": draw(WORDS)}
        for number, parts in enumerate(templates):
            text = "".join(["address/of/it/", *parts])
            record[f"u{number}"] = fill(text, record)
        if odd and draw(st.booleans()):
            record["x"] = draw(SCALARS)
        if is_nested:
            inner = {"key": draw(WORDS), "self": fill("harbours/{id}/inner/{name}", record)}
            several = [inner, {**inner, "key": 0}] if draw(st.booleans()) else inner
            record["inner"] = several if draw(st.booleans()) else [inner]
        rows.append(record)
    return rows


@given(values=records(), wrapped=st.booleans())
@examples(300)
def test_what_follows_reads_back(values: list[dict[str, Any]], wrapped: bool) -> None:
    """Every layout with rules is read as the records, and so is a dense document."""
    value: list[Any] = [{"n": 1, "of": values}, {"n": 2, "of": values[:1]}] if wrapped else values
    for text in write_all(value, DERIVED):
        assert difference(value, decode(text)) is None
    assert difference(value, decode(encode(value, formats="dense").text)) is None


@given(values=records(), share=st.floats(0.05, 0.95))
@examples(100)
def test_what_follows_within_budgets(values: list[dict[str, Any]], share: float) -> None:
    """A text within a budget, checked by `encode`, has no member whose rule or source was cut."""
    value = {"page": 1, "rows": values * 4}
    whole = encode(value, formats=["native", "-flow"])
    try:
        result = whole.at(max(1, int(share * whole.tokens)))
    except BudgetError:
        return
    assert result.tokens <= share * whole.tokens
    decode(result.text)


USERS = [
    {"login": f"user{n * n}", "kind": ["human", "robot"][n % 7 == 3], "commits": n * 37 % 101}
    | {f"{name}_url": f"https://api.example.org/users/user{n * n}/{name}" for name in ("a", "b")}
    for n in range(40)
]


def test_columns_that_follow_take_no_cells_within_a_budget() -> None:
    """Where a table is cut, its addresses stay as rules, and more rows fit."""
    result = encode(USERS, budget=180, weights="facts")
    assert "\n== a_url = https://api.example.org/users/${login}/a\n" in result.text
    kept = decode(result.text)
    assert all(row["b_url"] == f"https://api.example.org/users/{row['login']}/b" for row in kept)
    without = encode(USERS, budget=180, weights="facts", formats=["native", "-rules"])
    assert result.value > without.value


def test_whole_tables_have_rules_where_that_is_shorter() -> None:
    """Rules above a whole document are not always the shortest way to write what follows."""
    page = "https://example.org/acme/tide/issues/"
    issues = [
        {"number": n, "body": f"The tide came in at {n}. " * 9, "url": f"{page}{n}"}
        | {"user": {"login": f"ann{n}", "url": f"https://api.example.org/users/ann{n}"}}
        for n in (39, 52, 65)
    ]
    result = encode({"total": 3, "items": issues})
    assert "\n== user.url = https://api.example.org/users/${login}\n" in result.text
    assert decode(result.text)["items"] == issues
    without = encode({"total": 3, "items": issues}, formats=["native", "-rules"])
    assert result.tokens < without.tokens


IDLE = [
    "forks_url", "keys_url", "teams_url", "hooks_url", "events_url", "tags_url", "blobs_url",
    "trees_url", "merges_url", "labels_url", "pulls_url",
]  # fmt: skip


def repository(number: int) -> dict[str, Any]:
    """Return a repository with the addresses of one, and those of what it has."""
    name = f"acme/tide-{number * 7}"
    url = f"https://api.example.org/repos/{name}"
    facts = {"id": number * 77, "full_name": name, "stars": number * 37 % 101, "open": number % 5}
    addresses = {"url": url, "html_url": f"https://example.org/{name}"}
    below = {key: f"{url}/{key.removesuffix('_url')}{{/id}}" for key in IDLE}
    topics = {"description": f"Tides of harbour {number} by the hour", "branch": f"b{number}"}
    return {**facts, **addresses, **below, **topics}


@pytest.mark.parametrize(("share", "idle"), [(0.11, 0), (0.12, 0), (0.125, 11), (0.5, 11)])
def test_addresses_that_nobody_needs_come_last_and_together(share: float, idle: int) -> None:
    """The addresses of each row come after its facts; those of all else are no filling."""
    rows = [repository(number) for number in range(30, 60)]
    budget = int(share * encode(rows, formats=["native", "-rules"]).tokens)
    kept = decode(encode(rows, budget=budget).text)
    names = {name for row in kept for name in row}
    assert len(names.intersection(IDLE)) == idle
    assert {"url", "html_url"} <= names


def test_rules_come_after_those_that_they_use() -> None:
    """A rule may use what another one gives; no two use each other."""
    rows = [{"n": n, "to": f"/files/of/{n}/up", "up": f"/files/of/{n}"} for n in range(40, 60)]
    assert list(column_rules(Records.of(rows))) == [("up",), ("to",)]
    (text, *_) = write_all(rows, DERIVED)
    assert text.startswith("[20]{n}\n== up = /files/of/${n}\n== to = ${up}/up\n40\n")


@pytest.mark.parametrize(
    "text",
    [
        "[1]{a b~{a}x}\nx\n",
        "{2}{@ a}\n== b = ${a}/x\nx 1\ny 2\n",
        "[2][]{a}\n== b = ${a}/x\n[1]\n1\n[1]\n2\n",
        # Each rule is a hundred times as long as the one before.
        "[1]{a}\n"
        + "".join(f"== {b} = {f'${{{a}}}' * 100}\n" for a, b in ("ab", "bc", "cd", "de", "ef"))
        + "x\n",
    ],
)
def test_other_rules_are_refused(text: str) -> None:
    """Templates of older versions, named rows, lists of tables, and texts that grow too long."""
    with pytest.raises(ParseError):
        decode(text)


def test_a_rule_without_its_source_gives_nothing() -> None:
    """Where the source of a member was cut, the member was cut, too."""
    text = "[2]{a *}\n== b.c = /x/${d}\n1 b{d 2}\n2 b{e 3}\n"
    assert decode(text) == [{"a": 1, "b": {"d": 2, "c": "/x/2"}}, {"a": 2, "b": {"e": 3}}]
