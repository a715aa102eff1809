"""Strings that hold JSON: which spelling of which value they are, to the byte."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_container, load
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_LEVELS: Final = 2
"""Strings within strings that are looked into."""

MOST_DEPTH: Final = 24
"""Brackets that may be open at once in a string for it to be looked into."""

_spelled = partial(json.dumps, allow_nan=False)

SPELLINGS: Final[dict[str, Callable[[Any], str]]] = {
    "json": dump,
    "json1": partial(_spelled, ensure_ascii=False),
    "json2": partial(_spelled, ensure_ascii=False, indent=2),
    "json3": _spelled,
    "json4": partial(_spelled, ensure_ascii=False, indent=4),
    "json5": partial(_spelled, separators=(",", ":")),
}
"""The ways in which programs write JSON, by the word that stands for each."""

_BRACKET = regex(r"[\[{]|([\]}])")


def embedded(text: str) -> tuple[str, Any] | None:
    """Return the spelling and the value of a string that is JSON, or None.

    Examples
    --------
    >>> embedded('{"id": 1, "ok": true}'), embedded("[1,2]"), embedded("[1,  2]")
    (('json1', {'id': 1, 'ok': True}), ('json', [1, 2]), None)
    """
    if text[:1] + text[-1:] not in ("{}", "[]") or len(text) <= 2 or _depth(text) > MOST_DEPTH:
        return None
    try:
        value = load(text)
    except ValueError:
        return None
    if not is_container(value) or not value:
        return None
    for name, spell in SPELLINGS.items():
        if spell(value) == text:
            return name, value
    return None


def _depth(text: str) -> int:
    """Return how many brackets are open at once, those inside strings counted too."""
    depth = deepest = 0
    for match in _BRACKET.finditer(text):
        depth += -1 if match[1] else 1
        deepest = max(deepest, depth)
    return deepest
