"""Two columns that distinguish records stay with what is measured, and it with them."""

from __future__ import annotations

from typing import Any

import pytest

import mckp
from mckp.menu.chain import Chain
from mckp.tokenizers.backends import Bpe

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
    """Every kept row has both names and a measure."""
    for row in _rows(CANDLES, share):
        assert {"date", "symbol"} < row.keys()  # and a measure beside them


def test_a_random_key_of_inner_records_is_not_all_that_is_said_of_them() -> None:
    """Where there is no room for codes nobody reads, there is room for what they are codes of."""
    centers = [
        {
            "name": f"Clinic {street}",
            "sessions": [
                {
                    "session_id": f"{n * 7919:08x}-53fd-4d62-9ea2-{street:0<12.12}".lower(),
                    "free": 71 * n % 13,
                    "vaccine": f"V{n % 3}",
                }
                for n in range(4)
            ],
        }
        for street in ("Birch", "Cedar", "Linden", "Maple", "Willow", "Aspen")
    ]
    for share in (0.6, 0.4):
        left = _rows(centers, share)
        assert [len(center.get("sessions", [])) for center in left] == [4] * 6
        assert all("vaccine" in session for center in left for session in center["sessions"])


def test_spans_with_random_ids_keep_their_names() -> None:
    """Two times of each and no name do not say what took so long."""
    spans: list[Any] = [
        {
            "traceId": "a4c123b1612dd272d1371c17149d4395",
            "spanId": f"{n * 2654435761 % 2**32:08x}{n * 283521 % 2**32:08x}",
            "name": ("GET /stock", "HMGET prices", "POST /orders")[n * 7 % 3],
            "kind": 3,
            "startTimeUnixNano": str(1764200000000000000 + n * 9_000_000),
            "endTimeUnixNano": str(1764200000008000000 + n * 9_000_000),
            "status": {},
        }
        for n in range(28)
    ]
    for share in (0.5, 0.2, 0.1):
        assert all("name" in row for row in _rows(spans, share))


@pytest.mark.parametrize("share", [0.6, 0.3])
def test_times_are_not_all_that_is_said_of_records(share: float) -> None:
    """A count takes two tokens of eleven; without it nobody knows what was at that time."""
    counts = [
        {"time": f"2015/01/{n // 24 + 1:02} {n % 24:02}:00:00", "count": 1} for n in range(99)
    ]
    for n, row in enumerate(counts):
        row["count"] = 1 + n % 3
    assert all(len(row) == 2 for row in _rows(counts, share))


def test_a_value_of_most_records_is_not_written_once() -> None:
    """What some records lack is written in each of the others, and has to pay for that."""
    packages: list[Any] = [
        {"name": f"tide{n * 37 % 101}", "source": "registry+https://packages.example.org/index"}
        for n in range(21)
    ]
    count = Bpe("o200k_base").count_batch
    tokens = [
        {member.name: level.tokens for member, level in Chain(records, 0, None, count).steps}
        for records in (packages, [*packages, {"name": "own"}])
    ]
    assert tokens[0]["source"] < 20 < 100 < tokens[1]["source"]
