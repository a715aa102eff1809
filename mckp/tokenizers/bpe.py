"""Exact counts of OpenAI's vocabularies, offline."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mckp.tokenizers import backends
from mckp.tokenizers.portions import PORTION, portions
from mckp.tokenizers.slices import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mckp.jit import Ints
    from mckp.tokenizers.backends import Backend

    Bytes = NDArray[np.uint8]

MANY: Final = 256
"""Texts of a batch from which on it may pay to look their pieces up."""
LARGE: Final = 2**14
"""Characters from which on it does."""
MEDIUM: Final = 2**10
"""Bytes of slices from which on it does: most pieces of a document come again in its versions."""
LARGE_AT_FIRST: Final = 2**21
"""The same, as long as importing Numba has to pay as well."""


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
            return backends.count_batch(self.name, (text,))[0]
        return sum(backends.count_batch(self.name, (each,))[0] for each in portions(text))

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text; in large batches of many, piece by piece."""
        if len(texts) >= MANY and _is_large(sum(map(len, texts))):
            from mckp.tokenizers.pieces import count_texts

            return count_texts(self.name, texts)
        if any(len(text) > PORTION for text in texts):
            return [self.count(text) for text in texts]
        return backends.count_batch(self.name, texts)

    def count_pieces(self, buffer: Bytes, starts: Ints, ends: Ints) -> Ints:
        """Count the tokens of slices of a buffer, each on its own; large ones piece by piece.

        Parameters
        ----------
        buffer : array of uint8
            UTF-8; surrogates may be written in it like other characters.
        starts, ends : array of int64
            Where the slices stand; they may overlap, and cut no character.

        Returns
        -------
        array of int64
            One count a slice.

        Raises
        ------
        UnicodeDecodeError
            If a slice is no UTF-8.

        Examples
        --------
        >>> import numpy as np
        >>> buffer = np.frombuffer(b"Hello world", np.uint8)
        >>> Bpe("o200k_base").count_pieces(buffer, np.array([0, 5]), np.array([11, 11])).tolist()
        [2, 1]
        """
        if _is_large(int((ends - starts).sum()), MEDIUM):
            from mckp.tokenizers.pieces import pieces_of

            return pieces_of(self.name).count(buffer, starts, ends)
        import numpy as np

        return np.array(backends.count_batch(self.name, texts_of(buffer, starts, ends)), np.int64)


def _is_large(size: int, large: int = LARGE) -> bool:
    return size >= (large if "mckp.jit" in sys.modules else LARGE_AT_FIRST)
