"""The numbers of a choice: classes, options, costs, values; all that a solver is given."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

SUM_LIMIT: Final = 2**60
"""Totals of costs and of values stay below this, which leaves 64-bit sums room."""

_NEEDED: Final = ("start", "cost", "value", "parent_option")
_OPTIONAL: Final = ("setup", "owing")
_LEFT_OFF: Final[tuple[Any, ...]] = ((), 0, False)
"""What an option in nested lists has at its end where nothing else is said."""


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Classes of options as an and-or tree, in arrays (CSR order).

    A reached class takes exactly one of its options; leaving something out is an option like any
    other. A class with parent option -1 is always reached, any other class only if its parent
    option is taken. Classes are in preorder: after a class come all classes below its first option,
    then all below its second, and so on.

    Parameters
    ----------
    start : int64 array [classes + 1]
        The options of class ``i`` are ``start[i] .. start[i + 1] - 1``.
    cost : int64 array [options]
        What each option costs, never negative.
    value : int64 or float64 array [options]
        What each option is worth, of any sign.
    parent_option : int64 array [classes]
        The option that opens each class, -1 at the root.
    setup : int64 array [options], optional
        What each option costs once more if at least one of the classes that it opens takes an
        owing option, never negative; None: nothing. It is the setup cost (fixed charge) of
        scheduling, as of a line that says once that members of a container are missing.
    owing : bool array [options], optional
        Whether taking an option makes the option that opened its class owe its setup cost; None:
        none does. It means nothing in a class at the root.

    Arrays that do not describe such a tree are a ValueError, which names the class or the option.
    The arrays are copied and cannot be written afterwards. Time O(classes + options).

    Examples
    --------
    >>> table = Table([0, 2, 4], [0, 40, 0, 60], [0, 9, 0, 5], [-1, -1])
    >>> table.classes, table.options
    (2, 4)
    """

    start: NDArray[np.int64]
    cost: NDArray[np.int64]
    value: NDArray[np.int64] | NDArray[np.float64]
    parent_option: NDArray[np.int64]
    setup: NDArray[np.int64]
    owing: NDArray[np.bool_]

    def __init__(
        self,
        start: ArrayLike,
        cost: ArrayLike,
        value: ArrayLike,
        parent_option: ArrayLike,
        setup: ArrayLike | None = None,
        owing: ArrayLike | None = None,
    ) -> None:
        costs = _checked_array("cost", cost)
        setup = np.zeros(costs.size, np.int64) if setup is None else setup
        owing = np.zeros(costs.size, np.bool_) if owing is None else owing
        arrays: dict[str, NDArray[Any]] = {
            "start": _checked_array("start", start),
            "cost": costs,
            "value": _checked_values(value),
            "parent_option": _checked_array("parent_option", parent_option),
            "setup": _checked_array("setup", setup),
            "owing": _checked_array("owing", owing, np.bool_, "b", "truth values"),
        }
        for name, array in arrays.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        _check_start(self)
        _check_numbers(self)
        _check_tree(self)

    @classmethod
    def flat(
        cls,
        costs: Iterable[Sequence[int]],
        values: Iterable[Sequence[float]],
        *,
        skip: bool = False,
    ) -> Table:
        """Make a table without nesting from a list of costs and a list of values for each class.

        With `skip` an option of cost 0 and value 0 is appended to every class, so that at most one
        of the listed options is taken.

        Examples
        --------
        >>> Table.flat(costs=[[0, 40, 25], [0, 60]], values=[[0, 9, 8], [0, 5]])
        Table(classes=2, options=5, depth=1)
        """
        classes = list[list[tuple[int, float]]]()
        for number, (class_costs, class_values) in enumerate(zip(costs, values, strict=True)):
            if len(class_costs) != len(class_values):
                raise ValueError(
                    f"class {number} has {len(class_costs)} costs but {len(class_values)} values"
                )
            classes.append(
                [*zip(class_costs, class_values, strict=True), *([(0, 0)] if skip else [])]
            )
        return cls.nested(classes)

    @classmethod
    def nested(cls, classes: Iterable[Iterable[Sequence[Any]]]) -> Table:
        """Make a table from nested lists: the classes at the root.

        A class is a list of options. An option is ``(cost, value, classes, setup, owing)``: the
        classes that it opens, its setup cost, and whether it is owing. Missing members at the end
        are ``(), 0, False``.

        Examples
        --------
        >>> row = [(0, 0), (5, 3)]
        >>> table = Table.nested([[(0, 0), (9, 6), (2, 0, [row, row])]])
        >>> table.parent_option.tolist()
        [-1, 2, 2]
        >>> cut = (0, 0, (), 0, True)
        >>> table = Table.nested([[(0, 0), (2, 0, [[cut, (5, 3)], [cut, (6, 4)]], 1)]])
        >>> table.setup.tolist(), np.flatnonzero(table.owing).tolist()
        ([0, 1, 0, 0, 0, 0], [2, 4])
        """
        counts, owners, rows = list[int](), list[int](), list[tuple[Any, ...]]()
        pending = [(-1, options) for options in classes][::-1]
        while pending:
            owner, options = pending.pop()
            listed = [
                _completed_option(option, len(counts), place)
                for place, option in enumerate(options)
            ]
            counts.append(len(listed))
            owners.append(owner)
            below = [(n, child) for n, row in enumerate(listed, len(rows)) for child in row[2]]
            rows.extend(listed)
            pending.extend(reversed(below))
        costs, values, setups, owing = ([row[n] for row in rows] for n in (0, 1, 3, 4))
        start = np.cumsum([0, *counts])
        return cls(start, costs, values, owners, setups, list(map(bool, owing)))

    @classmethod
    def from_json(cls, source: str | bytes | Mapping[str, Any]) -> Table:
        """Read a table back: the arrays of `to_json`, or nested lists under ``classes``.

        Raises a `ValueError` if they describe no table, and a `KeyError` if an array is missing.

        Examples
        --------
        >>> Table.from_json('{"classes": [[[0, 0], [40, 9]], [[0, 0], [60, 5]]]}')
        Table(classes=2, options=4, depth=1)
        """
        data = json.loads(source) if isinstance(source, (str, bytes)) else source
        if "classes" in data:
            return cls.nested(data["classes"])
        start, cost, value, parent_option = (data[name] for name in _NEEDED)
        return cls(start, cost, value, parent_option, data.get("setup"), data.get("owing"))

    def to_json(self) -> str:
        """Write the arrays as JSON text; `from_json` gives the same table again.

        ``setup`` and ``owing`` are left out where they are zero throughout.

        Examples
        --------
        >>> Table.flat([[0, 4]], [[0, 1.5]]).to_json()
        '{"start": [0, 2], "cost": [0, 4], "value": [0.0, 1.5], "parent_option": [-1]}'
        """
        names = [*_NEEDED, *(name for name in _OPTIONAL if getattr(self, name).any())]
        return json.dumps({name: getattr(self, name).tolist() for name in names})

    @property
    def classes(self) -> int:
        """The number of classes, reached or not."""
        return self.parent_option.size

    @property
    def options(self) -> int:
        """The number of options in all classes together."""
        return self.cost.size

    @cached_property
    def largest_value(self) -> float:
        """An upper bound of the absolute value of any selection."""
        return largest_sum(self, self.value)

    @cached_property
    def is_flat(self) -> bool:
        """Whether no option opens classes."""
        return bool((self.parent_option < 0).all())

    @cached_property
    def has_setup(self) -> bool:
        """Whether a selection can owe a setup cost."""
        owners = self.parent_option[self.class_of[np.flatnonzero(self.owing)]]
        return bool(self.setup[owners[owners >= 0]].any())

    @property
    def class_of(self) -> Ints:
        """The class of each option."""
        return np.repeat(np.arange(self.classes), np.diff(self.start))

    @cached_property
    def level(self) -> Ints:
        """The number of classes around each class."""
        if self.is_flat:
            return np.zeros(self.classes, dtype=np.int64)
        levels: list[int] = []
        parents: list[int] = _parent_classes(self).tolist()
        for parent in parents:
            levels.append(levels[parent] + 1 if parent >= 0 else 0)
        return np.array(levels, dtype=np.int64)

    @property
    def depth(self) -> int:
        """The number of nested levels of classes: 1 without nesting."""
        return int(self.level.max(initial=-1)) + 1

    def __repr__(self) -> str:
        return f"Table(classes={self.classes}, options={self.options}, depth={self.depth})"


