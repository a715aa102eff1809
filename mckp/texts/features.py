"""Features of the lines of any text, as arrays of numbers from 0 to about 2."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.regexes import regex
from mckp.texts.lines import DIGIT, LOWER, SIGN, SPACE, UPPER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.texts.lines import Flags, Numbers, Reals, TextLines

_PART: Final = regex(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}|\d{3,}")
_IDENTIFIER: Final = regex(
    r"^(?:[a-z0-9]+_\w|[a-z]+[A-Z]|[A-Z][a-z]+[A-Z]|[A-Z]+_[A-Z]|_[a-z])", re.MULTILINE
)
_NUMBER: Final = regex(r"^\d{4,}$", re.MULTILINE)
_CAPITAL: Final = regex(r"^[A-Z][a-z]+$", re.MULTILINE)

_DEFINES: Final = """
class def enum fn func function impl interface macro_rules message module namespace protocol record
rule struct trait type
"""
_BEFORE: Final = """
abstract async const default export extern final inline let override private protected pub public
static unsafe var virtual
"""
_BRANCHES: Final = "case catch do elif else except finally for if switch then try while with"
_EMPTY: Final = """
a about all also an and any are as at be but by can code do file files for from get had has have how
i if in into is it its just let like line lines may me more my need new no not now of on one or out
please see set should so than that the then there these they this to two up use used using was we
were what when where which who will with would you your
"""
DEFINES: Final = frozenset(_DEFINES.split())
"""Words that begin a definition."""

BEFORE_NAMES: Final = frozenset(_BEFORE.split())
"""Words that may come before those."""

IMPORTS: Final = frozenset(("from", "import", "include", "package", "require", "use", "using"))
BRANCHES: Final = frozenset(_BRANCHES.split())
_CONTROLS: Final = """
button checkbox combobox link menuitem option radio searchbox slider spinbutton switch tab textbox
"""
CONTROLS: Final = frozenset(_CONTROLS.split())
"""Roles of a page that its reader can act on."""

DIALOGS: Final = frozenset(("alert", "alertdialog", "dialog", "heading", "status"))
EMPTY: Final = frozenset(_EMPTY.split())
"""Words that say nothing of what a line is about."""


@lru_cache(maxsize=1 << 15)
def parts_of(word: str) -> frozenset[str]:
    """Return the words that a word consists of, and itself, normalised for comparison."""
    low = word.lower()
    parts = {part.lower() for part in _PART.findall(word)}
    return frozenset(part for part in (low, *parts) if len(part) > 2 and part not in EMPTY)


def asked_words(request: str) -> frozenset[str]:
    """Return the words of a request that carry its topic."""
    words = _WORDS.findall(request)
    return frozenset(part for word in words for part in parts_of(word))


_WORDS: Final = regex(r"\w+")


class Words:
    """The words of a text, and their sums by line."""

    def __init__(self, lines: TextLines) -> None:
        self._lines = lines
        size = len(lines.vocabulary)
        pair = lines.line_of * max(size, 1) + lines.word_of
        pair, first = np.unique(pair, return_index=True)
        self.word, self.line = pair % max(size, 1), pair // max(size, 1)
        self.at = lines.word_at[first]
        counts = np.bincount(self.word, minlength=size)
        self.rarity = np.log((lines.size + 1) / (counts + 0.5))
        self.norm = float(np.log(lines.size + 1.5))
        self.distinct = np.bincount(self.line, minlength=lines.size)

    def those(self, wanted: Iterable[str]) -> Flags:
        """Return a flag for each word of the vocabulary: whether it is in `wanted`."""
        flags = np.zeros(len(self._lines.vocabulary), bool)
        index = self._lines.vocabulary
        flags[[index[word] for word in wanted if word in index]] = True
        return flags

    def like(self, pattern: re.Pattern[str], *, small: bool = False) -> Flags:
        """Flag the words of the vocabulary that match a pattern, in lower case if `small`."""
        words = list(self._lines.vocabulary)
        if small:
            words = [word.lower() for word in words]
        ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)) + 1)
        starts = [match.start() for match in pattern.finditer("\n".join(words))]
        flags = np.zeros(len(words), bool)
        flags[np.searchsorted(ends, np.array(starts, np.int64), side="right")] = True
        return flags

    def sums(self, of_word: Reals) -> Reals:
        """Return, for each line, the sum of a number over its distinct words."""
        sums = np.bincount(self.line, of_word[self.word], self._lines.size)
        return np.asarray(sums, float)

    def first_words(self) -> Numbers:
        """Return, for each line, the vocabulary index of its first word, or -1."""
        lines = self._lines
        word_numbers = np.searchsorted(lines.word_at, lines.firsts)
        padded = np.append(lines.word_of, -1)
        inside = np.append(lines.word_at, len(lines.text))[word_numbers] < lines.lasts
        return np.where(inside, padded[word_numbers], -1)

    def overlap(self, request: str) -> Reals:
        """Return, for each line, the rarity of the request's words in it, from 0 to 2."""
        asked = asked_words(request)
        hit = self.those(
            word
            for word in self._lines.vocabulary
            if (word in asked if word.islower() and word.isalpha() else asked & parts_of(word))
        )
        return np.minimum(2.0, self.sums(self.rarity * hit) / self.norm)


def near(values: Reals, distance: int) -> Reals:
    """Return the largest value among each line's neighbours within a distance."""
    out = np.zeros_like(values)
    for step in range(1, min(distance, len(values) - 1) + 1):
        out[step:] = np.maximum(out[step:], values[:-step])
        out[:-step] = np.maximum(out[:-step], values[step:])
    return out


