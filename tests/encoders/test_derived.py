"""Columns that follow from others come back as they were."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import encode
from mckp.answers.reading import decode
from mckp.encoders import DERIVED, write_all
from mckp.encoders.derive import fill
from mckp.errors import ParseError
from mckp.jsontext import difference
from tests.cases import cases
from tests.strategies import SCALARS, examples

WORDS = st.sampled_from(
    ["7", "12", "ann", "a b", "", "{id}", "{x}", "x", "é", 7, 12, 10**20, -3, True]
)
PARTS = st.sampled_from(cases(__file__, "PARTS"))


@st.composite
def records(draw: st.DrawFn) -> list[dict[str, Any]]:
    templates = draw(st.lists(st.lists(PARTS, min_size=1, max_size=5), min_size=1, max_size=3))
    odd = draw(st.booleans())
    rows: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(2, 5))):
        record: dict[str, Any] = {"id": draw(WORDS), "name": draw(WORDS)}
        for number, parts in enumerate(templates):
            text = "".join(["address/", *parts])
            record[f"u{number}"] = fill(text, record)
        if odd and draw(st.booleans()):
            record["x"] = draw(SCALARS)
        rows.append(record)
    return rows


@given(values=records(), wrapped=st.booleans())
@examples(300)
def test_what_is_derived_reads_back(values: list[dict[str, Any]], wrapped: bool) -> None:
    """Every layout with templates is read as the records, and so is a dense document."""
    value: list[Any] = [{"n": 1, "of": values}, {"n": 2, "of": values[:1]}] if wrapped else values
    for text in write_all(value, DERIVED):
        assert difference(value, decode(text)) is None
    assert difference(value, decode(encode(value, formats="dense").text)) is None


def test_templates_have_few_braces() -> None:
    """What has more braces than a reader fills stays a column."""
    values = [{"id": i, "u": f"https://example.org/{i}{{/a}}{{/b}}{{/c}}"} for i in (17, 28, 39)]
    assert list(write_all(values, DERIVED)) == []
    shorter = [{"id": i, "u": f"https://example.org/{i}{{/a}}{{/b}}"} for i in (17, 28, 39)]
    assert decode(next(write_all(shorter, DERIVED))) == shorter


@pytest.mark.parametrize(
    "columns",
    ["a b~{a}{a}{a}{a}", "a b~{c}x c~{a}x", "a b~{b}x", "a b~7", "a b~[x]", "a b~"],
)
def test_templates_that_could_spell_without_end_are_refused(columns: str) -> None:
    """A template is a string of few holes, none of them filled by another template."""
    with pytest.raises(ParseError):
        decode(f"[1]{{{columns}}}\nx\n")
