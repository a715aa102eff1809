"""Columns that other columns spell out: the header says how, and the rows leave them out."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.free_text import tells_if_there
from mckp.encoders.shapes import Below, Cell, Derived, Group, Items
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mckp.encoders.shapes import Record, Shape

MOST_HOLES: Final = 3
"""Braces that one template may have, those that stand for themselves included."""

MOST_SOURCES: Final = 24
"""Columns that templates of one table may refer to."""

EFFORT: Final = 1000
"""Places that are tried for the template of one column."""

SHORTEST: Final = 8
"""Characters of a value that is worth a template."""

_HOLE = re.compile(r"\{([^{}]+)\}")


def filled(template: str, record: Mapping[str, Any]) -> str:
    """Return what a template says of a record.

    Examples
    --------
    >>> filled("/issues/{number}/labels{/name}", {"number": 7})
    '/issues/7/labels{/name}'
    """
    return _HOLE.sub(lambda hole: _text(record.get(hole[1])) or hole[0], template)


def holes_of(template: str) -> list[str]:
    """Return the names in braces in a template, be they columns or not."""
    return _HOLE.findall(template)


def with_derived(record: Record, values: Iterable[Any]) -> Record:
    """Return a shape in which columns that follow from others are templates."""
    objects = [value for value in values if is_object(value)]
    if not isinstance(record, Group) or not objects:
        return record
    columns: dict[str, Shape] = {}
    texts = _sources(record, objects)
    used: set[str] = set()
    for place, (key, shape) in enumerate(record.columns.items()):
        columns[key] = _below(shape, [each[key] for each in objects if key in each])
        if shape is Cell.WORD and key not in used and not (record.led and place == 0):
            others = {name: found for name, found in texts.items() if name != key}
            template = _template([each.get(key) for each in objects], others, objects)
            if template is not None:
                columns[key] = Derived(template)
                texts.pop(key, None)
                used.update(holes_of(template))
    return replace(record, columns=columns)


def _sources(record: Group, objects: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the texts of the first columns that have one for every record."""
    texts: dict[str, list[str]] = {}
    for key, shape in record.columns.items():
        if isinstance(shape, Cell) and _HOLE.fullmatch(f"{{{key}}}"):
            found = [_text(each.get(key)) for each in objects]
            if all(found):
                texts[key] = found
        if len(texts) == MOST_SOURCES:
            break
    return texts


def _below(shape: Shape, values: Sequence[Any]) -> Shape:
    """Return the shape of a column with what is derived inside of it."""
    if isinstance(shape, Group):
        found = with_derived(shape, values)
        return found if isinstance(found, Group) and tells_if_there(found) else shape
    items = (item for value in values if is_array(value) for item in value)
    if isinstance(shape, Items):
        inner = with_derived(shape.record, items)
        return shape if inner == shape.record else Items(inner)
    if isinstance(shape, Below) and shape.record is not None:
        found = with_derived(shape.record, items)
        if isinstance(found, Group) and found != shape.record:
            return replace(shape, record=found)
    return shape


def _template(
    values: Sequence[Any], texts: Mapping[str, list[str]], objects: Sequence[Mapping[str, Any]]
) -> str | None:
    """Return a template that gives the values of a column in every record, or None."""
    if not all(isinstance(value, str) and len(value) >= SHORTEST for value in values):
        return None
    template = _spelled(list(values), texts, MOST_HOLES, [EFFORT])
    if template is None:
        return None
    # What refers to no column is a constant, kept as a cell to tell that its object is there.
    holes = holes_of(template)
    if len(holes) > MOST_HOLES or texts.keys().isdisjoint(holes):
        return None
    is_exact = all(
        filled(template, record) == value for record, value in zip(objects, values, strict=True)
    )
    return template if is_exact else None


def _text(value: object) -> str:
    """Return what stands in a hole for a value; nothing for what has no plain text."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _spelled(
    rest: list[str], texts: Mapping[str, list[str]], holes: int, effort: list[int]
) -> str | None:
    """Return a template for what is left of the values, the first hole leftmost.

    `effort` is what places may still be tried, in all: their number grows fast with holes.
    """
    if all(each == rest[0] for each in rest):
        return rest[0]
    if not holes:
        return None
    for source, found in texts.items():
        place = rest[0].find(found[0])
        while place >= 0 and effort[0]:
            effort[0] -= 1
            before = rest[0][:place]
            if all(map(str.startswith, rest, [before + each for each in found])):
                cut = [each[place + len(f) :] for each, f in zip(rest, found, strict=True)]
                if (after := _spelled(cut, texts, holes - 1, effort)) is not None:
                    return f"{before}{{{source}}}{after}"
            place = rest[0].find(found[0], place + 1)
    return None
