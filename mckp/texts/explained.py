"""What each line of a text is worth, and which rules of its kind say so."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mckp.texts.kinds import pieces_of_lines
from mckp.texts.lines import lines_of
from mckp.texts.outline import outline
from mckp.texts.plain import plain
from mckp.texts.roles import rules_of_lines
from mckp.texts.worth import UNIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.texts.own import OwnKind
    from mckp.texts.records import Applied


class LineWorth(NamedTuple):
    """A line of a text, and where its worth comes from."""

    number: int
    """The number of the line, from 1."""
    text: str
    worth: float
    """Its worth: 1.0 is a line that is surely needed."""
    kind: str
    """The kind of its part of the text."""
    rules: tuple[Applied, ...]
    """The rules that rated it, with whose they are; none if its features alone did."""


def line_worths(text: str, kind: str = "") -> Iterator[LineWorth]:
    r"""Yield what each line of a text is worth.

    `kind` is the name of a kind that a user added, if the text is to be taken as one.

    Examples
    --------
    >>> first, _ = line_worths("total 8\ndrwxr-xr-x 2 me me 4096 Mar  1 10:00 src\n")
    >>> first.kind, first.rules
    ('listing', ())
    """
    cleaned = plain(text).text
    lines, outlined = lines_of(cleaned), outline(cleaned, kind=kind)
    pieces = pieces_of_lines(lines, kind) if lines.size else ()
    rules = rules_of_lines(lines, pieces)
    for piece in pieces:
        for place in range(piece.start, piece.end):
            body = lines.text[lines.starts[place] : lines.starts[place + 1]].rstrip("\n")
            worth = float(outlined.worths[place]) / UNIT
            name = piece.own or piece.kind.value
            yield LineWorth(place + 1, body, worth, name, tuple(rules.get(place, ())))


def failed_check(kind: OwnKind) -> str:
    """Return what is wrong with the example of a registered kind; empty if nothing is.

    The example must be recognized, and its ``first`` line must be worth most.
    """
    listed = [*line_worths(kind.example)]
    if any(line.kind != kind.name for line in listed):
        other = next(line.kind for line in listed if line.kind != kind.name)
        pattern = kind.begins.pattern
        return f"the example is taken for {other}: too few of its lines begin with {pattern!r}"
    best = max(listed, key=lambda line: line.worth)
    wanted = max(line.worth for line in listed if line.text == kind.first)
    if best.worth > wanted:
        return (
            f"line {best.number} of the example, {best.text!r}, is worth {best.worth:.2f}, more "
            f"than {kind.first!r} with {wanted:.2f}"
        )
    return ""
