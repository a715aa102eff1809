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
SUBJECTS: Final = ("solvers", "formats", "pricing", "encode", "budget", "tools", "sessions")


@pytest.fixture
def bench(request: pytest.FixtureRequest) -> ModuleType:
    """Import the bench that a test names, from its folder."""
    return importlib.import_module(request.param)


def run(folder: Path, name: str, medians: dict[str, float]) -> None:
    """Store a run as pytest-benchmark does."""
    benches = [{"fullname": key, "stats": {"median": at}} for key, at in medians.items()]
    found = json.dumps({"benchmarks": benches, "mckp": MACHINE})
    (folder / f"{name}.json").write_text(found, encoding="utf-8")


def test_each_subject_has_a_driver() -> None:
    """Every subject has one file, and every file is a subject."""
    stems = {path.stem for path in BENCHES.glob("time_*.py")}
    assert stems == {f"time_{subject}" for subject in SUBJECTS}


@pytest.mark.parametrize("bench", ["compare"], indirect=True)
def test_two_runs_side_by_side(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last two runs are compared, or those that are named; what one alone has is left out."""
    run(tmp_path, "0001_a", {"x.py::test[1]": 0.008, "gone": 1.0})
    run(tmp_path, "0002_b", {"x.py::test[1]": 0.004})
    run(tmp_path, "0003_c", {"x.py::test[1]": 0.001, "new": 1.0})
    assert bench.main(["--folder", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "test[1]" in told
    assert "0.250" in told
    assert "commit abc" in told
    assert bench.main(["0001", "0003", "--folder", str(tmp_path)]) == 0
    assert "0.125" in capsys.readouterr().out


@pytest.mark.parametrize("bench", ["compare"], indirect=True)
def test_one_run_cannot_be_compared(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error says how many there are, and how to get more."""
    run(tmp_path, "0001_a", {"x": 1.0})
    with pytest.raises(SystemExit):
        bench.main(["--folder", str(tmp_path)])
    assert "1 runs below" in capsys.readouterr().err


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
