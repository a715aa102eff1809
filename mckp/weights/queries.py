"""How much a leaf has to do with what its reader asks: by the words that both have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from math import log
from typing import TYPE_CHECKING, Final, cast

from mckp.regexes import regex
from mckp.tree import Kind, TreeNode
from mckp.weights.models import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.paths import Path
    from mckp.weights.leaves import Leaf

_HUMP: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIGN: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD: Final = regex(rf"[{_SIGN}]|[^\W_{_SIGN}]+")

OWN: Final = 2.0
"""What the leaf that matches a query best gains, as a multiple of its weight."""

BESIDE: Final = 0.5
"""What each leaf of the same passage gains, as a multiple of its own weight."""

STEM: Final = 5
"""Letters by which words are compared, so that ``branches`` and ``branching`` are one."""

_EMPTY: Final = """
a about all also am an and any are as at be been but by can could did do does for from had has
have he her here his how i if in into is it its just like me my no not of on one or our please she
should so some than that the their them then there these they this to up us was we were what when
where which who why will with would you your
"""
"""Words of English that say nothing of what is asked."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """Weigh what has to do with a query more; a factor to combine with other models.

    The query is what the reader asks, in words. A leaf matches a word of it if its value or a name
    on its path holds it, and a match counts the more the fewer leaves have it. The leaf that
    matches best gains twice its weight, and all of its passage half of its own; others gain in
    proportion, and what has nothing to do with the query keeps its weight. A passage is an element
    of an outermost array, or a member of the document that holds no array around the leaf; in a
    text, it is a section without those below it, or a block that is in no section.

    Names such as ``createdAt`` and ``created_at`` are two words. Words are compared by their first
    five letters, without case; Chinese and Japanese are taken sign by sign. English words such as
    *the* or *which* are left out of a query that has others.

    Rarity is the inverse document frequency of Robertson and Sparck Jones, as BM25 has it. Scores
    of BM25 themselves served worse: what a reader asks for is rarely all that it needs.

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> from mckp.weights.leaves import leaves
    >>> jobs = [{"id": 1, "state": "ok"}, {"id": 2, "state": "failed"}]
    >>> Relevance("which job failed?")(leaves(TreeNode.of(jobs)))
    [1.0, 1.0, 1.5, 3.5]
    """

    query: str

    def __post_init__(self) -> None:
        if not isinstance(cast("object", self.query), str):
            raise TypeError(f"a query is a text, not {self.query!r:.40}")

    def __call__(self, leaves: Sequence[Leaf]) -> list[float]:
        asked = _asked(self.query)

        @cache
        def matched(text: str) -> frozenset[str]:
            return asked.intersection(word[:STEM] for word in words_of(text))

        own: list[frozenset[str]] = []
        for leaf in leaves:
            names = " ".join(step for step in leaf.path if isinstance(step, str))
            said = leaf.value if isinstance(leaf.value, str) else text_of(leaf.value)
            own.append(matched(names) | matched(said))
        return _factors(passages(leaves), own)


def _factors(places: list[Path], own: list[frozenset[str]]) -> list[float]:
    """Return the factor of each leaf, from its passage and the words that it matches."""
    holding = Counter(word for words in own for word in words)
    rarity = {word: log(1 + (len(own) - n + 0.5) / (n + 0.5)) for word, n in holding.items()}
    # Summed in one order, for what rounds otherwise would hang on the seed of hashes.
    scores = [sum(rarity[word] for word in sorted(words)) for words in own]
    best = max(scores, default=0.0)
    if not best:
        return [1.0] * len(own)
    beside: dict[Path, float] = {}
    for place, score in zip(places, scores, strict=True):
        beside[place] = max(score, beside.get(place, 0.0))
    pairs = zip(places, scores, strict=True)
    return [1 + OWN * score / best + BESIDE * beside[place] / best for place, score in pairs]


def passages(leaves: Sequence[Leaf]) -> list[Path]:
    """Return the path of the passage that each leaf belongs to."""
    if any(isinstance(leaf.value, TreeNode) for leaf in leaves):
        sections = {leaf.path for leaf in leaves if leaf.value.kind is Kind.SECTION}
        return [_section(leaf.path, sections) for leaf in leaves]
    return [_member(leaf.path) for leaf in leaves]


def _section(path: Path, sections: set[Path]) -> Path:
    """Return the innermost section around a block, or the topmost block if there is none."""
    above = (path[:depth] for depth in range(len(path), 0, -1))
    return next((place for place in above if place in sections), path[:1])


def _member(path: Path) -> Path:
    depth = next((at for at, step in enumerate(path) if isinstance(step, int)), 0)
    return path[: depth + 1]


def words_of(text: str) -> list[str]:
    """Return the words of a text, or of a name, as they are compared.

    Examples
    --------
    >>> words_of("Which jobs failed? See createdAt, HTTPErrors or user_id.")
    ['which', 'job', 'failed', 'see', 'created', 'at', 'http', 'error', 'or', 'user', 'id']
    """
    return [_singular(word.casefold()) for word in _WORD.findall(_HUMP.sub(" ", text))]


def _singular(word: str) -> str:
    """Take the ending of English plurals from a word, as Harman's S-stemmer does."""
    if len(word) < 4 or word[-1] != "s" or word.endswith(("us", "ss")):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    return word[:-1]


def _asked(query: str) -> frozenset[str]:
    """Return the stems of a query's words, without those that say nothing if there are others."""
    words = frozenset(words_of(query))
    return frozenset(word[:STEM] for word in words.difference(words_of(_EMPTY)) or words)
