"""The vocabularies shipped with the library, and how their packed files are read."""

from __future__ import annotations

import zlib
from itertools import accumulate, pairwise
from typing import NamedTuple


class Vocabulary(NamedTuple):
    """What is known of a vocabulary before its file is opened."""

    size: int
    """How many tokens it has, special ones apart."""
    sha256: str
    """Digest of its rank file in tiktoken's text format."""
    canary: int
    """Tokens of the canary text."""


VOCABULARIES = {
    "o200k_base": Vocabulary(
        199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", 33
    ),
    "cl100k_base": Vocabulary(
        100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", 37
    ),
}

CANARY = 'Hello, it\'s 12345 naïve 日本語 🚀\n\n  {"a":[1,2.5e-3]}<|endoftext|>'
"""A text whose count goes wrong when ranks, pattern or special tokens do."""


def tokens(name: str) -> list[bytes]:
    """Read the tokens of a shipped vocabulary; a token's rank is its index.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.

    Returns
    -------
    list of bytes
        The tokens in rank order.

    Examples
    --------
    >>> tokens("cl100k_base")[9906]
    b'Hello'
    """
    from importlib.resources import files

    packed = files("mckp.tokenizers").joinpath("vocab", f"{name}.zlib").read_bytes()
    return unpack(packed, VOCABULARIES[name].size)


def unpack(packed: bytes, size: int) -> list[bytes]:
    r"""Undo the packing: one length byte a token, then the tokens themselves, compressed.

    Parameters
    ----------
    packed : bytes
        The content of a packed file.
    size : int
        How many tokens it holds.

    Returns
    -------
    list of bytes
        The tokens in rank order.

    Raises
    ------
    ValueError
        If the lengths do not account for every byte.

    Examples
    --------
    >>> unpack(zlib.compress(b"\x01\x02" + b"a" + b"bc"), 2)
    [b'a', b'bc']
    """
    data = zlib.decompress(packed)
    ends = list(accumulate(data[:size], initial=size))
    if ends[-1] != len(data):
        raise ValueError(f"a packed vocabulary of {len(data)} bytes where {ends[-1]} are due")
    return [data[start:end] for start, end in pairwise(ends)]
