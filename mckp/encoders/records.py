"""Records in columns: the values of each member in all records, with cached facts about them.

An array of objects is converted once. Whatever a column caches (its shape, the texts of its cells)
is reused by every table with that column, so writing the same records with fewer columns costs
little more than joining texts.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mckp.encoders.scalars import ABSENT, Cut
from mckp.encoders.words import is_word
from mckp.jsontext import CutObject, is_array, is_container, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_T = TypeVar("_T")
_EXACT: Final = (str, int, bool, type(None))
"""Types whose equal values are written alike; the floats 0.0 and -0.0 are not."""
_NUMBERS: Final = frozenset((int, float, bool, type(None)))


class Column:
    """The values of a member in all records, in order.

    `raw` has the values that exist, `rows` the record index of each, and `size` is the number of
    all records. The value was cut from the records in `cut`. `memo` is a cache for callers.

    Examples
    --------
    >>> users = Records.of([{"user": {"id": 1, "url": "a"}}, {"user": None}, {}]).columns["user"]
    >>> users.raw, users.rows, users.get(2)
    ([{'id': 1, 'url': 'a'}, None], [0, 1], ABSENT)
    """

    def __init__(
        self, raw: Sequence[Any], rows: Sequence[int], size: int, cut: Iterable[int] = ()
    ) -> None:
        self.raw, self.rows, self.size = raw, rows, size
        #: The number of records that have the member.
        self.count = len(raw)
        self.cut = frozenset(cut)
        self.memo: dict[Any, Any] = {}

    def get_or_find(self, key: object, find: Callable[[], _T]) -> _T:
        """Return what is cached under a key; `find` is called for it the first time."""
        if key not in self.memo:
            self.memo[key] = find()
        value: _T = self.memo[key]
        return value

    def get(self, row: int) -> Any:
        """Return the value in a record, or `ABSENT`."""
        if self.count == self.size:
            return self.raw[row]
        place = self._place_of_row.get(row)
        return ABSENT if place is None else self.raw[place]

    @cached_property
    def _place_of_row(self) -> dict[int, int]:
        """The index in `raw` of each row's value."""
        return {row: place for place, row in enumerate(self.rows)}

    def texts_by_row(self, texts: list[str], absent: str, cut: str = "") -> list[str]:
        """Return one text per record: the given texts, or `absent` or `cut` where there is none."""
        if len(texts) == self.size:
            return texts
        row_texts = [absent] * self.size
        for row in self.cut:
            row_texts[row] = cut
        for row, text in zip(self.rows, texts, strict=True):
            row_texts[row] = text
        return row_texts

    @cached_property
    def kinds(self) -> set[type]:
        """The types of the values."""
        return set(map(type, self.raw))

    @property
    def has_containers(self) -> bool:
        """Whether any value is an object or an array."""
        return any(issubclass(kind, (dict, list)) for kind in self.kinds)

    @property
    def is_numbers(self) -> bool:
        """Whether all values are numbers, booleans or null."""
        return self.kinds <= _NUMBERS

    @cached_property
    def is_constant(self) -> bool:
        """Whether all values are the same; there must be at least one."""
        first = self.raw[0]
        if isinstance(first, _EXACT):
            return self.raw.count(first) == len(self.raw) and len(self.kinds) == 1
        return all(is_same(value, first) for value in self.raw)

    @cached_property
    def bare(self) -> dict[str, bool]:
        """Each distinct string among the values, and whether it is a bare word."""
        strings = dict.fromkeys(value for value in self.raw if isinstance(value, str))
        return {text: is_word(text) for text in strings}

    @cached_property
    def objects(self) -> dict[int, int]:
        """For the index of each value that is an object, its row in `nested`."""
        places = (place for place, value in enumerate(self.raw) if is_object(value))
        return {place: row for row, place in enumerate(places)}

    @cached_property
    def nested(self) -> Records:
        """The objects among the values, in columns."""
        return Records.of([self.raw[place] for place in self.objects])

    @cached_property
    def starts(self) -> dict[int, int]:
        """For the index of each value that is an array, its first row in `items`."""
        starts, size = dict[int, int](), 0
        for place, value in enumerate(self.raw):
            if is_array(value):
                starts[place] = size
                size += len(value)
        return starts

    @cached_property
    def items(self) -> Records:
        """The items of all arrays among the values, in columns."""
        return Records.of(list(chain.from_iterable(self.raw[place] for place in self.starts)))


