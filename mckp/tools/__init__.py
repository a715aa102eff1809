"""Catalogs of tools: read in any shape, written at the level of detail a budget allows."""

from __future__ import annotations

from mckp.tools.parse import parse_tools
from mckp.tools.tool import Tool

__all__ = ["Tool", "parse_tools"]
