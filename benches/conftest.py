"""Drivers of pytest-benchmark, ``time_*.py``: one subject each, tiny where nothing is timed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

# At the end, so that an installed mckp comes before the one beside the tests.
sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parent)]


@pytest.fixture
def rows(request: pytest.FixtureRequest) -> int:
    """Return how large documents are: a handful of rows if nothing is timed."""
    return 8 if request.config.getoption("benchmark_disable") else 400


def pytest_benchmark_update_json(output_json: dict[str, Any]) -> None:
    """Store what figures depend on: machine, versions, date and commit."""
    from solver_figures import facts

    output_json["mckp"] = facts()
