"""Every format gives back what it was given."""

from typing import Any

import pytest
from hypothesis import given

import mckp
from mckp.answers.reading import decode
from mckp.encoders import ALL, write
from mckp.encoders.base import DataLoss, Format
from mckp.jsontext import difference
from tests.strategies import VALUES, examples


@given(value=VALUES)
@examples(200)
def test_round_trip(value: Any) -> None:
    """What a format writes decodes to the same value."""
    for format_ in ALL:
        text = write(value, format_)
        assert text is None or difference(value, decode(text)) is None, format_.name


@pytest.mark.parametrize("format_", ALL, ids=lambda known: known.name)
def test_formats_lose_nothing(format_: Format) -> None:
    """No built-in format loses data."""
    assert format_.loss is DataLoss.NONE


@pytest.mark.parametrize("name", ["csv", "table"])
def test_a_markdown_link_in_a_cell_is_bare(name: str) -> None:
    """What only looks like a link, or like JSON, still reads back as it was."""
    texts = [
        "[a](https://b.c)",
        "[a, b](/c|d)",
        "[]()",
        '[a"](b)',
        "[a](b) ",
        "[a]",
        "[1](",
        "[[a]](b)",
    ]
    rows = [{"id": number, "link": text} for number, text in enumerate([*texts, [1], ["a"]])]
    text = mckp.encode(rows, formats=[name]).text
    assert "[a](https://b.c)" in text
    assert '"[a](https' not in text
    assert decode(text) == rows
