"""Values in a question: follow steps, compare values, and add them up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.jsontext import canonical, is_array, is_container, is_object, load
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.plain import JsonValue


class Sentinel(Enum):
    """A sentinel that is neither a value nor a name."""

    MISSING = "missing"
    """The value where there is nothing; unlike null, it is in no answer."""
    EACH = "[*]"
    """The step to each element of an array, or member of an object."""

    def __bool__(self) -> bool:
        return self is not Sentinel.MISSING


MISSING: Final = Sentinel.MISSING
EACH: Final = Sentinel.EACH


@dataclass(frozen=True, slots=True)
class Deep:
    """The step to each member with a name, at any depth."""

    name: str


@dataclass(frozen=True, slots=True)
class Where:
    """The step to the elements of an array that pass a test, as in ``[?(@.id == 3)]``."""

    holds: Callable[[Any], bool]
    text: str


Step: TypeAlias = str | int | slice | Sentinel | Deep | Where


class Many(list[Any]):
    """The values of a path that leads to several places, such as a field of each element."""


def walked(value: Any, steps: Sequence[Step]) -> Any:
    """Follow steps from a value; return a value, `Many`, or `MISSING`.

    A name at an array is looked up in each element, and a name at a JSON string in its data. If a
    name is not a member, it is joined to the next ones with dots.

    Examples
    --------
    >>> run = {"jobs": [{"id": 7}, {"id": 8}], "log": '{"lines": 3}', "at.by": "ann"}
    >>> walked(run, ["jobs", "id"]), walked(run, ["log", "lines"]), walked(run, ["at", "by"])
    ([7, 8], 3, 'ann')
    """
    place = 0
    while place < len(steps) and value is not MISSING:
        step, place = steps[place], place + 1
        if isinstance(step, str):
            value, place = _member(value, step, steps, place)
        else:
            value = _STEPS[type(step)](value, step)
    return value


def _member(value: Any, name: str, steps: Sequence[Step], place: int) -> tuple[Any, int]:
    """Return the member with a name, or `MISSING`, and the index of the next step.

    `steps[place]` follows the name. If that is a name too, a member called by both, with a dot,
    counts.
    """
    if isinstance(value, str):
        value = parsed_json(value)
    if is_object(value):
        if name in value:
            return value[name], place
        for end in range(place + 1, len(steps) + 1):
            if not isinstance(steps[end - 1], str):
                break
            name = f"{name}.{steps[end - 1]}"
            if name in value:
                return value[name], end
    elif is_array(value):
        if name.isdecimal() and not isinstance(value, Many):
            return _element_at(value, int(name)), place
        below = (_member(item, name, (), 0)[0] for item in value)
        return _joined_values(below), place
    return MISSING, place


def _joined_values(values: Iterable[Any]) -> Any:
    """Return the values that are not missing, in one flat list, or `MISSING` if all are."""
    many = Many()
    for value in values:
        if isinstance(value, Many):
            many.extend(value)
        elif value is not MISSING:
            many.append(value)
    return many or MISSING


def _element_at(value: Any, index: int) -> Any:
    """Return the element of an array or character of a text at an index, or `MISSING`.

    If a path leads to several arrays, it is the element of each.
    """
    if isinstance(value, str):
        value = parsed_json(value) if value[:1] in ("{", "[") else value
    if isinstance(value, Many) and any(map(is_array, value)):
        return _joined_values(_element_at(item, index) for item in value)
    is_there = is_array(value) or isinstance(value, str)
    return value[index] if is_there and -len(value) <= index < len(value) else MISSING


def _slice_of(value: Any, part: slice) -> Any:
    """Return a slice of an array, text or number; of each, if there are several values."""
    if isinstance(value, Many):
        return _joined_values(_slice_of(item, part) for item in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if is_array(value):
        return Many(value[part])
    return value[part] if isinstance(value, str) else MISSING


def _elements(value: Any, _: Step) -> Any:
    """Return an array's elements or an object's members in one list, or `MISSING`.

    If a path leads to several containers, the list has those of all.
    """
    if isinstance(value, str):
        value = parsed_json(value)
    if isinstance(value, Many):
        return _joined_values(_elements(item, _) if is_container(item) else item for item in value)
    if is_object(value):
        return Many(value.values())
    return Many(value) if is_array(value) else MISSING


def _members_named(value: Any, step: Deep) -> Any:
    """Return all members with a name, at any depth, in document order, or `MISSING`."""
    members, open_ = Many(), [value]
    seen: set[int] = set()  # what is below several of many values is looked at once
    while open_:
        value_here = open_.pop()
        if not is_container(value_here) or id(value_here) in seen:
            continue
        seen.add(id(value_here))
        if is_object(value_here):
            if step.name in value_here:
                members.append(value_here[step.name])
            open_ += reversed(list(value_here.values()))
        elif is_array(value_here):
            open_ += reversed(value_here)
    return members or MISSING


def _filtered_elements(value: Any, step: Where) -> Any:
    """Return the elements, or the value itself, that pass a test; `MISSING` if none does."""
    rows = _elements(value, EACH) if is_array(value) else Many([value])
    return _joined_values(row for row in rows if step.holds(row))


_STEPS: Final[dict[type, Callable[[Any, Any], Any]]] = {
    int: _element_at,
    slice: _slice_of,
    Sentinel: _elements,
    Deep: _members_named,
    Where: _filtered_elements,
}


@lru_cache(256)
def parsed_json(text: str) -> Any:
    """Return the data in a string that holds a JSON object or array, else `MISSING`."""
    if not text.lstrip().startswith(("{", "[")):
        return MISSING
    try:
        return load(text)
    except (ValueError, RecursionError):
        return MISSING


_TIME: Final = regex(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
    r" ?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_NUMBER: Final = regex(
    r"\s*[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?\s*"
)


def time_of(value: JsonValue) -> float | None:
    """Return an ISO date or time as seconds since 1970, or None for any other value.

    Examples
    --------
    >>> time_of("2026-01-02T00:00:05Z") - time_of("2026-01-02"), time_of("soon")
    (5.0, None)
    """
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        return None
    try:
        moment = datetime.fromisoformat(value.replace(",", "."))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def number_of(value: JsonValue) -> int | float | None:
    """Return a value, or what a string holds, as a number, or None; true counts as 1, as in a sum.

    Examples
    --------
    >>> number_of("2,047,347"), number_of(True), number_of("v2")
    (2047347, 1, None)
    """
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str) or len(value) > 400 or not _NUMBER.fullmatch(value):
        return None
    text = value.replace(",", "").strip()
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def several(value: Any) -> list[Any]:
    """Return an array as it is, an empty list for a missing value, and any other in a list."""
    if value is MISSING:
        return []
    return value if is_array(value) else [value]


def is_equal(first: JsonValue, second: JsonValue) -> bool:
    """Whether two values are equal; the text of a number, true or false is equal to that value."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second or str(first).lower() == str(second).lower()
    if isinstance(first, str) != isinstance(second, str):
        left, right = number_of(first), number_of(second)
        return left is not None and left == right
    if is_container(first) or is_container(second):
        return type(first) is type(second) and canonical(first) == canonical(second)
    return bool(first == second)


