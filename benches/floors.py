"""Two floors to hold token counts against: what the data alone costs, in no format at all.

Neither is a proved bound, since tokens merge over the ends of cells as well, and a format
may derive one value from another. They say how much of a text is data, and how far from it
a format is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.jsontext import dump, is_array, is_container, is_object

if TYPE_CHECKING:
    from collections.abc import Callable

    Path = tuple[str | None, ...]

DELIMITERS: Final = (" ", ",", "\t")


class Floors(NamedTuple):
    """Tokens of a document's data, keys told once for each path.

    Attributes
    ----------
    verbatim : int
        Every value in its place, with the cheapest delimiter before it, and one token for
        the line of each record.
    shared : int
        The same, but for each path the cheapest of: every value in its place; each distinct
        value once and one token a place; the value once, if it is the same everywhere.
    """

    verbatim: int
    shared: int


def floors(value: Any, count: Callable[[str], int]) -> Floors:
    """Return the floors of a plain value.

    Parameters
    ----------
    value
        A plain value.
    count : callable
        From a text to its tokens.

    Examples
    --------
    >>> floors([{"id": 1, "ok": True}, {"id": 2, "ok": True}], lambda text: len(text.split()))
    Floors(verbatim=8, shared=7)
    """
    document = _Document()
    document.walk(value, ())
    keys = [path[-1] for path in document.paths]
    fixed = sum(count(key) for key in keys if key is not None) + document.records

    @cache
    def cell(text: str) -> int:
        return min(count(delimiter + text) for delimiter in DELIMITERS)

    verbatim = shared = fixed
    for places in document.values.values():
        in_place = sum(cell(text) * number for text, number in places.items())
        once = sum(map(cell, places))
        verbatim += in_place
        shared += once if len(places) == 1 else min(in_place, once + places.total())
    return Floors(verbatim, shared)


class _Document:
    """The distinct paths of keys, the values at each, and the number of records."""

    def __init__(self) -> None:
        self.paths: set[Path] = set()
        self.values: defaultdict[Path, Counter[str]] = defaultdict(Counter)
        self.records = 0

    def walk(self, value: Any, path: Path) -> None:
        if is_object(value) and value:
            for key, child in value.items():
                self.paths.add((*path, key))
                self.walk(child, (*path, key))
        elif is_array(value) and value:
            for child in value:
                self.records += is_container(child)
                self.walk(child, (*path, None))
        else:
            self.values[path][value if isinstance(value, str) else dump(value)] += 1
