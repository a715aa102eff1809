"""TOON by its own library: exact or refused."""

import sys
from typing import Any, Final

import pytest
from hypothesis import given

from mckp import decode, encode
from mckp.encoders.headers import Header
from mckp.encoders.lines import Lines
from mckp.encoders.toon import TOON, read
from mckp.errors import MissingExtraError, ParseError
from mckp.jsontext import difference
from tests.strategies import VALUES, examples

toon_format = pytest.importorskip("toon_format", reason="the extra toon is not installed")

TABLE: Final = {"jobs": [{"id": n, "name": f"job {n}"} for n in range(20)]}


def header(bracket: str, size: int) -> Header:
    return Header(0, "", bracket, size, "toon")


@given(value=VALUES)
@examples(400)
def test_round_trip(value: Any) -> None:
    """What the TOON library writes decodes to the same value, and to the end."""
    body = TOON.body(value)
    if body is not None:
        assert not body.rows
        lines = Lines(body.text)
        assert body.shape == f"({len(lines.items)})"
        assert difference(value, read(lines, header("(", len(lines.items)))) is None
        assert lines.peek() is None


def test_the_text_below_the_header_is_toon() -> None:
    """The text below the header is read by the library of TOON."""
    first, _, text = encode(TABLE, formats=["toon"]).text.partition("\n")
    assert first == "(21) toon"
    assert toon_format.loads(text) == TABLE


def test_a_block_among_lines_reads_back() -> None:
    """A TOON block among other members reads back."""
    data = {"page": 1, **TABLE, "also": [[n, [n] * 30] for n in range(9)], "next": "x\ny"}
    text = encode(data, formats=["kv", "prose", "toon"]).text
    assert "# jobs(21) toon\n" in text
    assert difference(data, decode(text)) is None


@pytest.mark.parametrize("formats", [["standard"], ["json", "kv", "csv"]])
def test_not_asked_for_it_is_not_used(formats: list[str]) -> None:
    """TOON is written only if it is named among the formats."""
    assert " toon\n" not in encode(TABLE, formats=formats).text


@pytest.mark.parametrize("reread", [{"a": 2}, {"a": 1.0}, {}, ValueError("no")])
def test_what_the_library_misreads_is_refused(
    monkeypatch: pytest.MonkeyPatch, reread: object
) -> None:
    """A text that its own decoder reads as something else, or not at all, is never used."""

    def loads(_: str) -> object:
        if isinstance(reread, ValueError):
            raise reread
        return reread

    monkeypatch.setattr(toon_format, "loads", loads)
    assert TOON.body({"a": 1}) is None


def test_a_count_of_items_is_an_error() -> None:
    """A header that counts items in place of lines is an error."""
    with pytest.raises(ParseError, match="number of lines"):
        read(Lines("[1]: 1\n"), header("[", 1))


def test_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library, writing and reading name the package to install."""
    monkeypatch.setitem(sys.modules, "toon_format", None)
    with pytest.raises(MissingExtraError, match=r"pip install toon-format"):
        TOON.body([1])
    with pytest.raises(MissingExtraError, match=r"pip install toon-format"):
        read(Lines("[1]: 1\n"), header("(", 1))