def _checked_array(
    name: str,
    source: ArrayLike,
    dtype: Any = np.int64,
    kinds: str = "iu",
    expected: str = "64-bit integers",
) -> NDArray[Any]:
    """Return a copy as an array of `dtype`; raise unless it has one axis and one of `kinds`.

    `kinds` are letters as in `numpy.dtype.kind`, and `expected` says in the error what they mean.
    """
    array = np.array(source)
    if array.size == 0:
        array = array.astype(dtype)
    if array.ndim != 1 or array.dtype.kind not in kinds:
        raise ValueError(f"{name} must be a one-dimensional array of {expected}")
    return array.astype(dtype, copy=False)


def _checked_values(source: ArrayLike) -> NDArray[Any]:
    """Return values as an array of 64-bit floats or integers; raise for anything else."""
    array = np.array(source)
    if array.size and array.dtype.kind == "f" and array.ndim == 1:
        return array.astype(np.float64, copy=False)
    return _checked_array("value", array)


def _check_start(table: Table) -> None:
    """Raise a `ValueError` unless the arrays have matching sizes and ``start`` ascends."""
    start, options = table.start, table.options
    if table.setup.size != options or table.owing.size != options:
        sizes = f"{table.setup.size} setup costs and {table.owing.size} marks of owing"
        raise ValueError(f"{options} costs, but {sizes}")
    if table.value.size != options:
        raise ValueError(f"{options} costs, but {table.value.size} values")
    if start.size != table.classes + 1 or start[0] != 0 or start[-1] != options:
        raise ValueError(
            f"start must have {table.classes + 1} entries, the first 0, the last {options}"
        )
    if (bad := np.flatnonzero(start[1:] < start[:-1])).size:
        raise ValueError(f"start decreases at class {bad[0]}")


