"""Explain why a part is written as it is: its options, compared at the price of a token."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mckp.display.reasons import LineReason, Reason, Way
from mckp.errors import PathError
from mckp.menu.classes import Option
from mckp.menu.render import cost, kept_content, kept_worth
from mckp.paths import content_at
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mckp.menu.classes import AnyOption, Gap, MenuClass
    from mckp.menu.cuts.parts import Flags
    from mckp.menu.cuts.some import Some
    from mckp.menu.render import Pick
    from mckp.menu.tabulate import Tabulated
    from mckp.paths import Path
    from mckp.solvers.frontiers import Slopes

    Figures: TypeAlias = tuple[int, float]


def _missing_names(pick: Pick) -> Iterator[str]:
    """Yield what a pick's option leaves out: names, numbers of lines, and how many rows."""
    option = pick.option
    if option is not None and option.part is not None:
        yield from option.part.names
        for first, last, _ in option.part.gaps:
            yield f"line {first}" if first == last else f"lines {first}-{last}"
    if not isinstance(option, Option | None) and (left := len(option.keys) - len(pick.rows)):
        yield f"{left} of {len(option.keys)} rows"


def _is_kept(pick: Pick, path: Path, kept: Callable[[Pick], Any]) -> bool:
    """Whether the part at a path is kept; the path begins at the class of the pick.

    `kept` returns the kept content of a pick.
    """
    if pick.is_whole:
        return True
    if pick.option is not None and pick.option.part is not None and pick.option.part.gaps:
        return _has_kept_line(pick.cls.content, pick.option.part.gaps, path)
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


def _has_kept_line(document: TreeNode, gaps: Iterable[Gap], path: Path) -> bool:
    """Whether at least one line of the block at a path is outside all gaps."""
    block = content_at(document, path)
    while not isinstance(block, TreeNode) or block.span is None:  # the words of a block
        path = path[:-1]
        block = content_at(document, path)
    span = block.span
    lines = set(range(span.start + 1, span.end + 1))
    return any(lines.difference(*(range(first, last + 1) for first, last, _ in gaps)))


def line_reason(some: Some, pick: Pick, price: float, number: int) -> LineReason:
    """Return why a line is kept or cut, if a token is worth `price`.

    `some` has the parts of the text, and `pick` is what was chosen for it. Takes O(parts of the
    text).
    """
    plan = some.plan
    kept = _kept_parts(some, pick)
    parts = np.flatnonzero((plan.first <= number) & (plan.last >= number))
    part = int(parts[0])
    heads: list[int] = []
    while (part := int(plan.head[part])) >= 0:
        if plan.first[part] not in (number, *heads):
            heads.append(int(plan.first[part]))
    flags = kept[parts]
    return LineReason(
        number=number,
        line=plan.text.split("\n")[number - int(plan.first[0])],
        kept="whole" if flags.all() else "part" if flags.any() else "cut",
        kind=some.kind,
        share=float(some.shares[parts].sum()),
        tokens=int(some.tokens[parts].sum()),
        heads=tuple(heads),
        price=price / pick.cls.worth if pick.cls.worth else 0.0,
    )


def _kept_parts(some: Some, pick: Pick) -> Flags:
    """Flag the parts of a text that are written: all, none, or those outside gaps.

    A text that lost only colour codes has neither gaps nor hints, so all parts are written; a text
    that is only a hint has none. `some` has the parts of the text.
    """
    option = pick.option
    if option is None or option.part is None or not option.part.gaps:
        is_whole = option is not None and not (option.part and option.part.hints)
        return np.full(some.plan.size, is_whole)
    for number, worth in enumerate(some.worths.tolist()):
        kept = some.kept(number)
        gaps = some.plan.gaps(kept, some.tokens)
        if worth == option.worth and tuple(gaps) == option.part.gaps:
            return kept
    raise AssertionError("the option is none of those that were offered")


