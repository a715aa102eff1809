"""Strings that hold JSON are data while a text is written, and strings again when it is read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.jsontext import canonical
from mckp.parsers.embedded import extract, read_embedding
from mckp.parsers.moves import move_names, moves_to, reorder
from mckp.parsers.spelling import Spelling, read_spelling, spelling_of
from tests.strategies import TABLES, VALUES, examples

BUILDS = [
    {"id": n, "job": f"job {n % 3}", "status": "failed" if n % 7 == 2 else "passed"}
    for n in range(24)
]
SPELLINGS = [
    Spelling(),
    Spelling(spaced=True),
    Spelling(spaced=True, ascii=True),
    Spelling(2),
    Spelling(4, ascii=True),
    Spelling(-1, newline=True),
    Spelling(html=True),
    Spelling(ascii=True, slashes=True),
    Spelling(python=True),
    Spelling(js=True),
]


def wrapped(value: Any, spelling: Spelling, depth: int) -> Any:
    """Return data in a string, that in a member of another, and so on."""
    for level in range(depth):
        text = spelling.write(value)
        value = [{"type": "text", "text": text}, {"body": [text], "n": 1}][level % 2]
    return value


@pytest.mark.slow
@given(st.one_of(VALUES, TABLES), st.sampled_from(SPELLINGS), st.integers(1, 3), st.data())
@examples(60)
def test_a_string_comes_back_to_the_byte_and_says_what_is_left_of_it(
    data: Any, spelling: Spelling, depth: int, drawn: st.DataObject
) -> None:
    """Strings of JSON in any spelling read back to the byte, and keep any budget."""
    document = wrapped(data, spelling, depth)
    beside = drawn.draw(VALUES, label="beside")
    document = {"beside": beside, "inside": document}
    given_ = canonical(document)
    result = mckp.encode(document)
    assert canonical(mckp.decode(result.text)) == given_
    assert canonical(document) == given_, "the caller's data stay as they are"
    compact = mckp.encode(document, formats="json").tokens
    assert result.tokens <= compact
    budget = drawn.draw(st.integers(1, max(1, result.tokens)), label="budget")
    try:
        some = mckp.encode(document, budget=budget)
    except mckp.BudgetError:
        return
    assert some.tokens <= budget
    mckp.decode(some.text)  # each result is compared with what was kept, or there is none


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: str(spelling) or "compact")
def test_each_spelling_is_known_by_its_text(spelling: Spelling) -> None:
    """The spelling found in a text writes the same text again."""
    value: dict[str, Any] = {
        "a": [1, 2.5, 1e-7, "é <b> / \u2028 \U0001f600"],
        "b": {"c": None, "d": "x"},
        "e": [],
    }
    text = spelling.write(value)
    known = spelling_of(text)
    assert known is not None
    assert known.write(value) == text
    assert read_spelling(str(spelling)) == spelling


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (json.dumps(BUILDS), "spaced"),
        (json.dumps(BUILDS, indent=3), "indent=3"),
        (json.dumps(BUILDS, indent="\t"), "tabs"),
        (json.dumps({"a": "é", "b": 1}), "spaced ascii"),
        ('{"a":"\\u003cb\\u003e"}', "html"),
        ('{"a":"https:\\/\\/x.org"}', "slashes"),
        (json.dumps([1e-07, "x"], separators=(",", ":")), "python"),
        ('{"rate":0.00000125,"least":-1e-7,"most":1.5e+21,"s":"1e-07"}', "js"),
        ('{\n  "rate": 0.000001\n}', "indent=2 js"),
    ],
)
def test_programs_spell_json_in_these_ways(text: str, words: str) -> None:
    """The usual spellings of JSON by programs have names."""
    assert str(spelling_of(text)) == words


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2,"b":3,"c":4}',
        '{"a": 1,"b":2,"c":3,"d":4}',
        '{"a":1.50,"b":"x","c":"y","d":"z"}',
        '{"a":1e400,"b":"x","c":"y","d":"z"}',
        '{"a":"\\u0041","b":"x","c":"y","d":"z"}',
        '{"a":"\\ud800","b":"x","c":"y","d":"z"}',
        '{"a":NaN,"b":"x","c":"y","d":"z"}',
        ' {"a":1,"b":"x","c":"y","d":"z"}',
        '{"a":1,"b":"x","c":"y","d":"z"}\n\n',
        '{"a":1,"b":"x","c":"y","d":"z"',
        "{'a': 1, 'b': 'x', 'c': 'y', 'd': 'z'}",
        '[see below] "a" "b" "c" [1]',
        "[" * 10_000 + '"a","b","c"' + "]" * 10_000,
        '"' * 9,
    ],
)
def test_what_only_looks_like_it_stays_a_string(text: str) -> None:
    """A string that no spelling gives back to the byte stays a string."""
    document: dict[str, Any] = {"type": "text", "text": text, "more": [text, 1]}
    value, embedding = extract(document)
    assert embedding is None
    assert value is document
    assert mckp.decode(mckp.encode(document).text) == document


def test_an_array_of_the_document_at_such_a_place_keeps_all_strings() -> None:
    """If a place with strings of JSON also holds a real array, the strings stay strings."""
    text = json.dumps(BUILDS)
    _, embedding = extract([{"a": text}, {"a": [1]}])
    assert embedding is None
    _, embedding = extract([{"a": text}, {"a": "no data"}, {"a": 7}, {"b": [1]}])
    assert embedding is not None
    assert embedding.line == "> [JSON: [*].a spaced]\n"


def test_many_members_are_one_place_and_few_places_are_named() -> None:
    """Places in all members of a map are one pattern, and patterns are at most six."""
    text = json.dumps(BUILDS)
    _, embedding = extract({f"run {n}": {"log": text} for n in range(9)})
    assert embedding is not None
    assert embedding.line == "> [JSON: *.log spaced]\n"
    text = json.dumps({"a": text})
    _, embedding = extract({f"run {n}": {f"log {n}": text} for n in range(99)})
    assert embedding is not None
    assert len(embedding.places) <= 6


def test_cuts_and_questions_reach_what_is_inside() -> None:
    """Budgets, pins, cuts and `why` work within a string of JSON."""
    bare = {"project": "tides", "builds": BUILDS}
    document = {"type": "text", "text": json.dumps(bare)}
    bare_result, wrapped = mckp.encode(bare), mckp.encode(document)
    assert wrapped.tokens <= bare_result.tokens + 20
    some = mckp.encode(document, budget=90, priorities={"text.builds[23].job": "pin"})
    remaining = json.loads(mckp.decode(some.text)["text"])
    assert remaining["builds"][-1]["job"] == "job 2"
    assert some.elided[0].path[:2] == ("text", "builds")
    assert some.why("$.text.builds[23].job").path == ("text", "builds", 23, "job")
    assert mckp.decode(mckp.pack({"a": document, "b": "a plan\n"}).text)["a"] == document


@pytest.mark.slow
def test_many_places_that_cannot_be_one_take_linear_time() -> None:
    """Of 6,000 places that have no common pattern, six are named."""
    text = json.dumps({"a": "some words", "b": "and more"})
    log: dict[str, Any] = {f"run {n}": text for n in range(6000)}
    _, embedding = extract({**log, "last": {"a": 1}})
    assert embedding is not None
    assert len(embedding.places) == 6


def test_a_text_that_begins_with_such_a_line_is_no_data() -> None:
    """A text that begins like the line of embedded JSON reads back as text."""
    for source in ("> [JSON: text]\n{2}\ntext{a 1}\n", "> [JSON: text]\n\n# Title\n\nText.\n"):
        assert mckp.decode(mckp.encode(source).text) == mckp.parse(source)
    value = {"text": "> [JSON: text]\n" + json.dumps(BUILDS), "a": [json.dumps(BUILDS)]}
    assert mckp.decode(mckp.encode(value).text) == value


@pytest.mark.parametrize(
    "line",
    [
        "> [JSON: ]",
        "> [JSON: a,b]",
        "> [JSON: a big]",
        "> [JSON: a; b]",
        "> [JSON: $.a]",
        "[JSON: a]",
    ],
)
def test_other_lines_are_no_such_line(line: str) -> None:
    """Lines in other notations name no embedded JSON."""
    assert read_embedding(line) is None


@given(st.lists(st.permutations("abcdef").map(lambda p: "".join(p)[:4]), min_size=1, max_size=3))
@examples(200)
def test_moves_restore_an_order_or_are_refused(orders: list[str]) -> None:
    """The moves of members restore each order, or there are none for several orders."""
    pairs: list[tuple[dict[str, Any], dict[str, Any]]]
    pairs = [(dict.fromkeys(sorted(order), 1), dict.fromkeys(order, 1)) for order in orders]
    moves = moves_to(pairs)
    if moves is None:
        assert len(orders) > 1, "one order can always be had"
        return
    reordered: list[Any] = [reorder(first, moves) for first, _ in pairs]
    assert list(map(list, reordered)) == [list(second) for _, second in pairs]
    assert move_names([], moves) == []
