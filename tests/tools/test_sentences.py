"""Where sentences end, also in texts that make that hard to say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.tools.text.spell import first_sentence, sentences
from tests.cases import cases

_PIECES = ["a", "B", ".", "!", "e.g.", "approx.", "(vs.", ")", '"', " ", "  ", "\n", "é", "1"]


@given(st.lists(st.sampled_from(_PIECES)).map("".join))
def test_joined_they_are_the_text(text: str) -> None:
    """Sentences join to the text, and all but the last end with a blank."""
    pieces = sentences(text)
    assert "".join(pieces) == text
    assert all(pieces)
    assert all(piece[-1].isspace() for piece in pieces[:-1])


@pytest.mark.parametrize(
    ("text", "first"),
    cases(__file__, "test_where_the_first_one_ends"),
)
def test_where_the_first_one_ends(text: str, first: str) -> None:
    """The first sentence of each text ends where a reader would end it."""
    assert first_sentence(text) == first


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["e.g. ", ".", ". ", "x.)", "word "])
def test_what_never_ends_is_one_sentence(piece: str) -> None:
    """Half a megabyte without sentences, or of short ones, is split and joins again."""
    text = "a" + 100_000 * piece + "b"
    assert len(sentences(text)) in (1, 99_999)
    assert "".join(sentences(text)) == text
