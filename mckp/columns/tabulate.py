"""The knapsack table of a menu in arrays; what stands in it, and why, is `mckp.tabulate`'s."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from mckp.columns.options import ABOVE, CHILDREN, ENTRY, FIRST, NEXT, OWNER, SIZE
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Ints
    from mckp.columns.options import Menu

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
    cost, value, option, due : arrays
        For each option its tokens, what it holds, which option of the menu it is, `WHOLE` or `CUT`,
        and what it owes beyond its tokens if a class that it opens is cut.
    """

    start: Ints
    parent: Ints
    of: Ints
    cost: Ints
    value: NDArray[Any]
    option: Ints
    due: Ints


@njit
def openings(menu: Menu) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which classes can be opened, and which options have children that can be."""
    opens = np.zeros(menu.classes.shape[0], np.bool_)
    nested = np.zeros(menu.options.shape[0], np.bool_)
    for option in range(menu.options.shape[0]):
        if menu.options[option, SIZE]:
            mine = menu.options[option, OWNER]
            opens[mine] = True
            if mine:
                nested[menu.classes[mine, ABOVE]] = True
    return opens, nested


@leaf
def _fixed(
    menu: Menu, held: NDArray[Any], whole: Ints, opens: NDArray[np.bool_], option: int
) -> tuple[int, Any]:
    """Return tokens and information of the children of an option that cannot be opened."""
    cost: Any = 0
    kept: Any = 0
    first = menu.options[option, CHILDREN]
    for child in range(first, first + menu.options[option, SIZE]):
        if not opens[child]:
            cost += whole[child]
            kept += held[menu.classes[child, ENTRY]]
    return cost, kept


@leaf
def _is_beaten(
    menu: Menu, own: Ints, hint: Ints, whole: Ints, nested: NDArray[np.bool_], option: int, by: int
) -> bool:
    """Whether another flat layout writes everything of this one in no more tokens."""
    size = menu.options[option, SIZE]
    if (
        nested[by]
        or menu.options[by, SIZE] != size
        or own[by] + hint[by] > own[option] + hint[option]
    ):
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


class _Terms(NamedTuple):
    """What a table is made from, beside the menu."""

    held: NDArray[Any]
    own: Ints
    hint: Ints
    whole: Ints
    opens: NDArray[np.bool_]
    nested: NDArray[np.bool_]
    kept: NDArray[np.bool_]
    twice: NDArray[np.bool_]


@njit
def tabulated(
    menu: Menu,
    held: NDArray[Any],
    own: Ints,
    hint: Ints,
    whole: Ints,
    nothing: int,
    budget: int,
    twice: NDArray[np.bool_],
) -> Rows:
    """Return the table of a menu under a budget; parameters as for `mckp.tabulate.tabulate`.

    Parameters
    ----------
    menu : Menu
        The menu.
    held : array of int64 or float64
        The information in each entry of the tape.
    own, hint : arrays of int64
        Tokens of each option's text, and of its hint.
    whole : array of int64
        Tokens of each class in its cheapest way.
    nothing : int
        Tokens of the text that stands for the whole document.
    budget : int
        The most tokens.
    twice : array of bool
        Which options are priced exactly.
    """
    opens, nested = openings(menu)
    kept = worth_opening(menu, own, hint, whole, nested)
    terms = _Terms(held, own, hint, whole, opens, nested, kept, twice)
    classes, options = menu.classes.shape[0] + 64, 3 * menu.classes.shape[0] + 64
    while True:
        rows = Rows(
            np.empty(classes + 1, np.int64),
            np.empty(classes, np.int64),
            np.empty(classes, np.int64),
            np.empty(options, np.int64),
            np.empty(options, held.dtype),
            np.empty(options, np.int64),
            np.empty(options, np.int64),
        )
        stack = np.empty((classes, 3), np.int64)
        used, count = _fill(menu, terms, nothing, budget, rows, stack)
        if used <= classes and count <= options:
            break
        classes, options = 4 * classes, 4 * options
    return Rows(
        rows.start[: used + 1],
        rows.parent[:used],
        rows.of[:used],
        rows.cost[:count],
        rows.value[:count],
        rows.option[:count],
        rows.due[:count],
    )


@leaf
def _put_row(rows: Rows, n: int, cost: int, value: Any, option: int, due: int) -> int:
    rows.cost[n], rows.value[n], rows.option[n], rows.due[n] = cost, value, option, due
    return n + 1


@leaf
def _most_rows(menu: Menu, mine: int) -> int:
    """Return how many options a class may have in a table: all of it, nothing, two openings."""
    most = 2
    option = menu.classes[mine, FIRST]
    while option >= 0:
        most += 2
        option = menu.options[option, NEXT]
    return most


@leaf
def _open(menu: Menu, terms: _Terms, option: int, budget: int, rows: Rows, n: int) -> int:
    """Add the ways to open a container."""
    own, hint, due = terms.own[option], terms.hint[option], 0
    if terms.nested[option]:
        wraps = menu.options[option, SIZE] == 1
        if wraps or terms.twice[option]:
            cost, kept = _fixed(menu, terms.held, terms.whole, terms.opens, option)
            if own + cost <= budget:
                n = _put_row(rows, n, own + cost, kept, 2 * option, 0)
            if wraps:
                return n
        else:
            hint, due = 0, hint
    cost = own + hint
    return _put_row(rows, n, cost, 0, 2 * option + 1, due) if cost <= budget else n


@leaf
def _fill(
    menu: Menu, terms: _Terms, nothing: int, budget: int, rows: Rows, stack: NDArray[np.int64]
) -> tuple[int, int]:
    """Fill a table; return its classes and options, or more than there is room for."""
    line = stack[0]
    line[0], line[1], line[2] = 0, -1, 1
    top, classes, n = 1, 0, 0
    rows.start[0] = 0
    while top:
        top -= 1
        mine, above, cuttable = stack[top, 0], stack[top, 1], stack[top, 2]
        if classes >= rows.of.size or n + _most_rows(menu, mine) > rows.cost.size:
            return rows.of.size + 1, n
        rows.parent[classes], rows.of[classes] = above, mine
        if terms.whole[mine] <= budget:
            cost: Any = terms.whole[mine]
            n = _put_row(rows, n, cost, terms.held[menu.classes[mine, ENTRY]], WHOLE, 0)
        opened, option = n, menu.classes[mine, FIRST]
        while option >= 0:
            if terms.kept[option]:
                n = _open(menu, terms, option, budget, rows, n)
            option = menu.options[option, NEXT]
        closed = n
        if cuttable:
            n = _put_row(rows, n, nothing if above < 0 else 0, 0, CUT, 0)
        classes += 1
        rows.start[classes] = n
        for row in range(closed - 1, opened - 1, -1):
            hinted, option = rows.option[row] & 1, rows.option[row] >> 1
            first = menu.options[option, CHILDREN]
            last = first + menu.options[option, SIZE]
            if top + last - first > stack.shape[0]:
                return rows.of.size + 1, n
            for child in range(last - 1, first - 1, -1):
                if hinted or terms.opens[child]:
                    line = stack[top]
                    line[0], line[1], line[2] = child, row, hinted
                    top += 1
    return classes, n
