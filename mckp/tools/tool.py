"""One tool of a catalog, whatever shape its definition came in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Mapping

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
