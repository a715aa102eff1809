"""Instances for tests: tiny adversarial trees, small documents, the published families."""

import os
from typing import Any, Final

import instances as made
import numpy as np
from numpy.random import Generator

from mckp.solvers.jit import is_installed
from mckp.table import Table
from tests.strategies import SCALE

JIT_OFF: Final = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" or not is_installed()
"""Without compilation only small instances are bearable."""


def count(base: int) -> int:
    """Return how many instances a test takes, by the environment's MCKP_TEST_SCALE."""
    return max(1, round(base * SCALE))


FAMILIES: Final = made.FAMILIES
TABLE: Final = Table.flat(costs=[[0, 40, 25], [0, 60]], values=[[0, 9, 8], [0, 5]])
"""The table of the README."""


def flat(family: str, seed: int, n: int, k: int, most: int, part: float = 0.5) -> tuple[Table, int]:
    """Return a table of one of the `FAMILIES` and a budget that is this part of the range."""
    it = made.flat(family, seed=seed, classes=n, options=k, largest=most, part=part)
    return it.table, it.budget


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


def with_setup(seed: int) -> tuple[Table, int]:
    """Return a small random tree with setup costs and owing options, and a budget."""
    rng = np.random.default_rng(seed)
    most = int(rng.choice([1, 3, 10, 30]))
    floats = bool(rng.random() < 0.2)
    depth = int(rng.integers(0, 4))
    root = [_setup_class(rng, most, depth, floats) for _ in range(rng.integers(1, 4))]
    return Table.nested(root), int(rng.integers(0, 6 * most + 1))


def _setup_class(rng: Generator, most: int, depth: int, floats: bool) -> list[Any]:
    options: list[Any] = []
    for _ in range(int(rng.integers(1, 4))):
        below: list[Any] = []
        setup = int(rng.choice([0, 1, 2, 5]))
        if depth and rng.random() < 0.5:
            below = [_setup_class(rng, most, depth - 1, floats) for _ in range(rng.integers(1, 3))]
        value = int(rng.integers(-1, most + 1)) + (round(float(rng.random()), 2) if floats else 0)
        owing = bool(rng.random() < 0.2)
        options.append((int(rng.integers(0, most + 1)), value, below, setup, owing))
    if rng.random() < 0.7:
        options.append((0, 0, (), 0, bool(rng.random() < 0.8)))
    return options


def document(seed: int, rows: int) -> Table:
    """Return a table as a JSON document gives it, with some number of rows in each layout."""
    layouts = 1 + seed % 4
    return made.document(seed=seed, nodes=max(2, layouts * rows), layouts=layouts).table
