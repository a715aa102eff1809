"""How results share a budget: equal parts of what is left, or a note if there is no room."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST: Final = 32
"""The smallest budget of a result: a label and a note on what was cut always fit."""

NOTE: Final = 16
"""The tokens that a note in place of a result may have.

An example of a note: ``> [4,512 characters left out; recall #3]``.
"""


def fair_share(own_limit: int | None, later_limits: Sequence[int | None], room: int) -> int:
    """Return the budget of a result: its share of the tokens that its step has left.

    Results share the tokens equally, but none gets more than its own limit; what it cannot use goes
    to the others. A result whose share is below `LEAST` gets `LEAST` if that leaves enough for a
    note in place of each later result, and otherwise `NOTE`, however little is left.

    Parameters
    ----------
    own_limit : int or None
        The limit of this result, at least `LEAST`; None for no limit.
    later_limits : sequence of int or None
        The limits of the results of the step that are still to come.
    room : int
        The tokens that the step has left.

    Examples
    --------
    >>> fair_share(None, [None, 100], 900), fair_share(100, [None], 900)
    (400, 100)
    >>> fair_share(None, [None] * 9, 160)
    16
    >>> fair_share(None, [None] * 9, 200), fair_share(None, [], -50)
    (32, 16)

    The texts of one result share its room in the same way:

    >>> [fair_share(None, [None] * n, room) for n, room in ((2, 300), (3, 90), (3, 60))]
    [100, 32, 16]
    """
    limits = sorted(inf if limit is None else limit for limit in (own_limit, *later_limits))
    rest, level = room, 0
    for index, limit in enumerate(limits):
        level = rest // (len(limits) - index)
        if limit >= level:
            break
        rest -= int(limit)
    share = level if own_limit is None else min(own_limit, level)
    if share >= LEAST:
        return share
    return LEAST if room - NOTE * len(later_limits) >= LEAST else NOTE
