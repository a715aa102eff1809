"""What a tool's text is worth: facts of its definition, times how much the tool matters."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object
from mckp.tools.schema.keywords import every
from mckp.tools.text.sentences import sentences
from mckp.weights.bm25 import bm25

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mckp.tools.tool import Tool

NAME: Final = 8
"""A tool that is not named cannot be called."""

FIRST_SENTENCE: Final = 6
"""What the tool is for."""

WORTH: Final[Mapping[str, int]] = {
    "properties": 2,
    "description": 2,
    "type": 1,
    "required": 1,
    "enum": 1,
    "const": 1,
    "$ref": 1,
}
"""Facts that each name, sentence, type or value counts; every other keyword counts 1."""

_FREE: Final = frozenset(
    {"items", "anyOf", "oneOf", "allOf", "$defs", "definitions", "prefixItems", "$schema"}
)
_MOST_VALUES: Final = 20
_LEAST: Final = 0.1
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


def facts(tool: Tool) -> int:
    """Return how many facts the definition of a tool holds.

    The name is 8, the first sentence 6 and each further one 2; a parameter's name and each
    sentence about it 2; types, required marks, enumerated values (up to 20 of one
    parameter), and any other keyword 1 each.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> facts(parse_tools('{"name": "now", "description": "The time. In UTC."}')[0])
    16
    """
    total = NAME + len(tool.annotations) + len(tool.extra)
    if (told := _sentences(tool.description)) > 0:
        total += FIRST_SENTENCE + WORTH["description"] * (told - 1)
    for schema in (tool.parameters, tool.output or {}):
        total += sum(_facts(one) for one in every(schema) if is_object(one))
    return total


def _facts(schema: Mapping[str, Any]) -> int:
    return sum(
        WORTH.get(key, 1) * _times(key, data) for key, data in schema.items() if key not in _FREE
    )


def _times(key: str, data: Any) -> int:
    if key == "description" and isinstance(data, str):
        return _sentences(data)
    if key in ("properties", "required", "enum") and (is_object(data) or is_array(data)):
        return min(len(data), _MOST_VALUES) if key == "enum" else len(data)
    return 1


def _sentences(text: str) -> int:
    return sum(1 for piece in sentences(text) if piece.strip())


def importance(tools: Sequence[Tool], query: str | None, usage: Mapping[str, float]) -> list[float]:
    """Return how much each tool matters.

    Parameters
    ----------
    tools : sequence of Tool
        The tools.
    query : str, optional
        A task. The tool that fits it best counts 1, one that shares no word with it 0.1.
    usage : mapping
        How often tools were called, by name; a tool counts 1 + log2(1 + calls) times.

    Returns
    -------
    list of float
        A factor for each tool, with three decimals.

    Raises
    ------
    MissingExtraError
        If there is a query and the package ``bm25s`` is not installed.
    """
    matched = [1.0] * len(tools) if query is None else _matched(tools, query)
    return [
        round(match * (1 + math.log2(1 + usage.get(tool.name, 0))), 3)
        for match, tool in zip(matched, tools, strict=True)
    ]


def _matched(tools: Sequence[Tool], query: str) -> list[float]:
    scores = bm25([_words(tool) for tool in tools], list(_split(query)))
    best = max(scores, default=0.0)
    return [_LEAST + (1 - _LEAST) * score / best if best > 0 else 1.0 for score in scores]


def _words(tool: Tool) -> list[str]:
    properties = tool.parameters.get("properties")
    names = " ".join(properties) if is_object(properties) else ""
    return list(_split(f"{tool.name} {tool.name} {tool.description} {names}"))


def _split(text: str) -> Iterable[str]:
    return (word.lower() for word in _WORD.findall(text))
