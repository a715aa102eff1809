r"""Cutting texts at runs of blanks that tiktoken cannot take.

tiktoken panics on a run of more than 999,895 white-space characters without CR or LF, unless CR
or LF follows it: its look-ahead ``\s+(?!\S)`` keeps one stack entry a character, out of a
million. The pattern makes such a run one piece, less its last character if more text follows,
whatever stands before it. So the text before, that piece and the rest have counts that add up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mckp.tokenizers.whitespace import BLANKS

if TYPE_CHECKING:
    from collections.abc import Iterator

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
