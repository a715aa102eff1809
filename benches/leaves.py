"""The leaves of a document: scalars and empty containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    Path = tuple[str | int, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield place and value of each leaf.

    Examples
    --------
    >>> list(leaves({"a": [1, {}]}))
    [(('a', 0), 1), (('a', 1), {})]
    """
    if is_object(value) and value:
        for key, child in value.items():
            yield from leaves(child, (*path, key))
    elif is_array(value) and value:
        for number, child in enumerate(value):
            yield from leaves(child, (*path, number))
    else:
        yield path, value
