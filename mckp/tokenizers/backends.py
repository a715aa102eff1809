"""Which library counts: toktok where it is installed and worth loading, else tiktoken.

Both give the same counts. toktok is ten times as fast but takes longer to load a vocabulary, so it
is loaded once a process has counted enough for that to pay off. Small batches always go to
tiktoken, because each call of toktok has to wait for a thread.

Long texts are split where counts add up, since both libraries need several times the memory of a
text; see `mckp.tokenizers.fragment.portions`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING, Final

from mckp.frozen import frozen
from mckp.tokenizers import by_toktok, encodings
from mckp.tokenizers.fragment import JOINT, PORTION, portions

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL: Final = 200
"""Characters that tiktoken counts in the time of the overhead of a toktok call."""
WORTH: Final = 2_000_000
"""Characters that tiktoken counts in the time that toktok takes to start."""

ALONE: Final = 1 << 16
"""Approximate size of a portion of a text that is counted alone: all its tokens are in memory."""

_COUNTED: Counter[str] = Counter()


def fastest_library(name: str) -> str:
    """Return the name of the library that counts large amounts of text; this may load toktok."""
    return "toktok" if by_toktok.is_usable(name) else "tiktoken"


def count_batch(name: str, texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text on its own, with toktok or tiktoken.

    Parameters
    ----------
    name : str
        The vocabulary, such as ``"o200k_base"``.
    texts : sequence of str
        The texts, none of them long: a library may need several times their memory.

    Returns
    -------
    list of int
        The number of tokens of each text, in the order of `texts`.
    """
    count = by_toktok.count_batch if _should_use_toktok(name, texts) else encodings.count_batch
    return count(name, texts)


def _should_use_toktok(name: str, texts: Sequence[str]) -> bool:
    """Whether toktok should count the texts, whose size is added to the total of this process.

    Texts that are small in all are not added.
    """
    size = sum(map(len, texts))
    if size < SMALL:
        return False
    _COUNTED[name] += size
    pays_off = by_toktok.is_started(name) or _COUNTED[name] >= WORTH
    return pays_off and by_toktok.is_usable(name)


@frozen
class Bpe:
    r"""A shipped vocabulary, counted by tiktoken or toktok.

    The vocabulary is loaded at the first count. Text that spells a special token, such as
    ``<|endoftext|>``, is counted as ordinary text. As in tiktoken, a lone surrogate counts as
    U+FFFD, and two that form a pair as the character that they encode. Runs of blanks that make
    tiktoken panic are counted exactly too. The name is ``"o200k_base"`` or ``"cl100k_base"``.

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
        return sum(count_batch(self.name, [part])[0] for part in portions(text, ALONE))

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text on its own."""
        long_counts = {text: self._count_long(text) for text in texts if len(text) > PORTION}
        if not long_counts:
            return count_batch(self.name, texts)
        short_texts = [text for text in texts if text not in long_counts]
        short_counts = iter(count_batch(self.name, short_texts))
        return [long_counts[text] if text in long_counts else next(short_counts) for text in texts]

    def _count_long(self, text: str) -> int:
        """Count the tokens of a long text.

        It is counted in small parts if tiktoken counts and the first parts repeat a lot.
        """
        first_parts = JOINT.split(text[: encodings.MANY])
        if by_toktok.is_started(self.name) or not encodings.is_faster_by_words(
            len(set(first_parts)), len(first_parts)
        ):
            return self.count(text)
        part_counts = (count_batch(self.name, JOINT.split(portion)) for portion in portions(text))
        return sum(map(sum, part_counts))
