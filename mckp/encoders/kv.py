"""``kv``: an object as ``key: value`` lines, an array as ``- item`` lines.

Nested values are on their line as JSON. Where a member is worth a block of its own, it
follows the lines under a heading, ``# jobs[20] csv``, and so on downwards: this is the
layout in which all other formats are mixed. The order of items is kept, that of an object's
members is not, because lines come before blocks.

``mckp_v2``: an object as ``key: value`` lines and its main array as one table.

The main array is the longest member that is an array of two objects or more (the first
of equals); it keeps its name in the table's heading, its columns are the union of keys,
and every cell that is not a scalar is JSON. Nothing is dropped: an array with anything
but objects in it is no candidate, and other arrays stay on their line as JSON.
"""

from __future__ import annotations

import re
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mckp.encoders.base import Body, DataLoss, Format, shape_of
from mckp.encoders.csv import CSV, table_records
from mckp.encoders.fence import FENCE
from mckp.encoders.headers import read_header, write_header
from mckp.encoders.hints import read_overflow, skip_notes
from mckp.encoders.native_reader import LineCursor
from mckp.encoders.prose import PROSE
from mckp.encoders.rows import ROWS
from mckp.encoders.scalars import read_key, read_value, write_key, write_value
from mckp.encoders.table import TABLE
from mckp.encoders.toon import TOON
from mckp.errors import MckpError, ParseError
from mckp.jsontext import STRING, is_container, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines

_Key = TypeVar("_Key", int, str)

BLOCKS: Final = (CSV, TABLE, PROSE, FENCE, ROWS, TOON)
"""The formats of blocks inside this layout."""

REGISTERED: Final = dict[str, Format]()
"""The caller's own formats, by name; see `mckp.encoders.register`."""

_LINE = regex(rf"({STRING}|[^:]+): (.*)", re.DOTALL)
_FLOW_LINE = regex(rf'({STRING}|[^:\[{{"]+)[\[{{].*', re.DOTALL)


def member_line(key: str | int, value: object) -> str:
    """Return the line for a member, or for an item with its index, such as ``name: Ann``."""
    return f"{write_key(key)}: {write_value(value)}\n"


def item_line(value: object) -> str:
    """Return the line for an item."""
    return f"- {write_value(value)}\n"


def body(value: object) -> Body | None:
    """Write a non-empty object or array; return None for any other value."""
    if not is_container(value) or not value:
        return None
    rows = starmap(member_line, value.items()) if is_object(value) else map(item_line, value)
    return Body(shape_of(value), "", tuple(rows))


def read_block(lines: Lines, header: Header) -> Any:
    """Read the value below a header, with the blocks within it, and skip the notes on it."""
    reader = next((known.read for known in BLOCKS if known.name == header.format), None)
    value: Any
    if reader is not None:
        value = reader(lines, header)
    elif header.format in REGISTERED:
        value = _read_registered(REGISTERED[header.format], lines, header)
    elif header.format != "kv":
        lines.fail(f"no format is called {header.format!r}; register one of your own first")
    elif header.bracket == "{":
        value = _read_members(lines, header, str)
    elif (lines.peek() or "").startswith("- "):
        value = _read_items(lines, header)
    else:
        items = _read_members(lines, header, lambda key: _read_index(key, header, lines))
        value = [items[index] for index in sorted(items)]
    skip_notes(lines)
    return value


def _read_registered(format_: Format, lines: Lines, header: Header) -> Any:
    """Read a value with the caller's own reader; an error not of mckp becomes a `ParseError`."""
    assert format_.read is not None  # see `mckp.encoders.register`
    try:
        return format_.read(lines, header)
    except MckpError:
        raise
    except Exception as error:
        lines.fail(f"the reader of the format {format_.name!r} raised {error!r}")


