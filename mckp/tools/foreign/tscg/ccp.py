"""CCP, causal closure: the tools and what they require once more, at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.tools.foreign.schema import members, required

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tools.tool import Tool


def ccp(text: str, tools: Sequence[Tool]) -> str:
    r"""Append the closure of a catalog.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"a": {}, "b": {}}, "required": ["b"]}
    >>> ccp("…", parse_tools({"put": {"parameters": schema}, "now": {}}))
    '…\n[CLOSURE:put(b),now()]'
    """
    return f"{text}\n[CLOSURE:{','.join(map(_again, tools))}]" if tools else text


def _again(tool: Tool) -> str:
    needed = required(tool.parameters)
    return f"{tool.name}({','.join(name for name in members(tool.parameters) if name in needed)})"
