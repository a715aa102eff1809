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

import re
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import sqrt
from typing import TYPE_CHECKING, Final

from mckp.encoders.hints import Overflow
from mckp.menu.classes import Part
from mckp.menu.shorten import GAP, LEAST, UNBROKEN, Shortened, Shortener, share_unit
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LEAST_STEPS: Final = 2
"""Steps of the ladder of a text that is a small part of its document."""

MORE_STEPS: Final = 18
"""Further steps of the ladder of a text that is all of its document."""

ROW_SIZES: Final = (600, 240, 100)
"""Characters that each row may have where rows are shortened together."""

_WORDS: Final = regex(r"(.*\S)\s", re.DOTALL)
"""All but the last word of what is looked at."""


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
    parts = Shortener(text, has_words=False)
    steps = LEAST_STEPS + round(MORE_STEPS * share)
    sizes = [len(text) * step // steps for step in range(steps - 1, 0, -1)]
    while sizes[-1] >= 2 * LEAST:
        sizes.append(sizes[-1] // 2)
    last = ""
    for size in filter(LEAST.__le__, sizes):
        form = parts.within(size) or _by_words(text, size)
        if form is not None and form.text != last and len(form.text) + LEAST <= len(text):
            last = form.text
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
    form = (parts or Shortener(text, has_words=False)).within(most) or _by_words(text, most)
    return form if form is not None and len(form.text) + LEAST <= len(text) else None


def _by_words(text: str, most: int) -> Shortened | None:
    """Return the first words of a text; of one without blanks, its first characters.

    What opens a link or a code span that is cut goes with it.
    """
    whole = _WORDS.match(text, 0, most + 1)
    if whole is not None:
        left, total = whole[1], len(text.split())
        opened = [left.rfind(sign) for sign, end in ("[]", "``") if _is_open(left, sign, end)]
        left = left[: min(opened, default=len(left))].rstrip("*_! ")
        if len(left) < LEAST // 2:
            return None
        return Shortened(f"{left} {GAP}", total - len(left.split()), total, "words")
    if len(text) < UNBROKEN or any(map(str.isspace, text[:UNBROKEN])):
        return None
    return Shortened(text[:most] + GAP, len(text) - most, len(text), "characters")


def _is_open(text: str, sign: str, end: str) -> bool:
    """Whether a bracket, or one of a pair of equal signs, is not closed."""
    return text.count(sign) % 2 == 1 if sign == end else text.rfind(sign) > text.rfind(end)


def part_of(form: Shortened) -> Part:
    """Return what a shorter form leaves out."""
    return Part((Overflow(form.missing, form.total, form.unit),))


@dataclass(frozen=True, slots=True)
class ShortRows:
    """Rows that are shortened together.

    Attributes
    ----------
    texts : list of str or None
        The shorter form of each row; None for one that stays as it is.
    worths : list of float
        What each row is worth then.
    part : Part
        What is left out of all of them.
    """

    texts: list[str | None]
    worths: list[float]
    part: Part


def short_rows(
    values: Sequence[str], worths: Sequence[float], fits: Callable[[int, str], bool]
) -> Iterator[ShortRows]:
    """Yield rows shortened to ever fewer characters.

    Parameters
    ----------
    values : sequence of str
        The text of each row; an empty one is never shortened.
    worths : sequence of float
        What each row is worth.
    fits : callable
        Whether the row of a number may have a shorter form.
    """
    longest = max(map(len, values), default=0)
    known: dict[int, Shortener] = {}
    for most in ROW_SIZES:
        if longest < most + LEAST:
            continue
        texts: list[str | None] = [None] * len(values)
        left = list(worths)
        missing: dict[str, list[int]] = {}
        for row, value in enumerate(values):
            if len(value) < most + LEAST:
                continue
            if (parts := known.get(row)) is None:
                parts = known[row] = Shortener(value, has_words=False)
            form = brief(value, most, parts)
            if form is not None and fits(row, form.text):
                texts[row] = form.text
                left[row] = worth_of_part(worths[row], len(form.text), len(value))
                counts = missing.setdefault(form.unit, [0, 0])
                counts[0], counts[1] = counts[0] + form.missing, counts[1] + form.total
        if missing:
            hints = (Overflow(gone, total, unit) for unit, (gone, total) in missing.items())
            yield ShortRows(texts, left, Part(tuple(hints)))


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
