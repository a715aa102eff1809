"""Which rows of a document are remarkable: exceptions, and what people say in conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.weights.columns import ITEM
from mckp.weights.following import newest_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.weights.columns import Columns
    from mckp.weights.traits import ColumnTraits

SPEAKERS: Final = frozenset({'"user', '"system', '"developer'})
"""Roles of those who give instructions."""
TALKS: Final = frozenset({'"assistant', '"tool', '"model'})
"""Roles that show that records are the messages of a conversation."""
_TOOL_RESULT: Final = '"tool_result'
"""The type of a block of a message that has the result of a tool, not the words of a person."""


def row_traits(columns: Columns, entries: list[ColumnTraits]) -> list[str]:
    """Return a trait for each row: ``exception``, ``said``, or for most an empty string.

    An ``exception`` is a row with an exceptional value, in itself or in a row within it, or the
    newest row of a series. ``said`` is a row of a message by a person or the system in a
    conversation, at any depth, except for results of tools; it replaces ``exception``. Row 0, the
    document, has no trait.
    """
    above = columns.above
    traits = [""] * len(above)
    speaker_rows, result_rows = set[int](), set[int]()
    for entry in entries:
        name, rows = entry.column.path[-1], entry.column.rows
        if name == "role" and TALKS & entry.own.keys():
            pairs = zip(entry.texts, rows, strict=True)
            speaker_rows.update(row for text, row in pairs if text in SPEAKERS)
        elif name == "type" and _TOOL_RESULT in entry.own:
            pairs = zip(entry.texts, rows, strict=True)
            result_rows.update(row for text, row in pairs if text == _TOOL_RESULT)
        exceptional = {
            text
            for text, value_traits in entry.own.items()
            if "rare" in value_traits or "alarm" in value_traits
        }
        if not exceptional:
            continue
        for text, row in zip(entry.texts, rows, strict=True):
            if text in exceptional:
                while row and not traits[row]:
                    traits[row] = "exception"
                    row = above[row]
    for row in _newest_rows(entries):
        traits[row] = "exception"
    if speaker_rows:
        for row in range(1, len(above)):  # each row comes after the row around it
            if row in speaker_rows or (traits[above[row]] == "said" and row not in result_rows):
                traits[row] = "said"
    return traits


def _newest_rows(entries: Sequence[ColumnTraits]) -> Iterable[int]:
    """Yield the last row of each series of measurements over time."""
    entries_by_record: dict[tuple[str, ...], list[ColumnTraits]] = {}
    for entry in entries:
        if len(entry.column.path) > 1 and entry.column.path[-2] == ITEM:
            entries_by_record.setdefault(entry.column.path[:-1], []).append(entry)
    for siblings in entries_by_record.values():
        dates = [all("kind date" in traits for traits in entry.own.values()) for entry in siblings]
        row = newest_row([entry.column for entry in siblings], dates) if any(dates) else None
        if row is not None:
            yield row
