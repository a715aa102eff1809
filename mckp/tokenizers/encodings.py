"""The shipped vocabularies as tiktoken encodings, without network, cache or settings.

A file holds the tokens sorted, in pages, as a printed dictionary does. To find a few tokens, a
search in the first tokens of the pages gives the page, and only that page is searched. The whole
vocabulary becomes a `dict` only if there is much to count; for a few short texts, only the tokens
that can occur in them are loaded.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from functools import cache
from pkgutil import get_data
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.errors import MckpError
from mckp.regexes import regex
from mckp.tokenizers.fragment import MARK, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from tiktoken import Encoding


class Vocabulary(NamedTuple):
    """What is known about a vocabulary without opening its file."""

    size: int
    """The number of tokens, without special ones."""
    sha256: str
    """Digest of its rank file in tiktoken's text format."""
    canary: int
    """Tokens of the canary text."""
    pattern: str
    """The regular expression of the pieces of a text, as in tiktoken; no token crosses a piece."""


VOCABULARIES: Final = {
    "o200k_base": Vocabulary(
        199_998,
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        33,
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
    "cl100k_base": Vocabulary(
        100_256,
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        37,
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    ),
}

_ALL_BUT_LAST: Final = r"\s+(?!\S)"
_IN_STEPS: Final = r"(?:(?:\s{16}(?=\s{16})){1,9999}+)*+\s+(?!\S)"
"""The same in steps that are never taken back. tiktoken panics where it may take back a million."""

LONGEST: Final = 128
"""Bytes of the longest token of any."""

CANARY: Final = 'Hello, it\'s 12345 naïve 日本語 🚀\n\n  {"a":[1,2.5e-3]}<|endoftext|>'
"""A text whose count goes wrong when ranks, pattern or special tokens do."""

PAGE: Final = 32
"""Tokens of a page. Smaller pages have more heads to read, larger ones take longer to search."""

_BYTE: Final = b"\xff"
"""A byte that UTF-8 does not use, so it is in no token but the one that is this byte."""


class TokenFile:
    r"""The tokens and ranks in a vocabulary's file, which `scripts/pack_vocab.py` writes.

    It is an array of unsigned 32-bit little-endian integers, followed by the tokens. The integers
    are the offset of the byte before the first token of each page, the offset of the last byte, and
    the rank of each token in the order of the file. The tokens are sorted, with a separator before
    the first and after each of them: a byte that occurs in no token. The token that is this byte
    itself would sort last; it is left out, but its rank is stored.

    A file with fewer tokens than expected raises `ValueError`.

    Examples
    --------
    >>> token_file("cl100k_base").find([b"Hello", b"Hellox", b"\xff"])
    {b'Hello': 9906, b'\xff': 187}
    """

    def __init__(self, content: bytes, size: int) -> None:
        pages = -(-(size - 1) // PAGE)
        integers = array("I")
        bytes_per_integer = integers.itemsize
        integers_end = bytes_per_integer * (pages + 1 + size)
        integers.frombytes(
            content[: min(integers_end, len(content) // bytes_per_integer * bytes_per_integer)]
        )
        if sys.byteorder == "big":  # files have the little end first
            integers.byteswap()
        self._starts = integers[: pages + 1]
        self._ranks = integers[pages + 1 :]
        self._tokens = content[integers_end:]
        if len(self._ranks) != size or self._starts[-1] + 1 != len(self._tokens):
            raise ValueError(
                f"a vocabulary file does not have the expected {size} tokens; reinstall mckp"
            )
        tokens = self._tokens
        self._heads = [
            tokens[start + 1 : tokens.index(_BYTE, start + 1)] for start in self._starts[:-1]
        ]

    def find(self, pieces: Iterable[bytes]) -> dict[bytes, int]:
        """Return the rank of each piece that is a token, by piece."""
        heads, starts, tokens, ranks = self._heads, self._starts, self._tokens, self._ranks
        rank_of_token: dict[bytes, int] = {}
        for piece in pieces:
            page = bisect_right(heads, piece) - 1
            start, stop = starts[page], starts[page + 1] + 1
            offset = tokens.find(_BYTE + piece + _BYTE, start, stop)
            if offset >= 0 and page >= 0:
                rank_of_token[piece] = ranks[page * PAGE + tokens.count(_BYTE, start, offset)]
            elif piece == _BYTE:
                rank_of_token[piece] = ranks[-1]
        return rank_of_token

    def all(self) -> dict[bytes, int]:
        """Return the ranks of all tokens, by token, in the order of their bytes."""
        tokens = self._tokens[1:].split(_BYTE)
        tokens[-1] = _BYTE
        return dict(zip(tokens, self._ranks, strict=True))


@cache
def token_file(name: str) -> TokenFile:
    """Return the content of a shipped vocabulary's file, which is read only once."""
    # importlib.resources takes longer to import than the file to read.
    content = get_data("mckp.tokenizers", f"vocab/{name}.tokens")
    assert content is not None, "a package has a loader"
    return TokenFile(content, VOCABULARIES[name].size)


_LOCK = Lock()
_LOADED: dict[str, Encoding] = {}


def load(name: str) -> Encoding:
    """Return the encoding of a shipped vocabulary, with all tokens; it is built only once."""
    with _LOCK:
        if name not in _LOADED:
            _LOADED[name] = _build_encoding(name, token_file(name).all())
        return _LOADED[name]


def is_loaded(name: str) -> bool:
    """Whether `load` has already built the encoding of a vocabulary."""
    return name in _LOADED


def _build_encoding(name: str, ranks: dict[bytes, int]) -> Encoding:
    """Return an encoding made of tokens and their ranks.

    It raises an `MckpError` if tiktoken counts the canary text incorrectly.
    """
    from tiktoken import Encoding

    pattern = VOCABULARIES[name].pattern.replace(_ALL_BUT_LAST, _IN_STEPS)
    # Special tokens are counted as the text that spells them.
    encoding = Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    counted, expected = len(encoding.encode_ordinary(CANARY)), VOCABULARIES[name].canary
    if counted != expected:
        raise MckpError(
            f"with {name}, the installed tiktoken counts {counted} tokens in a test text instead "
            f"of {expected}; install another version of tiktoken"
        )
    return encoding


WORTH: Final = 200_000
"""Steps that take about half as long as building the whole vocabulary."""
_BUILD: Final = 5_000
"""Steps that one more encoding costs; a substring is one or two."""
NUMBERS: Final = 1000
"""Numbers whose tokens are there from the start: hints count, and so do most documents."""
HINTS: Final = ("> [+9 facts]\n", "> [+9 rows]\n", "> [+9 columns]\n", "> [+9 lines]\n")
"""Texts whose tokens are there from the start too, as few documents are written without them."""

_CUT: Final = regex(r"(?<=[0-9])(?=[\0-/:-\x7f])|(?<=[A-Za-z])(?=[\0-&(-@\[-`{-\x7f])")
_SUBSETS: dict[str, VocabularySubset] = {}


def encoding_for(name: str, texts: Collection[str]) -> Encoding:
    """Return an encoding that counts the given texts exactly as the whole vocabulary would.

    It has the whole vocabulary if that is loaded already, or if this process has counted too much
    text for a subset to pay off. Otherwise it has the tokens that may occur in the texts.
    """
    if not is_loaded(name) and sum(map(len, texts)) <= WORTH:
        with _LOCK:
            subset = _SUBSETS.get(name) or _SUBSETS.setdefault(name, VocabularySubset(name))
            if (encoding := subset.encoding_for(texts)) is not None:
                return encoding
    _SUBSETS.pop(name, None)
    return load(name)


MANY: Final = 10_000
"""Characters in one call from which on it pays to look for equal words."""
PAYS: Final = 4
"""How often a word must occur on average so that counting by words pays."""
_AT_ONCE: Final = 1 << 17
"""Characters of the texts that are cut into words at a time, so that few words are held."""
_ZEROS: Final = bytes.maketrans(b"123456789", b"000000000")


def count_batch(name: str, texts: Sequence[str]) -> list[int]:
    """Return the token count of each text by tiktoken; for many texts, count distinct words once.

    Rows of a table consist of few distinct words once every digit is replaced by a zero.
    `mckp.tokenizers.fragment` has the laws that make these counts exact.
    """
    if len(texts) == 1 or sum(map(len, texts)) < MANY:
        return _distinct_counts(name, texts)
    counts: list[int] = []
    count_of_word: dict[str, int] = {}
    for batch in _batches(texts):
        counts += _count_by_shapes(name, batch, count_of_word)
    return counts


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the texts in batches of about `_AT_ONCE` characters, or one longer text."""
    start = size = 0
    for index, text in enumerate(texts):
        size += len(text)
        if size >= _AT_ONCE:
            yield texts[start : index + 1]
            start, size = index + 1, 0
    if start < len(texts):
        yield texts[start:]


def _count_by_shapes(name: str, texts: Sequence[str], count_of_word: dict[str, int]) -> list[int]:
    """Return the token count of each text; texts that differ only in digits are counted once.

    `count_of_word` maps known words to their counts; new words that are counted are added to it.
    """
    try:
        joined = MARK.join(texts).encode()
    except UnicodeEncodeError:  # a lone surrogate
        return _distinct_counts(name, texts)
    shapes = joined.translate(_ZEROS).decode().split(MARK)
    if len(shapes) != len(texts):  # a text has the mark in it
        return _distinct_counts(name, texts)
    counts = _count_by_words(name, list(dict.fromkeys(shapes)), count_of_word)
    return [counts[shape] for shape in shapes]


def _count_by_words(name: str, texts: list[str], count_of_word: dict[str, int]) -> dict[str, int]:
    """Return the token counts of distinct texts, by text.

    If words repeat a lot, each distinct word is counted once, and its count is added to
    `count_of_word`.
    """
    words_of_texts = words(texts)
    new_words = list(set[str]().union(*words_of_texts).difference(count_of_word))
    if not is_faster_by_words(len(new_words), sum(map(len, words_of_texts))):
        return dict(zip(texts, _distinct_counts(name, texts), strict=True))
    count_of_word.update(zip(new_words, _distinct_counts(name, new_words), strict=True))
    return {
        text: sum(map(count_of_word.__getitem__, words_of_text))
        for text, words_of_text in zip(texts, words_of_texts, strict=True)
    }


def is_faster_by_words(distinct: int, count: int) -> bool:
    """Whether counting each of `distinct` words once is faster, if there are `count` in all."""
    return distinct * PAYS < count


def _distinct_counts(name: str, texts: Sequence[str]) -> list[int]:
    """Return the token count of each text; each distinct text is counted once."""
    distinct = dict.fromkeys(texts)
    # tiktoken's own batch call makes a thread-pool job of each text: slower on short ones.
    encode = encoding_for(name, distinct).encode_ordinary
    counts = {text: len(encode(text)) for text in distinct}
    return [counts[text] for text in texts]


class VocabularySubset:
    """A part of a vocabulary, to which the tokens that may occur in a text are added."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._chunks = {""}
        self._steps = 0
        self._ranks = token_file(name).find(bytes([byte]) for byte in range(256))
        self._ranks |= self._ranks_in([*map(str, range(NUMBERS)), *HINTS])
        self._encoding: Encoding | None = None

    def encoding_for(self, texts: Iterable[str]) -> Encoding | None:
        """Return an encoding that counts the texts exactly.

        Return None once the texts so far have needed so many steps that the whole vocabulary pays.
        """
        chunks = {chunk for text in (CANARY, *texts) for chunk in _CUT.split(text)} - self._chunks
        if chunks:
            self._steps += sum(len(chunk) * min(len(chunk), LONGEST) for chunk in chunks)
            if self._steps > WORTH:
                return None
            # Ctrl-C may interrupt between any two statements: chunks are recorded only after all of
            # their tokens are, and an encoding without these tokens is dropped first.
            if (new_ranks := self._ranks_in(chunks)).keys() - self._ranks.keys():
                self._encoding = None
                self._ranks |= new_ranks
            self._chunks |= chunks
        if self._encoding is None:
            self._steps += _BUILD
            self._encoding = _build_encoding(self._name, self._ranks.copy())
        return self._encoding

    def _ranks_in(self, chunks: Iterable[str]) -> dict[bytes, int]:
        """Return the ranks of the tokens that occur in chunks, by token."""
        substrings: set[bytes] = set()
        for chunk in chunks:
            # tiktoken reads a lone surrogate as U+FFFD, too.
            text = chunk.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
            for start in range(len(text)):
                ends = range(start + 1, min(start + LONGEST, len(text)) + 1)
                substrings.update(text[start:end] for end in ends)
        return token_file(self._name).find(substrings)
