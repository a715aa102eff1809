"""Recall of results: what was not shown yet, all of a result, or a part of it."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.checks import shortened
from mckp.agents.session.classify import json_value
from mckp.agents.session.excerpts import excerpt
from mckp.agents.session.selection import checked_fields, members, projected, selected
from mckp.encoders.fakes import escape
from mckp.errors import BudgetError, MckpError, PathError
from mckp.jsontext import dump, is_array, is_object, path_text, step
from mckp.paths import content_at
from mckp.regexes import regex
from mckp.weights.keys import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mckp.agents.session.session import Session
    from mckp.paths import Path
    from mckp.result import Elided

MAX_CHARS: Final = 2 << 20
"""Most characters of a text that is searched while somebody waits."""

MAX_CUT: Final = 8
"""Most results for which the parts not shown are remembered."""

_PATTERNS: Final = ("columns", "facts")
"""Kinds of cuts whose keys are patterns; the keys of other kinds are names."""

_ROWS: Final = regex(r"\[([0-9]+)(?::[0-9]*)?\]")
_HANDLE: Final = regex(r"[ \[]*#?([0-9]{1,18})[ \]]*")


class Unshown:
    """The parts not shown of the latest results that were cut; they are given one after another."""

    def __init__(self) -> None:
        # Most parts are never asked for, so they are made late.
        self._left: OrderedDict[int, list[Any] | Callable[[], list[Any]]] = OrderedDict()
        self._lock = Lock()  # a recall may run while a result is delivered

    def note(self, number: int, text: str, cuts: Iterable[Elided], shown: str) -> None:
        """Note what was cut from a result."""

        def left() -> list[Any]:
            value = json_value(text)
            return _left(text if value is None else value, cuts, shown)

        with self._lock:
            self._left[number] = left
            while len(self._left) > MAX_CUT:
                self._left.popitem(last=False)

    def next(self, number: int) -> Any:
        """Return the next part of a result that was not shown, None for no more."""
        found = self._left.get(number)
        parts = found() if callable(found) else found
        with self._lock:
            if parts is not found and self._left.get(number) is found:
                self._left[number] = parts or []
        return parts[0] if parts else None

    def shown(self, number: int, part: Any, cuts: Iterable[Elided], shown: str) -> bool:
        """Note what was shown of a part from `next`; False: nothing was, so try half of it."""
        left = _left(part, cuts, shown)
        is_new = part not in left
        left = left if is_new else halves(part)
        with self._lock:
            parts = self._left.get(number)
            if is_array(parts) and parts[:1] == [part]:  # if not, another recall was faster
                self._left[number] = [*left[:1], *parts[1:], *left[1:]]
        return is_new or not left


def answer(
    session: Session, asked: Mapping[str, Any], budget: int | None = None
) -> tuple[str, bool]:
    """Return the answer to a recall of a model, and whether it is an error.

    `asked` has ``handle``, and may have ``path``, ``fields``, ``offset`` and ``limit``. A handle
    alone asks for what was not shown yet, or for the result if all was shown.

    Examples
    --------
    >>> from mckp.agents.session import Session
    >>> session = Session()
    >>> _ = session.add(tool="jobs", text=dump([{"id": n, "state": "done"} for n in range(40)]))
    >>> answer(session, {"handle": "#1", "path": "$[5:8].id"})
    ('[5,6,7]', False)
    >>> answer(session, {"handle": "#1", "path": "$[5].name"})
    ('nothing at $[5].name: $[5] is there, with id, state', True)
    """
    try:
        number = number_of(asked.get("handle"))
        text = session.recall(number)
        if any(asked.get(name) for name in ("path", "fields", "offset")) or (
            asked.get("limit") is not None
        ):
            return _written(session, _part(text, asked), number, budget)[0], False
        while (left := session.unshown.next(number)) is not None:
            said, cuts = _written(session, left, number, budget)
            if session.unshown.shown(number, left, cuts, said):
                return said, False
        return _written(session, text, number, budget)[0], False
    except (MckpError, ValueError) as error:
        return shortened(error), True  # names in the data may make it long


def number_of(handle: Any) -> int:
    """Return the number that a handle stands for, such as ``3``, ``"#3"`` or ``"[#3]"``."""
    is_one = isinstance(handle, int | str) and not isinstance(handle, bool)
    match = _HANDLE.fullmatch(str(handle)) if is_one else None
    if match is None:
        raise PathError(str(handle)[:40], "a handle is a number, such as #3")
    return int(match[1])


def _part(text: str, asked: Mapping[str, Any]) -> Any:
    """Return the part of a text that is asked for: text, or data."""
    first, most = _whole(asked, "offset") or 0, _whole(asked, "limit")
    last = None if most is None else first + most
    path: Any = asked.get("path") or ""
    fields = checked_fields(asked.get("fields") or [])
    if not isinstance(path, str):
        raise PathError("path", "expected a pattern, such as $.jobs[3]")
    path, is_range = path.strip(), bool(first) or last is not None
    value = json_value(text)
    if value is None and path not in ("", "$"):
        raise PathError(path, "this result is a text; take offset and limit for its lines")
    value = text if value is None else selected(value, path or "$")
    if is_range and is_object(value):
        if fields:
            raise PathError("limit", "with fields it counts items: name an array, as $.jobs")
        value = text if path in ("", "$") else dump(value)
    if is_array(value):
        value = value[first:last]
    elif isinstance(value, str):
        return "".join(value.splitlines(keepends=True)[first:last])
    return projected(value, fields) if fields else value


def _whole(asked: Mapping[str, Any], name: str) -> int | None:
    found = asked.get(name)
    if found is None or (isinstance(found, int) and not isinstance(found, bool) and found >= 0):
        return found
    raise PathError(name, f"expected a whole number, got {str(found)[:40]!r}")


def _written(
    session: Session, found: Any, number: int, budget: int | None
) -> tuple[str, tuple[Elided, ...]]:
    text = found if isinstance(found, str) else dump(found)
    if text in ("", "[]"):
        return "nothing follows", ()
    if len(text) <= MAX_CHARS:
        try:
            way = session.written(text, budget)
        except BudgetError:
            pass
        else:
            return way.text, way.elided
    if budget is None:
        return escape(text, raw=True), ()
    return excerpt(text, budget, f"#{number}", session.tokenizer.count), ()


def _left(document: Any, cuts: Iterable[Elided], shown: str) -> list[Any]:
    """Return the parts of data or of a text that were cut: whole rows first, then columns.

    A column comes with the column that names the records, such as ``id``. If no pattern can name
    what was cut, the only part is the whole document.
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
    patterns = [f"{path_text(path)}{step(run)}" for path, runs in rows.items() for run in runs]
    with suppress(MckpError):
        columns = [each for cut in other for each in _columns(document, cut, rows.get(cut.path))]
        return [projected(document, each) for each in (patterns, columns) if each]
    return [document]


