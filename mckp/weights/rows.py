"""What each record is worth, by one of its own fields or by numbers beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mckp.errors import WeightError
from mckp.jsontext import path_text
from mckp.weights.models import place_of
from mckp.weights.sums import as_weight

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.weights.leaves import Leaf

_Place = tuple[tuple[str | int, ...] | None, int]


class Rows:
    """Weigh all of a record alike; a factor to combine with other models.

    A record is an element of the outermost array that a leaf stands in: of a data frame a row.
    What stands in no array has the factor 1.

    Parameters
    ----------
    by : str or iterable of float
        The name of the field that has the weight of its record, or a number for each record.

    Examples
    --------
    >>> from mckp.weights.leaves import leaves
    >>> from mckp.tree import TreeNode
    >>> rows = leaves(TreeNode.of([{"id": 1, "stars": 5}, {"id": 2, "stars": 0.5}]))
    >>> Rows("stars")(rows), Rows([1, 0])(rows)
    ([5.0, 5.0, 0.5, 0.5], [1.0, 1.0, 0.0, 0.0])
    """

    def __init__(self, by: str | Iterable[float]) -> None:
        self.by = by if isinstance(by, str) else [_plain(each) for each in by]

    def __call__(self, leaves: Sequence[Leaf]) -> list[float]:
        places = [place_of(leaf) for leaf in leaves]
        known = self._by_field(leaves) if isinstance(self.by, str) else self._by_number(places)
        return [1.0 if array is None else self._of(known, (array, at)) for array, at in places]

    def _by_field(self, leaves: Sequence[Leaf]) -> dict[_Place, Any]:
        found: dict[_Place, Any] = {}
        for leaf in leaves:
            array, at = place_of(leaf)
            if array is not None and leaf.path[len(array) + 1 :] == (self.by,):
                found[array, at] = leaf.value
        return found

    def _by_number(self, places: Sequence[_Place]) -> dict[_Place, Any]:
        arrays = {array: 0 for array, _ in places if array is not None}
        for array, at in places:
            if array is not None:
                arrays[array] = max(arrays[array], at + 1)
        for array, length in arrays.items():
            if length != len(self.by):
                message = f"there are {length} records, and numbers for {len(self.by)}"
                raise WeightError("Rows", message, path=path_text(array))
        return {(array, at): n for array in arrays for at, n in enumerate(self.by)}

    def _of(self, known: dict[_Place, Any], place: _Place) -> float:
        given = known.get(place)
        weight = as_weight(given)
        if weight is None:
            what = f"its field {self.by!r}" if isinstance(self.by, str) else "its number"
            message = f"a record is weighed by a number of 0 or more; {what} is {given!r:.40}"
            raise WeightError("Rows", message, path=path_text((*(place[0] or ()), place[1])))
        return weight


def _plain(given: object) -> Any:
    """Return a number of numpy, Arrow or polars as one of Python."""
    for name in ("item", "as_py"):
        if callable(convert := getattr(given, name, None)):
            return cast("Any", convert())
    return given
