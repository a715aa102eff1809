"""The one-line notes that say, inside a text, what was cut from it.

``> [+18 of 20 rows]`` closes the rows that were kept; ``> [+57 facts]`` alone stands for
a whole document that did not fit. A *note* stands below a line or a table of which parts are
missing everywhere: ``> [+2 of 9 columns]``, ``> [+5 of 7 sentences]``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from mckp.encoders.lines import Lines

COUNT: Final = r"\+([0-9]{1,18})(?: of ([0-9]{1,18}))? ([a-z]+)"
"""What stands between the brackets of a hint: missing, total, unit."""

_HINT = re.compile(rf"> \[{COUNT}\]")


NOTES: Final = frozenset(
    {"columns", "facts", "sentences", "words", "lines", "blocks", "characters"}
)
"""The units of notes."""


class Hint(NamedTuple):
    """A note of how many of what are missing; `total` is None in a note that stands alone."""

    missing: int
    total: int | None
    unit: str

    def __str__(self) -> str:
        if self.total is None:
            return f"> [+{self.missing} {self.unit}]"
        # From a thousand on, numbers of one length are numbers of as many tokens, which
        # keeps the price of a hint from depending on the number that it will show.
        width = len(str(self.total)) if self.total >= 1000 else 0
        return f"> [+{self.missing:0{width}d} of {self.total} {self.unit}]"


def read_hint(line: str | None) -> Hint | None:
    """Return the hint that a line is, or None.

    Examples
    --------
    >>> read_hint("> [+18 of 20 rows]")
    Hint(missing=18, total=20, unit='rows')
    """
    match = _HINT.fullmatch(line or "")
    if match is None:
        return None
    return Hint(int(match[1]), int(match[2]) if match[2] else None, match[3])


def take_hint(lines: Lines, kept: int, total: int) -> bool:
    """Step past the hint that closes a cut block; False when there is none here.

    Raises
    ------
    ParseError
        If the hint and the number of items before it do not add up to `total`.
    """
    hint = read_hint(lines.peek())
    if hint is None:
        return False
    lines.take()
    if hint.total != total or hint.missing + kept != total:
        lines.fail(f"{kept} of {total} are here, yet the line says {hint}")
    return True


def skip_notes(lines: Lines) -> None:
    """Step past the notes on what was read last."""
    while (hint := read_hint(lines.peek())) and hint.total is not None and hint.unit in NOTES:
        lines.take()
