"""Factors for the lines of findings of compilers and linters, set by rule, not fitted.

Many tools, such as rustc, clippy, gcc, ruff, oxlint and biome, show the code below a finding, with
line numbers and signs in a margin. Such code means nothing without its finding. If findings differ
only in names and numbers, a reader wants a few of them, and one of every other kind before more of
these.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mckp.regexes import regex
from mckp.texts.kinds import LONGEST
from mckp.texts.patterns import MASK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.texts.lines import Roles

DEEP: Final = 1 << 20
"""A level deeper than any indentation; a line with it is never a head."""

FADING: Final = 4
"""Number of findings of one kind after which the worth of the next one is halved."""

WARNING_SHARE: Final = 0.5
"""Worth of the place and the explanation of a warning, as a share of those of an error."""

REMARK_SHARE: Final = 0.3
"""Factor for the worth of a remark or advice."""

FEWEST: Final = 3
"""Fewest lines of code with a margin in a report that shows code below its findings."""

_PATH: Final = regex(r"[^\s:()]*[./\\][^\s:()]*:?$")
_BELOW_PATH: Final = regex(r"[ \t]+\d")
_CODE: Final = regex(r"[ \t]*+(?:> ?)?\d+(?: +\d+)? +[|│+-](?:\s|$)")
_BELOW_CODE: Final = regex(r"[ \t]*+(?:[|│:·](?:\s|$)|[`╰└][-─]{2}|[-+] {2}|\^|\.\.\.$)")
_PLACE: Final = regex(r"[ \t]*+(?:(?:,-|╭─+|┌─+) ?\[?|-->|:::) ?\S*\d")
_REMARK: Final = regex(r"[ \t]*+(?:= )?(?:help|note|hint)(?:\[\w+\])?:? ")
_TALLY: Final = regex(
    r"\W*(?:[A-Za-z]+:? )?\d+ (?:errors?|warnings?|problems?|issues?|diagnostics?)\b"
)
_EXPLAINED: Final = regex(r"[ \t]*+[|│:·][^\^]{0,200}\^+ (?!help:)\S{2,} \S")
_ERROR: Final = regex(r".{0,200}?\b(?:[Ee]rror|ERROR|fatal)\b")
_LOCATED: Final = regex(r"[^\s:(]{1,300}(?::\d+|\(\d+,\d+\)):")
_SAYS: Final = regex(r".*[A-Za-z]{2}.*[A-Za-z]{2}")


def finding_levels(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of lines, with code below its finding; None if indentation suffices."""
    if sum(_CODE.match(row) is not None for row in rows) < FEWEST:
        return _wrapped_finding_levels(rows)
    levels: list[int] = []
    is_code = False  # whether code was shown since the finding began
    for row in rows:
        if _CODE.match(row) or _PLACE.match(row):
            level, is_code = DEEP - 1, True
        elif _REMARK.match(row):
            level = DEEP - 1
        elif is_code and _BELOW_CODE.match(row):
            level = DEEP
        elif _TALLY.match(row):
            level, is_code = 0, False
        else:
            level = 2 * (len(row) - len(row.lstrip()))
            is_code = is_code and not row.strip()
        levels.append(level)
    return levels


def _wrapped_finding_levels(rows: Sequence[str]) -> list[int] | None:
    """Return the levels of lines if long findings continue at the margin, as in mypy reports.

    The result is None if fewer than `FEWEST` do.
    """
    located = [_LOCATED.match(row) is not None for row in rows]
    at_margin = [row[:1].strip() != "" or row[:2] == " [" for row in rows]
    is_continued = [
        is_at_margin and is_below_located and not is_located and _TALLY.match(row) is None
        for row, is_at_margin, is_located, is_below_located in zip(
            rows, at_margin, located, [False, *located[:-1]], strict=True
        )
    ]
    if sum(is_continued) < FEWEST:
        return None
    indents = [len(row) - len(row.lstrip()) for row in rows]
    return [
        1 if continues else 2 * indent
        for continues, indent in zip(is_continued, indents, strict=True)
    ]


def finding_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of a report of findings.

    Factors lower repeated findings of one kind, and the lines below them. Minimum worths keep the
    places and explanations of findings.
    """
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    kind_counts: Counter[str] = Counter()
    factor, severity = 1.0, 1.0
    for place, row in enumerate(rows):
        if not row.strip():
            factor = 1.0
        elif (
            _PATH.match(row) and rows[place + 1 : place + 2] and _BELOW_PATH.match(rows[place + 1])
        ):
            factor = 1.0
            factors[place] = 0.0  # it stays with a finding in the file
            continue
        elif _PLACE.match(row):
            least[place] = factor * severity
        elif _EXPLAINED.match(row):
            least[place] = 2 * factor * severity
        elif _REMARK.match(row):
            factors[place] = REMARK_SHARE * factor
            continue
        elif not (_CODE.match(row) or _BELOW_CODE.match(row)) and _SAYS.match(row[:LONGEST]):
            masked = " ".join(MASK.sub(" ", row[:LONGEST]).split())
            factor = 1 / (1 + kind_counts[masked] / FADING)
            kind_counts[masked] += 1
            severity = 1.0 if _ERROR.match(row) else WARNING_SHARE
        factors[place] = factor
    return factors, least