class Records:
    """The items of an array, or the members of an object by name, in columns.

    `source` has the items as they came; those that are not objects are rows too, and are in `odd`.
    `columns` has the kept members, in order of first appearance; the records are `whole` if no
    member was left out. Members of an object have `names`.

    Examples
    --------
    >>> records = Records.of([{"id": 1, "user": {"name": "Ann", "url": "x"}}, None, {"id": 2}])
    >>> records.with_columns({"user": records.columns["user"]}).values()
    [{'user': {'name': 'Ann', 'url': 'x'}}, None, {}]
    """

    def __init__(
        self,
        source: Sequence[Any],
        columns: dict[str, Column],
        odd: dict[int, Any],
        names: Sequence[str] | None,
        whole: bool,
    ) -> None:
        self.source, self.columns, self.odd = source, columns, odd
        self.names, self.whole, self.size = names, whole, len(source)

    @classmethod
    def of(cls, values: Sequence[Any], names: Sequence[str] | None = None) -> Records:
        """Return an array's items in columns, or an object's members, whose names are given."""
        odd: dict[int, Any] = {}
        columns = _uniform_columns(values)
        if columns is None:
            by_name: dict[str, tuple[list[Any], list[int]]] = {}
            cut: dict[str, list[int]] = {}
            shown = set[str]()
            for row, value in enumerate(values):
                if not is_object(value):
                    odd[row] = value
                    continue
                for key, item in value.items():
                    raw, rows = by_name.get(key) or by_name.setdefault(key, ([], []))
                    raw.append(item)
                    rows.append(row)
                if isinstance(value, CutObject):
                    shown |= value.shown
                    for key in value.cut:
                        cut.setdefault(key, []).append(row)
            columns = {
                key: Column(*by_name.get(key, ([], [])), len(values), cut.get(key, ()))
                for key in (*by_name, *sorted(shown.difference(by_name)))
            }
        return cls(values, columns, odd, names, whole=True)

    @property
    def object_count(self) -> int:
        """The number of records that are objects."""
        return self.size - len(self.odd)

    @cached_property
    def cut_count(self) -> int:
        """The number of rows that are signs for cut rows."""
        return sum(isinstance(value, Cut) for value in self.odd.values())

    @cached_property
    def filled_rows(self) -> Sequence[int]:
        """The indexes of the objects that have a value in at least one column."""
        if any(column.count == self.size for column in self.columns.values()):
            return range(self.size)
        return sorted(set(chain.from_iterable(column.rows for column in self.columns.values())))

    def with_columns(self, columns: Mapping[str, Column]) -> Records:
        """Return the same records with only these columns, which may be narrower, in any order.

        A record without any of them is an empty object.
        """
        kept = {key: columns[key] for key in self.columns if key in columns}
        kept = {key: column for key, column in kept.items() if column.count}
        originals = self.columns
        if any(column.rows[0] != originals[key].rows[0] for key, column in kept.items()):

            def appearance(key: str) -> tuple[int, int]:
                """Return where a member appears first: its record, and its place there."""
                row = kept[key].rows[0]
                return row, list(self.source[row]).index(key)

            kept = {key: kept[key] for key in sorted(kept, key=appearance)}
        same_columns = len(kept) == len(originals) and all(
            kept[key] is originals[key] for key in kept
        )
        return Records(self.source, kept, self.odd, self.names, self.whole and same_columns)

    def value(self, row: int) -> Any:
        """Return the plain value of a record, with its kept members only."""
        value = self.source[row]
        if self.whole or not is_object(value):
            return value
        members: dict[str, Any] = {}
        for key in value:
            column = self.columns.get(key)
            if column is not None and (item := column.get(row)) is not ABSENT:
                members[key] = item
        cut = [key for key in self._cut_columns if row in self.columns[key].cut]
        return CutObject(members, cut, cut) if cut else members

    @cached_property
    def _cut_columns(self) -> list[str]:
        """The names of the columns with cut values."""
        return [key for key, column in self.columns.items() if column.cut]

    def values(self, rows: Sequence[int] | None = None) -> Any:
        """Return the plain array or object of the records, or of the given rows only."""
        chosen = range(self.size) if rows is None else rows
        values = list(map(self.value, chosen))
        if self.names is None:
            return values
        return {self.names[row]: value for row, value in zip(chosen, values, strict=True)}


def as_records(value: object) -> Records | None:
    """Return the records of an array, or of an object with several members; else None.

    `Records` are returned as they are.
    """
    if isinstance(value, Records):
        return value
    if is_array(value):
        return Records.of(value)
    if is_object(value) and len(value) > 1:
        return Records.of(list(value.values()), list(value))
    return None


def may_be_rows(value: object) -> bool:
    """Whether rows could save tokens: two or more values, and at least half, are containers."""
    if not is_container(value):
        return False
    count = sum(map(is_container, value.values() if is_object(value) else value))
    return count >= 2 and 2 * count >= len(value)


def as_array_records(value: object) -> Records | None:
    """Return the records of an array, which may be `Records` already; None for any other value."""
    if is_array(value):
        return Records.of(value)
    return value if isinstance(value, Records) and value.names is None else None


def _uniform_columns(values: Sequence[Any]) -> dict[str, Column] | None:
    """Return the columns of objects that all have the same members in the same order.

    The result is None for any other values, for no values, and for empty or cut objects.
    """
    size = len(values)
    if set(map(type, values)) != {dict} or not values[0]:
        return None
    names = tuple(values[0])
    if any(tuple(value) != names for value in values):
        return None
    columns = zip(*[value.values() for value in values], strict=True)
    return {key: Column(raw, range(size), size) for key, raw in zip(names, columns, strict=True)}


def is_same(left: object, right: object) -> bool:
    """Whether two values are equal, including their types and the order of members."""
    if left is right:
        return True
    if type(left) is not type(right) or left != right:
        return False
    # Floats, and containers that may hold them, are compared as text: 0.0 is not -0.0. The text is
    # no JSON because cut values have none.
    return isinstance(left, str | int) or repr(left) == repr(right)
