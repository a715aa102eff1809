"""Hints of every family are read as they were written, and text that looks like them stays text."""

import re
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mckp
from mckp import ABSENT, tokenizers
from mckp.encoders.hints import (
    Hint,
    Overflow,
    Reference,
    TextLabel,
    ValueChange,
    read_end,
    read_hint,
    read_path,
    write_end,
    write_path,
)
from mckp.jsontext import canonical, difference
from mckp.parsers.python import from_python
from tests.cases import cases
from tests.sheets import load
from tests.strategies import TEXTS, VALUES, Values, examples

ODD = st.sampled_from(
    [
        *("]", "[", '"', "\n", "\r\n", "=>", " => ", "→", ":", " ", "", "of", "\x00", "\x1f", "\\"),
        *("> [ref #1]", 'a]"', "=", "ref #2", "\u2028", "a b", "$", "0", "for", "\u2118", "\u00b7"),
    ]
)
WORDS = st.lists(ODD | TEXTS | st.text(max_size=4), max_size=4).map("".join)
NUMBERS = st.integers(0, 10**18 - 1)
PATHS = st.lists(WORDS | NUMBERS, max_size=4).map(tuple)
PLAIN = VALUES | st.just(ABSENT)
OVERFLOWS = st.builds(
    Overflow, NUMBERS, st.none(), st.sampled_from(["rows", "facts"]), st.none() | WORDS
) | st.builds(Overflow, NUMBERS, NUMBERS, st.just("lines"), st.none() | WORDS)
REFERENCES = st.builds(
    Reference,
    NUMBERS,
    st.lists(st.builds(ValueChange, PATHS, PLAIN, PLAIN), max_size=3).map(tuple),
)
LAYOUTS = st.builds(TextLabel, st.none(), st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True))
HINTS = OVERFLOWS | REFERENCES | LAYOUTS


def plain(hint: Hint | None) -> Any:
    """Return what a hint says as text in which types are apart."""
    if isinstance(hint, Reference):
        changes = [(change.path, shown(change.old), shown(change.new)) for change in hint.changes]
        return hint.number, changes
    return hint


def shown(value: Any) -> str:
    """Return a value as text; nothing at all is the empty one."""
    return "" if value is ABSENT else canonical(value)


@given(hint=HINTS)
@examples(600)
def test_what_is_written_is_read(hint: Hint) -> None:
    """A hint of any family is one line that reads back as the same hint."""
    line = str(hint)
    assert "\n" not in line
    assert plain(read_hint(line)) == plain(hint)


@given(text=WORDS)
@examples(300)
def test_ends_and_paths_come_back(text: str) -> None:
    """Texts at the end of a hint and names in paths survive, each written one way only."""
    assert read_end(write_end(text)) == text
    assert read_path(write_path((text, 3, text))) == (text, 3, text)
    end = read_end(text)
    assert end is None or write_end(end) == text


@given(
    text=WORDS | HINTS.map(str),
    place=st.integers(0, 40),
    odd=st.just("") | ODD,
    less=st.integers(0, 2),
)
@examples(400)
def test_what_is_read_could_be_written(text: str, place: int, odd: str, less: int) -> None:
    """A line that is almost a hint is none, or the hint that is written so."""
    line = text[:place] + odd + text[place + less :]
    hint = read_hint(line)
    if hint is not None and not isinstance(hint, Overflow):
        assert str(hint) == line
    if isinstance(hint, Overflow):
        assert read_hint(str(hint)) == hint


@pytest.mark.parametrize(
    "line",
    [*cases(__file__, "test_no_hint"), "> [ref #1 a:" + "[" * 10**5 + "=>1]"],
)
def test_no_hint(line: str) -> None:
    """Lines that only look like a note are not read as one."""
    assert read_hint(line) is None


def test_tokens_are_those_of_the_sheet() -> None:
    """The sheet says what a line of each family costs, which is 15 tokens at most."""
    shown = re.findall(r"^\| `(> .+)` \| (\d+) \| (\d+) \|$", load("encoders", "hints").prose, re.M)
    assert len({type(read_hint(line)) for line, *_ in shown}) == 3
    for line, *counts in shown:
        tokens = [tokenizers.get(name).count(f"{line}\n") for name in ("o200k", "cl100k")]
        assert tokens == list(map(int, counts))
        assert max(tokens) <= 15


KNOWN = cases(__file__, "KNOWN")


@st.composite
def marked(draw: st.DrawFn) -> str:
    """Draw a line that looks like a hint, or like one with a mark."""
    line = draw(st.sampled_from(KNOWN)) if draw(st.booleans()) else str(draw(HINTS))
    return draw(st.sampled_from(["", "\\", "\\\\"])) + line


