"""Why a class is written as it is: its ways, each at its best for the price of a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mckp.errors import PathError
from mckp.jsontext import difference, is_array, is_object
from mckp.paths import content_at
from mckp.reasons import Reason, Way

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.paths import Path
    from mckp.plan import Candidate, Outlook


class Scales:
    """The best of each class where a token is worth so much.

    Parameters
    ----------
    outlook : Outlook
        The classes.
    price : float
        What a unit of cost is worth; 0 where nothing has to go.

    Notes
    -----
    This is the Lagrangian relaxation of the knapsack, so each class is looked at by itself.
    O(options below a class), remembered.
    """

    def __init__(self, outlook: Outlook, price: float) -> None:
        self._outlook, self._price = outlook, price
        self._known: dict[tuple[int, bool], tuple[int, float]] = {}

    def of(self, way: Candidate) -> tuple[int, float]:
        """Return price and information of a way with the best of what is below it."""
        if not way.children:
            return way.cost, way.value
        kept = self._sum(way, may_cut=False)
        cut = self._sum(way, may_cut=True)
        return max(kept, (cut[0] + way.hint, cut[1]), key=self.rank) if cut != kept else kept

    def rank(self, found: tuple[int, float]) -> tuple[float, int]:
        """Return what makes one way better than another."""
        return found[1] - self._price * found[0], -found[0]

    def _sum(self, way: Candidate, *, may_cut: bool) -> tuple[int, float]:
        cost, value = way.cost, way.value
        for child in way.children:
            spent, held = self._best(child, may_cut=may_cut)
            cost, value = cost + spent, value + held
        return cost, value

    def _best(self, cls: Any, *, may_cut: bool) -> tuple[int, float]:
        key = cls if isinstance(cls, int) else id(cls), may_cut
        if key not in self._known:
            found = [self.of(way) for way in self._outlook.candidates(cls)]
            if may_cut and not self._outlook.is_pinned(cls):
                found.append((0, 0.0))
            self._known[key] = max(found, key=self.rank)
        return self._known[key]


@dataclass(frozen=True, slots=True)
class Decision:
    """The class that decides about a path.

    Attributes
    ----------
    cls
        The class.
    path : tuple
        Its own path.
    left_out : bool
        Whether it leaves out what was asked for.
    within : list of (path, content)
        The parts around it of which less is written, and what of each.
    """

    cls: Any
    path: Path
    left_out: bool
    within: list[tuple[Path, Any]]

    def is_smaller(self, document: Any) -> bool:
        """Whether all that can be written of the class is less than the document has there."""
        if not self.within or not (is_object(document) or is_array(document)):
            return False
        above, content = self.within[-1]
        found = content_at(document, self.path)
        return difference(found, content_at(content, self.path[len(above) :])) is not None


def deciding(outlook: Outlook, path: Path) -> Decision:
    """Return the class that decides about a path.

    That is the last class on the way there which the text has, or the first that was cut or of
    which a part is written without what is asked for.
    """
    cls, at = outlook.root, 0
    within: list[tuple[Path, Any]] = []
    while (taken := outlook.taken(cls)) is not None:
        if taken.kept is not None and not _has(taken.kept, path[at:]):
            return Decision(cls, path[:at], True, within)
        if at == len(path):
            break
        found = next((each for each in taken.children if outlook.key(each) == path[at]), None)
        if found is None:
            break
        if taken.kept is not None:
            within.append((path[:at], taken.kept))
        cls, at = found, at + 1
    return Decision(cls, path[:at], False, within)


def _has(content: Any, path: Path) -> bool:
    try:
        content_at(content, path)
    except PathError:
        return False
    return True


def reason(
    outlook: Outlook,
    document: Any,
    path: Path,
    price: float,
    scale: int,
    spent: Callable[[float], int | None],
) -> Reason:
    """Return how a part of a document is written.

    Parameters
    ----------
    outlook : Outlook
        The classes, and what was decided.
    document
        The whole document.
    path : tuple
        Where the part stands, which is checked before.
    price : float
        What a unit of cost is worth.
    scale : int
        Units of cost to a token.
    spent : callable
        From such a price to the budget, in units of cost, at which it is the price.
    """
    found = deciding(outlook, path)
    ways = _Ways(outlook, found, Scales(outlook, price), scale, spent, document)
    taken = outlook.taken(found.cls)
    missing = () if taken is None else taken.missing
    return Reason(path, found.path, price * scale, ways.ordered(), missing, found.left_out)


class _Ways:
    def __init__(
        self,
        outlook: Outlook,
        decision: Decision,
        scales: Scales,
        scale: int,
        spent: Callable[[float], int | None],
        document: Any,
    ) -> None:
        cls = decision.cls
        self.outlook, self.cls, self.scales = outlook, cls, scales
        self.is_smaller = decision.is_smaller(document)
        self.scale, self.spent = scale, spent
        self.taken = outlook.taken(cls)
        self.cost, self.value = (0, 0.0) if self.taken is None else outlook.spent(cls)

    def ordered(self) -> tuple[Way, ...]:
        others = sorted(self.others(), key=lambda found: self.scales.rank(found[1]), reverse=True)
        first = self.way(self.taken, (self.cost, self.value), taken=True)
        return (first, *(self.way(candidate, found) for candidate, found in others))

    def others(self) -> Iterator[tuple[Candidate | None, tuple[int, float]]]:
        name = None if self.taken is None else self.taken.name
        for candidate in self.outlook.candidates(self.cls):
            if candidate.name != name:
                yield candidate, self.scales.of(candidate)
        if self.taken is not None and not self.outlook.is_pinned(self.cls):
            yield None, (0, 0.0)

    def way(
        self, candidate: Candidate | None, found: tuple[int, float], *, taken: bool = False
    ) -> Way:
        cost, value = found
        is_whole = value >= self.outlook.weight(self.cls) and not self.is_smaller
        return Way(
            format="" if candidate is None else candidate.format,
            kept="cut" if candidate is None else "whole" if is_whole else "part",
            tokens=round(cost / self.scale),
            value=value,
            taken=taken,
            turns=None if taken else self.turns(cost, value),
        )

    def turns(self, cost: int, value: float) -> int | None:
        """Return the budget at which this way is as good as the one taken."""
        more, better = cost - self.cost, value - self.value
        if more * better <= 0:
            return None
        budget = self.spent(better / more)
        return None if budget is None else round(budget / self.scale)
