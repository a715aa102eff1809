"""Texts within a budget, and what they say to be missing."""

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
    """Return the notes of a text on what is missing."""
    return [note for line in text.split("\n") if (note := read_overflow(line))]
