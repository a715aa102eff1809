"""Joins the tables of several documents into one.

The root has one option, the first line, with the note on what is missing as its setup cost. Below
it is a class for each document: the options of that document's own root, each with the heading
above it; an option that names it in the note; and one that skips it. The latter two owe the note.
What is below an option of a document's root stays as it is.

The worth of a document is scaled so that its best choice per token, heading included, is worth as
much as it has tokens, times the factor of the document. So documents of any kind and length start
equal, and parts that rank later are worth less, by their own worth and by `mckp.weights.fading`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from mckp.budgets import checked_budget
from mckp.encoders import packs
from mckp.menu.classes import Option
from mckp.menu.render import Pick, whole_pick
from mckp.solvers import frontier
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mckp.menu.classes import AnyOption
    from mckp.menu.price import Prices
    from mckp.menu.select import Solving
    from mckp.packing.items import Item

    Ints = NDArray[np.int64]

UNITS: Final = 1024
"""Units of worth per token of the best choice of a document."""

BEGINNINGS: Final = (25, 50, 100, 200, 400)
"""Budgets in which the best choice per token is sought for a document of several classes."""

NAMED: Final = 0.005
"""The worth of a document's name in the note, as a share of about what the document is worth."""


class Taken(NamedTuple):
    """How a document is written: a pick; or None, and then perhaps its name."""

    pick: Pick | None
    is_named: bool = False


@dataclass(eq=False, slots=True)
class Offered:
    """The options of one document, as arrays; see `mckp.table.Table` for the columns."""

    rows: list[int]
    """The options of its own root that are offered; -1 for one of its own solutions in `points`."""
    cost: Ints
    value: Ints
    setup: Ints
    includes_below: bool
    """Whether the classes below its root are included."""
    points: list[Ints]
    """Solutions of the document's own table, if these are offered instead of its classes."""
    can_go: bool
    """Whether the document may be left out, or only named."""
    total: int
    """The value of the whole document."""
    values: Ints
    """The values of the options of its own table, in units of the pack."""


_NONE: Final = np.zeros(0, dtype=np.int64)
CLOSED: Final = Offered([], _NONE, _NONE, _NONE, False, [], can_go=True, total=0, values=_NONE)
"""The options of a document that is at most named."""


@dataclass(eq=False, slots=True)
class Joint:
    """The table of all documents, the class of the root of each, and what each is offered as."""

    table: Table
    starts: list[int]
    offers: list[Offered]


def worth_of_name(item: Item) -> int:
    """Return what the name of a document is worth."""
    return int(item.rough_worth * NAMED * UNITS)


