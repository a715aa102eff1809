"""The alternatives of a pattern: how many texts have each, and the rare ones first."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.recall.patterns import ANY_CASE, searched

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST: Final = 12
"""Most alternatives that are counted."""
_SKEWED: Final = 3
"""How many times as frequent as the rarest the most frequent alternative is, if some are rare."""
_MOST_CHARACTERS: Final = 4 << 20
"""Characters of texts from which on they are not searched for each alternative."""


class Alternatives(NamedTuple):
    """The texts that match a pattern, by its alternatives."""

    counts: dict[str, int]
    """How many texts have each alternative."""
    order: list[int]
    """The places of the texts, those with a rare alternative first, else as they come."""

    @property
    def is_skewed(self) -> bool:
        """Whether frequent alternatives may hide rare ones."""
        counts = list(filter(None, self.counts.values()))
        return len(counts) > 1 and max(counts) >= _SKEWED * min(counts)

    @property
    def note(self) -> str:
        """A note with the number of texts that have each alternative.

        Examples
        --------
        >>> alternatives("FAIL|ok|panic", ["ok 1", "ok 2", "FAIL 3"]).note
        'panic 0, FAIL 1, ok 2'
        """
        ranked = sorted(self.counts.items(), key=lambda count: count[1])
        return ", ".join(f"{name[:40]} {count}" for name, count in ranked)


def alternatives(
    pattern: str, texts: Sequence[str], *, ignores_case: bool = False
) -> Alternatives | None:
    """Return how many texts have each alternative of a pattern.

    The result is None if the pattern has no alternatives or more than 12, or if the texts are too
    long to be searched for each.

    Examples
    --------
    >>> by_alternative = alternatives("ok|FAIL|panic", ["ok 1", "ok 2", "FAIL 3"])
    >>> by_alternative.counts, by_alternative.order
    ({'ok': 2, 'FAIL': 1, 'panic': 0}, [2, 0, 1])
    """
    parts = split_pattern(pattern)
    if not 2 <= len(parts) <= _MOST or sum(map(len, texts)) > _MOST_CHARACTERS:
        return None
    prefix = ANY_CASE if pattern.startswith(ANY_CASE) else ""
    matches = [
        [searched(prefix + part, text, ignores_case=ignores_case) for text in texts]
        for part in parts
    ]
    counts = dict(zip(parts, map(sum, matches), strict=True))
    ranks = sorted(range(len(parts)), key=lambda part: (sum(matches[part]), part))
    order = sorted(
        range(len(texts)),
        key=lambda n: next(
            (rank for rank, part in enumerate(ranks) if matches[part][n]), len(parts)
        ),
    )
    return Alternatives(counts, order)


def split_pattern(pattern: str) -> list[str]:
    r"""Return the alternatives of a pattern: its parts between bars that are outside brackets.

    Examples
    --------
    >>> split_pattern("FAIL|ERROR"), split_pattern(r"(?i)(a|b)"), split_pattern(r"a\|b[|]|(c|d)e")
    (['FAIL', 'ERROR'], ['a', 'b'], ['a', 'b[|]', '(c|d)e'])
    """
    text = pattern.removeprefix(ANY_CASE).replace(r"\|", "|")
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
