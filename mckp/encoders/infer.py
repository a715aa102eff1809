"""From records to the shape that writes them in the fewest tokens, or nearly so.

Encoders do not see tokens. A name is taken for one token and one more for every
`NAME_LENGTH` characters, a sign for an absent cell and a quotation mark for one each;
that ranks the layouts of a column well, and pricing has the last word on whole tables.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.fitting import fits, in_order, same
from mckp.encoders.free_text import with_text
from mckp.encoders.shapes import Cell, Constant, Group, Items, Plain
from mckp.encoders.words import is_word
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.encoders.shapes import Record, Shape

NAME_LENGTH: Final = 6
"""Characters of a member's name for each token beyond its first."""

DEEPEST: Final = 4
"""Objects and tables within one another that become columns; what is deeper is a cell."""


def record_shape(
    values: Sequence[Any], *, inline: bool, ordered: bool = False, depth: int = 0
) -> Record | None:
    """Return the shape of an array's items as rows of a table, or None if none pays.

    Parameters
    ----------
    values : sequence
        The items.
    inline : bool
        Whether the rows stand within a line, rather than on lines of their own.
    ordered : bool
        Whether members must be read back in their order.
    depth : int
        In how many columns of other tables the table stands.
    """
    if len(values) >= 2 and all(map(is_array, values)):
        return Plain()
    objects = [value for value in values if is_object(value) and value]
    if len(objects) < 2 or 2 * len(objects) < len(values):
        return None
    shape = columns_of(objects, more=True, depth=depth)
    if shape is None or (ordered and not all(in_order(shape, each) for each in objects)):
        return None
    if not ordered:
        shape = _numbers_first(shape, objects)
    return with_text(shape, objects, inline=inline, ordered=ordered)


def columns_of(
    objects: Sequence[dict[str, Any]], *, more: bool, anyway: bool = False, depth: int = 0
) -> Group | None:
    """Return the columns of objects, or None if they save nothing.

    Parameters
    ----------
    objects : sequence of dict
        Objects that are not empty.
    more : bool
        Whether rare members may go without a column.
    anyway : bool
        Whether columns are wanted even if they save nothing.
    depth : int
        In how many columns of other tables the objects stand.
    """
    present: dict[str, list[Any]] = {}
    for record in objects:
        for key, value in record.items():
            present.setdefault(key, []).append(value)
    total = len(objects)
    kept = {key: values for key, values in present.items() if _pays(key, len(values), total, more)}
    saved = sum((len(values) - 1) * _cost(key) for key, values in kept.items())
    absent = sum(total - len(values) for values in kept.values())
    if not kept or (not anyway and saved < absent + 2):
        return None
    columns = {key: _shape(values, total, depth) for key, values in kept.items()}
    if not any(_has_cells(shape) for shape in columns.values()):
        first = next(iter(columns))
        columns[first] = Cell.WORD
    return Group(columns, more=len(kept) < len(present))


def _pays(key: str, count: int, total: int, more: bool) -> bool:
    """Whether a member is common enough for a column, which costs a sign where it lacks."""
    return not more or total - count <= (count - 1) * (_cost(key) + 1) + 1


def _cost(key: str) -> int:
    return 1 + len(key) // NAME_LENGTH


def _shape(values: Sequence[Any], total: int, depth: int) -> Shape:
    """Return the shape of a column from the values that are there."""
    first = values[0]
    if len(values) == total > 1 and all(same(value, first) for value in values):
        return Constant(first)
    if depth == DEEPEST:
        return Cell.WORD
    objects = [value for value in values if is_object(value) and value]
    if len(objects) >= 2 and 2 * len(objects) >= len(values):
        usual = _usual(objects)
        group = columns_of(usual, more=False, depth=depth + 1)
        if group is not None:
            optional = len(objects) < total or not all(fits(group, each) for each in objects)
            return Group(group.columns, optional=optional)
    if sum(map(is_array, values)) * 2 > len(values):
        items = [item for value in values if is_array(value) for item in value]
        if any(map(is_object, items)):
            record = record_shape(items, inline=True, depth=depth + 1)
            return Cell.WORD if record is None else Items(record)
    return Cell.WORD


def _usual(objects: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return objects without those whose odd names would cost the others more than it saves.

    A column costs a sign where it lacks; an object that does not fit is written in full.
    """
    counts = Counter(chain.from_iterable(objects))
    full = 2 + sum(map(_cost, counts))
    odd = {key for key, count in counts.items() if len(objects) - count > count * full}
    return [record for record in objects if odd.isdisjoint(record)] if odd else list(objects)


def _has_cells(shape: Shape) -> bool:
    if isinstance(shape, Group):
        return shape.optional or any(_has_cells(below) for below in shape.columns.values())
    return not isinstance(shape, Constant)


def _numbers_first(group: Group, objects: Sequence[dict[str, Any]]) -> Group:
    """Return a shape that begins with a column of digits, if there is one.

    A blank before a word belongs to the word's token, before digits it is one of its own;
    the first cell of a row has none.
    """
    for key, shape in group.columns.items():
        if shape is Cell.WORD and all(_is_digits(record.get(key)) for record in objects):
            return Group({key: shape, **group.columns}, more=group.more, led=True)
    return group


def _is_digits(value: object) -> bool:
    if isinstance(value, str):
        return value[:1].isdecimal() and value[:1].isascii() and is_word(value)
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
