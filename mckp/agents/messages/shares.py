"""How results share a budget: equal parts of what is left, and a note for what has no room."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST: Final = 32
"""The smallest budget of a result: it always holds a label, and a note on what was cut."""

NOTE: Final = 16
"""Room for a note in place of a result: ``> [4,512 characters left out; recall #3]``."""


def of_step(own: int | None, later: Sequence[int | None], room: int) -> int:
    """Return the budget of a result whose step has some room left.

    Results share the room equally, but none gets more than its own limit, and what one cannot have
    goes to the others. Where that gives less than `LEAST`, it gets `LEAST` as long as all later
    ones have room for a note, and `NOTE` after that, whatever the room.

    Parameters
    ----------
    own : int or None
        Its own limit; None for no limit.
    later : sequence of int or None
        The limits of the results of the step that are still to come.
    room : int
        What the step has left.

    Examples
    --------
    >>> of_step(None, [None, 100], 900), of_step(100, [None], 900), of_step(None, [None] * 9, 160)
    (400, 100, 16)
    >>> of_step(None, [None] * 9, 200), of_step(None, [], -50)
    (32, 16)

    The texts of one result share its room in the same way:

    >>> of_step(None, [None] * 2, 300), of_step(None, [None] * 3, 90), of_step(None, [None] * 3, 60)
    (100, 32, 16)
    """
    mine = inf if own is None else own
    limits = sorted([mine, *(inf if other is None else other for other in later)])
    rest, level = room, 0
    for place, limit in enumerate(limits):
        level = rest // (len(limits) - place)
        if limit >= level:
            break
        rest -= int(limit)
    else:
        level = rest + int(limits[-1])
    level = int(min(mine, level))
    if level >= LEAST:
        return level
    return LEAST if room - NOTE * len(later) >= LEAST else NOTE
