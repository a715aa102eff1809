"""The bench of catalogs runs, and what the README tells of it was measured and is stored."""

from __future__ import annotations

import importlib
import json
import sys
from typing import TYPE_CHECKING, Any

from tests.sheets import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

STORED: dict[str, Any] = json.loads((ROOT / "benches/results/tools.json").read_text("utf-8"))


def test_the_bench_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benches"), *sys.path])
    out = tmp_path / "tools.json"
    assert importlib.import_module("tools").main(["--quick", "--json", str(out)]) == 0
    found = json.loads(out.read_text())
    assert found.keys() | {"commit"} == STORED.keys() | {"commit"}
    assert found["sum"]["full"] < found["sum"]["pruned"] <= found["sum"]["json"]
    assert all("error" in row or row["tokens"] <= row["budget"] for row in found["budgets"])
