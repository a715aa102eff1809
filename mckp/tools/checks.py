"""What a caller asks of a catalog is looked at before anything is written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from mckp.errors import UnknownNameError
from mckp.tools.levels import check_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tools.tool import Tool


def checked_pins(pins: Any, tools: Sequence[Tool]) -> frozenset[str]:
    """Return the names of pinned tools.

    Raises
    ------
    TypeError
        If they are no names, or one name that is not in a list.
    UnknownNameError
        If the catalog does not hold one; with the names there are.
    """
    if pins is None:
        return frozenset()
    if isinstance(pins, str) or not isinstance(cast("object", pins), Iterable):
        raise TypeError(f"pins are a list of names of tools, not {pins!r:.40}")
    known = {tool.name for tool in tools}
    names: list[Any] = list(pins)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"a pinned tool is a name, not {name!r:.40}")
        if name not in known:
            raise UnknownNameError("pinned tool", name, sorted(known))
    return frozenset(names)


def checked_usage(usage: Any) -> dict[str, float]:
    """Return how often tools were called.

    Raises
    ------
    TypeError, ValueError
        If that is no mapping from names to numbers, or a number is below 0 or without end.
    """
    return _numbers("usage", "calls by name of tool", usage, math.inf)


def checked_profile(profile: Any) -> dict[str, float]:
    """Return how much of each level reaches the reader.

    Raises
    ------
    TypeError, ValueError
        If that is no mapping from levels to numbers from 0 to 1.
    UnknownNameError
        For a level that does not exist.
    """
    found = _numbers("profile", "shares from 0 to 1 by name of level", profile, 1)
    for level in found:
        check_level(level)
    return found


def _numbers(name: str, holds: str, given: Any, most: float) -> dict[str, float]:
    if given is None:
        return {}
    if not isinstance(cast("object", given), Mapping):
        raise TypeError(f"{name} holds {holds}, it is not {given!r:.40}")
    found: dict[str, float] = dict(given)
    for key, number in found.items():
        if isinstance(number, bool) or not isinstance(cast("object", number), int | float):
            raise TypeError(f"{name} holds {holds}, which {number!r:.40} of {key!r} is not")
        if not 0 <= number <= most or number == math.inf:
            raise ValueError(f"{name} holds {holds}, which {number!r:.40} of {key!r} cannot be")
    return found


def check_text(name: str, text: Any) -> None:
    """Refuse what is no text.

    Raises
    ------
    TypeError
        With the name of the argument.
    """
    if not isinstance(text, str):
        raise TypeError(f"{name} is a text, not {text!r:.40}")


def check_recall(recall: Any) -> None:
    """Refuse what cannot stand in the header.

    Raises
    ------
    TypeError, ValueError
        If it is no text, or not one that can be read back.
    """
    check_text("recall", recall)
    if not recall.isprintable() or "]" in recall:
        raise ValueError("recall is printable text on one line without a closing bracket")
