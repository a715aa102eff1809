"""The columns of a document: leaves whose paths differ only in indexes, collected in one walk.

The worth of data depends on its columns: their names, their numbers of values, and how many of
these are equal. So a document is walked once, and everything else looks at the columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from mckp.jsontext import CutObject, is_array, is_container, is_object
from mckp.regexes import regex
from mckp.weights.keys import LONGEST, key_of, key_of_several

if TYPE_CHECKING:
    from collections.abc import KeysView, Sequence

    from mckp.weights.leaves import Leaf

ITEM: Final = "*"
"""Stands for the index of an item, or the key of a map, in the path of a column."""

PAIRED: Final = frozenset({"key", "value"}), frozenset({"name", "value"})
"""Members of objects that are one field each: what one calls it, and its value."""


@dataclass(slots=True, eq=False)
class Column:
    """The leaves of a document whose paths differ only in their indices.

    Attributes
    ----------
    path : tuple
        Names, and `ITEM` for each index and for each key of a map.
    places : list of int
        The number of each leaf among all leaves of the document, ascending.
    values : list
        The value of each leaf.
    rows : list of int
        The row of each leaf: the number of the item of an array that it is in, 0 if in none.
    runs : list of tuple
        Of numbers in arrays, first place in the column and length of each array, without
        what lies between: arrays of arrays of numbers are one run.
    is_key : bool
        Whether it identifies the records of its array.
    is_part : bool
        Whether it does so together with another column, such as a date with a symbol.
    is_place : bool
        Whether it is one place in short arrays of several kinds of values; then the rows are those
        around the arrays.
    """

    path: tuple[str, ...]
    places: list[int] = field(default_factory=list[int])
    values: list[Any] = field(default_factory=list[Any])
    rows: list[int] = field(default_factory=list[int])
    runs: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    is_key: bool = False
    is_part: bool = False
    is_place: bool = False


@dataclass(slots=True, eq=False)
class Group:
    """The objects or arrays of a document whose paths differ only in their indices."""

    path: tuple[str, ...]
    columns: dict[str, Column] = field(default_factory=dict[str, Column])
    below: dict[str, Group] = field(default_factory=dict[str, "Group"])
    rows: list[int] = field(default_factory=list[int])

    def column(self, name: str) -> Column:
        """Return the column with a name; it is made if there is none."""
        column = self.columns.get(name)
        if column is None:
            column = self.columns[name] = Column((*self.path, name))
        return column

    def group(self, name: str) -> Group:
        """Return the group below with a name; it is made if there is none."""
        group = self.below.get(name)
        if group is None:
            group = self.below[name] = Group((*self.path, name))
        return group


class Columns:
    """The columns of plain data, and the rows that their leaves are in.

    Attributes
    ----------
    all : list of Column
        In the order of the first leaf of each.
    above : list of int
        Of each row, the row around it; row 0 is the document, and around itself.
    index : list of int
        Of each row, its index in its array.
    named : dict
        Of each row that is a member of a map, its name.
    size : int
        The leaves of the document.

    Examples
    --------
    >>> rows = Columns([{"n": 1, "ok": True}, {"n": 2, "ok": True}])
    >>> [(each.path, each.values, each.rows) for each in rows.all]
    [(('*', 'n'), [1, 2], [1, 2]), (('*', 'ok'), [True, True], [1, 2])]
    >>> stock = Columns({"a1": {"price": 2, "left": 7}, "b2": {"price": 3, "left": 0}})
    >>> [(each.path, each.values) for each in stock.all]
    [(('*', 'price'), [2, 3]), (('*', 'left'), [7, 0])]
    """

    def __init__(self, value: Any) -> None:
        self.size, self.above, self.index = 0, [0], [0]
        self.groups: list[Group] = []
        self.named: dict[int, str] = {}
        top = Group(())
        if is_container(value) and value:
            self._walk(value, top, 0)
        else:
            self._add(top.column(""), value, 0)
        self._gather(top)
        self.all = [column for group in self.groups for column in group.columns.values()]
        self.all.sort(key=lambda column: column.places[0])

    def _add(self, column: Column, value: Any, row: int) -> None:
        """Add a leaf to a column."""
        column.places.append(self.size)
        column.values.append(value)
        column.rows.append(row)
        self.size += 1

    def _row(self, above: int, index: int) -> int:
        """Add a row within another one, and return its number."""
        self.above.append(above)
        self.index.append(index)
        return len(self.above) - 1

    def _walk(self, value: Any, group: Group, row: int, neighbour: Any = None) -> None:
        """Add the leaves of a non-empty container; `neighbour` is another item of its array."""
        if is_array(value):
            self._walk_array(value, group, row)
        elif _is_map(value) and not _are_records(value, neighbour):
            inner_group = group.group(ITEM)
            for index, (name, item) in enumerate(cast("dict[str, Any]", value).items()):
                inner = self._row(row, index)
                self.named[inner] = name
                if is_container(item) and item:
                    inner_group.rows.append(inner)
                    self._walk(item, inner_group, inner)
                else:
                    self._add(group.column(ITEM), item, inner)
        else:
            columns, below = group.columns, group.below
            for name, item in (_named(value) if len(value) == 2 else value).items():
                if item.__class__ in _CONTAINERS and item:
                    inner_group = below.get(name)
                    self._walk(item, group.group(name) if inner_group is None else inner_group, row)
                    continue
                column = columns.get(name)
                if column is None:
                    column = group.column(name)
                column.places.append(self.size)
                column.values.append(item)
                column.rows.append(row)
                self.size += 1

    def _walk_array(self, value: list[Any], group: Group, row: int) -> None:
        """Add the leaves of an array: as numbers, as places of a tuple, or as items."""
        numbers = _numbers(value)
        if numbers:
            column, size = group.column(ITEM), len(numbers)
            column.runs.append((len(column.values), size))
            column.places += range(self.size, self.size + size)
            column.values += numbers
            column.rows += [row] * size
            self.size += size
            return
        if _is_tuple(value):
            for index, item in enumerate(value):  # of each place a column
                name = f"{ITEM}{index}"
                column = group.columns.setdefault(name, Column((*group.path, ITEM), is_place=True))
                self._add(column, item, row)
            return
        for index, item in enumerate(value):
            inner = self._row(row, index)
            if is_container(item) and item:
                inner_group = group.group(ITEM)
                inner_group.rows.append(inner)
                neighbour = value[index - 1] if index else value[-1]
                self._walk(item, inner_group, inner, neighbour)
            else:
                self._add(group.column(ITEM), item, inner)

    def _gather(self, group: Group) -> None:
        """Collect the columns of a group and of the groups below it, and mark their keys."""
        self.groups.append(group)
        if len(group.rows) > 1 and group.path[-1] == ITEM:
            self._mark_key(group)
        for below in group.below.values():
            self._gather(below)

    def _mark_key(self, group: Group) -> None:
        """Mark the columns that identify the records of a group."""
        rows, above = group.rows, self.above
        full = [column for column in group.columns.values() if column.rows == rows]
        places = range(len(rows))
        columns = [(str(column.path[-1]), column.values, places) for column in full]
        key = key_of(columns, [above[row] for row in rows])
        if key is not None:
            full[key].is_key = True
        else:
            for part in key_of_several(columns, [above[row] for row in rows]):
                full[part].is_part = True


_CONTAINERS: Final = frozenset({dict, list, CutObject})
_NUMBERS: Final = frozenset({int, float})
_ARRAYS: Final = frozenset({list})
_DATA: Final = regex(r".*[0-9@/:. ].*")
_LONGEST_TUPLE: Final = 6
_TEXT: Final = frozenset({str})
_FEWEST: Final = 6
"""Scalars from which on an object is a map if most of its names look like data."""


def _named(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object that has only a key and a value as an object with a member of that name.

    The member's name comes first, so the leaves keep their order.
    """
    name = value.get("key", value.get("name"))
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST or value.keys() not in PAIRED:
        return value
    item = value["value"]
    if is_object(item) and len(item) == 1:
        (only,) = item.values()
        item = item if is_container(only) else only
    first = next(iter(value))
    member = {"key": name, f"{name} ": item}  # never the name of the name itself
    return member if first != "value" else {f"{name} ": item, "key": name}


