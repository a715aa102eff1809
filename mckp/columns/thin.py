"""Of a menu that grows, what may still be part of the whole document, and no more.

Of the options of a class whose tokens are all known, only the cheapest one can be. So where a
document is offered piece by piece, and each piece priced, little is kept of those that are done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.buffer import put
from mckp.columns.options import ABOVE, CHILDREN, FIRST, NEXT, OWNER, SIZE, SOURCE, TEXT
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes
    from mckp.columns.options import Menu
    from mckp.columns.tape import Small

    Flags = NDArray[np.bool_]

_OPEN: Final = -1
"""In place of tokens that are not known yet, and of a number that nothing has."""


@njit
def thin(menu: Menu, own: Small, mine: int, option: int, begin: int) -> int:
    """Take from a menu what can no longer be part of the whole document.

    Parameters
    ----------
    own : array of int32
        Tokens of each option without its children.
    mine : int
        The class that is looked at next.
    option, begin : int
        The first option that is new, and where the texts of the new ones begin.

    Returns
    -------
    int
        The number that the class has now.
    """
    classes, options, size = int(menu.state[0]), int(menu.state[1]), int(menu.state[2])
    keeps = np.zeros(options, np.bool_)
    _compare(menu, own, mine, np.empty(classes, np.int32), keeps)
    class_numbers = np.full(classes, _OPEN, np.int32)
    numbers = np.full(options, _OPEN, np.int32)
    _number(menu, keeps, class_numbers, numbers)
    _move_texts(menu, numbers, option, begin, np.empty(size - begin, np.uint8))
    _move_classes(menu, class_numbers, numbers)
    _move_options(menu, own, class_numbers, numbers)
    return int(class_numbers[mine]) if mine >= 0 else mine


@leaf
def _compare(menu: Menu, own: Small, mine: int, cost: Small, keeps: Flags) -> None:
    """Tell which options are the cheapest known of their classes, or not known yet."""
    for each in range(menu.state[0] - 1, -1, -1):
        option = menu.classes[each, FIRST]
        best, is_open = -1, option < 0 or each == mine
        while option >= 0:
            tokens = _tokens(menu, own, cost, option)
            if tokens == _OPEN:
                keeps[option] = is_open = True
            elif best < 0 or tokens < cost[each]:
                best, cost[each] = option, tokens
            option = menu.options[option, NEXT]
        if best >= 0:
            keeps[best] = True
        if is_open:
            cost[each] = _OPEN


@leaf
def _tokens(menu: Menu, own: Small, cost: Small, option: int) -> int:
    """Return the tokens of an option and all below it, if they are known."""
    tokens = int(own[option])
    first = menu.options[option, CHILDREN]
    for child in range(first, first + menu.options[option, SIZE]):
        if cost[child] == _OPEN:
            return _OPEN
        tokens += cost[child]
    return tokens


@njit
def _number(menu: Menu, keeps: Flags, class_numbers: Small, numbers: Small) -> None:
    """Number the classes that can still be reached, and their options that are kept."""
    count = class_numbers[0] = 0
    for each in range(class_numbers.size):
        if class_numbers[each] == _OPEN:
            continue
        class_numbers[each] = count
        count += 1
        option = menu.classes[each, FIRST]
        while option >= 0:
            if keeps[option]:
                numbers[option] = 0
                first = menu.options[option, CHILDREN]
                class_numbers[first : first + menu.options[option, SIZE]] = 0
            option = menu.options[option, NEXT]
    count = 0
    for option in range(numbers.size):
        if numbers[option] != _OPEN:
            numbers[option] = count
            count += 1


@leaf
def _kept(menu: Menu, numbers: Small, option: int) -> int:
    """Return the number of an option, or of the next one of its class that is kept."""
    while option >= 0 and numbers[option] == _OPEN:
        option = menu.options[option, NEXT]
    return int(numbers[option]) if option >= 0 else -1


@leaf
def _move_texts(menu: Menu, numbers: Small, fresh: int, begin: int, spare: Bytes) -> None:
    """Move texts together, in the order of options; those of new options stand in any order."""
    n = after = 0
    for option in range(numbers.size):
        if numbers[option] == _OPEN or menu.kinds[option, SOURCE] != TEXT:
            continue
        line = menu.spans[option]
        if option < fresh:
            end = put(menu.text, n, menu.text, line[0], line[1])
        else:
            after = put(spare, after, menu.text, line[0], line[1])
            end = n + line[1] - line[0]
        line[0], line[1] = n, end
        n = end
    menu.state[2] = put(menu.text, n - after, spare, 0, after)


@njit
def _move_classes(menu: Menu, class_numbers: Small, numbers: Small) -> None:
    for each in range(class_numbers.size):
        if class_numbers[each] != _OPEN:
            row = menu.classes[class_numbers[each]]
            row[:] = menu.classes[each]
            row[ABOVE] = numbers[row[ABOVE]] if each else -1
            row[FIRST] = _kept(menu, numbers, row[FIRST])
            menu.state[0] = class_numbers[each] + 1


@njit
def _move_options(menu: Menu, own: Small, class_numbers: Small, numbers: Small) -> None:
    for option in range(numbers.size):
        here = numbers[option]
        if here != _OPEN:
            row = menu.options[here]
            row[:] = menu.options[option]
            row[OWNER] = class_numbers[row[OWNER]]
            row[NEXT] = _kept(menu, numbers, row[NEXT])
            if row[SIZE]:
                row[CHILDREN] = class_numbers[row[CHILDREN]]
            menu.kinds[here] = menu.kinds[option]
            menu.spans[here] = menu.spans[option]
            own[here] = own[option]
            menu.state[1], menu.state[3] = here + 1, here
