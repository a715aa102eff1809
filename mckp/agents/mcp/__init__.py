"""An MCP proxy: tool results pass through a session on their way to the model.

The proxy relays the messages of a host and of one or more servers unchanged, except for tool
results and tool lists. It needs the extra ``mcp``, which is imported only when
a proxy starts.
"""

from __future__ import annotations

from typing import Final

CATALOGS: Final = ("same", "json", "on-demand")
"""Shapes of a list of tools.

``same`` leaves it as it is; ``json`` prunes schemas and defines once what is there twice;
``on-demand`` names the tools, and their schemas are asked for.
"""

STRUCTURED: Final = ("auto", "keep", "drop", "encode")
"""What becomes of structured content.

``auto`` writes it as text where no text says the same, and gives a host that shows text or data
only the one that it shows; ``encode`` writes it as text in any case; ``drop`` keeps only the text;
``keep`` keeps it, with a limit only within that. Only with ``keep`` and without a limit do lists of
tools have output schemas: the protocol demands structured content of a tool with such a schema.
"""
