"""Shorter forms of the texts of a document: how many there are, and what each is worth.

A long text has a *ladder* of forms, each of which is a prefix of it (of a log head, tail and
errors). There are two rules. The forms of one text have ``2 + 18 * share`` steps of equal length,
where `share` is the text's share of the document, and halves of the last step below them: so
a step is never more than about 5 % of the document. Rows of a list or of a text are shortened
together, to at most 600, 240 or 100 characters each.

A part of a text is worth the square root of its share of the length: the first half is
worth 71 % of the whole, the first tenth 32 %.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import sqrt
from typing import TYPE_CHECKING, Final

from mckp.menu.classes import Part
from mckp.menu.shorten import LEAST, Shortened, Shortener, notes, share_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEAST_STEPS: Final = 2
"""Steps of the ladder of a text that is a small part of its document."""

MORE_STEPS: Final = 18
"""Further steps of the ladder of a text that is all of its document."""


def ladder(text: str, share: float) -> Iterator[Shortened]:
    """Yield shorter forms of a text, the longest first.

    Parameters
    ----------
    text : str
        The text.
    share : float
        Its share of the document, from 0 to 1.

    Examples
    --------
    >>> [form.text for form in ladder("It works on most machines. " * 3 + "Not on all.", 0.01)]
    ['It works on most machines. …']
    """
    steps = LEAST_STEPS + round(MORE_STEPS * share)
    sizes = [len(text) * step // steps for step in range(steps - 1, 0, -1)]
    while sizes[-1] >= 2 * LEAST:
        sizes.append(sizes[-1] // 2)
    for form in Shortener(text).forms(size for size in sizes if size >= LEAST):
        if len(form.text) + LEAST <= len(text):
            yield form


def brief(text: str, most: int, parts: Shortener | None = None) -> Shortened | None:
    """Return the longest form of at most some characters, if it is clearly shorter.

    Parameters
    ----------
    text : str
        The text.
    most : int
        The number of characters.
    parts : Shortener, optional
        Its parts, where they are known.

    Examples
    --------
    >>> brief("One sentence is here. Another one is there. A third is nowhere at all.", 30).text
    'One sentence is here. …'
    """
    if len(text) < most + LEAST:
        return None
    form = (parts or Shortener(text)).within(most)
    return form if form is not None and len(form.text) + LEAST <= len(text) else None


def part_of(form: Shortened) -> Part:
    """Return what a shorter form leaves out."""
    return Part(notes(None, [form]))


def worth_of_part(worth: float, length: int, whole: int) -> float:
    """Return what a part of a text is worth.

    It is a multiple of 2**-20, of a larger power of two if the worth is large, so that sums of
    such worths are exact.
    """
    unit = share_unit(worth)
    return int(worth / unit * sqrt(min(1.0, length / whole))) * unit


def worths_of_parts(worth: float, lengths: Sequence[int], order: Sequence[int]) -> list[float]:
    """Return what each part of a text is worth, in the order in which parts stay; all are exact.

    Examples
    --------
    >>> worths_of_parts(4.0, [1, 1, 2], [0, 1, 2]), worths_of_parts(4.0, [12, 4], [1, 0])
    ([2.0, 0.8284263610839844, 1.1715736389160156], [2.0, 2.0])
    """
    found = [0.0] * len(order)
    total = sum(lengths)
    sums = accumulate((lengths[place] for place in order), initial=0)
    parts = [worth_of_part(worth, length, total) for length in sums]
    parts[-1] = worth
    for place, (before, after) in zip(order, pairwise(parts), strict=True):
        found[place] = after - before
    return found
