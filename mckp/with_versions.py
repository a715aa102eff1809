"""A table of cuts of a document and those of smaller versions, joined in their first class."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.plan import Draft, Offer
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.jit import Ints

_MOST: Final = 1 << 32
"""Containers of a version at most."""


def with_versions(cuts: Offer, versions: Sequence[Offer], wholes: Sequence[bool]) -> Offer:
    """Return a table in which a document may be cut, or one of its versions be written or cut.

    The versions are the last options of the first class, all of each before parts of any, and
    what they open stands behind all else. Their containers are numbers below 0; see `of_version`.

    Parameters
    ----------
    cuts : Offer
        The document.
    versions : sequence of Offer
        The versions; the last option of the first class of each is nothing of it.
    wholes : sequence of bool
        Whether its first option is all of it.
    """
    offers = [cuts, *versions]
    tables = [each.table for each in offers]
    first = list(accumulate((each.options for each in tables), initial=0))
    behind = list(accumulate((each.classes - 1 for each in tables), initial=1))
    order = _order(tables, first, wholes)

    def found(row: int) -> tuple[int, int]:
        source = int(order[row])
        number = int(np.searchsorted(first, source, "right")) - 1
        return number, source - first[number]

    def container(row: int) -> int:
        number, source = found(row)
        own = offers[number].container(source)
        return own if not number else -1 - own - (number - 1) * _MOST

    def drafted(choice: Sequence[int]) -> Draft:
        number, source = found(choice[0])
        return offers[number].draft([source, *choice[behind[number] : behind[number + 1]]])

    due = np.concatenate([each.due for each in offers])[order]
    return Offer(_joined(tables, first, order), due, container, drafted)


def of_version(containers: Iterable[int], number: int) -> set[int]:
    """Return the containers of one of the versions, by its own numbers.

    Examples
    --------
    >>> of_version({3, -1, -5, -2 - (1 << 32)}, 0), of_version({-2 - (1 << 32)}, 1)
    ({0, 4}, {1})
    """
    pairs = (divmod(-1 - each, _MOST) for each in containers if each < 0)
    return {own for of, own in pairs if of == number}


def _order(tables: Sequence[Table], first: Sequence[int], wholes: Sequence[bool]) -> Ints:
    """Return which option of the tables, one behind the other, each option is."""
    begins = [(at, at + int(each.start[1])) for at, each in zip(first, tables, strict=False)]
    versions = list(zip(begins[1:], wholes, strict=True))
    return np.concatenate(
        [
            np.arange(*begins[0]),
            *(np.arange(at, at + whole) for (at, _), whole in versions),
            *(np.arange(at + whole, end - 1) for (at, end), whole in versions),
            *(np.arange(end, last) for (_, end), last in zip(begins, first[1:], strict=True)),
        ]
    )


def _joined(tables: Sequence[Table], first: Sequence[int], order: Ints) -> Table:
    place = np.empty(first[-1], dtype=np.int64)
    place[order] = np.arange(order.size)
    behind = list(accumulate((int(each.options - each.start[1]) for each in tables), initial=0))
    begin = order.size - behind[-1]
    starts = [
        each.start[1:-1] - each.start[1] + (begin + before)
        for each, before in zip(tables, behind, strict=False)
    ]
    above = [place[each.parent_option[1:] + at] for each, at in zip(tables, first, strict=False)]
    value: Any = np.concatenate([each.value for each in tables])[order]
    return Table.unchecked(
        np.concatenate([[0], *starts, [order.size]]),
        np.concatenate([each.cost for each in tables])[order],
        value,
        np.concatenate([[-1], *above]),
    )
