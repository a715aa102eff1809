"""What a text says of a tool: everything, in one shape and one order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mckp.tools.schema.prune import ordered, pruned
from mckp.tools.tool import DEFINITION

if TYPE_CHECKING:
    from mckp.tools.tool import Tool


def normal(tool: Tool) -> Tool:
    """Return a tool as its full text says it.

    The shape is MCP's, schemas are pruned, and required names are sorted, as
    they are a set.
    """
    extra = tool.extra
    if tool.shape == "openai":
        inner: dict[str, Any] = extra.get(DEFINITION, {})
        extra = {**inner, **{key: data for key, data in extra.items() if key != DEFINITION}}
    return replace(
        tool,
        shape="mcp",
        extra=extra,
        parameters=ordered(pruned(tool.parameters)),
        output=None if tool.output is None else ordered(pruned(tool.output)),
    )
