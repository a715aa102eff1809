"""Columns derived from other columns: a template in the header replaces their cells."""

from __future__ import annotations

from dataclasses import replace
from operator import eq
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.free_text import shows_presence
from mckp.encoders.shapes import Cell, Derived, Group, Items
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mckp.encoders.records import Column, Records
    from mckp.encoders.shapes import Record, Shape

MOST_HOLES: Final = 3
"""Most pairs of braces in a template, including those that stand for themselves."""

EFFORT: Final = 1000
"""Most places that are tried for the template of a column."""

SHORTEST: Final = 8
"""Fewest characters of a value that is worth a template."""

_HOLE = regex(r"\{([^{}]+)\}")


def fill(template: str, record: Mapping[str, Any]) -> str:
    """Return a template with the values of a record filled into its braces.

    Braces around anything but the name of a non-empty string or an integer stay as they are.

    Examples
    --------
    >>> fill("/issues/{number}/labels{/name}", {"number": 7})
    '/issues/7/labels{/name}'
    """
    return _HOLE.sub(lambda hole: _hole_text(record.get(hole[1])) or hole[0], template)


def fill_all(template: str, records: Records) -> Iterator[str]:
    """Yield the filled template for each record that is an object."""
    rows = (row for row in range(records.size) if row not in records.odd)
    return (fill(template, records.value(row)) for row in rows)


def holes_of(template: str) -> list[str]:
    """Return the names in braces in a template, whether or not they are columns."""
    return _HOLE.findall(template)


def with_derived(record: Record, records: Records) -> Record:
    """Return a shape with templates in place of the columns that follow from others.

    Columns inside objects and tables are replaced, too. A column in a template is not replaced.
    """
    if not isinstance(record, Group) or not records.object_count:
        return record
    columns: dict[str, Shape] = {}
    texts = _source_texts(record, records)
    used: set[str] = set()
    for key, shape in record.columns.items():
        column = records.columns.get(key)
        columns[key] = shape if column is None else _derive_inside(shape, column)
        if column is None or shape is not Cell.WORD or key in used:
            continue
        sources = {name: column_texts for name, column_texts in texts.items() if name != key}
        template = _find_template(column, sources, records)
        if template is not None:
            columns[key] = Derived(template)
            texts.pop(key, None)
            used.update(holes_of(template))
    return replace(record, columns=columns)


def _source_texts(record: Group, records: Records) -> dict[str, list[str]]:
    """Return the texts of each column that could be in a template, by name.

    Such a column has cells, and a non-empty string or an integer in every record that is an object.
    """
    texts: dict[str, list[str]] = {}
    for key, shape in record.columns.items():
        column = records.columns.get(key)
        if column is None or column.count < records.object_count or not isinstance(shape, Cell):
            continue
        if _HOLE.fullmatch(f"{{{key}}}") and all(column_texts := _hole_texts(column)):
            texts[key] = column_texts
    return texts


def _hole_texts(column: Column) -> list[str]:
    """Return the texts that fill a hole, one for each value of a column without gaps."""
    return column.get_or_find("hole", lambda: list(map(_hole_text, column.raw)))


def _derive_inside(shape: Shape, column: Column) -> Shape:
    """Return the shape of a column with templates for the columns inside it.

    Those of an optional object are used only if its other cells still show whether it is there.
    """
    if isinstance(shape, Group):
        nested = with_derived(shape, column.nested)
        return nested if isinstance(nested, Group) and shows_presence(nested) else shape
    if isinstance(shape, Items):
        inner = with_derived(shape.record, column.items)
        return shape if inner == shape.record else Items(inner)
    return shape


def _find_template(column: Column, texts: Mapping[str, list[str]], records: Records) -> str | None:
    """Return a template that gives the value of a column in every record.

    Returns None if there is none, or if a value has fewer than `SHORTEST` characters.
    """
    if column.count < records.object_count or column.kinds != {str}:
        return None
    if min(map(len, column.bare)) < SHORTEST:
        return None
    template = _spell_template(list(column.raw), texts, MOST_HOLES, [EFFORT])
    if template is None:
        return None
    # Without a column in it, it is a constant that stays a cell to show that its object exists.
    holes = holes_of(template)
    if len(holes) > MOST_HOLES or texts.keys().isdisjoint(holes):
        return None
    is_exact = all(map(eq, fill_all(template, records), column.raw))
    return template if is_exact else None


def _hole_text(value: object) -> str:
    """Return a string or an integer as the text that fills a hole; "" for other values."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _spell_template(
    remaining: list[str], texts: Mapping[str, list[str]], holes_left: int, effort: list[int]
) -> str | None:
    """Return a template for the `remaining` text of each value, or None if none is found.

    `texts` has, for each column that may fill a hole, its text in each record. The template has at
    most `holes_left` holes. ``effort[0]`` is the number of positions that may still be tried, since
    the search grows fast with the number of holes.
    """
    if all(text == remaining[0] for text in remaining):
        return remaining[0]
    if not holes_left:
        return None
    for name, fillings in texts.items():
        place = remaining[0].find(fillings[0])
        while place >= 0 and effort[0]:
            effort[0] -= 1
            before = remaining[0][:place]
            if all(map(str.startswith, remaining, map(before.__add__, fillings))):
                rest = [
                    text[place + len(filling) :]
                    for text, filling in zip(remaining, fillings, strict=True)
                ]
                if (after := _spell_template(rest, texts, holes_left - 1, effort)) is not None:
                    return f"{before}{{{name}}}{after}"
            place = remaining[0].find(fillings[0], place + 1)
    return None
