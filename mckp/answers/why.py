"""Why a class is written as it is: its options, each at its best for the price of a token."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from mckp.display.reasons import Reason, Way
from mckp.errors import PathError
from mckp.menu.classes import Option
from mckp.menu.render import kept_content, kept_worth
from mckp.menu.report import cost
from mckp.paths import content_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.menu.classes import AnyOption, MenuClass
    from mckp.menu.render import Path, Pick
    from mckp.menu.series import Meaning
    from mckp.menu.tabulate import Tabulated

    Figures: TypeAlias = tuple[int, float]


class Scales:
    """The best of each class where a token is worth so much.

    This is the Lagrangian relaxation of the knapsack, so each class is looked at by itself.
    Time O(options), once.

    Parameters
    ----------
    tabulated : Tabulated
        The table and what it stands for.
    price : float
        What a unit of cost is worth; 0 where nothing has to go.
    """

    def __init__(self, tabulated: Tabulated, price: float) -> None:
        self._tabulated, self._price = tabulated, price
        table = tabulated.table
        self.start = table.start.tolist()
        self._below: dict[int, list[int]] = {}
        for number, parent in enumerate(table.parent_option.tolist()):
            self._below.setdefault(parent, []).append(number)
        # The best of each class; of all its options, and of those that are not owing.
        self._best: dict[tuple[int, bool], Figures] = {}
        for number in reversed(range(table.classes)):
            places = range(self.start[number], self.start[number + 1])
            found = [(self.of(place), bool(table.owing[place])) for place in places]
            self._best[number, True] = max((each for each, _ in found), key=self.rank)
            free = [each for each, owing in found if not owing]
            self._best[number, False] = max(free, key=self.rank)

    def of(self, place: int) -> Figures:
        """Return cost and worth of an option with the best of what it opens."""
        free, cut = (self._with_best(place, may_cut) for may_cut in (False, True))
        setup = self._tabulated.table.setup[place]
        return max(free, (cut[0] + int(setup), cut[1]), key=self.rank) if cut != free else free

    def _with_best(self, place: int, may_cut: bool) -> Figures:
        table = self._tabulated.table
        spent, held = int(table.cost[place]), float(table.value[place])
        for number in self._below.get(place, ()):
            best = self._best[number, may_cut]
            spent, held = spent + best[0], held + best[1]
        return spent, held

    def rank(self, found: Figures) -> tuple[float, int]:
        """Return what makes one option better than another."""
        return found[1] - self._price * found[0], -found[0]

    def number(self, pick: Pick, cls: MenuClass) -> int:
        """Return the number of a class in the table, as a pick reaches it."""
        found = 0
        while self._tabulated.classes[found] is not cls:
            child = next(each for each in pick.children if _is_above(each, cls))
            rows = range(self.start[found], self.start[found + 1])
            row = next(
                row
                for row in rows
                if row in self._below and self._tabulated.meaning(row).option is pick.option
            )
            classes = self._below[row]
            found = next(n for n in classes if self._tabulated.classes[n] is child.cls)
            pick = child
        return found


def _is_above(pick: Pick, cls: MenuClass) -> bool:
    return pick.cls is cls or any(_is_above(child, cls) for child in pick.children)


def reason(
    tabulated: Tabulated,
    pick: Pick,
    path: Path,
    price: float,
    spent: Callable[[float], int | None],
) -> Reason:
    """Return how a part of a document is written.

    Parameters
    ----------
    tabulated : Tabulated
        The table and what it stands for.
    pick : Pick
        What was decided for the document.
    path : tuple
        Where the part stands.
    price : float
        What a unit of cost is worth.
    spent : callable
        From such a price to the budget, in units of cost, at which it is the price.
    """
    decided = deciding(pick, path)
    left_out = not _has(decided, path[len(decided.path) :])
    ways = _Ways(tabulated, pick, decided, price, spent)
    part = None if decided.option is None else decided.option.part
    missing = () if part is None else part.names
    scale = tabulated.prices.scale
    was_cut = left_out and decided.option is not None
    return Reason(path, decided.path, price * scale, ways.ordered(), missing, was_cut)


def deciding(pick: Pick, path: Path) -> Pick:
    """Return the last class on the way to a path that the text has, or the first that was cut."""
    for step in path:
        below = next((child for child in pick.children if child.cls.key == step), None)
        if below is None:
            break
        pick = below
    return pick


def _has(pick: Pick, path: Path) -> bool:
    """Whether what is kept of a class has what is asked for, by the places it has in the class."""
    if pick.option is None:
        return False
    if pick.is_whole:
        return True
    if not isinstance(pick.option, Option) and path:
        keys = list(pick.option.keys)
        row = keys.index(path[0]) if path[0] in keys else -1
        if row not in pick.rows:
            return False
        place = list(pick.rows).index(row)
        path = (place if isinstance(path[0], int) else path[0], *path[1:])
    elif pick.children:
        return True
    try:
        content_at(kept_content(pick), path)
    except PathError:
        return False
    return True


class _Ways:
    """All that can be done with one class: each kind of option at its best."""

    def __init__(
        self,
        tabulated: Tabulated,
        root: Pick,
        decided: Pick,
        price: float,
        spent: Callable[[float], int | None],
    ) -> None:
        self.tabulated, self.decided = tabulated, decided
        self.scales = Scales(tabulated, price)
        self.scale, self.spent = tabulated.prices.scale, spent
        self.number = self._number(root)
        self.taken = cost(decided, tabulated.prices), kept_worth(decided)

    def _number(self, root: Pick) -> int | None:
        """Return the class's number in the table; None below what is written whole."""
        try:
            return self.scales.number(root, self.decided.cls)
        except StopIteration:
            return None

    def ordered(self) -> tuple[Way, ...]:
        option = self.decided.option
        first = self._way(option, self.taken, taken=True)
        others = sorted(self._others(), key=lambda each: self.scales.rank(each[1]), reverse=True)
        return (first, *(self._way(option, found) for option, found in others))

    def _others(self) -> Iterator[tuple[AnyOption | None, Figures]]:
        """Yield the best of each kind of option, but of the one taken."""
        if self.number is None:
            return
        best: dict[object, tuple[AnyOption | None, Figures]] = {}
        made: tuple[Meaning, Figures] | None = None
        for place in range(*self.scales.start[self.number : self.number + 2]):
            meaning, found = self.tabulated.meaning(place), self.scales.of(place)
            if meaning.make is None:
                self._keep(best, meaning.option, found)
            elif made is None or self.scales.rank(found) > self.scales.rank(made[1]):
                made = meaning, found
        if made is not None and made[0].make is not None:
            self._keep(best, made[0].make(), made[1])
        best.pop(self._kind(self.decided.option, self.taken), None)
        yield from best.values()

    def _keep(
        self,
        best: dict[object, tuple[AnyOption | None, Figures]],
        option: AnyOption | None,
        found: Figures,
    ) -> None:
        kind = self._kind(option, found)
        if kind not in best or self.scales.rank(found) > self.scales.rank(best[kind][1]):
            best[kind] = option, found

    def _kind(self, option: AnyOption | None, found: Figures) -> object:
        return None if option is None else (option.format, self._kept(option, found))

    def _kept(self, option: AnyOption | None, found: Figures) -> str:
        if option is None:
            return "cut"
        return "whole" if option.part is None and found[1] >= self.decided.cls.worth else "part"

    def _way(self, option: AnyOption | None, found: Figures, *, taken: bool = False) -> Way:
        return Way(
            format="" if option is None else option.format,
            kept=self._kept(option, found),
            tokens=round(found[0] / self.scale),
            value=found[1],
            taken=taken,
            turns=None if taken else self._turns(found),
        )

    def _turns(self, found: Figures) -> int | None:
        """Return the budget at which an option is as good as the one taken."""
        more, better = found[0] - self.taken[0], found[1] - self.taken[1]
        if more * better <= 0:
            return None
        budget = self.spent(better / more)
        return None if budget is None else round(budget / self.scale)
