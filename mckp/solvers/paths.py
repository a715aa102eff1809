"""What is left of a tree within a loss, as a graph whose paths are the selections.

Only the frontier needs it, since it covers all budgets at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from mckp.solvers.problem import Problem
    from mckp.solvers.tree import Relaxed
    from mckp.table import Flags, Ints


class Paths(NamedTuple):
    """Nodes and ways: a node is a class in one state of all around it, a way is an option of it.

    After a way comes the first class that its option opens, or else what follows its own class:
    the next class opened with it, or what follows the option that opened both. A class whose
    opener pays its setup cost is another node than the same class whose opener does not. Nodes
    are numbered by their classes, in preorder; the number of nodes stands for the end.

    The ways of node ``u`` are ``begin[u] .. begin[u + 1] - 1``. Of each way there are the `option`
    in the tree, the `cost` with any setup cost, the `value`, and `after`, the node that comes next.
    Of each node, `height` is the sum of what reaching it loses and the best reduced total from it
    to the end: a path that gets a reduced total of ``t`` from there on loses at least ``height -
    t``. `spent` is the least cost of getting to it.
    """

    begin: Ints
    option: Ints
    cost: Ints
    value: Ints
    after: Ints
    height: Ints
    spent: Ints


class _Layer(NamedTuple):
    """The nodes of one level, and their ways.

    For each node: its class in `classes`; the way above that opens it in `parent`; in `total` and
    `least`, the best reduced value and the least cost of all below it; in `lost` and `dearer`, what
    reaching it loses in each of the two. The other arrays are of the ways.
    """

    classes: Ints
    parent: Ints
    total: Ints
    least: Ints
    lost: Ints
    dearer: Ints
    owner: Ints
    option: Ints
    paid: Flags
    way_lost: Ints
    way_dearer: Ints


def expand_paths(problem: Problem, relaxed: Relaxed, loss: int) -> Paths:
    """Return the paths of options that lose at most `loss` and fit the budget.

    Each option is judged on its own, together with the best possible choices elsewhere. Takes
    O(options of the reached classes). A class is reached both with and without the setup cost of
    each option around it, so a class below ``d`` options with setup costs yields up to ``2 ** d``
    nodes.
    """
    tree = problem.tree
    count = tree.levels[0].classes.stop if tree.levels else 0
    nothing, free = np.zeros(count, dtype=np.int64), np.ones(count, dtype=bool)
    roots = np.arange(count), nothing, free, nothing, nothing
    layers = [_build_layer(problem, relaxed, loss, *roots)]
    while (above := layers[-1]).option.size:
        sizes = tree.below_count[above.option]
        parent = np.repeat(np.arange(sizes.size), sizes)
        if not parent.size:
            break
        before = np.cumsum(sizes) - sizes
        classes = (tree.below_first[above.option] - before)[parent] + np.arange(parent.size)
        reached = above.paid[parent], above.way_lost[parent], above.way_dearer[parent]
        layers.append(_build_layer(problem, relaxed, loss, classes, parent, *reached))
    return _link_layers(problem, layers)


def _build_layer(
    problem: Problem,
    relaxed: Relaxed,
    loss: int,
    classes: Ints,
    parent: Ints,
    free: Flags,
    lost: Ints,
    dearer: Ints,
) -> _Layer:
    """Return the nodes of one level, with those of their ways that lose and cost little enough."""
    tree, cheapest, slack = problem.tree, problem.cost_relaxation, problem.slack
    total, least = relaxed.best_free[classes], cheapest.best_free[classes]
    if tree.owing is not None:
        total = np.where(free, total, relaxed.best_clean[classes])
        least = np.where(free, least, cheapest.best_clean[classes])
    sizes = tree.sizes[classes]
    owner = np.repeat(np.arange(classes.size), sizes)
    option = (tree.first[classes] - np.cumsum(sizes) + sizes)[owner] + np.arange(owner.size)
    best_total, least_total = (lost + total)[owner], (dearer + least)[owner]
    way_lost, way_dearer = best_total - relaxed.clean[option], least_total - cheapest.clean[option]
    is_wanted = (way_lost <= loss) & (way_dearer <= slack)
    paid = np.zeros(owner.size, dtype=bool)
    if tree.owing is not None and relaxed.paid is not None and cheapest.paid is not None:
        allowed = free[owner] | ~tree.owing[option]
        paid_lost, paid_dearer = (
            best_total - relaxed.paid[option],
            least_total - cheapest.paid[option],
        )
        is_paid_wanted = (paid_lost <= loss) & (paid_dearer <= slack) & allowed
        # An option's clean way comes before its paid one.
        is_wanted = np.stack((is_wanted & allowed, is_paid_wanted), axis=1).ravel()
        owner, option = np.repeat(owner, 2), np.repeat(option, 2)
        way_lost = np.stack((way_lost, paid_lost), axis=1).ravel()
        way_dearer = np.stack((way_dearer, paid_dearer), axis=1).ravel()
        paid = np.arange(owner.size) % 2 == 1
    wanted_ways = np.flatnonzero(is_wanted)
    ways = (
        owner[wanted_ways],
        option[wanted_ways],
        paid[wanted_ways],
        way_lost[wanted_ways],
        way_dearer[wanted_ways],
    )
    return _Layer(classes, parent, total, least, lost, dearer, *ways)


def _link_layers(problem: Problem, layers: list[_Layer]) -> Paths:
    """Return the paths of all levels: nodes numbered by class, each way linked to the next node."""
    tree, floor = problem.tree, problem.budget - problem.slack
    sizes = [layer.total.size for layer in layers]
    nodes, offsets = sum(sizes), np.cumsum([0, *sizes]).tolist()
    order = np.argsort(
        np.concatenate([tree.class_ids[layer.classes] for layer in layers]), kind="stable"
    )
    place = np.empty(nodes + 1, dtype=np.int64)
    place[order], place[nodes] = np.arange(nodes), nodes
    after: list[Ints] = []
    height: list[Ints] = []
    spent: list[Ints] = []
    # What follows all nodes below a way of the layer above, and the best totals from there on.
    next_nodes, totals_after, leasts_after = (
        np.full(1, nodes),
        np.zeros(1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
    for number, layer in enumerate(layers):
        parent, numbers = layer.parent, np.arange(layer.total.size)
        last_sibling = np.searchsorted(parent, parent, side="right") - 1
        totals, leasts = np.cumsum(layer.total), np.cumsum(layer.least)
        totals_after = totals[last_sibling] - totals + totals_after[parent]
        leasts_after = leasts[last_sibling] - leasts + leasts_after[parent]
        height.append(layer.lost + layer.total + totals_after)
        spent.append(floor + layer.dearer + layer.least + leasts_after)
        next_nodes = np.where(
            last_sibling == numbers, next_nodes[parent], offsets[number] + numbers + 1
        )[layer.owner]
        totals_after, leasts_after = totals_after[layer.owner], leasts_after[layer.owner]
        target = next_nodes.copy()
        if number + 1 < len(layers):
            opened, firsts = np.unique(layers[number + 1].parent, return_index=True)
            target[opened] = offsets[number + 1] + firsts
        after.append(place[target])
    counts = np.concatenate(
        [np.bincount(layer.owner, minlength=layer.total.size) for layer in layers]
    )
    starts: Ints = np.cumsum(counts) - counts
    begin = np.concatenate(([0], np.cumsum(counts[order])))
    ways: Ints = np.repeat(starts[order] - begin[:-1], counts[order]) + np.arange(int(begin[-1]))
    option = np.concatenate([layer.option for layer in layers])[ways]
    paid = np.concatenate([layer.paid for layer in layers])[ways]
    cost = tree.cost[option] + np.where(paid, tree.setup[option], 0)
    heights, least = np.concatenate(height)[order], np.concatenate(spent)[order]
    return Paths(
        begin, option, cost, tree.value[option], np.concatenate(after)[ways], heights, least
    )
