"""The vocabularies shipped with the library, and how their packed files are read."""

from __future__ import annotations

import zlib
from functools import cache
from pkgutil import get_data
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

LONGEST = 128
"""Bytes of the longest token of any."""

CANARY = 'Hello, it\'s 12345 naïve 日本語 🚀\n\n  {"a":[1,2.5e-3]}<|endoftext|>'
"""A text whose count goes wrong when ranks, pattern or special tokens do."""


_BYTE = b"\xff"
"""A byte that UTF-8 does not use, so it is in no token but the one that is this byte."""


@cache
def ranks(name: str) -> dict[bytes, int]:
    """Read a shipped vocabulary.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.

    Returns
    -------
    dict of bytes to int
        The tokens in rank order, each with its rank; the same object on every call.

    Examples
    --------
    >>> ranks("cl100k_base")[b"Hello"]
    9906
    """
    # importlib.resources takes as long to import as the file to unpack.
    packed = get_data("mckp.tokenizers", f"vocab/{name}.zlib")
    assert packed is not None, "a package has a loader"
    return {token: rank for rank, token in enumerate(unpack(packed, VOCABULARIES[name].size))}


def pack(tokens: list[bytes]) -> bytes:
    r"""Join tokens by a byte that is no part of them, and compress that.

    Parameters
    ----------
    tokens : list of bytes
        The tokens in rank order. The one that is the joining byte is left out; where two
        such bytes meet, it was.

    Returns
    -------
    bytes
        The content of a packed file.
    """
    # xz would save 200 KB in all, but takes 40 ms to unpack o200k_base, at every start.
    return zlib.compress(_BYTE.join(b"" if token == _BYTE else token for token in tokens), 9)


def unpack(packed: bytes, size: int) -> list[bytes]:
    r"""Undo the packing.

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
        If that is not what it holds.

    Examples
    --------
    >>> unpack(pack([b"a", b"\xff", b"bc"]), 3)
    [b'a', b'\xff', b'bc']
    """
    tokens = zlib.decompress(packed).split(_BYTE)
    if len(tokens) != size or tokens.count(b"") != 1:
        raise ValueError(f"a packed vocabulary of {len(tokens)} tokens where {size} are due")
    tokens[tokens.index(b"")] = _BYTE
    return tokens
