"""What is left to choose when a selection may lose only so much, as arrays for the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from mckp.distinct import distinct
from mckp.solvers.alike import alike
from mckp.solvers.kernel import Program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.solvers.search import Search
    from mckp.table import Flags, Ints

ALIKE: Final = 48
"""Nodes from which equal ones are looked for."""


class Loose(NamedTuple):
    """Where something is left to choose; a node is ``state * classes + class``.

    `alive` are the ways that lose little enough [clean, paid; free, clean; options], `is_open` says
    of each option, clean and paid, whether something is left to choose below it. `nodes` are the
    nodes with a choice in them or below, from the deepest up, without those of the trunk, which
    have one way and only such nodes above. `core` are the nodes that the trunk opens.
    """

    alive: NDArray[np.bool_]
    is_open: NDArray[np.bool_]
    is_loose: Flags
    nodes: Ints
    core: Ints


class NodeWays(NamedTuple):
    """The ways of all nodes, with the node, option, payment, loss and cost of each.

    The loss of the node is subtracted. A cost includes everything below, except what is opened with
    something left to choose.
    """

    node: Ints
    option: Ints
    pays: Ints
    loss: Ints
    cost: Ints


class OpenedItems(NamedTuple):
    """The options that open something left to choose, and those classes, by their nodes.

    `of_way` is the item of each way, -1 without one.
    """

    of_way: Ints
    option: Ints
    lost: Ints
    dearest: Ints
    child_first: Ints
    child_node: Ints
    child_place: Ints


def programmed(search: Search, most: int) -> tuple[Program, int]:
    """Return the program of all selections that lose up to `most`, and the cost of all else."""
    tree, base, least = search.tree, search.base, search.least
    loose = _loose(search, most)
    state, owner = np.divmod(loose.nodes, tree.class_ids.size)
    index = np.full(2 * tree.class_ids.size, -1)
    index[loose.nodes] = np.arange(owner.size)
    ways = _ways(search, loose, state, owner)
    items = _items(search, loose, ways, index)
    best = np.where(state == 1, least.best_clean[owner], least.best_free[owner])
    way_first = np.searchsorted(ways.node, np.arange(owner.size + 1))
    program = Program(
        order=np.arange(owner.size),
        way_first=way_first[:-1],
        way_last=way_first[1:],
        way_cost=ways.cost,
        way_loss=ways.loss,
        way_item=items.of_way,
        way_option=ways.option - tree.first[owner[ways.node]],
        way_pays=ways.pays,
        is_leaf=_are_leaves(way_first, items.of_way),
        lost=search.reached[state, owner],
        dearest=search.room - search.reached_for[state, owner] - best,
        child_first=items.child_first,
        child_node=items.child_node,
        child_place=items.child_place,
        item_lost=items.lost,
        item_dearest=items.dearest,
        core_node=index[loose.core],
        core_class=loose.core % tree.class_ids.size,
        first=tree.first,
        below_first=tree.below_first,
    )
    cost = base.sums[0, tree.roots.stop] - base.cost.ravel()[loose.core].sum()
    if owner.size > ALIKE:
        levels = tree.levels_of(owner), tree.levels_of(tree.owner[items.option])
        program = _merged(program, *levels)
    return _with_lists(program, search.rate), int(cost)


def _ways(search: Search, loose: Loose, state: Ints, owner: Ints) -> NodeWays:
    """Return the ways of all nodes with a choice."""
    tree, base = search.tree, search.base
    node, option = _spread(tree.first[owner], tree.sizes[owner])
    kinds = loose.alive.shape[0]
    is_alive = loose.alive[:, state[node], option].T.ravel()  # clean before paid
    pays = np.tile(np.arange(kinds, dtype=np.int64), node.size)[is_alive]
    node, option = np.repeat(node, kinds)[is_alive], np.repeat(option, kinds)[is_alive]
    loss = search.ways[pays, state[node], option] - search.reached[state, owner][node]
    first = tree.below_first[option]
    below = base.sums[1 - pays, first + tree.below_count[option]] - base.sums[1 - pays, first]
    return NodeWays(node, option, pays, loss, tree.cost[option] + pays * tree.setup[option] + below)


def _items(search: Search, loose: Loose, ways: NodeWays, index: Ints) -> OpenedItems:
    """Return the items: options that open undecided classes; remove those from way costs."""
    tree = search.tree
    opens = np.flatnonzero(loose.is_open[ways.pays, ways.option])
    keys, firsts, inverse = np.unique(
        2 * ways.option[opens] + ways.pays[opens], return_index=True, return_inverse=True
    )
    of_way = np.full(ways.option.size, -1)
    of_way[opens] = inverse
    option, pays = keys // 2, keys % 2
    part, child = _spread(tree.below_first[option], tree.below_count[option])
    key = (1 - pays[part]) * tree.class_ids.size + child
    is_loose = loose.is_loose[key]
    part, child, key = part[is_loose], child[is_loose], key[is_loose]
    child_first = np.searchsorted(part, np.arange(keys.size + 1))
    if keys.size:
        spent = np.add.reduceat(search.base.cost.ravel()[key], child_first[:-1])
        ways.cost[opens] -= spent[inverse]
    least = search.least.clean[option]
    if search.least.paid is not None:
        least = np.where(pays == 1, search.least.paid[option], least)
    dearest = search.room - search.dear[pays, option] - least - ways.cost[opens[firsts]]
    lost = search.ways[pays, :, option].min(axis=1)
    place = child - tree.below_first[option[part]]
    return OpenedItems(of_way, option, lost, dearest, child_first, index[key], place)


def _loose(search: Search, most: int) -> Loose:
    """Return where something is left to choose in selections that lose up to `most`."""
    tree, base = search.tree, search.base
    classes, roots = tree.class_ids.size, tree.roots.stop
    alive = search.ways <= most
    kinds = alive.shape[0]
    number = np.zeros(2 * classes, np.int64)
    for kind in range(kinds):
        state, option = np.nonzero(alive[kind])
        number += np.bincount(state * classes + tree.owner[option], minlength=2 * classes)
    is_loose = number > 1
    # Above a node with a choice, from the leaves up.
    is_open = np.zeros((kinds, tree.cost.size), np.bool_)
    at = np.flatnonzero(is_loose)
    while at.size:
        state, node = np.divmod(at, classes)
        opener = tree.parent[node]
        below = opener >= 0
        opener, pays = opener[below], 1 - state[below]
        is_open[pays, opener] = True
        above = [
            state * classes + tree.owner[opener[alive[pays, state, opener]]] for state in (0, 1)
        ]
        at = np.concatenate(above)
        at = distinct(at[~is_loose[at]])
        is_loose[at] = True
    # The trunk, from the root down.
    nodes, core, at = is_loose.copy(), list[Any](), np.flatnonzero(is_loose[:roots])
    while at.size:
        has_choice = number[at] > 1
        core.append(at[has_choice])
        at = at[~has_choice]
        nodes[at] = False
        option, pays = base.way.ravel()[at], base.pays.ravel()[at]
        rows, child = _spread(tree.below_first[option], tree.below_count[option])
        child = child + (1 - pays[rows]) * classes
        at = child[is_loose[child]]
    keys = np.flatnonzero(nodes)
    keys = keys[np.argsort(-(keys % classes), kind="stable")]
    chosen = np.concatenate(core) if core else keys[:0]
    return Loose(alive, is_open, is_loose, keys, chosen)


def _spread(first: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """Return, for each number of all ranges, the index of its range; and the numbers."""
    rows: Ints = np.repeat(np.arange(sizes.size), sizes)
    return rows, (first - np.cumsum(sizes) + sizes)[rows] + np.arange(rows.size)


def _are_leaves(way_first: Ints, way_item: Ints) -> Ints:
    """Return, for each node, whether none of its ways has an item."""
    opened = np.append(0, np.cumsum(way_item >= 0))
    return np.asarray(opened[way_first[1:]] == opened[way_first[:-1]], np.int64)


def _merged(program: Program, level: Ints, level_of_item: Ints) -> Program:
    """Return the program with equal nodes and items merged, from the deepest level up."""
    node_of, item_of = np.arange(program.lost.size), np.arange(program.item_lost.size)
    item_of = np.append(item_of, -1)
    way_first = np.append(program.way_first, program.way_cost.size)
    for number in distinct(level)[::-1].tolist():
        i, j = np.searchsorted(level_of_item, (number, number + 1))
        if i < j:
            at = slice(program.child_first[i], program.child_first[j])
            children = program.child_place[at], node_of[program.child_node[at]]
            facts = program.item_lost[i:j], program.item_dearest[i:j]
            item_of[i:j] = i + alike(program.child_first[i : j + 1] - at.start, children, facts)
        a, b = np.searchsorted(-level, (-number, -number + 1))
        at = slice(way_first[a], way_first[b])
        columns = (program.way_cost, program.way_loss, program.way_option, program.way_pays)
        ways = *(column[at] for column in columns), item_of[program.way_item[at]]
        facts = program.lost[a:b], program.dearest[a:b]
        node_of[a:b] = a + alike(way_first[a : b + 1] - at.start, ways, facts)
    return program._replace(
        order=np.flatnonzero(node_of == np.arange(node_of.size)),
        way_item=item_of[program.way_item],
        child_node=node_of[program.child_node],
        core_node=node_of[program.core_node],
    )


def _with_lists(program: Program, rate: int) -> Program:
    """Return the program with only undominated ways in nodes that open nothing."""
    leaves = program.order[program.is_leaf[program.order] == 1]
    sizes = program.way_last[leaves] - program.way_first[leaves]
    rows, way = _spread(program.way_first[leaves], sizes)
    near = program.way_cost[way] <= program.dearest[leaves[rows]]
    rows, way = rows[near], way[near]
    cost, loss = program.way_cost[way], program.way_loss[way]
    order = np.lexsort((loss, cost, rows))
    rows, way = rows[order], way[order]
    # The rank of what a state is worth, above all of the nodes before.
    rank = np.unique(rate * cost[order] - loss[order], return_inverse=True)[1]
    rank += rows * (rank.size + 1)
    keep = np.ones(rank.size, np.bool_)
    keep[1:] = rank[1:] > np.maximum.accumulate(rank)[:-1]
    rows, way = rows[keep], way[keep]
    kept = np.bincount(rows, minlength=leaves.size)
    to = _spread(program.way_first[leaves], kept)[1]
    last = program.way_last.copy()
    last[leaves] = program.way_first[leaves] + kept
    columns = {}
    for name in ("way_cost", "way_loss", "way_option", "way_pays"):
        columns[name] = getattr(program, name).copy()
        columns[name][to] = getattr(program, name)[way]
    return program._replace(way_last=last, **columns)
