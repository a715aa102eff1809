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
    """Yield the scalars and empty containers of a value, each with the part that it belongs to.

    A part is a member, wherever its record stands. An array that holds anything but objects is
    one with all that is in it, since no item goes without the others.

    Examples
    --------
    >>> list(leaves({"jobs": [{"id": 1, "tags": ["a", {"b": 2}]}]}))
    [(('jobs', '*', 'id'), 1), (('jobs', '*', 'tags'), 'a'), (('jobs', '*', 'tags'), 2)]
    """
    if is_object(value) and value:
        step = _step(value)
        for key, below in value.items():
            yield from leaves(below, (*path, step or key))
    elif is_array(value) and value:
        whole = not is_table(value)
        for below in value:
            for inner, leaf in leaves(below, (*path, "*")):
                yield (member_of(path) if whole else inner), leaf
    else:
        yield path, value


def is_table(array: list[Any]) -> bool:
    """Whether an array holds objects and nothing else."""
    return all(map(is_object, array))


def member_of(path: Path) -> Path:
    """Return the path to the member in which an array stands, be it in other arrays."""
    end = len(path)
    while end and path[end - 1] == "*":
        end -= 1
    return path[:end]


def name_of(path: Path) -> str:
    """Return what a part is called: ``labels[*].url`` of records that have labels."""
    return ".".join(path).replace(".*", "[*]").removeprefix("*.")


def _step(value: dict[str, Any]) -> str:
    """Return ``*`` for records under names of their own, which are like items."""
    return "*" if len(value) >= _KEYED and all(map(is_object, value.values())) else ""


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
        self._whole: Path | None = None  # the member of the array all of which is one part
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
        return self._leaf(value, self._whole or path)

    def _items(self, value: list[Any], path: Path) -> Any:
        around = self._whole
        if self._whole is None and not is_table(value):
            self._whole = member_of(path)
        found = self._records(enumerate(value), (*path, "*"))
        self._whole = around
        return found if found is _GONE else list(found.values())

    def _members(self, value: dict[str, Any], path: Path) -> Any:
        if step := _step(value):
            return self._records(value.items(), (*path, step))
        found = {key: self._left(item, (*path, key)) for key, item in value.items()}
        return {key: item for key, item in found.items() if item is not _GONE} or _GONE

    def _records(self, pairs: Iterable[tuple[Any, Any]], path: Path) -> Any:
        """Return what is left of records; one of which nothing is left is an empty one."""
        start, is_gone = len(self.weights), len(path) > 1
        found: dict[Any, Any] = {}
        for key, item in pairs:
            left = self._left(item, path)
            if left is _GONE:
                self.weights.append(0.0)
                left = {}
            else:
                is_gone = False
            found[key] = left
        if is_gone:
            del self.weights[start:]
        return _GONE if is_gone else found

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
