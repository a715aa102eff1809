"""The kernel: lists of states from the leaves up, a core of what is chosen by itself, a selection.

All functions here run as they are, on NumPy, and compiled by Numba (`mckp.solvers.compiled`), with
the same answer and the same count of work. So they use arrays, lists of arrays, numbers, and
dictionaries of numbers alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.solvers.lattice import highest, spanned
from mckp.solvers.lists import FAR, key_of, nearest, sums, undominated, work_of_sums

if TYPE_CHECKING:
    from mckp.solvers.lists import Small
    from mckp.table import Ints

# Places in the array of counts: what the kernel is given, and what it says of itself.
WORK: Final = 0
"""Work done; a unit is a sum of two states that is sorted."""
LIMIT: Final = 1
"""Work beyond which lists are short."""
KEPT: Final = 2
"""States of which it is remembered how they were made."""
STATES: Final = 3
"""States of one list at most."""
PAIRS: Final = 4
"""Sums made at most when two lists are added; longer lists are shortened before."""
MOST: Final = 5
"""The loss up to which selections are looked at."""
RATE: Final = 6
"""Loss that one unit of cost more makes up for."""
SCALE: Final = 7
"""How often a unit of value counts."""
BUDGET: Final = 8
TOP: Final = 9
"""What no selection exceeds, in value and cost as one number."""
BEST: Final = 10
"""The best selection known, in value and cost as one number."""
COST: Final = 11
"""The cost of all that is fixed."""
CUT: Final = 12
"""The least loss of what was left out of a list of a node."""
CORE_CUT: Final = 13
"""The least loss of what was left out of the list of the core."""
CAP: Final = 14
"""What no selection looked at exceeds, by the lattice of the core."""
STOPPED: Final = 15
"""Whether the work was done before the end."""
COUNTS: Final = 16

MOST_KEPT: Final = 6_000_000
"""States remembered at most, some 24 bytes each."""
LAST: Final = 256
"""States of one list once the work is done."""
NODE: Final = 1_000
"""The work of making the list of a node beside its states."""
SUM: Final = 600
"""The work of adding two lists beside the sums."""
LEAF: Final = 50
"""The work of noting the list of a node that opens nothing."""


class Program(NamedTuple):
    """What is left to choose when a selection may lose only so much.

    A *node* is a class in one of two states: free to take owing options, or not. Nodes are numbered
    from the deepest up. `order` has the nodes whose lists are made; of equal nodes, only the first.
    The ways of node ``v`` are ``way_first[v] .. way_last[v] - 1``. Each way has a cost, a loss, an
    item `way_item` (-1 if everything below it is fixed), the index of its option in the class, and
    whether it pays its setup cost. If no way of a node has an item (`is_leaf`), its ways are
    already undominated.

    An *item* is an option with the classes ``child_first[t] .. child_first[t + 1]`` that it opens
    and that are not fixed; `child_place` counts from the first class that the option opens.

    `lost` is the loss of reaching a node or an item, `dearest` the greatest cost that it may have.
    The classes of the core are chosen on their own.
    """

    order: Ints
    way_first: Ints
    way_last: Ints
    way_cost: Ints
    way_loss: Ints
    way_item: Ints
    way_option: Ints
    way_pays: Ints
    is_leaf: Ints
    lost: Ints
    dearest: Ints
    child_first: Ints
    child_node: Ints
    child_place: Ints
    item_lost: Ints
    item_dearest: Ints
    core_node: Ints
    core_class: Ints
    first: Ints
    below_first: Ints


class Store(NamedTuple):
    """The lists made so far.

    A *term* is a list and how it was made: a list of a node (`left` is -1), one of so many equal
    nodes of two states (-2, and `right` is their number), or the sum of the terms `left` and
    `right`, with the places of its states in both. Equal lists of nodes are one term. Costs of
    nodes begin with 0 in their terms, and lie `node_offset` above. `node_way` and `node_sub` say of
    each state which way it takes, and which state of what that opens; a node's are at `node_place`.
    """

    costs: list[Ints]
    losses: list[Ints]
    left: list[int]
    right: list[int]
    lefts: list[Small]
    rights: list[Small]
    known: dict[int, int]
    memo: dict[tuple[int, int, int, int], int]
    node_term: Ints
    node_offset: Ints
    node_place: Ints
    node_way: list[Small]
    node_sub: list[Small]
    item_term: Ints
    item_offset: Ints


class GroupedCore(NamedTuple):
    """The classes of the core, grouped by equal lists.

    `members` has their indexes, group by group. An entry is a term for all members of a group: the
    index of its first member, and its state with the least loss. `cost` and `waste` are the total
    cost and loss at these states. `order` sorts the entries by the least loss per unit of cost;
    `up` and `down` are the least losses, among the entries that follow, for one unit of cost more
    and one less.
    """

    members: Ints
    term: Ints
    begin: Ints
    base: Ints
    order: Ints
    up: Ints
    down: Ints
    cost: int
    waste: int


def run(program: Program, counts: Ints) -> Ints:
    """Look for a selection better than `BEST`; return the options that it takes.

    The result is an array [3, decided] of classes, of the indexes of their options, and of whether
    these pay their setup cost; classes that are not in it stay as in the relaxation. It is empty if
    nothing better was found.
    """
    nodes, items = program.lost.size, program.item_lost.size
    empty = np.zeros(0, np.int64)
    small = np.zeros(0, np.int32)
    store = Store(
        [empty for _ in range(0)],
        [empty for _ in range(0)],
        [0 for _ in range(0)],
        [0 for _ in range(0)],
        [small for _ in range(0)],
        [small for _ in range(0)],
        {0: -1},
        {(-1, -1, -1, -1): -1},
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        [small for _ in range(0)],
        [small for _ in range(0)],
        np.full(items, -1),
        np.zeros(items, np.int64),
    )
    for node in program.order:
        make(program, store, counts, node)
    return search(program, store, counts)


def make(program: Program, store: Store, counts: Ints, node: int) -> None:
    """Compute the list of a node."""
    first: int = program.way_first[node]
    last: int = program.way_last[node]
    if program.is_leaf[node]:
        cost, loss = program.way_cost[first:last], program.way_loss[first:last]
        which: Small = np.arange(last - first).astype(np.int32)
        sub = np.zeros(last - first, np.int32)
        counts[WORK] += LEAF + cost.size
    else:
        cost, loss, which, sub = union(program, store, counts, node)
        counts[WORK] += NODE + cost.size
    if cost.size > counts[STATES]:
        at, left = nearest(loss, cost, 0, counts[STATES])
        counts[CUT] = min(counts[CUT], program.lost[node] + left)
        cost, loss, which, sub = cost[at], loss[at], which[at], sub[at]
    counts[KEPT] += 2 * cost.size
    offset = cost[0] if cost.size else 0
    store.node_offset[node] = offset
    store.node_term[node] = list_of(store, cost - offset, loss)
    store.node_place[node] = len(store.node_way)
    store.node_way.append(which)
    store.node_sub.append(sub)


def union(
    program: Program, store: Store, counts: Ints, node: int
) -> tuple[Ints, Ints, Small, Small]:
    """Return the undominated states of a node, from its ways and all that they open."""
    first, last = program.way_first[node], program.way_last[node]
    size = 0
    for way in range(first, last):
        item = program.way_item[way]
        if item < 0:
            size += 1
        else:
            if store.item_term[item] < 0:
                open_item(program, store, counts, item)
            size += store.costs[store.item_term[item]].size
    cost, loss = np.empty(size, np.int64), np.empty(size, np.int64)
    which, sub = np.empty(size, np.int32), np.zeros(size, np.int32)
    at = 0
    for way in range(first, last):
        item, to = program.way_item[way], at + 1
        if item < 0:
            cost[at], loss[at] = program.way_cost[way], program.way_loss[way]
        else:
            term = store.item_term[item]
            to = at + store.costs[term].size
            more = program.way_cost[way] + store.item_offset[item]
            cost[at:to] = store.costs[term] + more
            loss[at:to] = store.losses[term] + program.way_loss[way]
            sub[at:to] = np.arange(to - at)
        which[at:to] = way - first
        at = to
    most, dearest = counts[MOST] - program.lost[node], program.dearest[node]
    # What is beyond a limit dominates only what is beyond it too.
    keep = undominated(cost, loss, counts[RATE])
    keep = keep[(loss[keep] <= most) & (cost[keep] <= dearest)]
    return cost[keep], loss[keep], which[keep], sub[keep]


def open_item(program: Program, store: Store, counts: Ints, item: int) -> None:
    """Add up the lists of all classes that an option opens."""
    children = program.child_node[program.child_first[item] : program.child_first[item + 1]]
    terms, lost = store.node_term[children], program.item_lost[item]
    offset = store.node_offset[children].sum()
    most, dearest = counts[MOST] - lost, program.item_dearest[item] - offset
    terms = terms[np.argsort(terms, kind="mergesort")]
    begins = (terms[1:] != terms[:-1]).nonzero()[0] + 1
    total, begin = -1, 0
    for n in range(begins.size + 1):
        end = begins[n] if n < begins.size else terms.size
        part = power(store, counts, terms[begin], end - begin, (most, lost, dearest))
        total = part if total < 0 else add(store, counts, total, part, (most, lost, dearest))
        begin = end
        if not store.costs[total].size:
            break
    store.item_term[item], store.item_offset[item] = total, offset


def list_of(store: Store, cost: Ints, loss: Ints) -> int:
    """Return the term of a node's list; equal lists share a term."""
    key = key_of(cost, loss)
    term = store.known.get(key, -1)
    if term >= 0 and store.costs[term].size == cost.size:
        differs = (store.costs[term] != cost) | (store.losses[term] != loss)
        if not differs.any():
            return term
    none = np.zeros(0, np.int32)
    term = new_term(store, (-1, 0), cost, loss, none, none)
    store.known[key] = term
    return term


