"""Which library counts: toktok where it is installed and worth its start, else tiktoken.

Both give the same counts. toktok is ten times as fast, yet takes longer to load a vocabulary,
so it is started when a process has counted enough for that to pay. Small batches are left to
tiktoken all the same: each call of toktok has to wait for a thread.

Long texts are cut where counts add up, for libraries take several times the room of a text; see
`mckp.tokenizers.fragment.portions`.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from mckp.errors import MissingExtraError
from mckp.tokenizers import by_tiktoken, by_toktok
from mckp.tokenizers.encodings import VOCABULARIES
from mckp.tokenizers.fragment import PORTION, portions

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

Backend: TypeAlias = Literal["tiktoken", "toktok"]

SMALL: Final = 2_000
"""Characters that tiktoken counts in the time that any call of toktok takes."""
WORTH: Final = 2_000_000
"""Characters that tiktoken counts in the time that toktok takes to start."""

_CHOSEN: ContextVar[Backend | None] = ContextVar("chosen", default=None)
_COUNTED: Counter[str] = Counter()


@contextmanager
def counting_by(backend: Backend) -> Generator[None]:
    """Count with one library inside a ``with`` block, for measuring and testing.

    Counts are the same either way. The choice holds for the current thread or task only.

    Parameters
    ----------
    backend : str
        ``"tiktoken"`` or ``"toktok"``.

    Raises
    ------
    MissingExtraError
        If toktok is asked for and not installed, or does not count as it should.

    Examples
    --------
    >>> from mckp.tokenizers import get
    >>> with counting_by("tiktoken"):
    ...     get("o200k").backend
    'tiktoken'
    """
    if backend == "toktok" and not all(map(by_toktok.is_usable, VOCABULARIES)):
        raise MissingExtraError("toktok-rs", "fast")
    token = _CHOSEN.set(backend)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def fastest(name: str) -> Backend:
    """Name the library that counts when there is much to count, or that `counting_by` chose."""
    return _CHOSEN.get() or ("toktok" if by_toktok.is_usable(name) else "tiktoken")


def count_batch(name: str, texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text on its own; by words where tiktoken counts."""
    if _current(name, texts) == "toktok":
        return by_toktok.count_batch(name, texts)
    return by_tiktoken.count_by_words(name, texts)


def count_whole(name: str, text: str) -> int:
    """Count the tokens of one text by a library alone, adding up nothing."""
    if _current(name, (text,)) == "toktok":
        return by_toktok.count_batch(name, (text,))[0]
    return by_tiktoken.count_batch(name, (text,))[0]


def _current(name: str, texts: Sequence[str]) -> Backend:
    chosen, size = _CHOSEN.get(), sum(map(len, texts))
    if chosen is None and size >= SMALL:
        _COUNTED[name] += size
        if by_toktok.is_started(name) or _COUNTED[name] >= WORTH:
            return fastest(name)
    return chosen or "tiktoken"


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
        return fastest(self.name)

    def count(self, text: str) -> int:
        """Count the tokens of one text, by a library that does nothing else."""
        if len(text) <= PORTION:
            return count_whole(self.name, text)
        return sum(count_whole(self.name, each) for each in portions(text))

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text; of many, each distinct word once."""
        long = {text: self._long(text) for text in texts if len(text) > PORTION}
        if not long:
            return count_batch(self.name, texts)
        short = iter(count_batch(self.name, [each for each in texts if each not in long]))
        return [long[text] if text in long else next(short) for text in texts]

    def _long(self, text: str) -> int:
        is_fast = _current(self.name, (text,)) == "toktok"
        return self.count(text) if is_fast else by_tiktoken.count_long(self.name, text)
