"""Which library counts: toktok where it is installed and worth its start, else tiktoken.

Both give the same counts. toktok is ten times as fast, yet takes longer to load a vocabulary,
so it is started when a process has counted enough for that to pay. Small batches are left to
tiktoken all the same: each call of toktok has to wait for a thread.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from mckp.errors import MissingExtraError
from mckp.tokenizers import by_tiktoken, by_toktok, by_words
from mckp.tokenizers.vocabularies import VOCABULARIES

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
    """Name the library that counts when there is much to count.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.

    Returns
    -------
    str
        ``"toktok"`` or ``"tiktoken"``; what `counting_by` chose, inside of it.
    """
    return _CHOSEN.get() or ("toktok" if by_toktok.is_usable(name) else "tiktoken")


def count_batch(name: str, texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text, by its words where tiktoken counts.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.
    texts : sequence of str
        Any texts.

    Returns
    -------
    list of int
        One count a text.

    Examples
    --------
    >>> count_batch("cl100k_base", ["Hello world", ""])
    [2, 0]
    """
    if _current(name, texts) == "toktok":
        return by_toktok.count_batch(name, texts)
    return by_words.count_batch(name, texts)


def count_whole(name: str, text: str) -> int:
    """Count the tokens of one text by a library alone, adding up nothing.

    Examples
    --------
    >>> count_whole("cl100k_base", "Hello world")
    2
    """
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
