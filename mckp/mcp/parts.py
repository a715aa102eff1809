"""Parts of data by patterns: what stands there, the data without all else, and what was cut."""

from __future__ import annotations

from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from mckp.encoders.hints import is_name
from mckp.encoders.scalars import ABSENT
from mckp.errors import PathError
from mckp.jsontext import dump, is_array, is_object, path_text
from mckp.paths import content_at
from mckp.session.selection import is_at, members
from mckp.weights.keys import NAMES
from mckp.weights.patterns import Wild, read_selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.paths import Path
    from mckp.result import Elided
    from mckp.weights.patterns import Step

    Steps = tuple[Step | slice, ...]
    States = frozenset[tuple[int, int]]


def projected(document: Any, patterns: Sequence[str]) -> Any:
    """Return the data without what no pattern names; records stay, however little they have.

    Raises
    ------
    PathError
        If no pattern names anything; it says what is there.
    PatternError
        If one is no pattern.

    Examples
    --------
    >>> projected({"items": [{"id": 1, "url": "x"}], "next": 2}, ["items[*].id"])
    {'items': [{'id': 1}]}
    """
    projection = _Projection([read_selection(each) for each in patterns])
    found = projection.of(document, projection.start)
    if not projection.is_used:
        known = ", ".join(islice(outline(document), 8)) or "no names"
        raise PathError(", ".join(patterns), f"there are {known}")
    return found


class _Projection:
    """Follows several patterns at once: a state is a pattern, and how far it has come."""

    def __init__(self, patterns: Sequence[Steps]) -> None:
        self._patterns, self.is_used = patterns, False
        self.start = self._closed((number, 0) for number in range(len(patterns)))

    def of(self, value: Any, states: States) -> Any:
        if any(place == len(self._patterns[number]) for number, place in states):
            self.is_used = True
            return value
        kept = [
            (key, self.of(child, below), child)
            for key, child in members(value)
            if (below := self._below(states, key, value))
        ]
        if all(found is ABSENT for _, found, _ in kept):
            return ABSENT
        if is_object(value):
            return {key: found for key, found, _ in kept if found is not ABSENT}
        # Records stay, so that there are as many as before.
        empty = [dict[str, Any]() if is_object(child) else ABSENT for *_, child in kept]
        found = [
            rest if each is ABSENT else each for rest, (_, each, _) in zip(empty, kept, strict=True)
        ]
        return [each for each in found if each is not ABSENT]

    def _below(self, states: States, key: str | int, value: Any) -> States:
        return self._closed(
            (number, place + (step is not Wild.DEEP))
            for number, place in states
            if is_at(step := self._patterns[number][place], key, value) or step is Wild.DEEP
        )

    def _closed(self, states: Iterable[tuple[int, int]]) -> States:
        """Add states that are reached without a step."""
        found = set(states)
        for number, place in list(found):
            steps, after = self._patterns[number], place
            while after < len(steps) and steps[after] is Wild.DEEP:
                after += 1
                found.add((number, after))
        return frozenset(found)


def outline(value: Any, path: str = "") -> Iterator[str]:
    """Yield patterns of what is there; of arrays those of the first element.

    Examples
    --------
    >>> list(outline({"items": [{"id": 1, "user": {"login": "ann"}}], "next": None}))
    ['items[*].id', 'items[*].user.login', 'next']
    """
    if is_object(value) and value:
        for name, child in value.items():
            if is_name(name):
                yield from outline(child, f"{path}{path_text((name,))[1:]}".removeprefix("."))
    elif is_array(value) and value:
        yield from outline(value[0], f"{path}[*]")
    elif path:
        yield path


def left_over(document: Any, cuts: Iterable[Elided], shown: str) -> list[Any]:
    """Return what was cut from data or a text, in parts: whole rows first, then columns.

    Records that lost columns keep one that names them. If nothing new was shown instead, the
    document is one of the parts.
    """
    if isinstance(document, str):
        seen = set(shown.splitlines())
        lines = document.splitlines(keepends=True)
        rest = "".join(line for line in lines if line.rstrip("\r\n") not in seen)
        return [rest] if rest.strip() else []
    rows: dict[Path, list[slice]] = {}
    other: list[Elided] = []
    for cut in cuts:
        numbers = [key for key in cut.keys if isinstance(key, int)]
        if numbers:
            rows[cut.path] = list(_runs(numbers))
        else:
            other.append(cut)
    patterns = [f"{_text(path)}{_text((run,))[1:]}" for path, runs in rows.items() for run in runs]
    columns = [each for cut in other for each in _columns(document, cut, rows.get(cut.path))]
    return [projected(document, each) for each in (patterns, columns) if each]


def halves(document: Any) -> list[Any]:
    """Return a document with the first half of its longest array, or its lines, and the other.

    Examples
    --------
    >>> halves({"a": [1, 2, 3], "b": 4}), halves({"b": 4})
    ([{'a': [1]}, {'a': [2, 3]}], [])
    """
    if isinstance(document, str):
        lines = document.splitlines(keepends=True)
        middle = len(lines) // 2
        return ["".join(lines[:middle]), "".join(lines[middle:])] if middle else []
    arrays: list[tuple[int, Path]] = []
    open_: list[tuple[Path, Any]] = [((), document)]
    while open_:
        path, value = open_.pop()
        arrays += [(len(value), path)] if is_array(value) and len(value) > 1 else []
        open_ += [((*path, key), child) for key, child in members(value)]
    if not arrays:
        return []
    size, path = max(arrays, key=lambda each: each[0])
    runs = slice(0, size // 2), slice(size // 2, size)
    return [projected(document, [f"{_text(path)}{_text((run,))[1:]}"]) for run in runs]


def _runs(numbers: Iterable[int]) -> Iterator[slice]:
    """Yield the runs of numbers that follow each other."""
    for _, run in groupby(enumerate(sorted(numbers)), lambda each: each[1] - each[0]):
        found = [number for _, number in run]
        yield slice(found[0], found[-1] + 1)


def _text(path: Iterable[str | int | slice]) -> str:
    steps = (f"{s.start}:{s.stop}" if isinstance(s, slice) else dump(s) for s in path)
    return "$" + "".join(f"[{step}]" for step in steps)


def _columns(document: Any, cut: Elided, gone: list[slice] | None) -> Iterator[str]:
    """Yield patterns of members that were cut, of the records that are there."""
    content, above = content_at(document, cut.path), _text(cut.path)
    records = [each for each in content if is_object(each)] if is_array(content) else []
    if not cut.keys:
        yield above
    if not records:
        names = content if is_object(content) else ()
        for key in map(str, cut.keys):
            yield above + (f"[{dump(key)}]" if key in names else f".{key}".replace(".[", "["))
        return
    missing_rows = {n for run in gone or () for n in range(run.start, run.stop)}
    there = _runs(n for n in range(len(content)) if n not in missing_rows)
    keys = [name for name in records[0] if name in NAMES and name not in cut.keys]
    firsts: dict[str, int] = {}
    for key in map(str, cut.keys):
        # Of a column that was left out from some row on, the name says from which.
        name, _, first = key[:-2].rpartition("[") if key.endswith(":]") else (key, "", "0")
        firsts[f"[{dump(name)}]" if name in records[0] else f".{name}"] = int(first)
    for run in there:
        # All from the first on: a cell that is left away would look like one that never was.
        start = max(run.start, min(firsts.values()))
        for own in (*firsts, *(f"[{dump(name)}]" for name in keys[:1])):
            yield f"{above}[{start}:{run.stop}]{own}"