def halves(document: Any) -> list[Any]:
    """Return two parts of a document, each with half of its longest array, or of its lines.

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
    return [projected(document, [f"{path_text(path)}{step(run)}"]) for run in runs]


def _runs(numbers: Iterable[int]) -> Iterator[slice]:
    """Yield runs of consecutive numbers as slices."""
    for _, run in groupby(enumerate(sorted(numbers)), lambda each: each[1] - each[0]):
        found = [number for _, number in run]
        yield slice(found[0], found[-1] + 1)


def _columns(document: Any, cut: Elided, gone: list[slice] | None) -> Iterator[str]:
    """Yield patterns for the members that were cut from records that were shown."""
    content, above = content_at(document, cut.path), path_text(cut.path)
    records = [each for each in content if is_object(each)] if is_array(content) else []
    if not cut.keys:
        yield above
    if not records:
        for key in map(str, cut.keys):
            yield above + (_below(key) if cut.kind in _PATTERNS else step(key))
        return
    missing_rows = {n for run in gone or () for n in range(run.start, run.stop)}
    there = _runs(n for n in range(len(content)) if n not in missing_rows)
    keys = [name for name in records[0] if name in NAMES and name not in cut.keys]
    # A column that was cut from some row on has that row in its name.
    found = [(_ROWS.match(key), key) for key in map(str, cut.keys)]
    firsts = {key[rows.end() if rows else 0 :]: int(rows[1]) if rows else 0 for rows, key in found}
    for run in there:
        # All start at the same row: a cell left out here would look like one that never was.
        start = max(run.start, min(firsts.values(), default=0))
        for name, first in firsts.items():
            rows = slice(start if name else max(start, first), run.stop)
            yield above + step(rows) + _below(name)
        yield from (above + step(slice(start, run.stop)) + step(key) for key in keys[:1])


def _below(name: str) -> str:
    """Return what to add to the path of a container for one of its `Elided.keys`."""
    return name if not name or name[0] in ".[" else f".{name}"
