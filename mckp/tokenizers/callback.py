"""A plain function as a tokenizer."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import index
from typing import TYPE_CHECKING, SupportsIndex, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Callback:
    """A function from text to tokens, taken at its word.

    Nothing is known of its joints, so it is not additive.

    Parameters
    ----------
    function : callable
        Takes a text and returns its number of tokens, an integer.

    Examples
    --------
    >>> Callback(len).count_batch(["a", "bc"])
    [1, 2]
    """

    function: Callable[[str], int]
    exact: bool = field(default=True, init=False)
    additive: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        """The function's own name, or that of its type."""
        name: str = getattr(self.function, "__name__", type(self.function).__name__)
        return name

    def count(self, text: str) -> int:
        """Count the tokens of one text."""
        found = cast("object", self.function(text))
        if not isinstance(found, SupportsIndex) or not 0 <= (number := index(found)) < 2**40:
            raise TypeError(
                f"{self.name} is to return a whole number of tokens, not {str(found)[:40]!r}"
            )
        return number

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, each distinct text once."""
        counts = {text: self.count(text) for text in dict.fromkeys(texts)}
        return [counts[text] for text in texts]
