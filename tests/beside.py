"""Files beside the checkout, which are no part of it: tests of them skip where there are none."""

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

SHARED: Final = Path(os.environ.get("MCKP_SHARED", Path(__file__).parents[2] / "shared"))
"""The folder of real documents."""


def records_beside(name: str) -> list[dict[str, Any]]:
    """Return the records of a file of JSON lines below `SHARED`; skip the test without it."""
    file = SHARED / name
    if not file.exists():
        pytest.skip(f"{name} is not beside the checkout")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