def new_term(
    store: Store, made_of: tuple[int, int], cost: Ints, loss: Ints, lefts: Small, rights: Small
) -> int:
    """Store a list with how it was made; return its number."""
    store.costs.append(cost)
    store.losses.append(loss)
    store.left.append(made_of[0])
    store.right.append(made_of[1])
    store.lefts.append(lefts)
    store.rights.append(rights)
    return len(store.costs) - 1


def add(store: Store, counts: Ints, first: int, second: int, limits: tuple[int, int, int]) -> int:
    """Return the sum of two terms; `limits` are the most loss, the loss on the way, and a cost."""
    most, lost, dearest = limits
    key = (first, second, most, dearest)
    if key in store.memo:
        return store.memo[key]
    none = np.zeros(0, np.int32)
    empty = store.costs[first][:0]
    if not store.costs[first].size or not store.costs[second].size:
        term = new_term(store, (first, second), empty, empty, none, none)
    else:
        cost, loss, i, j = sums_of(
            counts,
            (store.costs[first], store.losses[first]),
            (store.costs[second], store.losses[second]),
            (most, lost, dearest),
        )
        if cost.size > counts[STATES]:
            at, loss_cut = nearest(loss, cost, 0, counts[STATES])
            counts[CUT] = min(counts[CUT], lost + loss_cut)
            cost, loss, i, j = cost[at], loss[at], i[at], j[at]
        term = new_term(store, (first, second), cost, loss, i, j)
    store.memo[key] = term
    return term


