r"""Counts by tiktoken, the back-end that is always there.

tiktoken panics on a run of more than 999,895 white-space characters without CR or LF, unless CR
or LF follows it: its look-ahead ``\s+(?!\S)`` keeps one stack entry a character, out of a
million. The pattern makes such a run one piece, less its last character if more text follows,
whatever stands before it. So the text before, that piece and the rest have counts that add up,
and texts are cut at such runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mckp.tokenizers.encodings import encoding_for, load
from mckp.tokenizers.fragment import BLANKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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


LONG = 500_000
"""Runs from this length on are cut out: half of what tiktoken takes."""


def cut(text: str, long: int = LONG) -> Iterator[tuple[str, bool]]:
    """Cut a text so that counts of the parts add up and no part holds a run too long.

    Parameters
    ----------
    text : str
        Any text.
    long : int
        The length from which on a run of blanks is cut out; at least 2.

    Yields
    ------
    part : str
        A part of the text; the parts joined are the text.
    whole : bool
        Whether the part is one piece of the pattern, to be merged without splitting it.

    Examples
    --------
    >>> list(cut("a     b", long=3))
    [('a', False), ('    ', True), (' b', False)]
    """
    done = 0
    for run in _runs(text, long):
        stop = run.end() if run.end() == len(text) else run.end() - 1
        yield text[done : run.start()], False
        yield text[run.start() : stop], True
        done = stop
    yield text[done:], False


def _runs(text: str, long: int) -> Iterator[re.Match[str]]:
    # Without the look-behind each character of a shorter run would start a search of its own.
    return re.finditer(rf"(?<![{BLANKS}])[{BLANKS}]{{{long},}}+(?![\r\n])", text)
