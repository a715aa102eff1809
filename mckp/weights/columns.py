"""The columns of a document: leaves whose paths differ only in indexes, collected in one walk.

The worth of data depends on its columns: their names, their numbers of values, and how many of
these are equal. So a document is walked once, and everything else looks at the columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from mckp.jsontext import CutObject, is_array, is_container, is_object
from mckp.regexes import regex
from mckp.weights.keys import LONGEST, composite_key, key_of

if TYPE_CHECKING:
    from collections.abc import KeysView, Sequence

    from mckp.weights.leaves import Leaf

ITEM: Final = "*"
"""The step in the path of a column for any index of an array, or any key of a map."""

PAIRED: Final = frozenset({"key", "value"}), frozenset({"name", "value"})
"""Members of objects that hold one field: its name, and its value."""


@dataclass(slots=True, eq=False)
class LeafColumn:
    """The leaves of a document whose paths differ only in their indices.

    Attributes
    ----------
    path : tuple of str
        Names, and `ITEM` for each index and for each key of a map.
    places : list of int
        The index of each leaf among all leaves of the document, ascending.
    values : list
        The value of each leaf.
    rows : list of int
        The row that each leaf is in, as an index of `Columns.above`; 0 outside arrays and maps.
    runs : list of tuple of int
        For each array of numbers, the index of its first leaf in the column, and its length. An
        array of such arrays is one run.
    is_key : bool
        Whether the column identifies the records of its array.
    is_part : bool
        Whether it does so together with other columns, such as a date with a symbol.
    is_tuple_part : bool
        Whether the column has the elements at one index of short arrays of several types, such as a
        time and a measurement. Its rows are those around the arrays.
    """

    path: tuple[str, ...]
    places: list[int] = field(default_factory=list[int])
    values: list[Any] = field(default_factory=list[Any])
    rows: list[int] = field(default_factory=list[int])
    runs: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    is_key: bool = False
    is_part: bool = False
    is_tuple_part: bool = False


@dataclass(slots=True, eq=False)
class ColumnGroup:
    """The objects or arrays of a document whose paths differ only in their indices.

    Attributes
    ----------
    path : tuple of str
        Names, and `ITEM` for each index and for each key of a map.
    columns : dict of str to LeafColumn
        The columns of their leaves, by the last step of the path.
    below : dict of str to ColumnGroup
        The groups of the objects and arrays in them, by the last step of the path.
    rows : list of int
        The row of each object or array, if they are items of an array or a map.
    """

    path: tuple[str, ...]
    columns: dict[str, LeafColumn] = field(default_factory=dict[str, LeafColumn])
    below: dict[str, ColumnGroup] = field(default_factory=dict[str, "ColumnGroup"])
    rows: list[int] = field(default_factory=list[int])

    def ensure_column(self, name: str) -> LeafColumn:
        """Return the column with a name, which is created if it does not exist."""
        column = self.columns.get(name)
        if column is None:
            column = self.columns[name] = LeafColumn((*self.path, name))
        return column

    def ensure_group(self, name: str) -> ColumnGroup:
        """Return the group below this one with a name, which is created if it does not exist."""
        group = self.below.get(name)
        if group is None:
            group = self.below[name] = ColumnGroup((*self.path, name))
        return group


class Columns:
    """The columns of plain data, and the rows that their leaves are in.

    Attributes
    ----------
    all : list of LeafColumn
        The columns, in the order of their first leaves.
    groups : list of ColumnGroup
        The groups of objects and arrays; each comes before those below it.
    above : list of int
        For each row, the row around it. Row 0 is the document, and counts as around itself.
    index : list of int
        For each row, its index in its array or map.
    named : dict of int to str
        For each row that is a member of a map, its name.
    size : int
        The number of leaves of the document.

    Examples
    --------
    >>> rows = Columns([{"n": 1, "ok": True}, {"n": 2, "ok": True}])
    >>> [(column.path, column.values, column.rows) for column in rows.all]
    [(('*', 'n'), [1, 2], [1, 2]), (('*', 'ok'), [True, True], [1, 2])]
    >>> stock = Columns({"a1": {"price": 2, "left": 7}, "b2": {"price": 3, "left": 0}})
    >>> [(column.path, column.values) for column in stock.all]
    [(('*', 'price'), [2, 3]), (('*', 'left'), [7, 0])]
    """

    def __init__(self, value: object) -> None:
        self.size, self.above, self.index = 0, [0], [0]
        self.groups: list[ColumnGroup] = []
        self.named: dict[int, str] = {}
        top = ColumnGroup(())
        if is_container(value) and value:
            self._walk(value, top, 0)
        else:
            self._add(top.ensure_column(""), value, 0)
        self._collect(top)
        self.all = [column for group in self.groups for column in group.columns.values()]
        self.all.sort(key=lambda column: column.places[0])

    def _add(self, column: LeafColumn, value: object, row: int) -> None:
        """Add a leaf to a column."""
        column.places.append(self.size)
        column.values.append(value)
        column.rows.append(row)
        self.size += 1

    def _add_row(self, above: int, index: int) -> int:
        """Add a row within the row `above`, and return its number."""
        self.above.append(above)
        self.index.append(index)
        return len(self.above) - 1

    def _walk(self, value: Any, group: ColumnGroup, row: int, neighbour: Any = None) -> None:
        """Add the leaves of a non-empty container to a group.

        `neighbour` is another item of the container's array, or the container itself if there is no
        other; None outside arrays.
        """
        if is_array(value):
            self._walk_array(value, group, row)
        elif _is_map(value) and not _are_records(value, neighbour):
            inner_group = group.ensure_group(ITEM)
            for index, (name, item) in enumerate(cast("dict[str, Any]", value).items()):
                inner_row = self._add_row(row, index)
                self.named[inner_row] = name
                if is_container(item) and item:
                    inner_group.rows.append(inner_row)
                    self._walk(item, inner_group, inner_row)
                else:
                    self._add(group.ensure_column(ITEM), item, inner_row)
        else:
            columns, below = group.columns, group.below
            for name, item in (_as_member(value) if len(value) == 2 else value).items():
                if item.__class__ in _CONTAINERS and item:
                    inner_group = below.get(name)
                    self._walk(
                        item, group.ensure_group(name) if inner_group is None else inner_group, row
                    )
                    continue
                column = columns.get(name)
                if column is None:
                    column = group.ensure_column(name)
                column.places.append(self.size)
                column.values.append(item)
                column.rows.append(row)
                self.size += 1

    def _walk_array(
        self, value: list[Any], group: ColumnGroup, row: int, *, is_row: bool = False
    ) -> None:
        """Add the leaves of an array to a group: as numbers, as parts of a tuple, or as items.

        `is_row` says that it is a row of a table; see `_are_rows`.
        """
        numbers = [] if is_row else _flat_numbers(value)
        if numbers:
            column, size = group.ensure_column(ITEM), len(numbers)
            column.runs.append((len(column.values), size))
            column.places += range(self.size, self.size + size)
            column.values += numbers
            column.rows += [row] * size
            self.size += size
            return
        if is_row or _is_tuple(value):
            for index, item in enumerate(value):  # a column for each element
                name = f"{ITEM}{index}"
                column = group.columns.setdefault(
                    name, LeafColumn((*group.path, ITEM), is_tuple_part=True)
                )
                self._add(column, item, row)
            return
        are_rows = _are_rows(value)
        for index, item in enumerate(value):
            inner_row = self._add_row(row, index)
            if is_container(item) and item:
                inner_group = group.ensure_group(ITEM)
                inner_group.rows.append(inner_row)
                if are_rows and is_array(item):
                    self._walk_array(item, inner_group, inner_row, is_row=True)
                    continue
                neighbour = value[index - 1] if index else value[-1]
                self._walk(item, inner_group, inner_row, neighbour)
            else:
                self._add(group.ensure_column(ITEM), item, inner_row)

    def _collect(self, group: ColumnGroup) -> None:
        """Append a group and those below it to `groups`, and mark their key columns."""
        self.groups.append(group)
        if len(group.rows) > 1 and group.path[-1] == ITEM:
            self._mark_key(group)
        for below in group.below.values():
            self._collect(below)

    def _mark_key(self, group: ColumnGroup) -> None:
        """Mark the column, or the columns, that identify the records of a group."""
        rows, above = group.rows, self.above
        complete = [column for column in group.columns.values() if column.rows == rows]
        numbers = range(len(rows))
        candidates = [(str(column.path[-1]), column.values, numbers) for column in complete]
        key = key_of(candidates, [above[row] for row in rows])
        if key is not None:
            complete[key].is_key = True
        else:
            for part in composite_key(candidates, [above[row] for row in rows]):
                complete[part].is_part = True


_CONTAINERS: Final = frozenset({dict, list, CutObject})
_NUMBERS: Final = frozenset({int, float})
_ARRAYS: Final = frozenset({list})
_DATA: Final = regex(r".*[0-9@/:. ].*")
_LONGEST_TUPLE: Final = 6
_TEXT: Final = frozenset({str})
_WIDEST: Final = 64
"""Most cells of an array that is a row of a table."""
_FEWEST: Final = 6
"""Fewest arrays of equal length that are the rows of a table; also fewest scalars in an object that
is a map because most of its names look like data."""


def _as_member(value: dict[str, Any]) -> dict[str, Any]:
    """Return ``{"key": name, "value": item}`` with the item as a member of that name.

    Members keep their order, so leaves do too. Any other object of two members is returned as it
    is. An item that is an object of one leaf is replaced by this leaf.
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
    """Whether the names of an object's members are data, such as ids or dates.

    That is so if all of its members are non-empty objects that mostly have the same names, or if it
    has only scalars, at least `_FEWEST`, and three quarters of the names look like data. It is
    never so for a single member, or with a member named ``next``, as objects of links have it.
    """
    if len(value) < 2 or "next" in value:  # links to other pages are no data
        return False
    first_names: KeysView[str] | None = None
    containers = 0
    for item in value.values():
        if item.__class__ in _CONTAINERS and item:
            containers += 1
            if not is_object(item):
                return False
            names = item.keys()
            first_names = first_names or names
            if 2 * len(first_names & names) < len(first_names | names):
                return False
        elif containers:
            return False
    if containers:
        return containers == len(value)
    return len(value) >= _FEWEST and 4 * sum(map(bool, map(_DATA.match, value))) >= 3 * len(value)


