"""Texts within a budget, and what they say to be missing."""

import re
from typing import Any

from hypothesis import reject

import mckp
from mckp.encoders.hints import Overflow, read_overflow
from mckp.parsers.python import from_python


def fitted(value: Any, **options: Any) -> mckp.Result:
    """Encode data, or give up the example if not even its least text fits."""
    try:
        return mckp.encode(from_python(value), **options)
    except mckp.BudgetError:
        reject()


def notes_in(text: str) -> list[Overflow]:
    """Return the notes of a text on what is missing; a gap that names its lines is one."""
    lines = text.split("\n")
    notes = [note for line in lines if (note := read_overflow(line))]
    return notes + [Overflow(size, None, "lines") for line in lines if (size := gap_in(line))]


_GAP = re.compile(r"(?:.* )?…([0-9]+)(?:-([0-9]+))?")


def gap_in(line: str) -> int:
    """Return how many lines the mark of a gap at the end of a line stands for, 0 for no mark."""
    match = _GAP.fullmatch(line)
    return 0 if match is None else int(match[2] or match[1]) - int(match[1]) + 1
