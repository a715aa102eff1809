"""Which rows of a document are remarkable: exceptions, and what people say in conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.weights.columns import ITEM
from mckp.weights.following import newest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.weights.columns import Columns
    from mckp.weights.traits import ColumnTraits

SPEAKERS: Final = frozenset({'"user', '"system', '"developer'})
"""Roles of those who say what is to be done."""
TALKS: Final = frozenset({'"assistant', '"tool', '"model'})
"""Roles that show that records are messages of a conversation."""
_TOOL_RESULT: Final = '"tool_result'
"""The type of a block of a message that has what a tool answered, not what a person said."""


def row_traits(columns: Columns, entries: list[ColumnTraits]) -> list[str]:
    """Return a trait for each row; most are empty.

    An ``exception`` is a row with an exceptional value, in itself or in a row within it. ``said``
    is a message by a person or the system in a conversation, with everything in it except results
    of tools. The root row, which is the document itself, has no trait.
    """
    above = columns.above
    marks = [""] * len(above)
    speaking, answering = set[int](), set[int]()
    for entry in entries:
        name, rows = entry.column.path[-1], entry.column.rows
        if name == "role" and TALKS & entry.own.keys():
            pairs = zip(entry.texts, rows, strict=True)
            speaking.update(row for text, row in pairs if text in SPEAKERS)
        elif name == "type" and _TOOL_RESULT in entry.own:
            pairs = zip(entry.texts, rows, strict=True)
            answering.update(row for text, row in pairs if text == _TOOL_RESULT)
        rare = {text for text, traits in entry.own.items() if "rare" in traits or "alarm" in traits}
        if not rare:
            continue
        for text, row in zip(entry.texts, rows, strict=True):
            if text in rare:
                while row and not marks[row]:
                    marks[row] = "exception"
                    row = above[row]
    for row in _newest(entries):
        marks[row] = "exception"
    if speaking:
        for row in range(1, len(above)):  # a row comes behind the row around it
            if row in speaking or (marks[above[row]] == "said" and row not in answering):
                marks[row] = "said"
    return marks


def _newest(entries: Sequence[ColumnTraits]) -> Iterable[int]:
    """Yield the last row of each series of measurements over time."""
    groups: dict[tuple[str, ...], list[ColumnTraits]] = {}
    for entry in entries:
        if len(entry.column.path) > 1 and entry.column.path[-2] == ITEM:
            groups.setdefault(entry.column.path[:-1], []).append(entry)
    for group in groups.values():
        dates = [all("kind date" in traits for traits in entry.own.values()) for entry in group]
        row = newest([entry.column for entry in group], dates) if any(dates) else None
        if row is not None:
            yield row
