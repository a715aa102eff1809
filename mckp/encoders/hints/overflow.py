"""``> [+18 of 20 rows]``: what was cut from a text, at the place where it is missing.

``> [+18 of 20 rows]`` closes the rows that were kept; ``> [+57 facts]`` alone stands for
a whole document that did not fit. A *note* stands below a line or a table of which parts are
missing everywhere: ``> [+2 of 9 columns]``, ``> [+5 of 7 sentences]``. A call that gets what
is missing may follow: ``> [+18 of 20 rows get_issues(page=2)]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mckp.encoders.hints.parts import read_end, write_end
from mckp.regexes import regex

if TYPE_CHECKING:
    from mckp.encoders.lines import Lines

_OVERFLOW = regex(r"> \[\+([0-9]{1,18})(?: of ([0-9]{1,18}))? (?!of )([a-z]+)(?: (.+))?\]")

HINT: Final = "> [+"
"""What each of them begins with."""

NOTES: Final = frozenset(
    {"columns", "facts", "sentences", "words", "lines", "blocks", "characters"}
)
"""The units of notes."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """A note of how many of what are missing.

    Attributes
    ----------
    missing : int
        How many.
    total : int or None
        Of how many; None in a note that stands alone.
    unit : str
        Of what, a word of small letters.
    call : str or None
        How to get them.
    """

    missing: int
    total: int | None
    unit: str
    call: str | None = None

    def __str__(self) -> str:
        end = "]" if self.call is None else f" {write_end(self.call)}]"
        if self.total is None:
            return f"> [+{self.missing} {self.unit}{end}"
        # From a thousand on, numbers of one length are numbers of as many tokens, which
        # keeps the price of a hint from depending on the number that it will show.
        width = len(str(self.total)) if self.total >= 1000 else 0
        return f"> [+{self.missing:0{width}d} of {self.total} {self.unit}{end}"


def read_overflow(line: str | None) -> Overflow | None:
    """Return what a line says to be missing, or None.

    Examples
    --------
    >>> read_overflow("> [+18 of 20 rows get_issues(page=2)]")
    Overflow(missing=18, total=20, unit='rows', call='get_issues(page=2)')
    """
    match = _OVERFLOW.fullmatch(line) if line and line.startswith(HINT) else None
    if match is None:
        return None
    call = None if match[4] is None else read_end(match[4])
    if call is None and match[4] is not None:
        return None
    return Overflow(int(match[1]), int(match[2]) if match[2] else None, match[3], call)


def take_hint(lines: Lines, kept: int, total: int) -> bool:
    """Step past the hint that closes a cut block; False when there is none here.

    Raises
    ------
    ParseError
        If the hint and the number of items before it do not add up to `total`.
    """
    line = lines.peek()
    hint = read_overflow(line) if line and line[0] == ">" else None
    if hint is None:
        return False
    lines.take()
    if hint.total != total or hint.missing + kept != total:
        lines.fail(f"{kept} of {total} are here, yet the line says {hint}")
    return True


def skip_notes(lines: Lines) -> None:
    """Step past the notes on what was read last."""
    while (hint := read_overflow(lines.peek())) and hint.total is not None and hint.unit in NOTES:
        lines.take()
