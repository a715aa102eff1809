"""Long texts are cut where counts add up."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mckp.tokenizers import by_tiktoken
from mckp.tokenizers.backends import Bpe
from mckp.tokenizers.encodings import VOCABULARIES, load
from mckp.tokenizers.fragment import portions
from tests.strategies import examples
from tests.tokenizers.test_fragment import texts

_LINES = st.lists(texts, max_size=8).map("a\n".join)


@pytest.mark.parametrize("name", VOCABULARIES)
@given(text=_LINES, size=st.integers(1, 20))
@example(text="a\n\n\nb1\n  x\r\n", size=1)
@examples(300)
def test_counts_add_up(name: str, text: str, size: int) -> None:
    parts = list(portions(text, size))
    assert "".join(parts) == text
    assert sum(by_tiktoken.count_batch(name, parts)) == by_tiktoken.count_batch(name, [text])[0]


def test_portions_are_no_shorter_than_said_and_not_much_longer() -> None:
    parts = list(portions("some words\n" * 1000, 100))
    assert all(100 <= len(part) <= 111 for part in parts[:-1])
    assert list(portions("-\n" * 1000, 100)) == ["-\n" * 1000]


def test_a_long_text_is_counted_in_portions() -> None:
    text = "some words\n" * 40_000
    with patch("mckp.tokenizers.backends.count_whole", return_value=7) as counted:
        assert Bpe("o200k_base").count(text) == 14
    count = len(load("o200k_base").encode_ordinary(text))
    assert Bpe("o200k_base").count_batch([text, "a"]) == [count, 1]
    assert "".join(call.args[1] for call in counted.call_args_list[:2]) == text
