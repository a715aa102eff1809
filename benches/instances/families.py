"""The flat families of the literature, drawn in whole arrays from a seed.

Each family is a function ``(rng, classes, options, largest) -> (cost, value)`` that gives two
arrays of the shape ``[classes, options]``; `flat` makes an instance of one of them. Every class
takes exactly one option.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from instances.instance import Instance, check_counts
from mckp.errors import UnknownNameError

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Grids = tuple[NDArray[np.int64], NDArray[np.int64]]

_PISINGER_1995: Final = (
    "D. Pisinger, A minimal algorithm for the multiple-choice knapsack problem, "
    "European Journal of Operational Research 83 (1995)"
)
_PISINGER_2005: Final = (
    "D. Pisinger, Where are the hard knapsack problems?, Computers & Operations Research 32 (2005)"
)


class Draw(Protocol):
    """What draws a family."""

    def __call__(self, rng: Generator, classes: int, options: int, largest: int) -> Grids:
        """Return costs and values, each an array of the shape ``[classes, options]``."""
        ...


@dataclass(frozen=True)
class Family:
    """A family of instances: what draws it, and where it is from."""

    draw: Draw
    source: str


def uncorrelated(rng: Generator, classes: int, options: int, largest: int) -> Grids:
    """Costs and values independent, both uniform on ``1 .. largest``.

    Examples
    --------
    >>> cost, value = uncorrelated(np.random.default_rng(1), 2, 3, 9)
    >>> cost.shape, int(value.min()) >= 1, int(value.max()) <= 9
    ((2, 3), True, True)
    """
    return _uniform(rng, classes, options, largest), _uniform(rng, classes, options, largest)


def weakly(rng: Generator, classes: int, options: int, largest: int) -> Grids:
    """Costs uniform, values within 10 of the cost and at least 1.

    Examples
    --------
    >>> cost, value = weakly(np.random.default_rng(1), 50, 3, 90)
    >>> int(abs(value - cost).max())
    10
    """
    cost = _uniform(rng, classes, options, largest)
    return cost, np.maximum(1, cost + rng.integers(-10, 11, cost.shape))


def strongly(rng: Generator, classes: int, options: int, largest: int) -> Grids:
    """Each step up in cost is worth that step and 10 more; steps ascend.

    The steps are uniform on ``1 .. 2 * largest / options``, so that the dearest option of a
    class costs about `largest`.

    Examples
    --------
    >>> cost, value = strongly(np.random.default_rng(1), 1, 4, 100)
    >>> (value - cost).tolist()
    [[10, 20, 30, 40]]
    """
    step = np.sort(_uniform(rng, classes, options, max(1, 2 * largest // options)))
    return np.cumsum(step, axis=1), np.cumsum(step + 10, axis=1)


def inversely(rng: Generator, classes: int, options: int, largest: int) -> Grids:
    """Each step up in value costs that step and 10 more: `strongly` with the roles exchanged.

    Examples
    --------
    >>> cost, value = inversely(np.random.default_rng(1), 1, 4, 100)
    >>> (cost - value).tolist()
    [[10, 20, 30, 40]]
    """
    value, cost = strongly(rng, classes, options, largest)
    return cost, value


def subsetsum(rng: Generator, classes: int, options: int, largest: int) -> Grids:
    """Value equals cost: nothing but the fill counts.

    Examples
    --------
    >>> cost, value = subsetsum(np.random.default_rng(1), 2, 3, 9)
    >>> bool((cost == value).all())
    True
    """
    cost = _uniform(rng, classes, options, largest)
    return cost, cost.copy()


def monotone(rng: Generator, classes: int, options: int, largest: int) -> Grids:
    """Costs and values independent, each sorted within its class: few options are dominated.

    Examples
    --------
    >>> cost, value = monotone(np.random.default_rng(1), 2, 3, 9)
    >>> bool((np.diff(cost) >= 0).all() and (np.diff(value) >= 0).all())
    True
    """
    cost, value = uncorrelated(rng, classes, options, largest)
    return np.sort(cost), np.sort(value)


def zigzag(rng: Generator, classes: int, options: int, largest: int) -> Grids:
    """No option is dominated, but most of every other one lie below the hull.

    Costs ascend strictly. Values climb with descending slopes uniform on 0.05 .. 3; then the
    second, the fourth ... option loses 30 to 95 percent of its own step.

    Examples
    --------
    >>> cost, value = zigzag(np.random.default_rng(1), 20, 6, 100)
    >>> bool((np.diff(cost) > 0).all() and (np.diff(value) > 0).all())
    True
    """
    cost = np.sort(_uniform(rng, classes, options, largest)) + np.arange(options)
    slopes = -np.sort(-rng.uniform(0.05, 3, cost.shape))
    step = np.maximum(1, np.rint(slopes * np.diff(cost, prepend=0))).astype(np.int64)
    value = np.cumsum(step, axis=1)
    lost = rng.uniform(0.3, 0.95, (classes, options // 2))
    value[:, 1::2] -= (step[:, 1::2] * lost).astype(np.int64)
    return cost, value


def kp01s(rng: Generator, classes: int, options: int, largest: int) -> Grids:
    """The strongly correlated 0-1 knapsack: nothing, or an item worth a tenth of `largest` more.

    Each class has two options, whatever `options` says.

    Examples
    --------
    >>> cost, value = kp01s(np.random.default_rng(1), 3, 2, 50)
    >>> (value - cost).tolist()
    [[0, 5], [0, 5], [0, 5]]
    """
    cost = _uniform(rng, classes, 2, largest)
    cost[:, 0] = 0
    return cost, np.where(cost > 0, cost + max(1, largest // 10), 0)


FAMILIES: Final[dict[str, Family]] = {
    "uncorrelated": Family(uncorrelated, f"{_PISINGER_1995}, type 1"),
    "weakly": Family(weakly, f"{_PISINGER_1995}, type 2"),
    "strongly": Family(strongly, f"{_PISINGER_1995}, type 3"),
    "inversely": Family(
        inversely, f"after {_PISINGER_1995}, type 3, as {_PISINGER_2005} inverts the 0-1 knapsack"
    ),
    "subsetsum": Family(subsetsum, f"{_PISINGER_1995}, type 4"),
    "monotone": Family(
        monotone,
        "P. Sinha and A. A. Zoltners, The multiple-choice knapsack problem, "
        f"Operations Research 27 (1979); {_PISINGER_1995}, type 5",
    ),
    "zigzag": Family(zigzag, "mckp: undominated options below the hull"),
    "kp01s": Family(kp01s, f"{_PISINGER_2005}, strongly correlated"),
}


def flat(
    family: str,
    *,
    seed: int,
    classes: int = 1000,
    options: int = 7,
    largest: int = 1000,
    part: float = 0.5,
) -> Instance:
    """Make an instance of one of the `FAMILIES`.

    Parameters
    ----------
    family
        A name in `FAMILIES`.
    seed
        The same seed gives the same instance.
    classes, options
        How many classes, and how many options each.
    largest
        The range of costs and values; see the family.
    part
        Where the budget lies between the least cost of any selection (0) and the least cost
        of one with the greatest value (1). Pisinger takes the middle, 0.5.

    Raises
    ------
    UnknownNameError
        If there is no such family.
    ValueError
        If a count is below 1, or the part below 0.

    Notes
    -----
    O(classes x options) time, and a logarithm of the options where a family sorts.

    Examples
    --------
    >>> instance = flat("strongly", seed=1, classes=1000, options=7, largest=1000, part=0.5)
    >>> instance.name, instance.table
    ('strongly-1000x7-r1000-p0.5-s1', Table(classes=1000, options=7000, depth=1))
    """
    if family not in FAMILIES:
        raise UnknownNameError("family", family, FAMILIES)
    check_counts(classes=classes, options=options, largest=largest)
    made = FAMILIES[family]
    cost, value = made.draw(np.random.default_rng(seed), classes, options, largest)
    name = f"{family}-{classes}x{cost.shape[1]}-r{largest}-p{part:g}-s{seed}"
    return Instance.from_grid(name, cost, value, part, made.source)


def _uniform(rng: Generator, classes: int, options: int, largest: int) -> NDArray[np.int64]:
    return rng.integers(1, largest + 1, (classes, options))
