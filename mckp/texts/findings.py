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
"""A depth below all that a line can have: what is there is the head of nothing."""

FADING: Final = 4
"""So many findings that are alike halve what the next one is worth."""

OF_WARNINGS: Final = 0.5
"""What the place and the explanation of a warning are worth, as a share of those of an error."""

OF_REMARK: Final = 0.3
"""What a remark or an advice is worth, as a share."""

FEWEST: Final = 3
"""Lines of code with a margin, from which on a report shows code below its findings."""

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


def levels_of_findings(rows: Sequence[str]) -> list[int] | None:
    """Return the depths of lines, with code below its finding; empty if indents suffice."""
    if sum(_CODE.match(row) is not None for row in rows) < FEWEST:
        return _of_wrapped(rows)
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


def _of_wrapped(rows: Sequence[str]) -> list[int] | None:
    """Return the depths of lines if long findings continue at the margin, as in mypy reports."""
    located = [_LOCATED.match(row) is not None for row in rows]
    at_margin = [row[:1].strip() != "" or row[:2] == " [" for row in rows]
    goes_on = [
        own and above and not here and _TALLY.match(row) is None
        for row, own, here, above in zip(
            rows, at_margin, located, [False, *located[:-1]], strict=True
        )
    ]
    if sum(goes_on) < FEWEST:
        return None
    indents = [len(row) - len(row.lstrip()) for row in rows]
    return [1 if on else 2 * indent for on, indent in zip(goes_on, indents, strict=True)]


def roles_of_findings(rows: Sequence[str]) -> Roles:
    """Return factors that lower repeated findings of one kind and the lines below them."""
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    before: Counter[str] = Counter()
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
            factors[place] = OF_REMARK * factor
            continue
        elif not (_CODE.match(row) or _BELOW_CODE.match(row)) and _SAYS.match(row[:LONGEST]):
            key = " ".join(MASK.sub(" ", row[:LONGEST]).split())
            factor = 1 / (1 + before[key] / FADING)
            before[key] += 1
            severity = 1.0 if _ERROR.match(row) else OF_WARNINGS
        factors[place] = factor
    return factors, least
