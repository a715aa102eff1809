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

_DEFINERS: Final = """
class def enum fn func function impl interface macro_rules message module namespace protocol record
rule struct trait type
"""
_MODIFIERS: Final = """
abstract async const default export extern final inline let override private protected pub public
static unsafe var virtual
"""
_BRANCHES: Final = "case catch do elif else except finally for if switch then try while with"
_STOP_WORDS: Final = """
a about all also an and any are as at be but by can code do file files for from get had has have how
i if in into is it its just let like line lines may me more my need new no not now of on one or out
please see set should so than that the then there these they this to two up use used using was we
were what when where which who will with would you your
"""
DEFINERS: Final = frozenset(_DEFINERS.split())
"""Words that begin a definition."""

MODIFIERS: Final = frozenset(_MODIFIERS.split())
"""Words that may come before the word that begins a definition."""

IMPORTS: Final = frozenset(("from", "import", "include", "package", "require", "use", "using"))
BRANCHES: Final = frozenset(_BRANCHES.split())
_CONTROLS: Final = """
button checkbox combobox link menuitem option radio searchbox slider spinbutton switch tab textbox
"""
CONTROLS: Final = frozenset(_CONTROLS.split())
"""Roles of a page that its reader can act on."""

DIALOGS: Final = frozenset(("alert", "alertdialog", "dialog", "heading", "status"))
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
"""Words that do not say what a line is about."""


@lru_cache(maxsize=1 << 15)
def word_parts(word: str) -> frozenset[str]:
    """Return a word and the words that it consists of, in lower case.

    Parts of fewer than three characters and stop words are left out.
    """
    lower = word.lower()
    parts = {part.lower() for part in _PART.findall(word)}
    return frozenset(part for part in (lower, *parts) if len(part) > 2 and part not in STOP_WORDS)


def request_words(request: str) -> frozenset[str]:
    """Return the words of a request and their parts, without stop words (see `word_parts`)."""
    words = _WORDS.findall(request)
    return frozenset(part for word in words for part in word_parts(word))


_WORDS: Final = regex(r"\w+")


class Words:
    """The distinct words of each line of a text, as arrays with an entry for each of them.

    Attributes
    ----------
    word, line, at : array of int64 [pairs]
        For each word of a line: its index in the vocabulary, the line, and the offset of its first
        occurrence there, in characters.
    rarity : array of float64 [words]
        The rarity of each word of the vocabulary: a logarithm that falls with its number of lines.
    norm : float
        The logarithm of the number of lines, by which sums of rarities are divided.
    distinct : array of int64 [lines]
        The number of distinct words in each line.
    """

    def __init__(self, lines: TextLines) -> None:
        self._lines = lines
        size = len(lines.vocabulary)
        pairs = lines.line_of * max(size, 1) + lines.word_of
        pairs, first_indexes = np.unique(pairs, return_index=True)
        self.word, self.line = pairs % max(size, 1), pairs // max(size, 1)
        self.at = lines.word_at[first_indexes]
        counts = np.bincount(self.word, minlength=size)
        self.rarity = np.log((lines.size + 1) / (counts + 0.5))
        self.norm = float(np.log(lines.size + 1.5))
        self.distinct = np.bincount(self.line, minlength=lines.size)

    def flag_words(self, wanted: Iterable[str]) -> Flags:
        """Flag the words of the vocabulary that are in `wanted`."""
        flags = np.zeros(len(self._lines.vocabulary), bool)
        index = self._lines.vocabulary
        flags[[index[word] for word in wanted if word in index]] = True
        return flags

    def flag_matching(self, pattern: re.Pattern[str], *, small: bool = False) -> Flags:
        """Flag the words of the vocabulary that match a multi-line pattern.

        Words are put into lower case first if `small` is set.
        """
        words = list(self._lines.vocabulary)
        if small:
            words = [word.lower() for word in words]
        ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)) + 1)
        starts = [match.start() for match in pattern.finditer("\n".join(words))]
        flags = np.zeros(len(words), bool)
        flags[np.searchsorted(ends, np.array(starts, np.int64), side="right")] = True
        return flags

    def sum_by_line(self, word_numbers: Reals) -> Reals:
        """Return, for each line, the sum of the numbers of its distinct words.

        `word_numbers` has a number for each word of the vocabulary.
        """
        sum_by_line = np.bincount(self.line, word_numbers[self.word], self._lines.size)
        return np.asarray(sum_by_line, float)

    def first_words(self) -> Numbers:
        """Return, for each line, the vocabulary index of its first word, or -1 if it has none."""
        lines = self._lines
        word_numbers = np.searchsorted(lines.word_at, lines.firsts)
        padded = np.append(lines.word_of, -1)
        inside = np.append(lines.word_at, len(lines.text))[word_numbers] < lines.lasts
        return np.where(inside, padded[word_numbers], -1)

    def overlap(self, request: str) -> Reals:
        """Return, for each line, the summed rarity of its words that a request has, from 0 to 2."""
        topic_words = request_words(request)
        is_asked = self.flag_words(
            word
            for word in self._lines.vocabulary
            if (
                word in topic_words
                if word.islower() and word.isalpha()
                else topic_words & word_parts(word)
            )
        )
        return np.minimum(2.0, self.sum_by_line(self.rarity * is_asked) / self.norm)


