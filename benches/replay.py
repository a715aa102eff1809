"""The synthetic ablation of the paper before this one, replayed draw by draw.

Lists of items with weights, one of which is needed, are cut to a budget by a rule of that paper,
and the share of lists that keep the needed item is *p1*. All trials of a cell are drawn at once,
each from a generator of its own, so the numbers are those that were published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MULTIPLIER: Final = 6364136223846793005
INCREMENT: Final = 1442695040888963407
SEED: Final = 0xDEADBEEF
"""Where the generator of the first trial begins; each further trial begins one later."""
MEAN_WEIGHT: Final = 686
DISTRIBUTIONS: Final = ("uniform", "power_law", "adversarial", "realistic")
STRATEGIES: Final = ("random", "default", "reversed", "element_count", "priority")
EXACT_BELOW: Final = 100
"""Nodes, the root included, from which on that paper's solver was greedy."""


class Draws:
    """Linear congruential generators of 64 bits, one a trial, that go in step.

    Examples
    --------
    >>> Draws(1).unit().round(6).tolist()
    [0.651496]
    """

    def __init__(self, trials: int, first: int = 0) -> None:
        self.state = np.arange(trials, dtype=np.uint64) + np.uint64(SEED + first)

    def unit(self) -> NDArray[np.float64]:
        """Return the next number below 1 of each trial."""
        self.state = self.state * np.uint64(MULTIPLIER) + np.uint64(INCREMENT)
        return (self.state >> np.uint64(11)).astype(np.float64) / 2.0**53

    def below(self, limit: int) -> NDArray[np.int64]:
        """Return the next whole number below a limit of each trial."""
        return np.floor(self.unit() * limit).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of items, a row for each trial.

    Attributes
    ----------
    distribution : str
        One of `DISTRIBUTIONS`.
    weights : array
        Tokens of each item.
    gold : array
        Which item is needed.
    activity, recency : array or None
        What is known of each item; nothing in the distribution ``uniform``.
    """

    distribution: str
    weights: NDArray[np.int64]
    gold: NDArray[np.int64]
    activity: NDArray[np.float64] | None
    recency: NDArray[np.float64] | None

    @property
    def items(self) -> int:
        """How many items a list has."""
        return int(self.weights.shape[1])


def draw(distribution: str, items: int, trials: int, first: int = 0) -> Lists:
    """Draw the lists of a cell.

    Parameters
    ----------
    distribution : str
        One of `DISTRIBUTIONS`.
    items, trials, first : int
        Items of a list, how many lists, and the number of the first one.
    """
    draws = Draws(trials, first)
    units = [draws.unit() for _ in range(items)]
    weights = np.floor(MEAN_WEIGHT * (0.7 + 0.6 * np.stack(units, axis=1))).astype(np.int64)
    if distribution == "uniform":
        return Lists(distribution, weights, draws.below(items), None, None)
    worth = _worth(distribution, draws, items)
    if distribution == "power_law":
        order = np.argsort(-worth, axis=1)
        gold = order[np.arange(trials), draws.below(max(items // 5, 1))]
    elif distribution == "adversarial":
        gold = np.full(trials, items - 1)
    else:
        gold = draws.below(items)
    activity, recency = np.empty_like(worth), np.empty_like(worth)
    for i in range(items):
        activity[:, i] = 10 * worth[:, i] + 2 * draws.unit()
        days = (1 - worth[:, i]) * 180 + 10 * draws.unit()
        recency[:, i] = 1 / (1 + days / 30)
    return Lists(distribution, weights, gold, activity, recency)


def _worth(distribution: str, draws: Draws, items: int) -> NDArray[np.float64]:
    trials = draws.state.size
    if distribution == "adversarial":
        return np.tile(0.3 + 0.7 * np.arange(items) / items, (trials, 1))
    if distribution == "power_law":
        return (items - _shuffled(draws, items)).astype(np.float64) ** 1.5
    assert distribution == "realistic", distribution
    found = np.empty((trials, items))
    for i in range(items):
        first, second = (np.maximum(draws.unit(), 1e-10) for _ in range(2))
        normal = np.sqrt(-2 * np.log(first)) * np.cos(2 * np.pi * second)
        found[:, i] = np.clip(0.5 + 0.2 * normal, 0.01, 1)
    return found


def _shuffled(draws: Draws, items: int) -> NDArray[np.int64]:
    trial = np.arange(draws.state.size)
    ranks = np.tile(np.arange(items), (trial.size, 1))
    for i in range(items - 1, 0, -1):
        j = draws.below(i + 1)
        ranks[trial, i], ranks[trial, j] = ranks[trial, j], ranks[trial, i].copy()
    return ranks


def values(strategy: str, lists: Lists) -> NDArray[np.float64]:
    """Return what a strategy takes each item to be worth, before weights go in.

    Parameters
    ----------
    strategy : str
        One of `STRATEGIES`.
    lists : Lists
        The items.
    """
    trials, items = lists.weights.shape
    place: NDArray[np.float64] = np.arange(items, dtype=np.float64)
    if strategy == "priority":
        return _priority(lists)
    row = {
        "default": np.ones(items),
        "element_count": 1 - 0.7 * place / items,
        "reversed": 0.3 + 0.7 * place / max(items - 1, 1),
        "random": _pattern(items),
    }[strategy]
    return np.tile(row, (trials, 1))


def _pattern(items: int) -> NDArray[np.float64]:
    """Return the numbers of the strategy called random, which are the same in every trial."""
    state, found = 42, np.empty(items)
    for i in range(items):
        state = (state * MULTIPLIER + INCREMENT) % 2**64
        found[i] = (state >> 33) / 2**32
    return found


def _priority(lists: Lists) -> NDArray[np.float64]:
    trials, items = lists.weights.shape
    early = np.tile(1 - np.arange(items, dtype=np.float64) / items, (trials, 1))
    activity = _spread(early if lists.activity is None else lists.activity)
    recency = _spread(early if lists.recency is None else lists.recency)
    return 0.40 * early + 0.35 * activity + 0.25 * recency


def _spread(signal: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = signal.min(axis=1, keepdims=True), signal.max(axis=1, keepdims=True)
    spread: NDArray[np.float64] = (signal - low) / np.maximum(high - low, 1e-9)
    return spread


def kept(
    lists: Lists, worth: NDArray[np.float64], budgets: tuple[int, ...]
) -> dict[int, NDArray[np.bool_]]:
    """Return which items that paper's solver keeps, by budget, with worth times weight as value.

    Parameters
    ----------
    lists : Lists
        The items.
    worth : array
        What `values` gives.
    budgets : tuple of int
        Tokens that may be kept.
    """
    value = worth * lists.weights
    if lists.items + 1 >= EXACT_BELOW:
        density = value / lists.weights
        order = np.lexsort((lists.weights, -density), axis=1)
        return {budget: packed(lists.weights, order, budget) for budget in budgets}
    return knapsacks(lists.weights, value, budgets)


def knapsacks(
    weights: NDArray[np.int64], values: NDArray[np.float64], budgets: tuple[int, ...]
) -> dict[int, NDArray[np.bool_]]:
    """Return which items that paper's binary dynamic program keeps in each trial, by budget."""
    found = {budget: np.empty(weights.shape, dtype=bool) for budget in budgets}
    for trial, (own, row) in enumerate(zip(weights.tolist(), values.tolist(), strict=True)):
        for budget, chosen in _knapsack(own, row, budgets).items():
            found[budget][trial] = chosen
    return found


