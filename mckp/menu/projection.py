"""A value without some of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.jsontext import is_array, is_object
from mckp.menu.reduction import share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mckp.menu.reduction import Weigh
    from mckp.menu.shorten import Shortened

Path: TypeAlias = tuple[str, ...]
"""Member names, and ``*`` for any item of an array or record under a name of its own."""

Part: TypeAlias = tuple[Path, int]
"""A path, and which form of the texts there is meant: 0 for the shortest."""

_KEYED: Final = 3
"""Objects under names of their own from which on they are records of a table."""

_GONE: Final = object()


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the scalars of a value, each with the path to the member that it belongs to.

    No item of an array goes without the array.

    Examples
    --------
    >>> list(leaves({"jobs": [{"id": 1, "tags": ["a", "b"]}]}))
    [(('jobs', '*', 'id'), 1), (('jobs', '*', 'tags'), 'a'), (('jobs', '*', 'tags'), 'b')]
    """
    if is_object(value) and value:
        step = _step(value)
        for key, below in value.items():
            yield from leaves(below, (*path, step or key))
    elif is_array(value) and value:
        for below in value:
            yield from leaves(below, (*path, "*"))
    else:
        yield _member(path), value


def name_of(path: Path) -> str:
    """Return what a part is called: ``labels[*].url`` of records that have labels."""
    return ".".join(path).replace(".*", "[*]").removeprefix("*.")


def _step(value: dict[str, Any]) -> str:
    """Return ``*`` for records under names of their own, which are like items."""
    return "*" if len(value) >= _KEYED and all(map(is_object, value.values())) else ""


def _member(path: Path) -> Path:
    end = len(path)
    while end and path[end - 1] == "*":
        end -= 1
    return path[:end]


class Projection:
    """What is left of a value, and what was lost of its texts.

    Parameters
    ----------
    value : dict or list
        The value.
    gone : iterable of Part
        What is left out.
    weigh : callable
        From a leaf, by its number, to its information.
    forms : callable
        From a scalar to its forms, the shortest first; None stands for all of it.

    Attributes
    ----------
    content
        What is left; records stay, be they empty.
    weights : list of float
        The information in each leaf of it.
    cuts : dict of str to (int, int)
        How many sentences, lines and so on are missing from texts, of how many.
    """

    def __init__(
        self,
        value: dict[str, Any] | list[Any],
        gone: Iterable[Part],
        weigh: Weigh,
        forms: Callable[[Any], list[Shortened | None]],
    ) -> None:
        self._weigh, self._forms = weigh, forms
        self._lowest: dict[Path, int] = {}
        for path, level in gone:
            self._lowest[path] = min(level, self._lowest.get(path, level))
        self._number = -1
        self.weights: list[float] = []
        self.cuts: dict[str, tuple[int, int]] = {}
        content = self._left(value, ())
        self.content: Any = ([] if is_array(value) else {}) if content is _GONE else content

    def _left(self, value: Any, path: Path) -> Any:
        if is_array(value) and value:
            return self._items(value, path)
        if is_object(value) and value:
            return self._members(value, path)
        self._number += 1
        return self._leaf(value, _member(path))

    def _items(self, value: list[Any], path: Path) -> Any:
        start = len(self.weights)
        found = [self._record(item, (*path, "*")) for item in value]
        return found if not path else self._unless_empty(found, start)

    def _members(self, value: dict[str, Any], path: Path) -> Any:
        start = len(self.weights)
        if step := _step(value):
            named = {key: self._record(item, (*path, step)) for key, item in value.items()}
            return named if not path else self._unless_empty(named, start)
        found = {key: self._left(item, (*path, key)) for key, item in value.items()}
        return {key: item for key, item in found.items() if item is not _GONE} or _GONE

    def _record(self, value: Any, path: Path) -> Any:
        left = self._left(value, path)
        if left is _GONE:  # it is still one, if an empty one
            self.weights.append(0.0)
            return {}
        return left

    def _unless_empty(self, found: Any, start: int) -> Any:
        if any(self.weights[start:]):
            return found
        del self.weights[start:]
        return _GONE

    def _leaf(self, value: Any, path: Path) -> Any:
        level = self._lowest.get(path)
        if level == 0:
            return _GONE
        weight, forms = self._weigh(self._number), self._forms(value)
        form = forms[min(level, len(forms)) - 1] if level is not None else None
        if form is None:
            self.weights.append(weight)
            return value
        missing, total = self.cuts.get(form.unit, (0, 0))
        self.cuts[form.unit] = missing + form.missing, total + form.total
        self.weights.append(share(weight, form.missing, form.total))
        return form.text
