r"""Encodings that hold no more of a vocabulary than some texts need.

Building an encoding of 200,000 tokens takes longer than all else a small document needs. What
tiktoken makes of a piece depends on the ranks of the piece's own substrings alone, so for a few
short texts a vocabulary of the tokens that are substrings of them gives the same counts.

Pieces are not known here, so texts are cut where no piece goes on: behind an ASCII digit or
letter where an ASCII character follows that continues neither number nor word.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final

from mckp.regexes import regex
from mckp.tokenizers import encodings
from mckp.tokenizers.vocabularies import CANARY, LONGEST, token_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from tiktoken import Encoding

WORTH: Final = 200_000
"""Steps that take about half as long as building the whole vocabulary."""
_BUILD: Final = 5_000
"""Steps that one more encoding costs; a substring is one or two."""
_SHORT: Final = 100_000
"""Characters of all texts of one call up to which their substrings may be so few."""

NUMBERS: Final = 1000
"""Numbers whose tokens are there from the start: hints count, and so do most documents."""

_CUT: Final = regex(r"(?<=[0-9])(?=[\0-/:-\x7f])|(?<=[A-Za-z])(?=[\0-&(-@\[-`{-\x7f])")
_LOCK: Final = Lock()
_SUBSETS: dict[str, Subset] = {}


def encoding_for(name: str, texts: Collection[str]) -> Encoding:
    """Give an encoding that counts some texts as the whole vocabulary does.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.
    texts : collection of str
        The texts it will be used for, and no others.

    Returns
    -------
    tiktoken.Encoding
        That of the whole vocabulary if it is there already, or if the texts of this process
        are too many for anything less.

    Examples
    --------
    >>> len(encoding_for("cl100k_base", ["id: 1"]).encode_ordinary("id: 1"))
    4
    """
    if not encodings.is_loaded(name) and sum(map(len, texts)) <= _SHORT:
        with _LOCK:
            subset = _SUBSETS.get(name) or _SUBSETS.setdefault(name, Subset(name))
            if (found := subset.encoding_for(texts)) is not None:
                return found
    _SUBSETS.pop(name, None)
    return encodings.load(name)


class Subset:
    """A part of a vocabulary that grows with the texts it is to be used for.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._chunks = {""}
        self._steps = 0
        self._found = token_file(name).find(bytes([byte]) for byte in range(256))
        self._found |= self._tokens(map(str, range(NUMBERS)))
        self._encoding: Encoding | None = None

    def encoding_for(self, texts: Iterable[str]) -> Encoding | None:
        """Give an encoding for texts; None once all seen so far took too many steps."""
        chunks = {chunk for text in (CANARY, *texts) for chunk in _CUT.split(text)} - self._chunks
        if chunks:
            self._steps += sum(len(chunk) * min(len(chunk), LONGEST) for chunk in chunks)
            if self._steps > WORTH:
                return None
            self._chunks |= chunks
            if (found := self._tokens(chunks)).keys() - self._found.keys():
                self._found |= found
                self._encoding = None
        if self._encoding is None:
            self._steps += _BUILD
            self._encoding = encodings.build(self._name, self._found.copy())
        return self._encoding

    def _tokens(self, chunks: Iterable[str]) -> dict[bytes, int]:
        """Return the tokens that are part of chunks, with their ranks."""
        parts: set[bytes] = set()
        for chunk in chunks:
            # tiktoken reads a lone surrogate as U+FFFD, too.
            text = chunk.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
            parts.update(text[i:j] for i in range(len(text)) for j in _ends(i, len(text)))
        return token_file(self._name).find(parts)


def _ends(start: int, size: int) -> range:
    return range(start + 1, min(start + LONGEST, size) + 1)
