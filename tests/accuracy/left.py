"""What `elided` leaves of data, found without looking at the text."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mckp.encoders.hints import NOTES
from mckp.encoders.scalars import ABSENT
from mckp.jsontext import dump, is_container, is_object
from mckp.menu.members import is_keyed
from mckp.paths import Path
from mckp.result import Elided
from mckp.weights.patterns import Step, Wild, read_selection

Steps = tuple[Step | slice, ...]
_EMPTY: Final = object()
"""A record of which nothing is left; it stays where fellows of it do."""

NAMED: Final = frozenset({"columns", "facts"})
"""Cuts that name parts by where they are in each record."""


@dataclass(frozen=True, slots=True)
class Left:
    """What a reader is left with."""

    data: Any
    """The data without what was cut, `mckp.ABSENT` if all was."""
    shortened: tuple[Path, ...]
    """Below these, texts may be shorter than they were."""


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
    return Left(_Cutter(cuts).left(data, (), ()), shortened)


def _is_shorter(cut: Elided) -> bool:
    return cut.kind in NOTES and cut.kind not in NAMED and not cut.keys


class _Cutter:
    """Goes through data and leaves out what cuts name."""

    def __init__(self, cuts: dict[Path, list[Elided]]) -> None:
        self.cuts = cuts

    def left(
        self, value: Any, path: Path, patterns: Sequence[Steps], *, is_record: bool = False
    ) -> Any:
        """Return what is left of a value, `mckp.ABSENT` if nothing else was in it."""
        if any(not steps for steps in patterns):
            return ABSENT
        if isinstance(value, str):
            inner = opened(value)  # data in a string is cut as data
            if is_container(inner) and inner:
                left = self.left(inner, path, patterns, is_record=is_record)
                return ABSENT if left is ABSENT else dump(left)
        if not is_container(value) or not value:
            return value
        cuts_here = self.cuts.get(path, ())
        named = [
            read_selection(str(key)) for cut in cuts_here if cut.kind in NAMED for key in cut.keys
        ]
        if not is_object(value):  # whose records need no names
            named = [s if _is_item(s[0]) else (Wild.ELEMENT, *s) for s in named]
        gone = {key for cut in cuts_here if cut.kind not in NAMED for key in cut.keys}
        children: dict[Any, Any] = value if is_object(value) else dict(enumerate(value))
        of_records = not is_object(value) or is_keyed(value)
        remaining: dict[Any, Any] = {}
        for key, child in children.items():
            below = [s[1:] for s in (*patterns, *named) if _fits(s[0], key, len(value))]
            if key not in gone:
                remaining[key] = self.left(child, (*path, key), below, is_record=of_records)
        remaining = {key: child for key, child in remaining.items() if child is not ABSENT}
        is_empty = all(child is _EMPTY for child in remaining.values())
        is_list_of_records = is_record and not is_object(value)
        if path and is_empty and not (gone or named or is_list_of_records):
            return _EMPTY if is_record else ABSENT
        empty: dict[str, Any] = {}
        remaining = {key: empty if child is _EMPTY else child for key, child in remaining.items()}
        return remaining if is_object(value) else list(remaining.values())


def opened(value: Any) -> Any:
    """Return a value with the data of strings in place of the strings, at any depth."""
    if is_object(value):
        return {key: opened(child) for key, child in value.items()}
    if is_container(value):
        return list(map(opened, value))
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            return opened(json.loads(value))
        except ValueError:
            return value
    return value


def _is_item(step: Any) -> bool:
    return isinstance(step, int | slice) or step is Wild.ELEMENT


def _fits(step: Any, key: str | int, size: int) -> bool:
    if isinstance(step, slice):
        return isinstance(key, int) and key in range(size)[step]
    return step is Wild.STEP or step == key or (step is Wild.ELEMENT and isinstance(key, int))
