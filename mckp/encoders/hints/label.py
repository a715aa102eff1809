"""Labels above the texts of a session, and references whose changes are the lines below.

=======================  =================================================================
``> [#3]``               what follows is text number 3, as it came
``> [#3 as compact]``    the same, as `mckp.encode` writes it, or a template
``> [as compact]``       no text that anything will refer to
``> [ref #3 as diff]``   text number 3, after the changes of the lines below
=======================  =================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mckp.regexes import regex

_LABEL = regex(r"> \[(?:#(0|[1-9][0-9]{0,17}))?(?:( ?)as ([a-z][a-z0-9_]*))?\]")
_PATCH = regex(r"> \[ref #(0|[1-9][0-9]{0,17}) as diff\]")

COMPACT: Final = "compact"
"""The form of what `mckp.encode` writes; its name is a single token."""

RAW: Final = ""
"""The form of a body that is as it came."""


@dataclass(frozen=True, slots=True)
class Label:
    """The line above a text.

    Attributes
    ----------
    number : int or None
        What references call it; None if there will be none.
    form : str
        How the text below is written, `RAW` if it is as it came.
    """

    number: int | None = None
    form: str = RAW

    def __str__(self) -> str:
        named = "" if self.number is None else f"#{self.number}"
        words = [named, f"as {self.form}" if self.form else ""]
        return f"> [{' '.join(filter(None, words))}]"


@dataclass(frozen=True, slots=True)
class Patch:
    """A reference to a text of which lines have changed, which stand below it."""

    number: int

    def __str__(self) -> str:
        return f"> [ref #{self.number} as diff]"


def read_label(line: str) -> Label | None:
    """Return the label that a line is, or None.

    Examples
    --------
    >>> read_label("> [#3 as compact]"), read_label("> [as csv]"), read_label("> []")
    (Label(number=3, form='compact'), Label(number=None, form='csv'), None)
    """
    match = _LABEL.fullmatch(line)
    if match is None or match[1] is match[3] is None:
        return None
    found = Label(None if match[1] is None else int(match[1]), match[3] or RAW)
    return found if str(found) == line else None


def read_patch(line: str) -> Patch | None:
    """Return the reference to changed lines that a line is, or None."""
    match = _PATCH.fullmatch(line)
    return None if match is None else Patch(int(match[1]))