def _check_numbers(table: Table) -> None:
    """Raise a `ValueError` for a negative cost, an infinite value or sums beyond 64 bits."""
    if (bad := np.flatnonzero(table.cost < 0)).size:
        raise ValueError(f"option {bad[0]} has the negative cost {table.cost[bad[0]]}")
    if (bad := np.flatnonzero(table.setup < 0)).size:
        raise ValueError(f"option {bad[0]} has the negative setup cost {table.setup[bad[0]]}")
    floats = table.value.dtype.kind == "f"
    if floats and (bad := np.flatnonzero(~np.isfinite(table.value))).size:
        raise ValueError(
            f"option {bad[0]} has the value {table.value[bad[0]]}; values must be finite"
        )
    if largest_sum(table, table.cost) + largest_sum(table, table.setup) >= SUM_LIMIT:
        raise ValueError("the costs may add up to more than fits in 64 bits; scale them down")
    if table.largest_value >= (np.inf if floats else SUM_LIMIT):
        raise ValueError("the values may add up to more than fits in 64 bits; scale them down")


def largest_sum(table: Table, numbers: NDArray[Any]) -> float:
    """Return a total that no selection exceeds: the sum of each class's largest absolute number.

    Takes O(options).
    """
    filled = table.start[:-1][table.start[1:] > table.start[:-1]]
    if not filled.size:
        return 0.0
    size = numbers if numbers.min() >= 0 else np.abs(numbers.astype(np.float64))
    return float(np.maximum.reduceat(size, filled).astype(np.float64).sum())


def _completed_option(option: object, class_number: int, place: int) -> tuple[Any, ...]:
    """Return an option of nested lists with its missing members filled in, or raise."""
    if (
        not isinstance(option, list | tuple)
        or not 2 <= len(parts := cast("Sequence[Any]", option)) <= 5
    ):
        raise ValueError(
            f"class {class_number}, option {place}: got {option!r:.60}, expected (cost, value, "
            "classes, setup, owing), where only cost and value are required"
        )
    return (*parts, *_LEFT_OFF[len(parts) - 2 :])


def _parent_classes(table: Table) -> Ints:
    """Return the class that contains each class's parent option, or -1 at the root."""
    parents = np.full(table.classes, -1, dtype=np.int64)
    below = table.parent_option >= 0
    parents[below] = table.class_of[table.parent_option[below]]
    return parents


def _check_tree(table: Table) -> None:
    """Raise a `ValueError` unless each class comes in preorder after its parent option."""
    if table.is_flat and table.parent_option.min(initial=-1) == -1:
        return
    owner = table.parent_option
    if (bad := np.flatnonzero((owner < -1) | (owner >= table.options))).size:
        raise ValueError(f"class {bad[0]} has the unknown parent option {owner[bad[0]]}")
    parents = _parent_classes(table)
    if (bad := np.flatnonzero(parents >= np.arange(table.classes))).size:
        raise ValueError(f"class {bad[0]} comes before its parent option {owner[bad[0]]}")
    _check_preorder(owner, parents)


def _check_preorder(owner: Ints, parents: Ints) -> None:
    """Raise a `ValueError` unless classes, with these parents, are in preorder."""
    # Climb from each class's predecessor, unless that is the parent, to its parent. In preorder
    # every climb leaves for good the subtrees it passes, so all together take O(classes) steps.
    late = 1 + np.flatnonzero(parents[1:] != np.arange(owner.size - 1))
    at, came_by = parents[late - 1], owner[late - 1]
    while late.size:
        above = parents[late]
        lost = (at < above) | ((at == above) & (came_by > owner[late]))
        if lost.any():
            late_class = int(late[lost][0])
            raise ValueError(
                f"classes must be in preorder, but class {late_class} comes after classes that do "
                f"not belong under its option {owner[late_class]}"
            )
        climbing = at != above
        late, at = late[climbing], at[climbing]
        came_by, at = owner[at], parents[at]
