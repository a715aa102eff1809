"""Texts within a budget, and what they say to be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import reject

import mckp
from mckp.encoders.hints import read_overflow
from mckp.parsers.python import from_python

if TYPE_CHECKING:
    from mckp.encoders.hints import Overflow


def fitted(value: Any, **options: Any) -> mckp.Result:
    """Encode data, or give up the example if not even its least text fits."""
    try:
        return mckp.encode(from_python(value), **options)
    except mckp.BudgetError:
        reject()


def notes_in(text: str) -> list[Overflow]:
    """Return the notes of a text on what is missing."""
    return [note for line in text.split("\n") if (note := read_overflow(line))]
