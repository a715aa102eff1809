"""What is left to choose if a selection may lose only so much, as arrays for the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from mckp.distinct import distinct
from mckp.solvers.alike import alike
from mckp.solvers.program import Program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.solvers.search import Search
    from mckp.table import Flags, Ints

ALIKE: Final = 48
"""Most nodes of a program in which equal nodes are not merged."""


class Loose(NamedTuple):
    """Where something is left to choose; a node is ``state * classes + class``.

    Attributes
    ----------
    alive : array of bool [clean, paid; free, clean; options]
        The ways that lose little enough.
    is_open : array of bool [clean, paid; options]
        Whether something is left to choose below an option.
    is_loose : array of bool [nodes]
        Whether a node has a choice in it or below.
    nodes : array of int64
        The nodes with a choice in them or below, from the deepest up, without those of the trunk,
        which have one way and only such nodes above.
    core : array of int64
        The nodes with a choice that the trunk opens.
    """

    alive: NDArray[np.bool_]
    is_open: NDArray[np.bool_]
    is_loose: Flags
    nodes: Ints
    core: Ints


class NodeWays(NamedTuple):
    """The ways of all nodes: the node, option, payment, loss and cost of each.

    A loss is without that of reaching the node. A cost includes everything below the option, except
    nodes in which something is left to choose.
    """

    node: Ints
    option: Ints
    pays: Ints
    loss: Ints
    cost: Ints


class OpenedItems(NamedTuple):
    """The items: options that open nodes in which something is left to choose.

    Attributes
    ----------
    of_way : array of int64 [ways]
        The item of each way, or -1.
    option, lost, dearest : array of int64 [items]
        The option, the loss of reaching the item, and the greatest cost of what it opens.
    child_first : array of int64 [items + 1]
        The first child of each item.
    child_node, child_place : array of int64 [children]
        The node of each child, and its index among the classes that the option opens.
    """

    of_way: Ints
    option: Ints
    lost: Ints
    dearest: Ints
    child_first: Ints
    child_node: Ints
    child_place: Ints


def build_program(search: Search, most: int) -> tuple[Program, int]:
    """Return the program of selections that lose up to `most`, and the cost of what is fixed."""
    tree, base, least = search.tree, search.base, search.least
    loose = _find_loose(search, most)
    state, owner = np.divmod(loose.nodes, tree.class_ids.size)
    index = np.full(2 * tree.class_ids.size, -1)
    index[loose.nodes] = np.arange(owner.size)
    ways = _node_ways(search, loose, state, owner)
    items = _opened_items(search, loose, ways, index)
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
        is_leaf=_leaf_flags(way_first, items.of_way),
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
        program = _merge_equal_nodes(program, *levels)
    return _keep_undominated_ways(program, search.rate), int(cost)


def _node_ways(search: Search, loose: Loose, state: Ints, owner: Ints) -> NodeWays:
    """Return the ways of all nodes, given by their states and classes (`owner`)."""
    tree, base = search.tree, search.base
    node, option = _expand_ranges(tree.first[owner], tree.sizes[owner])
    kinds = loose.alive.shape[0]
    is_alive = loose.alive[:, state[node], option].T.ravel()  # clean before paid
    pays = np.tile(np.arange(kinds, dtype=np.int64), node.size)[is_alive]
    node, option = np.repeat(node, kinds)[is_alive], np.repeat(option, kinds)[is_alive]
    loss = search.ways[pays, state[node], option] - search.reached[state, owner][node]
    first = tree.below_first[option]
    below = base.sums[1 - pays, first + tree.below_count[option]] - base.sums[1 - pays, first]
    return NodeWays(node, option, pays, loss, tree.cost[option] + pays * tree.setup[option] + below)


def _opened_items(search: Search, loose: Loose, ways: NodeWays, index: Ints) -> OpenedItems:
    """Return the items, and subtract the costs of what they open from those of ways, in place.

    `index` has the number of each node in the program, or -1.
    """
    tree = search.tree
    opens = np.flatnonzero(loose.is_open[ways.pays, ways.option])
    keys, firsts, inverse = np.unique(
        2 * ways.option[opens] + ways.pays[opens], return_index=True, return_inverse=True
    )
    of_way = np.full(ways.option.size, -1)
    of_way[opens] = inverse
    option, pays = keys // 2, keys % 2
    item_index, child = _expand_ranges(tree.below_first[option], tree.below_count[option])
    child_node = (1 - pays[item_index]) * tree.class_ids.size + child
    is_loose = loose.is_loose[child_node]
    item_index, child, child_node = item_index[is_loose], child[is_loose], child_node[is_loose]
    child_first = np.searchsorted(item_index, np.arange(keys.size + 1))
    if keys.size:
        child_costs = np.add.reduceat(search.base.cost.ravel()[child_node], child_first[:-1])
        ways.cost[opens] -= child_costs[inverse]
    least = search.least.clean[option]
    if search.least.paid is not None:
        least = np.where(pays == 1, search.least.paid[option], least)
    dearest = search.room - search.dear[pays, option] - least - ways.cost[opens[firsts]]
    lost = search.ways[pays, :, option].min(axis=1)
    place = child - tree.below_first[option[item_index]]
    return OpenedItems(of_way, option, lost, dearest, child_first, index[child_node], place)


def _find_loose(search: Search, most: int) -> Loose:
    """Find where something is left to choose in selections that lose up to `most`."""
    tree, base = search.tree, search.base
    classes, roots = tree.class_ids.size, tree.roots.stop
    alive = search.ways <= most
    kinds = alive.shape[0]
    way_counts = np.zeros(2 * classes, np.int64)
    for kind in range(kinds):
        state, option = np.nonzero(alive[kind])
        way_counts += np.bincount(state * classes + tree.owner[option], minlength=2 * classes)
    is_loose = way_counts > 1
    # Nodes above a node with a choice are loose too, from the leaves up.
    is_open = np.zeros((kinds, tree.cost.size), np.bool_)
    layer = np.flatnonzero(is_loose)
    while layer.size:
        state, node = np.divmod(layer, classes)
        opener = tree.parent[node]
        has_opener = opener >= 0
        opener, pays = opener[has_opener], 1 - state[has_opener]
        is_open[pays, opener] = True
        openers_above = [
            state * classes + tree.owner[opener[alive[pays, state, opener]]] for state in (0, 1)
        ]
        layer = np.concatenate(openers_above)
        layer = distinct(layer[~is_loose[layer]])
        is_loose[layer] = True
    # The trunk, from the root down.
    is_kept, core, layer = is_loose.copy(), list[Any](), np.flatnonzero(is_loose[:roots])
    while layer.size:
        has_choice = way_counts[layer] > 1
        core.append(layer[has_choice])
        layer = layer[~has_choice]
        is_kept[layer] = False
        option, pays = base.way.ravel()[layer], base.pays.ravel()[layer]
        rows, child = _expand_ranges(tree.below_first[option], tree.below_count[option])
        child = child + (1 - pays[rows]) * classes
        layer = child[is_loose[child]]
    nodes = np.flatnonzero(is_kept)
    nodes = nodes[np.argsort(-(nodes % classes), kind="stable")]
    chosen = np.concatenate(core) if core else nodes[:0]
    return Loose(alive, is_open, is_loose, nodes, chosen)


def _expand_ranges(starts: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """Return all numbers of some ranges, after the index of the range that each is in.

    Range i has the `sizes[i]` numbers from `starts[i]` on.
    """
    range_indexes: Ints = np.repeat(np.arange(sizes.size), sizes)
    return range_indexes, (starts - np.cumsum(sizes) + sizes)[range_indexes] + np.arange(
        range_indexes.size
    )


def _leaf_flags(way_first: Ints, way_item: Ints) -> Ints:
    """Return 1 for each node none of whose ways has an item, else 0."""
    opened = np.append(0, np.cumsum(way_item >= 0))
    return np.asarray(opened[way_first[1:]] == opened[way_first[:-1]], np.int64)


def _merge_equal_nodes(program: Program, level: Ints, level_of_item: Ints) -> Program:
    """Return the program with equal nodes and equal items merged, from the deepest level up.

    `level` has the level of each node, and `level_of_item` that of each item.
    """
    node_of, item_of = np.arange(program.lost.size), np.arange(program.item_lost.size)
    item_of = np.append(item_of, -1)
    way_first = np.append(program.way_first, program.way_cost.size)
    for depth in distinct(level)[::-1].tolist():
        first_item, end_item = np.searchsorted(level_of_item, (depth, depth + 1))
        if first_item < end_item:
            children_here = slice(program.child_first[first_item], program.child_first[end_item])
            children = (
                program.child_place[children_here],
                node_of[program.child_node[children_here]],
            )
            own_numbers = (
                program.item_lost[first_item:end_item],
                program.item_dearest[first_item:end_item],
            )
            item_of[first_item:end_item] = first_item + alike(
                program.child_first[first_item : end_item + 1] - children_here.start,
                children,
                own_numbers,
            )
        first_node, end_node = np.searchsorted(-level, (-depth, -depth + 1))
        ways_here = slice(way_first[first_node], way_first[end_node])
        columns = (program.way_cost, program.way_loss, program.way_option, program.way_pays)
        ways = *(column[ways_here] for column in columns), item_of[program.way_item[ways_here]]
        own_numbers = program.lost[first_node:end_node], program.dearest[first_node:end_node]
        node_of[first_node:end_node] = first_node + alike(
            way_first[first_node : end_node + 1] - ways_here.start, ways, own_numbers
        )
    return program._replace(
        order=np.flatnonzero(node_of == np.arange(node_of.size)),
        way_item=item_of[program.way_item],
        child_node=node_of[program.child_node],
        core_node=node_of[program.core_node],
    )


def _keep_undominated_ways(program: Program, rate: int) -> Program:
    """Return the program in which nodes that open nothing keep only undominated ways.

    Ways that cost more than the node may cost are left out as well. `rate` is the loss that one
    more unit of cost makes up for.
    """
    leaves = program.order[program.is_leaf[program.order] == 1]
    sizes = program.way_last[leaves] - program.way_first[leaves]
    leaf_indexes, way = _expand_ranges(program.way_first[leaves], sizes)
    is_affordable = program.way_cost[way] <= program.dearest[leaves[leaf_indexes]]
    leaf_indexes, way = leaf_indexes[is_affordable], way[is_affordable]
    cost, loss = program.way_cost[way], program.way_loss[way]
    order = np.lexsort((loss, cost, leaf_indexes))
    leaf_indexes, way = leaf_indexes[order], way[order]
    # The rank of a way by value, above the ranks of all earlier nodes.
    rank = np.unique(rate * cost[order] - loss[order], return_inverse=True)[1]
    rank += leaf_indexes * (rank.size + 1)
    keep = np.ones(rank.size, np.bool_)
    keep[1:] = rank[1:] > np.maximum.accumulate(rank)[:-1]
    leaf_indexes, way = leaf_indexes[keep], way[keep]
    kept = np.bincount(leaf_indexes, minlength=leaves.size)
    target = _expand_ranges(program.way_first[leaves], kept)[1]
    last = program.way_last.copy()
    last[leaves] = program.way_first[leaves] + kept
    way_columns = {}
    for name in ("way_cost", "way_loss", "way_option", "way_pays"):
        way_columns[name] = getattr(program, name).copy()
        way_columns[name][target] = getattr(program, name)[way]
    return program._replace(way_last=last, **way_columns)
