"""One tool of a catalog, whatever shape its definition came in, and what it is worth."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object
from mckp.tools.schema import every
from mckp.tools.text.words import sentences
from mckp.tree import TreeNode
from mckp.weights.bm25 import bm25

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SCHEMA_KEYS: Final[Mapping[str, str]] = {
    "mcp": "inputSchema",
    "anthropic": "input_schema",
    "openai": "parameters",
    "responses": "parameters",
    "function": "parameters",
    "bare": "inputSchema",
}
"""What the parameters are called in each shape of definition."""

DEFINITION: Final = "function"
"""The member of the shape ``openai`` that holds the definition, and its value of ``type``."""


@dataclass(frozen=True, eq=True)
class Tool:
    """A tool as its server defines it.

    Attributes
    ----------
    name : str
        Its name, unique in a catalog and never empty.
    description : str
        What it does; empty if `absent` or said to be.
    parameters : dict
        The JSON Schema of its arguments as given; ``{}`` if absent.
    output : dict or None
        The JSON Schema of its results, if there is one.
    annotations : dict
        Hints such as ``{"readOnlyHint": true}``.
    extra : dict
        All other members of the definition. In the shape ``openai`` those of the wrapper,
        and below ``function`` those of the definition in it.
    shape : str
        ``mcp``, ``anthropic``, ``openai`` (wrapped), ``responses`` (OpenAI's flat one),
        ``function`` (flat, without a type), or ``bare`` where there are no parameters to
        tell by.
    absent : frozenset of str
        Which of ``description``, ``parameters`` and ``annotations`` were not given.

    Examples
    --------
    >>> tool = Tool("now", "The time.", {}, None, {}, {}, "mcp")
    >>> tool.definition()
    {'name': 'now', 'description': 'The time.', 'inputSchema': {}, 'annotations': {}}
    >>> tool.tree().at("description")
    <string $.now.description 'The time.'>
    """

    name: str
    description: str
    parameters: dict[str, Any]
    output: dict[str, Any] | None
    annotations: dict[str, Any]
    extra: dict[str, Any]
    shape: str
    absent: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        return hash((self.name, self.description))

    def definition(self) -> dict[str, Any]:
        """Return the definition as plain data, in the shape it came in."""
        own = self._own(self.extra)
        if self.shape == "responses":
            return {"type": DEFINITION, **own}
        if self.shape == "openai":
            rest = {key: value for key, value in self.extra.items() if key != DEFINITION}
            own = self._own(self.extra.get(DEFINITION, {}))
            return {"type": DEFINITION, DEFINITION: own, **rest}
        return own

    def tree(self) -> TreeNode:
        """Return the definition as a typed tree, with paths that begin with its name."""
        return TreeNode.of(self.definition(), (self.name,))

    def _own(self, extra: Mapping[str, Any]) -> dict[str, Any]:
        members = {
            "description": self.description,
            "parameters": self.parameters,
            "annotations": self.annotations,
        }
        own: dict[str, Any] = {"name": self.name}
        for member, value in members.items():
            if member not in self.absent:
                own[SCHEMA_KEYS[self.shape] if member == "parameters" else member] = value
        if self.output is not None:
            own[output_key(self.shape)] = self.output
        return {**own, **extra}


def output_key(shape: str) -> str:
    """Return what the schema of results is called in a shape of definition."""
    return "output_schema" if shape == "anthropic" else "outputSchema"


NAME_FACTS: Final = 8
"""A tool that is not named cannot be called."""

FIRST_SENTENCE_FACTS: Final = 6
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
_MAX_ENUM_FACTS: Final = 20
_MIN_RELEVANCE: Final = 0.1
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
    total = NAME_FACTS + len(tool.annotations) + len(tool.extra)
    if (told := _sentences(tool.description)) > 0:
        total += FIRST_SENTENCE_FACTS + WORTH["description"] * (told - 1)
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
        return min(len(data), _MAX_ENUM_FACTS) if key == "enum" else len(data)
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
    return [
        _MIN_RELEVANCE + (1 - _MIN_RELEVANCE) * score / best if best > 0 else 1.0
        for score in scores
    ]


def _words(tool: Tool) -> list[str]:
    properties = tool.parameters.get("properties")
    names = " ".join(properties) if is_object(properties) else ""
    return list(_split(f"{tool.name} {tool.name} {tool.description} {names}"))


def _split(text: str) -> Iterable[str]:
    return (word.lower() for word in _WORD.findall(text))
