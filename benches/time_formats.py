"""How long writing and reading takes in each format; run ``pytest benches/time_formats.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from samples import samples

import mckp

if TYPE_CHECKING:
    from mckp import Result

FORMATS = ["json", "kv", "csv", "table", "rows", "flow", "derived", "phrases"]


def written(name: str, data: Any) -> Result:
    """Write data in one format, and in compact JSON what it does not accept."""
    return mckp.encode(data, formats=list({name, "json"}))


@pytest.mark.parametrize("name", FORMATS)
def test_write(benchmark: Any, rows: int, name: str) -> None:
    """A table of users, its choice and proof included."""
    data = dict(samples(rows=rows))["table"]
    result: Result = benchmark(written, name, data)
    benchmark.extra_info.update(rows=rows, tokens=result.tokens)
    assert result.status == "optimal"


@pytest.mark.parametrize("name", FORMATS)
def test_read(benchmark: Any, rows: int, name: str) -> None:
    """The same table, from its text alone."""
    data = dict(samples(rows=rows))["table"]
    assert benchmark(mckp.decode, written(name, data).text) == data