def _is_map(value: dict[str, Any]) -> bool:
    """Whether an object is a map: its member names are data, since its members are alike."""
    if len(value) < 2 or "next" in value:  # links to other pages are no data
        return False
    first: KeysView[str] | None = None
    containers = 0
    for item in value.values():
        if item.__class__ in _CONTAINERS and item:
            containers += 1
            if not is_object(item):
                return False
            names = item.keys()
            first = first or names
            if 2 * len(first & names) < len(first | names):
                return False
        elif containers:
            return False
    if containers:
        return containers == len(value)
    return len(value) >= _FEWEST and 4 * sum(map(bool, map(_DATA.match, value))) >= 3 * len(value)


def _are_records(value: dict[str, Any], neighbour: Any) -> bool:
    """Whether two items of an array are rows of one table, whose member names are columns.

    This includes the rows of a sheet whose columns are years or ``Unnamed: 3``. A single item gives
    no answer.
    """
    return (
        neighbour is not value
        and is_object(neighbour)
        and not any(map(is_container, value.values()))
        and value.keys() == neighbour.keys()
    )


def _is_tuple(value: list[Any]) -> bool:
    """Whether an array has a few values of several kinds, such as a time and a measurement."""
    return (
        1 < len(value) <= _LONGEST_TUPLE
        and len(types := set(map(type, value))) > 1
        and (types.isdisjoint(_CONTAINERS) and str in types and not types.isdisjoint(_NUMBERS))
    )


def _numbers(value: list[Any]) -> list[Any]:
    """Return all numbers of an array of numbers, nested or not; an empty list for any other."""
    types = set(map(type, value))
    if types <= _NUMBERS:
        return value
    if not types <= _ARRAYS:
        return []
    numbers: list[Any] = []
    for item in value:
        inner = _numbers(item) if item else []
        if not inner:
            return []
        numbers += inner
    return numbers


def value_of(leaves: Sequence[Leaf]) -> Any:
    """Return the plain data that have exactly the given leaves.

    Examples
    --------
    >>> from mckp.weights.leaves import of_data
    >>> value_of(of_data({"a": [1, {}], "b": []}))
    {'a': [1, {}], 'b': []}
    """
    top: list[Any] = []
    for path, value, _ in leaves:
        inner, step = top, cast("Any", 0)
        for following in path:
            inner = _opened(inner, step, [] if isinstance(following, int) else {})
            step = following
        _opened(inner, step, value)
    return top[0] if top else {}


def _opened(holder: Any, step: Any, new: Any) -> Any:
    """Return the container at a step of another container; if missing, `new` is put there."""
    if is_object(holder):
        return holder.setdefault(step, new)
    if step == len(holder):
        holder.append(new)
    return holder[step]
