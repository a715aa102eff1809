"""Made-up documents of any size: a table, what APIs answer, Markdown, prose, and a log."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any, Final

from samples import WORDS, samples

from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
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
    values: list[Any] = []
    room = 1000 * kilobytes
    for value in _documents(seed):
        if room <= 0:
            break
        values.append(value)
        room -= len(str(value))
    return values


def write(path: Path, kind: str, size: int) -> int:
    """Write one of the documents, piece by piece; data as compact JSON.

    Parameters
    ----------
    path
        Where to.
    kind
        ``table``, ``mixture``, ``markdown``, ``text`` or ``log``.
    size
        Bytes that it has at least.

    Returns
    -------
    int
        Bytes that it has.
    """
    if kind in TEXTS:
        return _write_text(path, TEXTS[kind], size)
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


def _write_text(path: Path, piece: Callable[[Random, int], str], size: int) -> int:
    random, written = Random(1), 0
    with path.open("wb") as file:
        for number in count(1):
            if written >= size:
                break
            written += file.write(piece(random, number).encode())
    return written


def section(random: Random, number: int) -> str:
    """Return a section of Markdown: prose, and a list, a table or a block of code."""
    title = f"{'#' * random.randint(2, 3)} {_phrase(random, 3).capitalize()} {number}"
    parts = [title, *(_paragraph(random) for _ in range(random.randint(1, 3)))]
    other = number % 4
    if other == 1:
        parts.append("\n".join(f"- {_phrase(random, 6)}" for _ in range(random.randint(3, 8))))
    elif other == 2:
        rows = [f"| {_phrase(random, 2)} | {random.randint(1, 999)} |" for _ in range(6)]
        parts.append("\n".join(["| name | count |", "| --- | --- |", *rows]))
    elif other == 3:
        lines = [f"{random.choice(WORDS)}({random.randint(1, 99)})" for _ in range(5)]
        parts.append("\n".join(["```python", *lines, "```"]))
    return "\n\n".join(parts) + "\n\n"


def paragraph(random: Random, _: int) -> str:
    """Return a paragraph of plain text."""
    return _paragraph(random) + "\n\n"


def entry(random: Random, number: int) -> str:
    """Return a line of a log, one in fifty with the trace of an error below it."""
    seconds = number // 3
    at = f"2025-06-{1 + seconds // 86400:02}T{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}"
    level = "ERROR" if number % 50 == 0 else random.choice(["INFO", "INFO", "DEBUG", "WARN"])
    line = f"{at}:{seconds % 60:02}Z {level} {random.choice(WORDS)}: {_phrase(random, 5)}"
    line += f" took={random.randint(1, 900)}ms id={random.randrange(16**8):08x}\n"
    if level != "ERROR":
        return line
    return line + "".join(f"    at {random.choice(WORDS)}.run:{n * 7}\n" for n in range(1, 6))


TEXTS: Final[dict[str, Callable[[Random, int], str]]] = {
    "markdown": section,
    "text": paragraph,
    "log": entry,
}
"""What writes a piece of a text, by its kind."""
_LONGER: Final = [f"{first}{last}" for first in WORDS for last in ("", "s", "ing", "ed", "like")]


def _phrase(random: Random, words: int) -> str:
    return " ".join(random.choices(_LONGER, k=words))


def _paragraph(random: Random) -> str:
    sentences = [
        f"{_phrase(random, random.randint(6, 16)).capitalize()}, {random.randint(2, 999)} of them."
        for _ in range(random.randint(2, 6))
    ]
    return " ".join(sentences)
