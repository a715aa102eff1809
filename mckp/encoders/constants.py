"""The lines below a table's header that say what all its records have in common.

``== state open user{type User}`` stands for two columns: a member ``state`` of every record, and a
member ``type`` of its ``user``. The header then names nothing but cells, in their order. No row
begins so: ``=`` begins no word, and behind the ``=`` of a row that fits no column stands a blank.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.base import LINE_CHARACTERS
from mckp.encoders.native_reader import Line
from mckp.encoders.shapes import Constant, Group
from mckp.jsontext import dump, is_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.encoders.lines import Lines
    from mckp.encoders.shapes import Record, Shape

_START: Final = "== "


def apart(record: Record) -> tuple[Record, dict[str, Any]]:
    """Return a shape without the constants of its records, and these.

    Examples
    --------
    >>> from mckp.encoders.shapes import Cell
    >>> shape = Group({"id": Cell.WORD, "open": Constant(True)})
    >>> apart(shape) == (Group({"id": Cell.WORD}), {"open": True})
    True
    """
    if not isinstance(record, Group):
        return record, {}
    columns: dict[str, Shape] = {}
    found: dict[str, Any] = {}
    for key, shape in record.columns.items():
        if isinstance(shape, Constant):
            found[key] = shape.value
        elif isinstance(shape, Group) and not shape.optional:
            inner, own = apart(shape)
            assert isinstance(inner, Group), "groups hold groups"
            columns[key] = inner
            if own:
                found[key] = own
        else:
            columns[key] = shape
    return replace(record, columns=columns), found


def write_constants(members: dict[str, Any], pairs: Callable[[dict[str, Any]], str]) -> str:
    """Return the lines of some constants, written by `pairs`; nothing if there are none."""
    lines: list[str] = []
    for key, value in members.items():
        text = pairs({key: value})
        if lines and len(lines[-1]) + len(text) < LINE_CHARACTERS // 2:
            lines[-1] += f" {text}"
        else:
            lines.append(_START + text)
    return "".join(f"{line}\n" for line in lines)


def read_constants(lines: Lines, record: Record) -> None:
    """Add the constants of the next lines, if these have some, to a shape that was just read.

    Raises
    ------
    ParseError
        If a line is damaged, or says what the header or another line says.
    """
    while (above := lines.peek()) is not None and above.startswith(_START):
        line = Line(lines.take(), lines, len(_START))
        members = line.pairs({}, "")
        line.close()
        if not isinstance(record, Group) or not members:
            line.fail("only records with columns have something in common")
        _add(record, members, line)


def _add(group: Group, members: dict[str, Any], line: Line) -> None:
    columns = group.columns
    assert isinstance(columns, dict), "no copy for each line, of which there may be many"
    for key, value in members.items():
        inner = columns.get(key)
        if isinstance(inner, Group) and not inner.optional and is_object(value) and value:
            _add(inner, value, line)
        else:
            line.add(columns, key, Constant(value, len(dump(value))))
