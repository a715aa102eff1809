"""A text as lines in arrays, so that no Python loop runs over the lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from mckp.distinct import distinct
from mckp.regexes import regex
from mckp.texts.patterns import Sought

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]
    Reals: TypeAlias = NDArray[np.float64]
    Roles: TypeAlias = tuple[list[float], list[float]]
    """For each row a factor, and the least that it is worth."""

NUMBER: Final = regex(r"^[ \t]*+(\d{1,7})(?:→|\t|: |:|\| ?|│ ?|  )", re.MULTILINE)
"""The line number that a tool writes in front of a line of a file."""

_WORD: Final = regex("[A-Za-z0-9_\\u00aa-\\u1fff\\u2c00-\\u2fff\\u3005-\\U0010ffff]+")
"""A word; `lines_of` computes the offsets of words by the same rule."""

_FENCE: Final = Sought(
    regex(
        r"^[ \t]*+(?:\d{1,7}(?:→|\t|: |:|\| ?|│ ?|  )[ \t]*+)?(?:```++[^`\n]*+|~~~++[^~\n]*+)$",
        re.MULTILINE,
    ),
    signs=("```", "~~~"),
)
"""A fence, which opens or closes a block of code; a line number may be in front of it."""

IN_SEQUENCE: Final = 0.95
"""The share of numbers that count up by one from which they number lines, even if they might be
years."""

_YEARS: Final = range(1500, 2200)

STRETCH: Final = 1 << 18
"""Characters that are looked at together."""

SPACE, DIGIT, UPPER, LOWER, SIGN = 0, 1, 2, 3, 4


def _character_classes() -> NDArray[np.int8]:
    """Return the class of each character code from 0 to 127, and of all others at index 128."""
    table = np.full(129, SIGN, np.int8)
    table[[9, 10, 11, 12, 13, 32]] = SPACE
    table[48:58], table[65:91], table[97:123], table[95] = DIGIT, UPPER, LOWER, LOWER
    return table


_CLASSES: Final = _character_classes()


@dataclass(frozen=True)
class TextLines:
    """Lines of a text, and the words in them. All offsets are in characters.

    Attributes
    ----------
    text : str
        The text.
    starts : array of int64 [lines + 1]
        Line i is ``text[starts[i]:starts[i + 1]]``.
    firsts, lasts : array of int64 [lines]
        The body of line i, without blanks at its ends and without its line number, is
        ``text[firsts[i]:lasts[i]]``.
    margins : array of int64 [lines]
        The offset at which the content of each line begins, with its indentation: the start of the
        line, or the offset behind its line number.
    numbers : array of int64 [lines] or None
        The line number that each line shows, -1 where it shows none; None if the text has no line
        numbers.
    classes : array of int8 [characters]
        The class of each character, such as `DIGIT`.
    codes : array of uint32 [characters]
        The code point of each character.
    word_at, word_of, line_of : array of int64 [words]
        The offset of each word, its index in the vocabulary, and its line.
    vocabulary : dict of str to int
        The index of each distinct word, in the order of their first occurrences.
    """

    text: str
    starts: Numbers
    firsts: Numbers
    lasts: Numbers
    margins: Numbers
    numbers: Numbers | None
    classes: NDArray[np.int8]
    codes: NDArray[np.uint32]
    word_at: Numbers
    word_of: Numbers
    line_of: Numbers
    vocabulary: dict[str, int]

    @property
    def size(self) -> int:
        """The number of lines."""
        return len(self.starts) - 1

    @property
    def indents(self) -> Numbers:
        """The indentation of each line in columns; a tab counts as four."""
        tabs = np.flatnonzero(self.codes == 9)
        inner = np.searchsorted(tabs, self.firsts) - np.searchsorted(tabs, self.margins)
        columns = self.firsts - self.margins + 3 * inner
        return np.asarray(columns, np.int64)

    @property
    def is_blank(self) -> Flags:
        """A flag for each line: whether it is blank."""
        return self.firsts >= self.lasts

    def count_flags(self, flags: Flags) -> Numbers:
        """Return, for each line, how many characters of its body have a flag."""
        before = np.concatenate((np.zeros(1, np.int32), np.cumsum(flags, dtype=np.int32)))
        return np.asarray(before[self.lasts] - before[self.firsts], np.int64)

    def codes_at(self, places: Numbers) -> Numbers:
        """Return the codes of the characters at some offsets; 0 outside of the text."""
        is_inside = (places >= 0) & (places < len(self.codes))
        codes = np.zeros(len(places), np.int64)
        codes[is_inside] = self.codes[places[is_inside]]
        return codes

    def body(self, number: int) -> str:
        """Return the body of a line: without blanks at its ends and without its line number."""
        return self.text[self.firsts[number] : self.lasts[number]]

    def flag_lines_at(self, places: Numbers) -> Flags:
        """Flag the lines that contain at least one of some ascending character offsets."""
        return np.diff(np.searchsorted(places, self.starts)) > 0

    def count_at(self, places: Numbers) -> Numbers:
        """Return, for each line, how many of some ascending character offsets are in it."""
        return np.diff(np.searchsorted(places, self.starts))

    def flag_matches(self, sought: Sought) -> Flags:
        """Flag the lines in which a match of a pattern begins."""
        text, search, match = self.text, sought.pattern.search, sought.pattern.match
        beginning, anywhere = self._candidates(sought)
        if beginning is None or anywhere is None:
            offsets = [hit.start() for hit in sought.pattern.finditer(text)]
            return self.flag_lines_at(np.array(offsets, np.int64))
        starts, flags = self.starts, np.zeros(self.size, bool)
        places: Numbers = np.flatnonzero(beginning & ~anywhere)
        edges = zip(starts[places].tolist(), starts[places + 1].tolist(), strict=True)
        flags[places] = [match(text, start, end) is not None for start, end in edges]
        places = np.flatnonzero(anywhere)
        last = np.minimum(places + sought.lines, self.size)
        columns: tuple[Numbers, ...] = (places, starts[places], starts[places + 1], starts[last])
        for place, start, own_end, end in zip(*(e.tolist() for e in columns), strict=True):
            hit = search(text, start, end)
            flags[place] = hit is not None and hit.start() < own_end
        return flags

    def _candidates(self, sought: Sought) -> tuple[Flags, Flags] | tuple[None, None]:
        """Flag the lines that may match at their start, and those that may match anywhere.

        Both are None if every line may match anywhere.
        """
        *clues, _ = sought[1:]
        if not any(clues) or self.numbers is not None:
            return None, None
        beginning = anywhere = np.zeros(self.size, bool)
        if sought.firsts:
            beginning = self._match_any(sought.firsts, self._first_codes)
        if sought.lasts:
            anywhere = self._match_any(sought.lasts, self._last_codes)
        words = [self.vocabulary[word] for word in sought.words if word in self.vocabulary]
        if sought.parts:
            words += self._words_containing(sought.parts)
        if sought.words or sought.parts:
            words += self._non_ascii_words
        if words:
            is_one = np.zeros(len(self.vocabulary), bool)
            is_one[words] = True
            anywhere = anywhere | (np.bincount(self.line_of, is_one[self.word_of], self.size) > 0)
        for sign in sought.signs:
            if sign in self.text:
                offsets = [found.start() for found in re.finditer(re.escape(sign), self.text)]
                anywhere = anywhere | self.flag_lines_at(np.array(offsets, np.int64))
        return beginning, anywhere

    @staticmethod
    def _match_any(signs: str, codes: Numbers) -> Flags:
        """Flag the character codes, at most 128, that are one of `signs` or not in ASCII."""
        table = np.zeros(129, bool)
        table[list(signs.encode("ascii"))] = True
        table[128] = True
        return np.asarray(table[codes], bool)

    @cached_property
    def _first_codes(self) -> Numbers:
        """The code of the first character of each line's body; 128 for any beyond ASCII."""
        return np.minimum(self.codes_at(self.firsts), 128)

    @cached_property
    def _last_codes(self) -> Numbers:
        """The code of the last character of each line's body; 128 for any beyond ASCII."""
        return np.minimum(self.codes_at(self.lasts - 1), 128)

    @cached_property
    def _non_ascii_words(self) -> list[int]:
        """The indexes of words beyond ASCII, which a pattern may read as several words."""
        if self.text.isascii():
            return []
        return [number for word, number in self.vocabulary.items() if not word.isascii()]

    @cached_property
    def _lower_words(self) -> str:
        """The vocabulary in lower case, a word per line."""
        return "\n".join(word.lower() for word in self.vocabulary)

    def _words_containing(self, parts: Iterable[str]) -> list[int]:
        """Return the indexes of the words that contain any of these parts, in any case."""
        if not any(part in self._lower_words for part in parts):
            return []
        words = enumerate(self._lower_words.split("\n"))
        return [number for number, word in words if any(part in word for part in parts)]

    def bodies(self) -> list[str]:
        """Return the bodies of all lines: without blanks at their ends and without line numbers."""
        text = self.text
        return [text[a:b] for a, b in zip(self.firsts.tolist(), self.lasts.tolist(), strict=True)]


