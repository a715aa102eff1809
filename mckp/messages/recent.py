"""A memory of bounded size, of which the oldest is forgotten."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

ROOM: Final = 1 << 27
"""Characters of text that one memory keeps by default."""


class Recent(Generic[K, V]):
    """Values that were put in last, for several threads.

    Parameters
    ----------
    most : int
        Values to keep.
    room : int
        The sizes of all together; the newest is kept in any case.

    Examples
    --------
    >>> recent = Recent[str, int](2)
    >>> for number, name in enumerate("abc"):
    ...     recent.put(name, number, 1)
    >>> recent.get("a"), recent.take("c"), recent.get("c")
    (None, 2, None)
    """

    def __init__(self, most: int, room: int = ROOM) -> None:
        self._most, self._room, self._size = most, room, 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Return a value, if it is there."""
        with self._lock:
            found = self._values.get(key)
        return None if found is None else found[0]

    def take(self, key: K) -> V | None:
        """Return a value, if it is there, and forget it."""
        with self._lock:
            return self._taken(key)

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value, and forget others if there is no room."""
        with self._lock:
            self._taken(key)
            self._values[key] = value, size
            self._size += size
            while len(self._values) > 1 and (
                len(self._values) > self._most or self._size > self._room
            ):
                self._taken(next(iter(self._values)))

    def _taken(self, key: K) -> V | None:
        value, size = self._values.pop(key, (None, 0))
        self._size -= size
        return value
