"""From prices to decisions, and from decisions to text: kernels over a menu in arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.columns.buffer import put, put_byte, put_number
from mckp.columns.options import CHILDREN, ENTRY, FIRST, IN_FIELDS, IN_ROWS, LINE, NEXT, SIZE, UNIT
from mckp.columns.recipes import put_option
from mckp.columns.tabulate import CUT, WHOLE
from mckp.columns.tape import END, KEY_END, KEY_START, KIND, NAME, OBJECT, START
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.options import Menu
    from mckp.columns.scratch import Scratch
    from mckp.columns.tape import Small, Tape

_OPEN: Final = np.frombuffer(b"> [+", np.uint8)
_OF: Final = np.frombuffer(b" of ", np.uint8)
_ROWS: Final = np.frombuffer(b" rows]\n", np.uint8)
_FIELDS: Final = np.frombuffer(b" fields]\n", np.uint8)
_ITEMS: Final = np.frombuffer(b" items]\n", np.uint8)


@njit
def cheapest(menu: Menu, own: Small) -> tuple[Small, Small]:
    """Return, for each class, the tokens and the option of the cheapest way to write all of it.

    Parameters
    ----------
    menu : Menu
        The menu.
    own : array of int32
        Tokens of each option without its children.
    """
    count = menu.classes.shape[0]
    cost, best = np.empty(count, np.int32), np.empty(count, np.int32)
    for mine in range(count - 1, -1, -1):
        best[mine] = -1
        option = menu.classes[mine, FIRST]
        while option >= 0:
            total = own[option]
            first = menu.options[option, CHILDREN]
            for child in range(first, first + menu.options[option, SIZE]):
                total += cost[child]
            if best[mine] < 0 or total < cost[mine]:
                cost[mine], best[mine] = total, option
            option = menu.options[option, NEXT]
    return cost, best


@leaf
def put_hint(unit: int, missing: int, total: int, out: Bytes, n: int) -> int:
    """Append the line that says how many children are missing."""
    n = put(out, n, _OPEN, 0, _OPEN.size)
    if total >= 1000:
        rest, digits = total, 0
        while rest:
            rest //= 10
            digits += 1
        rest = missing
        while rest:
            rest //= 10
            digits -= 1
        for _ in range(digits):
            n = put_byte(out, n, 48)
    n = put(out, put_number(out, n, missing), _OF, 0, _OF.size)
    n = put_number(out, n, total)
    if unit == IN_ROWS:
        return put(out, n, _ROWS, 0, _ROWS.size)
    if unit == IN_FIELDS:
        return put(out, n, _FIELDS, 0, _FIELDS.size)
    return put(out, n, _ITEMS, 0, _ITEMS.size)


@leaf
def write(
    tape: Tape, menu: Menu, scratch: Scratch, decision: Small, mine: int, out: Bytes, n: int
) -> int:
    """Append what was decided for a class: its lines, the hint, then its blocks."""
    option = decision[mine]
    if option < 0:
        return n
    n = put_option(tape, menu, scratch, option, out, n)
    first, size = menu.options[option, CHILDREN], menu.options[option, SIZE]
    missing = blocks = 0
    for child in range(first, first + size):
        taken = decision[child]
        if taken < 0:
            missing += 1
        elif menu.kinds[taken, UNIT] == LINE:
            n = put_option(tape, menu, scratch, taken, out, n)
        else:
            blocks += 1
    if missing:
        n = put_hint(menu.kinds[option, UNIT], missing, size, out, n)
    for child in range(first, first + size if blocks else first):
        if decision[child] >= 0 and menu.kinds[decision[child], UNIT] != LINE:
            n = write(tape, menu, scratch, decision, child, out, n)
    return n


@leaf
def write_each(
    tape: Tape, menu: Menu, scratch: Scratch, options: Ints, out: Bytes, ends: Ints
) -> int:
    """Write the texts of options one behind the other; ``ends[i]`` is where text ``i`` begins."""
    n = 0
    for i in range(options.size):
        ends[i] = n
        n = put_option(tape, menu, scratch, options[i], out, n)
    ends[options.size] = n
    return n


@leaf
def write_kept(menu: Menu, tape: Tape, decision: Small, mine: int, out: Bytes, n: int) -> int:
    """Append compact JSON of what was kept of a class."""
    option, entry = decision[mine], menu.classes[mine, ENTRY]
    size = menu.options[option, SIZE]
    if not size:
        return put(out, n, tape.text, tape.spans[entry, START], tape.spans[entry, END])
    n = put_byte(out, n, 123 if tape.nodes[entry, KIND] == OBJECT else 91)
    first, kept = menu.options[option, CHILDREN], 0
    for child in range(first, first + size):
        if decision[child] < 0:
            continue
        if kept:
            n = put_byte(out, n, 44)
        kept += 1
        key = tape.nodes[menu.classes[child, ENTRY], NAME]
        if key >= 0:
            n = put(out, n, tape.text, tape.keys[key, KEY_START], tape.keys[key, KEY_END])
            n = put_byte(out, n, 58)
        n = write_kept(menu, tape, decision, child, out, n)
    return put_byte(out, n, 125 if tape.nodes[entry, KIND] == OBJECT else 93)


@njit
def account(
    menu: Menu, held: NDArray[Any], own: Small, hint: Small, decision: Small
) -> tuple[Small, NDArray[Any], Small]:
    """Add up, for each class that is reached, its tokens, what it keeps, what it misses.

    Parameters
    ----------
    held : array of int64 or float64
        The information in each entry of the tape.

    Returns
    -------
    cost, value, missing : arrays
        `missing` is the number of children that were cut; -1 for classes not reached or cut.
    """
    count = menu.classes.shape[0]
    cost, value = np.zeros(count, np.int32), np.zeros(count, held.dtype)
    missing = np.full(count, -1, np.int32)
    reached = np.zeros(count, np.bool_)
    reached[0] = True
    for mine in range(count):
        option = decision[mine]
        if reached[mine] and option >= 0:
            first = menu.options[option, CHILDREN]
            reached[first : first + menu.options[option, SIZE]] = True
    for mine in range(count - 1, -1, -1):
        option = decision[mine]
        if not reached[mine] or option < 0:
            continue
        first, size = menu.options[option, CHILDREN], menu.options[option, SIZE]
        missing[mine] = 0
        cost[mine] = own[option]
        if not size:
            value[mine] = held[menu.classes[mine, ENTRY]]
        for child in range(first, first + size):
            cost[mine] += cost[child]
            value[mine] += value[child]
            missing[mine] += decision[child] < 0
        if missing[mine]:
            cost[mine] += hint[option]
    return cost, value, missing


@leaf
def take_whole(menu: Menu, best: Small, mine: int, decision: Small) -> None:
    """Decide that a class is written whole, in its cheapest way."""
    option = best[mine]
    decision[mine] = option
    first = menu.options[option, CHILDREN]
    for child in range(first, first + menu.options[option, SIZE]):
        take_whole(menu, best, child, decision)


@leaf
def take_chosen(
    menu: Menu, best: Small, start: Ints, of: Ints, meaning: Ints, choice: Ints, decision: Small
) -> None:
    """Decide as a solver chose: `choice` is one option for each class of its table, or -1."""
    for number in range(choice.size):
        if choice[number] < 0:
            continue
        chosen = meaning[start[number] + choice[number]]
        if chosen == WHOLE:
            take_whole(menu, best, of[number], decision)
        elif chosen == CUT:
            decision[of[number]] = CUT
        else:
            option = chosen >> 1
            decision[of[number]] = option
            first = menu.options[option, CHILDREN]
            # Where nothing may be cut, only classes that can be opened are in the table.
            size = 0 if chosen & 1 else menu.options[option, SIZE]
            for child in range(first, first + size):
                decision[child] = best[child]


@njit
def in_order(menu: Menu, pick: Small) -> Ints:
    """Return the options of a document written whole, in the order of their texts."""
    found = np.empty(menu.options.shape[0], np.int64)
    return found[: _list(menu, pick, 0, found, 0)]


@leaf
def _list(menu: Menu, pick: Small, mine: int, found: Ints, n: int) -> int:
    option = pick[mine]
    found[n] = option
    n += 1
    first = menu.options[option, CHILDREN]
    last = first + menu.options[option, SIZE]
    for child in range(first, last):
        if menu.kinds[pick[child], UNIT] == LINE:
            found[n] = pick[child]
            n += 1
    for child in range(first, last):
        if menu.kinds[pick[child], UNIT] != LINE:
            n = _list(menu, pick, child, found, n)
    return n
