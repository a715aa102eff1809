"""What mcp-compressor costs once tools are used: T(k) = listing + k schemas, and k more turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from foreign.mcpc.envelope import mcpc
from foreign.mcpc.listing import mcpc_schema
from mckp import tokenizers
from mckp.jsontext import dump
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from mckp.api import TokenizerLike


@dataclass(frozen=True)
class Cost:
    """Tokens of a catalog behind mcp-compressor.

    Attributes
    ----------
    listing : int
        What is shown up front.
    schemas : tuple of int
        What the schema of each tool costs: the request for it and the answer.
    full : int
        The same catalog as compact JSON.
    """

    listing: int
    schemas: tuple[int, ...]
    full: int

    @property
    def mean(self) -> float:
        """The mean cost of a schema."""
        return sum(self.schemas) / max(len(self.schemas), 1)

    def at(self, distinct: int) -> float:
        """Return T(k): what `distinct` tools cost that are used, on average."""
        return self.listing + distinct * self.mean

    @property
    def break_even(self) -> float:
        """The number of distinct tools from which on all of the JSON is cheaper."""
        return (self.full - self.listing) / self.mean if self.schemas else 0.0


def mcpc_cost(
    tools: Any,
    level: str = "medium",
    *,
    tokenizer: TokenizerLike = "o200k",
    server: str = "server",
) -> Cost:
    """Count what a level costs up front and for each tool that is used.

    Examples
    --------
    >>> tools = [{"name": f"get_{n}", "description": "Gets it."} for n in range(9)]
    >>> cost = mcpc_cost(tools, "max")
    >>> cost.listing, cost.schemas[0]
    (292, 30)
    """
    found, counter = parse_tools(tools), tokenizers.get(tokenizer)
    request = {"name": f"{server}_get_tool_schema", "arguments": {"tool_name": ""}}
    asked = [dump({**request, "arguments": {"tool_name": tool.name}}) for tool in found]
    answers = counter.count_batch([mcpc_schema(tool) for tool in found])
    turns = zip(counter.count_batch(asked), answers, strict=True)
    full = dump([tool.definition() for tool in found])
    return Cost(
        counter.count(mcpc(found, level, server)), tuple(map(sum, turns)), counter.count(full)
    )
