"""The classes of a menu in arrays, for who wants to know why one was written as it is."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mckp.columns.options import CHILDREN, ENTRY, FIRST, FORMAT, NAMES, NEXT, SIZE
from mckp.columns.tape import FACTS
from mckp.plan import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.columns.plan import ColumnPlan
    from mckp.columns.tape import Small


class ColumnOutlook:
    """A `mckp.plan.Outlook` of numbers of classes.

    Parameters
    ----------
    plan : ColumnPlan
        The plan.
    pick : array of int32
        What was decided.
    """

    root = 0

    def __init__(self, plan: ColumnPlan, pick: Small) -> None:
        self._plan, self._pick = plan, pick

    @cached_property
    def _first(self) -> list[int]:
        found: list[int] = self._plan.menu.classes[:, FIRST].tolist()
        return found

    @cached_property
    def _options(self) -> list[list[int]]:
        found: list[list[int]] = self._plan.menu.options[:, [NEXT, CHILDREN, SIZE]].tolist()
        return found

    @cached_property
    def _formats(self) -> list[int]:
        found: list[int] = self._plan.menu.kinds[:, FORMAT].tolist()
        return found

    @cached_property
    def _facts(self) -> list[int]:
        plan = self._plan
        found: list[int] = plan.tape.nodes[plan.menu.classes[:, ENTRY], FACTS].tolist()
        return found

    @cached_property
    def _accounts(self) -> tuple[list[int], list[int]]:
        cost, value, _ = self._plan.account(self._pick)
        return cost.tolist(), value.tolist()

    def key(self, cls: int) -> str | int | None:
        return self._plan.places.keys(np.array([cls]))[0] if cls else None

    def weight(self, cls: int) -> float:
        return self._facts[cls]

    def is_pinned(self, cls: int) -> bool:
        return False

    def candidates(self, cls: int) -> Iterator[Candidate]:
        option = self._first[cls]
        while option >= 0:
            yield self._candidate(cls, option)
            option = self._options[option][0]

    def taken(self, cls: int) -> Candidate | None:
        option = int(self._pick[cls])
        return None if option < 0 else self._candidate(cls, option)

    def spent(self, cls: int) -> tuple[int, float]:
        cost, value = self._accounts
        return cost[cls], value[cls]

    def _candidate(self, cls: int, option: int) -> Candidate:
        _, first, size = self._options[option]
        own, hint = self._plan.prices_of(option)
        value = 0 if size else self._facts[cls]
        below = range(first, first + size) if size else ()
        return Candidate(option, NAMES[self._formats[option]], own, hint, value, below)
