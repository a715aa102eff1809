"""Catalogs made up for tests, and the real ones where they are."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

_ROOT: Final = Path(__file__).parents[2]
_ZONE: Final = {"type": "string", "description": "Which time zone.", "default": "UTC"}
_PLACE: Final = {
    "type": "object",
    "properties": {
        "street": {"type": "string"},
        "city": {"type": "string"},
        "floor": {"type": "integer"},
    },
    "required": ["street", "city"],
}

HARBOUR: Final[list[dict[str, Any]]] = [
    {
        "name": "get_tide",
        "description": "Get the tide at a place",
        "inputSchema": {
            "type": "object",
            "properties": {
                "place": {"type": "string"},
                "unit": {"type": "string", "enum": ["metre", "foot"]},
                "zone": _ZONE,
            },
            "required": ["place"],
        },
    },
    {
        "name": "book_berth",
        "description": "Book a berth for a ship. It cannot be undone.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ship_id": {"type": "integer", "description": "The id, as list_ships has it"},
                "office": _PLACE,
                "notes": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["ship_id", "office"],
        },
    },
    {"name": "list_ships", "description": "This tool will list ships", "inputSchema": {}},
]
"""Three tools of a harbour."""


def real(name: str) -> list[dict[str, Any]]:
    """Return a real catalog; skip where there is none."""
    folder = Path(os.environ.get("MCKP_CORPUS", _ROOT.parent / "shared/corpus"))
    path = folder / "tool_catalogs" / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"no {path}; MCKP_CORPUS names the folder that holds tool_catalogs")
    tools: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return tools
