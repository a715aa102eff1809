"""Compares two ways on the same questions, and says what may be claimed about the difference.

Intervals are those of Wilson (1927) and, for paired shares, of Newcombe (1998, method 10); the
number of questions is that of Connett et al. (1987).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL: Final = 0.95
MARGIN: Final = 0.03
"""The smallest loss that matters by default, as a share of the questions."""
DRAWS: Final = 10_000


def wilson(right: float, total: int, level: float = LEVEL) -> tuple[float, float]:
    """Return Wilson's interval for the share ``right / total``, with the confidence `level`.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    if not total:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, spread = right / total, z * z / total
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / total + spread / total / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class Pairs:
    """The results of two ways on the same questions.

    Attributes
    ----------
    both, won, lost, neither : int
        The numbers of questions that both ways got right, only the first, only the second, neither.
    """

    both: int
    won: int
    lost: int
    neither: int

    @classmethod
    def of(cls, first: Sequence[bool], second: Sequence[bool]) -> Pairs:
        """Return the counts for paired answers, each right or wrong."""
        pairs = list(zip(first, second, strict=True))
        return cls(
            *(
                pairs.count(outcome_pair)
                for outcome_pair in ((True, True), (True, False), (False, True), (False, False))
            )
        )

    @property
    def total(self) -> int:
        """The number of questions."""
        return self.both + self.won + self.lost + self.neither

    @property
    def difference(self) -> float:
        """The first way's share of right answers minus the second's."""
        return (self.won - self.lost) / self.total if self.total else 0.0

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return an interval for the difference, which has a width even if no pair differs.

        Examples
        --------
        >>> [round(end, 4) for end in Pairs(both=43, won=0, lost=0, neither=0).interval()]
        [-0.082, 0.082]
        """
        total = self.total
        if not total:
            return -1.0, 1.0
        first, second = (self.both + self.won) / total, (self.both + self.lost) / total
        low, high = wilson(first * total, total, level)
        low_2, high_2 = wilson(second * total, total, level)
        phi = self._phi()
        below, below_2, above, above_2 = first - low, second - low_2, high - first, high_2 - second
        below_margin = max(0.0, below**2 - 2 * phi * below * above_2 + above_2**2)
        above_margin = max(0.0, above**2 - 2 * phi * above * below_2 + below_2**2)
        return self.difference - sqrt(below_margin), self.difference + sqrt(above_margin)

    def _phi(self) -> float:
        """Return the two ways' phi coefficient, with a continuity correction if it is positive."""
        a, b, c, d = self.both, self.won, self.lost, self.neither
        margins = (a + b) * (c + d) * (a + c) * (b + d)
        if not margins:
            return 0.0
        determinant = float(a * d - b * c)
        if determinant > 0:
            determinant = max(determinant - self.total / 2, 0.0)
        return determinant / sqrt(margins)


def grouped_interval(
    gains: Sequence[float], groups: Sequence[str], level: float = LEVEL
) -> tuple[float, float]:
    """Return an interval for the mean of gains, such as 1, 0 and -1, by resampling whole groups.

    Questions about one document depend on each other, so resampling single questions could give an
    interval that is too narrow.

    Examples
    --------
    >>> low, high = grouped_interval([1, 1, 1, 0, 0, 0], ["a"] * 3 + ["b"] * 3)
    >>> float(low), float(high)
    (0.0, 1.0)
    """
    if not gains:
        return -1.0, 1.0
    group_numbers = {name: place for place, name in enumerate(dict.fromkeys(groups))}
    sums = np.zeros((len(group_numbers), 2))
    for gain, group in zip(gains, groups, strict=True):
        sums[group_numbers[group]] += gain, 1
    draws = np.random.default_rng(1).multinomial(len(sums), [1 / len(sums)] * len(sums), DRAWS)
    totals = draws @ sums
    low, high = np.quantile(totals[:, 0] / totals[:, 1], [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def questions_needed(discordant: float, margin: float = MARGIN) -> int:
    """Return the number of questions needed to detect a difference of `margin` in 80 % of cases.

    `discordant` is the share of questions on which only one way is right.

    Examples
    --------
    >>> questions_needed(0.1)
    870
    """
    discordant = max(discordant, margin)
    z, power = NormalDist().inv_cdf((1 + LEVEL) / 2), NormalDist().inv_cdf(0.8)
    spread = sqrt(max(0.0, discordant - margin**2))
    return ceil(((z * sqrt(discordant) + power * spread) / margin) ** 2)


def verdict(interval: tuple[float, float], margin: float = MARGIN) -> str:
    """Return, in words, what may be claimed about a way in comparison with another.

    Two ways count as equally good only if the interval excludes a loss of `margin`.

    Examples
    --------
    >>> verdict(Pairs(30, 0, 0, 0).interval())
    'undecided: a loss of up to 11.4 points is not excluded'
    >>> verdict((-0.02, 0.03)), verdict((-0.3, -0.1))
    ('no loss of 3 points or more', 'worse')
    """
    low, high = interval
    if high < 0:
        return "worse"
    if low > 0:
        return "better"
    if low > -margin:
        return f"no loss of {100 * margin:g} points or more"
    return f"undecided: a loss of up to {-100 * low:.1f} points is not excluded"