def lines_of(text: str) -> TextLines:
    r"""Return the lines of a text; they end at line feeds only. O(characters).

    Examples
    --------
    >>> lines = lines_of(" one two\n\nend")
    >>> lines.starts.tolist(), lines.firsts.tolist(), lines.lasts.tolist(), list(lines.vocabulary)
    ([0, 9, 10, 13], [1, 9, 10], [8, 9, 13], ['one', 'two', 'end'])
    """
    starts, firsts, lasts, margins, numbers, classes, codes = _line_fields(text)
    is_word = ((classes != SPACE) & (classes != SIGN)) | (codes >= 0xAA)
    is_word &= (codes < 0x2000) | ((codes >= 0x2C00) & (codes < 0x3000)) | (codes >= 0x3005)
    word_at = np.flatnonzero(is_word & ~np.concatenate((np.zeros(1, bool), is_word[:-1])))
    index: dict[str, int] = {}
    word_of = np.zeros(len(word_at), np.int64)
    first = 0
    for start, end in _stretches(starts):
        words = _WORD.findall(text, start, end)
        for word in dict.fromkeys(words):
            index.setdefault(word, len(index))
        word_of[first : first + len(words)] = list(map(index.__getitem__, words))
        first += len(words)
    assert first == len(word_of), "each word begins where the array says"
    line_of = np.searchsorted(starts, word_at, side="right") - 1
    of_words = (word_at, word_of, line_of, index)
    return TextLines(text, starts, firsts, lasts, margins, numbers, classes, codes, *of_words)


