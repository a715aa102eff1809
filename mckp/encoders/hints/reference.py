"""``> [ref #3]``: the same text as an earlier one, or the same but for some values.

``> [ref #3 status:"open"=>"done" tries:=>2 note:"x"=>]`` lists all that differs: a path in
the data, the value there, and the value here. What is not there, or not here, is empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from json import JSONDecoder
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.hints.parts import PATH, read_path, write_path
from mckp.encoders.scalars import ABSENT, read_json
from mckp.errors import ParseError
from mckp.jsontext import dump
from mckp.regexes import regex

if TYPE_CHECKING:
    from mckp.encoders.hints.parts import Path

_REFERENCE = regex(r"> \[ref #(0|[1-9][0-9]{0,17})(?: (.+))?\]")
_AT = regex(rf"({PATH}):")
_BECOMES: Final = "=>"
_END_OF = JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Change:
    """One value that differs.

    Attributes
    ----------
    path : tuple
        Where it stands.
    old, new
        Plain values; `mckp.ABSENT` for none.
    """

    path: Path
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{write_path(self.path)}:{_written(self.old)}{_BECOMES}{_written(self.new)}"


@dataclass(frozen=True, slots=True)
class Reference:
    """An earlier text that stands for this one.

    Attributes
    ----------
    number : int
        Which one.
    changes : tuple of Change
        All that differs.
    """

    number: int
    changes: tuple[Change, ...] = ()

    def __str__(self) -> str:
        return f"> [{' '.join([f'ref #{self.number}', *map(str, self.changes)])}]"


def read_reference(line: str) -> Reference | None:
    """Return the reference that a line is, or None."""
    match = _REFERENCE.fullmatch(line)
    if match is None:
        return None
    try:
        changes = _changes(match[2] or "")
    except (ParseError, ValueError, RecursionError):
        return None
    found = Reference(int(match[1]), changes)
    return found if str(found) == line else None


def _written(value: Any) -> str:
    return "" if value is ABSENT else dump(value)


def _changes(text: str) -> tuple[Change, ...]:
    """Read changes one by one.

    Raises
    ------
    ValueError
        If they are none; what is almost as they are written may pass.
    """
    changes: list[Change] = []
    place = 0
    while place < len(text):
        at = _AT.match(text, place)
        path = read_path(at[1]) if at else None
        if at is None or path is None:
            raise ParseError("a path was expected")
        old, place = _value(text, at.end())
        new, place = _value(text, place + len(_BECOMES))
        changes.append(Change(path, old, new))
        place += 1
    return tuple(changes)


def _value(text: str, place: int) -> tuple[Any, int]:
    """Return the value at a place, and where it ends."""
    if place >= len(text) or text[place] in "= ":
        return ABSENT, place
    _, end = _END_OF(text, place)
    return read_json(text[place:end]), end
