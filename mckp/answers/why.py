"""Why a class is written as it is: its options, each at its best for the price of a token."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from mckp.display.reasons import Reason, Way
from mckp.errors import PathError
from mckp.menu.classes import Option
from mckp.menu.render import cost, kept_content, kept_worth
from mckp.paths import content_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mckp.menu.classes import AnyOption, Gap, MenuClass
    from mckp.menu.render import Pick
    from mckp.menu.tabulate import Tabulated
    from mckp.paths import Path
    from mckp.tree import TreeNode

    Figures: TypeAlias = tuple[int, float]


def _missing(decided: Pick) -> Iterator[str]:
    """Yield the names that are left out, and how many rows are."""
    option = decided.option
    if option is not None and option.part is not None:
        yield from option.part.names
        for first, last, _ in option.part.gaps:
            yield f"line {first}" if first == last else f"lines {first}-{last}"
    if not isinstance(option, Option | None) and (left := len(option.keys) - len(decided.rows)):
        yield f"{left} of {len(option.keys)} rows"


def _has(pick: Pick, path: Path, kept: Callable[[Pick], Any]) -> bool:
    """Whether what is kept of a class has what is asked for, by the places it has in the class."""
    if pick.is_whole:
        return True
    if pick.option is not None and pick.option.part is not None and pick.option.part.gaps:
        return _has_lines(pick.cls.content, pick.option.part.gaps, path)
    if not isinstance(pick.option, Option | None) and path:
        keys = list(pick.option.keys)
        row = keys.index(path[0]) if path[0] in keys else -1
        if row not in pick.rows:
            return False
        place = list(pick.rows).index(row)
        path = (place if isinstance(path[0], int) else path[0], *path[1:])
    elif pick.children:
        return True
    try:
        content_at(kept(pick), path)
    except PathError:
        return False
    return True


def _has_lines(document: TreeNode, gaps: Iterable[Gap], path: Path) -> bool:
    """Whether a line of the block at a path is in no gap."""
    span = content_at(document, path).span
    lines = set(range(span.start + 1, span.end + 1))
    return any(lines.difference(*(range(first, last + 1) for first, last, _ in gaps)))


class Ways:
    """The ways to write the class that decides about a path: the best option of each kind.

    The best option has the greatest worth minus `price` times cost: in the Lagrangian relaxation
    of the knapsack each class is solved by itself. The price is 0 where nothing has to go. `spent`
    returns the budget that has a given price, in units of cost. Time O(options).
    """

    def __init__(
        self,
        tabulated: Tabulated,
        root: Pick,
        price: float,
        spent: Callable[[float], int | None],
    ) -> None:
        self._tabulated, self._root, self._price, self._spent = tabulated, root, price, spent
        table = tabulated.table
        self._start = table.start.tolist()
        self._below: dict[int, list[int]] = {}
        for number, parent in enumerate(table.parent_option.tolist()):
            self._below.setdefault(parent, []).append(number)
        # The best of each class; of all its options, and of those that are not owing.
        self._best: dict[tuple[int, bool], Figures] = {}
        for number in reversed(range(table.classes)):
            by_place = {place: self._of(place) for place in self._places(number)}
            clean = [figures for place, figures in by_place.items() if not table.owing[place]]
            self._best[number, True] = max(by_place.values(), key=self._rank)
            self._best[number, False] = max(clean, key=self._rank)
        self._decided = root
        self._number: int | None = None
        self._taken: Figures = (0, 0.0)
        self._contents: dict[int, Any] = {}
        self._known: dict[int, tuple[tuple[Way, ...], tuple[str, ...]]] = {}

    def reasons(self, paths: Iterable[Path]) -> Reason:
        """Return how the first of some parts is written, with the reasons of the others."""
        first, *others = map(self.reason, paths)
        return replace(first, others=tuple(others))

    def reason(self, path: Path) -> Reason:
        """Return how the part of the document at a path is written."""
        self._decided, self._number = self._deciding(self._root, path)
        decided, price = self._decided, self._price * self._tabulated.prices.scale
        left_out = decided.option is not None and not _has(
            decided, path[len(decided.path) :], self._content
        )
        if id(decided) not in self._known:  # many places are decided together
            self._taken = cost(decided, self._tabulated.prices), kept_worth(decided)
            self._known[id(decided)] = self._ordered(), tuple(_missing(decided))
        ways, missing = self._known[id(decided)]
        return Reason(path, decided.path, price, ways, missing, left_out)

    def _content(self, pick: Pick) -> Any:
        """Return what is kept of a class, gathered once."""
        if id(pick) not in self._contents:
            self._contents[id(pick)] = kept_content(pick)
        return self._contents[id(pick)]

    def _deciding(self, pick: Pick, path: Path) -> tuple[Pick, int | None]:
        """Return the last class on the way that the text has, or the first that was cut.

        Beside it stands its number in the table; None below what is written whole.
        """
        number: int | None = 0
        for step in path:
            below = next((child for child in pick.children if child.cls.key == step), None)
            if below is None:
                break
            number = None if number is None else self._opened(number, pick, below.cls)
            pick = below
        return pick, number

    def _opened(self, number: int, pick: Pick, cls: MenuClass) -> int | None:
        """Return the number of a class that a class opens by the option that it takes."""
        for place in self._places(number):
            if self._tabulated.meaning(place).option is pick.option:
                for opened in self._below.get(place, ()):
                    if self._tabulated.classes[opened] is cls:
                        return opened
        return None

    def _places(self, number: int) -> range:
        return range(*self._start[number : number + 2])

    def _of(self, place: int) -> Figures:
        """Return cost and worth of an option with the best of what it opens."""
        free, cut = (self._with_best(place, may_cut) for may_cut in (False, True))
        setup = int(self._tabulated.table.setup[place])
        return max(free, (cut[0] + setup, cut[1]), key=self._rank) if cut != free else free

    def _with_best(self, place: int, may_cut: bool) -> Figures:
        table = self._tabulated.table
        spent, held = int(table.cost[place]), float(table.value[place])
        for number in self._below.get(place, ()):
            best = self._best[number, may_cut]
            spent, held = spent + best[0], held + best[1]
        return spent, held

    def _rank(self, figures: Figures) -> tuple[float, int]:
        """Return what makes one option better than another."""
        return figures[1] - self._price * figures[0], -figures[0]

    def _ordered(self) -> tuple[Way, ...]:
        """Return the way taken, and the best of each other kind of option, the best first."""
        best: dict[object, tuple[AnyOption | None, Figures]] = {}
        if self._number is not None:
            places = self._places(self._number)
            candidates = [(self._tabulated.meaning(place), self._of(place)) for place in places]
            # Of those that have to be made first, the best one is.
            made = [candidate for candidate in candidates if candidate[0].series is not None]
            made = [max(made, key=lambda candidate: self._rank(candidate[1]))] if made else []
            for meaning, figures in [
                *(candidate for candidate in candidates if candidate[0].series is None),
                *made,
            ]:
                option = meaning.made()
                kind = self._kind(option, figures)
                if kind not in best or self._rank(figures) > self._rank(best[kind][1]):
                    best[kind] = option, figures
        taken = self._decided.option
        best.pop(self._kind(taken, self._taken), None)
        ranked = sorted(best.values(), key=lambda candidate: self._rank(candidate[1]), reverse=True)
        ways = [(taken, self._taken), *ranked]
        return tuple(self._way(*way, taken=not number) for number, way in enumerate(ways))

    def _kind(self, option: AnyOption | None, figures: Figures) -> object:
        return None if option is None else (option.format, self._kept(option, figures))

    def _kept(self, option: AnyOption | None, figures: Figures) -> str:
        if option is None:
            return "cut"
        return "whole" if option.part is None and figures[1] >= self._decided.cls.worth else "part"

    def _way(self, option: AnyOption | None, figures: Figures, *, taken: bool) -> Way:
        return Way(
            format="" if option is None else option.format,
            kept=self._kept(option, figures),
            tokens=round(figures[0] / self._tabulated.prices.scale),
            value=figures[1],
            taken=taken,
            turns=None if taken else self._turns(figures),
        )

    def _turns(self, figures: Figures) -> int | None:
        """Return the budget at which an option is as good as the one taken."""
        more, better = figures[0] - self._taken[0], figures[1] - self._taken[1]
        if more * better <= 0:
            return None
        budget = self._spent(better / more)
        return None if budget is None else round(budget / self._tabulated.prices.scale)
