"""Counting without a vocabulary: estimates by characters per token, and plain functions."""

from __future__ import annotations

from dataclasses import field
from operator import index
from typing import TYPE_CHECKING, Final, SupportsIndex, cast

from mckp.frozen import frozen
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

PROFILES: Final = {"ollama_bpe": "3.8"}
"""Characters per token of each profile.

Averages over prose and code. Dense data takes more tokens than they say: for JSON and CSV expect
2 to 2.5 characters a token, for Chinese and Japanese about 1.5. Give ``chars:<ratio>`` a smaller
ratio, or the budget a margin, where a context must not overflow.
"""

_RATIO: Final = regex(r"chars:([0-9]{1,9}(?:\.[0-9]{1,9})?)")


@frozen
class CharRatio:
    """An estimate: the number of characters divided by a ratio, rounded up.

    It never equals what a model bills (`exact` is false). Because of the rounding, estimates of
    fragments do not add up (`additive` is false), but fractions of a token do.

    The ratio is a fraction, so the estimate is the same on every platform.

    Examples
    --------
    >>> from fractions import Fraction
    >>> CharRatio("chars:3.5", Fraction("3.5")).count("a" * 8)
    3
    """

    name: str
    ratio: Fraction
    exact: bool = field(default=False, init=False)
    additive: bool = field(default=False, init=False)

    def count(self, text: str) -> int:
        """Return the estimated number of tokens of one text, rounded up."""
        return -(-len(text) * self.ratio.denominator // self.ratio.numerator)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Return the estimated number of tokens of each text, rounded up."""
        return [self.count(text) for text in texts]

    @property
    def warning(self) -> str:
        """A warning for callers who choose this estimate."""
        return (
            f"{self.name} divides characters by {float(self.ratio):g}: it may count only half of "
            "the tokens of data, so a text may exceed its budget; name the model that reads the "
            "text, such as 'qwen3:8b', to use its own counts or an estimate on the safe side"
        )

    @property
    def parts(self) -> int:
        """The number of fractions in a token; every character counts as the same number of them."""
        return self.ratio.numerator

    def parts_batch(self, texts: Sequence[str]) -> list[int]:
        """Return the estimate of each text in fractions of a token."""
        return [len(text) * self.ratio.denominator for text in texts]


def ratio_estimate(name: str) -> CharRatio | None:
    """Return the estimate for a name in `PROFILES` or of the form ``chars:<ratio>``.

    Return None for any other name, and for the ratio zero.
    """
    match = _RATIO.fullmatch(name)
    ratio = PROFILES.get(name) or (match[1] if match else "")
    if not ratio.strip("0."):
        return None
    from fractions import Fraction  # takes a while to import

    return CharRatio(name, Fraction(ratio))


@frozen
class Callback:
    """A tokenizer that calls a function to count, assumed to be exact and not additive."""

    function: Callable[[str], int]
    exact: bool = field(default=True, init=False)
    additive: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        """The function's own name, or that of its type."""
        name: str = getattr(self.function, "__name__", type(self.function).__name__)
        return name

    def count(self, text: str) -> int:
        """Return the number of tokens of one text; raise a `TypeError` if it is not a count."""
        returned = cast("object", self.function(text))
        if not isinstance(returned, SupportsIndex) or not 0 <= (number := index(returned)) < 2**40:
            kind = "" if returned is None else f"the {type(returned).__name__} "
            hint = "; for example, use len(text) // 2" if isinstance(returned, float) else ""
            raise TypeError(
                f"{self.name} must return an int (0 or more), not {kind}{returned!s:.40}{hint}"
            )
        return number

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, each distinct text once."""
        counts = {text: self.count(text) for text in dict.fromkeys(texts)}
        return [counts[text] for text in texts]