def _are_records(value: dict[str, Any], neighbour: object) -> bool:
    """Whether an object of scalars has the same names as its neighbour in an array.

    Then both are rows of one table: the names are columns even if they look like data, such as
    years or ``Unnamed: 3``. It is false if `neighbour` is the object itself.
    """
    return (
        neighbour is not value
        and is_object(neighbour)
        and not any(map(is_container, value.values()))
        and value.keys() == neighbour.keys()
    )


def _is_tuple(value: list[Any]) -> bool:
    """Whether an array has two to six scalars, texts and numbers among them.

    An example is a time and a measurement.
    """
    return (
        1 < len(value) <= _LONGEST_TUPLE
        and len(types := set(map(type, value))) > 1
        and (types.isdisjoint(_CONTAINERS) and str in types and not types.isdisjoint(_NUMBERS))
    )


def _are_rows(value: list[Any]) -> bool:
    """Whether the items of an array are the rows of a table: arrays of as many scalars each."""
    if len(value) < _FEWEST or not all(map(is_array, value)):
        return False
    sizes = set(map(len, value))
    return (
        len(sizes) == 1
        and 1 < max(sizes) <= _WIDEST
        and not any(is_container(cell) for row in value for cell in row)
    )


def _flat_numbers(value: list[Any]) -> list[Any]:
    """Return all numbers of an array of numbers, nested or not.

    For other arrays, and those with an empty array in them, the list is empty.
    """
    types = set(map(type, value))
    if types <= _NUMBERS:
        return value
    if not types <= _ARRAYS:
        return []
    numbers: list[Any] = []
    for item in value:
        inner_numbers = _flat_numbers(item) if item else []
        if not inner_numbers:
            return []
        numbers += inner_numbers
    return numbers


def value_of(leaves: Sequence[Leaf]) -> Any:
    """Return the plain data that has exactly the given leaves, in this order; ``{}`` for none.

    Examples
    --------
    >>> from mckp.weights.leaves import data_leaves
    >>> value_of(data_leaves({"a": [1, {}], "b": []}))
    {'a': [1, {}], 'b': []}
    """
    root: list[Any] = []
    for path, value, _ in leaves:
        container, step = root, cast("Any", 0)
        for next_step in path:
            container = _child_or_new(container, step, [] if isinstance(next_step, int) else {})
            step = next_step
        _child_or_new(container, step, value)
    return root[0] if root else {}


def _child_or_new(holder: Any, step: Any, new: Any) -> Any:
    """Return the value at a step of a container; if there is none, `new`, which is put there."""
    if is_object(holder):
        return holder.setdefault(step, new)
    if step == len(holder):
        holder.append(new)
    return holder[step]
