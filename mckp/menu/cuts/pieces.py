"""What the pieces of a long line are worth, as a share of the line's worth."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.menu.cuts.lines import location_length
from mckp.regexes import regex
from mckp.texts import TextKind
from mckp.texts.records import record
from mckp.weights.queries import CLEARLY, line_factors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.menu.cuts.lines import LinePlan
    from mckp.menu.cuts.parts import Floats

NEW: Final = 4
"""A piece of a long line with so many new words is worth as much as a whole line."""

NEW_OF_PAGE: Final = 20
"""The same of a piece of HTML: a menu says a word or two in each, an article a sentence."""

SOUGHT: Final = 0.8
"""A word that more than this share of the lines of a search have was searched for."""

CLUES: Final = 4
"""What was searched for is sought in so many lines, the shortest ones."""

FADING: Final = 2
"""A piece with so many pieces of its line before it is worth at most half as much as the first.

A line of a log may have a response of many pages in it, and the lines around it have to stay.
"""

AROUND: Final = 0.1
"""What a piece of a long line without a match is worth, as a share of one with a match."""

OF_PLACE: Final = 0.5
"""The same of the first piece, which says where the match is."""

PAGE: Final = 12
"""A line of so many pieces is taken for a page that has lost its line ends."""

SMALL: Final = 0.6
"""A piece of a page consists of sentences if this share of its words is in lower case."""

OF_NAMES: Final = 0.2
"""What a piece without such words is worth, as a share of one of sentences."""

FEW_WORDS: Final = 4
"""Words of a piece, up to which this share says nothing."""

_WORD: Final = regex(r"(?<![^\W_])[^\W\d_]+(?![^\W_])")
"""A word without digits: pieces that differ in numbers and keys only repeat each other."""

_PART_OF_WORD: Final = regex(r"[a-z]{3,}|[0-9]{3,}|\w{3,}")
_MARKUP: Final = regex(r"\A[^<>]*+>|<a\s[^<]*+|<[^>]*+>?")
_NOTHING: Final = regex(r"(?!)")
_CASED: Final = regex(r"[A-Za-z\u00c0-\u02af\u0370-\u052f][^\W\d_]*")
"""A word in a script that has capitals."""


def piece_factors(plan: LinePlan, kind: str, request: str | None = None) -> Floats:
    """Return a factor for each part of a text, which is 1 for whole lines.

    A piece of a long line is worth less if it repeats earlier ones of the line, as in minified
    code, if it only surrounds the match of a search, or if it is of names, as the menu of a page.
    Except in pages, it is also worth less the more pieces of the line are before it. It is worth
    more if it clearly is what a `request` asks for.
    """
    factors = _novelty_factors(plan, kind)
    if record(kind).page:
        factors *= _sentence_factors(plan, kind)
    if kind == TextKind.SEARCH:
        factors *= _match_factors(plan)
    if request:
        asked = _asked_factors(plan, request)
        factors = np.where(asked > 1, asked, factors)
    return factors


def _spans_of_lines(plan: LinePlan, least: int) -> Iterator[tuple[int, int]]:
    """Yield the first part of each line that has `least` parts or more, and the part behind it."""
    ends = np.flatnonzero(np.diff(plan.line, prepend=-1, append=-1)).tolist()
    return ((first, last) for first, last in pairwise(ends) if last - first >= least)


def _sentence_factors(plan: LinePlan, kind: str) -> Floats:
    """Return a factor for each part: below 1 for a piece of a page that has no sentence.

    A page in one line begins with its menu, whose words are names, with a capital each.
    """
    factors = np.ones(plan.size)
    for first, last in _spans_of_lines(plan, PAGE):
        sources = [plan.source(part, part + 1) for part in range(first, last)]
        if kind == TextKind.HTML:
            sources = [_MARKUP.sub(" ", source) for source in sources]
        shares = np.array([_small_share(source) for source in sources])
        of_pieces = np.clip(shares / SMALL, OF_NAMES, 1.0)
        factors[first:last] = of_pieces / of_pieces.max()
    return factors


def _small_share(text: str) -> float:
    """Return the share of words that begin with a lower-case letter; a half if there are few."""
    words = _CASED.findall(text)
    return sum(word[0].islower() for word in words) / len(words) if len(words) > FEW_WORDS else 0.5


def _novelty_factors(plan: LinePlan, kind: str) -> Floats:
    """Return a factor for each part: below 1 if it continues a line and adds little to it.

    Numbers and keys of letters and digits add nothing; in HTML, neither do tags and links. Except
    in pages, the factor also falls with the number of pieces before it.
    """
    hidden, enough = (_MARKUP, NEW_OF_PAGE) if kind == TextKind.HTML else (_NOTHING, NEW)
    is_page = record(kind).page
    factors = np.ones(plan.size)
    for first, last in _spans_of_lines(plan, 2):
        known_words = set(_WORD.findall(plan.source(first, first + 1)))
        for number, part in enumerate(range(first + 1, last), 1):
            words = set(_WORD.findall(hidden.sub(" ", plan.source(part, part + 1))))
            fading = 1.0 if is_page else FADING / (FADING + number)
            factors[part] = fading * min(1.0, (len(words - known_words) + 0.1) / enough)
            known_words |= words
    return factors


def _match_factors(plan: LinePlan) -> Floats:
    """Return a factor for each part of a search: below 1 if it continues a line without a match.

    What was searched for is not known, so it is taken to be what nearly all lines have in common.
    """
    factors = np.ones(plan.size)
    long_lines = list(_spans_of_lines(plan, 2))
    if not long_lines:
        return factors
    rows = [plan.source(start, end).lower() for start, end in _spans_of_lines(plan, 1)]
    sought = _longest_common_word([row[location_length(row) :] for row in rows])
    for start, end in long_lines:
        factors[start + 1 : end] = AROUND
    for start, end in long_lines if sought else ():
        texts = [plan.source(part, part + 1).lower() for part in range(start, end)]
        texts[0] = texts[0][location_length(texts[0]) :]
        matches = (part for part, text in enumerate(texts, start) if sought in text)
        if (first := next(matches, start)) != start:
            factors[[start, first]] = OF_PLACE, 1.0
    return factors


def _longest_common_word(rows: Sequence[str]) -> str:
    """Return the longest word, or part of one, that nearly all rows have; ``""`` if none is."""
    shortest = sorted(rows, key=len)[:CLUES]
    words = {word for row in shortest for word in _PART_OF_WORD.findall(row)}
    least = SOUGHT * len(rows)
    common = (word for word in words if sum(word in row for row in rows) > least)
    return max(common, key=lambda word: (len(word), word), default="")


def _asked_factors(plan: LinePlan, request: str) -> Floats:
    """Return a factor for each piece of a long line by a request, and 1 for all other parts.

    The pieces of a line are weighed against each other: the line as a whole has its own factor.
    """
    factors = np.ones(plan.size)
    for first, last in _spans_of_lines(plan, 2):
        texts = [plan.source(part, part + 1) for part in range(first, last)]
        matches = np.array(line_factors(texts, request))
        factors[first:last] = np.where(matches >= CLEARLY, matches, 1.0)
    return factors
