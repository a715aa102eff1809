"""Counts by tiktoken, the back-end that is always there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.tokenizers.encodings import load
from mckp.tokenizers.longblanks import LONG, cut
from mckp.tokenizers.subset import encoding_for

if TYPE_CHECKING:
    from collections.abc import Sequence


def count_batch(name: str, texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text, each distinct text once.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.
    texts : sequence of str
        Any texts; runs of blanks on which tiktoken panics are counted exactly as well.

    Returns
    -------
    list of int
        One count a text.

    Examples
    --------
    >>> count_batch("o200k_base", ["Hello world", ""])
    [2, 0]
    """
    distinct = dict.fromkeys(texts)
    # tiktoken's own batch call makes a thread-pool job of each text: slower on short ones.
    encode = encoding_for(name, distinct).encode_ordinary
    counts = {
        text: len(encode(text)) if len(text) < LONG else _count_long(name, text)
        for text in distinct
    }
    return [counts[text] for text in texts]


def _count_long(name: str, text: str) -> int:
    return sum(len(load(name, whole=whole).encode_ordinary(part)) for part, whole in cut(text))
