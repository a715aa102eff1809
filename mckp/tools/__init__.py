"""Lists of tool definitions: read in any format, written with the details that fit a budget."""

from __future__ import annotations

from mckp.tools.encode import encode_tools
from mckp.tools.offer import LEVELS
from mckp.tools.renderings import pruned
from mckp.tools.text.read import decode_tools
from mckp.tools.tool import Tool, parse_tools

__all__ = [
    "LEVELS",
    "Tool",
    "decode_tools",
    "encode_tools",
    "parse_tools",
    "pruned",
]
