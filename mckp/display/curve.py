"""The most information that fits each budget: what `Result.frontier` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp.display.blocks import Bar, BarPart, bars, colour, legend
from mckp.errors import DetachedError, import_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    Split = Mapping[str, int]

SAMPLES: Final = 40
"""The number of budgets for which formats are shown."""


@dataclass(frozen=True, eq=False, repr=False)
class BudgetCurve:
    """The most information a text can keep within each budget, and its tokens.

    Attributes
    ----------
    budgets : array of int64
        The budgets, ascending. The first is the smallest one with a text.
    values : array of float64
        The information that the best text within each budget keeps.
    tokens : array of int64
        The fewest tokens of such a text.
    total : float
        The information in the document.
    budget : int or None
        The budget of the result that the curve was requested from.
    method : str
        How the curve was computed: for all budgets at once, or for some budgets one by one.
    split : callable, optional
        Returns the tokens of each format in the text for a budget. A pickled curve has none.
    """

    budgets: NDArray[np.int64]
    values: NDArray[np.float64]
    tokens: NDArray[np.int64]
    total: float
    budget: int | None
    method: str
    split: Callable[[int], Split] | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        first, last = (self.budgets[place] for place in (0, -1))
        return f"<BudgetCurve of {self.budgets.size} budgets, {first} to {last} tokens>"

    def areas(self) -> list[tuple[int, Split]]:
        """Return sampled budgets, each with the tokens by format of the best text within it.

        Raises a `DetachedError` if the curve was pickled.
        """
        if self.split is None:
            raise DetachedError("areas()", "call result.frontier() again")
        budgets: list[int] = self.budgets[self._sampled_places()].tolist()
        return [(budget, self.split(budget)) for budget in budgets]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold."""
        arrays = {name: getattr(self, name).tolist() for name in ("budgets", "values", "tokens")}
        return {"total": self.total, "budget": self.budget, "method": self.method, **arrays}

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve, and the tokens of each format below it, with matplotlib.

        The curve is drawn on the given axes, or on the current ones, which are returned; formats
        have an axis on the right.
        """
        target = import_extra("matplotlib.pyplot", "matplotlib", "plot").gca() if ax is None else ax
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
        rows: list[Bar] = []
        names: dict[str, str] = {}
        for place in self._sampled_places()[::-2][::-1]:
            budget, tokens = int(self.budgets[place]), int(self.tokens[place])
            split = {"": tokens} if self.split is None else self.split(budget)
            names |= {name: colour(name) for name in split if name}
            parts = [BarPart(f"{name} {n} tokens", n, colour(name)) for name, n in split.items()]
            figure = f"value {self.values[place]:g} of {self.total:g}"
            rows.append(Bar(f"budget {budget}", parts, figure))
        return f"<div>{bars('value by budget', rows)}{legend(names)}<p>{self.method}</p></div>"

    def _sampled_places(self) -> list[int]:
        """Return the indexes of at most `SAMPLES` budgets, evenly spread."""
        size = len(self.budgets)
        return sorted({(size - 1) * n // (SAMPLES - 1) for n in range(SAMPLES)})
