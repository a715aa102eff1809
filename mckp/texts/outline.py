"""A text as lines in groups: what each line belongs to, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mckp.texts.features import Words, features
from mckp.texts.heads import by_indent
from mckp.texts.lines import lines_of
from mckp.texts.worth import fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Outline:
    """A text of n lines in groups. A line ends at its line feed, and at nothing else.

    Attributes
    ----------
    kind
        What kind of text it is, such as ``"log"``.
    starts
        n + 1 offsets in characters: line i is ``text[starts[i]:starts[i + 1]]``, its line feed too.
    heads
        The line without which line i says nothing, -1 for none. A head is above its lines, and all
        lines between the two belong to it too: heads make a forest in the order of the text.
    worths
        What each line is worth, from 0 on, in units of 2**-10.
    numbered
        Whether the text shows the numbers of its lines.
    """

    kind: str
    starts: NDArray[np.int64]
    heads: NDArray[np.int64]
    worths: NDArray[np.int64]
    numbered: bool


def outline(text: str, *, request: str | None = None) -> Outline:
    r"""Return a text as lines in groups, each with its worth. O(characters).

    Parameters
    ----------
    text
        Any text.
    request
        What its reader asks; lines with rare words of it are worth more.

    Examples
    --------
    >>> found = outline("def total(rows):\n    return sum(rows)\n")
    >>> found.starts.tolist(), found.heads.tolist(), found.numbered
    ([0, 17, 38], [-1, 0], False)
    """
    lines = lines_of(text)
    if not lines.size:
        none = np.zeros(0, np.int64)
        return Outline("prose", lines.starts, none, none, numbered=False)
    worths = fitted(features(lines, Words(lines), request))
    numbered = lines.numbers is not None
    return Outline("prose", lines.starts, by_indent(lines), worths, numbered=numbered)
