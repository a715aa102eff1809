"""Small documents that made a solver without a limit take minutes or gigabytes.

Each is a few kilobytes to a few megabytes, made from a seed, and stands for a kind: arrays within
arrays, decision trees, many plain fields, many short sections, objects deep within each other.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS: Final = ("tide", "gauge", "berth", "crane", "dock", "level", "harbour", "pilot", "ferry")
"""What texts are made of."""
SHARES: Final = 0.95, 0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05
"""Budgets, as parts of the tokens of all of a document."""


def doubled(times: int) -> Any:
    """Return 1 in a pair in a pair: ``[[1, 1], [1, 1]]`` for 2."""
    value: Any = 1
    for _ in range(times):
        value = [value, value]
    return value


def pairs(depth: int, *, by_depth: bool = False) -> Any:
    """Return objects of two members, so deep; with names that tell the depth if asked for."""
    mark = str(depth) if by_depth else ""
    if depth == 0:
        return {"a": 1, "b": 2}
    inner = pairs(depth - 1, by_depth=by_depth)
    return {f"l{mark}": inner, f"r{mark}": inner}


def decisions(depth: int) -> Any:
    """Return a decision tree, as of a model of machine learning."""
    if depth == 0:
        return {"label": "leaf 0"}
    below = decisions(depth - 1)
    return {"feature": f"f{depth}", "threshold": depth * 0.37, "yes": below, "no": below}


def deep(levels: int) -> Any:
    """Return objects within each other, each with a few fields of its own."""
    value: Any = {"k": 1}
    for n in range(levels):
        value = {"id": n, "name": f"n{n}", "kind": "x", "child": value, "tags": ["a", "b"]}
    return value


def texts_deep(levels: int) -> Any:
    """Return objects within each other, each with four texts."""
    random, value = Random(1), dict[str, Any]()
    for n in range(levels):
        texts = {f"{name}_{n}": " ".join(random.choices(WORDS, k=6)) for name in WORDS[:4]}
        value = {**texts, "inner": value}
    return value


def fields(number: int) -> Any:
    """Return one object of plain fields."""
    return {f"field_{n}": n * 7919 % 10007 for n in range(number)}


def fields_of(number: int, make: Callable[[int], Any]) -> Any:
    """Return one object of fields that a function makes."""
    return {f"field_{n}": make(n) for n in range(number)}


def records_apart(number: int) -> Any:
    """Return records of which no two share a key."""
    return [{f"k{n}": n, f"m{n}": n % 7, f"z{n}": f"v{n % 31}"} for n in range(number)]


def sections(number: int, seed: int = 0) -> str:
    """Return Markdown of short sections below headings of four levels."""
    random = Random(seed)

    def section(n: int) -> str:
        words = " ".join(random.choices(WORDS, k=random.randint(3, 25))).capitalize()
        return f"{'#' * random.randint(1, 4)} Part {n}\n\n{words}."

    return "\n\n".join(map(section, range(number)))


def headings(number: int, seed: int = 0) -> str:
    """Return Markdown of headings alone."""
    random = Random(seed)
    lines = (f"{'#' * random.randint(1, 6)} {random.choice(WORDS)} {n}" for n in range(number))
    return "\n\n".join(lines)


KINDS: Final[dict[str, Callable[[], Any]]] = {
    "doubled 10": lambda: doubled(10),
    "doubled 12": lambda: doubled(12),
    "pairs 10": lambda: pairs(10),
    "pairs 11, names by depth": lambda: pairs(11, by_depth=True),
    "decisions 8": lambda: decisions(8),
    "decisions 10": lambda: decisions(10),
    "fields 5,000": lambda: fields(5_000),
    "fields 20,000": lambda: fields(20_000),
    "fields 60,000": lambda: fields(60_000),
    "fields of lists 10,000": lambda: fields_of(10_000, lambda n: [n % 10, n % 7, n % 3]),
    "sections 1,500": lambda: sections(1_500),
    "sections 4,600": lambda: sections(4_600),
    "sections 12,000": lambda: sections(12_000),
    "headings 12,000": lambda: headings(12_000),
    "deep 150": lambda: deep(150),
    "texts deep 150": lambda: texts_deep(150),
    "fields of objects 6,000": lambda: fields_of(6_000, lambda n: {"a": n, "b": n % 7}),
    "records apart 6,000": lambda: records_apart(6_000),
}
"""The documents, by name."""
