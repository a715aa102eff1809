"""Made-up documents of the shapes that formats are compared on, the same every time."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = [
    "amber",
    "brook",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "harbor",
    "island",
    "jasper",
]


def samples(seed: int = 1, rows: int = 40) -> Iterator[tuple[str, Any]]:
    """Yield name and value of one document of each shape.

    Examples
    --------
    >>> [name for name, _ in samples()][:3]
    ['table', 'orders', 'events']
    >>> dict(samples()) == dict(samples())
    True
    """
    random = Random(seed)
    yield "table", {"users": [_user(random, n) for n in range(rows)]}
    yield "orders", [_order(random, n) for n in range(rows)]
    yield "events", {"events": [_event(random, n) for n in range(rows)]}
    yield "flags", {f"{_name(random)}-{n}": _flag(random) for n in range(rows)}
    yield "settings", _settings(random)
    yield "matrix", [[random.randint(0, 999) for _ in range(8)] for _ in range(rows)]
    yield "tree", _folder(random, 4)
    yield "notes", {"notes": [{"id": n, "text": _text(random)} for n in range(rows // 4)]}


def _name(random: Random) -> str:
    return random.choice(WORDS)


def _text(random: Random) -> str:
    sentences = (" ".join(random.choices(WORDS, k=9)).capitalize() + "." for _ in range(6))
    return "\n".join(sentences)


def _stamp(random: Random) -> str:
    return f"2025-06-{random.randint(1, 28):02}T{random.randint(0, 23):02}:15:00Z"


def _user(random: Random, number: int) -> dict[str, Any]:
    name = _name(random)
    email = f"{name}{number}@example.com"
    return {"id": number, "name": name, "email": email, "active": random.random() < 0.8}


def _order(random: Random, number: int) -> dict[str, Any]:
    items = [
        {"sku": f"SKU-{random.randint(100, 999)}", "quantity": n, "price": random.randint(1, 99)}
        for n in range(random.randint(1, 4))
    ]
    return {"id": number, "customer": {"name": _name(random), "city": "Bonn"}, "items": items}


def _event(random: Random, number: int) -> dict[str, Any]:
    event: dict[str, Any] = {"at": _stamp(random), "level": "info", "took": number * 7}
    if random.random() < 0.4:
        event |= {"level": "error", "error": {"message": _name(random), "retry": True}}
    return event


def _flag(random: Random) -> dict[str, Any]:
    return {"on": random.random() < 0.5, "share": random.random(), "owner": _name(random)}


def _settings(random: Random) -> dict[str, Any]:
    server = {"host": "0.0.0.0", "port": 8080, "tls": {"on": True, "files": ["a.pem", "b.pem"]}}
    limits = {name: random.randint(1, 500) for name in WORDS}
    return {"name": "service", "server": server, "limits": limits, "owners": WORDS[:4]}


def _folder(random: Random, depth: int) -> dict[str, Any]:
    folder: dict[str, Any] = {"name": _name(random), "kind": "folder", "size": 0}
    files = [{"name": f"{_name(random)}.py", "kind": "file", "size": n} for n in range(3)]
    folders = [_folder(random, depth - 1) for _ in range(2 if depth else 0)]
    return folder | {"entries": files + folders}
