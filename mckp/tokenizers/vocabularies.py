"""The vocabularies shipped with the library, and how their files are read.

A file holds the tokens in alphabetical order, in pages, as a printed dictionary does. A few tokens
are found without reading the others: the heads of the pages lead to the page, and the page is
searched. The whole vocabulary is made into a `dict` only where much is to be counted.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from functools import cache
from pkgutil import get_data
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Vocabulary(NamedTuple):
    """What is known of a vocabulary before its file is opened."""

    size: int
    """How many tokens it has, special ones apart."""
    sha256: str
    """Digest of its rank file in tiktoken's text format."""
    canary: int
    """Tokens of the canary text."""


VOCABULARIES: Final = {
    "o200k_base": Vocabulary(
        199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", 33
    ),
    "cl100k_base": Vocabulary(
        100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", 37
    ),
}

LONGEST: Final = 128
"""Bytes of the longest token of any."""

CANARY: Final = 'Hello, it\'s 12345 naïve 日本語 🚀\n\n  {"a":[1,2.5e-3]}<|endoftext|>'
"""A text whose count goes wrong when ranks, pattern or special tokens do."""

PAGE: Final = 32
"""Tokens of a page. Smaller pages have more heads to read, larger ones take longer to search."""

_BYTE: Final = b"\xff"
"""A byte that UTF-8 does not use, so it is in no token but the one that is this byte."""
_WORD: Final = 4
"""Bytes of a number in a file."""


class TokenFile:
    r"""The content of a vocabulary's file.

    It is a row of unsigned numbers of 32 bits, little end first, and the tokens after them. The
    numbers are the place of the byte before the first token of each page, the place of the last
    byte, and the rank of each token in the order of the file. The tokens are sorted; a byte that is
    part of no token stands before the first and after each. The token that is this byte
    would be the last one and is left out, though its rank is there.

    Parameters
    ----------
    content : bytes
        What `scripts/pack_vocab.py` made.
    size : int
        How many tokens it holds.

    Raises
    ------
    ValueError
        If that is not what it holds.

    Examples
    --------
    >>> token_file("cl100k_base").find([b"Hello", b"Hellox", b"\xff"])
    {b'Hello': 9906, b'\xff': 187}
    """

    def __init__(self, content: bytes, size: int) -> None:
        pages = -(-(size - 1) // PAGE)
        numbers = _numbers(content[: _WORD * (pages + 1 + size)])
        self._starts = numbers[: pages + 1]
        self._ranks = numbers[pages + 1 :]
        self._tokens = content[_WORD * (pages + 1 + size) :]
        if len(self._ranks) != size or self._starts[-1] + 1 != len(self._tokens):
            raise ValueError(f"a vocabulary's file does not hold the {size} tokens that are due")
        tokens = self._tokens
        self._heads = [
            tokens[start + 1 : tokens.index(_BYTE, start + 1)] for start in self._starts[:-1]
        ]

    def find(self, pieces: Iterable[bytes]) -> dict[bytes, int]:
        """Return the ranks of those pieces that are tokens."""
        heads, starts, tokens, ranks = self._heads, self._starts, self._tokens, self._ranks
        found: dict[bytes, int] = {}
        for piece in pieces:
            page = bisect_right(heads, piece) - 1
            start, stop = starts[page], starts[page + 1] + 1
            at = tokens.find(_BYTE + piece + _BYTE, start, stop)
            if at >= 0 and page >= 0:
                found[piece] = ranks[page * PAGE + tokens.count(_BYTE, start, at)]
            elif piece == _BYTE:
                found[piece] = ranks[-1]
        return found

    def all(self) -> dict[bytes, int]:
        """Return every token with its rank, in alphabetical order.

        Raises
        ------
        ValueError
            If the tokens are not as many as their ranks.
        """
        tokens = self._tokens[1:].split(_BYTE)
        tokens[-1] = _BYTE
        return dict(zip(tokens, self._ranks, strict=True))


@cache
def token_file(name: str) -> TokenFile:
    """Open a shipped vocabulary.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.

    Returns
    -------
    TokenFile
        The same object on every call.

    Examples
    --------
    >>> token_file("cl100k_base") is token_file("cl100k_base")
    True
    """
    # importlib.resources takes longer to import than the file to read.
    content = get_data("mckp.tokenizers", f"vocab/{name}.tokens")
    assert content is not None, "a package has a loader"
    return TokenFile(content, VOCABULARIES[name].size)


def _numbers(content: bytes) -> array[int]:
    numbers = array("I")
    numbers.frombytes(content[: len(content) // _WORD * _WORD])
    if sys.byteorder == "big":  # files have the little end first
        numbers.byteswap()
    return numbers