class Ways:
    """The ways to write the class that decides about a path: the best option of each kind.

    The best option has the greatest worth minus `price` times cost, since in the Lagrangian
    relaxation of the knapsack each class is solved alone. The price is 0 if nothing was cut.
    `slopes` give the price at each budget, and are None if nothing was cut. Takes O(options).
    """

    def __init__(
        self,
        tabulated: Tabulated,
        root: Pick,
        price: float,
        slopes: Slopes | None,
    ) -> None:
        self._tabulated, self._root, self._price, self._slopes = tabulated, root, price, slopes
        table = tabulated.table
        self._start = table.start.tolist()
        self._below: dict[int, list[int]] = {}
        for number, parent in enumerate(table.parent_option.tolist()):
            self._below.setdefault(parent, []).append(number)
        # The best of each class; of all its options, and of those that are not owing.
        self._best: dict[tuple[int, bool], Figures] = {}
        for number in reversed(range(table.classes)):
            by_place = {place: self._figures_of(place) for place in self._option_range(number)}
            clean = [figures for place, figures in by_place.items() if not table.owing[place]]
            self._best[number, True] = max(by_place.values(), key=self._rank)
            self._best[number, False] = max(clean, key=self._rank)
        self._decided = root
        self._number: int | None = None
        self._taken: Figures = (0, 0.0)
        self._candidates: list[Figures] = []
        self._contents: dict[Pick, Any] = {}
        self._known: dict[Pick, tuple[tuple[Way, ...], tuple[str, ...]]] = {}

    def reasons(self, paths: Iterable[Path]) -> Reason:
        """Return how the first of the given parts is written, with the reasons for the others."""
        first, *further = map(self.reason, paths)
        return replace(first, others=tuple(further))

    def reason(self, path: Path) -> Reason:
        """Return how the part of the document at a path is written."""
        self._decided, self._number = self._deciding_pick(self._root, path)
        decided, price = self._decided, self._price * self._tabulated.prices.scale
        left_out = decided.option is not None and not _is_kept(
            decided, path[len(decided.path) :], self._content
        )
        if decided not in self._known:  # many places are decided together
            self._taken = cost(decided, self._tabulated.prices), kept_worth(decided)
            self._known[decided] = self._ordered_ways(), tuple(_missing_names(decided))
        ways, missing = self._known[decided]
        return Reason(path, decided.path, price, ways, missing, left_out)

    def _content(self, pick: Pick) -> Any:
        """Return what a class keeps; cached."""
        if pick not in self._contents:
            self._contents[pick] = kept_content(pick)
        return self._contents[pick]

    def _deciding_pick(self, pick: Pick, path: Path) -> tuple[Pick, int | None]:
        """Return the pick of the class that decides about a path, and the number of that class.

        It is the last class on the path that is in the text, or the first that was cut. The number
        is that in the table, or None below a part that is written whole. `pick` is where the path
        begins.
        """
        number: int | None = 0
        for step in path:
            below = next((child for child in pick.children if child.cls.key == step), None)
            if below is None:
                break
            number = None if number is None else self._class_below(number, pick, below.cls)
            pick = below
        return pick, number

    def _class_below(self, number: int, pick: Pick, cls: MenuClass) -> int | None:
        """Return the number of a class that the pick's option opens, or None if the table lacks it.

        `number` is that of the pick's class, and `cls` the class that is opened.
        """
        for place in self._option_range(number):
            if self._tabulated.meaning(place).option is pick.option:
                for opened in self._below.get(place, ()):
                    if self._tabulated.classes[opened] is cls:
                        return opened
        return None

    def _option_range(self, number: int) -> range:
        """Return the numbers of the options of a class."""
        return range(*self._start[number : number + 2])

    def _figures_of(self, place: int) -> Figures:
        """Return the cost and worth of an option together with the best options below it."""
        free, cut = (self._figures_with_best(place, may_cut) for may_cut in (False, True))
        setup = int(self._tabulated.table.setup[place])
        return max(free, (cut[0] + setup, cut[1]), key=self._rank) if cut != free else free

    def _figures_with_best(self, place: int, may_cut: bool) -> Figures:
        """Return the cost and worth of an option with the best choices below it.

        If it `may_cut`, classes below may owe the setup cost of the option.
        """
        table = self._tabulated.table
        total_cost, worth = int(table.cost[place]), float(table.value[place])
        for number in self._below.get(place, ()):
            best = self._best[number, may_cut]
            total_cost, worth = total_cost + best[0], worth + best[1]
        return total_cost, worth

    def _rank(self, figures: Figures) -> tuple[float, int]:
        """Return a sort key for options: worth at the price, then cost; the larger, the better."""
        return figures[1] - self._price * figures[0], -figures[0]

    def _ordered_ways(self) -> tuple[Way, ...]:
        """Return the ways: the one taken, then the best of every other kind, best first."""
        best: dict[object, tuple[AnyOption | None, Figures]] = {}
        if self._number is not None:
            places = self._option_range(self._number)
            candidates = [
                (self._tabulated.meaning(place), self._figures_of(place)) for place in places
            ]
            self._candidates = [figures for _, figures in candidates]
            # Of those that have to be made first, the best one is.
            made = [candidate for candidate in candidates if candidate[0].series is not None]
            made = [max(made, key=lambda candidate: self._rank(candidate[1]))] if made else []
            for meaning, figures in [
                *(candidate for candidate in candidates if candidate[0].series is None),
                *made,
            ]:
                option = meaning.make_option()
                kind = self._option_kind(option, figures)
                if kind not in best or self._rank(figures) > self._rank(best[kind][1]):
                    best[kind] = option, figures
        taken = self._decided.option
        best.pop(self._option_kind(taken, self._taken), None)
        ranked = sorted(best.values(), key=lambda candidate: self._rank(candidate[1]), reverse=True)
        ways = [(taken, self._taken), *ranked]
        return tuple(self._way(*way, taken=not number) for number, way in enumerate(ways))

    def _option_kind(self, option: AnyOption | None, figures: Figures) -> object:
        """Return the kind of an option: its format, and how much it keeps."""
        return None if option is None else (option.format, self._kept_amount(option, figures))

    def _kept_amount(self, option: AnyOption | None, figures: Figures) -> str:
        """Return how much an option keeps, in words."""
        if option is None:
            return "cut"
        return "whole" if option.part is None and figures[1] >= self._decided.cls.worth else "part"

    def _way(self, option: AnyOption | None, figures: Figures, *, taken: bool) -> Way:
        """Return an option as a way; `figures` are its cost and worth."""
        return Way(
            format="" if option is None else option.format,
            kept=self._kept_amount(option, figures),
            tokens=round(figures[0] / self._tabulated.prices.scale),
            value=figures[1],
            taken=taken,
            turns=None if taken else self._switching_budget(figures),
        )

    def _switching_budget(self, figures: Figures) -> int | None:
        """Return the budget at which a way becomes, or stops being, the best; else None.

        A way that costs more than the one taken becomes the best once the price of a token is low
        enough for it to beat all cheaper ways. A way that costs less is the best until a dearer one
        beats it.
        """
        way_cost, worth = figures
        if (way_cost - self._taken[0]) * (worth - self._taken[1]) <= 0:
            return None
        slopes = {
            side: [
                (worth - other[1]) / (way_cost - other[0])
                for other in (*self._candidates, self._taken)
                if (other[0] > way_cost if side == "dearer" else other[0] < way_cost)
            ]
            for side in ("cheaper", "dearer")
        }
        highest, lowest = min(slopes["cheaper"], default=inf), max(slopes["dearer"], default=0.0)
        if highest <= lowest:  # at every price another way is better
            return None
        if self._slopes is None:
            return None
        costs_more = way_cost > self._taken[0]
        # A budget must cover at least the way itself; what is below it changes with the price.
        budget = (
            max(way_cost, self._slopes.cost_from(highest))
            if costs_more
            else self._slopes.cost_above(lowest)
        )
        return None if budget is None else round(budget / self._tabulated.prices.scale)
