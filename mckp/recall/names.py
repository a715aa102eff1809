"""Names of a document: those that a question may use, and those nearest to one that is wrong."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_array, is_object
from mckp.recall.values import EACH, MISSING, Many, opened, walked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.recall.values import Step

MOST_ROWS: Final = 200
"""Rows of which names are gathered; questions are then checked against all rows."""
MOST_NAMES: Final = 2_000
_MOSTLY: Final = 0.7
"""The share of an only element that an array in it has, to be what questions are about."""
SHOWN: Final = 20
"""Most names that an error lists."""
_LONGEST: Final = 60
_ALL: Final = 400
"""Most characters of a name in an error, and of all of them."""
_PLAIN: Final = re.compile(r"[^\W\d]\w*")


def odd_names(rows: Iterable[Any]) -> set[str]:
    """Return names in rows that are no identifiers but may be written as they are.

    Examples
    --------
    >>> sorted(odd_names([{"a": 1, "loss/mean": {"48x48": 2, "x y": 3}, "7": 4}]))
    ['48x48', 'loss/mean', 'x y']
    """
    found: set[str] = set()
    open_ = list(islice(rows, MOST_ROWS))
    steps = 0
    while open_ and len(found) < MOST_NAMES and steps < 20_000:
        steps += 1
        here = open_.pop()
        if is_object(here):
            for name, value in here.items():
                if not _PLAIN.fullmatch(name) and _is_odd(name):
                    found.add(name)
                open_.append(value)
        elif is_array(here):
            open_ += here[:MOST_ROWS]
        elif isinstance(here, str) and here[:1] in ("{", "["):
            open_.append(opened(here))
    return found


def _is_odd(name: str) -> bool:
    """Whether a name can be told from an expression: it begins and ends like a word."""
    return (
        len(name) > 1
        and not name.isdecimal()
        and name[0].isalnum()
        and not set(name) & set("'\"`[]()")
    )


def outline(rows: Iterable[Any], most: int = 400) -> list[str]:
    """Return the fields of rows as they are written in a question, those of all rows together.

    Examples
    --------
    >>> outline([{"id": 1, "by": {"x y": 2}}, {"jobs": [{"n": 3}], "log": '{"k": 1}'}])
    ['id', 'by', 'by["x y"]', 'jobs', 'jobs.n', 'log', 'log.k']
    """
    found: dict[str, None] = {}
    open_: list[tuple[str, list[Any]]] = [("", list(islice(rows, MOST_ROWS)))]
    while open_ and len(found) < most:
        above, values = open_.pop()
        if above:
            found[above] = None
        members: dict[str, list[Any]] = {}
        for value in elements(values):
            for name, each in value.items():
                members.setdefault(name, []).append(each)
        if above.count(".") < 6:
            open_ += [(written(above, name), each) for name, each in reversed(members.items())]
    return list(found)


def elements(values: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects among values, in arrays and in strings of JSON."""
    open_ = list(values)[::-1]
    while open_:
        value = open_.pop()
        if isinstance(value, str) and value[:1] in ("{", "["):
            value = opened(value)
        if is_object(value):
            yield value
        elif is_array(value):
            open_ += value[:MOST_ROWS][::-1]


def written(above: str, name: str) -> str:
    """Return a field as it is written in a question, below another one."""
    if _PLAIN.fullmatch(name):
        return f"{above}.{name}" if above else name
    return f"{above or '@'}[{dump(name)}]"


def normal(name: str) -> str:
    """Return a name without case and signs, by which ``headBranch`` is ``head_branch``."""
    return re.sub(r"[^0-9a-z]", "", name.lower())


def nearest(name: str, known: Sequence[str]) -> list[str]:
    """Return names in the order of how near they are to one, those far from it in their own.

    Examples
    --------
    >>> nearest("message", ["id", "sha", "commit.message", "massage"])
    ['commit.message', 'massage', 'id', 'sha']
    """
    last = normal(re.split(r"[.\[]", name)[-1].strip('"]')) or normal(name)
    whole = normal(name)

    def distance(each: str) -> float:
        own = normal(re.split(r"[.\[]", each)[-1])
        if own == last or normal(each) == whole:
            return -3 + each.count(".") / 10
        if last and (last in own or (own and own in last and len(own) > 2)):
            return -2 + abs(len(own) - len(last)) / 100
        likeness = SequenceMatcher(None, last, own).ratio()
        return -likeness if likeness >= 0.6 else 0.0

    return sorted(known, key=distance)


