"""The bench of corpora would notice what must not be."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any, Final

import pytest

BENCHES: Final = Path(__file__).parents[2] / "benches"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the bench; benches import each other from their folder."""
    monkeypatch.setattr(sys, "path", [str(BENCHES), *sys.path])
    return importlib.import_module("corpus")


def test_lost_and_twice(bench: Any, tmp_path: Path) -> None:
    """A line without a row, one with two, and a row of no line are counted."""
    path = tmp_path / "in.jsonl"
    bench.write_corpus(path, 3)
    starts = [0]
    for line in path.read_bytes().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    out = tmp_path / "out"
    for name, places in (("records/0", starts[:2]), ("errors/0", starts[1:2]), ("records/1", [7])):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("".join(f'{{"at":{at}}}\n' for at in places))
    assert bench.check(path, out) == {"lost": 1, "twice": 1, "foreign": 1}


def test_digest(bench: Any, tmp_path: Path) -> None:
    """Names and bytes of files count."""
    found: set[str] = set()
    for name, text in (("a", "1"), ("a", "2"), ("b", "2")):
        folder = tmp_path / f"{name}{text}"
        folder.mkdir()
        (folder / name).write_text(text)
        found.add(bench.digest(folder))
    assert len(found) == 3


def test_records(bench: Any, tmp_path: Path) -> None:
    """The same records are made each time; one in a thousand is broken."""
    for name in ("a", "b"):
        bench.write_corpus(tmp_path / name, 1500)
    lines = (tmp_path / "a").read_text().splitlines()
    assert lines == (tmp_path / "b").read_text().splitlines()
    assert sum(line.endswith("tru") for line in lines) == 1
    assert len(set(lines)) == 1500
