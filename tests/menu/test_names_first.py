"""Two columns that tell records apart stay with what is measured, and it with them."""

from __future__ import annotations

from typing import Any

import pytest

import mckp

CANDLES = [
    {
        "date": f"2025-11-{day:02}",
        "symbol": symbol,
        "open": 40.5 + day,
        "close": 41.25 + day,
        "volume": 4457068 + day * 7919,
    }
    for day in range(1, 25)
    for symbol in ("TIDE", "QUAY", "MAST")
]


def _rows(data: list[Any], share: float) -> list[Any]:
    """Return what is left of the records within a share of their tokens."""
    budget = int(mckp.encode(data).tokens * share)
    left: list[Any] = mckp.decode(mckp.encode(data, budget=budget).text)
    assert left
    return left


@pytest.mark.parametrize("share", [0.5, 0.2, 0.1])
def test_measures_keep_the_two_names_they_are_of(share: float) -> None:
    for row in _rows(CANDLES, share):
        assert {"date", "symbol"} < row.keys()  # and a measure beside them
