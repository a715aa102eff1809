"""The kernel: lists of states from the leaves up, the search in a core of classes, a selection.

All functions here run as they are, on NumPy, and compiled by Numba (`mckp.solvers.compiled`), with
the same answer and the same count of work. So they use arrays, lists of arrays, numbers, and
dictionaries of numbers alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.lattice import extend_basis, highest_point
from mckp.solvers.lists import (
    FAR,
    add_lists,
    hash_list,
    nearest_states,
    sum_work,
    undominated_states,
)
from mckp.solvers.program import GroupedCore, Store

if TYPE_CHECKING:
    from mckp.solvers.lists import Small
    from mckp.solvers.program import Program
    from mckp.table import Ints

# Indexes in the array `counts`: arguments of the kernel, and what it counts.
WORK: Final = 0
"""Work done; a unit is a sum of two states that is sorted."""
LIMIT: Final = 1
"""Work after which lists are kept short."""
KEPT: Final = 2
"""States whose origin is stored."""
STATES: Final = 3
"""Most states of one list."""
PAIRS: Final = 4
"""Most sums made when two lists are added; longer lists are shortened first."""
MOST: Final = 5
"""Greatest loss of the selections that are examined."""
RATE: Final = 6
"""The loss that one more unit of cost makes up for."""
SCALE: Final = 7
"""Factor of a unit of value, in value and cost as one number."""
BUDGET: Final = 8
TOP: Final = 9
"""A bound on all selections, in value and cost as one number."""
BEST: Final = 10
"""The best selection known, in value and cost as one number."""
COST: Final = 11
"""The cost of all that is fixed."""
CUT: Final = 12
"""The least loss of what was left out of the list of a node."""
CORE_CUT: Final = 13
"""The least loss of what was left out of the list of the core."""
CAP: Final = 14
"""A bound on the selections that were examined, by the lattice of the core."""
STOPPED: Final = 15
"""Whether the work limit was reached before the end."""
COUNTS: Final = 16

MOST_KEPT: Final = 6_000_000
"""Most states that are stored, some 24 bytes each."""
LAST: Final = 256
"""Most states of one list after the work limit."""
NODE: Final = 1_000
"""The work of making the list of a node beside its states."""
SUM: Final = 600
"""The work of adding two lists beside the sums."""
LEAF: Final = 50
"""The work of storing the list of a node that opens nothing."""


def run(program: Program, counts: Ints) -> Ints:
    """Search for a selection better than `BEST`; return the options that it takes.

    The result is an array [3, decided]: classes, the indexes of their options, and whether these
    pay their setup cost. Classes that are not in it stay as in the relaxation. It is empty if
    nothing better was found. `counts` is changed in place.
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
        make_node_list(program, store, counts, node)
    return search_core(program, store, counts)


def make_node_list(program: Program, store: Store, counts: Ints, node: int) -> None:
    """Compute the list of a node, and put it into the store."""
    first: int = program.way_first[node]
    last: int = program.way_last[node]
    if program.is_leaf[node]:
        cost, loss = program.way_cost[first:last], program.way_loss[first:last]
        ways: Small = np.arange(last - first).astype(np.int32)
        substates = np.zeros(last - first, np.int32)
        counts[WORK] += LEAF + cost.size
    else:
        cost, loss, ways, substates = merge_ways(program, store, counts, node)
        counts[WORK] += NODE + cost.size
    if cost.size > counts[STATES]:
        kept_at, dropped_loss = nearest_states(loss, cost, 0, counts[STATES])
        counts[CUT] = min(counts[CUT], program.lost[node] + dropped_loss)
        cost, loss, ways, substates = (
            cost[kept_at],
            loss[kept_at],
            ways[kept_at],
            substates[kept_at],
        )
    counts[KEPT] += 2 * cost.size
    offset = cost[0] if cost.size else 0
    store.node_offset[node] = offset
    store.node_term[node] = node_term(store, cost - offset, loss)
    store.node_place[node] = len(store.node_way)
    store.node_way.append(ways)
    store.node_sub.append(substates)


