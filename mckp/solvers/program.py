"""The data of the kernel: what is left to choose, the lists made so far, and the core.

The classes have only arrays, lists of arrays, numbers and dictionaries of numbers, so that Numba
can compile the functions of `mckp.solvers.kernel`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mckp.solvers.lists import Small
    from mckp.table import Ints


class Program(NamedTuple):
    """What is left to choose if a selection may lose only so much.

    A *node* is a class in one of two states: free to take owing options, or not. Nodes are numbered
    from the deepest up. `order` has the nodes whose lists are made; of equal nodes, only the first.
    The ways of node ``v`` are ``way_first[v] .. way_last[v] - 1``. Each way has a cost, a loss, an
    item `way_item` (-1 if everything below it is fixed), the index of its option in the class, and
    whether it pays its setup cost. If no way of a node has an item (`is_leaf`), its ways are
    already undominated.

    An *item* is an option with the classes ``child_first[t] .. child_first[t + 1] - 1`` that it
    opens and that are not fixed; `child_place` counts from the first class that the option opens.

    `lost` is the loss of reaching a node or an item, `dearest` the greatest cost that it may have.
    The classes of the core, `core_class`, are chosen on their own; `core_node` has their nodes.
    `first` has the first option of each class of the tree, and `below_first` the first class that
    each option opens.
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
    nodes begin with 0 in their terms, and lie `node_offset` above; so do those of items. `known`
    has the term of each hash of a node's list, and `memo` that of each sum with its limits.
    `node_way` and `node_sub` say of each state which way it takes, and which state of what that
    opens; a node's are at `node_place`.
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
