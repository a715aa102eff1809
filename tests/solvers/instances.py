"""Instances to solve, made from a seed: the literature's families, random trees, documents."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    Pair = tuple[NDArray[np.int64], NDArray[np.int64]]

JIT_OFF: Final = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
"""Without compilation only small instances are bearable."""
SCALE: Final = float(os.environ.get("MCKP_TEST_SCALE", "1"))


def count(base: int) -> int:
    """Return how many instances a test takes, by the environment's MCKP_TEST_SCALE."""
    return max(1, round(base * SCALE))


def uncorrelated(rng: Generator, k: int, most: int) -> Pair:
    """Costs and values independent."""
    return rng.integers(1, most + 1, k), rng.integers(1, most + 1, k)


def weakly(rng: Generator, k: int, most: int) -> Pair:
    """Values within 10 of the cost."""
    cost = rng.integers(1, most + 1, k)
    return cost, np.maximum(1, cost + rng.integers(-10, 11, k))


def strongly(rng: Generator, k: int, most: int) -> Pair:
    """Each step up in cost is worth that step plus 10."""
    step = np.sort(rng.integers(1, max(2, 2 * most // k), k))
    return np.cumsum(step), np.cumsum(step + 10)


def subsetsum(rng: Generator, k: int, most: int) -> Pair:
    """Value equals cost: nothing but the fill counts."""
    cost = rng.integers(1, most + 1, k)
    return cost, cost.copy()


def monotone(rng: Generator, k: int, most: int) -> Pair:
    """Costs and values sorted (Sinha and Zoltners)."""
    return np.sort(rng.integers(1, most + 1, k)), np.sort(rng.integers(1, most + 1, k))


def zigzag(rng: Generator, k: int, most: int) -> Pair:
    """Undominated options of which every other one lies below the hull."""
    cost = np.sort(rng.integers(1, most + 1, k)) + np.arange(k)
    slopes = np.sort(rng.uniform(0.05, 3, k))[::-1]
    step = np.maximum(1, np.rint(slopes * np.diff(cost, prepend=0))).astype(np.int64)
    value = np.cumsum(step)
    value[1::2] -= (step[1::2] * rng.uniform(0.3, 0.95, k // 2)).astype(np.int64)
    return cost, value


def kp01s(rng: Generator, k: int, most: int) -> Pair:
    """The hard 0-1 knapsack: an item or nothing, value a constant above the cost."""
    cost = int(rng.integers(1, most + 1))
    return np.array([0, cost]), np.array([0, cost + most // 10])


FAMILIES: Final[dict[str, Callable[[Generator, int, int], Pair]]] = {
    family.__name__: family
    for family in (uncorrelated, weakly, strongly, subsetsum, monotone, zigzag, kp01s)
}


def flat(family: str, seed: int, n: int, k: int, most: int, part: float = 0.5) -> tuple[Table, int]:
    """Return a table of one of the `FAMILIES` and a budget that is this part of the range."""
    rng = np.random.default_rng(seed)
    pairs = [FAMILIES[family](rng, k, most) for _ in range(n)]
    table = Table.flat([cost.tolist() for cost, _ in pairs], [value.tolist() for _, value in pairs])
    least = sum(int(cost.min()) for cost, _ in pairs)
    best = sum(int(cost[np.argmax(value)]) for cost, value in pairs)
    return table, least + int(part * max(0, best - least))


def tiny(seed: int) -> tuple[Table, int]:
    """Return a small random tree and a budget, adversarial: ties, zeros, empty classes."""
    rng = np.random.default_rng(seed)
    most = int(rng.choice([1, 3, 10, 50]))
    style = str(rng.choice(["any", "equal", "shifted", "constant", "float", "decimal"]))
    empty, depth = float(rng.choice([0, 0, 0.03])), int(rng.integers(0, 4))
    room = [int(rng.integers(1, 9))]
    root = [_tiny_class(rng, most, style, empty, depth, room) for _ in range(rng.integers(0, 6))]
    table = Table.nested(root)
    return table, int(rng.integers(0, 2 + most * len(root)) * rng.choice([0, 0.5, 1, 1, 1, 2]))


def _tiny_class(
    rng: Generator, most: int, style: str, empty: float, depth: int, room: list[int]
) -> list[Any]:
    options: list[Any] = [(0, 0)] if rng.random() < 0.6 else []
    for _ in range(0 if rng.random() < empty else rng.integers(1, 4)):
        cost = int(rng.integers(0, most + 1))
        below: list[Any] = []
        while depth > 0 and room[0] > 0 and rng.random() < 0.45:
            room[0] -= 1
            below.append(_tiny_class(rng, most, style, empty, depth - 1, room))
        options.append((cost, _tiny_value(rng, cost, most, style), below))
    return options


def _tiny_value(rng: Generator, cost: int, most: int, style: str) -> float:
    match style:
        case "equal":
            return cost
        case "shifted":
            return cost + most
        case "constant":
            return 1
        case "float":
            return float(rng.normal())
        case "decimal":
            return round(float(rng.uniform(-1, 3)), 1)
        case _:
            return int(rng.integers(-most // 3, most + 1))


def document(seed: int, rows: int) -> Table:
    """Return a table as a JSON document gives it: objects of arrays, rows in several layouts.

    An object is written whole or opened; an array is skipped, or opened in one of 1-4 layouts
    with its own copy of the rows; a row is taken (about 25 tokens, about 7 facts) or skipped.
    """
    rng = np.random.default_rng(seed)
    left, root = rows, list[Any]()
    while left > 0:
        size = min(left, int(rng.integers(5, max(6, rows // 4))))
        root.append(_wrapped(_array(rng, size), rng, int(rng.integers(1, 6))))
        left -= size
    return Table.nested(root)


def _array(rng: Generator, size: int) -> list[Any]:
    mean, fields = int(rng.integers(8, 45)), int(rng.integers(2, 13))
    costs = np.maximum(3, rng.normal(mean, mean / 6, size)).astype(int)
    varying = rng.random() < 0.5
    values = fields + (rng.integers(-1, 2, size) if varying else np.zeros(size, dtype=int))
    options: list[Any] = [(0, 0)]
    for layout in range(int(rng.integers(1, 5))):
        layout_costs = np.maximum(2, costs * (1 - 0.15 * layout)).astype(int)
        table = [[(0, 0), (int(c), int(v))] for c, v in zip(layout_costs, values, strict=True)]
        options.append((5 + 6 * layout, 1, table))
    return options


def _wrapped(array: list[Any], rng: Generator, depth: int) -> list[Any]:
    inner: list[Any] = array
    for _ in range(depth):
        fields = [[(0, 0), (int(c), 1)] for c in rng.integers(3, 12, int(rng.integers(0, 5)))]
        inner = [(0, 0), (int(rng.integers(2, 9)), 1, [*fields, inner])]
    return inner
