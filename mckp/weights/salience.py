"""Salience: how likely a leaf is to be needed by the reader of a document."""

from __future__ import annotations

from functools import cache
from math import exp, inf, log
from pkgutil import get_data
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from mckp.renamed import warn_of_method
from mckp.tree import Kind, TreeNode
from mckp.weights.columns import ITEM, Columns, value_of
from mckp.weights.lexicon import Lexicon
from mckp.weights.models import LONG
from mckp.weights.rows import row_traits
from mckp.weights.traits import describe_columns, log_distances

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from mckp.weights.columns import LeafColumn
    from mckp.weights.leaves import Leaf
    from mckp.weights.traits import ColumnTraits, Root, Traits

POWER: Final = 1.5
"""Worth grows faster than the likelihood that a leaf is used: a few likely leaves are better than
many unlikely ones."""

UNIT: Final = 1000
"""The worth of a leaf all of whose factors are 1. Worths are rounded to integers, at least 1."""

TELLING: Final = 1.5
"""What makes a row exceptional is worth so many times its best other cell, at least."""

BLOCKS: Final[Mapping[Kind | tuple[Kind | None, Kind], float]] = {
    (Kind.SECTION, Kind.PARAGRAPH): 3.0,
    Kind.SECTION: 2.0,
    Kind.TABLE: 2.0,
    Kind.CODE: 0.5,
    Kind.FRONT_MATTER: 0.5,
    Kind.HTML: 0.25,
}
"""The worth of a fact in a kind of block, where that is not 1: chosen by eye, not fitted.

A pair is the kind of the block just before, and the kind of the block itself, such as the first
paragraph below a heading."""


