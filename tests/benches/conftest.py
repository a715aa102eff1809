"""How a bench is run."""

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.benches import BENCHES, FACTS


@pytest.fixture(autouse=True)
def beside_the_benches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benches import each other from their folder."""
    monkeypatch.setattr(sys, "path", [str(BENCHES), *sys.path])


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Run a bench in this process with --quick, and return what it stores."""

    def runner(name: str, *arguments: str, code: int | None = 0) -> dict[str, Any]:
        out = tmp_path / f"{name}.json"
        bench = importlib.import_module(name)
        ended = bench.main(["--quick", "--json", str(out), *arguments])
        assert code is None or ended == code, capsys.readouterr().out
        figures: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        assert figures.keys() >= {*FACTS, "commit"}
        return figures

    return runner
