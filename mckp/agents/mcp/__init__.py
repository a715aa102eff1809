"""An MCP proxy: what tools say passes through a session on its way to the model.

The proxy relays the messages of a host and of one or many servers as they are, and changes
only results of tools and lists of tools. It needs the extra ``mcp``; nothing of that is
imported before a proxy is started.
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

``keep`` leaves it; ``drop`` leaves the text alone; ``encode`` writes it as text; ``auto`` drops it
where the text holds the same data. But with ``keep``, lists of tools have no output schemas: where
there is one, the protocol demands structured content.
"""