def nearby_maximum(values: Reals, distance: int) -> Reals:
    """Return, for each line, the greatest of the values of other lines within a distance."""
    maxima = np.zeros_like(values)
    for step in range(1, min(distance, len(values) - 1) + 1):
        maxima[step:] = np.maximum(maxima[step:], values[:-step])
        maxima[:-step] = np.maximum(maxima[:-step], values[step:])
    return maxima


def line_features(
    lines: TextLines, words: Words, request: str | None, alike_counts: Numbers
) -> dict[str, Reals]:
    """Return the features of all lines by name; `worth.WEIGHTS` has their weights.

    `alike_counts` has, for each line, the number of lines that are equal except for numbers.
    """
    line_count = lines.size
    sizes = lines.lasts - lines.firsts
    places = np.arange(line_count)
    blank = lines.is_blank
    first_words = words.first_words()
    letter_shares = _flag_shares(lines, (lines.classes == UPPER) | (lines.classes == LOWER))
    indents = lines.indents
    least_indent = indents[~blank].min(initial=0) if (~blank).any() else 0
    by_name: dict[str, Reals | Flags | Numbers] = {
        "blank": blank,
        "short": (sizes > 0) & (sizes < 4),
        "log size": np.log(np.maximum(sizes, 1) / 4 + 1) / 4,
        "very long": sizes > 160,
        "place": places / max(line_count, 1),
        "first 3": places < 3,
        "last": places == line_count - 1,
        "last 3": places >= line_count - 3,
        "indent": np.minimum(1.0, np.maximum(0, indents - least_indent) / 16),
        "repeated": np.log(alike_counts) / 3,
        "letters": letter_shares,
        "braces only": ~blank & (words.distinct == 0),
    }
    by_name |= _sign_features(lines)
    by_name |= _word_features(lines, words, first_words)
    if request:
        overlaps = words.overlap(request)
        by_name |= {
            "asked": overlaps,
            "asked near": nearby_maximum(overlaps, 1),
            "asked near 3": nearby_maximum(overlaps, 3),
        }
    return {name: np.asarray(values, float) for name, values in by_name.items()}


def _flag_shares(lines: TextLines, flags: Flags) -> Reals:
    """Return, for each line, the share of the characters in its body that have a flag."""
    shares: Reals = lines.count_flags(flags) / np.maximum(lines.lasts - lines.firsts, 1)
    return shares


