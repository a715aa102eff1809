"""Questions about data, each with a small program that computes the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.encoders.scalars import ABSENT
from mckp.errors import PathError
from mckp.jsontext import canonical, is_array, is_container, is_object
from mckp.paths import content_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.paths import Path
    from mckp.plain import JsonValue

Field: TypeAlias = tuple[str, ...]
"""Member names, from the record inwards; empty for the name of the record itself."""

DIGITS: Final = 2
"""Digits after the decimal point in sums and means."""


class Unknown:
    """The answer to a question that the data cannot answer."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()


@dataclass(frozen=True, slots=True)
class Record:
    """An object in a table, with its index or its name."""

    name: str | int
    value: dict[str, Any]

    def get(self, field: Field) -> Any:
        """Return the value of a field, or `mckp.ABSENT`."""
        value: Any = self.value if field else self.name
        for step in field:
            value = value.get(step, ABSENT) if is_object(value) else ABSENT
        return value


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that selects records."""

    field: Field
    by: str
    value: Any = None

    def holds(self, record: Record) -> bool:
        """Whether a record meets the condition."""
        return _TESTS[self.by](record.get(self.field), self.value)


@dataclass(frozen=True, slots=True)
class Query:
    """A question about data, as a program.

    Examples
    --------
    >>> rows = [{"id": 1, "ok": True}, {"id": 2, "ok": False}, {"id": 3, "ok": True}]
    >>> Query("names", (), ("id",), (Condition(("ok",), "is", True),)).answer(rows)
    [1, 3]
    """

    ask: str
    at: Path
    field: Field = ()
    tests: tuple[Condition, ...] = ()

    def answer(self, data: Any) -> Any:
        """Return the answer for the given data, or `UNKNOWN`."""
        value = value_at(data, self.at)
        if self.ask in OF_VALUES:
            return UNKNOWN if value is ABSENT else OF_VALUES[self.ask](value)
        if not is_container(value):
            return UNKNOWN
        return ASKS[self.ask](self.chosen(value), self.field)

    def chosen(self, table: JsonValue) -> list[Record]:
        """Return the records that meet all conditions."""
        return [
            record for record in records(table) if all(test.holds(record) for test in self.tests)
        ]


def value_at(data: Any, path: Path) -> Any:
    """Return the value at a path, or `mckp.ABSENT`."""
    try:
        return content_at(data, path)
    except PathError:
        return ABSENT


def records(table: JsonValue) -> Iterator[Record]:
    """Return an iterator over the objects in an array, or the member objects of an object."""
    pairs: Iterable[tuple[str | int, Any]] = (
        table.items() if is_object(table) else enumerate(table) if is_array(table) else ()
    )
    return (Record(name, value) for name, value in pairs if is_object(value))


def is_number(value: JsonValue) -> bool:
    """Whether a value is a number and not a boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_same(actual: Any, wanted: Any) -> bool:
    """Whether a value is the wanted one, with the same type."""
    return actual is not ABSENT and canonical(actual) == canonical(wanted)


_TESTS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "is": _is_same,
    "above": lambda value, limit: is_number(value) and value > limit,
    "below": lambda value, limit: is_number(value) and value < limit,
    "absent": lambda value, _: value is ABSENT,
    "null": lambda value, _: value is None,
}


def _only_value(chosen: Sequence[Record], field: Field) -> Any:
    """Return the value of a field of the only chosen record, or `UNKNOWN`."""
    value = chosen[0].get(field) if len(chosen) == 1 else ABSENT
    return UNKNOWN if value is ABSENT else value


def _value_size(chosen: Sequence[Record], field: Field) -> Any:
    """Return the length of the only value, an array or string, or `UNKNOWN`."""
    value = _only_value(chosen, field)
    return len(value) if is_array(value) or isinstance(value, str) else UNKNOWN


def _has_field(chosen: Sequence[Record], field: Field) -> Any:
    """Return whether the only chosen record has a field, or `UNKNOWN` unless one was chosen."""
    return chosen[0].get(field) is not ABSENT if len(chosen) == 1 else UNKNOWN


def _sum(numbers: Sequence[Any]) -> Any:
    """Return the sum of numbers: exact if all are whole, else rounded to `DIGITS` digits."""
    return (
        sum(numbers)
        if all(isinstance(number, int) for number in numbers)
        else round(fsum(numbers), DIGITS)
    )


def _number_query(compute: Callable[[Sequence[Any]], Any]) -> _Ask:
    """Return a query that applies `compute` to the numbers in a field of the chosen records."""

    def ask(chosen: Sequence[Record], field: Field) -> Any:
        """Return what `compute` makes of the numbers in a field, or `UNKNOWN` if there are none."""
        numbers = [value for record in chosen if is_number(value := record.get(field))]
        return compute(numbers) if numbers else UNKNOWN

    return ask


def _count_distinct(chosen: Sequence[Record], field: Field) -> int:
    """Return the number of different values of a field in the chosen records."""
    values = [record.get(field) for record in chosen]
    return len({canonical(value) for value in values if value is not ABSENT})


def _field_names(table: JsonValue) -> list[str]:
    """Return the names of a table's fields."""
    return list(dict.fromkeys(name for record in records(table) for name in record.value))


_Ask: TypeAlias = Callable[["Sequence[Record]", Field], Any]

ASKS: Final[dict[str, _Ask]] = {
    "value": _only_value,
    "first": lambda chosen, field: _only_value(chosen[:1], field),
    "last": lambda chosen, field: _only_value(chosen[-1:], field),
    "has": _has_field,
    "size": _value_size,
    "count": lambda chosen, _: len(chosen),
    "sum": _number_query(_sum),
    "mean": _number_query(lambda numbers: round(fsum(numbers) / len(numbers), DIGITS)),
    "least": _number_query(min),
    "most": _number_query(max),
    "distinct": _count_distinct,
    "names": lambda chosen, field: [
        v for record in chosen if (v := record.get(field)) is not ABSENT
    ],
}
"""The queries on records."""

OF_VALUES: Final[dict[str, Callable[[Any], Any]]] = {
    "scalar": lambda value: UNKNOWN if is_container(value) else value,
    "members": lambda value: list(value) if is_object(value) else UNKNOWN,
    "columns": _field_names,
    "records": lambda value: sum(1 for _ in records(value)),
}
"""The queries on the value at a path."""


KINDS: Final = ("retrieval", "aggregation", "filtering", "structure", "missing")
"""The kinds of questions."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes
    ----------
    id : str
        Its unique name, such as ``builds/aggregation/3``.
    kind : str
        One of `KINDS`.
    prompt : str
        The question in words.
    query : Query
        The question as a program.
    gold
        The answer of the whole data, or `UNKNOWN` if it has none.
    type : str
        The type as which answers are compared: ``integer``, ``number``, ``boolean``, ``string``,
        ``list`` (in order), ``set`` or ``unknown``.
    """

    id: str
    kind: str
    prompt: str
    query: Query
    gold: Any
    type: str


def type_of(gold: Any) -> str:
    """Return the type that decides how an answer is compared.

    Examples
    --------
    >>> [type_of(gold) for gold in (True, 3, 0.5, "x", ["x"], UNKNOWN)]
    ['boolean', 'integer', 'number', 'string', 'list', 'unknown']
    """
    if gold is UNKNOWN:
        return "unknown"
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "list"}
    return kinds[type(gold)]