class Salience:
    """Weigh most what a reader is most likely to need.

    The worth of a leaf of data is a product of factors: for the meaning of its name, the kind of
    its value, its container, the number of values in its column, and how many of these are equal.
    The factors are in ``salience.toml``: names were rated by judgement, and the numbers
    were fitted by ``benches/fit_salience.py`` to rated fields and to what agents used later. In a
    text, what is right below a heading is worth most, then headings and tables; a line of code is
    worth half a sentence.

    `table` has the sections of ``salience.toml``: ``factors``, ``names``, ``lists`` and ``inside``;
    by default it is the shipped one. A missing factor is 1.

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> from mckp.weights.leaves import leaves
    >>> issue = leaves(TreeNode.of({"title": "Login fails on Safari", "locked": False}))
    >>> title, locked = Salience()(issue)
    >>> title > 5 * locked
    True
    """

    def __init__(self, table: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        """Prepare a table; raise `ValueError` if one of its factors is not valid."""
        parts = _shipped_table() if table is None else PreparedTable.of(table)
        self._logs, self._lexicon = parts

    @property
    def factors(self) -> dict[str, float]:
        """The factor of each trait, rounded to three decimal places."""
        return {name: round(exp(value), 3) for name, value in self._logs.items()}

    def __call__(self, leaves: Sequence[Leaf]) -> list[float]:
        """Return the worth of each leaf, of data or of a text."""
        if leaves and isinstance(leaves[0].value, TreeNode):
            return list(self._block_worths(leaves))
        return self.weigh_data(value_of(leaves)) if leaves else []

    def _block_worths(self, leaves: Sequence[Leaf]) -> Iterator[float]:
        """Yield the worth of each block of a text."""
        before: Kind | None = None
        for leaf in leaves:
            kind = leaf.value.kind
            yield leaf.facts * BLOCKS.get((before, kind), BLOCKS.get(kind, 1.0))
            before = kind

    def of_data(self, value: Any, roots: Sequence[Root] = ()) -> list[float]:
        """Return what `weigh_data` returns; this is its former name."""
        warn_of_method("Salience.of_data", "weigh_data")
        return self.weigh_data(value, roots)

    def weigh_data(self, value: Any, roots: Sequence[Root] = ()) -> list[float]:
        """Return the worth of each leaf of plain data, in order.

        A value at one of the `roots` is weighed as a separate document.
        """
        columns = Columns(value)
        leaf_worths = [0.0] * columns.size
        late = self._logs.get("late", 0.0)
        entries = describe_columns(columns, self._lexicon, roots)
        marks, sizes, unlike_cells = row_traits(columns, entries)
        near = [
            exp(late * log(1 + at / LONG) + self._logs.get(mark, 0.0))
            for at, mark in zip(columns.index, marks, strict=True)
        ]
        rate = self._logs.get("rows", 0.0)
        for row, size in sizes.items():  # it is a fact of its own, not one row of many
            near[row] *= exp(-rate * log(size))
        for entry in entries:
            for text in unlike_cells.get(entry.column, ()):
                if "alarm" not in entry.own[text]:
                    entry.own[text]["rare"] = 1.0
        for entry in entries:
            column = entry.column
            base = self._log_worth(entry.common)
            worths = {
                text: exp(base + self._log_worth(traits)) for text, traits in entry.own.items()
            }
            far = self._logs.get("run", 0.0)
            distances = log_distances(column)
            if distances is None:
                in_list = column.path.count(ITEM) > 1 and column.path[-1] == ITEM
                in_list = in_list and not column.is_tuple_part
                for place, text, row in zip(column.places, entry.texts, column.rows, strict=True):
                    behind = columns.index[row] if in_list else 0
                    leaf_worths[place] = worths[text] * near[row] / (1 + behind)
            else:
                for at, (place, text, row) in enumerate(
                    zip(column.places, entry.texts, column.rows, strict=True)
                ):
                    leaf_worths[place] = worths[text] * near[row] * exp(far * distances[at])
        _raise_telling_cells(leaf_worths, entries, sizes, unlike_cells)
        return [float(max(1, round(UNIT * worth))) for worth in leaf_worths]

    def _log_worth(self, traits: Traits) -> float:
        """Return the logarithm of the factor that some traits give together."""
        logs, total = self._logs, 0.0
        for name, amount in traits.items():
            total += logs.get(name, 0.0) * amount
        return total


def _raise_telling_cells(
    leaf_worths: list[float],
    entries: Sequence[ColumnTraits],
    exceptional: Collection[int],
    unlike_cells: Mapping[LeafColumn, set[str]],
) -> None:
    """Raise the worth of what makes rows exceptional to `TELLING` times their best other cell."""
    best: dict[int, float] = dict.fromkeys(exceptional, 0.0)
    telling: list[tuple[int, int]] = []
    for entry in entries:
        unlike_texts = unlike_cells.get(entry.column, ())
        for place, text, row in zip(
            entry.column.places, entry.texts, entry.column.rows, strict=True
        ):
            if row in best:
                if text in unlike_texts:
                    telling.append((place, row))
                else:
                    best[row] = max(best[row], leaf_worths[place])
    for place, row in telling:
        leaf_worths[place] = max(leaf_worths[place], TELLING * best[row])


class PreparedTable(NamedTuple):
    """A salience table, prepared for use.

    Attributes
    ----------
    logs : dict of str to float
        The logarithm of each trait's factor.
    lexicon : Lexicon
        The ratings of names.
    """

    logs: dict[str, float]
    lexicon: Lexicon

    @classmethod
    def of(cls, table: Mapping[str, Mapping[str, Any]]) -> PreparedTable:
        """Prepare a table with the sections of ``salience.toml``.

        Raises `ValueError` if a factor is not a finite number above 0.
        """
        factors = cast("Mapping[str, float]", table["factors"])
        for name, factor in factors.items():
            if not 0 < factor < inf:
                raise ValueError(
                    f"factors must be finite numbers above 0, not {name!r} = {factor!r}"
                )
        return cls({name: log(factor) for name, factor in factors.items()}, Lexicon(table))


def table() -> dict[str, dict[str, Any]]:
    """Return the shipped table: factors by trait, and names by rating."""
    import tomllib

    text = (get_data("mckp.weights", "salience.toml") or b"").decode()
    return cast("dict[str, dict[str, Any]]", tomllib.loads(text))


@cache
def _shipped_table() -> PreparedTable:
    """Return the shipped table, prepared once."""
    return PreparedTable.of(table())
