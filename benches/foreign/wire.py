"""The format of ai-sdk-wire-middleware 0.1.6: a manual in the system prompt and a line a tool.

Lines are those of the original. Its manual's header is in our own words, and as long, so that
sizes can be compared. Calls in this format, read and written, are in `mckp.tools.calls`.
"""

from __future__ import annotations

from typing import Any

from mckp.tools.calls.manual import manual, wire_signature
from mckp.tools.tool import parse_tools


def wire_manual(tools: Any) -> str:
    """Return the part of a prompt that tells how to call tools, and which there are."""
    return manual(tools, "wire")


def wire_signatures(tools: Any) -> str:
    """Return a line for each tool.

    Examples
    --------
    >>> days = {"type": "integer"}
    >>> schema = {"type": "object", "properties": {"days": days, "city": {}}, "required": ["days"]}
    >>> print(wire_signatures([{"name": "plan", "description": "Plan.", "inputSchema": schema}]))
    - plan: <json> — Plan.
    """
    return "\n".join(f"- {wire_signature(tool)}" for tool in parse_tools(tools))
