"""Estimates that rarely count too few tokens, one for each family of models.

An estimate adds an amount for each o200k token and an amount for each character by its kind. The
amounts, in hundredths of a token, are in ``estimates.toml``; ``benches/fit_estimates.py`` fitted
them to counts of exact tokenizers, so that the estimate is as small as possible on average and yet
hardly ever too low. Most of the difference between vocabularies is digits: o200k joins three into
one token, others have one token for each.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.regexes import regex
from mckp.tokenizers.backends import Bpe

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS: Final = 100
"""Weights are in hundredths of a token."""


class EstimateWeights(NamedTuple):
    """Hundredths of a token that an estimate adds for each unit; the sum is rounded up."""

    o200k: int = 100
    """For each token of o200k."""
    over: int = 0
    """For each digit beyond one of three: n - ceil(n / 3) in a run of n digits."""
    digits: int = 0
    """For each digit."""
    small: int = 0
    """For each small letter of ASCII."""
    capitals: int = 0
    """For each capital letter of ASCII."""
    signs: int = 0
    """For each other visible character of ASCII."""
    lines: int = 0
    """For each line feed."""
    latin: int = 0
    """For each character from U+0080 to U+024F, such as a letter with marks."""
    greek: int = 0
    """For each Greek or Cyrillic letter."""
    wide: int = 0
    """For each Chinese or Japanese character, and full-width forms."""
    others: int = 0
    """For each character of other scripts, and signs such as arrows and emoji."""
    blanks: int = 0
    """For each blank beyond `USUAL_RUN` in a run; o200k joins long runs, others do not."""
    tabs: int = 0
    """For each tab beyond `USUAL_RUN` in a run."""
    repeats: int = 0
    """For each letter, tilde or line feed that repeats the one before, beyond `USUAL_RUN`."""


_WIDE: Final = r"\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
_KINDS: Final = {
    "latin": regex(r"[\u0080-\u024f]"),
    "greek": regex(r"[\u0370-\u052f]"),
    "wide": regex(f"[{_WIDE}]"),
    "others": regex(rf"[^\x00-\u024f\u0370-\u052f{_WIDE}]"),
}
_TRIPLES: Final = regex("[0-9]{1,3}")
USUAL_RUN: Final = 8
"""Equal characters in a row that ordinary texts have."""
_RUNS: Final = {
    "blanks": regex(rf" {{{USUAL_RUN + 1},}}"),
    "tabs": regex(rf"\t{{{USUAL_RUN + 1},}}"),
    "repeats": regex(rf"([A-Za-z~\n])\1{{{USUAL_RUN},}}"),
}


class Estimate:
    """The estimate for a family of models, rarely too low; see `mckp.tokenizers.estimates`.

    Examples
    --------
    >>> from mckp.tokenizers.backends import Bpe
    >>> digits = Estimate("digits", EstimateWeights(over=100))
    >>> digits.count("2026-11-27"), Bpe("o200k_base").count("2026-11-27")
    (10, 6)
    """

    exact = False
    additive = False
    parts = PARTS

    def __init__(self, name: str, weights: EstimateWeights) -> None:
        self.name = name
        self._weights = weights
        self._ascii = bytes(_ascii_weight(chr(code), weights) for code in range(256))
        self._base = Bpe("o200k_base")

    def count(self, text: str) -> int:
        """Return the estimated number of tokens of one text, rounded up."""
        return self.count_batch([text])[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Return the estimated number of tokens of each text, rounded up."""
        return [-(-parts // PARTS) for parts in self.parts_batch(texts)]

    def parts_batch(self, texts: Sequence[str]) -> list[int]:
        """Return each text's estimate in hundredths of a token; for fragments, these add up."""
        counts, per_token = self._base.count_batch(texts), self._weights.o200k
        return [
            per_token * count + self._character_weight(text)
            for count, text in zip(counts, texts, strict=True)
        ]

    def _character_weight(self, text: str) -> int:
        """Return the hundredths of a token that a text's characters add to its o200k tokens."""
        ascii_weights = text.encode("ascii", "ignore").translate(self._ascii)
        total = sum(ascii_weights)
        if self._weights.over:
            total -= self._weights.over * len(_TRIPLES.findall(text))
        for name, run in _RUNS.items():
            if weight := getattr(self._weights, name):
                total += weight * sum(
                    match.end() - match.start() - USUAL_RUN for match in run.finditer(text)
                )
        if not text.isascii():
            total += sum(
                len(kind.findall(text)) * getattr(self._weights, name)
                for name, kind in _KINDS.items()
            )
        return total


def _ascii_weight(character: str, weights: EstimateWeights) -> int:
    """Return the hundredths of a token that an ASCII character adds.

    Every digit gets `over`, too; `Estimate` subtracts it once for each group of up to three digits.
    """
    if character.isdigit():
        return weights.digits + weights.over
    if character.islower():
        return weights.small
    if character.isupper():
        return weights.capitals
    if character == "\n":
        return weights.lines
    return weights.signs if "!" <= character <= "~" else 0


@cache
def fitted_weights() -> dict[str, EstimateWeights]:
    """Return the weights in ``estimates.toml``, by family; the file is read only once."""
    import tomllib  # exact tokenizers have no need of it
    from importlib.resources import files

    text = files("mckp.tokenizers").joinpath("estimates.toml").read_text("utf-8")
    return {family: EstimateWeights(**weights) for family, weights in tomllib.loads(text).items()}


def estimate_for(family: str) -> Estimate:
    """Return the estimate for a family of models, such as ``"qwen"``."""
    return Estimate(f"{family}_estimate", fitted_weights()[family])
