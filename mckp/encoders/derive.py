"""Columns that other columns spell out: the header says how, and the rows leave them out."""

from __future__ import annotations

from dataclasses import replace
from operator import eq
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.free_text import tells_if_there
from mckp.encoders.shapes import Cell, Derived, Group, Items
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mckp.encoders.records import Column, Records
    from mckp.encoders.shapes import Record, Shape

MOST_HOLES: Final = 3
"""Braces that one template may have, those that stand for themselves included."""

EFFORT: Final = 1000
"""Places that are tried for the template of one column."""

SHORTEST: Final = 8
"""Characters of a value that is worth a template."""

_HOLE = regex(r"\{([^{}]+)\}")


def filled(template: str, record: Mapping[str, Any]) -> str:
    """Return what a template says of a record.

    Examples
    --------
    >>> filled("/issues/{number}/labels{/name}", {"number": 7})
    '/issues/7/labels{/name}'
    """
    return _HOLE.sub(lambda hole: _text(record.get(hole[1])) or hole[0], template)


def filled_all(template: str, records: Records) -> Iterator[str]:
    """Yield what a template says of each record that is an object."""
    rows = (row for row in range(records.size) if row not in records.odd)
    return (filled(template, records.value(row)) for row in rows)


def holes_of(template: str) -> list[str]:
    """Return the names in braces in a template, be they columns or not."""
    return _HOLE.findall(template)


def with_derived(record: Record, records: Records) -> Record:
    """Return a shape in which columns that follow from others are templates."""
    if not isinstance(record, Group) or not records.objects:
        return record
    columns: dict[str, Shape] = {}
    texts = _sources(record, records)
    used: set[str] = set()
    for key, shape in record.columns.items():
        column = records.columns.get(key)
        columns[key] = shape if column is None else _below(shape, column)
        if column is None or shape is not Cell.WORD or key in used:
            continue
        sources = {name: column_texts for name, column_texts in texts.items() if name != key}
        template = _template(column, sources, records)
        if template is not None:
            columns[key] = Derived(template)
            texts.pop(key, None)
            used.update(holes_of(template))
    return replace(record, columns=columns)


def _sources(record: Group, records: Records) -> dict[str, list[str]]:
    """Return the texts of the columns that have one for every record."""
    texts: dict[str, list[str]] = {}
    for key, shape in record.columns.items():
        column = records.columns.get(key)
        if column is None or column.count < records.objects or not isinstance(shape, Cell):
            continue
        if _HOLE.fullmatch(f"{{{key}}}") and all(column_texts := _texts(column)):
            texts[key] = column_texts
    return texts


def _texts(column: Column) -> list[str]:
    """Return what is in a hole for each record; all that are objects have the member."""
    return column.remembered("hole", lambda: list(map(_text, column.raw)))


def _below(shape: Shape, column: Column) -> Shape:
    """Return the shape of a column with what is derived inside of it."""
    if isinstance(shape, Group):
        nested = with_derived(shape, column.nested)
        return nested if isinstance(nested, Group) and tells_if_there(nested) else shape
    if isinstance(shape, Items):
        inner = with_derived(shape.record, column.items)
        return shape if inner == shape.record else Items(inner)
    return shape


def _template(column: Column, texts: Mapping[str, list[str]], records: Records) -> str | None:
    """Return a template that gives the values of a column in every record, or None."""
    if column.count < records.objects or column.kinds != {str}:
        return None
    if min(map(len, column.bare)) < SHORTEST:
        return None
    template = _spelled(list(column.raw), texts, MOST_HOLES, [EFFORT])
    if template is None:
        return None
    # What refers to no column is a constant, kept as a cell to tell that its object is there.
    holes = holes_of(template)
    if len(holes) > MOST_HOLES or texts.keys().isdisjoint(holes):
        return None
    is_exact = all(map(eq, filled_all(template, records), column.raw))
    return template if is_exact else None


def _text(value: object) -> str:
    """Return what is in a hole for a value; nothing for what has no plain text."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _spelled(
    rest: list[str], texts: Mapping[str, list[str]], holes: int, effort: list[int]
) -> str | None:
    """Return a template for what is left of the values, the first hole leftmost.

    `effort` is what places may still be tried, in all: their number grows fast with holes.
    """
    if all(text == rest[0] for text in rest):
        return rest[0]
    if not holes:
        return None
    for source, sources in texts.items():
        place = rest[0].find(sources[0])
        while place >= 0 and effort[0]:
            effort[0] -= 1
            before = rest[0][:place]
            if all(map(str.startswith, rest, map(before.__add__, sources))):
                cut = [text[place + len(f) :] for text, f in zip(rest, sources, strict=True)]
                if (after := _spelled(cut, texts, holes - 1, effort)) is not None:
                    return f"{before}{{{source}}}{after}"
            place = rest[0].find(sources[0], place + 1)
    return None
