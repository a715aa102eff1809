"""How long `encode` takes without a budget; run ``pytest benches/time_encode.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from samples import samples

import mckp

if TYPE_CHECKING:
    from mckp import Result

SHAPES = [name for name, _ in samples(rows=4)]


@pytest.mark.parametrize("level", ["standard", "native", "dense"])
@pytest.mark.parametrize("shape", SHAPES)
def test_encode(benchmark: Any, rows: int, shape: str, level: str) -> None:
    """A document of each shape at each level, counted and read back."""
    data = dict(samples(rows=rows))[shape]
    result: Result = benchmark(mckp.encode, data, formats=level)
    benchmark.extra_info.update(rows=rows, tokens=result.tokens)
    assert mckp.decode(result.text) == data


def test_markdown(benchmark: Any, rows: int) -> None:
    """Sections of prose with a table each."""
    table = "| name | ok |\n| --- | --- |\n| a | yes |\n| b | no |\n"
    text = "".join(f"## Part {n}\n\nSome words. More words.\n\n{table}\n" for n in range(rows))
    result: Result = benchmark(mckp.encode, text)
    benchmark.extra_info.update(rows=rows, tokens=result.tokens)
    assert result.status == "optimal"
