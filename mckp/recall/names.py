"""Names in a document: those a question may use, and those nearest to a wrong one."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_array, is_object, step_text
from mckp.recall.values import EACH, MISSING, Many, parsed_json, walked
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.plain import JsonValue
    from mckp.recall.values import Step

MOST_ROWS: Final = 200
"""The most rows whose names are collected; questions are then checked against all rows."""
MOST_NAMES: Final = 2_000
_MOSTLY: Final = 0.7
"""The share of an only element that an array in it has, to be what questions are about."""
SHOWN: Final = 20
"""Most names that an error lists."""
_LONGEST: Final = 60
_ALL: Final = 400
"""Most characters of a name in an error, and of all of them."""
_PLAIN: Final = regex(r"[^\W\d]\w*")


def odd_names(rows: Iterable[JsonValue]) -> set[str]:
    """Return the names in rows that are not identifiers but can be written unquoted.

    Examples
    --------
    >>> sorted(odd_names([{"a": 1, "loss/mean": {"48x48": 2, "x y": 3}, "7": 4}]))
    ['48x48', 'loss/mean', 'x y']
    """
    odd: set[str] = set()
    open_ = list(islice(rows, MOST_ROWS))
    steps = 0
    while open_ and len(odd) < MOST_NAMES and steps < 20_000:
        steps += 1
        here = open_.pop()
        if is_object(here):
            for name, value in here.items():
                if not _PLAIN.fullmatch(name) and _needs_no_quotes(name):
                    odd.add(name)
                open_.append(value)
        elif is_array(here):
            open_ += here[:MOST_ROWS]
        elif isinstance(here, str) and here[:1] in ("{", "["):
            open_.append(parsed_json(here))
    return odd


def _needs_no_quotes(name: str) -> bool:
    """Whether a name can be recognised in an expression without quotes.

    It has several characters, is not a number, begins with a letter or digit, and has no quotes or
    brackets.
    """
    return (
        len(name) > 1
        and not name.isdecimal()
        and name[0].isalnum()
        and not set(name) & set("'\"`[]()")
    )


def outline(rows: Iterable[JsonValue], most: int = 400) -> list[str]:
    """Return at most `most` fields of the first rows, written as in a question.

    Examples
    --------
    >>> outline([{"id": 1, "by": {"x y": 2}}, {"jobs": [{"n": 3}], "log": '{"k": 1}'}])
    ['id', 'by', 'by["x y"]', 'jobs', 'jobs.n', 'log', 'log.k']
    """
    fields: dict[str, None] = {}
    open_: list[tuple[str, list[Any]]] = [("", list(islice(rows, MOST_ROWS)))]
    while open_ and len(fields) < most:
        above, values = open_.pop()
        if above:
            fields[above] = None
        members: dict[str, list[Any]] = {}
        for value in objects_in(values):
            for name, member in value.items():
                members.setdefault(name, []).append(member)
        if above.count(".") < 6:
            open_ += [
                (written(above, name), values_of_name)
                for name, values_of_name in reversed(members.items())
            ]
    return list(fields)


def objects_in(values: Iterable[JsonValue]) -> Iterator[dict[str, JsonValue]]:
    """Yield the objects among values, including those in arrays and JSON strings."""
    open_ = list(values)[::-1]
    while open_:
        value = open_.pop()
        if isinstance(value, str) and value[:1] in ("{", "["):
            value = parsed_json(value)
        if is_object(value):
            yield value
        elif is_array(value):
            open_ += value[:MOST_ROWS][::-1]


def written(above: str, name: str) -> str:
    """Return a field below another one, written as in a question."""
    if _PLAIN.fullmatch(name):
        return f"{above}.{name}" if above else name
    return f"{above or '@'}[{dump(name)}]"


def normal(name: str) -> str:
    """Return the ASCII letters and digits of a name in lower case, such as ``headbranch``."""
    return re.sub(r"[^0-9a-z]", "", name.lower())


def nearest(name: str, known: Sequence[str]) -> list[str]:
    """Return the known names, the nearest to a name first; distant ones keep their order.

    Examples
    --------
    >>> nearest("message", ["id", "sha", "commit.message", "massage"])
    ['commit.message', 'massage', 'id', 'sha']
    """
    last = normal(re.split(r"[.\[]", name)[-1].strip('"]')) or normal(name)
    whole = normal(name)

    def distance(candidate: str) -> float:
        """Return how far a name is from the wanted one; the smaller, the nearer."""
        last_name = normal(re.split(r"[.\[]", candidate)[-1])
        if last_name == last or normal(candidate) == whole:
            return -3 + candidate.count(".") / 10
        if last and (last in last_name or (last_name and last_name in last and len(last_name) > 2)):
            return -2 + abs(len(last_name) - len(last)) / 100
        likeness = SequenceMatcher(None, last, last_name).ratio()
        return -likeness if likeness >= 0.6 else 0.0

    return sorted(known, key=distance)


def listed(ranked: Sequence[str]) -> str:
    """List names for an error: the first ones only, with long ones cut."""
    short = [name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…" for name in ranked[:SHOWN]]
    while len(short) > 1 and sum(map(len, short)) > _ALL:
        short.pop()
    return ", ".join([*short, *(["…"] if len(short) < len(ranked) else [])])


def likely_name(name: str, known: Sequence[str]) -> str:
    """Return the known name that is probably meant, or an empty text."""
    ranked = nearest(name, known)[:1]
    if not ranked:
        return ""
    last, its_last = normal(re.split(r"[.\[]", name)[-1]), normal(re.split(r"[.\[]", ranked[0])[-1])
    is_near = (
        bool(last)
        and bool(its_last)
        and (
            last in its_last
            or its_last in last
            or SequenceMatcher(None, last, its_last).ratio() >= 0.6
        )
    )
    return ranked[0] if is_near else ""


def leads_somewhere(rows: Sequence[Any], steps: Sequence[Step]) -> bool:
    """Whether the steps lead to a value, null included, in any row."""
    return any(walked(row, steps) is not MISSING for row in rows)


def resolved_prefix(rows: Sequence[Any], steps: Sequence[Step]) -> tuple[int, list[Any]]:
    """Return the number of leading steps that resolve in any row, and the values there."""
    for size in range(len(steps), -1, -1):
        values = [value for row in rows if (value := walked(row, steps[:size])) is not MISSING]
        if values or not size:
            return size, values
    return 0, list(rows)


def respelled(rows: Sequence[JsonValue], steps: tuple[Step, ...]) -> tuple[Step, ...] | None:
    """Return steps spelled as in the rows, ignoring case and punctuation.

    The result is None if a step may mean several names, or if the steps lead nowhere.

    Examples
    --------
    >>> respelled([{"head_branch": {"URL": 1}}], ("headBranch", "url"))
    ('head_branch', 'URL')
    """
    steps_meant: list[Step] = []
    for step in steps:
        if isinstance(step, str) and not leads_somewhere(rows, [*steps_meant, step]):
            _, values = resolved_prefix(rows, steps_meant)
            names = {name for value in objects_in(values) for name in value}
            meant = [name for name in names if normal(name) == normal(step) != ""]
            if len(meant) != 1:
                return None
            step = meant[0]
        steps_meant.append(step)
    return tuple(steps_meant) if leads_somewhere(rows, steps_meant) else None


def main_array(document: Any) -> tuple[str | int, ...]:
    """Return the path of the array that a question is about by default.

    This is the largest array of objects, not counting those inside arrays with several elements. If
    its only element consists mostly of another array of objects, it is that one. Without arrays of
    objects, it is the array nearest to the root, and without any array the document itself.

    Examples
    --------
    >>> main_array({"total": 2, "data": {"runs": [{"id": 1}, {"id": 2}]}, "tags": ["a"]})
    ('data', 'runs')
    """
    paths = array_paths(document)
    if not paths:
        return ()
    first = walked(document, paths[0])
    if len(first) == 1:
        for path in paths[1:]:
            inner = walked(document, path)
            if len(inner) > 1 and path[: len(paths[0])] == paths[0] and is_object(inner[0]):
                return path if _size(inner) > _MOSTLY * _size(first) else paths[0]
    return paths[0]


def array_paths(document: JsonValue) -> list[tuple[str | int, ...]]:
    """Return the paths of arrays that have elements, the most important first.

    Arrays inside an array with several elements are left out. Arrays of objects come first, by
    size, and then the others, by depth.
    """
    ranked: list[tuple[bool, int, tuple[str | int, ...]]] = []
    open_: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    steps = 0
    while open_ and steps < 20_000:
        steps += 1
        path, value = open_.pop(0)
        if is_object(value):
            open_ += [((*path, name), child) for name, child in value.items()]
        elif is_array(value) and value:
            are_records = all(map(is_object, value))
            ranked.append((are_records, _size(value), path))
            if len(value) == 1:
                open_.append(((*path, 0), value[0]))
    # An array within the only element of another is reached by the longer path only.
    ranked.sort(key=lambda entry: (not entry[0], -entry[1] if entry[0] else 0, len(entry[2])))
    return [path for _, _, path in ranked]


def object_paths(document: JsonValue) -> list[tuple[str | int, ...]]:
    """Return the paths of the objects outside arrays, those near the root first."""
    paths: list[tuple[str | int, ...]] = []
    open_: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while open_ and len(paths) < MOST_ROWS:
        path, value = open_.pop(0)
        if is_object(value):
            paths.append(path)
            open_ += [((*path, name), child) for name, child in value.items()]
    return paths


def _size(value: list[JsonValue]) -> int:
    """Return the number of characters of an array as JSON."""
    return len(dump(value))


def as_rows(value: JsonValue) -> list[JsonValue]:
    """Return the elements of an array, or any other value as the only row."""
    return list(value) if is_array(value) or isinstance(value, Many) else [value]


def path_of(steps: Sequence[Step]) -> str:
    """Return the text of a path; filters and steps to any depth become ``[…]``."""
    parts: list[str] = []
    for step in steps:
        if step is EACH:
            parts.append("[*]")
        elif isinstance(step, str | int | slice):
            parts.append(step_text(step))
        else:
            parts.append("[…]")
    return "$" + "".join(parts)
