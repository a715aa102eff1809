"""Runs over small corpora, in many parts, with and without the engine."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest

from mckp.corpus import storage
from mckp.corpus.tasks import Bench

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from mckp.corpus.storage import Part
    from mckp.corpus.tasks import Job

pytest.importorskip("pyarrow")


def executed(
    job: Job, given: Sequence[Part], partitions: int | None, runner: str
) -> Iterator[dict[str, Any]]:
    """Do parts as the engine does, one after the other and the last first."""
    bench = Bench(job)
    with bench.team:
        for part in reversed(given):
            yield bench.done(part)


def engine() -> Any:
    """Return the module of the engine, or skip the test."""
    pytest.importorskip("daft")
    return importlib.import_module("mckp.corpus.engine")


@pytest.fixture
def many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make parts of a few records, and do without the engine."""
    monkeypatch.setattr(storage, "MIN_PART_BYTES", 500)
    monkeypatch.setattr(engine(), "executed", executed)


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of an output."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}
