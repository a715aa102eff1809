"""Many cells at once: which need no look at each, and what the cells of a column stand for."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.jsontext import LONG_NUMBER, NUMBER, dump, is_container, load
from mckp.regexes import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Sequence

_SIGNS: Final = r"A-Za-z0-9_.:/@#%&+=?!$*'~^|()<>\-"
_TEXT: Final = rf"[A-Za-z][{_SIGNS}]*+(?: ++[{_SIGNS},]++)*+"
PLAIN: Final = regex(rf"(?:(?!(?:true|false|null)\n){_TEXT}\n)*+")
"""Lines that stand for themselves in any format: letters, digits, blanks, and some signs."""

_NUMBERS = regex(rf"(?:{NUMBER}\n)*+")


def all_match(lines: re.Pattern[str], texts: Collection[str]) -> bool:
    """Whether a pattern of lines matches all of some texts, none of which has a line feed.

    Examples
    --------
    >>> all_match(PLAIN, ["open", "a b"]), all_match(PLAIN, ["open", "1"])
    (True, False)
    """
    joined = "\n".join([*texts, ""])
    return lines.fullmatch(joined) is not None and joined.count("\n") == len(texts)


def numbers(values: Sequence[Any]) -> list[str]:
    """Return the texts of numbers, booleans and nulls.

    Examples
    --------
    >>> numbers([1, 2.5, None, True])
    ['1', '2.5', 'null', 'true']
    """
    return dump(list(values))[1:-1].split(",") if values else []


def values_of(
    cells: Sequence[str], read: Callable[[str], Any], plain: re.Pattern[str] = PLAIN
) -> Sequence[Any]:
    """Return what the cells of a column stand for, in which a number means itself.

    Lines that are `plain` stand for themselves; `read` reads any other cell, no more than once
    for each distinct one that is no container.
    """
    lines = "\n".join([*cells, ""])
    if plain.fullmatch(lines):
        return cells
    if cells[0][:1] in "-0123456789" and _NUMBERS.fullmatch(lines):
        is_short = all(len(cell) < LONG_NUMBER or "." in cell for cell in cells)
        with suppress(ValueError):
            text = f"[{','.join(cells)}]"
            found: list[Any] = orjson.loads(text) if is_short else load(text)
            return found
    known = {cell: read(cell) for cell in set(cells)}
    if len(known) < len(cells) and any(map(is_container, known.values())):
        # What one record has must not change with another.
        return [read(cell) if is_container(known[cell]) else known[cell] for cell in cells]
    return list(map(known.__getitem__, cells))
