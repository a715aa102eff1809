"""What a session has saved, each figure with what it is a share of."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

BASELINE: Final = "json_compact of JSON, the text as it came otherwise"
"""What savings are measured against."""


@dataclass(slots=True)
class Savings:
    """Tokens of what came and of what was delivered, labels and references included.

    Attributes
    ----------
    tokenizer : str
        Who counted.
    exact : bool
        Whether it counts what a model is charged.
    responses, hits : int
        How many came, and how many of them became references.
    baseline, final : int
        Tokens of all.
    hit_baseline, hit_final : int
        Tokens of those that became references.
    cut, hit_cut : int
        Tokens less because parts were cut for a budget, which are no savings, of all
        and of those that became references.
    """

    tokenizer: str
    exact: bool
    responses: int = 0
    hits: int = 0
    baseline: int = 0
    final: int = 0
    hit_baseline: int = 0
    hit_final: int = 0
    cut: int = 0
    hit_cut: int = 0

    def note(self, baseline: int, final: int, *, cut: int, hit: bool) -> None:
        """Add a response."""
        self.responses += 1
        self.baseline += baseline
        self.final += final
        self.cut += cut
        if hit:
            self.hits += 1
            self.hit_baseline += baseline
            self.hit_final += final
            self.hit_cut += cut

    @property
    def dedup_savings_pct(self) -> float:
        """Saved by references, of the baseline of all responses."""
        return _percent(self.hit_baseline - self.hit_final - self.hit_cut, self.baseline)

    @property
    def encoder_savings_pct(self) -> float:
        """Saved by encoding, of the baseline of those that are no references.

        Negative where labels, and marks on fakes, cost more than encoding saved.
        """
        misses = self.baseline - self.hit_baseline
        final = self.final - self.hit_final
        return _percent(misses - final - (self.cut - self.hit_cut), misses)

    @property
    def combined_savings_pct(self) -> float:
        """Saved in all, of the baseline of all; what was cut is not counted as saved."""
        return _percent(self.baseline - self.final - self.cut, self.baseline)

    @property
    def cut_pct(self) -> float:
        """Cut for a budget, of the baseline of all."""
        return _percent(self.cut, self.baseline)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, the shares, and what they are shares of."""
        shares = ("dedup_savings_pct", "encoder_savings_pct", "combined_savings_pct", "cut_pct")
        return {
            **asdict(self),
            "against": BASELINE,
            **{name: getattr(self, name) for name in shares},
        }


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