def _knapsack(
    weights: list[int], values: list[float], budgets: tuple[int, ...]
) -> dict[int, NDArray[np.bool_]]:
    # The choice is read off from the last item on, so of equal ones late items are left out.
    best = np.zeros(max(budgets) + 1)
    better = np.zeros((len(weights), best.size), dtype=bool)
    for taken, weight, value in zip(better, weights, values, strict=True):
        more = best[: best.size - weight] + value
        np.greater(more, best[weight:], out=taken[weight:])
        best[weight:] = np.maximum(best[weight:], more)
    found: dict[int, NDArray[np.bool_]] = {}
    for budget in budgets:
        left, chosen = budget, np.ones(len(weights), dtype=bool)
        if sum(weights) > budget:
            for i in range(len(weights) - 1, -1, -1):
                chosen[i] = better[i, left]
                left -= weights[i] * int(chosen[i])
        found[budget] = chosen
    return found


def packed(weights: NDArray[np.int64], order: NDArray[np.int64], budget: int) -> NDArray[np.bool_]:
    """Return which items are kept when each is taken, in an order, that still fits.

    Examples
    --------
    >>> packed(np.array([[5, 9, 4]]), np.array([[0, 1, 2]]), 9).tolist()
    [[True, False, True]]
    """
    trial, found = np.arange(len(weights)), np.zeros(weights.shape, dtype=bool)
    left = np.full(len(weights), budget)
    for i in order.T:
        fits = weights[trial, i] <= left
        found[trial, i] = fits
        left -= np.where(fits, weights[trial, i], 0)
    return found
