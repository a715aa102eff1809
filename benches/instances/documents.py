"""Nested tables shaped like those of JSON documents: objects, arrays in several layouts, rows.

The document is grown first, as a list of nodes in preorder in which an array is one node. From
it all classes and options are counted, so the table's arrays can be made at their full length
and filled in place: containers all together, arrays one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from instances.instance import Instance, check_counts, check_part
from mckp.table import Table

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_LEAF, _OBJECT, _ARRAY = range(3)
_DEPTH: Final = 8
_LONGEST: Final = 500
_SOURCE: Final = "mckp: objects, arrays in several layouts, and rows, as a JSON document has them"


def document(*, seed: int, nodes: int = 100_000, layouts: int = 3, part: float = 0.3) -> Instance:
    """Make a table as a JSON document gives it.

    - A leaf is skipped or taken.
    - An object is skipped, taken whole, or opened: its wrapper is paid and each child is a
      class of its own.
    - An array is skipped, taken whole, or opened in one of its layouts. Each layout has its
      own copy of the rows, cheaper the dearer its header is.
    - A row is skipped or taken; in half of the arrays it may also be opened into its fields.

    Leaves cost 2 to 800, lognormally, and are worth a gamma variable times a power below 1 of
    that; wrappers and headers cost 2 to 12. Whole means everything below in its cheapest way,
    less up to 5 percent.

    Parameters
    ----------
    seed
        The same seed gives the same instance.
    nodes
        How many classes: one for each value of the document, and for what lies in an array one
        for each layout. At least 2.
    layouts
        In how many ways an array may be opened.
    part
        The budget, as a part of what the whole document costs.

    Raises
    ------
    ValueError
        If there are fewer than 2 nodes or no layout, or the part is below 0.

    Notes
    -----
    O(nodes) time and memory; nothing recurses. The shape was set by hand after tables of real
    documents.

    Examples
    --------
    >>> instance = document(seed=1, nodes=1000, layouts=3)
    >>> instance.table.classes, instance.table.depth > 2
    (1000, True)
    >>> document(seed=1, nodes=1000, layouts=3).table.to_json() == instance.table.to_json()
    True
    """
    check_counts(nodes=nodes - 1, layouts=layouts)
    rng = np.random.default_rng(seed)
    grown = _grow(rng, nodes, layouts)
    table, whole = _table(rng, grown, layouts)
    name = f"document-{nodes}-l{layouts}-p{part:g}-s{seed}"
    return Instance(name, table, int(check_part(part) * whole), _SOURCE)


@dataclass(frozen=True, eq=False)
class _Grown:
    kind: Ints
    parent: Ints
    rows: Ints
    fields: Ints

    def classes(self, layouts: int) -> Ints:
        return 1 + layouts * self.rows * (1 + self.fields)

    def options(self, layouts: int) -> Ints:
        own = np.choose(self.kind, [2, 3, 2 + layouts])
        row = np.where(self.fields > 0, 3 + 2 * self.fields, 2)
        return own + layouts * self.rows * row


def _grow(rng: Generator, nodes: int, layouts: int) -> _Grown:
    # The root takes children until the classes are used up; other objects get theirs first.
    objects = [(_OBJECT, -1, 0, 0)]
    pending = [[0, nodes]]
    room = nodes - 1
    while room > 0:
        pending[-1][1] -= 1
        parent, depth = pending[-1][0], len(pending)
        kind, rows, fields = _node(rng, room, layouts, depth)
        if kind == _OBJECT:
            pending.append([len(objects), 1 + int(rng.poisson(4))])
        objects.append((kind, parent, rows, fields))
        room -= 1 + layouts * rows * (1 + fields)
        while len(pending) > 1 and pending[-1][1] == 0:
            pending.pop()
    return _Grown(*np.array(objects, dtype=np.int64).T)


def _node(rng: Generator, left: int, layouts: int, depth: int) -> tuple[int, int, int]:
    draw = rng.random()
    if draw < 0.25 and depth < _DEPTH and left > 1:
        return _OBJECT, 0, 0
    if draw > 0.8:
        fields = int(rng.integers(2, 9)) * int(rng.integers(0, 2))
        wanted = min(_LONGEST, 1 + int(rng.lognormal(2.5, 1)))
        rows = min(wanted, (left - 1) // (layouts * (1 + fields)))
        if rows > 0:
            return _ARRAY, rows, fields
    return _LEAF, 0, 0


def _table(rng: Generator, grown: _Grown, layouts: int) -> tuple[Table, int]:
    sheet = _Sheet.empty(grown, layouts)
    taken, worth = _leaves(rng, (grown.kind.size,))
    for i in np.flatnonzero(grown.kind == _ARRAY).tolist():
        block = _Block.draw(rng, int(grown.rows[i]), int(grown.fields[i]), layouts)
        sheet.put(i, block)
        taken[i], worth[i] = block.cost[1], block.value[1]
    objects = np.flatnonzero(grown.kind == _OBJECT)
    taken[objects], worth[objects] = rng.integers(2, 13, objects.size), 0
    sheet.cost[sheet.first_option[objects] + 2] = taken[objects]
    _add_up(rng, grown, taken, worth)
    sheet.cost[sheet.first_option[:-1] + 1] = taken
    sheet.value[sheet.first_option[:-1] + 1] = worth
    return Table(_before(sheet.sizes), sheet.cost, sheet.value, sheet.owner), int(taken[0])


@dataclass(frozen=True, eq=False)
class _Sheet:
    """The arrays of the table, and where in them each node of the document begins."""

    first_class: Ints
    first_option: Ints
    sizes: Ints
    owner: Ints
    cost: Ints
    value: Ints

    @classmethod
    def empty(cls, grown: _Grown, layouts: int) -> _Sheet:
        classes, options = _before(grown.classes(layouts)), _before(grown.options(layouts))
        sizes = np.zeros(classes[-1], dtype=np.int64)
        sizes[classes[:-1]] = np.choose(grown.kind, [2, 3, 2 + layouts])
        owner = np.full(classes[-1], -1, dtype=np.int64)
        owner[classes[1:-1]] = options[grown.parent[1:]] + 2
        cost, value = np.zeros((2, options[-1]), dtype=np.int64)
        return cls(classes, options, sizes, owner, cost, value)

    def put(self, node: int, block: _Block) -> None:
        options = slice(self.first_option[node], self.first_option[node + 1])
        self.cost[options], self.value[options] = block.cost, block.value
        classes = slice(self.first_class[node] + 1, self.first_class[node + 1])
        self.sizes[classes] = block.sizes
        self.owner[classes] = self.first_option[node] + block.owner


def _add_up(rng: Generator, grown: _Grown, taken: Ints, worth: Ints) -> None:
    # Children come after their parent, so backwards each node is complete when it is added.
    total, gained, parents = taken.tolist(), worth.tolist(), grown.parent.tolist()
    less = np.where(grown.kind == _OBJECT, rng.uniform(0.95, 1, taken.size), 1).tolist()
    for i in range(len(total) - 1, -1, -1):
        total[i] = max(1, round(total[i] * less[i]))
        if i:
            total[parents[i]] += total[i]
            gained[parents[i]] += gained[i]
    taken[:], worth[:] = total, gained


@dataclass(frozen=True, eq=False)
class _Block:
    """An array: the options of its class and below; classes below; owners from its first option."""

    cost: Ints
    value: Ints
    sizes: Ints
    owner: Ints

    @classmethod
    def draw(cls, rng: Generator, rows: int, fields: int, layouts: int) -> _Block:
        size, worth = _leaves(rng, (rows, max(1, fields)))
        header = np.sort(rng.integers(2, 13, layouts))
        discount = np.sort(rng.uniform(0, 0.5, layouts))
        discount[0] = 0
        shrunk = np.maximum(1, np.rint(size * (1 - discount[:, None, None]))).astype(np.int64)
        cost = _rows(shrunk, rng.integers(2, 13, layouts) if fields else None)
        value = _rows(np.broadcast_to(worth, shrunk.shape), np.zeros(layouts) if fields else None)
        cheapest = int((header + cost[:, :, 1].sum(axis=1)).min())
        whole = max(1, round(cheapest * rng.uniform(0.95, 1)))
        return cls(
            np.concatenate([[0, whole], header, cost.ravel()]),
            np.concatenate([[0, worth.sum()], np.zeros(layouts, dtype=np.int64), value.ravel()]),
            _row_sizes(layouts, rows, fields),
            _row_owners(layouts, rows, fields),
        )


def _leaves(rng: Generator, shape: tuple[int, ...]) -> tuple[Ints, Ints]:
    size = np.clip(np.rint(rng.lognormal(3, 1.2, shape)), 2, 800)
    worth = rng.gamma(1.5, 1, shape) * size ** rng.uniform(0.2, 0.8, shape)
    return size.astype(np.int64), np.maximum(1, np.rint(worth)).astype(np.int64)


def _rows(fields: Ints, opening: NDArray[np.generic] | None) -> Ints:
    """Lay out ``[layouts, rows, fields]`` as options: skip, take, and if need be open and below."""
    layouts, rows, count = fields.shape
    grid = np.zeros((layouts, rows, 2 if opening is None else 3 + 2 * count), dtype=np.int64)
    grid[:, :, 1] = fields.sum(axis=2)
    if opening is not None:
        grid[:, :, 2] = opening[:, None]
        grid[:, :, 4::2] = fields
    return grid


def _row_sizes(layouts: int, rows: int, fields: int) -> Ints:
    sizes = np.full((layouts, rows, 1 + fields), 2, dtype=np.int64)
    sizes[:, :, 0] = 3 if fields else 2
    return sizes.ravel()


def _row_owners(layouts: int, rows: int, fields: int) -> Ints:
    width = 3 + 2 * fields if fields else 2
    owner = np.empty((layouts, rows, 1 + fields), dtype=np.int64)
    owner[:, :, 0] = 2 + np.arange(layouts)[:, None]
    place = np.arange(layouts * rows).reshape(layouts, rows, 1)
    owner[:, :, 1:] = 2 + layouts + width * place + 2
    return owner.ravel()


def _before(sizes: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)])
