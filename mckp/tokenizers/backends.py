"""Which library counts: toktok where it is installed and worth loading, else tiktoken.

Both give the same counts. toktok is ten times as fast but takes longer to load a vocabulary, so it
is loaded once a process has counted enough for that to pay off. Small batches always go to
tiktoken, because each call of toktok has to wait for a thread.

Long texts are split where counts add up, since both libraries need several times the memory of a
text; see `mckp.tokenizers.fragment.portions`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mckp.tokenizers import by_toktok, encodings
from mckp.tokenizers.fragment import JOINT, PORTION, portions

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL: Final = 200
"""Characters that tiktoken counts in the time of the overhead of a toktok call."""
WORTH: Final = 2_000_000
"""Characters that tiktoken counts in the time that toktok takes to start."""

_COUNTED: Counter[str] = Counter()


def fastest_library(name: str) -> str:
    """Return the name of the library that counts large amounts; this may load toktok."""
    return "toktok" if by_toktok.is_usable(name) else "tiktoken"


def count_batch(name: str, texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text on its own."""
    count = by_toktok.count_batch if _should_use_toktok(name, texts) else encodings.count_batch
    return count(name, texts)


def _should_use_toktok(name: str, texts: Sequence[str]) -> bool:
    """Add the size of the texts to the total, and return whether toktok should count them."""
    size = sum(map(len, texts))
    if size < SMALL:
        return False
    _COUNTED[name] += size
    worth = by_toktok.is_started(name) or _COUNTED[name] >= WORTH
    return worth and by_toktok.is_usable(name)


@dataclass(frozen=True, slots=True)
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
        return sum(count_batch(self.name, [portion])[0] for portion in portions(text))

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text on its own."""
        long = {text: self._long(text) for text in texts if len(text) > PORTION}
        if not long:
            return count_batch(self.name, texts)
        short = iter(count_batch(self.name, [text for text in texts if text not in long]))
        return [long[text] if text in long else next(short) for text in texts]

    def _long(self, text: str) -> int:
        """Count a long text, part by part if its first parts repeat a lot."""
        first = JOINT.split(text[: encodings.MANY])
        if by_toktok.is_started(self.name) or not encodings.is_faster_by_words(
            len(set(first)), len(first)
        ):
            return self.count(text)
        parts = (count_batch(self.name, JOINT.split(portion)) for portion in portions(text))
        return sum(map(sum, parts))
