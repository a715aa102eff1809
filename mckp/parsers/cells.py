"""Typed cells: the values that a table's texts stand for."""

from __future__ import annotations

import json
from typing import TypeAlias

from mckp.jsontext import LITERAL, dump
from mckp.regexes import regex

Cell: TypeAlias = str | int | float | bool | None

_SCALAR = regex(LITERAL)


def typed(text: str) -> Cell:
    """Return the JSON scalar that a cell spells out, or the text itself.

    Only canonical spellings count: a value is taken if writing it gives the same text
    again, so nothing is lost either way.

    Examples
    --------
    >>> [typed(text) for text in ("7", "007", "7.0", "7.00", "true", "True", "null", "")]
    [7, '007', 7.0, '7.00', True, 'True', None, '']
    """
    if not _SCALAR.fullmatch(text):
        return text
    try:
        value: Cell = json.loads(text)
    except ValueError:  # more digits than Python converts
        return text
    return value if dump(value) == text else text
