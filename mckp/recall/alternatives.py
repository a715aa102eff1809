"""The alternatives of a pattern: which texts have each."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.recall.patterns import ANY_CASE, searched

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST: Final = 12
"""Most alternatives that are counted."""
_SKEWED: Final = 3
"""How many times as frequent as the rarest the most frequent alternative is, if some are rare."""
_MOST_CHARACTERS: Final = 4 << 20
"""Characters of texts from which on they are not searched for each alternative."""


class Alternatives(NamedTuple):
    """The texts that match a pattern, by its alternatives."""

    hits: dict[str, frozenset[int]]
    """The places of the texts that have each alternative."""

    @property
    def note(self) -> str:
        """A note with the number of texts that have each alternative, the rarest first.

        Examples
        --------
        >>> alternatives("FAIL|ok|panic", ["ok 1", "ok 2", "FAIL 3"]).note
        'panic 0, FAIL 1, ok 2'
        """
        ranked = sorted(self.hits.items(), key=lambda hit: len(hit[1]))
        return ", ".join(f"{name[:40]} {len(places)}" for name, places in ranked)

    @property
    def has_none(self) -> bool:
        """Whether no text has one of the alternatives."""
        return not all(self.hits.values())

    def without_frequent(self) -> Iterator[tuple[str, frozenset[int]]]:
        """Yield what is left without the most frequent alternatives: one of them, two, and so on.

        Each time, this is a text that names what was left out, with counts, and the places of
        the texts that have another alternative. Only alternatives that may hide rare ones are left
        out.

        Examples
        --------
        >>> by_alternative = alternatives("ok|FAIL|panic", [*["ok"] * 4, "FAIL 5"])
        >>> list(by_alternative.without_frequent())
        [('ok 4', frozenset({4}))]
        """
        found = [(name, places) for name, places in self.hits.items() if places]
        ranked = sorted(found, key=lambda hit: len(hit[1]))
        for size in range(len(ranked) - 1, 0, -1):
            if len(ranked[size][1]) < _SKEWED * len(ranked[0][1]):
                return
            left_out = ", ".join(f"{name[:40]} {len(places)}" for name, places in ranked[size:])
            yield left_out, frozenset[int]().union(*(places for _, places in ranked[:size]))


def alternatives(
    pattern: str, texts: Sequence[str], *, ignores_case: bool = False
) -> Alternatives | None:
    """Return which texts have each alternative of a pattern.

    The result is None if the pattern has no alternatives or more than 12, or if the texts are too
    long to be searched for each.

    Examples
    --------
    >>> alternatives("ok|FAIL|panic", ["ok 1", "ok 2", "FAIL 3"]).hits
    {'ok': frozenset({0, 1}), 'FAIL': frozenset({2}), 'panic': frozenset()}
    """
    parts = split_pattern(pattern)
    if not 2 <= len(parts) <= _MOST or sum(map(len, texts)) > _MOST_CHARACTERS:
        return None
    prefix = ANY_CASE if pattern.startswith(ANY_CASE) else ""
    return Alternatives(
        {
            part: frozenset(
                place
                for place, text in enumerate(texts)
                if searched(prefix + part, text, ignores_case=ignores_case)
            )
            for part in parts
        }
    )


def split_pattern(pattern: str) -> list[str]:
    r"""Return the alternatives of a pattern: its parts between bars that are outside brackets.

    Examples
    --------
    >>> split_pattern("FAIL|ERROR"), split_pattern(r"(?i)(a|b)"), split_pattern(r"a\|b[|]|(c|d)e")
    (['FAIL', 'ERROR'], ['a', 'b'], ['a\\|b[|]', '(c|d)e'])
    """
    text = pattern.removeprefix(ANY_CASE)
    bars, closing = _bar_places(text)
    if not bars and text[:1] == "(" and closing == len(text) - 1:
        text = text[1:-1].removeprefix("?:")
        bars, _ = _bar_places(text)
    cuts = [-1, *bars, len(text)]
    return list(
        dict.fromkeys(filter(None, (text[start + 1 : end] for start, end in pairwise(cuts))))
    )


def _bar_places(text: str) -> tuple[list[int], int]:
    """Return the places of bars outside brackets, and where the first bracket closes, or -1."""
    bars: list[int] = []
    depth, closing, is_set, is_escaped = 0, -1, False, False
    for at, char in enumerate(text):
        if is_escaped:
            is_escaped = False
        elif char == "\\":
            is_escaped = True
        elif is_set:
            is_set = char != "]"
        elif char == "[":
            is_set = True
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            closing = at if depth == 0 and closing < 0 else closing
        elif char == "|" and depth == 0:
            bars.append(at)
    return bars, closing
