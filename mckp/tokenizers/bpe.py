"""Exact counts of OpenAI's vocabularies, offline.

Long texts are cut where counts add up, for libraries take several times the room of a text. A
line feed behind a letter or digit of ASCII begins a piece of its own in the patterns of both
vocabularies, whatever stands further away, and nothing is merged across the end of a piece.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mckp.regexes import regex
from mckp.tokenizers import backends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.tokenizers.backends import Backend


@dataclass(frozen=True, slots=True)
class Bpe:
    r"""A shipped vocabulary, counted by tiktoken or toktok.

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

    @property
    def backend(self) -> Backend:
        """The library that counts where there is much to count; asking may start it."""
        return backends.fastest(self.name)

    def count(self, text: str) -> int:
        """Count the tokens of one text, by a library that does nothing else."""
        if len(text) <= PORTION:
            return backends.count_whole(self.name, text)
        return sum(backends.count_whole(self.name, each) for each in portions(text))

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text; of many, each distinct word once."""
        long = {text: self.count(text) for text in texts if len(text) > PORTION}
        if not long:
            return backends.count_batch(self.name, texts)
        short = iter(backends.count_batch(self.name, [each for each in texts if each not in long]))
        return [long[text] if text in long else next(short) for text in texts]


PORTION: Final = 1 << 18
"""Characters that a portion has at least, but for the last."""

_JOINT: Final = regex(r"[A-Za-z0-9](?=\n)")


def portions(text: str, size: int = PORTION) -> Iterator[str]:
    r"""Cut a text so that counts of the portions add up.

    Parameters
    ----------
    text : str
        Any text.
    size : int
        Characters that a portion has at least, but for the last; there may be more.

    Examples
    --------
    >>> list(portions("ab\nc!\nd\ne", 3))
    ['ab\nc!\nd', '\ne']
    """
    start = 0
    while len(text) - start > size and (found := _JOINT.search(text, start + size - 1)):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]