def comparable(first: JsonValue, second: JsonValue) -> tuple[JsonValue, JsonValue] | None:
    """Return two values as numbers, times or texts that can be ordered; None if they cannot."""
    if first is None or second is None or is_container(first) or is_container(second):
        return None
    for kind in (number_of, time_of):
        left, right = kind(first), kind(second)
        if left is not None and right is not None:
            return left, right
    if isinstance(first, str) and isinstance(second, str):
        return first, second
    return None


def rank_of(value: JsonValue) -> tuple[int, JsonValue]:
    """Return the sort key of a value: numbers first, then times and text, then all else.

    Examples
    --------
    >>> sorted(["b", 3, "10", "a"], key=rank_of)
    [3, '10', 'a', 'b']
    """
    if (number := number_of(value)) is not None:
        return 0, number
    if (time := time_of(value)) is not None:
        return 1, time
    return (2, value) if isinstance(value, str) else (3, canonical(value))


def truth(value: Any) -> bool:
    """Whether a value counts as true: neither missing, null, false, zero nor empty.

    An object or array of nulls counts as empty.

    Examples
    --------
    >>> truth({"url": None, "at": {"city": None}}), truth([0]), truth("")
    (False, True, False)
    """
    return value is not MISSING and bool(value) and not is_hollow(value)


def is_hollow(value: Any) -> bool:
    """Whether a value is an object or array, perhaps an empty one, with nothing but nulls."""
    open_ = [value]
    while open_:
        here = open_.pop()
        if is_container(here):
            open_ += here.values() if is_object(here) else here
        elif here is not None:
            return False
    return is_container(value)


def added(values: Iterable[int | float]) -> int | float:
    """Return a sum; if all numbers are whole, it is exact at any size."""
    numbers = list(values)
    return sum(numbers) if all(isinstance(number, int) for number in numbers) else fsum(numbers)


def flat(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values except missing and null ones; arrays are flattened."""
    for value in values:
        if is_array(value):
            yield from flat(value)
        elif value is not MISSING and value is not None:
            yield value
