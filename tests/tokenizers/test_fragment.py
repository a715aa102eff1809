"""What counts as a fragment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.tokenizers import get, is_fragment
from tests.cases import cases
from tests.strategies import examples

PIECES = cases(__file__, "PIECES")
"""Contractions, line ends, exotic blanks, marks, scripts, digits, slashes and indentation."""

texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
fragments = texts.map(lambda text: text + "\n").filter(is_fragment)


@pytest.mark.parametrize("text", ["a\n", "  a\n", "\ta\n\n", " /a\n", "\u3000x\r\n", "a/\n/b\n"])
def test_fragments(text: str) -> None:
    """Indented first lines, blank lines after the first and slashes elsewhere are allowed."""
    assert is_fragment(text)


@pytest.mark.parametrize(
    "text", ["", "a", "\n", " \n", "/a\n", "\ra\n", " \ra\n", "\x1c\n", "\u3000\n", "a\r"]
)
def test_others(text: str) -> None:
    """No line feed at the end, a blank first line or a slash in front make no fragment."""
    assert not is_fragment(text)


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
@given(parts=st.lists(fragments, min_size=2, max_size=4))
@examples(300)
def test_counts_add_up(name: str, parts: list[str]) -> None:
    """The tokens of joined fragments are the sum of their tokens."""
    tokenizer = get(name)
    assert tokenizer.count("".join(parts)) == sum(tokenizer.count_batch(parts))


@pytest.mark.parametrize(
    ("first", "second"),
    [("a\n", "\nb\n"), ("a\n", " \nb\n"), ("a\n", "\r\nb\n"), ("a;\n", "/;b\n"), ("a", "b\n")],
)
def test_others_need_not_add_up(first: str, second: str) -> None:
    """Each part of the law is needed: without it there are joints where o200k_base is off."""
    count = get("o200k_base").count
    assert not (is_fragment(first) and is_fragment(second))
    assert count(first + second) != count(first) + count(second)
