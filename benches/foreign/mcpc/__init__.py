"""mcp-compressor's four levels: a list of tools up front, schemas when they are asked for."""

from __future__ import annotations

from foreign.mcpc.cost import Cost, mcpc_cost
from foreign.mcpc.envelope import mcpc, mcpc_tools
from foreign.mcpc.listing import LEVELS, mcpc_listing, mcpc_schema

__all__ = ["LEVELS", "Cost", "mcpc", "mcpc_cost", "mcpc_listing", "mcpc_schema", "mcpc_tools"]
