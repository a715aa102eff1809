"""One document in several ways within many budgets: what `sweep` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.errors import import_extra

if TYPE_CHECKING:
    from collections.abc import Sequence

STEPS: Final = 20
"""The number of budgets if none are given."""
SHOWN: Final = 8
"""The number of budgets in the table that a notebook displays."""
_STYLES: Final = ("-", "--", "-.", ":")


class SweptText(NamedTuple):
    """One text of a sweep.

    `value` is the kept share of the document's information. `recall` is what the caller's function
    returned for the text, or None if there is no such function.
    """

    way: str
    budget: int
    tokens: int
    value: float
    recall: float | None
    status: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """The value, and if asked for the recall, of each way to encode within each budget.

    Attributes
    ----------
    rows : tuple of SweptText
        One for each way and budget, in this order. A budget that is too small for any text of a
        way has no row.
    ways : tuple of str
        The names of the ways, in the order given.
    budgets : tuple of int
        The budgets, ascending.
    tokenizer : str
        The tokenizer that counted.
    """

    rows: tuple[SweptText, ...]
    ways: tuple[str, ...]
    budgets: tuple[int, ...]
    tokenizer: str

    def __repr__(self) -> str:
        return f"<Sweep of {len(self.ways)} ways, {len(self.budgets)} budgets>"

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain data that JSON can hold."""
        rows = [row._asdict() for row in self.rows]
        return {
            "tokenizer": self.tokenizer,
            "ways": list(self.ways),
            "budgets": list(self.budgets),
            "rows": rows,
        }

    def to_text(self) -> str:
        """Return the table that notebooks display, as aligned text."""
        from mckp.display.blocks import aligned_lines

        return "\n".join(aligned_lines(self._head(), self._cells(self.budgets)))

    def plot(self, ax: Any = None, *, y: str = "value") -> Any:
        """Draw one line for each way with matplotlib: its value or recall for each budget.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default on the current axes.
        y : {"value", "recall"}, default "value"
            What to draw.

        Returns
        -------
        matplotlib axes
            The axes drawn on.

        Raises
        ------
        ValueError
            If `y` is neither, or ``"recall"`` and the sweep has no recall.
        """
        if y not in ("value", "recall"):
            raise ValueError(f"y is 'value' or 'recall', not {y!r}")
        if y == "recall" and not self._has_recall():
            raise ValueError("this sweep has no recall: pass recall= to mckp.sweep")
        target = import_extra("matplotlib.pyplot", "matplotlib", "plot").gca() if ax is None else ax
        for number, way_name in enumerate(self.ways):
            rows = [row for row in self.rows if row.way == way_name]
            heights = [row.value if y == "value" else row.recall for row in rows]
            style = _STYLES[number % len(_STYLES)]
            target.plot([row.budget for row in rows], heights, style, label=way_name)
        target.set_xlabel("budget, tokens")
        target.set_ylabel(f"{y}, share of the whole")
        target.set_ylim(0, 1.02)
        target.legend(frameon=False)
        return target

    def _repr_html_(self) -> str:
        from mckp.display.blocks import table

        size = len(self.budgets)
        places = sorted({(size - 1) * step // (SHOWN - 1) for step in range(SHOWN)})
        cells = self._cells([self.budgets[place] for place in places])
        return table("Share of the value that is kept", self._head(), cells)

    def _has_recall(self) -> bool:
        """Whether the caller asked for recalls."""
        return any(row.recall is not None for row in self.rows)

    def _head(self) -> list[str]:
        """Return the head of the table: the budget, then each way."""
        recall = [f"{way}: recall" for way in self.ways] if self._has_recall() else []
        return ["budget", *self.ways, *recall]

    def _cells(self, budgets: Sequence[int]) -> list[list[str]]:
        """Return the cells of the table, a row for each budget."""
        by_place = {(row.way, row.budget): row for row in self.rows}
        lines = list[list[str]]()
        for budget in budgets:
            rows = [by_place.get((way, budget)) for way in self.ways]
            cells = ["" if row is None else f"{row.value:.3f}" for row in rows]
            if self._has_recall():
                recalls = [None if row is None else row.recall for row in rows]
                cells += ["" if recall is None else f"{recall:.3f}" for recall in recalls]
            lines.append([str(budget), *cells])
        return lines
