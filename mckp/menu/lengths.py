"""Which containers are too long for one line, so that they are blocks of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.base import LINE_CHARACTERS, MOST_CELLS
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.menu.parts import MOST_INLINE

if TYPE_CHECKING:
    from collections.abc import Callable

FACTS: Final = 40
"""Facts of an object or array that may stand on a line."""


class Lengths:
    """What tells long containers of one document, each looked at once.

    Long are tables of more facts than a reader tells apart side by side, and what has too many
    facts, or characters as compact JSON, for a line. An array of leaves never is, however many it
    has: nothing in it has to be found.

    Parameters
    ----------
    facts : callable
        From a value to how many leaves it has.
    is_dense : bool
        Whether only tables of many records are long.

    Examples
    --------
    >>> lengths = Lengths(lambda value: 20)
    >>> lengths.is_long([{"id": 1}, {"id": 2}]), lengths.is_long({"id": 1}), lengths.is_long([1, 2])
    (True, False, False)
    """

    def __init__(self, facts: Callable[[Any], int], *, is_dense: bool = False) -> None:
        self._facts, self._is_dense = facts, is_dense
        self._known: dict[int, bool] = {}

    def is_long(self, value: dict[str, Any] | list[Any]) -> bool:
        """Whether a container is too long for one line, or has something in it that is."""
        found = self._known.get(id(value))
        if found is None:
            below = value.values() if is_object(value) else value
            inner = list(filter(is_container, below))
            # What needs no look into the members comes first: that tells of most long tables.
            found = (
                (is_array(value) and len(value) > MOST_INLINE and any(map(is_object, inner)))
                or (not self._is_dense and self._is_much(value, inner))
                or any(map(self.is_long, inner))
            )
            self._known[id(value)] = found
        return found

    def _is_much(self, value: dict[str, Any] | list[Any], inner: list[Any]) -> bool:
        """Whether a container is a table of many facts, or has too many facts or characters."""
        facts = self._facts(value)
        if facts <= MOST_CELLS or (is_array(value) and not inner):
            return False
        records = sum(map(is_object, inner))
        is_table = records > 1 and (is_array(value) or records == len(value))
        return is_table or facts > FACTS or len(dump(value)) > LINE_CHARACTERS
