"""Counts by pieces are those of tiktoken."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.tokenizers import by_tiktoken
from mckp.tokenizers.bpe import Bpe
from mckp.tokenizers.classes import ASCII, COMMON, classes
from mckp.tokenizers.pieces import Pieces, count_texts
from mckp.tokenizers.tally import LONGEST
from mckp.tokenizers.vocabularies import VOCABULARIES
from tests.strategies import SCALE, examples
from tests.tokenizers.test_fragment import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

both = pytest.mark.parametrize("name", VOCABULARIES)
KNOWN = {name: Pieces(name) for name in VOCABULARIES}
STEP = max(1, round(61 / SCALE))
"""Every how many-th code point is tried; 1 tries them all."""


def counted(pieces: Pieces, batch: Sequence[str]) -> list[int]:
    coded = [text.encode("utf-8", "surrogatepass") for text in batch]
    ends = np.array([0, *accumulate(map(len, coded))])
    found: list[int] = pieces.count(
        np.frombuffer(b"".join(coded), np.uint8), ends[:-1], ends[1:]
    ).tolist()
    return found


@both
@given(batch=st.lists(texts | st.text(), max_size=5))
@examples(300)
def test_texts(name: str, batch: list[str]) -> None:
    """Texts of all that is special to the patterns."""
    assert counted(KNOWN[name], batch) == by_tiktoken.count_batch(name, batch)


@both
@pytest.mark.parametrize(
    "around",
    ["\n{}/x", "a{}B's", "A{}sA;", " {}\n{} ", " {}{}a", "'{}'{}1{}{}2", "{}  {}", "'l{}\t"],
)
def test_code_points(name: str, around: str) -> None:
    """Every character beside those that it may form a piece with, rare ideographs included."""
    codes = [*range(0, 0x3000), *range(0x3000, 0x20100, STEP)]
    batch = [around.replace("{}", chr(code)) for code in codes]
    assert counted(KNOWN[name], batch) == by_tiktoken.count_batch(name, batch)


@both
@given(batch=st.lists(texts, min_size=1, max_size=30))
@examples(60)
def test_little_room(name: str, batch: list[str]) -> None:
    """Tables that have to grow, or to be emptied, or that are too small."""
    pieces = Pieces(name, slots=4, most=16)
    for _ in range(2):
        assert counted(pieces, batch) == by_tiktoken.count_batch(name, batch)


@both
def test_long_pieces(name: str) -> None:
    """Pieces that are compared with those kept, and pieces too long to keep."""
    words = ["x" * n for n in (7, 8, 14, 15, LONGEST, LONGEST + 1)]
    batch = [*words, *words, "y" * 14, "x" * 13 + "y", "-" * 9, "é" * 4]
    assert counted(KNOWN[name], batch) == by_tiktoken.count_batch(name, batch)


@both
def test_slices(name: str) -> None:
    """Slices may overlap, be empty, stand in any order and leave the rest of a buffer out."""
    content = "é, one two  three\n\n 4 日本".encode()
    buffer = np.frombuffer(content, np.uint8)
    starts = np.array([13, 2, 2, 5, 0])
    ends = np.array([len(content), 9, 2, 20, len(content)])
    due = [content[start:end].decode() for start, end in zip(starts, ends, strict=True)]
    found = KNOWN[name].count(buffer, starts, ends).tolist()
    assert found == by_tiktoken.count_batch(name, due)
    assert found == KNOWN[name].count(buffer.copy(), starts, ends).tolist()
    assert KNOWN[name].count(buffer, starts[:0], ends[:0]).tolist() == []


@both
@pytest.mark.parametrize("copies", [1, 2000])
def test_slices_of_any_size(name: str, copies: int) -> None:
    """Few slices and many give the same counts."""
    buffer = np.frombuffer("é, one two  three".encode(), np.uint8)
    starts, ends = np.array([0, 4] * copies), np.array([8, 18] * copies)
    due = by_tiktoken.count_batch(name, ["é, one ", "one two  three"])
    assert Bpe(name).count_pieces(buffer, starts, ends).tolist() == due * copies


@pytest.mark.parametrize(
    "wrong", [b"\xc3", b"a\xff", b"\xe6\x97", b"\xf0\x9f\x9a", b"\xc0\x80", b"\x80"]
)
def test_no_utf8(wrong: bytes) -> None:
    """What is no UTF-8 is an error, and what was counted before is counted after."""
    pieces = Pieces("o200k_base")
    due = counted(pieces, ["a b"])
    with pytest.raises(UnicodeDecodeError):
        pieces.count(
            np.frombuffer(b"new" + wrong, np.uint8), np.array([0]), np.array([len(wrong) + 3])
        )
    assert counted(pieces, ["a b", "new"]) == [*due, 1]


def test_classes_agree() -> None:
    """The short table of classes is the beginning of the long one."""
    assert (classes(ASCII) == classes(COMMON)[:ASCII]).all()


@both
def test_large_batches(name: str) -> None:
    """A large batch of many texts is counted piece by piece, in order."""
    batch = [f"row {n}: {n * n} 日本 don't \ud800" for n in range(1000)]
    due = by_tiktoken.count_batch(name, batch)
    assert count_texts(name, batch) == due
    assert Bpe(name).count_batch(batch) == due
