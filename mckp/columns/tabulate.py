"""The knapsack table of a menu in arrays; what stands in it, and why, is `mckp.tabulate`'s."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.columns.menu import ABOVE, CHILDREN, FIRST, NEXT, OWNER, SIZE
from mckp.jit import njit
from mckp.tabulate import MOST_CLASSES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Ints
    from mckp.columns.menu import Menu
    from mckp.columns.tape import Small

WHOLE: Final = -2
"""What stands in the place of an option for all of a class in its cheapest way."""
CUT: Final = -1


class Rows(NamedTuple):
    """A table in arrays, one entry a class or an option of it.

    Attributes
    ----------
    start, parent, of : arrays of int64
        For each class its first option, the option above it, and which class of the menu it
        is; `start` has one more.
    cost, value, option : arrays of int64
        For each option its tokens, its facts, and which option of the menu it is, `WHOLE` or
        `CUT`.
    """

    start: Ints
    parent: Ints
    of: Ints
    cost: Ints
    value: Ints
    option: Ints


@njit
def _can_open(menu: Menu, mine: int) -> bool:
    option = menu.classes[mine, FIRST]
    while option >= 0:
        if menu.options[option, SIZE]:
            return True
        option = menu.options[option, NEXT]
    return False


@njit
def openings(menu: Menu) -> NDArray[np.bool_]:
    """Tell for each option whether one of its children can be opened in its turn."""
    found = np.zeros(menu.options.shape[0], np.bool_)
    for mine in range(1, menu.classes.shape[0]):
        if _can_open(menu, mine):
            found[menu.classes[mine, ABOVE]] = True
    return found


@njit
def levels(menu: Menu) -> int:
    """Return down to which depth everything may stand in the table twice."""
    depth = np.zeros(menu.classes.shape[0], np.int64)
    deepest = 0
    for mine in range(1, menu.classes.shape[0]):
        depth[mine] = depth[menu.options[menu.classes[mine, ABOVE], OWNER]] + 1
        deepest = max(deepest, depth[mine])
    share = MOST_CLASSES // menu.classes.shape[0]
    bits = 0
    while share:
        share >>= 1
        bits += 1
    return min(deepest, bits - 1)


@njit
def _is_beaten(
    menu: Menu, own: Ints, hint: Ints, whole: Ints, nested: NDArray[np.bool_], option: int, by: int
) -> bool:
    """Whether another flat layout writes everything of this one in no more tokens."""
    size = menu.options[option, SIZE]
    if nested[by] or menu.options[by, SIZE] != size or own[by] + hint[by] > own[option] + hint[option]:
        return False
    left, right = menu.options[by, CHILDREN], menu.options[option, CHILDREN]
    for i in range(size):  # noqa: SIM110
        if whole[left + i] > whole[right + i]:
            return False
    return True


@njit
def worth_opening(
    menu: Menu, own: Ints, hint: Ints, whole: Ints, nested: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which options with children no other option of their class makes useless."""
    kept = np.zeros(menu.options.shape[0], np.bool_)
    for mine in range(menu.classes.shape[0]):
        option = menu.classes[mine, FIRST]
        while option >= 0:
            if menu.options[option, SIZE]:
                kept[option] = True
                if not nested[option]:
                    other = menu.classes[mine, FIRST]
                    while other != option and kept[option]:
                        if kept[other]:
                            kept[option] = not _is_beaten(
                                menu, own, hint, whole, nested, option, other
                            )
                        other = menu.options[other, NEXT]
            option = menu.options[option, NEXT]
    return kept


@njit
def _grown(array: Ints, size: int) -> Ints:
    if size <= array.size:
        return array
    larger = np.empty(2 * size, np.int64)
    larger[: array.size] = array
    return larger


@njit
def tabulated(
    menu: Menu, facts: Small, own: Ints, hint: Ints, whole: Ints, nothing: int, budget: int,
    spare_hints: bool,
) -> Rows:
    """Return the table of a menu under a budget; parameters as for `mckp.tabulate.tabulate`.

    Parameters
    ----------
    own, hint : arrays of int64
        Tokens of each option's text, and of its hint.
    whole : array of int64
        Tokens of each class in its cheapest way.
    nothing : int
        Tokens of the text that stands for the whole document.
    """
    nested = openings(menu)
    kept = worth_opening(menu, own, hint, whole, nested)
    copied = levels(menu)
    start, parent, of = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.int64)
    cost, value = np.empty(64, np.int64), np.empty(64, np.int64)
    meaning = np.empty(64, np.int64)
    stack = np.empty((1024, 4), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, -1, 1, 0
    top, classes, n = 1, 0, 0
    start[0] = 0
    while top:
        top -= 1
        mine, above, cuttable, depth = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        start, parent = _grown(start, classes + 2), _grown(parent, classes + 1)
        of = _grown(of, classes + 1)
        parent[classes], of[classes] = above, mine
        classes += 1
        # At most two for each option, one to cut, one for the whole.
        most = n + 2
        option = menu.classes[mine, FIRST]
        while option >= 0:
            most += 2
            option = menu.options[option, NEXT]
        cost, value, meaning = _grown(cost, most), _grown(value, most), _grown(meaning, most)
        if whole[mine] <= budget:
            cost[n], value[n], meaning[n] = whole[mine], facts[menu.classes[mine, 0]], WHOLE
            n += 1
        opened = n
        option = menu.classes[mine, FIRST]
        while option >= 0:
            if kept[option]:
                wraps = menu.options[option, SIZE] == 1
                twice = nested[option] and (depth < copied or wraps)
                if twice and own[option] <= budget:
                    cost[n], value[n], meaning[n] = own[option], 0, 2 * option
                    n += 1
                price = own[option]
                if not (nested[option] and not twice and spare_hints):
                    price += hint[option]
                if not (twice and wraps) and price <= budget:
                    cost[n], value[n], meaning[n] = price, 0, 2 * option + 1
                    n += 1
            option = menu.options[option, NEXT]
        closed = n
        if cuttable:
            cost[n], value[n], meaning[n] = (nothing if above < 0 else 0), 0, CUT
            n += 1
        start[classes] = n
        for row in range(closed - 1, opened - 1, -1):
            hinted = meaning[row] & 1
            option = meaning[row] >> 1
            meaning[row] = option
            size, first = menu.options[option, SIZE], menu.options[option, CHILDREN]
            if top + size > stack.shape[0]:
                larger = np.empty((2 * (top + size), 4), np.int64)
                larger[:top] = stack[:top]
                stack = larger
            for i in range(size):
                line = stack[top + size - 1 - i]
                line[0], line[1], line[2], line[3] = first + i, row, hinted, depth + 1
            top += size
    return Rows(
        start[: classes + 1], parent[:classes], of[:classes], cost[:n], value[:n], meaning[:n]
    )
