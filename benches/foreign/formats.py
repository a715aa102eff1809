"""The formats of others by name, each a function from tools to a text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from foreign.mcpc import LEVELS, mcpc, mcpc_schema
from foreign.ts_namespace import ts_namespace
from foreign.tscg import tscg
from foreign.tscg_released import tscg_descriptions, tscg_released
from foreign.ttc_notes import noted
from foreign.ttc_released import ttc_released
from foreign.wire import wire_manual, wire_signatures
from mckp.tools.renderings.ttc import ttc
from mckp.tools.renderings.typescript import ts_lines
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _schemas(tools: Any) -> str:
    return "\n".join(map(mcpc_schema, parse_tools(tools)))


FORMATS: Final[Mapping[str, Callable[[Any], str]]] = {
    "tscg conservative": partial(tscg, profile="conservative"),
    "tscg balanced": partial(tscg, profile="balanced"),
    "tscg aggressive": partial(tscg, profile="aggressive"),
    "tscg released descriptions": tscg_descriptions,
    "tscg released conservative": partial(tscg_released, profile="conservative"),
    "tscg released balanced": partial(tscg_released, profile="balanced"),
    "tscg released aggressive": partial(tscg_released, profile="aggressive"),
    "ttc": ttc,
    "ttc notes": noted,
    "ttc released": ttc_released,
    "wire": wire_manual,
    "wire signatures": wire_signatures,
    "ts namespace": ts_namespace,
    "ts lines": ts_lines,
    "ts signatures": partial(ts_lines, descriptions=False),
    **{f"mcpc {level}": partial(mcpc, level=level) for level in LEVELS},
    "mcpc schemas": _schemas,
}
"""By name; ``mcpc schemas`` is what is fetched later, a tool at a time."""
