"""The law of blanks: where a line may be cut so that the counts of its parts add up."""

from __future__ import annotations

import re
from itertools import pairwise, product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.tokenizers.encodings import load
from mckp.tokenizers.fragment import BLANKS, is_fragment
from mckp.tokenizers.vocabularies import VOCABULARIES
from tests.strategies import examples
from tests.tokenizers.test_fragment import PIECES

if TYPE_CHECKING:
    from collections.abc import Iterable

both = pytest.mark.parametrize("name", VOCABULARIES)
texts = st.lists(st.sampled_from((*PIECES, *[" ", "\n", " x"] * 5)), max_size=14).map("".join)
"""Of all that is special to the patterns, with more joints than by chance."""


def tokens(name: str, text: str) -> list[int]:
    return load(name).encode_ordinary(text)


def is_joint(before: str, after: str) -> bool:
    """Whether one of the laws says that a text may be cut between two parts."""
    if after[0] == " ":
        return any(re.match(rf"[^{BLANKS}\r\n]", each) for each in (before[-1], after[1:2]))
    return before[-1] == "\n" and is_fragment(f"{after}\n")


def joints(text: str) -> Iterable[int]:
    return (place for place in range(1, len(text)) if is_joint(text[:place], text[place:]))


@both
@given(text=texts)
@examples(500)
def test_tokens_are_those_of_the_parts(name: str, text: str) -> None:
    """At every joint, alone and all together, a text has the tokens of its parts."""
    due, places = tokens(name, text), [0, *joints(text), len(text)]
    for place in places:
        assert tokens(name, text[:place]) + tokens(name, text[place:]) == due
    parts = [text[start:stop] for start, stop in pairwise(places)]
    assert [token for part in parts for token in tokens(name, part)] == due


@both
def test_a_blank_among_all_kinds_of_characters(name: str) -> None:
    """One blank or two between each two of the pieces, or at an end of the text."""
    around = [piece for piece in PIECES if not re.search("[\ud800-\udfff]", piece)] + [""]
    for before, blank, after in product(around, [" ", "  "], around):
        text = before + blank + after
        for place in joints(text):
            assert tokens(name, text[:place]) + tokens(name, text[place:]) == tokens(name, text)


def test_which_blanks_are_joints() -> None:
    """One side without white space is enough; the end of a text is white space."""
    assert is_joint("a", " b")
    assert is_joint("a", " ")
    assert is_joint("a", "   b")
    assert is_joint("\t", " b")
    assert is_joint("\x1c", " \x1c")  # white space to Python alone
    assert not is_joint("\t", " ")
    assert not is_joint("\xa0", " \u2028")
    assert not is_joint(" ", "  b")


@both
def test_no_other_place_among_three_blanks(name: str) -> None:
    """The law cannot say more: cut elsewhere, a text has other counts."""
    assert len(tokens(name, "a   b")) < len(tokens(name, "a ")) + len(tokens(name, "  b"))
    assert len(tokens(name, "a\t\n")) < len(tokens(name, "a\t")) + len(tokens(name, "\n"))


def test_white_space_of_the_patterns() -> None:
    """The white space of the laws is Unicode's, as the patterns have it."""
    known = {char for char in map(chr, range(0x3001)) if re.match(f"[{BLANKS}]", char)}
    assert known == {char for char in map(chr, range(0x3001)) if re.match(r"\s", char)} - set(
        "\r\n\x1c\x1d\x1e\x1f"
    )
