"""Pieces of a document, each to be skipped or written in one of several formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from instances.instance import Instance, check_counts
from mckp.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SOURCE: Final = "mckp: pieces of a document in several formats"


def _equal(rng: Generator, size: Floats, lost: Floats) -> Floats:
    return np.broadcast_to(rng.gamma(2, 1, size.shape), lost.shape)


def _fidelity(rng: Generator, size: Floats, lost: Floats) -> Floats:
    return rng.gamma(2, 1, size.shape) * (1 - lost)


def _density(rng: Generator, size: Floats, lost: Floats) -> Floats:
    return size * rng.uniform(0.8, 1.2, size.shape) * (1 - lost)


def _proportional(rng: Generator, size: Floats, lost: Floats) -> Floats:
    return np.rint(size) * (1 - np.round(lost, 2))


RENDERINGS: Final[dict[str, Callable[[Generator, Floats, Floats], Floats]]] = {
    "equal": _equal,
    "fidelity": _fidelity,
    "density": _density,
    "proportional": _proportional,
}
"""What a piece is worth, from its size ``[classes, 1]`` and what each format loses of it."""


def renderings(
    family: str,
    *,
    seed: int,
    classes: int = 1000,
    options: int = 7,
    part: float = 0.5,
    whole: bool = True,
) -> Instance:
    """Make an instance of pieces of text, each skipped or written in one of several formats.

    Sizes are lognormal from 5 to 2000 tokens. The dearest format keeps everything; a cheaper
    one costs 30 to 100 percent of it and loses the more the cheaper it is, up to 15 percent.
    The first option of a class skips it, the formats follow in random order.

    Parameters
    ----------
    family
        What a piece is worth: ``equal`` (in all formats the same), ``fidelity`` (less what the
        format loses), ``density`` (about its size, less that loss) or ``proportional``
        (its size less a whole percentage: many ties).
    seed
        The same seed gives the same instance.
    classes, options
        How many pieces, and in how many formats beside the skip.
    part
        Where the budget lies between nothing (0) and the least cost of the greatest value (1).
    whole
        Whether values are whole thousandths; if not, they are floats.

    Raises
    ------
    UnknownNameError
        If there is no such family.
    ValueError
        If a count is below 1, or the part below 0.

    Notes
    -----
    O(classes x options) time, and a logarithm of the options to sort them. The shape of sizes,
    ratios and losses was set by hand after tables of real documents.

    Examples
    --------
    >>> instance = renderings("fidelity", seed=1, classes=100, options=4)
    >>> instance.table
    Table(classes=100, options=500, depth=1)
    >>> bool(instance.table.cost[::5].any() or instance.table.value[::5].any())
    False
    """
    if family not in RENDERINGS:
        raise UnknownNameError("family", family, RENDERINGS)
    check_counts(classes=classes, options=options)
    rng = np.random.default_rng(seed)
    size, cost, lost = _formats(rng, classes, options)
    value = RENDERINGS[family](rng, size, lost)
    worth = np.rint(value * 1000).astype(np.int64) if whole else value
    name = f"{family}-{classes}x{options}-p{part:g}-s{seed}"
    return Instance.from_grid(name, _with_skip(cost), _with_skip(worth), part, _SOURCE)


def _formats(
    rng: Generator, classes: int, options: int
) -> tuple[Floats, NDArray[np.int64], Floats]:
    size = np.clip(rng.lognormal(4.2, 1.2, (classes, 1)), 5, 2000)
    ratio = np.sort(rng.uniform(0.3, 1, (classes, options)))
    lost = -np.sort(-rng.uniform(0, 0.15, (classes, options)))
    ratio[:, -1], lost[:, -1] = 1, 0
    order = np.argsort(rng.random((classes, options)))
    cost = np.maximum(1, np.rint(size * ratio)).astype(np.int64)
    return size, np.take_along_axis(cost, order, 1), np.take_along_axis(lost, order, 1)


def _with_skip(grid: NDArray[Any]) -> NDArray[Any]:
    return np.pad(grid, ((0, 0), (1, 0)))
