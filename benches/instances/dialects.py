"""The published text formats of instances, each a few facts for one reader and one writer."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from instances.scanner import Scanner
from mckp.errors import ParseError
from mckp.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Dialect:
    """How a format orders its numbers. All write an option as its value and then its cost.

    Parameters
    ----------
    head
        The lines before the first class, by the names of their numbers: ``classes``,
        ``size`` (options of every class), ``resources`` and ``budget``.
    own_size
        Whether each class begins with the number of its options. If not, and `head` has no
        ``size``, a class has one.
    labelled
        Whether each class begins with a word of no meaning.
    at_most_one
        Whether at most one option of a class is taken, rather than exactly one.
    source
        Where the format is defined.
    """

    head: tuple[tuple[str, ...], ...]
    own_size: bool
    labelled: bool
    at_most_one: bool
    source: str

    def read(self, text: str, name: str) -> tuple[Table, int]:
        """Read a table and a budget.

        Raises
        ------
        ParseError
            If the text is damaged; the message says where, and what to do.

        Examples
        --------
        >>> table, budget = DIALECTS["standard"].read("1 80  2  9 40  5 60", "one.txt")
        >>> table.cost.tolist(), table.value.tolist(), budget
        ([40, 60, 0], [9, 5, 0], 80)
        """
        scanner = Scanner(text, name)
        head = {what: scanner.count(what) for line in self.head for what in line}
        if head.get("resources", 1) != 1:
            raise ParseError(
                f"{name} has {head['resources']} resources; only instances of one are multiple-"
                "choice knapsack problems",
                line=1,
                column=1,
            )
        return self._table(scanner, head, name), head["budget"]

    def _table(self, scanner: Scanner, head: dict[str, int], name: str) -> Table:
        places, sizes = list[int](), list[int]()
        for i in range(1, head["classes"] + 1):
            scanner.skip(int(self.labelled), f"label of class {i}")
            size = scanner.count(f"size of class {i}") if self.own_size else head.get("size", 1)
            places.append(scanner.skip(2 * size, f"last option of class {i}"))
            sizes.append(size)
        scanner.end("check the counts in it, or name its format with format=")
        first = _run(np.array(places, dtype=np.int64), np.array(sizes, dtype=np.int64)).tolist()
        value = scanner.numbers(first, "value")
        cost = scanner.wholes((place + 1 for place in first), "cost")
        return table_of(np.cumsum([0, *sizes]), cost, value, self.at_most_one, name)

    def write(self, table: Table, budget: int) -> str:
        """Write a table and a budget.

        Raises
        ------
        ValueError
            If the format cannot say it: nesting, values that are not whole, a class without a
            skip where at most one option is taken, classes of several sizes.

        Examples
        --------
        >>> print(DIALECTS["standard"].write(Table.flat([[40, 60]], [[9, 5]], skip=True), 80))
        1 80
        2
        9 40
        5 60
        <BLANKLINE>
        """
        if table.value.dtype.kind == "f" or (table.parent_option >= 0).any():
            raise ValueError("only whole values without nesting can be written; take format='json'")
        classes = _pairs(table, self.at_most_one)
        size = self._size(classes)
        facts = {"classes": len(classes), "size": size, "resources": 1, "budget": budget}
        lines = [" ".join(str(facts[what]) for what in line) for line in self.head]
        for i, pairs in enumerate(classes, 1):
            lines += [str(i)] * self.labelled + [str(len(pairs))] * self.own_size
            lines += [f"{value} {cost}" for value, cost in pairs]
        return "\n".join([*lines, ""])

    def _size(self, classes: list[list[tuple[int, int]]]) -> int:
        sizes = {len(pairs) for pairs in classes}
        if self.own_size:
            return 0
        stated = any("size" in line for line in self.head)
        if len(sizes) > 1 or not (stated or sizes <= {1}):
            raise ValueError(f"the classes have {sorted(sizes)} options; take format='shojaei'")
        return sizes.pop() if sizes else 1


DIALECTS: Final = {
    "standard": Dialect(
        head=(("classes", "budget"),),
        own_size=True,
        labelled=False,
        at_most_one=True,
        source="F. Fontan, multiplechoiceknapsacksolver, format 'standard'",
    ),
    "knapsack": Dialect(
        head=(("classes", "budget"),),
        own_size=False,
        labelled=False,
        at_most_one=True,
        source="0-1 knapsack files of kplib and of the Bologna OR group: one item a class",
    ),
    "khan": Dialect(
        head=(("classes", "size", "resources"), ("budget",)),
        own_size=False,
        labelled=True,
        at_most_one=False,
        source="S. Khan et al., Studia Informatica Universalis 2 (2002), benchmark data MMKP1-13",
    ),
    "mansi": Dialect(
        head=(("classes", "size", "resources"), ("budget",)),
        own_size=False,
        labelled=False,
        at_most_one=False,
        source="F. Fontan, orproblems, format 'mansi2013' of the MMKP",
    ),
    "shojaei": Dialect(
        head=(("classes", "resources"), ("budget",)),
        own_size=True,
        labelled=False,
        at_most_one=False,
        source="F. Fontan, orproblems, format 'shojaei2013' of the MMKP",
    ),
}
"""The text formats by name. `khan`, `mansi` and `shojaei` are read if they have one resource."""


def table_of(
    start: NDArray[np.int64],
    cost: NDArray[np.int64],
    value: NDArray[np.generic],
    at_most_one: bool,
    name: str,
) -> Table:
    """Return a table without nesting, with a skip last in every class if need be.

    Raises
    ------
    ParseError
        If its totals do not fit 64 bits.

    Examples
    --------
    >>> one = np.array([7])
    >>> table_of(np.array([0, 1]), one, one, at_most_one=True, name="one.txt").cost.tolist()
    [7, 0]
    """
    if at_most_one:
        cost, value = np.insert(cost, start[1:], 0), np.insert(value, start[1:], 0)
        start = start + np.arange(start.size)
    try:
        return Table(start, cost, value, np.full(start.size - 1, -1))
    except ValueError as error:
        raise ParseError(f"{name} is no table: {error}") from None


def recognise(text: str) -> str | None:
    r"""Return the name of the dialect that the first three lines look like, if any.

    Examples
    --------
    >>> recognise("1 80\n2\n9 40\n5 60\n"), recognise("{}")
    ('standard', None)
    """
    lines = (line.split() for line in text.splitlines() if line.strip())
    rows = [row for row, _ in zip(lines, range(3), strict=False)]
    match [len(row) for row in rows]:
        case [3, _, 1]:
            return "khan"
        case [3, _, _]:
            return "mansi"
        case [2, 1, 1]:
            return "shojaei" if rows[0][1] == "1" else "standard"
        case [2, _, 1]:
            return "shojaei"
        case [2] | [2, 1] | [2, 1, 2]:
            return "standard"
        case [1, 1, 2] | [2, 2] | [2, 2, 2]:
            return "knapsack"
        case _:
            return None


def _run(begin: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(begin, sizes) + 2 * within


def _pairs(table: Table, at_most_one: bool) -> list[list[tuple[int, int]]]:
    both = list(zip(table.value.tolist(), table.cost.tolist(), strict=True))
    classes = [both[a:b] for a, b in pairwise(table.start.tolist())]
    return [_without_skip(i, c) for i, c in enumerate(classes)] if at_most_one else classes


def _without_skip(index: int, options: list[tuple[int, int]]) -> list[tuple[int, int]]:
    if (0, 0) not in options:
        raise ValueError(f"class {index} has no skip option of cost and value 0; take 'shojaei'")
    last = len(options) - 1 - options[::-1].index((0, 0))
    return options[:last] + options[last + 1 :]
