"""Factors and minimum worths for the lines of pages, timelines and blocks, by rule, not fitted.

What agents used of pages says little of what a reader asks of a plan or a report first: what it is,
what it comes to, when, and how far it is. And where many items begin alike, the first ones say what
the others say. Of blocks of named values, a reader asks which there are, and for short values.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mckp.regexes import regex
from mckp.texts.findings import DEEP
from mckp.texts.templates import blocks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.texts.lines import Roles

SUMMARY_WORTH: Final = 0.9
"""Minimum worth of the first line of a section that sums up the page, such as its conclusion."""

TITLE_WORTH: Final = 0.3
"""Minimum worth of the title of such a section, if it is not marked as a heading."""

HEADING_WORTH: Final = 0.3
"""Minimum worth of a heading of the first two levels: a section that is cut is seen to exist."""

TOP_WORTH: Final = 0.5
"""Minimum worth of the first line below the title of a page."""

DATED_FACTOR: Final = 1.5
"""Factor for the worth of a line with a date or a version."""

ALIKE_AFTER: Final = 2
"""Number of items that begin alike after which further ones are worth less."""

ALIKE_SHARE: Final = 0.4
"""Factor for the worth of such further items."""

ALIKE_WORDS: Final = 3
"""Words in which such items are the same at their beginning."""

STAMPED_WORTH: Final = 0.6
"""Minimum worth of an event of a timeline."""

FEWEST_EVENTS: Final = 5
"""Fewest events of a timeline."""

SAID_AGAIN: Final = 0.2
"""Factor for the worth of what a timeline says again, at another time or by someone else."""

BLOCK_WORTH: Final = 0.8
"""Minimum worth of the first line of a block of named values."""

CONTINUED_SHARE: Final = 0.2
"""Factor for the worth of a line that goes on with the value above it, or has a value that most
blocks have."""

LONG_VALUE: Final = 80
"""Characters of a line above which its value is long."""

LONG_SHARE: Final = 0.5
"""Factor for the worth of such a line."""

NUMBER_WORTH: Final = 0.4
"""Minimum worth of a short value with a digit, such as a size or a version, which differs from
block to block."""

SHORT_LINE: Final = 40
"""Most characters of the line of such a value."""

LONGEST: Final = 400
"""Most characters of a line that is raised: a longer one costs too much."""

_HEADING: Final = regex(r"#{1,6} +(.*)")
_SUMS_UP: Final = regex(
    r"(?:\d+[.)]? *)?(?:executive |key |project |root )?(?:abstract|aims?|cause|conclusions?"
    r"|decisions?|findings?|goals?|impact|in short|takeaways|next steps|objectives?|outcome"
    r"|overview|purpose|recommendations?|results?|resum[eé]n|status|summary|synopsis|tl;?dr|verdict"
    r"|zusammenfassung|fazit|ergebnis|résumé|conclusión|итоги?|выводы?|概述|摘要|总结|结论)"
    r"(?: (?:and|for|of) [a-z ]{1,40})?\W*",
    2,  # re.IGNORECASE
)
_DATED: Final = regex(
    r".{0,200}?\b(?:(?:19|20)\d\d-[01]\d-[0-3]\d\b|v?\d{1,4}\.\d{1,4}\.\d{1,5}\b"
    r"|\d{1,2}\.? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\b"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? \d{1,2}\b)"
)
_ITEM: Final = regex(r"\s*(?:[-*+•]|\d+[.)])\s+(?!\[[ xX]\])(.*)")
_DIGIT: Final = regex(r"\d")
_FENCE: Final = ("```", "~~~")


def section_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of a page with headings."""
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    beginnings: Counter[tuple[str, ...]] = Counter()
    is_code = is_first = is_top = False
    for place, row in enumerate(rows):
        body = row.strip()
        if body.startswith(_FENCE):
            is_code = not is_code
            is_first = is_top = False
            continue
        if is_code or not body:
            continue
        if heading := _HEADING.match(row):
            is_first = _SUMS_UP.fullmatch(heading[1].strip()) is not None
            is_top = row.startswith("# ") or is_top
            least[place] = HEADING_WORTH if row.startswith(("# ", "## ")) else 0.0
            continue
        if is_first and len(row) <= LONGEST:
            least[place] = SUMMARY_WORTH
        elif is_top and len(row) <= LONGEST:
            least[place] = TOP_WORTH
        is_first = is_top = False
        if item := _ITEM.match(row):
            words = tuple(item[1].split(None, ALIKE_WORDS)[:ALIKE_WORDS])
            if len(words) == ALIKE_WORDS and beginnings[words] >= ALIKE_AFTER:
                factors[place] = ALIKE_SHARE
            beginnings[words] += 1
        if _DATED.match(row):
            factors[place] *= DATED_FACTOR
    return factors, least


def prose_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of a report without marked headings.

    It may have titles of its own, be a timeline, or consist of blocks of named values.
    """
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    for place, row in enumerate(rows[:-1]):
        is_title = row.strip() and not (place and rows[place - 1].strip())
        if is_title and _SUMS_UP.fullmatch(row.strip()):
            below = next((k for k in range(place + 1, len(rows)) if rows[k].strip()), place)
            least[place] = TITLE_WORTH
            least[below] = SUMMARY_WORTH if len(rows[below]) <= LONGEST else 0.0
    stamps = [_STAMP.match(row) for row in rows]
    if sum(stamp is not None for stamp in stamps) >= FEWEST_EVENTS:
        said: Counter[str] = Counter()
        for place, stamp in enumerate(stamps):
            if stamp is not None:
                words = rows[place][stamp.end() :].strip()
                if said[words]:
                    factors[place] = SAID_AGAIN
                elif not rows[place][:1].isspace():
                    least[place] = STAMPED_WORTH
                said[words] += 1
    else:
        rate_blocks(rows, factors, least)
    return factors, least


_STAMP: Final = regex(
    r"\s*(?:[-*] )?(?=[\d\[(])[\[(]?(?:(?:19|20)\d\d-[01]\d-[0-3]\d)?[ T]*"
    r"(?:[0-2]?\d:[0-5]\d(?::[0-5]\d)?)?"
    r"Z?[\])]?(?<=[\dZ\])])[ \t:,\u2013-]+(?:[A-Z][\w.-]{1,20}: )?"
)
"""The time with which an event begins, and who says so."""


def rate_blocks(rows: Sequence[str], factors: list[float], least: list[float]) -> None:
    """Rate the rows of blocks of named values, in place; do nothing if there are no such blocks."""
    blocks = blocks_of(rows)
    shared = Counter(rows[place] for span, _ in blocks for place in span)
    for span, _ in blocks:
        least[span[0]] = BLOCK_WORTH
        for place in span[1:]:
            row = rows[place]
            if row[:1].isspace() or 2 * shared[row] > len(blocks):
                factors[place] = CONTINUED_SHARE
            elif len(row) > LONG_VALUE:
                factors[place] = LONG_SHARE
            elif len(row) <= SHORT_LINE and _DIGIT.search(row):
                least[place] = NUMBER_WORTH


def block_levels(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of rows of blocks: 0 for the first line of each, which says what it is.

    The result is None if there are no blocks of named values.
    """
    blocks = blocks_of(rows)
    if not blocks:
        return None
    levels = [0] * len(rows)
    for span, _ in blocks:
        for place in span[1:]:
            levels[place] = DEEP + len(rows[place]) - len(rows[place].lstrip())
    return levels