MARKED = marked()
NORMAL = st.sampled_from(
    [
        *("Some words of normal text.", "# A heading", "- an item", "12:00 start", "key: value"),
        *("a,b", "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |", "```\ncode\n```", "/etc", "[1]"),
        *("It goes on and on. " * 6, "1. one\n2. two", "{2}", "[2] csv", "[2] csv\nid\n1\n2"),
    ]
)
PLACED = st.tuples(
    st.sampled_from(["", "", "", "- ", "> ", "1. ", "  ", "- > ", "```\n", "# ", "a\n", "    "]),
    MARKED,
).map("".join)
LINES = st.lists(PLACED | MARKED | NORMAL, min_size=1, max_size=8)
DOCUMENTS = st.tuples(LINES, st.sampled_from(["\n", "\n\n"])).map(lambda d: d[1].join(d[0]))
LEVELS = st.sampled_from(["standard", "native", "dense"])
BUDGETS = st.integers(4, 120)


def encoded(data: Any, **options: Any) -> mckp.Result | None:
    """Return the result, or None if the budget is too small; it has read itself back."""
    try:
        return mckp.encode(data, **options)
    except mckp.BudgetError:
        return None


BELOW_A_FENCE = "\n".join(cases(__file__, "BELOW_A_FENCE"))
"""Of which a note is below what may be the end of a block of code."""


@given(text=DOCUMENTS, kind=st.sampled_from(["markdown", "text"]), budget=BUDGETS, level=LEVELS)
@example(text=BELOW_A_FENCE, kind="text", budget=55, level="standard")
@examples(500)
def test_fake_hints_in_texts_stay_text(text: str, kind: str, budget: int, level: str) -> None:
    """Markdown and plain text come back whole; what is cut from them is what is said to be."""
    tree = mckp.parse(text, kind)
    assert mckp.decode(mckp.encode(tree, formats=[level]).text) == tree
    encoded(tree, budget=budget, formats=level)


@pytest.mark.parametrize("budget", range(25, 45))
def test_marked_lines_of_a_paragraph_that_is_shortened(budget: int) -> None:
    """What is left of a paragraph above a note keeps its own backslashes."""
    note = "> [+3 of 9 blocks]"
    lines = [note, f"\\{note}", note, f"> [{'many words ' * 40}]"]
    tree = mckp.parse("\n".join(lines), "text")
    encoded(tree, budget=budget)


CELLS = {"s": MARKED, "t": LINES.map("\n".join)}
ROWS = st.lists(st.fixed_dictionaries({"id": MARKED}, optional=CELLS), min_size=1, max_size=6)
FLAT: Values = MARKED | DOCUMENTS | ROWS


def around(inner: Values) -> Values:
    names = st.dictionaries(MARKED | TEXTS, inner, max_size=3)
    return inner | names | st.lists(inner, max_size=3)


DATA = around(around(FLAT))
"""Values made of strings and keys that look like hints."""


@given(value=DATA, budget=BUDGETS, level=LEVELS)
@examples(500)
def test_fake_hints_in_data_stay_strings(value: Any, budget: int, level: str) -> None:
    """Keys and strings come back whole; what is cut from data is what is said to be."""
    tree = from_python(value)
    assert difference(mckp.decode(mckp.encode(tree, formats=[level]).text), value) is None
    encoded(tree, budget=budget, formats=level)


FORMATS = ["csv", "table", "prose", "fence", "kv", "rows", "flow", "derived"]
if find_spec("toon_format") is not None:
    FORMATS.append("toon")


@pytest.mark.slow
@given(value=DATA, budget=BUDGETS)
@examples(60)
def test_fake_hints_in_every_format(value: Any, budget: int) -> None:
    """Strings that resemble hints read back in every format, whole and within a budget."""
    tree = from_python(value)
    for name in FORMATS:
        formats = ["json", "kv", name]
        text = mckp.encode(tree, formats=formats).text
        assert difference(mckp.decode(text), value) is None, name
        encoded(tree, budget=budget, formats=formats)


def test_a_shortened_string_is_read_back() -> None:
    """A shortened string that resembles a hint reads back as its beginning and an ellipsis."""
    text = "> [ref #0 $:null=>null a b c d e f g h i j k l m n o p q r s t u v"
    result = mckp.encode(from_python(text), budget=14)
    assert mckp.decode(result.text) == text[: len(mckp.decode(result.text)) - 2] + " …"
    assert result.elided[0].kind == "words"


def test_a_text_that_begins_with_a_note_is_read_back() -> None:
    """The lines of a string are counted, whatever they look like."""
    text = "> [+3 of 9 blocks]\n\nx\n\n> [+3 of 9 blocks]"
    for level in ("standard", "native", "dense"):
        assert mckp.decode(mckp.encode(from_python(text), formats=level).text) == text


def test_markdown_below_what_could_be_data() -> None:
    """Notes below a first line that could be data do not make data of a text."""
    for first in ("[1]", '"abc"', '{"a":1}'):
        tree = mckp.parse(f"{first}\n" + "> [+1 of 2 lines]\n" * 2, "markdown")
        assert mckp.decode(mckp.encode(tree).text) == tree
