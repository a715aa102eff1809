"""How results share a budget: equal parts of what is left, or a note if there is no room."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST: Final = 32
"""The smallest budget of a result: a label and a note on what was cut always fit."""

NOTE: Final = 16
"""Room for a note in place of a result: ``> [4,512 characters left out; recall #3]``."""


def share_of_step(own: int | None, later: Sequence[int | None], room: int) -> int:
    """Return the budget of a result, as its share of the room that its step has left.

    Results share the room equally, but none gets more than its own limit; what it cannot use goes
    to the others. If its share is below `LEAST`, it gets `LEAST` while that leaves room for a note
    for each later result, and otherwise `NOTE`, however small the room.

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
    >>> share_of_step(None, [None, 100], 900), share_of_step(100, [None], 900)
    (400, 100)
    >>> share_of_step(None, [None] * 9, 160)
    16
    >>> share_of_step(None, [None] * 9, 200), share_of_step(None, [], -50)
    (32, 16)

    The texts of one result share its room in the same way:

    >>> [share_of_step(None, [None] * n, room) for n, room in ((2, 300), (3, 90), (3, 60))]
    [100, 32, 16]
    """
    own_limit = inf if own is None else own
    limits = sorted([own_limit, *(inf if other is None else other for other in later)])
    rest, level = room, 0
    for place, limit in enumerate(limits):
        level = rest // (len(limits) - place)
        if limit >= level:
            break
        rest -= int(limit)
    else:
        level = rest + int(limits[-1])
    level = int(min(own_limit, level))
    if level >= LEAST:
        return level
    return LEAST if room - NOTE * len(later) >= LEAST else NOTE
