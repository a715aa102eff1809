"""Factors and minimum worths for the lines of programs with long runs of declarations, by rule.

What agents used of programs says little of lines that only make others possible: declarations of
variables without a value, as decompilers and old C write them in long runs. What a reader asks of
these programs is which function there is, and which strings and calls are in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.texts.lines import Roles

DECLARED_SHARE: Final = 0.05
"""Factor for the worth of a declaration in a long run of them."""

LONG_RUN: Final = 8
"""Fewest declarations of such a run."""

SIGNATURE_WORTH: Final = 1.2
"""Minimum worth of the first line of a function in such a text."""

TEXT_WORTH: Final = 0.5
"""Minimum worth of a line in such a text that has a string."""

_DECLARATION: Final = regex(
    r"[ \t]+(?!return\b|break\b|goto\b|throw\b)[A-Za-z_]\w*[ *]+\w+(?:\[\w*\])?;$"
)
_SIGNATURE: Final = regex(r"[A-Za-z_][\w *&:<>]*[ *]\w+\([^;{}]*\)\s*\{?$")
_STRING: Final = regex(r".*\"[^\"]*[A-Za-z/]{3}[^\"]*\"")


def declaration_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of a program with runs of declarations."""
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    runs = _declaration_runs(rows)
    for start, end in runs:
        factors[start:end] = [DECLARED_SHARE] * (end - start)
    for place, row in enumerate(rows) if runs else ():
        if _SIGNATURE.match(row):
            least[place] = SIGNATURE_WORTH
        elif _STRING.match(row):
            least[place] = TEXT_WORTH
    return factors, least


def _declaration_runs(rows: Sequence[str]) -> list[tuple[int, int]]:
    """Return the long runs of declarations at the beginning of a function's body."""
    runs: list[tuple[int, int]] = []
    start = 0
    for place, row in enumerate((*rows, "")):
        if _DECLARATION.match(row):
            continue
        is_body = start > 0 and rows[start - 1].rstrip().endswith("{")
        if place - start >= LONG_RUN and is_body and _is_function(rows, start - 1):
            runs.append((start, place))
        start = place + 1
    return runs


def _is_function(rows: Sequence[str], place: int) -> bool:
    """Whether the brace in a row opens the body of a function, not of a structure."""
    above = rows[place].rstrip(" {") or next(
        (row for row in reversed(rows[:place]) if row.strip()), ""
    )
    return above.rstrip().endswith(")")
