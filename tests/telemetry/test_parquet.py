"""Fingerprints as Parquet come back as they were."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mckp.errors import RecordError
from mckp.telemetry import Fingerprint, fingerprints, read_fingerprints, write_fingerprints
from tests.telemetry.events import event

if TYPE_CHECKING:
    from pathlib import Path

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def test_round_trip(tmp_path: Path) -> None:
    """All fields, those that are unknown as well."""
    found = fingerprints(
        [
            event(shape="prose", inner_formats=("log",)),
            event(shape="empty", cols=3, rows=4, key_stability=0.5),
            event(endpoint_class="Grep"),
        ]
    )
    file = tmp_path / "deep" / "endpoints.parquet"
    write_fingerprints(found, file)
    assert read_fingerprints(file) == found
    write_fingerprints([], file)
    assert read_fingerprints(file) == []


def test_columns_of_newer_versions_are_kept(tmp_path: Path) -> None:
    """A column that nobody knows is no error."""
    file = tmp_path / "endpoints.parquet"
    rows = [{"endpoint_class": "Read", "call_count": 3, "mood": "calm"}]
    parquet.write_table(arrow.Table.from_pylist(rows), file)
    found = read_fingerprints(file)
    assert found == [Fingerprint(endpoint_class="Read", call_count=3, extra={"mood": "calm"})]


def test_other_files_are_refused(tmp_path: Path) -> None:
    """Neither text nor a newer version is guessed at."""
    file = tmp_path / "endpoints.parquet"
    file.write_text("no parquet")
    with pytest.raises(RecordError, match="is no Parquet"):
        read_fingerprints(file)
    table = arrow.table({"endpoint_class": ["Read"], "call_count": [1]})
    newer = table.replace_schema_metadata({b"mckp.fingerprint.version": b"9"})
    parquet.write_table(newer, file)
    with pytest.raises(RecordError, match="version 9 is newer"):
        read_fingerprints(file)
    parquet.write_table(table.drop_columns(["call_count"]), file)
    with pytest.raises(RecordError, match="call_count: is missing"):
        read_fingerprints(file)


def test_frames_read_it(tmp_path: Path) -> None:
    """It is a table for notebooks."""
    frames = pytest.importorskip("pandas")
    file = tmp_path / "endpoints.parquet"
    write_fingerprints([replace(f, avg_cols=2.0) for f in fingerprints([event()])], file)
    assert frames.read_parquet(file)["avg_cols"].tolist() == [2.0]
