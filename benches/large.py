"""Made-up documents of any size: a table, and a mixture of what APIs answer."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

from samples import samples

from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ZONES = [
    f"{first} {last}"
    for first in ("Lenox", "Upper", "Lower", "Penn", "Times", "Murray", "Alphabet", "Battery")
    for last in ("Hill", "East Side", "Village", "Station/Madison Sq West", "Square", "Airport")
]
_BOROUGHS = ["Manhattan", "Queens", "Bronx", "Brooklyn", None]


def table(rows: int = 4500, seed: int = 1) -> list[dict[str, Any]]:
    """Return trips of taxis, 14 columns of times, amounts and names; 300 bytes of JSON a row.

    Examples
    --------
    >>> len(table(3)), list(table(1)[0])[:3]
    (3, ['pickup', 'dropoff', 'passengers'])
    """
    random = Random(seed)
    return [_trip(random) for _ in range(rows)]


def _trip(random: Random) -> dict[str, Any]:
    day, hour, minute = random.randint(1, 28), random.randint(0, 23), random.randint(0, 49)
    fare = random.choice([5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 9.0, 12.5, 15.0, 22.5, 52.0])
    tip = round(random.random() * 6, 2) if random.random() < 0.6 else 0.0
    return {
        "pickup": f"2019-03-{day:02} {hour:02}:{minute:02}:{random.randint(0, 59):02}",
        "dropoff": f"2019-03-{day:02} {hour:02}:{minute + random.randint(1, 10):02}:21",
        "passengers": random.choice([1, 1, 1, 1, 2, 3, 5, 6]),
        "distance": round(random.expovariate(0.4), 2),
        "fare": fare,
        "tip": tip,
        "tolls": random.choice([0.0] * 12 + [5.76, 6.12]),
        "total": round(fare + tip + 3.3, 2),
        "color": random.choice(["yellow", "yellow", "green"]),
        "payment": random.choice(["credit card", "cash", None]),
        "pickup_zone": random.choice(_ZONES),
        "dropoff_zone": random.choice(_ZONES),
        "pickup_borough": random.choice(_BOROUGHS),
        "dropoff_borough": random.choice(_BOROUGHS),
    }


def mixture(kilobytes: int = 1000, seed: int = 1) -> list[Any]:
    """Return documents of every shape of `samples`, until they are so many kilobytes together.

    Examples
    --------
    >>> len(mixture(20)) < len(mixture(40))
    True
    """
    found: list[Any] = []
    left = 1000 * kilobytes
    for value in _documents(seed):
        if left <= 0:
            break
        found.append(value)
        left -= len(str(value))
    return found


def write(path: Path, kind: str, size: int) -> int:
    """Write one of the documents as compact JSON, piece by piece.

    Parameters
    ----------
    path
        Where to.
    kind
        ``table`` or ``mixture``.
    size
        Bytes that it has at least.

    Returns
    -------
    int
        Bytes that it has.
    """
    pieces = _documents(1) if kind == "mixture" else (row for n in count(1) for row in table(1, n))
    with path.open("wb") as file:
        written = file.write(b"[" + dump(next(pieces)).encode())
        while written < size:
            written += file.write(b"," + dump(next(pieces)).encode())
        return written + file.write(b"]")


def _documents(seed: int) -> Iterator[Any]:
    while True:
        for _, value in samples(seed, rows=12):
            yield value
        seed += 1
