"""Counts by tiktoken, the back-end that is always there; of many texts, each word once.

Rows of a table, or lines of a log, are made of few different words once every digit is a zero.
Counting those and adding up takes a fraction of the time that counting every row takes. The laws
that make it exact are those of `mckp.tokenizers.fragment`.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from mckp.tokenizers.encodings import encoding_for
from mckp.tokenizers.fragment import JOINT, MARK, portions, words, zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL: Final = 10_000
"""Characters of all texts of a call up to which looking for words takes longer than counting."""
_PAYS: Final = 4
"""Times that a word has to stand in the texts of a call on average for counting words to pay."""
_AT_ONCE: Final = 8_192
"""Texts that are cut at a time, so that the parts of few of them are held."""


def count_batch(name: str, texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text, each distinct text once.

    Examples
    --------
    >>> count_batch("o200k_base", ["Hello world", ""])
    [2, 0]
    """
    distinct = dict.fromkeys(texts)
    # tiktoken's own batch call makes a thread-pool job of each text: slower on short ones.
    encode = encoding_for(name, distinct).encode_ordinary
    counts = {text: len(encode(text)) for text in distinct}
    return [counts[text] for text in texts]


def count_by_words(name: str, texts: Sequence[str]) -> list[int]:
    r"""Count the tokens of each text, by their words if few of them are distinct.

    Examples
    --------
    >>> rows = [f"{n} Ada Paris {n % 7}\n" for n in range(9999)]
    >>> set(count_by_words("o200k_base", rows))
    {6, 7}
    """
    shapes = None if sum(map(len, texts)) < SMALL else _shapes(texts)
    if shapes is None:
        return count_batch(name, texts)
    rest, counts = iter(dict.fromkeys(shapes)), dict[str, int]()
    while some := list(islice(rest, _AT_ONCE)):
        counts |= _by_words(name, some)
    return list(map(counts.__getitem__, shapes))


def count_long(name: str, text: str) -> int:
    """Count the tokens of a long text, by its parts if few of them are distinct.

    How it begins tells whether that pays.

    Examples
    --------
    >>> count_long("o200k_base", '{"name":"Ada","town":"Paris"},' * 3)
    25
    """
    first = JOINT.split(text[:SMALL])
    pays = len(set(first)) * _PAYS < len(first)
    counted = (
        count_by_words(name, JOINT.split(each)) if pays else count_batch(name, (each,))
        for each in portions(text)
    )
    return sum(map(sum, counted))


def _shapes(texts: Sequence[str]) -> list[str] | None:
    """Return texts with a zero for each digit; None if one has a NUL or a lone surrogate."""
    try:
        joined = MARK.join(texts).encode()
    except UnicodeEncodeError:
        return None
    shapes = zeros(joined).decode().split(MARK)
    return shapes if len(shapes) == len(texts) else None


def _by_words(name: str, shapes: Sequence[str]) -> dict[str, int]:
    """Return the tokens of each text, the texts being distinct."""
    parts = words(shapes) if sum(map(len, shapes)) >= SMALL else []
    distinct = list(set[str]().union(*parts))
    if len(distinct) * _PAYS >= sum(map(len, parts)):
        return dict(zip(shapes, count_batch(name, shapes), strict=True))
    counted = dict(zip(distinct, count_batch(name, distinct), strict=True))
    tokens = counted.__getitem__
    return {shape: sum(map(tokens, own)) for shape, own in zip(shapes, parts, strict=True)}
