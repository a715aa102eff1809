"""How relevant the parts of a document are to a query: BM25 over its records and sections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from math import inf, log
from typing import TYPE_CHECKING, Any, Final, cast

from mckp.errors import extra
from mckp.regexes import regex
from mckp.tree import Kind, TreeNode
from mckp.weights.models import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.weights.leaves import Leaf

_Path = tuple[str | int, ...]

_HUMP: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIGN: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD: Final = regex(rf"[{_SIGN}]|[^\W_{_SIGN}]+")


OTHER: Final = ""
"""Stands for all words that are not asked for, which only make a text longer."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """Weigh what a query asks for the most; a factor to combine with other models.

    A passage is an element of an outermost array, or a member of the document that holds
    no array around the leaf; in a text, it is a section without those below it, or a block
    that is in no section. A leaf has the factor `floor`, plus the BM25 score of its
    passage as a share of the best score, plus the share of the query's words that its own
    names and value hold, each word by how rare it is. So nothing is excluded, and what
    matches itself comes first within its passage. If no word of the query is in the
    document, all factors are 1.

    English words such as *the* or *which* are left out of a query that has others.
    Names such as ``createdAt`` and ``created_at`` are two words; case and a plural's *s*
    do not count; Chinese and Japanese are taken sign by sign.

    Parameters
    ----------
    query : str
        What the reader asks, in words.
    floor : float, default 0.1
        The factor of what has nothing to do with the query, above 0.

    Raises
    ------
    MissingExtraError
        When called, without the extra ``query``.
    """

    query: str
    floor: float = 0.1

    def __post_init__(self) -> None:
        if not isinstance(cast("object", self.query), str):
            raise TypeError(f"a query is a text, not {self.query!r:.40}")
        if not 0 < self.floor < inf:
            raise ValueError(f"a floor is above 0, not {self.floor!r}")

    def __call__(self, leaves: Sequence[Leaf]) -> list[float]:
        asked = _asked(self.query)
        in_name = cache(partial(_found, asked))
        places = passages(leaves)
        texts = {place: _joined(map(in_name, _names(place))) for place in dict.fromkeys(places)}
        above = {place: frozenset(text) for place, text in texts.items()}
        own: list[frozenset[str]] = []
        for leaf, place in zip(leaves, places, strict=True):
            said = _joined(map(in_name, _names(leaf.path[len(place) :])))
            said += _found(asked, _said(leaf.value))
            texts[place] += said
            own.append(above[place].union(said))
        return self._factors(places, texts, own)

    def _factors(
        self, places: list[_Path], texts: dict[_Path, list[str]], own: list[frozenset[str]]
    ) -> list[float]:
        rarities = _rarities(list(texts.values()))
        if not rarities:
            return [1.0] * len(places)
        scores = dict(zip(texts, bm25(list(texts.values()), list(rarities)), strict=True))
        best, whole = max(scores.values()), sum(rarities.values())
        shares = (sum(rarities.get(word, 0.0) for word in sorted(found)) / whole for found in own)
        pairs = zip(places, shares, strict=True)
        return [self.floor + scores[place] / best + share for place, share in pairs]


def passages(leaves: Sequence[Leaf]) -> list[_Path]:
    """Return the path of the passage that each leaf belongs to."""
    if any(isinstance(leaf.value, TreeNode) for leaf in leaves):
        sections = {leaf.path for leaf in leaves if leaf.value.kind is Kind.SECTION}
        return [_section(leaf.path, sections) for leaf in leaves]
    return [_member(leaf.path) for leaf in leaves]


def _section(path: _Path, sections: set[_Path]) -> _Path:
    """Return the innermost section around a block, or the topmost block if there is none."""
    above = (path[:depth] for depth in range(len(path), 0, -1))
    return next((place for place in above if place in sections), path[:1])


def _member(path: _Path) -> _Path:
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


def _names(path: _Path) -> list[str]:
    return [step for step in path if isinstance(step, str)]


def _said(value: Any) -> str:
    return value if isinstance(value, str) else text_of(value)


def _found(asked: frozenset[str], text: str) -> list[str]:
    return [word if word in asked else OTHER for word in words_of(text)]


def _joined(texts: Iterable[list[str]]) -> list[str]:
    return [word for text in texts for word in text]


def _rarities(texts: list[list[str]]) -> dict[str, float]:
    """Return how rare each word is that was asked for and found, as BM25 has it."""
    counts: dict[str, int] = {}
    for text in texts:
        for word in dict.fromkeys(text):
            counts[word] = counts.get(word, 0) + 1
    counts.pop(OTHER, None)
    total = len(texts)
    return {word: log(1 + (total - n + 0.5) / (n + 0.5)) for word, n in sorted(counts.items())}


def _asked(query: str) -> frozenset[str]:
    """Return the words of a query, without those that say nothing if there are others."""
    words = frozenset(words_of(query))
    stopwords: Any = extra("bm25s.stopwords", "bm25s", "query").STOPWORDS_EN_PLUS
    empty = {word for text in stopwords for word in words_of(text)}
    return words - empty or words


def bm25(texts: Sequence[Sequence[str]], asked: Iterable[str]) -> list[float]:
    """Return how well each text fits what is asked for, both given as words.

    A word that is asked for twice counts twice; without a text that holds one, all are 0. Which
    of those that are not asked for a word is makes no difference. It needs the extra ``query``.
    """
    model = extra("bm25s", "bm25s", "query").BM25(method="lucene", backend="numpy")
    known = {word for text in texts for word in text}
    wanted = [word for word in asked if word in known]
    if not wanted:
        return [0.0] * len(texts)
    numbers = {word: number for number, word in enumerate(dict.fromkeys([OTHER, *wanted]))}
    ids = [[numbers.get(word, numbers[OTHER]) for word in text] for text in texts]
    model.index((ids, numbers), show_progress=False)
    return [float(score) for score in model.get_scores(wanted)]