def sums_of(
    counts: Ints, first: tuple[Ints, Ints], second: tuple[Ints, Ints], limits: tuple[int, int, int]
) -> tuple[Ints, Ints, Small, Small]:
    """Return the sums of two lists, shortened if they are too long, and their indexes in both."""
    most, lost, dearest = limits
    is_turned = first[0].size < second[0].size
    (a_cost, a_loss), (b_cost, b_loss) = (second, first) if is_turned else (first, second)
    pairs = counts[PAIRS]
    is_long = a_cost.size * b_cost.size > pairs
    a_at, b_at = np.zeros(0, np.int64), np.zeros(0, np.int64)
    if is_long:
        a_at, b_at = np.arange(a_cost.size), np.arange(b_cost.size)
        size = max(16, int(np.sqrt(pairs)))
        if b_cost.size > size:
            b_at, loss_cut = nearest(b_loss, b_cost, 0, size)
            counts[CUT] = min(counts[CUT], lost + loss_cut)
        size = max(16, pairs // b_at.size)
        if a_cost.size > size:
            a_at, loss_cut = nearest(a_loss, a_cost, 0, size)
            counts[CUT] = min(counts[CUT], lost + loss_cut)
        a_cost, a_loss, b_cost, b_loss = a_cost[a_at], a_loss[a_at], b_cost[b_at], b_loss[b_at]
    work, is_sorted = work_of_sums(a_cost, b_cost, b_loss, most, dearest)
    cost, loss, i, j = sums(
        (a_cost, a_loss), (b_cost, b_loss), counts[RATE], most, dearest, is_sorted
    )
    counts[WORK] += work + SUM
    counts[KEPT] += cost.size
    if not counts[STOPPED] and (counts[WORK] > counts[LIMIT] or counts[KEPT] > MOST_KEPT):
        # What is left is done with short lists, so that there is a selection in any case.
        counts[STOPPED], counts[STATES], counts[PAIRS] = 1, min(counts[STATES], LAST), 4 * LAST
    if is_long:
        i, j = a_at[i].astype(np.int32), b_at[j].astype(np.int32)
    return (cost, loss, j, i) if is_turned else (cost, loss, i, j)


def power(store: Store, counts: Ints, leaf: int, times: int, limits: tuple[int, int, int]) -> int:
    """Return the sum of `times` copies of a node's term."""
    most, lost, dearest = limits
    cost, loss = store.costs[leaf], store.losses[leaf]
    if times == 1 or not cost.size:
        return leaf
    if cost.size == 2:
        key = (leaf, -times, most, dearest)
        if key in store.memo:
            return store.memo[key]
        # At most so many are in the second state, and at least so many.
        high = min(times, most // loss[1]) if loss[1] else times
        low = times - (min(times, most // loss[0]) if loss[0] else times)
        steps = np.arange(low, high + 1)
        losses, costs = steps * loss[1] + (times - steps) * loss[0], steps * cost[1]
        at = ((losses <= most) & (costs <= dearest)).nonzero()[0]
        if at.size > counts[STATES]:
            near, left = nearest(losses[at], costs[at], 0, counts[STATES])
            counts[CUT] = min(counts[CUT], lost + left)
            at = at[near]
        none, places = np.zeros(0, np.int32), steps[at].astype(np.int32)
        term = new_term(store, (-2, times), costs[at], losses[at], places, none)
        counts[WORK] += SUM // 4 + steps.size
        store.memo[key] = term
        return term
    total, square = -1, leaf
    while times:
        if times % 2:
            total = square if total < 0 else add(store, counts, total, square, limits)
        times //= 2
        if times:
            square = add(store, counts, square, square, limits)
    return total


def search(program: Program, store: Store, counts: Ints) -> Ints:
    """Add up the lists of the core, those nearest to the price first; return the options taken.

    A state is dropped if no continuation can make it better than the best known: the rest of the
    budget can be used, or an excess saved, only at the losses `up` and `down`.
    """
    core = core_of(program, store, counts)
    steps_i, steps_j = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    nothing = np.zeros((3, 0), np.int64)
    if core.term.size and core.waste < 0:
        return nothing
    counts[CAP] = cap(store, counts, core)
    cost: Ints = np.array([counts[COST] + core.cost])
    loss: Ints = np.array([core.waste])
    last, found_i, found_j = -1, 0, 0
    is_found = offer(counts, cost, loss) >= 0
    for t in range(core.order.size):
        most = min(counts[MOST], counts[TOP] - counts[BEST] - 1)
        if most < core.waste or not cost.size or counts[BEST] >= counts[CAP]:
            break
        entry = core.order[t]
        own_cost, own_loss = store.costs[core.term[entry]], store.losses[core.term[entry]]
        base = core.base[entry]
        run, losses = own_cost - own_cost[base], own_loss - own_loss[base]
        at = (losses <= most - core.waste).nonzero()[0]
        if at.size == 1:
            steps_i.append(np.zeros(0, np.int32))
            steps_j.append(np.zeros(0, np.int32))
            continue
        limits = (most, 0, FAR)
        cost, loss, i, j = sums_of(counts, (cost, loss), (run[at], losses[at]), limits)
        j = at[j].astype(np.int32)
        counts[WORK] += 4 * cost.size
        place = offer(counts, cost, loss)
        if place >= 0:
            is_found, last, found_i, found_j = True, t, i[place], j[place]
        slack = counts[BUDGET] - cost
        up: int = min(core.up[t + 1], counts[RATE])
        down: int = core.down[t + 1]
        down = min(down, FAR // (np.abs(slack).max() + 1)) if slack.size else down
        # Of both the one for what is left, or for what is over, is the larger.
        least = loss + np.maximum(up * slack, -down * slack)
        keep = (least <= counts[TOP] - counts[BEST] - 1).nonzero()[0]
        if counts[WORK] > counts[LIMIT] + counts[LIMIT] // 4 and keep.size:
            counts[STOPPED], counts[CORE_CUT] = 1, min(counts[CORE_CUT], least[keep].min())
            break
        if keep.size > counts[STATES]:
            near, loss_cut = nearest(least[keep], cost[keep], counts[BUDGET], counts[STATES])
            counts[CORE_CUT] = min(counts[CORE_CUT], loss_cut)
            keep = keep[near]
        cost, loss = cost[keep], loss[keep]
        steps_i.append(i[keep])
        steps_j.append(j[keep])
    if not is_found:
        return nothing
    states = core.base.copy()
    if last >= 0:
        states[core.order[last]], at_state = found_j, found_i
        for t in range(last - 1, -1, -1):
            if steps_i[t + 1].size:
                states[core.order[t]] = steps_j[t + 1][at_state]
                at_state = steps_i[t + 1][at_state]
    return traced(program, store, core, states)


def core_of(program: Program, store: Store, counts: Ints) -> GroupedCore:
    """Return the core's classes grouped by equal lists; the waste is -1 if a list is empty."""
    terms = store.node_term[program.core_node]
    members = np.argsort(terms, kind="mergesort")
    terms = terms[members]
    begin = np.append(
        np.zeros(min(1, terms.size), np.int64), (terms[1:] != terms[:-1]).nonzero()[0] + 1
    )
    size = begin.size
    term, base = np.zeros(size, np.int64), np.zeros(size, np.int64)
    up, down = np.full(size, FAR), np.full(size, FAR)
    cost, waste = store.node_offset[program.core_node].sum(), 0
    for entry in range(size):
        times = (begin[entry + 1] if entry + 1 < size else terms.size) - begin[entry]
        start: int = begin[entry]
        leaf: int = terms[start]
        number = power(store, counts, leaf, times, (counts[MOST], 0, FAR))
        term[entry] = number
        costs, losses = store.costs[number], store.losses[number]
        if not costs.size:
            waste = -1
            break
        at = int(losses.argmin())
        base[entry] = at
        cost, waste = cost + costs[at], waste + losses[at]
        if at + 1 < costs.size:
            up[entry] = ((losses[at + 1 :] - losses[at]) // (costs[at + 1 :] - costs[at])).min()
        if at > 0:
            down[entry] = ((losses[:at] - losses[at]) // (costs[at] - costs[:at])).min()
    order = np.argsort(up, kind="mergesort")
    order = order[np.argsort(np.minimum(up, down)[order], kind="mergesort")]
    next_up, next_down = np.full(size + 1, FAR), np.full(size + 1, FAR)
    for t in range(size - 1, -1, -1):
        next_up[t] = min(next_up[t + 1], up[order[t]])
        next_down[t] = min(next_down[t + 1], down[order[t]])
    return GroupedCore(members, term, begin, base, order, next_up, next_down, cost, waste)


def offer(counts: Ints, cost: Ints, loss: Ints) -> int:
    """Record the best state within the budget; return its index, or -1 if none is better."""
    slack = counts[BUDGET] - cost
    worth = np.where(slack >= 0, counts[TOP] - loss - counts[RATE] * slack, -FAR)
    if not worth.size:
        return -1
    place = worth.argmax()
    if worth[place] <= counts[BEST]:
        return -1
    counts[BEST] = worth[place]
    return int(place)


def cap(store: Store, counts: Ints, core: GroupedCore) -> int:
    """Return an upper bound on sums of states of the core, from the lattice they span."""
    scale, price = counts[SCALE], counts[RATE] + 1
    slack = counts[BUDGET] - counts[COST] - core.cost
    a, b, c = 0, 0, 0
    for entry in range(core.term.size):
        term: int = core.term[entry]
        at: int = core.base[entry]
        costs, losses = store.costs[term], store.losses[term]
        run = costs - costs[at]
        rise = (price * run - (losses - losses[at])) // scale
        a, b, c = spanned((a, b, c), run, rise)
        if a == 1 and c == 1:
            return int(counts[TOP])
    least = -counts[COST] - core.cost
    more = highest((a, b, c), slack, least, price, scale)
    return int(min(counts[TOP], counts[TOP] - core.waste - counts[RATE] * slack + more))


def traced(program: Program, store: Store, core: GroupedCore, states: Ints) -> Ints:
    """Return the classes, options and payments that led to one state of each core entry."""
    classes, nodes, picks = [0 for _ in range(0)], [0 for _ in range(0)], [0 for _ in range(0)]
    options, pays = [0 for _ in range(0)], [0 for _ in range(0)]
    for entry in range(core.term.size):
        term: int = core.term[entry]
        state: int = states[entry]
        split: Ints = -np.sort(-split_of(store, term, state))
        for n in range(split.size):
            begin: int = core.begin[entry]
            member: int = core.members[begin + n]
            classes.append(int(program.core_class[member]))
            nodes.append(int(program.core_node[member]))
            picks.append(int(split[n]))
    at = 0
    while at < len(classes):
        place: int = store.node_place[nodes[at]]
        start: int = program.way_first[nodes[at]]
        which: int = store.node_way[place][picks[at]]
        way = start + which
        chosen: int = program.way_option[way]
        options.append(int(chosen))
        pays.append(int(program.way_pays[way]))
        item: int = program.way_item[way]
        if item >= 0:
            first: int = program.child_first[item]
            last: int = program.child_first[item + 1]
            held: int = program.first[classes[at]]
            opened = int(program.below_first[held + chosen])
            terms = store.node_term[program.child_node[first:last]]
            order = np.argsort(terms, kind="mergesort")
            sum_: int = store.item_term[item]
            sub: int = store.node_sub[place][picks[at]]
            split = split_of(store, sum_, sub)
            arrange(split, terms[order])
            order += first
            for n in range(split.size):
                child: int = order[n]
                classes.append(opened + int(program.child_place[child]))
                nodes.append(int(program.child_node[child]))
                picks.append(int(split[n]))
        at += 1
    decided = np.zeros((3, len(options)), np.int64)
    for n in range(len(options)):
        decided[0, n], decided[1, n], decided[2, n] = classes[n], options[n], pays[n]
    return decided


def arrange(states: Ints, terms: Ints) -> None:
    """Sort the states of nodes with equal lists, so that the first ones cost most."""
    begin = 0
    for end in range(1, terms.size + 1):
        if end == terms.size or terms[end] != terms[begin]:
            states[begin:end] = -np.sort(-states[begin:end])
            begin = end


def split_of(store: Store, term: int, state: int) -> Ints:
    """Return the states of the single nodes that were added up to a state, in order."""
    states = [0 for _ in range(0)]
    ahead = [(int(term), int(state))]
    while len(ahead):
        node, at = ahead.pop()
        left, right = store.left[node], store.right[node]
        if left == -1:
            states.append(at)
        elif left == -2:
            many = store.lefts[node][at]
            for n in range(right):
                states.append(1 if n < many else 0)
        else:
            ahead.append((int(right), int(store.rights[node][at])))
            ahead.append((int(left), int(store.lefts[node][at])))
    return np.array(states)
