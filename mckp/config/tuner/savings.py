"""What was saved, by endpoint and by what saved it, in the three columns every figure has."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class Layer(StrEnum):
    """What became of a response."""

    REFERENCE = "reference"
    NEAR = "near_reference"
    ENCODED = "encoded"
    PLAIN = "plain"


@dataclass(slots=True)
class Sum:
    """Responses, and their tokens before and after."""

    events: int = 0
    baseline: int = 0
    final: int = 0

    def add(self, other: Sum) -> None:
        """Add another sum to this one."""
        self.events += other.events
        self.baseline += other.baseline
        self.final += other.final

    @property
    def saved(self) -> int:
        """Tokens saved; below 0 if more were written than there were."""
        return self.baseline - self.final


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


BASELINE: Final = "json_compact"
"""What savings are relative to: data as compact JSON, any other text as it came."""


@dataclass(slots=True)
class LayerSavings:
    """Tokens by endpoint and layer.

    Attributes
    ----------
    sums : dict
        By endpoint, then by layer.

    Examples
    --------
    >>> savings = LayerSavings()
    >>> savings.add("Read", Layer.REFERENCE, baseline=100, final=10)
    >>> savings.add("Read", Layer.ENCODED, baseline=300, final=270)
    >>> savings.dedup, savings.encoder, savings.combined
    (0.225, 0.1, 0.3)
    """

    sums: dict[str, dict[Layer, Sum]] = field(
        default_factory=lambda: defaultdict(lambda: {layer: Sum() for layer in Layer})
    )

    def add(self, endpoint: str, layer: Layer, baseline: int, final: int) -> None:
        """Count one response."""
        found = self.sums[endpoint][layer]
        found.events += 1
        found.baseline += baseline
        found.final += final

    def of(self, *layers: Layer) -> Sum:
        """Return the sum over all endpoints of some layers, of all if none is named."""
        total = Sum()
        for by_layer in self.sums.values():
            for layer in layers or Layer:
                total.add(by_layer[layer])
        return total

    def only(self, endpoint: str) -> LayerSavings:
        """Return the part of one endpoint."""
        return LayerSavings({endpoint: self.sums[endpoint]})

    @property
    def tokens(self) -> int:
        """Tokens written in all."""
        return self.of().final

    @property
    def exact(self) -> float:
        """Share of all baseline tokens that references to exact repeats save."""
        return _share(self.of(Layer.REFERENCE).saved, self.of().baseline)

    @property
    def near(self) -> float:
        """Share of all baseline tokens that references to near repeats save."""
        return _share(self.of(Layer.NEAR).saved, self.of().baseline)

    @property
    def dedup(self) -> float:
        """Share of all baseline tokens that references of both kinds save: column one."""
        found = self.of(Layer.REFERENCE, Layer.NEAR)
        return _share(found.saved, self.of().baseline)

    @property
    def encoder(self) -> float:
        """Share of the tokens of all other responses that encoding saves: column two."""
        found = self.of(Layer.ENCODED, Layer.PLAIN)
        return _share(found.saved, found.baseline)

    @property
    def combined(self) -> float:
        """Share of all baseline tokens that is saved: column three."""
        return _share(self.of().saved, self.of().baseline)

    def to_dict(self) -> dict[str, object]:
        """Return the columns, and what they are made of, as plain data."""
        layers = {layer.value: _plain(self.of(layer)) for layer in Layer}
        return {
            "baseline": BASELINE,
            "dedup_savings_pct": round(100 * self.dedup, 2),
            "encoder_savings_pct": round(100 * self.encoder, 2),
            "combined_savings_pct": round(100 * self.combined, 2),
            "exact_pct": round(100 * self.exact, 2),
            "near_pct": round(100 * self.near, 2),
            "layers": layers,
        }


def _plain(found: Sum) -> dict[str, int]:
    return {"events": found.events, "baseline": found.baseline, "final": found.final}