def _read_members(lines: Lines, header: Header, key_of: Callable[[str], _Key]) -> dict[_Key, Any]:
    """Read the members of a block: first those on lines, then those that are blocks themselves.

    `key_of` turns a name into a key: it returns the name itself, or the index of an item.
    """
    members: dict[_Key, Any] = {}
    while (line := lines.peek()) is not None and not line.startswith(("#", "> ")):
        lines.take()
        key, value = _read_member(line, lines)
        _add_member(members, key_of(key), value, lines)
        skip_notes(lines)
    missing = _take_missing_count(lines)
    while section := read_header(lines.peek(), header.depth + 1):
        lines.take()
        _add_member(members, key_of(section.key), read_block(lines, section), lines)
    _check_count(lines, header.size, len(members), missing)
    return members


def _read_items(lines: Lines, header: Header) -> list[Any]:
    """Read items and the hint on missing ones; fail if they do not add up to the header's count."""
    items: list[Any] = []
    while (lines.peek() or "").startswith("- "):
        items.append(_read_value_at(lines.take(), 2, lines))
        skip_notes(lines)
    _check_count(lines, header.size, len(items), _take_missing_count(lines))
    return items


def _add_member(members: dict[Any, Any], key: str | int, value: object, lines: Lines) -> None:
    """Add a member; fail if there is one with this key."""
    if key in members:
        lines.fail(f"{key!r} occurs twice")
    members[key] = value


def _read_member(line: str, lines: Lines) -> tuple[str, Any]:
    """Return the name and value in a line."""
    key, gap, _ = line.partition(": ")
    if gap and key.isascii() and key.isidentifier():  # most names: faster than the patterns
        return key, _read_value_at(line, len(key) + len(gap), lines)
    if match := _FLOW_LINE.fullmatch(line):
        return read_key(match[1]), LineCursor(line, lines, match.end(1)).read_whole()
    match = _LINE.fullmatch(line)
    if match is None:
        lines.fail("a line such as 'key: value' was expected")
    return read_key(match[1]), _read_value_at(line, match.start(2), lines)


def _read_value_at(line: str, place: int, lines: Lines) -> Any:
    """Read the value from a place of a line on: bare, as JSON or in flow notation."""
    if place == len(line):
        lines.fail("a value was expected")
    try:
        return read_value(line[place:])
    except ParseError as broken:
        # What is not JSON may be flow notation; if it is neither, either may have been meant.
        try:
            return LineCursor(line, lines, place).read_whole()
        except ParseError as error:
            raise broken if '"' in line[place : place + 2] else error from None


def _read_index(key: str, header: Header, lines: Lines) -> int:
    """Return a name as the index of an item; fail if it is no index below the header's size."""
    if not key.isascii() or not key.isdecimal() or int(key) >= header.size:
        lines.fail(f"{key!r} is not an index below {header.size}")
    return int(key)


def _take_missing_count(lines: Lines) -> int:
    """Step past the hint at the cursor, and return the number of missing members; 0 without one."""
    hint = read_overflow(lines.peek())
    if hint is not None:
        lines.take()
    return hint.missing if hint else 0


def _check_count(lines: Lines, count: int, kept: int, missing: int) -> None:
    """Fail if the kept and the missing members do not add up to the header's `count`.

    A `count` of -1 means that the header has none.
    """
    if count not in (-1, kept + missing):
        lines.fail(
            f"the header says {count} members or items, but {kept} are there and {missing} are "
            "noted as missing"
        )


def main_array_body(value: Any) -> Body | None:
    """Write an object with a main array; return None for any other value."""
    members = value.items() if is_object(value) else ()
    sizes = {key: len(item) for key, item in members if table_records(item)}
    main = max(sizes, key=sizes.__getitem__, default="")
    below = TABLE.body(value[main]) if sizes.get(main, 0) >= 2 else None
    if below is None:
        return None
    lines = "".join(member_line(key, item) for key, item in value.items() if key != main)
    heading = write_header(1, main, below.shape, TABLE.name)
    return Body(shape_of(value), lines + heading + below.text)


KV = Format("kv", DataLoss.NONE, body)
MCKP_V2 = Format("mckp_v2", DataLoss.NONE, main_array_body)
