"""The protocol of tokenizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    Factory: TypeAlias = "Callable[[], Tokenizer]"


@runtime_checkable
class Tokenizer(Protocol):
    """Counts the tokens of texts.

    Any object with these five members is a tokenizer; nothing has to be inherited.

    Examples
    --------
    >>> class Words:
    ...     name, exact, additive = "words", True, True
    ...
    ...     def count(self, text):
    ...         return len(text.split())
    ...
    ...     def count_batch(self, texts):
    ...         return [self.count(text) for text in texts]
    >>> isinstance(Words(), Tokenizer)
    True
    """

    @property
    def name(self) -> str:
        """The name in results and reports."""
        ...

    @property
    def exact(self) -> bool:
        """Whether `count` is the number that the model bills; False for an estimate."""
        ...

    @property
    def additive(self) -> bool:
        """Whether counts of fragments add up: the count of their join is the sum of theirs.

        A fragment is what `is_fragment` accepts. Other texts need not add up.
        """
        ...

    def count(self, text: str) -> int:
        """Count the tokens of one text."""
        ...

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text on its own, in the order given."""
        ...
