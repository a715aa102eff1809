"""Catalogs of tools to test with: one that is made here, and real ones where they are."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.beside import SHARED

REAL: Final = sorted((SHARED / "corpus/tool_catalogs").glob("*.json"))

real = pytest.mark.parametrize(
    "path",
    REAL or [pytest.param(None, marks=pytest.mark.skip("the real catalogs are not here"))],
    ids=lambda path: "none" if path is None else path.stem,
)
"""Runs a test with each real catalog, or skips it."""


def load(path: Path) -> list[dict[str, Any]]:
    catalog: list[dict[str, Any]] = json.loads(path.read_text())
    return catalog


def made(number: int = 6) -> list[dict[str, Any]]:
    owner = {"type": "string", "description": "Who owns the repository, a user or an organisation"}
    repo = {"type": "string", "description": "The name of the repository without its owner"}
    page = {"type": "integer", "minimum": 1, "default": 1, "description": "Which page to return"}
    return [
        {
            "name": f"list_{kind}",
            "description": f"List {kind} of a repository. {_SAME}",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "owner": owner,
                    "repo": repo,
                    "page": page,
                    "state": {"type": "string", "enum": ["open", "closed", kind]},
                },
                "required": ["owner", "repo"],
            },
        }
        for kind in ("issues", "pulls", "branches", "tags", "commits", "forks")[:number]
    ]


_SAME: Final = "It reads only, e.g. it never writes; what is missing is returned as an error."