class Joined:
    """The table of a pack, and the meaning of its choices."""

    def __init__(self, items: Sequence[Item], prices: Prices, solver: Solving, count: int) -> None:
        self.items, self.prices, self.count = items, prices, count
        self._solver = solver
        self._offered: dict[int, Offered] = {}
        self._joints: dict[frozenset[int], Joint] = {}
        self._lines = set[int]()
        prices.add(
            [packs.first_line(count), packs.note(count, count)]
            + [line for item in items for line in (item.heading, item.equal_headings) if line]
            + [f" {item.name}" for item in items if packs.may_be_noted(item.name)]
        )

    def offered(self, number: int) -> Offered:
        """Return the options of a document, which are made once."""
        if number not in self._offered:
            self._offered[number] = self._new_offer(self.items[number])
        return self._offered[number]

    @cached_property
    def total(self) -> int:
        """The value of all documents."""
        self.add_lines(frozenset())
        return sum(self.offered(number).total for number in range(len(self.items)))

    def add_lines(self, closed: frozenset[int]) -> None:
        """Count the lines of all texts in one batch, except those of `closed` documents."""
        new = [
            item.source
            for number, item in enumerate(self.items)
            if item.is_text and number not in closed and number not in self._lines
        ]
        self._lines |= set(range(len(self.items))) - closed
        self.prices.add_lines(new)

    @cached_property
    def whole_cost(self) -> int:
        """The cost of all documents in full."""
        cost = self.prices[packs.first_line(self.count)]
        for item in self.items:
            if item.is_only_whole:
                cost += self.prices[item.source] + self._heading_cost(item)
                continue
            root = item.priced.menu.root
            cost += self.prices.whole_cost(root) + self._heading_cost(item)
            cost += self._line_feed_cost(self.prices.cheapest(root)[1])
        return cost

    def joint(self, closed: frozenset[int] = frozenset()) -> Joint:
        """Return the table of all documents, where `closed` ones are named or left out."""
        if closed not in self._joints:
            self.add_lines(closed)
            self._joints[closed] = self._new_joint(closed)
        return self._joints[closed]

    def _new_joint(self, closed: frozenset[int]) -> Joint:
        """Join the tables of all documents; `closed` ones are named or left out."""
        columns = _Columns()
        first, note = packs.first_line(self.count), packs.note(self.count, self.count)
        columns.add([self.prices[first]], [0], [self.prices[note]], [False], -1)
        starts, offers = list[int](), list[Offered]()
        for number, item in enumerate(self.items):
            offered = CLOSED if number in closed else self.offered(number)
            starts.append(columns.classes)
            offers.append(offered)
            begin = columns.options
            self._add_root(columns, item, offered)
            if offered.includes_below:
                columns.add_below(item.priced.tabulated.table, offered.rows, begin, offered.values)
        return Joint(columns.table(), starts, offers)

    def _add_root(self, columns: _Columns, item: Item, offered: Offered) -> None:
        """Add the class of a document's root: its options, being named, and being skipped."""
        cost, value, setup = offered.cost.tolist(), offered.value.tolist(), offered.setup.tolist()
        owing = [False] * len(cost)
        if offered.can_go:
            if packs.may_be_noted(item.name):
                cost.append(self.prices[f" {item.name}"])
                value.append(worth_of_name(item))
                setup.append(0)
                owing.append(True)
            cost.append(0)
            value.append(0)
            setup.append(0)
            owing.append(True)
        columns.add(cost, value, setup, owing, 0)

    def picked(self, joint: Joint, choice: Sequence[int]) -> list[Taken]:
        """Return how a solution of a table writes each document."""
        decisions: list[Taken] = []
        for start, item, offered in zip(joint.starts, self.items, joint.offers, strict=True):
            option = choice[start]
            if option >= len(offered.rows):
                is_named = packs.may_be_noted(item.name) and option == len(offered.rows)
                decisions.append(Taken(None, is_named))
                continue
            tabulated, row = item.priced.tabulated, offered.rows[option]
            if row < 0:
                decisions.append(Taken(tabulated.pick(offered.points[option].tolist())))
            elif row == tabulated.whole_option:
                decisions.append(Taken(whole_pick(tabulated.menu.root, tabulated.prices)))
            else:
                size = tabulated.table.classes
                below = choice[start + 1 : start + size] if offered.includes_below else ()
                decisions.append(Taken(tabulated.pick([row, *below])))
        return decisions

    def whole(self) -> list[Taken]:
        """Return the decisions that write all documents in full."""
        return [Taken(self._whole_pick(item)) for item in self.items]

    def _whole_pick(self, item: Item) -> Pick:
        """Return a document written in full."""
        if item.priced.document.embedding is not None:
            return item.priced.exact.pick
        return whole_pick(item.priced.menu.root, self.prices)

    def scale_of(self, item: Item) -> float:
        """Return what a unit of a document's own worth is worth in the pack, factor included."""
        tabulated, heading_cost = item.priced.tabulated, self._heading_cost(item)
        table, root = tabulated.table, tabulated.menu.root
        choices = [(tabulated.prices.whole_cost(root), root.worth)]
        if table.classes == 1:
            choices += zip(table.cost.tolist(), table.value.tolist(), strict=True)
        else:
            for budget in BEGINNINGS:
                solution = self._solver(table, budget * self.prices.scale)
                choices.append((solution.cost, float(solution.value)))
        best = max(value / max(1, cost + heading_cost) for cost, value in choices)
        return item.factor / self.prices.scale / best if best > 0 else 0.0

    def _heading_cost(self, item: Item) -> int:
        """Return the cost of a document's headings."""
        return self.prices[item.heading] + (
            self.prices[item.equal_headings] if item.equal_headings else 0
        )

    def values(self, item: Item) -> Ints:
        """Return the values of a document's own table, in units of the pack."""
        table = item.priced.tabulated.table
        values = np.floor(table.value * (self.scale_of(item) * UNITS)).astype(np.int64)
        is_raised = (values == 0) & (table.value > 0)
        if is_raised.any():  # a tiny worth must not become zero
            values[is_raised] = 1
            row = item.priced.tabulated.whole_option
            values[row] = max(values[row], np.maximum.reduceat(values, table.start[:-1]).sum())
        return values

    def _whole_offer(self, item: Item) -> Offered:
        """Return the only option of a document that is written whole or left out.

        Its worth follows from its scale. So its menu is opened only if it is chosen, which saves
        half of the time for 2,000 paragraphs.
        """
        cost = self.prices[item.source] + self._heading_cost(item)
        total = max(1, int(cost * item.factor / self.prices.scale * UNITS))
        costs, values = np.array([cost]), np.array([total])
        return Offered(
            [0],
            costs,
            values,
            np.zeros(1, np.int64),
            False,
            [],
            can_go=True,
            total=total,
            values=values,
        )

    def _new_offer(self, item: Item) -> Offered:
        """Return the options of a document.

        A pinned one has one option, and one with a `least` has its own best selections.
        """
        if item.is_only_whole:
            return self._whole_offer(item)
        tabulated = item.priced.tabulated
        table, values = tabulated.table, self.values(item)
        last = int(table.start[1])
        rows, can_go = list(range(last)), not tabulated.menu.root.is_pinned
        if can_go and packs.may_be_noted(item.name):
            rows.pop()  # its name is in the note, instead of a heading above a note of its own
        heading_cost = self._heading_cost(item)
        total = max(1, int(values[tabulated.whole_option]))
        points: list[Ints] = []
        below = table.classes > 1
        if item.is_pinned:
            rows, below, can_go = [tabulated.whole_option], False, False
        elif item.least is not None:
            return self._offer_with_least(item, values, heading_cost, total)
        cost, value, setup = (table.cost[rows], values[rows], table.setup[rows])
        if can_go and not packs.may_be_noted(item.name):
            value[-1] = worth_of_name(item)  # its name, above a note on how much is missing
        line_feed_costs = np.array(
            [self._line_feed_cost_of_row(item, row) for row in rows], dtype=np.int64
        )
        cost = cost + heading_cost + line_feed_costs
        return Offered(rows, cost, value, setup, below, points, can_go, total, values)

    def _offer_with_least(self, item: Item, values: Ints, heading_cost: int, total: int) -> Offered:
        """Return the options of a document with a `least`.

        They are its own best selections, starting at the value that its `least` tokens buy of it
        alone; some part of it is always kept, even if they buy nothing. `values` are those of its
        own table, `heading_cost` the cost of its headings, `total` its whole value.
        """
        tabulated, scale = item.priced.tabulated, self.prices.scale
        most = tabulated.prices.whole_cost(tabulated.menu.root)
        least = checked_budget(item.least, lambda: -(-most // scale)) or 0
        own_table = tabulated.table
        table = Table(
            own_table.start,
            own_table.cost,
            values,
            own_table.parent_option,
            own_table.setup,
            own_table.owing,
        )
        curve = frontier(table, most)
        steps = [(cost, int(value)) for cost, value in curve.steps()]
        least_value = max((value for cost, value in steps if cost <= least * scale), default=0)
        points_left = [(cost, value) for cost, value in steps if value >= max(1, least_value)]
        points = [self._solver(table, cost).choice for cost, _ in points_left]
        line_feed_costs = [self._line_feed_cost_of_row(item, int(choice[0])) for choice in points]
        costs = (
            np.array([cost for cost, _ in points_left], dtype=np.int64)
            + heading_cost
            + np.array(line_feed_costs)
        )
        point_values = np.array([value for _, value in points_left], dtype=np.int64)
        rows, no_setup = [-1] * len(points_left), np.zeros(len(points_left), np.int64)
        return Offered(
            rows,
            costs,
            point_values,
            no_setup,
            False,
            points,
            can_go=False,
            total=total,
            values=values,
        )

    def _line_feed_cost_of_row(self, item: Item, row: int) -> int:
        """Return the cost of the line feed that a root option needs after it; 0 if none."""
        if item.is_text:
            return 0
        return self._line_feed_cost(item.priced.tabulated.meaning(row).option)

    def _line_feed_cost(self, option: AnyOption | None) -> int:
        """Return the cost of the line feed that an option needs after it; 0 if none."""
        last = _last_fragment(option)
        return 0 if last.endswith("\n") else self.prices[f"{last}\n"] - self.prices[last]


def _last_fragment(option: AnyOption | None) -> str:
    """Return an option's last fragment, or a line feed if its text surely ends with one."""
    if not isinstance(option, Option) or option.children or not option.fragments:
        return "\n"
    return option.tail or option.fragments[-1]


class _Columns:
    """The columns of a table in the making; classes are added in preorder."""

    def __init__(self) -> None:
        """Begin with no class."""
        self.classes = self.options = 0
        self._sizes: list[Any] = []
        self._columns: list[list[Any]] = [[], [], [], []]
        self._parents: list[Any] = []

    def add(
        self,
        cost: Sequence[int],
        value: Sequence[int],
        setup: Sequence[int],
        owing: Sequence[bool],
        parent: int,
    ) -> None:
        """Add one class.

        The arguments are its columns in the table; `parent` is the option that opens it.
        """
        self._sizes.append([len(cost)])
        self._parents.append([parent])
        for column, amount in zip(self._columns, (cost, value, setup, owing), strict=True):
            column.append(amount)
        self.classes += 1
        self.options += len(cost)

    def add_below(self, table: Table, rows: Sequence[int], begin: int, values: Ints) -> None:
        """Add the classes of a document's table below its root, with these `values`.

        The root's options `rows` are already in the columns, from option `begin` on.
        """
        first_option = int(table.start[1])
        new_numbers = np.full(table.options, -1, dtype=np.int64)
        new_numbers[rows] = begin + np.arange(len(rows))
        new_numbers[first_option:] = self.options + np.arange(table.options - first_option)
        self._sizes.append(np.diff(table.start)[1:])
        self._parents.append(new_numbers[table.parent_option[1:]])
        columns_below = (table.cost, values, table.setup, table.owing)
        for column, column_below in zip(self._columns, columns_below, strict=True):
            column.append(column_below[first_option:])
        self.classes += table.classes - 1
        self.options += table.options - first_option

    def table(self) -> Table:
        """Return the table of all classes that were added."""
        cost, value, setup, owing = (np.concatenate(parts) for parts in self._columns)
        start = np.concatenate(([0], np.cumsum(np.concatenate(self._sizes))))
        parents = np.concatenate(self._parents)
        return Table(start, cost, value, parents, setup, owing.astype(bool))


def written_text(items: Sequence[Item], taken: Sequence[Taken], count: int) -> str:
    """Return the text of a pack: its first line, a note on what is missing, and the documents.

    `count` is the number of names of documents, equal ones included.
    """
    parts = [packs.first_line(count)]
    missing_items = [
        (item, decision)
        for item, decision in zip(items, taken, strict=True)
        if decision.pick is None
    ]
    if missing_items:
        missing = sum(1 + len(item.equals) for item, _ in missing_items)
        names = [item.name for item, decision in missing_items if decision.is_named]
        parts.append(packs.note(missing, count, names))
    for item, decision in zip(items, taken, strict=True):
        if decision.pick is not None:
            parts += (item.heading, body(item, decision.pick), item.equal_headings)
    return "".join(parts)


def body(item: Item, pick: Pick) -> str:
    """Return the text of a document in a pack, which ends with a line feed."""
    text = item.priced.text_of(pick)
    return text if text.endswith("\n") or not text else f"{text}\n"
