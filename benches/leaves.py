"""What is left of a document that was cut, leaf by leaf.

A leaf is a scalar or an empty container.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp import ABSENT
from mckp.encoders.hints import NOTES, read_overflow
from mckp.jsontext import canonical, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp import Result
    from mckp.result import Elided

    Path = tuple[str | int, ...]

LINES: Final = frozenset({"rows", "items"})
"""Kinds of cuts that take whole elements out of an array."""

PARTS: Final = NOTES
"""Kinds of cuts that take parts out of whatever stands below."""


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield place and value of each leaf.

    Examples
    --------
    >>> list(leaves({"a": [1, {}]}))
    [(('a', 0), 1), (('a', 1), {})]
    """
    if is_object(value) and value:
        for key, child in value.items():
            yield from leaves(child, (*path, key))
    elif is_array(value) and value:
        for number, child in enumerate(value):
            yield from leaves(child, (*path, number))
    else:
        yield path, value


@dataclass(frozen=True)
class Kept:
    """What a text says of a document, by reading it back.

    Attributes
    ----------
    leaves : float
        Leaves that are equal at their place; of a shortened string the share that is left.
    total : int
        Leaves of the document.
    faithful : bool
        Whether all that is read stands so in the document, and all else is told to be cut.
    hinted : bool
        Whether each cut that the result tells of has a hint of its own in the text.
    """

    leaves: float
    total: int
    faithful: bool
    hinted: bool


def kept(value: Any, found: Any, result: Result) -> Kept:
    """Compare a document with what its text is read as.

    Parameters
    ----------
    value
        The document.
    found
        What `mckp.decode` makes of the text, or `mckp.ABSENT`.
    result : Result
        What tells of the cuts.
    """
    cuts: dict[Path, list[Elided]] = {}
    for cut in result.elided:
        cuts.setdefault(cut.path, []).append(cut)
    reader = _Reader(cuts)
    reader.read((), value, found)
    total = sum(1 for _ in leaves(value))
    told = Counter((cut.count, cut.kind) for cut in result.elided)
    found_hints = map(read_overflow, map(str.lstrip, result.text.split("\n")))
    hints = Counter((hint.missing, hint.unit) for hint in found_hints if hint)
    return Kept(reader.leaves, total, not reader.wrong, not told - hints)


class _Reader:
    """Goes through a document and what is left of it side by side."""

    def __init__(self, cuts: dict[Path, list[Elided]]) -> None:
        self.cuts = cuts
        self.leaves = 0.0
        self.wrong: list[Path] = []

    def read(self, path: Path, value: Any, found: Any) -> None:
        if found is ABSENT:
            self.expect(path, self.is_told(path))
        elif is_object(value) and is_object(found) and value:
            self.members(path, value, found)
        elif is_array(value) and is_array(found) and value:
            self.items(path, value, found)
        elif isinstance(value, str) and isinstance(found, str) and value != found:
            self.leaves += common(value, found) / len(value) if value else 0
            self.expect(path, self.is_told(path) and len(found) <= len(value))
        elif canonical(value) == canonical(found):
            self.leaves += 1
        else:
            self.expect(path, False)

    def members(self, path: Path, value: dict[str, Any], found: dict[str, Any]) -> None:
        self.expect(path, found.keys() <= value.keys())
        for key, child in value.items():
            self.read((*path, key), child, found.get(key, ABSENT))

    def items(self, path: Path, value: list[Any], found: list[Any]) -> None:
        own = [cut for cut in self.cuts.get(path, []) if cut.kind in LINES]
        gone = {key for cut in own for key in cut.keys if isinstance(key, int)}
        left = iter(found)
        for number, child in enumerate(value):
            self.read((*path, number), child, ABSENT if number in gone else next(left, ABSENT))
        self.expect(path, next(left, ABSENT) is ABSENT)

    def is_told(self, path: Path) -> bool:
        """Whether some cut names what stands at a place, or a part of the way to it."""
        return any(
            cut.kind in PARTS
            or not cut.keys
            or end == len(path)
            or any(step in cut.keys for step in path[end:])
            for end in range(len(path) + 1)
            for cut in self.cuts.get(path[:end], [])
        )

    def expect(self, path: Path, holds: bool) -> None:
        if not holds:
            self.wrong.append(path)


def common(whole: str, part: str) -> int:
    """Return how many characters of a string are left, at its start and at its end.

    Examples
    --------
    >>> common("once upon a time", "once ... time")
    10
    """
    most = min(len(whole), len(part))
    start = next((n for n in range(most) if whole[n] != part[n]), most)
    rest = most - start
    return start + next((n for n in range(rest) if whole[-1 - n] != part[-1 - n]), rest)
