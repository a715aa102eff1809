"""Exact counts of OpenAI's vocabularies, offline."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mckp.tokenizers.encodings import load
from mckp.tokenizers.longblanks import LONG, cut

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Bpe:
    r"""A shipped vocabulary, counted by tiktoken.

    The vocabulary is loaded at the first count. Text that spells a special token, such as
    ``<|endoftext|>``, is counted as ordinary text. A lone surrogate counts as U+FFFD, two that
    make a pair as the character they stand for, as in tiktoken. Runs of blanks on which tiktoken
    panics are counted exactly as well.

    Parameters
    ----------
    name : str
        ``"o200k_base"`` or ``"cl100k_base"``.

    Attributes
    ----------
    exact, additive : bool
        Both true.

    Examples
    --------
    >>> Bpe("o200k_base").count("Hello world")
    2
    >>> Bpe("cl100k_base").count_batch(["id: 1\n", "id: 2\n", "id: 1\nid: 2\n"])
    [5, 5, 10]
    """

    name: str
    exact: bool = field(default=True, init=False)
    additive: bool = field(default=True, init=False)

    def count(self, text: str) -> int:
        """Count the tokens of one text."""
        if len(text) < LONG:
            return len(load(self.name).encode_ordinary(text))
        return sum(
            len(load(self.name, whole=whole).encode_ordinary(part)) for part, whole in cut(text)
        )

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, each distinct text once."""
        # tiktoken's own batch call makes a thread-pool job of each text: slower on short ones.
        encode, count = load(self.name).encode_ordinary, self.count
        counts = {
            text: len(encode(text)) if len(text) < LONG else count(text)
            for text in dict.fromkeys(texts)
        }
        return [counts[text] for text in texts]