def listed(ranked: Sequence[str]) -> str:
    """Return names as an error lists them: the first ones, and little of long ones."""
    short = [each if len(each) <= _LONGEST else f"{each[:_LONGEST]}…" for each in ranked[:SHOWN]]
    while len(short) > 1 and sum(map(len, short)) > _ALL:
        short.pop()
    return ", ".join([*short, *(["…"] if len(short) < len(ranked) else [])])


def near(name: str, known: Sequence[str]) -> str:
    """Return the name that is meant by one, as far as can be guessed; else an empty text."""
    found = nearest(name, known)[:1]
    if not found:
        return ""
    last, own = normal(re.split(r"[.\[]", name)[-1]), normal(re.split(r"[.\[]", found[0])[-1])
    is_near = (
        bool(last)
        and bool(own)
        and (last in own or own in last or SequenceMatcher(None, last, own).ratio() >= 0.6)
    )
    return found[0] if is_near else ""


def stands(rows: Sequence[Any], steps: Sequence[Step]) -> bool:
    """Whether something stands at some steps in any row, be it null."""
    return any(walked(row, steps) is not MISSING for row in rows)


def there(rows: Sequence[Any], steps: Sequence[Step]) -> tuple[int, list[Any]]:
    """Return how many of some steps lead somewhere, and what stands there in the rows."""
    for size in range(len(steps), -1, -1):
        found = [value for row in rows if (value := walked(row, steps[:size])) is not MISSING]
        if found or not size:
            return size, found
    return 0, list(rows)


def spelled(rows: Sequence[Any], steps: tuple[Step, ...]) -> tuple[Step, ...] | None:
    """Return the steps that are meant by some whose names differ in case and signs only.

    Examples
    --------
    >>> spelled([{"head_branch": {"URL": 1}}], ("headBranch", "url"))
    ('head_branch', 'URL')
    """
    found: list[Step] = []
    for step in steps:
        if isinstance(step, str) and not stands(rows, [*found, step]):
            _, values = there(rows, found)
            names = {name for value in elements(values) for name in value}
            meant = [name for name in names if normal(name) == normal(step) != ""]
            if len(meant) != 1:
                return None
            step = meant[0]
        found.append(step)
    return tuple(found) if stands(rows, found) else None


def main_array(document: Any) -> tuple[str | int, ...]:
    """Return the path of the array that a question is about by default.

    It is the largest array of objects that is in no other array of several, or what is nearly all
    of that if it has one element only; without one, the largest array, and the document itself if
    there is none.

    Examples
    --------
    >>> main_array({"total": 2, "data": {"runs": [{"id": 1}, {"id": 2}]}, "tags": ["a"]})
    ('data', 'runs')
    """
    found = arrays(document)
    if not found:
        return ()
    first = walked(document, found[0])
    if len(first) == 1:
        for path in found[1:]:
            inner = walked(document, path)
            if len(inner) > 1 and path[: len(found[0])] == found[0] and is_object(inner[0]):
                return path if _size(inner) > _MOSTLY * _size(first) else found[0]
    return found[0]


def arrays(document: Any) -> list[tuple[str | int, ...]]:
    """Return the paths of the arrays in no other array of several, the main one first."""
    found: list[tuple[bool, int, tuple[str | int, ...]]] = []
    open_: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    steps = 0
    while open_ and steps < 20_000:
        steps += 1
        path, value = open_.pop(0)
        if is_object(value):
            open_ += [((*path, name), each) for name, each in value.items()]
        elif is_array(value) and value:
            records = all(map(is_object, value))
            found.append((records, _size(value), path))
            if len(value) == 1:
                open_.append(((*path, 0), value[0]))
    # An array within the only element of another is reached by the longer path only.
    found.sort(key=lambda each: (not each[0], -each[1] if each[0] else 0, len(each[2])))
    return [path for _, _, path in found]


def objects(document: Any) -> list[tuple[str | int, ...]]:
    """Return the paths of the objects that are in no array, those near the root first."""
    found: list[tuple[str | int, ...]] = []
    open_: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while open_ and len(found) < MOST_ROWS:
        path, value = open_.pop(0)
        if is_object(value):
            found.append(path)
            open_ += [((*path, name), each) for name, each in value.items()]
    return found


def _size(value: list[Any]) -> int:
    return len(dump(value))


def as_rows(value: Any) -> list[Any]:
    """Return the rows that a value is made of: the elements of an array, or the value itself."""
    return list(value) if is_array(value) or isinstance(value, Many) else [value]


def path_of(steps: Sequence[Step]) -> str:
    """Return steps as a path is written."""
    from mckp.jsontext import step as text_of

    parts: list[str] = []
    for step in steps:
        if step is EACH:
            parts.append("[*]")
        elif isinstance(step, str | int | slice):
            parts.append(text_of(step))
        else:
            parts.append("[…]")
    return "$" + "".join(parts)
