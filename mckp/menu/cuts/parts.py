"""A tree of parts that may be left out, in arrays, and the cost of any set of them.

A *part* has a cost and a worth of its own. It may have a *head*: the part without which it says
nothing, and so may not stay. Parts are in preorder: a part is behind its head, and all that
hangs on a part, at any depth, is right behind it.

A *gap* is a longest run of parts that are left out. It has a mark, which costs `opens` of the first
part of the run and `closes` of the first part behind it (`tail` if the run reaches the end). So the
price of a mark may depend on the numbers in it, on where it begins and on where it ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mckp.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]
    Flags: TypeAlias = NDArray[np.bool_]


@frozen(eq=False)
class Parts:
    """Parts of a class in preorder; each array has a number for each part.

    Worths are whole numbers in floats, so that sums of them are exact in any order. Some parts that
    are side by side may be of one *unit*, such as the pieces of a line. If all that is left out
    in a gap is of one unit, its mark is shorter.

    Examples
    --------
    >>> parts = Parts.of([5, 9, 7, 8], [1, 6, 1, 5], [-1, 0, 0, -1], opens=3, closes=2, tail=1)
    >>> parts.end.tolist()  # the first part behind each part and all that hangs on it
    [3, 2, 3, 4]
    >>> costs, worths = parts.price_sets([[True, True, False, True], [True, False, False, False]])
    >>> costs.tolist(), worths.tolist()
    ([27, 9], [12.0, 1.0])
    """

    cost: Ints
    worth: Floats
    head: Ints
    """The part's head, -1 for none."""
    end: Ints
    """The first part behind it and behind all that hangs on it."""
    opens: Ints
    """The price of a mark whose gap begins with the part."""
    closes: Ints
    """What is added to the price if the gap ends before the part. It may be negative: a refund."""
    unit: Ints
    """The unit of the part, -1 if it is of several."""
    less: Ints
    """What is taken off again if the gap before the part is of one unit."""
    tail: int = 0
    """What is added to the price of a mark whose gap reaches the end."""
    tail_less: int = 0
    """What is taken off again if that gap is of one unit."""

    @classmethod
    def of(
        cls,
        cost: Sequence[int] | Ints,
        worth: Sequence[float] | Floats | Ints,
        head: Sequence[int] | Ints | None = None,
        **marks: Any,
    ) -> Parts:
        """Make parts from arrays; `marks` are the other fields, a number or one for each part."""
        size = len(cost)
        columns: dict[str, Any] = {"opens": 0, "closes": 0, "unit": -1, "less": 0} | marks
        for name in ("opens", "closes", "unit", "less"):
            columns[name] = np.array(np.broadcast_to(columns[name], size), dtype=np.int64)
        heads = np.full(size, -1) if head is None else np.array(head, dtype=np.int64)
        costs, worths = np.array(cost, dtype=np.int64), np.array(worth, dtype=np.float64)
        return cls(costs, worths, heads, ends_of(heads), **columns)

    @property
    def size(self) -> int:
        """The number of parts."""
        return len(self.cost)

    @property
    def empty_cost(self) -> int:
        """The cost of the empty set: one mark."""
        if not self.size:
            return 0
        is_one = self.unit[0] >= 0 and bool((self.unit == self.unit[0]).all())
        return int(self.opens[0]) + self.tail - self.tail_less * is_one

    def price_sets(self, kept: Sequence[Sequence[bool]] | Flags) -> tuple[Ints, Floats]:
        """Return the costs (marks included) and worths of sets of parts. Time O(sets x parts)."""
        here = np.asarray(kept, dtype=np.bool_)
        cost, worth = here @ self.cost, here @ self.worth
        if not self.size:
            return cost, worth
        edge = np.ones((len(here), 1), dtype=np.bool_)
        before = np.concatenate((edge, here[:, :-1]), axis=1)
        cost += (before & ~here) @ self.opens + (~before & here) @ self.closes
        cost += ~here[:, -1] * self.tail
        # Whether the parts in front of each place, back to the last kept one, are of one unit.
        is_one = np.zeros(len(here), dtype=np.bool_)
        for part in range(self.size):
            flags = here[:, part]
            if self.less[part]:
                cost -= (flags & is_one) * self.less[part]
            goes_on = part > 0 and self.unit[part] == self.unit[part - 1]
            begins = before[:, part] if self.unit[part] >= 0 else np.zeros_like(flags)
            is_one = ~flags & (begins | (is_one & goes_on))
        return cost - is_one * self.tail_less, worth

    def price_nested(self, rank: Ints, size: int) -> tuple[Ints, Floats]:
        """Return costs and worths of `size` nested sets: set k has all parts of rank k or less.

        Each part and each mark is in a run of sets, so differences at the ends of these runs are
        summed. Time O(parts + sets).
        """
        ranks = np.minimum(rank, size)
        changes = np.zeros((2, size + 1), dtype=np.float64)

        def add_between(first: Ints, last: Ints, amount: Ints | Floats, row: int = 0) -> None:
            """Add amounts to the costs (`row` 0) or worths (1) of sets, one amount for each part.

            An amount is added to the sets from `first` to before `last`.
            """
            some = np.flatnonzero((first < last) & (amount != 0))
            np.add.at(changes[row], first[some], amount[some])
            np.add.at(changes[row], last[some], -amount[some])

        never = np.full(self.size, size)
        add_between(ranks, never, self.cost)
        add_between(ranks, never, self.worth, 1)
        edge = np.zeros(1, dtype=np.int64)
        before = np.concatenate((edge, ranks))
        add_between(before[:-1], ranks, self.opens)
        add_between(ranks, before[:-1], self.closes)
        add_between(edge, before[-1:], np.array([self.tail]))
        first, least_rank, behind = self._unit_ends(ranks)
        less = np.append(self.less, self.tail_less)[behind]
        start = np.maximum(before[first], np.append(ranks, 0)[behind])
        add_between(start, least_rank, -less)
        costs, worths = np.cumsum(changes, axis=1)[:, :size]
        return np.rint(costs).astype(np.int64), worths

    def _unit_ends(self, rank: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the ends of units behind which `less` may be due, as three arrays.

        For each end of a unit, these have its first part, the least rank in it, and the part behind
        it.
        """
        if not (self.unit[1:] == self.unit[:-1]).any():  # each part is a unit, or of several
            less = np.append(self.less[1:] != 0, self.tail_less != 0)
            own = np.flatnonzero((self.unit >= 0) & less)
            return own, rank[own], own + 1
        ends: list[tuple[int, int, int]] = []
        units, ranks = self.unit.tolist(), rank.tolist()
        is_less = [*(self.less != 0).tolist(), self.tail_less != 0]
        least_rank = behind = 0
        for part in range(self.size - 1, -1, -1):
            is_last = part + 1 == self.size or units[part] < 0 or units[part] != units[part + 1]
            least_rank, behind = (
                (ranks[part], part + 1) if is_last else (min(least_rank, ranks[part]), behind)
            )
            if units[part] >= 0 and is_less[behind]:
                ends.append((part, least_rank, behind))
        first, least, after = np.array(ends, dtype=np.int64).reshape(-1, 3).T
        return first, least, after


def ends_of(head: Ints) -> Ints:
    """Return, for each part, the first part after it and all its descendants.

    If the parts are not in preorder, an `AssertionError` is raised.

    Examples
    --------
    >>> ends_of(np.array([-1, 0, 1, 0, -1])).tolist()
    [4, 3, 3, 4, 5]
    """
    end = list(range(1, len(head) + 1))
    open_parts: list[int] = []
    for part, above in enumerate(head.tolist()):
        while open_parts and open_parts[-1] != above:
            end[open_parts.pop()] = part
        assert above < 0 or open_parts, "a part is among those that hang on its head"
        open_parts.append(part)
    for part in open_parts:
        end[part] = len(head)
    return np.array(end, dtype=np.int64)
