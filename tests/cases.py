"""Cases of tests that are plain data are in ``cases.json`` of the folder, one a line."""

import json
from functools import cache
from pathlib import Path
from typing import Any


def cases(file: str, name: str) -> Any:
    """Return the cases of a name that belong to a file of tests."""
    path = Path(file)
    return _read(path.parent / "cases.json")[path.stem][name]


@cache
def _read(path: Path) -> dict[str, dict[str, Any]]:
    by_name: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return by_name
