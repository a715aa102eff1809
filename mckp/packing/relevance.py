"""The relevance of each of several documents to a reader's query."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mckp.weights.queries import SURE, UNMATCHED, bm25, query_terms
from mckp.weights.terms import terms_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PASSAGE: Final = 1200
"""Characters of a passage; a document is as relevant as its best passage, however long it is."""

WORD: Final = 6
"""Roughly the characters of a word with its separators."""

MOST: Final = 8.0
"""The relevance of the document that matches best, if the match is sure."""

LEAST: Final = 0.05
"""The least relevance."""

WEIGHT: Final = 0.25
"""The least power of a relevance that worth is multiplied by; it makes factors 0.47 to 1.68.

In packs of all results of a task, with its request as the query, the full relevance lost a tenth of
what agents used later, since requests mention more than what is needed.
"""

QUESTION: Final = 8
"""The most terms of a query that counts as a question, for which the power is 1.

For questions about conversations of many sessions, the least power lost half of the answers.
"""

MANY: Final = 100
"""The number of documents from which on the power is 1, and in proportion below it.

Most of many files are about something else. In repositories of 60 to 600 files, with an issue as
query, lower powers spent a budget on parts of all of them: within 16,000 tokens, a tenth of the
file that the fix touched, or half of its definitions, was there in half of them, now in three of
four.
"""

_LONGEST: Final = 60
"""The most characters of a word on each side of the term that was found in it."""


def relevance_factors(names: Sequence[str], texts: Sequence[str], query: str) -> list[float]:
    r"""Return the factor on the worth of each document.

    Passages of all documents, and their names, are scored against each other by BM25 (see
    `mckp.weights.queries`); a document has the score s of its best one. If b is the best score of
    all, its relevance is ``1 - certainty + certainty * MOST * (s / b) ** 2``, at least `LEAST`. The
    higher b is compared to the number of query words that occur nowhere, the higher is the
    certainty. The factor is the relevance to a power of at most 1 and at least `WEIGHT`: `QUESTION`
    over the number of terms in the query, or the number of documents over `MANY` if that is more.
    Where nothing matches, all factors are 1.

    Examples
    --------
    >>> texts = ["the cat sat\n", "a timeout of the gateway\n", "nothing\n"]
    >>> [round(each, 1) for each in relevance_factors(["a", "b", "c"], texts, "gateway timeout")]
    [0.6, 3.8, 0.6]
    """
    asked = query_terms(query)
    owners: list[int] = []
    bags: list[Mapping[str, int]] = []
    lengths: list[float] = []
    for number, (name, text) in enumerate(zip(names, texts, strict=True)):
        name_terms = Counter(term for term in terms_of(name) if term in asked)
        for bag, length in ((name_terms, len(name)), *_passages(text, asked)):
            owners.append(number)
            bags.append(bag)
            lengths.append(length / WORD + 1)
    bags_with_term = Counter(term for bag in bags for term in bag)
    if not bags_with_term:
        return [1.0] * len(names)
    best_scores = [0.0] * len(names)
    for number, score in zip(owners, bm25(bags, lengths, bags_with_term), strict=True):
        best_scores[number] = max(best_scores[number], score)
    most = max(best_scores)
    certainty = most / (most + SURE + UNMATCHED * len(asked - bags_with_term.keys()))
    relevances = (1 - certainty + certainty * MOST * (score / most) ** 2 for score in best_scores)
    power = min(1.0, max(WEIGHT, QUESTION / len(asked), len(names) / MANY))
    return [max(LEAST, relevance) ** power for relevance in relevances]


def _passages(text: str, asked: frozenset[str]) -> Iterator[tuple[Counter[str], int]]:
    """Yield the counts of query terms in each passage of a text, and the passage's length."""
    bags: dict[int, Counter[str]] = {}
    for place, word in _candidate_words(text, asked):
        terms = [term for term in terms_of(word) if term in asked]
        if terms:
            bags.setdefault(place // PASSAGE, Counter()).update(terms)
    for start in range(0, len(text), PASSAGE):
        yield bags.get(start // PASSAGE, Counter()), min(PASSAGE, len(text) - start)


def _candidate_words(text: str, asked: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield the place and text of each word that contains a query term, each word once."""
    lowered = text.lower()
    if len(lowered) != len(text):  # places must be those in the text
        text = lowered
    seen = set[int]()
    for term in sorted(asked):
        place = lowered.find(term)
        while place >= 0:
            before = text[max(0, place - _LONGEST) : place].split(" ")[-1].split("\n")[-1]
            start = place - len(before)
            if start not in seen:
                seen.add(start)
                yield start, text[start : place + len(term) + _LONGEST].split(None, 1)[0]
            place = lowered.find(term, place + len(term))
