"""What `elided` leaves of data, found without looking at the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders.hints import NOTES
from mckp.encoders.scalars import ABSENT
from mckp.jsontext import is_array, is_container, is_object
from mckp.menu.members import ANY, is_keyed, is_records, is_table, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mckp.paths import Path
    from mckp.result import Elided

NAMED: Final = frozenset({"columns", "facts"})
"""Cuts that name parts by where they stand in each record."""

_FIRST: Final = re.compile(r"(.*)\[(\d+):\]", re.S)
"""The name of a part that only the first records keep; of an array of which only they stay."""


@dataclass(frozen=True, slots=True)
class Left:
    """What a reader is left with.

    Attributes
    ----------
    data
        The data without what was cut, `mckp.ABSENT` if all was.
    shortened : tuple of paths
        Below these, texts may be shorter than they were.
    """

    data: Any
    shortened: tuple[Path, ...]


def left_of(data: Any, elided: Iterable[Elided]) -> Left:
    """Take what was cut out of data."""
    cuts: dict[Path, list[Elided]] = {}
    for cut in elided:
        cuts.setdefault(cut.path, []).append(cut)
    shortened = tuple(
        dict.fromkeys(cut.path for own in cuts.values() for cut in own if _is_shorter(cut))
    )
    if any(not cut.path and cut.kind == "facts" and not cut.keys for cut in cuts.get((), [])):
        return Left(ABSENT, ())
    return Left(_Cutter(cuts).left(data, ()), shortened)


def _is_shorter(cut: Elided) -> bool:
    return cut.kind in NOTES and cut.kind not in NAMED and not cut.keys


class _Cutter:
    """Goes through data and leaves out what cuts name."""

    def __init__(self, cuts: dict[Path, list[Elided]]) -> None:
        self.cuts = cuts

    def left(self, value: Any, path: Path) -> Any:
        if not is_object(value) and not is_array(value):
            return value
        own = self.cuts.get(path, ())
        names = [str(key) for cut in own if cut.kind in NAMED for key in cut.keys]
        if names and is_array(value) and not is_records(value):
            firsts = [int(found[2]) for name in names if (found := _FIRST.fullmatch(name))]
            return value[: min(firsts, default=None)]
        found = self._inside(value, path)
        if names:
            found = _Named(names, self.gone).left(found, _Place(value, path), (), ())
            return ([] if is_array(value) else {}) if found is ABSENT else found
        return found

    def gone(self, path: Path) -> set[str | int]:
        """Return which items and members of a container were cut."""
        own = self.cuts.get(path, ())
        return {key for cut in own if cut.kind not in NAMED for key in cut.keys}

    def _inside(self, value: Any, path: Path) -> Any:
        gone = self.gone(path)
        if is_object(value):
            return {k: self.left(v, (*path, k)) for k, v in value.items() if k not in gone}
        return [self.left(v, (*path, n)) for n, v in enumerate(value) if n not in gone]


class _Place(NamedTuple):
    """A part of the document as it was, by which parts are named whatever is left of it."""

    value: Any
    path: Path

    def under(self, key: str | int) -> _Place:
        return _Place(self.value[key], (*self.path, key))


class _Named:
    """Goes through data and leaves out what has a name, in each record that has it."""

    def __init__(self, names: Iterable[str], gone: Callable[[Path], set[str | int]]) -> None:
        parts = [_FIRST.fullmatch(name) for name in names]
        self.kept = {found[1]: int(found[2]) for found in parts if found is not None}
        self.names, self.gone = frozenset(names), gone

    def left(
        self,
        value: Any,
        was: _Place,
        path: tuple[str, ...],
        whole: tuple[str, ...],
        *,
        is_record: bool = False,
    ) -> Any:
        """Return what is left of a value, `mckp.ABSENT` if nothing else was in it."""
        if is_container(value) and value and path and not whole and name_of(path) in self.names:
            return ABSENT
        if is_array(value) and value:
            around = whole or (() if is_table(was.value) else path)
            gone = self.gone(was.path)
            stayed = (was.under(n) for n in range(len(was.value)) if n not in gone)
            items = zip(range(len(value)), value, stayed, strict=True)
            return self._records(items, (*path, ANY), around, list)
        if is_object(value) and value:
            if not is_record and is_keyed(was.value):
                members = ((k, v, was.under(k)) for k, v in value.items())
                return self._records(members, (*path, ANY), whole, dict)
            found = {k: self.left(v, was.under(k), (*path, k), whole) for k, v in value.items()}
            return {k: v for k, v in found.items() if v is not ABSENT} or ABSENT
        return value if self._stays(name_of(whole or path)) else ABSENT

    def _stays(self, name: str) -> bool:
        if name in self.kept:
            self.kept[name] -= 1
            return self.kept[name] >= 0
        return name not in self.names

    def _records(
        self,
        each: Iterable[tuple[Any, Any, _Place]],
        path: tuple[str, ...],
        whole: tuple[str, ...],
        kind: type,
    ) -> Any:
        """Return what is left of records, which stay even if empty, unless all of them are."""
        found = {
            key: self.left(value, was, path, whole, is_record=True) for key, value, was in each
        }
        if len(path) > 1 and all(value is ABSENT for value in found.values()):
            return ABSENT
        empty: dict[str, Any] = {}
        left = {key: empty if value is ABSENT else value for key, value in found.items()}
        return list(left.values()) if kind is list else left
