"""The most information within every budget: what `Result.frontier` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp.display.bars import colour, legend
from mckp.errors import DetachedError, extra

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Split = Mapping[str, int]

SAMPLES: Final = 40
"""Budgets at which formats are shown."""


@dataclass(frozen=True, eq=False)
class BudgetCurve:
    """The most information a text can keep within each budget, and its tokens.

    Attributes
    ----------
    budgets : array of int64
        The budgets, ascending. The first is the least one with a text.
    values : array of float64
        The information that the best text within each budget keeps.
    tokens : array of int64
        The fewest tokens of such a text.
    total : float
        The information in the document.
    budget : int or None
        The budget of the result that was asked.
    method : str
        How this was found: for all budgets at once, or for some, one by one.
    split : callable, optional
        From a budget to the tokens of each format in the text for it.

    Notes
    -----
    All budgets are those of the menu as it is. For a budget of its own, `Result.at` also tries
    parts between those on the menu where tokens are left over, so it may keep a little more.
    """

    budgets: NDArray[np.int64]
    values: NDArray[np.float64]
    tokens: NDArray[np.int64]
    total: float
    budget: int | None
    method: str
    split: Callable[[int], Split] | None = field(default=None, repr=False)

    def areas(self) -> list[tuple[int, Split]]:
        """Return some budgets, each with the tokens that each format has in the text for it.

        Raises
        ------
        DetachedError
            If the curve was pickled.
        """
        if self.split is None:
            raise DetachedError("areas()")
        size = len(self.budgets)
        places = sorted({(size - 1) * n // (SAMPLES - 1) for n in range(SAMPLES)})
        return [(budget, self.split(budget)) for budget in self.budgets[places].tolist()]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold."""
        arrays = {name: getattr(self, name).tolist() for name in ("budgets", "values", "tokens")}
        return {"total": self.total, "budget": self.budget, "method": self.method, **arrays}

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve, and the tokens of each format below it, with matplotlib.

        Parameters
        ----------
        ax : optional
            The axes for the curve; the current ones by default. Formats have an axis on the right.

        Returns
        -------
        Axes

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        target = extra("matplotlib.pyplot", "matplotlib", "plot").gca() if ax is None else ax
        beside, areas = target.twinx(), self.areas()
        names = list(dict.fromkeys(name for _, split in areas for name in split))
        xs = [budget for budget, _ in areas]
        heights = [[split.get(name, 0) for _, split in areas] for name in names]
        style = {"colors": list(map(colour, names)), "alpha": 0.6, "linewidth": 0, "step": "mid"}
        beside.stackplot(xs, heights, labels=names, **style)
        beside.set_ylabel("tokens by format")
        beside.legend(loc="upper left", frameon=False)
        beside.set_ylim(bottom=0)
        target.step(self.budgets, self.values, where="post", color="black")
        target.set_zorder(beside.get_zorder() + 1)
        target.patch.set_visible(False)
        target.set_ylim(bottom=0)
        target.set_xlabel("budget, tokens")
        target.set_ylabel("value")
        if self.budget is not None:
            target.axvline(self.budget, color="black", linewidth=0.8, linestyle=":")
        return target

    def _repr_html_(self) -> str:
        areas = self.areas() if self.split is not None else []
        names = dict.fromkeys(name for _, split in areas for name in split)
        below = legend({name: colour(name) for name in names})
        return f"<div>{self._drawing(areas)}{below}<p>{self.method}</p></div>"

    def _drawing(self, areas: Sequence[tuple[int, Split]]) -> str:
        """Return the value as a line, in front of the tokens of each format."""
        first, last = int(self.budgets[0]), max(int(self.budgets[-1]), int(self.budgets[0]) + 1)
        scale, high = (_WIDTH_PX - _LEFT_PX) / (last - first), _HEIGHT_PX / (self.total or 1)

        def x(budget: float) -> float:
            return _LEFT_PX + scale * (budget - first)

        parts: list[str] = []
        ends = [*(budget for budget, _ in areas[1:]), last]
        for (budget, split), end in zip(areas, ends, strict=False):
            y = float(_HEIGHT_PX)
            for name, count in split.items():
                height = _HEIGHT_PX * count / last
                y -= height
                parts.append(
                    f"<rect x='{x(budget):.1f}' y='{y:.1f}' width='{scale * (end - budget):.1f}' "
                    f"height='{height:.1f}' fill='{colour(name)}' fill-opacity='.6'>"
                    f"<title>{name}: {count} of {budget}</title></rect>"
                )
        size = len(self.budgets)
        places = sorted({(size - 1) * n // _MAX_POINTS for n in range(_MAX_POINTS + 1)})
        steps = zip(self.budgets[places].tolist(), self.values[places].tolist(), strict=True)
        bends = "".join(f"H{x(b):.1f}V{_HEIGHT_PX - high * value:.1f}" for b, value in steps)
        parts.append(_line(f"M{_LEFT_PX},{_HEIGHT_PX}{bends}", "stroke-width='1.6'"))
        parts.append(_line(f"M{_LEFT_PX},0V{_HEIGHT_PX}H{_WIDTH_PX}", "stroke-width='.6'"))
        if self.budget is not None and first <= self.budget <= last:
            mark = f"M{x(self.budget):.1f},0V{_HEIGHT_PX}"
            parts.append(_line(mark, "stroke-dasharray='3 3'", f"budget {self.budget}"))
        parts += [_words(0, 12, f"{self.total:g}"), _words(0, _HEIGHT_PX, "value 0")]
        parts += [_words(_LEFT_PX, _HEIGHT_PX + 16, f"{first} tokens")]
        parts += [_words(_WIDTH_PX, _HEIGHT_PX + 16, f"{last}", "end")]
        return (
            f"<svg viewBox='0 0 {_WIDTH_PX} {_HEIGHT_PX + 20}' width='{_WIDTH_PX}' role='img' "
            "font-family='sans-serif' font-size='11' style='max-width:100%;height:auto' "
            f"xmlns='http://www.w3.org/2000/svg'><title>value over budget</title>{''.join(parts)}"
            "</svg>"
        )


_WIDTH_PX: Final = 720
_HEIGHT_PX: Final = 220
_LEFT_PX: Final = 46
_MAX_POINTS: Final = 500


def _line(path: str, style: str, title: str = "") -> str:
    tip = f"<title>{title}</title>" if title else ""
    return f"<path d='{path}' fill='none' stroke='currentColor' {style}>{tip}</path>"


def _words(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f"<text x='{x:g}' y='{y:g}' fill='currentColor' text-anchor='{anchor}'>{text}</text>"
