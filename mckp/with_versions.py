"""A table of cuts of a document and one of its smaller versions, joined in their first class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mckp.plan import Draft, Offer
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.jit import Ints
    from mckp.tabulate import PricedTable


def with_versions(
    cuts: Offer, versions: PricedTable, draft: Callable[[Sequence[int]], Draft]
) -> Offer:
    """Return a table in which a document may be cut, or one of its versions written.

    The versions are the last options of the first class, and what they open stands behind all
    else. Their containers are known by the negative of their `id`.

    Parameters
    ----------
    cuts : Offer
        The document.
    versions : PricedTable
        The versions, among the options of its first class.
    draft : callable
        Makes a text of a choice from `versions`.
    """
    order = _order(cuts.table, versions)
    size, classes = cuts.table.options, cuts.table.classes

    def container(row: int) -> int:
        source = int(order[row])
        return cuts.container(source) if source < size else -id(versions.rows[source - size].option)

    def drafted(choice: Sequence[int]) -> Draft:
        source = int(order[choice[0]])
        if source < size:
            return cuts.draft([source, *choice[1:classes]])
        return draft([source - size, *choice[classes:]])

    due = np.concatenate([cuts.due, versions.due])[order]
    return Offer(_joined(cuts.table, versions.table, order), due, container, drafted)


def _order(ours: Table, versions: PricedTable) -> Ints:
    """Return which option of both tables, one behind the other, each option is.

    How all and nothing of a document is written stands in its own table already.
    """
    size, theirs = ours.options, versions.table
    own, first = int(ours.start[1]), int(theirs.start[1])
    begin = int(versions.rows[0].whole)
    return np.concatenate(
        [
            np.arange(own),
            np.arange(size + begin, size + first - 1),
            np.arange(own, size),
            np.arange(size + first, size + theirs.options),
        ]
    )


def _joined(ours: Table, theirs: Table, order: Ints) -> Table:
    size = ours.options
    # The last place is for classes at the end of which no option fits.
    place = np.full(size + theirs.options + 1, order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    added = order.size - size - (theirs.options - theirs.start[1])
    value: Any = np.concatenate([ours.value, theirs.value])[order]
    above = [place[ours.parent_option[1:]], place[size + theirs.parent_option[1:]]]
    return Table.unchecked(
        np.concatenate([[0], ours.start[1:-1] + added, place[size + theirs.start[1:]]]),
        np.concatenate([ours.cost, theirs.cost])[order],
        value,
        np.concatenate([[-1], *above]),
    )