def merge_ways(
    program: Program, store: Store, counts: Ints, node: int
) -> tuple[Ints, Ints, Small, Small]:
    """Return the undominated states of a node, from its ways and all that they open.

    They are the cost and the loss of each state, its way, and its state in the term of the item
    that the way opens.
    """
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
    ways, substates = np.empty(size, np.int32), np.zeros(size, np.int32)
    begin = 0
    for way in range(first, last):
        item, end = program.way_item[way], begin + 1
        if item < 0:
            cost[begin], loss[begin] = program.way_cost[way], program.way_loss[way]
        else:
            term = store.item_term[item]
            end = begin + store.costs[term].size
            extra_cost = program.way_cost[way] + store.item_offset[item]
            cost[begin:end] = store.costs[term] + extra_cost
            loss[begin:end] = store.losses[term] + program.way_loss[way]
            substates[begin:end] = np.arange(end - begin)
        ways[begin:end] = way - first
        begin = end
    most, dearest = counts[MOST] - program.lost[node], program.dearest[node]
    # A state beyond a limit dominates only states that are beyond it too.
    keep = undominated_states(cost, loss, counts[RATE])
    keep = keep[(loss[keep] <= most) & (cost[keep] <= dearest)]
    return cost[keep], loss[keep], ways[keep], substates[keep]


def open_item(program: Program, store: Store, counts: Ints, item: int) -> None:
    """Add up the lists of all classes that an item opens, and put the sum into the store."""
    children = program.child_node[program.child_first[item] : program.child_first[item + 1]]
    terms, lost = store.node_term[children], program.item_lost[item]
    offset = store.node_offset[children].sum()
    most, dearest = counts[MOST] - lost, program.item_dearest[item] - offset
    terms = terms[np.argsort(terms, kind="mergesort")]
    boundaries = (terms[1:] != terms[:-1]).nonzero()[0] + 1
    total, begin = -1, 0
    for group in range(boundaries.size + 1):
        end = boundaries[group] if group < boundaries.size else terms.size
        multiple = multiply_term(store, counts, terms[begin], end - begin, (most, lost, dearest))
        total = (
            multiple
            if total < 0
            else add_terms(store, counts, total, multiple, (most, lost, dearest))
        )
        begin = end
        if not store.costs[total].size:
            break
    store.item_term[item], store.item_offset[item] = total, offset


def node_term(store: Store, cost: Ints, loss: Ints) -> int:
    """Return the term of a node's list, which is stored unless an equal list has a term."""
    key = hash_list(cost, loss)
    term = store.known.get(key, -1)
    if term >= 0 and store.costs[term].size == cost.size:
        differs = (store.costs[term] != cost) | (store.losses[term] != loss)
        if not differs.any():
            return term
    no_places = np.zeros(0, np.int32)
    term = store_term(store, (-1, 0), cost, loss, no_places, no_places)
    store.known[key] = term
    return term


def store_term(
    store: Store, made_of: tuple[int, int], cost: Ints, loss: Ints, lefts: Small, rights: Small
) -> int:
    """Store a list with the terms that it was made of, and return the number of its term."""
    store.costs.append(cost)
    store.losses.append(loss)
    store.left.append(made_of[0])
    store.right.append(made_of[1])
    store.lefts.append(lefts)
    store.rights.append(rights)
    return len(store.costs) - 1


def add_terms(
    store: Store, counts: Ints, first: int, second: int, limits: tuple[int, int, int]
) -> int:
    """Return the term that is the sum of two terms.

    `limits` are the greatest loss of a sum, the loss of reaching it, and its greatest cost. The sum
    is shortened if it has more than `STATES` states.
    """
    most, lost, dearest = limits
    key = (first, second, most, dearest)
    if key in store.memo:
        return store.memo[key]
    no_places = np.zeros(0, np.int32)
    empty = store.costs[first][:0]
    if not store.costs[first].size or not store.costs[second].size:
        term = store_term(store, (first, second), empty, empty, no_places, no_places)
    else:
        cost, loss, first_places, second_places = add_bounded(
            counts,
            (store.costs[first], store.losses[first]),
            (store.costs[second], store.losses[second]),
            (most, lost, dearest),
        )
        if cost.size > counts[STATES]:
            kept_at, dropped_loss = nearest_states(loss, cost, 0, counts[STATES])
            counts[CUT] = min(counts[CUT], lost + dropped_loss)
            cost, loss, first_places, second_places = (
                cost[kept_at],
                loss[kept_at],
                first_places[kept_at],
                second_places[kept_at],
            )
        term = store_term(store, (first, second), cost, loss, first_places, second_places)
    store.memo[key] = term
    return term


