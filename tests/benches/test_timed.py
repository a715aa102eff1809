"""Drivers, and what compares their stored runs; where counts of parts add up."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.benches import BENCHES

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

MACHINE: Final = {"date": "2026-11-22", "machine": "one", "commit": "abc"}
SUBJECTS: Final = ("solvers", "formats", "encode")


@pytest.fixture
def bench(request: pytest.FixtureRequest) -> ModuleType:
    """Import the bench that a test names, from its folder."""
    return importlib.import_module(request.param)


def test_each_subject_has_a_driver() -> None:
    """Every subject has one file, and every file is a subject."""
    stems = {path.stem for path in BENCHES.glob("time_*.py")}
    assert stems == {f"time_{subject}" for subject in SUBJECTS}


@pytest.mark.parametrize("bench", ["fragment_law"], indirect=True)
def test_fragment_law(bench: ModuleType, tmp_path: Path) -> None:
    """Fragments never miss; parts that are cut anywhere do."""
    out = tmp_path / "law.json"
    assert bench.main(["--quick", "--json", str(out)]) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert found.keys() >= {"date", "commit", "machine", "python", "packages"}
    rows = found["rows"]
    assert {row["misses"] for row in rows if row["parts"] == "fragments"} == {0}
    assert all(row["misses"] == row["over"] + row["under"] for row in rows)
    assert min(row["misses"] for row in rows if row["parts"] == "any") > 0