def _stretches(starts: Numbers) -> Iterator[tuple[int, int]]:
    """Yield the ends of runs of lines of about `STRETCH` characters, given the lines' starts."""
    edges = np.searchsorted(starts, np.arange(0, int(starts[-1]), STRETCH))
    yield from pairwise(starts[distinct(np.append(edges, len(starts) - 1))].tolist())


def _line_fields(text: str, *, is_sample: bool = False) -> tuple[Any, ...]:
    """Return the fields of `TextLines` from `starts` to `codes`, in this order.

    `is_sample` says that lines are missing, so that even the numbers of lines may have gaps.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    feeds = np.flatnonzero(codes == 10) + 1
    ends = feeds if text.endswith("\n") or not text else np.append(feeds, len(text))
    starts = np.concatenate((np.zeros(1, np.int64), ends)).astype(np.int64)
    classes = np.empty(len(codes), np.int8)
    for first in range(0, len(codes), STRETCH):
        some = slice(first, first + STRETCH)
        classes[some] = _CLASSES[np.minimum(codes[some], 128)]
    is_seen = np.concatenate(([False], classes != SPACE, [False]))
    edges = np.flatnonzero(is_seen[1:] != is_seen[:-1])
    runs = edges[::2], edges[1::2]
    firsts, lasts = _visible_edges(runs, starts)
    margins, numbers = starts[:-1], None
    marked = _shown_numbers(text, starts, int((firsts < lasts).sum()), is_sample=is_sample)
    if marked is not None:
        numbers, margins = marked
        firsts = np.minimum(_visible_edges(runs, np.append(margins, len(text)))[0], lasts)
    return starts, firsts, lasts, margins, numbers, classes, codes


def content_lines(text: str, most: int) -> tuple[list[str], list[str]]:
    r"""Return the lines that are not blank, without line numbers, twice: stripped and unstripped.

    The unstripped lines have their indentation and line feeds. Each line is cut after `most`
    characters.

    Examples
    --------
    >>> content_lines("one\n\n  two\n", 100)
    (['one', 'two'], ['one\n', '  two\n'])
    """
    starts, firsts, lasts, margins, *_ = _line_fields(text, is_sample=True)
    some = np.flatnonzero(firsts < lasts)
    edges = (column[some].tolist() for column in (firsts, lasts, margins, starts[1:]))
    rows: list[str] = []
    whole: list[str] = []
    for first, last, margin, end in zip(*edges, strict=True):
        rows.append(text[first : min(last, first + most)])
        whole.append(text[margin : min(end, margin + most)])
    return rows, whole


def indented_lines(lines: TextLines, start: int, end: int) -> list[str]:
    """Return the lines ``[start, end)`` with their indentation, but without line numbers."""
    first, last = lines.margins[start:end].tolist(), lines.lasts[start:end].tolist()
    return [lines.text[a : max(a, b)] for a, b in zip(first, last, strict=True)]


def code_fences(lines: TextLines) -> Iterator[tuple[int, int]]:
    r"""Yield the numbers of the lines that open and close each block of code between fences.

    A fence that is never closed is left out.

    Examples
    --------
    >>> list(code_fences(lines_of("Run:\n```sh\nmake\n```\n~~~\nno end")))
    [(1, 3)]
    """
    opening, fence = -1, ""
    for number in np.flatnonzero(lines.flag_matches(_FENCE)).tolist():
        body = lines.body(number)
        if opening < 0:
            opening, fence = number, body[: len(body) - len(body.lstrip(body[0]))]
        elif body.startswith(fence) and not body.strip(fence[0]):
            yield opening, number
            opening = -1


def _visible_edges(runs: tuple[Numbers, Numbers], starts: Numbers) -> tuple[Numbers, Numbers]:
    """Return the start and end offsets of the visible part of each line; equal if there is none.

    `runs` has the ascending starts and ends of the longest runs of characters that are not blank.
    """
    run_starts, run_ends = (np.append(edges, starts[-1]) for edges in runs)
    lines, ends = starts[:-1], starts[1:]
    first = np.searchsorted(run_ends[:-1], lines, side="right")
    last = np.searchsorted(run_starts[:-1], ends) - 1
    firsts = np.maximum(run_starts[first], lines)
    some = firsts < ends
    lasts = np.where(some, np.minimum(run_ends[last], ends), lines)
    return np.where(some, firsts, lines), lasts


def _shown_numbers(
    text: str, starts: Numbers, full: int, *, is_sample: bool
) -> tuple[Numbers, Numbers] | None:
    """Return the line number that each line shows, and the offset behind it.

    A line without one has the number -1, and its start as the offset. The result is None if the
    text has no line numbers: they must be in front of at least three lines and of 60 % of the
    `full` lines, those that are not blank, mostly count up by one, and not be years.
    """
    if full < 3 or len(NUMBER.findall(text, 0, int(starts[min(60, len(starts) - 1)]))) < 3:
        return None
    matches = list(NUMBER.finditer(text))
    if len(matches) < 0.6 * full:
        return None
    shown = np.array([int(match[1]) for match in matches], np.int64)
    steps = np.diff(shown)
    by_one = (steps == 1).mean()
    if (steps < 1).mean() > 0.1 or by_one < 0.5:
        return None
    if not is_sample and by_one < IN_SEQUENCE and _are_years(text, matches, shown):
        return None
    offsets = np.array([match.start() for match in matches])
    numbered = np.searchsorted(starts, offsets, side="right") - 1
    numbers = np.full(len(starts) - 1, -1, np.int64)
    ends = starts[:-1].copy()
    numbers[numbered] = shown
    ends[numbered] = [match.end() for match in matches]
    return numbers, ends


def _are_years(text: str, matches: Sequence[re.Match[str]], shown: Numbers) -> bool:
    """Whether the numbers in front of lines can be years: all are, and no tool's sign follows."""
    if shown.min() < _YEARS.start or shown.max() >= _YEARS.stop:
        return False
    return not any(text[match.end() - 1] in "→\t" for match in matches)
