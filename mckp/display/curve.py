"""Value over budget, and below it the share of the tokens that each format has."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mckp.display.svg import WIDTH_PX, column, legend, picture, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Steps = Sequence[tuple[int, float]]
    Areas = Sequence[tuple[int, Mapping[str, int]]]

_LEFT_PX: Final = 46
_TOP_PX: Final = 16
_HEIGHT_PX: Final = 170
_SHARES_PX: Final = 70
_GAP_PX: Final = 26
_MAX_POINTS: Final = 500


def drawing(steps: Steps, areas: Areas, total: float, budget: int | None, method: str) -> str:
    """Return a picture of the curve, the value to its best and the formats to a whole.

    Parameters
    ----------
    steps : sequence of (int, float)
        Budgets and values.
    areas : sequence of (int, mapping)
        Some budgets with the tokens of each format.
    total : float
        The greatest value there is.
    budget : int or None
        The budget to mark.
    method : str
        What to say about how it was found.

    Examples
    --------
    >>> drawing([(3, 0), (9, 5)], [(3, {"hint": 3}), (9, {"kv": 9})], 5, 6, "all").count("<path")
    3
    """
    height = _TOP_PX + _HEIGHT_PX + _GAP_PX + (_SHARES_PX + 24 if areas else 0)
    plot = _Plot(steps[0][0], max(steps[-1][0], steps[0][0] + 1), total or 1)
    title = f"value over budget; {method}"
    return f"<div>{picture(height, title, plot.parts(steps, areas, budget))}<p>{method}</p></div>"


class _Plot:
    def __init__(self, first: int, last: int, total: float) -> None:
        self.first, self.last, self.total = first, last, total

    def x(self, budget: float) -> float:
        return _LEFT_PX + (WIDTH_PX - _LEFT_PX - 8) * (budget - self.first) / (
            self.last - self.first
        )

    def y(self, value: float) -> float:
        return _TOP_PX + _HEIGHT_PX * (1 - value / self.total)

    def parts(self, steps: Steps, areas: Areas, budget: int | None) -> Iterator[str]:
        yield from self.frame()
        yield self.curve(steps)
        if budget is not None and self.first <= budget <= self.last:
            yield self.mark(budget)
        if areas:
            yield from self.shares(areas)

    def frame(self) -> Iterator[str]:
        bottom = self.y(0)
        yield (
            f"<path d='M{_LEFT_PX},{_TOP_PX}V{bottom:.1f}H{WIDTH_PX - 8}' fill='none' "
            "stroke='currentColor' stroke-width='.6'/>"
        )
        for part in (0, 0.5, 1):
            yield words(
                _LEFT_PX - 4, self.y(part * self.total) + 4, f"{part * self.total:g}", "end"
            )
        for budget in (self.first, (self.first + self.last) // 2, self.last):
            anchor = "end" if budget == self.last else "middle"
            yield words(self.x(budget), bottom + 14, f"{budget}", anchor)
        yield words(_LEFT_PX + 6, _TOP_PX - 4, "value")

    def curve(self, steps: Steps) -> str:
        size = len(steps)
        places = (
            [n * size // _MAX_POINTS for n in range(_MAX_POINTS)]
            if size > _MAX_POINTS
            else range(size)
        )
        shown = [*(steps[place] for place in places), steps[-1]]
        bends = "".join(f"H{self.x(b):.1f}V{self.y(v):.1f}" for b, v in shown)
        first = f"M{self.x(shown[0][0]):.1f},{self.y(shown[0][1]):.1f}"
        return f"<path d='{first}{bends}' fill='none' stroke='currentColor' stroke-width='1.4'/>"

    def mark(self, budget: int) -> str:
        x = self.x(budget)
        return (
            f"<g><title>budget {budget}</title><path d='M{x:.1f},{_TOP_PX}V{self.y(0):.1f}' "
            "stroke='currentColor' stroke-dasharray='3 3' stroke-width='.8'/></g>"
        )

    def shares(self, areas: Areas) -> Iterator[str]:
        """Yield a column for each budget, up to halfway to the next."""
        top = _TOP_PX + _HEIGHT_PX + _GAP_PX
        middles = [(a[0] + b[0]) / 2 for a, b in pairwise(areas)]
        edges = [self.first, *middles, self.last]
        for (budget, split), (begin, end) in zip(areas, pairwise(edges), strict=True):
            x, width, y = self.x(begin), self.x(end) - self.x(begin), float(top)
            for name, count in split.items():
                height = _SHARES_PX * count / max(1, sum(split.values()))
                yield column(x, y, width, height, name, f"{name}: {count} of {budget}")
                y += height
        yield words(_LEFT_PX - 4, top + 10, "tokens", "end")
        names = dict.fromkeys(name for _, split in areas for name in split)
        yield legend(names, top + _SHARES_PX + 18, _LEFT_PX)