def features(
    lines: TextLines, words: Words, request: str | None, alike: Numbers
) -> dict[str, Reals]:
    """Return the features of all lines by name; `worth.WEIGHTS` has their weights.

    `alike` has, for each line, the number of lines that are equal except for numbers.
    """
    n = lines.size
    size = lines.lasts - lines.firsts
    place = np.arange(n)
    blank = lines.is_blank
    first = words.first_words()
    letters = _shares(lines, (lines.classes == UPPER) | (lines.classes == LOWER))
    indent = lines.indents
    least = indent[~blank].min(initial=0) if (~blank).any() else 0
    by_name: dict[str, Reals | Flags | Numbers] = {
        "blank": blank,
        "short": (size > 0) & (size < 4),
        "log size": np.log(np.maximum(size, 1) / 4 + 1) / 4,
        "very long": size > 160,
        "place": place / max(n, 1),
        "first 3": place < 3,
        "last": place == n - 1,
        "last 3": place >= n - 3,
        "indent": np.minimum(1.0, np.maximum(0, indent - least) / 16),
        "repeated": np.log(alike) / 3,
        "letters": letters,
        "braces only": ~blank & (words.distinct == 0),
    }
    by_name |= _signs(lines)
    by_name |= _of_words(lines, words, first)
    if request:
        overlap = words.overlap(request)
        by_name |= {
            "asked": overlap,
            "asked near": near(overlap, 1),
            "asked near 3": near(overlap, 3),
        }
    return {name: np.asarray(values, float) for name, values in by_name.items()}


def _shares(lines: TextLines, flags: Flags) -> Reals:
    """Return, for each line, the share of characters with a flag."""
    sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(flags)))
    shares: Reals = np.subtract(sums[lines.lasts], sums[lines.firsts], dtype=float)
    shares /= np.maximum(lines.lasts - lines.firsts, 1)
    return shares


def _signs(lines: TextLines) -> dict[str, Flags | Reals]:
    """Return features that depend on single signs between words."""
    places = np.flatnonzero(lines.classes == SIGN)
    codes = lines.codes[places]
    padded = np.append(lines.codes, [0, 0])
    classes = np.append(lines.classes, np.array([SPACE], np.int8))
    is_word = (classes != SPACE) & (classes != SIGN)
    before, behind = is_word[places - 1], is_word[places + 1]  # -1 is the end: a blank
    next_codes, is_before_digit = padded[places + 1], classes[places + 1] == DIGIT

    def at(sign: str) -> Flags:
        """Flag a sign between words."""
        flags: Flags = codes == ord(sign)
        return flags

    def lines_with(flags: Flags) -> Flags:
        """Flag the lines that have a flagged character."""
        return lines.having(places[flags])

    between = before & behind
    colon = at(":")
    start, second = padded[lines.firsts], padded[lines.firsts + 1]
    quote = at('"') | at("'") | at("`")
    return {
        "path": lines_with(at("/") & between),
        "url": lines_with(colon & (next_codes == ord("/")) & before),
        "path:line": lines_with(colon & before & is_before_digit),
        "call": lines_with(at("(") & before),
        "dotted": lines_with(at(".") & between & ~is_before_digit),
        "quote": lines.counts(places[quote]) > 1,
        "key: value": lines_with(colon & before & ~behind & (next_codes == 32)),
        "assign": lines_with(at("=") & ~between),
        "bullet": np.isin(start, [45, 42, 8226]) & (second == 32),
        "heading": start == ord("#"),
        "comment": ((start == 47) & np.isin(second, [47, 42])) | ((start == 35) & (second == 32)),
        "added": (start == ord("+")) & (lines.firsts == lines.margins),
        "removed": (start == ord("-")) & (lines.firsts == lines.margins) & (second != 45),
        "ref": lines_with(at("[") & (next_codes == ord("r")) & ~before),
    }


def _of_words(lines: TextLines, words: Words, first: Numbers) -> dict[str, Flags | Reals]:
    """Return features that depend on the words of a line."""

    def begins(wanted: Iterable[str]) -> Flags:
        """Flag the lines that begin with certain words."""
        return np.append(words.those(wanted), False).take(first)

    rarity = words.rarity
    size = np.fromiter(map(len, lines.vocabulary), np.int64, len(lines.vocabulary))
    real = (size > 2) & ~words.those(EMPTY) & ~words.those(word.capitalize() for word in EMPTY)
    names = words.like(_IDENTIFIER)
    number = words.like(_NUMBER)
    capital = words.like(_CAPITAL)
    fresh = words.at == lines.word_at[_first_of_each(lines)][words.word]
    many = np.maximum(words.distinct, 1)
    defines = words.those(DEFINES)
    opening = begins(DEFINES) | (begins(BEFORE_NAMES) & (words.sums(defines.astype(float)) > 0))
    return {
        "definition": opening,
        "after definition": np.concatenate((np.zeros(1, bool), opening[:-1])),
        "import": begins(IMPORTS),
        "control": begins(CONTROLS),
        "dialog": begins(DIALOGS),
        "branch": begins(BRANCHES),
        "return": begins(("return",)),
        "identifiers": np.minimum(1, words.sums(names.astype(float)) / 4),
        "number": words.sums(number.astype(float)) > 0,
        "names": np.minimum(1, words.sums(capital.astype(float)) / 4),
        "rare": np.minimum(1.5, words.sums(rarity * real) / (4 * words.norm)),
        "mean rarity": words.sums(rarity) / (many * words.norm),
        "words": np.minimum(1, words.distinct / 12),
        "fresh": np.bincount(words.line, fresh, lines.size) / many,
    }


def _first_of_each(lines: TextLines) -> Numbers:
    """Return the index of the first occurrence of each word in the vocabulary."""
    return np.unique(lines.word_of, return_index=True)[1]
