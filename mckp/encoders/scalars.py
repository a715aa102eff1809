"""How single values and keys are written so that their types can be read back.

A value is bare if nothing else could be meant: numbers, ``true``, ``false``, ``null``, and
strings that do not look like any of those, like JSON, or like blank space. All others are JSON:
``"1"`` is a string, ``[1,2]`` an array. An empty place means that the value is absent; the empty
string is ``""``.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

import orjson

from mckp.errors import ParseError
from mckp.jsontext import LITERAL, LONG_NUMBER, NUMBER, dump, is_container, load
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_IS_LITERAL = regex(LITERAL)
_BARE = regex(rf'(?!(?:{LITERAL})\Z)[^\s"{{\[\x00-\x1f](?:[^\x00-\x1f]*[^\s\x00-\x1f])?', re.ASCII)
_LINK = regex(r'\[[^\x00-\x1f"\[\]]*\]\((?:[^\x00-\x1f"]*[^\s\x00-\x1f"])?')
_BARE_KEY = regex(r"[\w$@.](?:[^\x00-\x1f:\[\]{}()\"|\\]*[^\s\x00-\x1f:\[\]{}()\"|\\])?")


class Absent:
    """The type of `ABSENT`: no value at all, as opposed to null."""

    def __repr__(self) -> str:
        """Return the name of the constant."""
        return "ABSENT"

    def __bool__(self) -> bool:
        """Return False, as nothing is there."""
        return False

    def __reduce__(self) -> str:
        """Return the constant's name, so that it is the same object when unpickled."""
        return "ABSENT"  # a singleton, in other processes too


ABSENT: Final = Absent()


class Cut:
    """The type of `CUT`: a value that is in the document but was cut from the text."""


CUT: Final = Cut()


class ItemGap(Cut):
    """Items of an array that were cut before an item that was kept: those from `first` to `last`.

    It is in the place of these items in what is left of the array.
    """

    __slots__ = ("first", "last")

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last


def is_bare(text: str) -> bool:
    """Whether a string can be written without quotation marks."""
    return _BARE.fullmatch(text) is not None and text.strip() == text


def write_value(value: object) -> str:
    """Return any plain value on one line: bare where that is safe, else compact JSON.

    Examples
    --------
    >>> [write_value(v) for v in ("open", "1", 1, None, "", [1, "a"])]
    ['open', '"1"', '1', 'null', '""', '[1,"a"]']
    """
    if isinstance(value, str) and is_bare(value):
        return value
    return dump(value)


def read_value(text: str) -> Any:
    """Return the value that `write_value` wrote; `ABSENT` for the empty text.

    Raises a `ParseError` for broken JSON.
    """
    if not text:
        return ABSENT
    if text[0] in '"{[' or _IS_LITERAL.fullmatch(text):
        return read_json(text)
    return text


def write_cell(value: object) -> str:
    """Return a table cell on one line: like `write_value`, but a Markdown link is bare.

    No JSON begins like a link: ``[text](``.

    Examples
    --------
    >>> [write_cell(v) for v in ("[a](/b)", "[a]", ["a"], "open")]
    ['[a](/b)', '"[a]"', '["a"]', 'open']
    """
    return value if isinstance(value, str) and _LINK.fullmatch(value) else write_value(value)


def read_cell(text: str) -> Any:
    """Return the value that `write_cell` wrote; `ABSENT` for the empty text.

    Raises a `ParseError` for broken JSON.
    """
    return text if text[:1] == "[" and _LINK.fullmatch(text) else read_value(text)


def read_json(text: str) -> Any:
    """Parse JSON, with all digits of integers; raise a `ParseError` if it is broken."""
    try:
        return load(text)
    except ValueError as error:
        raise ParseError(f"broken JSON {text[:40]!r}: {error}") from None


def write_key(key: str | int) -> str:
    """Return a member's name or an item's index as it is written before ``: `` and in headings.

    Examples
    --------
    >>> [write_key(k) for k in ("id", "first name", "a: b", "", "# x", 7)]
    ['id', 'first name', '"a: b"', '""', '"# x"', '7']
    """
    if isinstance(key, int):
        return str(key)
    if key.isascii() and key.isidentifier():  # most names: faster than the pattern
        return key
    return key if _BARE_KEY.fullmatch(key) else dump(key)


def read_key(text: str) -> str:
    """Return a name that is bare or a JSON string; raise a `ParseError` for any other text."""
    if text.startswith('"'):
        return str(read_json(text))
    if _BARE_KEY.fullmatch(text) is None:
        raise ParseError(f"{text[:40]!r} is not the name of a member")
    return text


_SIGNS: Final = r"A-Za-z0-9_.:/@#%&+=?!$*'~^|()<>\-"
_TEXT: Final = rf"[A-Za-z][{_SIGNS}]*+(?: ++[{_SIGNS},]++)*+"
PLAIN: Final = regex(rf"(?:(?!(?:true|false|null)\n){_TEXT}\n)*+")
"""Lines that need no escaping in any format: letters, digits, blanks, and some signs."""

_NUMBERS = regex(rf"(?:{NUMBER}\n)*+")


def number_texts(values: Sequence[Any]) -> list[str]:
    """Return each number, boolean or null as text."""
    return dump(list(values))[1:-1].split(",") if values else []


def values_of(
    cells: Sequence[str], read: Callable[[str], Any], plain: re.Pattern[str] = PLAIN
) -> Sequence[Any]:
    """Return the values of a column's cells.

    If all cells, as lines, match `plain`, they are the values. If all are numbers, the values are
    these numbers. Otherwise `read` parses the cells, each distinct one once unless its value is a
    container.
    """
    lines = "\n".join([*cells, ""])
    if plain.fullmatch(lines):
        return cells
    if cells[0][:1] in "-0123456789" and _NUMBERS.fullmatch(lines):
        is_short = all(len(cell) < LONG_NUMBER or "." in cell for cell in cells)
        with suppress(ValueError):
            text = f"[{','.join(cells)}]"
            array = orjson.loads(text) if is_short else load(text)
            return cast("list[Any]", array)
    known = {cell: read(cell) for cell in set(cells)}
    if len(known) < len(cells) and any(map(is_container, known.values())):
        # Records must not share a container, because changing one would change the other.
        return [read(cell) if is_container(known[cell]) else known[cell] for cell in cells]
    return list(map(known.__getitem__, cells))
