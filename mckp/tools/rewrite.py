"""JSON to JSON: the same tools with schemas that say the same in fewer tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mckp import tokenizers
from mckp.tools import schema as schemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.tool import Tool


def pruned(tools: Iterable[Tool]) -> list[Tool]:
    """Return tools without what their schemas do not need.

    Each schema is valid for the same values as before; see `mckp.tools.schema.pruned`.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
    >>> pruned(parse_tools([{"name": "now", "inputSchema": schema}]))[0].parameters
    {'type': 'object'}
    """
    return [_changed(tool, schemas.pruned) for tool in tools]


def hoisted(
    tools: Iterable[Tool], tokenizer: str | Tokenizer | Callable[[str], int] = "o200k"
) -> list[Tool]:
    """Return tools in each of which what is there twice is defined once, where that pays.

    Each schema still stands on its own; see `mckp.tools.schema.hoisted`.
    """
    count = tokenizers.get(tokenizer).count
    return [_changed(tool, lambda schema: schemas.hoisted(schema, count)) for tool in tools]


def _changed(tool: Tool, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Tool:
    output = None if tool.output is None else change(tool.output)
    return replace(tool, parameters=change(tool.parameters), output=output)
