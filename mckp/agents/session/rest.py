"""What was not shown yet: lines of a text, with their numbers, or data in parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.session.selection import members, projected
from mckp.jsontext import dump, is_array, is_container, path_text, step_text
from mckp.paths import content_at
from mckp.recall.lines import NumberedLine, NumberedText
from mckp.recall.patterns import LONG
from mckp.regexes import regex
from mckp.weights.keys import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.paths import Path
    from mckp.result import Elided

_PIECE: Final = regex(rf"(?s).{{1,{LONG}}}(?:(?=\s)|\Z)|.{{1,{LONG}}}")


@dataclass(frozen=True, slots=True)
class Rest:
    """Lines that were not shown; a long one is split into pieces, each of them a `NumberedLine`."""

    lines: tuple[NumberedLine, ...]
    total_lines: int
    """The number of lines of the whole text."""
    shows_numbers: bool = False
    """Whether each line of the text begins with its number."""

    def after(self, count: int) -> Rest:
        """Return the lines that are left once the first `count` were shown."""
        return replace(self, lines=self.lines[count:])


def rest_of(document: str, cuts: Iterable[Elided], shown: str) -> Rest:
    r"""Return the lines of a text that the shorter text `shown` leaves out.

    They are the lines that the cuts name by number; if the cuts name none, the lines that occur
    nowhere in `shown`. If all of them are blank, there are none.

    Examples
    --------
    >>> [line.text for line in rest_of("one\ntwo\nthree\n", (), "one\nthree\n").lines]
    ['two']
    """
    source = NumberedText(document)
    lines = source.lines
    line_cuts = [cut for cut in cuts if cut.kind == "lines" and not cut.path]
    indexes = {key - 1 for cut in line_cuts for key in cut.keys if isinstance(key, int)}
    if not indexes or max(indexes) >= len(lines):
        seen = set(shown.splitlines())
        indexes = {index for index, line in enumerate(lines) if line not in seen}
    lines_left = tuple(
        chain.from_iterable(
            _pieces(
                NumberedLine(source.number(index), lines[index], place=source.inside[index]),
                shown,
            )
            for index in sorted(indexes)
        )
    )
    has_text = any(line_left.text.strip() for line_left in lines_left)
    return Rest(lines_left if has_text else (), len(lines), source.shown_numbers is not None)


def _pieces(line: NumberedLine, shown: str) -> Iterator[NumberedLine]:
    """Yield a line, or if it has more than `LONG` characters, the pieces of it not in `shown`."""
    if len(line.text) <= LONG:
        yield line
        return
    for match in _PIECE.finditer(line.text):
        start, end = match.span()
        if match[0].strip() and match[0].strip() not in shown:
            first, last = "…" if start else "", "…" if end < len(line.text) else ""
            yield line._replace(text=f"{first}{match[0].strip()}{last}")


def halves(document: Any) -> list[Any]:
    """Return two parts of a document, each with half of its longest array, or of a text's lines.

    The second part also has everything outside the array. Without an array of several items, each
    part has half of the members of an object. The list is empty if there is nothing to halve.

    Examples
    --------
    >>> halves({"a": [1, 2, 3], "b": 4}), halves({"b": 4})
    ([{'a': [1]}, {'a': [2, 3], 'b': 4}], [])
    >>> halves([{"id": 7, "a": "x", "b": "y"}])
    [[{'id': 7, 'a': 'x'}], [{'id': 7, 'b': 'y'}]]
    """
    if isinstance(document, str):
        lines = document.splitlines(keepends=True)
        middle = len(lines) // 2
        return ["".join(lines[:middle]), "".join(lines[middle:])] if middle else []
    arrays: list[tuple[int, Path]] = []
    unvisited: list[tuple[Path, Any]] = [((), document)]
    while unvisited:
        path, value = unvisited.pop()
        arrays += [(len(value), path)] if is_array(value) and len(value) > 1 else []
        unvisited += [((*path, key), child) for key, child in members(value)]
    if not arrays:
        return _halved_members(document)
    size, path = max(arrays, key=lambda size_and_path: size_and_path[0])
    return list(split_array(document, path, size // 2))


def _halved_members(document: Any) -> list[Any]:
    """Return two parts of a document, each with half of the members of its outermost object.

    The key of a record, such as ``id``, is in both parts. The list is empty if no object has two
    members beside its key.
    """
    path: Path = ()
    value = document
    while is_container(value) and value:
        below = dict(members(value))
        key = [name for name in below if name in NAMES][:1]
        names = [name for name in below if name not in key] or key
        if len(names) > 1:
            patterns = [path_text((*path, name)) for name in names]
            middle = len(patterns) // 2
            sides = patterns[:middle], patterns[middle:]
            return [projected(document, side, is_even=True) for side in sides]
        path, value = (*path, names[0]), below[names[0]]
    return []


def largest_array(document: Any) -> Path | None:
    """Return the path of the array that has most of a document; None if there is none.

    It is the first array with several items on the way to the longest members.

    Examples
    --------
    >>> largest_array({"a": [{"b": [1, 2]}], "c": "text"})
    ('a', 0, 'b')
    """
    path: Path = ()
    value = document
    while is_container(value) and value:
        if is_array(value) and len(value) > 1:
            return path
        key, value = max(members(value), key=lambda member: len(dump(member[1])))
        path = (*path, key)
    return None


def split_array(document: Any, path: Path, size: int) -> tuple[Any, Any]:
    """Return the first items of an array alone, and the document without them.

    Examples
    --------
    >>> split_array({"a": [1, 2, 3], "b": 4}, ("a",), 2)
    ({'a': [1, 2]}, {'a': [3], 'b': 4})
    """
    items, place = content_at(document, path), path_text(path)
    others: list[str] = []
    value = document
    for depth, key in enumerate(path):
        above = path_text(path[:depth])
        others += [f"{above}{step_text(other)}" for other, _ in members(value) if other != key]
        value = value[key]
    after = f"{place}{step_text(slice(size, len(items)))}"
    first = projected(document, [f"{place}{step_text(slice(0, size))}"])
    return first, projected(document, [after, *others])
