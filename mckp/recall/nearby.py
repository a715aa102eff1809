"""Notes for a pattern that matches nothing, or too little: its words, and other cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD: Final = regex(r"(?<!\\)[^\W_][\w-]{1,40}")
_MOST_WORDS: Final = 6
_SHORTEST_STEM: Final = 4
_MOST_CHARACTERS: Final = 4 << 20
"""Characters of texts from which on they are not searched a second time."""


def words_note(pattern: str, texts: Sequence[str], units: str) -> str:
    """Say how many texts have the words of a pattern that matches none; empty if none has any.

    A word that occurs nowhere is shortened to a stem that occurs. `units` is the word for the
    texts.

    Examples
    --------
    >>> words_note("xhigh is not supported", ["xhigh is", "supports it", "is"], "lines")
    'lines with its words: support 1, xhigh 1, is 2'
    >>> words_note("zzz", ["a"], "lines")
    ''
    """
    words = list(dict.fromkeys(word.lower() for word in _WORD.findall(pattern[:400])))
    if not words or sum(map(len, texts)) > _MOST_CHARACTERS:
        return ""
    lowered = [text.lower() for text in texts]
    counts_of_words: dict[str, int] = {}
    is_one_word = len(words) == 1
    for word in words[:_MOST_WORDS]:
        # One word as a whole was searched for already, in any case.
        for size in range(len(word) - is_one_word, min(_SHORTEST_STEM, len(word)) - 1, -1):
            count = sum(word[:size] in text for text in lowered)
            if count:
                counts_of_words.setdefault(word[:size], count)
                break
    rarest = sorted(counts_of_words, key=lambda word: (counts_of_words[word], -len(word)))
    counts = ", ".join(f"{word} {counts_of_words[word]}" for word in rarest)
    return f"{units} with its words: {counts}" if counts else ""


def depends_on_case(pattern: str) -> bool:
    """Whether a pattern has letters, and does not ask to ignore their case."""
    return pattern.lower() != pattern.upper() and "(?i" not in pattern


def case_note(count: int, units: str, pattern: str) -> str:
    """Say that more texts match in another case, and how to get them; empty if the count is 0."""
    return f"{count} more {units} in another case: grep (?i){pattern:.60}" if count else ""
