"""Ratings of names: which rating in the salience table a name has, by its last words."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mckp.weights.keys import words_of_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNITS: Final = frozenset(
    words_of_name(
        "ms sec second minute hour nano ns unix epoch utc gmt kb mb gb byte cent dollar euro usd "
        "eur gbp celsius kmh percent pct"
    )
)
"""Words that say how a value is measured, behind a name that says what is measured."""

_SHORTEST_END: Final = 4
"""Letters of the shortest known name that is recognized at the end of one word: ``longname``."""


class Lexicon:
    """Ratings of the names of fields, of arrays of plain values, and of containers around them."""

    def __init__(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Index the terms of a table such as ``salience.toml``: for each part, terms by rating."""
        self._parts = {
            part: {
                term: rating for rating, terms in table[part].items() for term in terms.split(", ")
            }
            for part in ("names", "lists", "inside")
        }
        self.term = lru_cache(4096)(self._look_up)

    def __getstate__(self) -> dict[str, dict[str, str]]:
        """Return the ratings without the cache, which cannot be pickled."""
        return self._parts

    def __setstate__(self, parts: dict[str, dict[str, str]]) -> None:
        """Restore the ratings, with an empty cache."""
        self._parts = parts
        self.term = lru_cache(4096)(self._look_up)

    def rating_of(self, name: str, part: str) -> str | None:
        """Return the rating of the longest known ending of a name, or None if no ending is known.

        `part` is the kind of name: ``names`` (of fields), ``lists`` or ``inside`` (containers).
        """
        term = self.term(name, part)
        return None if term is None else term[1]

    def _look_up(self, name: str, part: str) -> tuple[str, str, str] | None:
        """Return the longest known ending of a name, its rating, and that of the next shorter one.

        Numbers do not count beside words. Nor do units at the end, unless two or more words with
        the unit are known, or the words before it have no known ending but ``time``. If no words
        match, the end of the last word is tried. The third is ``unknown`` if there is no other
        ending; the result is None if no ending is known.
        """
        all_words = words_of_name(name)
        words = [word for word in all_words if not word.isdigit()] or list(all_words)
        known = self._parts[part]
        matches = _known_endings(words, known)
        if words and words[-1] in UNITS and (not matches or " " not in matches[0][0]):
            measured = _known_endings(_without_unit(words), known)
            if measured and measured[0][0] != "time":  # with a unit that is how long, not when
                matches = measured
        if not matches:
            last = words[-1] if words else ""
            glued = (last[at:] for at in range(2, len(last) - _SHORTEST_END + 1))
            matches = [(end, known[end]) for end in glued if end in known][:1]
        if not matches:
            return None
        shorter = matches[1][1] if len(matches) > 1 else "unknown"
        return (*matches[0], shorter)


def _known_endings(words: Sequence[str], known: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the known endings of up to four words, with their ratings, the longest first."""
    ends = (" ".join(words[-size:]) for size in range(min(4, len(words)), 0, -1))
    return [(end, known[end]) for end in ends if end in known]


def _without_unit(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a name without the units, and the word *in*, at its end.

    Examples
    --------
    >>> _without_unit(["price", "in", "cent"]), _without_unit(["second"])
    (['price'], [])
    """
    end = len(words)
    while end and (words[end - 1] in UNITS or words[end - 1] == "in"):
        end -= 1
    return words[:end]
