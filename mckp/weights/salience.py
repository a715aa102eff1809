"""Salience: how likely it is that the reader of a document needs a leaf of it later."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from math import isfinite, tanh
from typing import TYPE_CHECKING, Final, cast

from mckp.tree import Kind, TreeNode
from mckp.weights.models import LONG
from mckp.weights.traits import described, indices_of, traits_of_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mckp.weights.leaves import Leaf
    from mckp.weights.traits import Traits

POWER: Final = 1.5
"""Likely leaves count for more than in proportion: few of them are better than many unlikely."""

CERTAIN: Final = 1000
"""What a leaf is worth that a reader needs for certain; all are worth whole numbers."""

FLOOR: Final = 2
"""What every leaf is worth at least."""

BLOCKS: Final[Mapping[Kind | tuple[Kind | None, Kind], float]] = {
    (Kind.SECTION, Kind.PARAGRAPH): 3.0,
    Kind.SECTION: 2.0,
    Kind.TABLE: 2.0,
    Kind.CODE: 0.5,
    Kind.FRONT_MATTER: 0.5,
    Kind.HTML: 0.25,
}
"""What a fact of a block of text is worth, where that is not 1: chosen by eye, not fitted.

A pair stands for a block right behind another, such as the first paragraph below a heading."""


class Salience:
    """Weigh what a reader is likely to need the most.

    The likelihood of a leaf of data follows from what it is, what it is called, how much it says
    in its column, and where it stands: a logistic regression whose figures are in
    ``salience.toml``. They were fitted to recorded runs of agents by
    ``benches/fit_salience.py``. Numbers that count the records are worth next to nothing, for
    the place of a record tells its number. In a text, what stands right below a heading is worth
    the most, then headings and tables; lines of code are worth half of a sentence.

    `points` is what each trait counts, in log-odds; by default the table of the package.

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> from mckp.weights.leaves import leaves
    >>> issue = leaves(TreeNode.of({"title": "Login fails on Safari", "locked": False}))
    >>> title, locked = Salience()(issue)
    >>> title > 5 * locked
    True
    """

    def __init__(self, points: Mapping[str, float] | None = None) -> None:
        self.points = table() if points is None else dict(points)
        if not all(map(isfinite, self.points.values())):
            raise ValueError(f"points are finite numbers, not {self.points!r:.80}")

    def __call__(self, leaves: Sequence[Leaf]) -> list[float]:
        if leaves and isinstance(leaves[0].value, TreeNode):
            return list(self._of_text(leaves))
        return self._of_data(leaves)

    def _of_text(self, leaves: Sequence[Leaf]) -> Iterator[float]:
        before: Kind | None = None
        for leaf in leaves:
            kind = leaf.value.kind
            yield leaf.facts * BLOCKS.get((before, kind), BLOCKS.get(kind, 1.0))
            before = kind

    def _of_data(self, leaves: Sequence[Leaf]) -> list[float]:
        """Return the salience of leaves of data, from 2 to 1002."""
        found = [float(FLOOR)] * len(leaves)
        known: dict[tuple[int, ...], tuple[float, float]] = {}
        for column, common, texts, own in described(leaves):
            base = self._sum(common)
            scores = {text: base + self._sum(traits) for text, traits in own.items()}
            at = indices_of(column, leaves)
            for place, text, indices in zip(column.places, texts, at, strict=True):
                more = known.get(indices)
                if more is None:
                    near = LONG / (LONG + max(indices, default=0))
                    more = known[indices] = self._sum(traits_of_place(indices)), near
                likely = (1 + tanh((scores[text] + more[0]) / 2)) / 2  # the logistic function
                found[place] = float(round(CERTAIN * more[1] * likely**POWER) + FLOOR)
        return found

    def _sum(self, traits: Traits) -> float:
        points, found = self.points, 0.0
        for name, amount in traits.items():
            found += points.get(name, 0.0) * amount
        return found


@cache
def table() -> dict[str, float]:
    """Return what each trait counts, from the table of the package."""
    import tomllib

    read = tomllib.loads(files("mckp.weights").joinpath("salience.toml").read_text("utf-8"))
    found = cast("dict[str, float]", read["traits"] | read["by_hand"])
    for points, fields in cast("dict[str, str]", read["fields"]).items():
        found |= {f"field {field}": float(points) for field in fields.split(", ")}
    return found