def add_bounded(
    counts: Ints, first: tuple[Ints, Ints], second: tuple[Ints, Ints], limits: tuple[int, int, int]
) -> tuple[Ints, Ints, Small, Small]:
    """Return the undominated sums of two lists (costs, losses, and their indexes in both).

    The lists are shortened first if they would make more than `PAIRS` sums. `limits` are as for
    `add_terms`.
    """
    most, lost, dearest = limits
    is_swapped = first[0].size < second[0].size
    (long_cost, long_loss), (short_cost, short_loss) = (
        (second, first) if is_swapped else (first, second)
    )
    pairs = counts[PAIRS]
    is_too_long = long_cost.size * short_cost.size > pairs
    long_at, short_at = np.zeros(0, np.int64), np.zeros(0, np.int64)
    if is_too_long:
        long_at, short_at = np.arange(long_cost.size), np.arange(short_cost.size)
        size = max(16, int(np.sqrt(pairs)))
        if short_cost.size > size:
            short_at, dropped_loss = nearest_states(short_loss, short_cost, 0, size)
            counts[CUT] = min(counts[CUT], lost + dropped_loss)
        size = max(16, pairs // short_at.size)
        if long_cost.size > size:
            long_at, dropped_loss = nearest_states(long_loss, long_cost, 0, size)
            counts[CUT] = min(counts[CUT], lost + dropped_loss)
        long_cost, long_loss, short_cost, short_loss = (
            long_cost[long_at],
            long_loss[long_at],
            short_cost[short_at],
            short_loss[short_at],
        )
    work, is_sorted = sum_work(long_cost, short_cost, short_loss, most, dearest)
    cost, loss, long_places, short_places = add_lists(
        (long_cost, long_loss), (short_cost, short_loss), counts[RATE], most, dearest, is_sorted
    )
    counts[WORK] += work + SUM
    counts[KEPT] += cost.size
    if not counts[STOPPED] and (counts[WORK] > counts[LIMIT] or counts[KEPT] > MOST_KEPT):
        # Short lists from here on, so that there is a selection in any case.
        counts[STOPPED], counts[STATES], counts[PAIRS] = 1, min(counts[STATES], LAST), 4 * LAST
    if is_too_long:
        long_places, short_places = (
            long_at[long_places].astype(np.int32),
            short_at[short_places].astype(np.int32),
        )
    return (
        (cost, loss, short_places, long_places)
        if is_swapped
        else (cost, loss, long_places, short_places)
    )


def multiply_term(
    store: Store, counts: Ints, single: int, times: int, limits: tuple[int, int, int]
) -> int:
    """Return the term that is the sum of `times` copies of a node's term, `single`.

    `limits` are as for `add_terms`.
    """
    most, lost, dearest = limits
    cost, loss = store.costs[single], store.losses[single]
    if times == 1 or not cost.size:
        return single
    if cost.size == 2:
        key = (single, -times, most, dearest)
        if key in store.memo:
            return store.memo[key]
        # The most and the fewest copies that may be in the second state.
        most_second = min(times, most // loss[1]) if loss[1] else times
        least_second = times - (min(times, most // loss[0]) if loss[0] else times)
        second_counts = np.arange(least_second, most_second + 1)
        losses, costs = (
            second_counts * loss[1] + (times - second_counts) * loss[0],
            second_counts * cost[1],
        )
        within = ((losses <= most) & (costs <= dearest)).nonzero()[0]
        if within.size > counts[STATES]:
            kept_at, dropped_loss = nearest_states(losses[within], costs[within], 0, counts[STATES])
            counts[CUT] = min(counts[CUT], lost + dropped_loss)
            within = within[kept_at]
        no_places, counts_kept = np.zeros(0, np.int32), second_counts[within].astype(np.int32)
        term = store_term(store, (-2, times), costs[within], losses[within], counts_kept, no_places)
        counts[WORK] += SUM // 4 + second_counts.size
        store.memo[key] = term
        return term
    total, doubled = -1, single
    while times:
        if times % 2:
            total = doubled if total < 0 else add_terms(store, counts, total, doubled, limits)
        times //= 2
        if times:
            doubled = add_terms(store, counts, doubled, doubled, limits)
    return total


def search_core(program: Program, store: Store, counts: Ints) -> Ints:
    """Add up the lists of the core, those nearest to the price first; return what `run` returns.

    A state is dropped if no continuation can make it better than the best known: the rest of the
    budget can be used, or an excess be saved, only at the losses `up` and `down`.
    """
    core = group_core(program, store, counts)
    state_places, entry_places = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    if core.term.size and core.waste < 0:
        return np.zeros((3, 0), np.int64)
    counts[CAP] = core_bound(store, counts, core)
    cost: Ints = np.array([counts[COST] + core.cost])
    loss: Ints = np.array([core.waste])
    last, found_state, found_entry_state = -1, 0, 0
    is_found = record_best(counts, cost, loss) >= 0
    for step in range(core.order.size):
        most = min(counts[MOST], counts[TOP] - counts[BEST] - 1)
        if most < core.waste or not cost.size or counts[BEST] >= counts[CAP]:
            break
        entry = core.order[step]
        costs, losses = store.costs[core.term[entry]], store.losses[core.term[entry]]
        base = core.base[entry]
        costs, losses = costs - costs[base], losses - losses[base]
        affordable = (losses <= most - core.waste).nonzero()[0]
        if affordable.size == 1:
            state_places.append(np.zeros(0, np.int32))
            entry_places.append(np.zeros(0, np.int32))
            continue
        added, limits = (costs[affordable], losses[affordable]), (most, 0, FAR)
        cost, loss, from_states, from_entry = add_bounded(counts, (cost, loss), added, limits)
        from_entry = affordable[from_entry].astype(np.int32)
        counts[WORK] += 4 * cost.size
        best_place = record_best(counts, cost, loss)
        if best_place >= 0:
            is_found, last = True, step
            found_state, found_entry_state = from_states[best_place], from_entry[best_place]
        slack = counts[BUDGET] - cost
        up: int = min(core.up[step + 1], counts[RATE])
        down: int = core.down[step + 1]
        down = min(down, FAR // (np.abs(slack).max() + 1)) if slack.size else down
        # The greater product is the one for what is left of the budget, or for an excess.
        least = loss + np.maximum(up * slack, -down * slack)
        keep = (least <= counts[TOP] - counts[BEST] - 1).nonzero()[0]
        if counts[WORK] > counts[LIMIT] + counts[LIMIT] // 4 and keep.size:
            counts[STOPPED], counts[CORE_CUT] = 1, min(counts[CORE_CUT], least[keep].min())
            break
        if keep.size > counts[STATES]:
            kept_at, dropped = nearest_states(
                least[keep], cost[keep], counts[BUDGET], counts[STATES]
            )
            counts[CORE_CUT] = min(counts[CORE_CUT], dropped)
            keep = keep[kept_at]
        cost, loss = cost[keep], loss[keep]
        state_places.append(from_states[keep])
        entry_places.append(from_entry[keep])
    if not is_found:
        return np.zeros((3, 0), np.int64)
    states = core.base.copy()
    if last >= 0:
        states[core.order[last]], at_state = found_entry_state, found_state
        for step in range(last - 1, -1, -1):
            if state_places[step + 1].size:
                states[core.order[step]] = entry_places[step + 1][at_state]
                at_state = state_places[step + 1][at_state]
    return trace_back(program, store, core, states)


def group_core(program: Program, store: Store, counts: Ints) -> GroupedCore:
    """Return the classes of the core, grouped by equal lists.

    Its `waste` is -1 if a list is empty, so that there is no selection.
    """
    terms = store.node_term[program.core_node]
    members = np.argsort(terms, kind="mergesort")
    terms = terms[members]
    starts = np.append(
        np.zeros(min(1, terms.size), np.int64), (terms[1:] != terms[:-1]).nonzero()[0] + 1
    )
    group_count = starts.size
    term, base = np.zeros(group_count, np.int64), np.zeros(group_count, np.int64)
    up, down = np.full(group_count, FAR), np.full(group_count, FAR)
    cost, waste = store.node_offset[program.core_node].sum(), 0
    for entry in range(group_count):
        times = (starts[entry + 1] if entry + 1 < group_count else terms.size) - starts[entry]
        start: int = starts[entry]
        node_list: int = terms[start]
        multiple = multiply_term(store, counts, node_list, times, (counts[MOST], 0, FAR))
        term[entry] = multiple
        costs, losses = store.costs[multiple], store.losses[multiple]
        if not costs.size:
            waste = -1
            break
        best = int(losses.argmin())
        base[entry] = best
        cost, waste = cost + costs[best], waste + losses[best]
        if best + 1 < costs.size:
            up[entry] = (
                (losses[best + 1 :] - losses[best]) // (costs[best + 1 :] - costs[best])
            ).min()
        if best > 0:
            down[entry] = ((losses[:best] - losses[best]) // (costs[best] - costs[:best])).min()
    order = np.argsort(up, kind="mergesort")
    order = order[np.argsort(np.minimum(up, down)[order], kind="mergesort")]
    next_up, next_down = np.full(group_count + 1, FAR), np.full(group_count + 1, FAR)
    for step in range(group_count - 1, -1, -1):
        next_up[step] = min(next_up[step + 1], up[order[step]])
        next_down[step] = min(next_down[step + 1], down[order[step]])
    return GroupedCore(members, term, starts, base, order, next_up, next_down, cost, waste)


def record_best(counts: Ints, cost: Ints, loss: Ints) -> int:
    """Record the best state within the budget in `BEST`; return its index.

    The index is -1 if no state is better than the best selection known.
    """
    slack = counts[BUDGET] - cost
    worth = np.where(slack >= 0, counts[TOP] - loss - counts[RATE] * slack, -FAR)
    if not worth.size:
        return -1
    best_state = worth.argmax()
    if worth[best_state] <= counts[BEST]:
        return -1
    counts[BEST] = worth[best_state]
    return int(best_state)


def core_bound(store: Store, counts: Ints, core: GroupedCore) -> int:
    """Return an upper bound on all selections in the core, from the lattice that they span.

    It is in value and cost as one number, and at most `TOP`.
    """
    scale, price = counts[SCALE], counts[RATE] + 1
    slack = counts[BUDGET] - counts[COST] - core.cost
    step_cost, step_value, value_step = 0, 0, 0
    for entry in range(core.term.size):
        term: int = core.term[entry]
        base: int = core.base[entry]
        costs, losses = store.costs[term], store.losses[term]
        extra_costs = costs - costs[base]
        extra_values = (price * extra_costs - (losses - losses[base])) // scale
        step_cost, step_value, value_step = extend_basis(
            (step_cost, step_value, value_step), extra_costs, extra_values
        )
        if step_cost == 1 and value_step == 1:
            return int(counts[TOP])
    least = -counts[COST] - core.cost
    gain = highest_point((step_cost, step_value, value_step), slack, least, price, scale)
    return int(min(counts[TOP], counts[TOP] - core.waste - counts[RATE] * slack + gain))


def trace_back(program: Program, store: Store, core: GroupedCore, states: Ints) -> Ints:
    """Return the result of `run` for a selection of one state for each entry of the core.

    `states` has these states, as indexes in the lists of the entries.
    """
    classes, nodes, node_picks = [0 for _ in range(0)], [0 for _ in range(0)], [0 for _ in range(0)]
    options, pays = [0 for _ in range(0)], [0 for _ in range(0)]
    for entry in range(core.term.size):
        term: int = core.term[entry]
        state: int = states[entry]
        node_states: Ints = -np.sort(-split_state(store, term, state))
        for index in range(node_states.size):
            begin: int = core.begin[entry]
            member: int = core.members[begin + index]
            classes.append(int(program.core_class[member]))
            nodes.append(int(program.core_node[member]))
            node_picks.append(int(node_states[index]))
    index_ahead = 0
    while index_ahead < len(classes):
        place: int = store.node_place[nodes[index_ahead]]
        start: int = program.way_first[nodes[index_ahead]]
        way_index: int = store.node_way[place][node_picks[index_ahead]]
        way = start + way_index
        chosen: int = program.way_option[way]
        options.append(int(chosen))
        pays.append(int(program.way_pays[way]))
        item: int = program.way_item[way]
        if item >= 0:
            first: int = program.child_first[item]
            last: int = program.child_first[item + 1]
            first_option: int = program.first[classes[index_ahead]]
            opened = int(program.below_first[first_option + chosen])
            terms = store.node_term[program.child_node[first:last]]
            order = np.argsort(terms, kind="mergesort")
            item_term: int = store.item_term[item]
            substate: int = store.node_sub[place][node_picks[index_ahead]]
            node_states = split_state(store, item_term, substate)
            sort_equal_terms(node_states, terms[order])
            order += first
            for index in range(node_states.size):
                child: int = order[index]
                classes.append(opened + int(program.child_place[child]))
                nodes.append(int(program.child_node[child]))
                node_picks.append(int(node_states[index]))
        index_ahead += 1
    decided = np.zeros((3, len(options)), np.int64)
    for index in range(len(options)):
        decided[0, index], decided[1, index], decided[2, index] = (
            classes[index],
            options[index],
            pays[index],
        )
    return decided


def sort_equal_terms(states: Ints, terms: Ints) -> None:
    """Sort the states of nodes with equal terms, in place, so that the first nodes cost most."""
    start = 0
    for end in range(1, terms.size + 1):
        if end == terms.size or terms[end] != terms[start]:
            states[start:end] = -np.sort(-states[start:end])
            start = end


def split_state(store: Store, term: int, state: int) -> Ints:
    """Return the states of the single nodes whose sum is a state of a term, in their order."""
    states = [0 for _ in range(0)]
    pending = [(int(term), int(state))]
    while len(pending):
        part, part_state = pending.pop()
        left, right = store.left[part], store.right[part]
        if left == -1:
            states.append(part_state)
        elif left == -2:
            second_count = store.lefts[part][part_state]
            for copy in range(right):
                states.append(1 if copy < second_count else 0)
        else:
            pending.append((int(right), int(store.rights[part][part_state])))
            pending.append((int(left), int(store.lefts[part][part_state])))
    return np.array(states)
