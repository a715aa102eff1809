r"""Results that are too long to be encoded while somebody waits: their beginning and end."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from mckp.encoders.fakes import escape
from mckp.errors import PathError

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CHARS: Final = 2 << 20
"""Characters of a text that a session looks at."""

_KEPT_CHARS: Final = 128 << 20
_HEAD_SHARE: Final = 0.7


class Originals:
    """Texts that no session holds, to be given back; the oldest are forgotten.

    Examples
    --------
    >>> kept = Originals()
    >>> kept.get(kept.add("all of it"))
    'all of it'
    """

    def __init__(self, most: int = _KEPT_CHARS) -> None:
        self._most, self._size, self._last = most, 0, 0
        self._texts: OrderedDict[str, str] = OrderedDict()

    def add(self, text: str) -> str:
        """Keep a text, and return its handle."""
        self._last += 1
        self._size += len(text)
        self._texts[f"x{self._last}"] = text
        while self._size > self._most and len(self._texts) > 1:
            self._size -= len(self._texts.popitem(last=False)[1])
        return f"x{self._last}"

    def get(self, handle: str) -> str:
        """Return a text.

        Raises
        ------
        PathError
            If there is none of that handle any more.
        """
        if handle not in self._texts:
            raise PathError(handle, "no result has that handle, or it was forgotten")
        return self._texts[handle]


def excerpt(text: str, budget: int, handle: str, count: Callable[[str], int]) -> str:
    r"""Return the beginning and the end of a text, and between them how much is missing.

    Parameters
    ----------
    text : str
        The text.
    budget : int
        The most tokens that it may have.
    handle : str
        By what the reader gets the rest.
    count : callable
        Counts tokens.

    Examples
    --------
    >>> found = excerpt("one\ntwo\n" * 99, 24, "x1", lambda text: len(text.split()))
    >>> len(found.split()) <= 24, [line for line in found.splitlines() if ">" in line]
    (True, ['> [732 of 792 characters left out; handle x1]'])
    """
    size = min(len(text), budget * 8)
    while size > 3:
        found = _cut(text, size, handle)
        tokens = count(found)
        if tokens <= budget:
            return found
        size = min(size - 1, int(size * budget / tokens))
    return f"> [{len(text):,} characters left out; handle {handle}]"


def _cut(text: str, size: int, handle: str) -> str:
    first = int(size * _HEAD_SHARE)
    head, tail = text[:first], text[len(text) - (size - first) :]
    # Whole lines, unless a line is longer than all there is room for.
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] or tail
    missing = len(text) - len(head) - len(tail)
    note = f"> [{missing:,} of {len(text):,} characters left out; handle {handle}]"
    above = head if head.endswith("\n") else f"{head}\n"
    return f"{escape(above, raw=True)}{note}\n{escape(tail, raw=True)}"
