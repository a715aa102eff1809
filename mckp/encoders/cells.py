"""Many cells at once: which need no look at each, and what the cells of a column stand for."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.jsontext import NUMBER, dump, is_container, load
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

_LITERALS: Final = frozenset(("true", "false", "null"))
_SIGNS: Final = r"A-Za-z0-9_.:/@#%&+=?!$*'~^|()<>\-"
_WORDS = regex(rf"(?:[A-Za-z][{_SIGNS}]*+\n)*+")
_TEXTS = regex(rf"(?:[A-Za-z][{_SIGNS}]*+(?: ++[{_SIGNS},]++)*+\n)*+")
_NUMBERS = regex(rf"(?:{NUMBER}\n)*+")
_LONG_NUMBER: Final = 19
"""Digits from which on an integer may be beyond 64 bits."""


def all_plain(texts: Collection[str], *, blanks: bool) -> bool:
    """Whether strings stand for themselves in any format, as far as can be told at once.

    Each begins with a letter, goes on with letters, digits and some signs, and is no literal.
    Others may stand for themselves as well, but have to be looked at one by one.

    Parameters
    ----------
    texts : collection of str
        The strings.
    blanks : bool
        Whether there may be blanks and commas in them.

    Examples
    --------
    >>> all_plain(["open", "a-b"], blanks=False), all_plain(["open", "a b"], blanks=False)
    (True, False)
    """
    first = next(iter(texts), "")
    if not (first[:1].isalpha() and _LITERALS.isdisjoint(texts)):
        return False
    lines = "\n".join([*texts, ""])
    plain = (_TEXTS if blanks else _WORDS).fullmatch(lines)
    return plain is not None and lines.count("\n") == len(texts)


def numbers(values: Sequence[Any]) -> list[str]:
    """Return the texts of numbers, booleans and nulls.

    Examples
    --------
    >>> numbers([1, 2.5, None, True])
    ['1', '2.5', 'null', 'true']
    """
    return dump(list(values))[1:-1].split(",") if values else []


def values_of(cells: Sequence[str], read: Callable[[str], Any], *, blanks: bool) -> Sequence[Any]:
    """Return what the cells of a column stand for.

    Parameters
    ----------
    cells : sequence of str
        The cells, in each of which a number or a plain string means itself.
    read : callable
        What reads any cell; no more than once for each distinct one that is no container.
    blanks : bool
        Whether plain strings may have blanks in them.
    """
    if all_plain(cells, blanks=blanks):
        return cells
    if cells[0][:1] in "-0123456789" and _NUMBERS.fullmatch("\n".join([*cells, ""])):
        is_short = all(len(cell) < _LONG_NUMBER or "." in cell for cell in cells)
        with suppress(ValueError):
            text = f"[{','.join(cells)}]"
            found: list[Any] = orjson.loads(text) if is_short else load(text)
            return found
    known = {cell: read(cell) for cell in set(cells)}
    if len(known) < len(cells) and any(map(is_container, known.values())):
        # What one record has must not change with another.
        return [read(cell) if is_container(known[cell]) else known[cell] for cell in cells]
    return list(map(known.__getitem__, cells))
