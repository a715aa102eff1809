"""Parts of data: by patterns, and what was not shown yet."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import decode, encode, tokenizers
from mckp.errors import PathError, PatternError
from mckp.jsontext import is_array, is_object
from mckp.mcp.parts import outline, projected
from mckp.mcp.recall import Kept, recalled
from mckp.session import Reader, Session
from mckp.session.selection import selected
from tests.mcp.fakes import rows
from tests.strategies import VALUES, examples

COUNTER = tokenizers.get("o200k")
USERS: dict[str, Any] = {
    "items": [
        {"login": f"user{n}", "id": n, "at": {"city": f"c{n}"}, "tags": [n, n + 1]}
        for n in range(9)
    ],
    "total": None,
}


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("$", USERS),
        ("items[2].login", "user2"),
        ("$.items[5:8]", USERS["items"][5:8]),
        ("$.items[-2:]", USERS["items"][-2:]),
        ("$.items[:1]", USERS["items"][:1]),
        ("$.items[7:99].login", ["user7", "user8"]),
        ("$.items[*].login", [f"user{n}" for n in range(9)]),
        ("items[2:4].tags[1:]", [3, 4]),
        ("items[:2].at.*", ["c0", "c1"]),
        ("**.city", [f"c{n}" for n in range(9)]),
        ("**.**.city", [f"c{n}" for n in range(9)]),
        ("total", None),
    ],
)
def test_patterns_name_parts(pattern: str, wanted: Any) -> None:
    """One place gives a value, whatever may be several a list."""
    assert selected(USERS, pattern) == wanted


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("items[*].logon", r"items\[0\] is there, with login, id, at, tags"),
        ("items[9:]", r"items is there, with \[0\] to \[8\]"),
        ("item", "with items, total"),
        ("total[*]", "total is there, and has nothing below it"),
        ("items[2].x", "with login, id, at, tags"),
    ],
)
def test_what_is_not_there_is_told_by_what_is(pattern: str, told: str) -> None:
    """So that the next try can be right."""
    with pytest.raises(PathError, match=told):
        selected(USERS, pattern)


@pytest.mark.parametrize(
    "pattern", ["", "a[", "a[1:2:3]", "a[x:]", "a b[", '["\\ud800"]', "[--1:]"]
)
def test_what_is_no_pattern_is_told(pattern: str) -> None:
    """With its column."""
    with pytest.raises(PatternError, match="column"):
        selected(USERS, pattern)


def test_a_projection_keeps_the_shape() -> None:
    """Names, places and nulls stay; records without what is asked for are empty."""
    found = projected(USERS, ["items[*].login", "items[:2].at.city", "total"])
    items: list[Any] = [{"login": f"user{n}"} for n in range(9)]
    items[0] = {"login": "user0", "at": {"city": "c0"}}
    items[1] = {"login": "user1", "at": {"city": "c1"}}
    assert found == {"items": items, "total": None}
    assert projected([{"a": 1}, {"b": 2}], ["[*].a"]) == [{"a": 1}, {}]
    assert projected(USERS, ["**.city"])["items"][3] == {"at": {"city": "c3"}}
    with pytest.raises(PathError, match=r"there are items\[\*\]\.login, .*total"):
        projected(USERS, ["items[*].logon", "x"])


@examples(300)
@given(value=VALUES, data=st.data())
def test_all_that_is_there_is_all(value: Any, data: st.DataObject) -> None:
    """Every pattern of the outline names something, and all of them together leave nothing out."""
    assert projected(value, ["$"]) == selected(value, "$") == value
    assert projected(value, ["**"]) == value
    names = list(outline(value))
    if names:
        name = data.draw(st.sampled_from(names))
        found = selected(value, name)
        assert projected(value, [name]) == value or found != value


TABLE = [{**row, "note": f"something about {n}" * 3} for n, row in enumerate(rows(120))]
LOG = "".join(f"step {n} of the build is done\n" for n in range(200))
NESTED = {"users": TABLE[:40], "meta": {"pages": [*range(300)], "next": "abc"}}


@pytest.mark.parametrize("document", [TABLE, NESTED, LOG, {"a.b": {"c d": [*range(300)]}}])
@pytest.mark.parametrize("budget", [120, 400])
def test_all_is_shown_bit_by_bit(document: Any, budget: int) -> None:
    """What is recalled by default was not shown before, and in the end all was."""
    session, kept = Session(), Kept()
    text = document if isinstance(document, str) else json.dumps(document)
    given_ = session.add(tool="t", text=text, budget=budget)
    assert given_.elided
    assert given_.number == 1
    kept.cut(1, text, given_.elided, given_.text)
    seen = [_leaves(Reader().seen(given_.text), document)]
    while kept.next(1) is not None:
        said = recalled(session, kept, {"handle": "#1"}, budget, COUNTER)["content"][0]["text"]
        assert COUNTER.count(said) <= budget
        assert not re.search(r"(?m)(?:^|[ \t])-(?:[ \t]|$)", said), "nothing is absent in these"
        seen.append(_leaves(Reader().seen(said), document))
        assert len(seen) < 200
    everything = _leaves(document, document)
    assert everything <= set().union(*seen)
    whole = COUNTER.count(encode(document).text)
    assert len(seen) <= 2.5 * whole / budget + 1, "what comes again are names of records"
    again = recalled(session, kept, {"handle": "#1", "path": "$"}, None, COUNTER)
    assert _leaves(Reader().read(again["content"][0]["text"]), document) == everything


def _leaves(value: Any, document: Any) -> set[str]:
    """Return what is said, wherever it stands."""
    if isinstance(document, str):
        return {line for line in str(value).splitlines() if line.startswith("step")}
    if is_object(value):
        return set[str]().union(*(_leaves(each, document) for each in value.values()))
    if is_array(value):
        return set[str]().union(*(_leaves(each, document) for each in value))
    return {repr(value)}


def test_what_cannot_get_less_is_not_left() -> None:
    """A recall that would say the same again is not offered."""
    found = encode({"text": "word " * 400}, budget=40)
    document = {"text": "word " * 400}
    kept = Kept()
    kept.cut(1, json.dumps(document), found.elided, found.text)
    assert kept.next(1) == document
    recalled_ = recalled(_session(document), kept, {"handle": "#1"}, 40, COUNTER)
    assert "isError" not in recalled_
    assert kept.next(1) is None


def _session(document: Any) -> Session:
    session = Session()
    session.add(tool="t", text=json.dumps(document))
    return session


def test_little_is_remembered() -> None:
    """Of the latest results."""
    kept = Kept(most_cut=2)
    text = json.dumps(TABLE)
    found = encode(TABLE, budget=120)
    for number in range(1, 6):
        kept.cut(number, text, found.elided, found.text)
    assert [kept.next(number) is None for number in range(1, 6)] == [True] * 3 + [False] * 2


def test_columns_are_recalled() -> None:
    """By fields, with slices and paths, each within the budget."""
    session, kept = Session(), Kept()
    session.add(tool="t", text=json.dumps(TABLE))

    def recall(**args: Any) -> Any:
        said = recalled(session, kept, {"handle": "#1", **args}, 400, COUNTER)
        assert "isError" not in said, said
        return decode(said["content"][0]["text"])

    assert recall(path="$[5:8]") == TABLE[5:8]
    assert recall(path="$[*].id", limit=3) == [0, 1, 2]
    columns = recall(path="$[:4]", fields=["[*].id", "[*].state"])
    assert columns == [{"id": r["id"], "state": r["state"]} for r in TABLE[:4]]
    wrong = recalled(session, kept, {"handle": "#1", "path": "$[*].nmae"}, 400, COUNTER)
    assert wrong["isError"]
    assert "with id, name, state" in wrong["content"][0]["text"]
