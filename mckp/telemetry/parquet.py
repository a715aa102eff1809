"""Fingerprints as Parquet, for tuning, sharing and notebooks; needs the extra ``frames``."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.config.places import write_atomically
from mckp.errors import RecordError, extra
from mckp.telemetry.fingerprint import FINGERPRINT_VERSION, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

ENDPOINTS: Final = "endpoints.parquet"
"""The file of one's own fingerprints, in the folder of telemetry."""

TEAM_ENDPOINTS: Final = "team_endpoints.parquet"
"""The file of a team's."""

_VERSION: Final = b"mckp.fingerprint.version"


def write_fingerprints(found: Iterable[Fingerprint], path: str | PathLike[str]) -> None:
    """Write fingerprints to a file, as a whole or not at all.

    Parameters
    ----------
    found : iterable of Fingerprint
        What to write. What newer versions added is left out.
    path : path-like
        The file; it is written over.
    """
    parquet = extra("pyarrow.parquet", "pyarrow", "frames")
    rows = [_row(each) for each in found]
    table = _table(rows)
    buffer = BytesIO()
    parquet.write_table(table, buffer)
    write_atomically(path, buffer.getvalue(), mode=0o600)


def read_fingerprints(path: str | PathLike[str]) -> list[Fingerprint]:
    """Read fingerprints from a file; columns that nobody knows here are kept in `extra`.

    Raises
    ------
    RecordError
        If the file is no Parquet, has other columns, or was written by a newer version.
    FileNotFoundError
        If there is none.
    """
    arrow, parquet = (extra(each, "pyarrow", "frames") for each in ("pyarrow", "pyarrow.parquet"))
    content = Path(path).read_bytes()
    try:
        table = parquet.read_table(BytesIO(content))
    except (arrow.ArrowException, OSError) as error:
        raise RecordError(str(path), f"is no Parquet: {error}") from error
    said: dict[bytes, bytes] = table.schema.metadata or {}
    version = int(said.get(_VERSION, b"1"))
    if version > FINGERPRINT_VERSION:
        raise RecordError(str(path), f"version {version} is newer than {FINGERPRINT_VERSION}")
    return [Fingerprint.from_dict(_record(row)) for row in table.to_pylist()]


def _row(each: Fingerprint) -> dict[str, Any]:
    return {**each.to_dict(), "shape_mix": list(each.shape_mix.items())}


def _record(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "shape_mix": dict(row.get("shape_mix") or ())}


def _table(rows: list[dict[str, Any]]) -> Any:
    arrow = extra("pyarrow", "pyarrow", "frames")
    text, whole, real = arrow.string(), arrow.int64(), arrow.float64()
    schema = arrow.schema(
        [
            ("endpoint_class", text),
            ("call_count", whole),
            ("avg_response_chars", real),
            ("shape_dominant", text),
            ("shape_mix", arrow.map_(text, real)),
            ("dup_rate", real),
            ("format_entropy", real),
            ("inner_formats_top3", arrow.list_(text)),
            ("avg_cols", real),
            ("avg_rows", real),
            ("key_stability_mean", real),
            ("first_seen_ms", whole),
            ("last_seen_ms", whole),
            ("source_sessions", whole),
            ("version", whole),
        ],
        metadata={_VERSION: str(FINGERPRINT_VERSION).encode()},
    )
    return arrow.Table.from_pylist(rows, schema=schema)