def _sign_features(lines: TextLines) -> dict[str, Flags | Reals]:
    """Return the features that depend on single signs, such as a colon behind a word."""
    places = np.flatnonzero(lines.classes == SIGN)
    codes = lines.codes[places]
    classes = np.append(lines.classes, np.array([SPACE], np.int8))
    is_word = (classes != SPACE) & (classes != SIGN)
    is_behind_word, is_before_word = (
        is_word[places - 1],
        is_word[places + 1],
    )  # -1 is the end: a blank
    next_codes, is_before_digit = lines.codes_at(places + 1), classes[places + 1] == DIGIT

    def flag_sign(sign: str) -> Flags:
        """Flag the occurrences of a sign."""
        flags: Flags = codes == ord(sign)
        return flags

    def lines_with(flags: Flags) -> Flags:
        """Flag the lines that have a flagged sign."""
        return lines.flag_lines_at(places[flags])

    is_inside_word = is_behind_word & is_before_word
    is_colon = flag_sign(":")
    first_codes, second_codes = lines.codes_at(lines.firsts), lines.codes_at(lines.firsts + 1)
    is_quote = flag_sign('"') | flag_sign("'") | flag_sign("`")
    return {
        "path": lines_with(flag_sign("/") & is_inside_word),
        "url": lines_with(is_colon & (next_codes == ord("/")) & is_behind_word),
        "path:line": lines_with(is_colon & is_behind_word & is_before_digit),
        "call": lines_with(flag_sign("(") & is_behind_word),
        "dotted": lines_with(flag_sign(".") & is_inside_word & ~is_before_digit),
        "quote": lines.count_at(places[is_quote]) > 1,
        "key: value": lines_with(is_colon & is_behind_word & ~is_before_word & (next_codes == 32)),
        "assign": lines_with(flag_sign("=") & ~is_inside_word),
        "bullet": np.isin(first_codes, [45, 42, 8226]) & (second_codes == 32),
        "heading": first_codes == ord("#"),
        "comment": ((first_codes == 47) & np.isin(second_codes, [47, 42]))
        | ((first_codes == 35) & (second_codes == 32)),
        "added": (first_codes == ord("+")) & (lines.firsts == lines.margins),
        "removed": (first_codes == ord("-"))
        & (lines.firsts == lines.margins)
        & (second_codes != 45),
        "ref": lines_with(flag_sign("[") & (next_codes == ord("r")) & ~is_behind_word),
    }


def _word_features(
    lines: TextLines, words: Words, first_words: Numbers
) -> dict[str, Flags | Reals]:
    """Return the features that depend on the words of a line.

    `first_words` has the vocabulary index of the first word of each line, or -1.
    """

    def begins_with(wanted: Iterable[str]) -> Flags:
        """Flag the lines that begin with one of the wanted words."""
        return np.append(words.flag_words(wanted), False).take(first_words)

    rarity = words.rarity
    sizes = np.fromiter(map(len, lines.vocabulary), np.int64, len(lines.vocabulary))
    has_meaning = (
        (sizes > 2)
        & ~words.flag_words(STOP_WORDS)
        & ~words.flag_words(word.capitalize() for word in STOP_WORDS)
    )
    is_identifier = words.flag_matching(_IDENTIFIER)
    is_number = words.flag_matching(_NUMBER)
    is_capitalized = words.flag_matching(_CAPITAL)
    is_first_occurrence = words.at == lines.word_at[_first_occurrences(lines)][words.word]
    word_counts = np.maximum(words.distinct, 1)
    is_definer = words.flag_words(DEFINERS)
    is_definition = begins_with(DEFINERS) | (
        begins_with(MODIFIERS) & (words.sum_by_line(is_definer.astype(float)) > 0)
    )
    return {
        "definition": is_definition,
        "after definition": np.concatenate((np.zeros(1, bool), is_definition[:-1])),
        "import": begins_with(IMPORTS),
        "control": begins_with(CONTROLS),
        "dialog": begins_with(DIALOGS),
        "branch": begins_with(BRANCHES),
        "return": begins_with(("return",)),
        "identifiers": np.minimum(1, words.sum_by_line(is_identifier.astype(float)) / 4),
        "number": words.sum_by_line(is_number.astype(float)) > 0,
        "names": np.minimum(1, words.sum_by_line(is_capitalized.astype(float)) / 4),
        "rare": np.minimum(1.5, words.sum_by_line(rarity * has_meaning) / (4 * words.norm)),
        "mean rarity": words.sum_by_line(rarity) / (word_counts * words.norm),
        "words": np.minimum(1, words.distinct / 12),
        "fresh": np.bincount(words.line, is_first_occurrence, lines.size) / word_counts,
    }


def _first_occurrences(lines: TextLines) -> Numbers:
    """Return, for each word of the vocabulary, the index of its first occurrence in the text."""
    return np.unique(lines.word_of, return_index=True)[1]
