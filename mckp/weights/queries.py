"""How relevant a leaf is to what the reader asks, judged by the words that they share."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from math import exp, log
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from mckp.regexes import regex
from mckp.tree import Kind, TreeNode
from mckp.weights.models import text_of

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence

    from mckp.paths import Path
    from mckp.weights.leaves import Leaf

_HUMP: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIGN: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD: Final = regex(rf"[{_SIGN}]|[^\W_{_SIGN}]+")
_WHOLE: Final = regex(r"[^\W_](?:[\w./:@#+-]*[^\W_])?")
"""An id, a path or an address in one piece."""
_NUMBER: Final = regex(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+\.[0-9]+")
_SENTENCE: Final = regex(r"(?<=[.!?])\s+(?=\S)")
_FIGURE: Final = regex(r"[0-9][-,.][0-9]")
"""What a text has that has a date, or a number with a comma or point."""
_DATE: Final = regex(r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2}))?")

_EMPTY: Final = """
a about all also am an and any are as at be been but by can could did do does for from had has
have he her here his how i if in into is it its just like me my no not of on one or our please she
should so some than that the their them then there these they this to up us was we were what when
where which who whom whose why will with would you your
"""
"""Words of English that say nothing of what is asked."""
_ASKING: Final = """
number many much total count list value average sum maximum minimum most least first last highest
lowest largest smallest each every tell show give find name
"""
"""Words that say what kind of answer is wanted; they name columns rather than rows."""

_IMPLIED: Final = {
    "when latest earliest newest oldest recent": "date time when day timestamp created updated",
    "who whom whose": "name user author owner assignee",
    "where": "location place address city",
    "heaviest lightest heavy weigh": "weight mass",
    "cheapest expensive cost": "price cost amount",
    "longest shortest long slowest fastest": "duration length time elapsed seconds latency",
    "biggest largest smallest big large": "size bytes",
}
"""Words that ask for columns with one of these words in their names."""
_TOTALS: Final = """
many much total count sum average mean median maximum minimum most least highest lowest largest
smallest longest shortest latest earliest newest oldest biggest heaviest lightest cheapest all every
"""
"""Words that ask for a value of all records, or for the record with the most of one."""
_SHORT: Final = 24
"""Most terms of a query of which a word asks for all records; requests of users have more."""
_PEAK_OF_ALL: Final = 4.0
"""What scores of columns are multiplied by in the softmax if a query asks for all records."""
_FEW_VALUES: Final = 12
"""Most values of a column that sorts records into groups."""
_OF_VALUES: Final = 2.0
"""The score of such a column if a query for all records has one of its values."""
_LEFT: Final = 0.4
"""How sure a match of records is if a query asks for all, as a share of what it would be."""

SURE: Final = 3.0
"""The score of BM25 at which a match is as likely meant as not, if no word is left over."""
UNMATCHED: Final = 1.0
"""What each word of a query that is nowhere adds to that."""
NEIGHBOUR: Final = 0.3
"""What a record or line has of the score of those right before and after it."""
PEAK: Final = 1.4
"""What scores are multiplied by in the softmax: the higher, the more for the best records alone."""
BROAD: Final = 0.5
"""What a record gets in proportion to its score, so that those with fewer of the words follow."""
LEAST: Final = 0.002
"""The least factor of what a query is surely not about."""
_SATURATION: Final = 1.2
_LENGTHS: Final = 0.75
_LONG: Final = 8
"""Words of a value from which on one that matches is weighed more, so that it stays whole."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """Weigh leaves that match a query more; a factor to combine with other models.

    The query is what the reader asks, in words. BM25 scores records, or the members of an object
    with similar values, against each other, with the rarity of each word among them; in a text, it
    scores sections, blocks or lines. A softmax over the scores gives a factor for each record,
    which counts the more, the surer the match is. A match is sure if its score is high compared
    with `SURE` and with the query words that nothing matches, so a long request about other things
    changes little. A column whose name is in the query gets more weight in all records if no record
    is a sure match, unless the query has all its values. A value outside records that is itself in
    the query is no match: whoever asks for reservation K7 need not read that it is K7. If nothing
    matches, nothing changes.

    Names such as ``createdAt`` and ``created_at`` are two words. Words are compared whole, without
    case and endings; ids, paths and addresses also in one piece. ``1,200`` is 1200, and the parts
    of an ISO date are its year, month and day. Chinese and Japanese are split into single
    characters. English words such as *the* or *which* are dropped from a query that has other
    words.

    Scores are those of Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and
    Beyond (2009), with rarity as log(1 + (N - n + .5) / (n + .5)).

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> from mckp.weights.leaves import leaves
    >>> jobs = [{"id": f"a{n}", "state": "failed" if n == 7 else "ok"} for n in range(50)]
    >>> found = Relevance("which job failed?")(leaves(TreeNode.of(jobs)))
    >>> found[14] > 5 * found[0], found[14] == max(found[::2])
    (True, True)
    """

    query: str

    def __post_init__(self) -> None:
        """Prepare the terms of the query."""
        if not isinstance(cast("object", self.query), str):
            raise TypeError(f"a query must be a string, not {self.query!r:.40}")

    def __call__(self, leaves: Sequence[Leaf]) -> list[float]:
        """Return a factor for each leaf."""
        asked = asked_of(self.query)
        rows = asked - _asking() or asked
        leaf_terms = [_terms_of(leaf) for leaf in leaves]
        asked_terms = _bags(leaf_terms, asked)
        sizes = [len(terms) for terms in leaf_terms]
        echoes = [bool(terms) and asked.issuperset(terms) for terms in leaf_terms]
        named = _NamedColumns.of(leaves, asked, _implied(self.query), echoes)
        present = named.asked.union(*asked_terms)
        is_of_all = asks_for_all(self.query, present)
        trust = _LEFT if is_of_all else 1.0
        factors, sure = [1.0] * len(leaves), 0.0
        for unit in units(leaves):
            bags = asked_terms
            if isinstance(unit, Alone):  # what an only object says of itself, the reader knows
                pairs = zip(asked_terms, echoes, strict=True)
                bags = [_NOTHING if is_echo else bag for bag, is_echo in pairs]
            score = _scored(unit, bags, sizes, rows - named.asked, trust)
            if score is not None:
                sure = max(sure, score.sure * sum(map(len, unit.values())) / len(leaves))
                _weigh(factors, unit, score, sizes)
        if is_of_all:
            named = named.with_values(leaves, leaf_terms, rows)
        missing = asked - present
        if is_of_all:  # all its words are about the columns, whatever they are called
            named.weigh(factors, 0, sure, _PEAK_OF_ALL)
        else:
            named.weigh(factors, len(missing), sure, 1.0)
        return factors


def factors_of_lines(lines: Sequence[str], query: str) -> list[float]:
    """Return a factor for the worth of each line, by how well it matches a query.

    Lines are scored against each other as records are. If no line has a word of the query, all
    factors are 1.

    Examples
    --------
    >>> lines = [f"job {n} {'failed' if n == 7 else 'ok'}" for n in range(40)]
    >>> found = factors_of_lines(lines, "which job failed?")
    >>> found.index(max(found)), found[7] > 5 * found[20]
    (7, True)
    """
    asked = asked_of(query)
    rows = asked - _asking() or asked
    line_terms = list(map(terms_of, lines))
    unit: Unit = {number: [number] for number in range(len(lines))}
    score = _scored(unit, _bags(line_terms, asked), list(map(len, line_terms)), rows)
    return [1.0] * len(lines) if score is None else score.factors


def bm25(
    bags: Sequence[Mapping[str, int]], lengths: Sequence[float], holding: Mapping[str, int]
) -> list[float]:
    """Return the BM25 score of each record.

    `bags` has, for each record, the number of times that each query term occurs in it, and
    `lengths` the number of all its terms; `holding` has, for each term, the number of records with
    it.
    """
    rarity = {term: _rarity(holding[term], len(bags)) for term in sorted(holding)}
    mean = sum(lengths) / len(lengths) or 1.0

    def score(bag: Mapping[str, int], length: float) -> float:
        """Return the score of one record."""
        if not bag:
            return 0.0
        norm = _SATURATION * (1 - _LENGTHS + _LENGTHS * length / mean)
        parts = (rarity[term] * bag[term] * (1 + _SATURATION) / (bag[term] + norm) for term in bag)
        return sum(sorted(parts))  # in one order, as sums of floats depend on it

    return [score(bag, length) for bag, length in zip(bags, lengths, strict=True)]


class _Score(NamedTuple):
    """How well records match a query: a factor for each record, and how sure the match is."""

    factors: list[float]
    sure: float


Unit = dict[int | str, list[int]]
"""Records, or what else is scored against each other: the numbers of the leaves of each."""


class Alone(Unit):
    """Values outside records, scored one by one."""


_NOTHING: Final[Mapping[str, int]] = {}


def _bags(said: Sequence[Sequence[str]], asked: frozenset[str]) -> list[Mapping[str, int]]:
    """Return, for each leaf or line, the number of times that each query term occurs in it.

    `said` has the terms of each leaf or line.
    """
    return [
        _NOTHING if asked.isdisjoint(terms) else Counter(term for term in terms if term in asked)
        for terms in said
    ]


def _scored(
    unit: Unit,
    asked_terms: list[Mapping[str, int]],
    sizes: list[int],
    rows: frozenset[str],
    trust: float = 1.0,
) -> _Score | None:
    """Return how well records match a query's words, or None if no record has any of them.

    `trust` is a factor on how sure a match is, unless the query has the id of a single record.
    """
    bags: list[Mapping[str, int]] = []
    for step, numbers in unit.items():
        said = [asked_terms[number] for number in numbers if asked_terms[number]]
        if isinstance(step, str) and not isinstance(unit, Alone):
            said.append(Counter(terms_of(step)))
        bag: Counter[str] = Counter()
        for leaf_terms in said:
            bag.update({term: count for term, count in leaf_terms.items() if term in rows})
        bags.append(bag if said else _NOTHING)
    holding = Counter(term for bag in bags for term in bag)
    if not holding:
        return None
    lengths = [sum(sizes[number] for number in numbers) for numbers in unit.values()]
    raw_scores = bm25(bags, lengths, holding)
    best = max(raw_scores)
    against = SURE + UNMATCHED * len(rows - holding.keys())
    has_id = any(count == 1 and any(map(str.isdigit, term)) for term, count in holding.items())
    sure = (1.0 if has_id else trust) * best / (best + against)
    padded = [0.0, *raw_scores, 0.0]
    if all(isinstance(step, int) for step in unit) and not isinstance(unit, Alone):
        raw_scores = [
            raw_score + NEIGHBOUR * max(padded[row_number], padded[row_number + 2])
            for row_number, raw_score in enumerate(raw_scores)
        ]
        best = max(raw_scores)
    shares = [exp(PEAK * (raw_score - best)) for raw_score in raw_scores]
    total, mean = sum(shares), sum(raw_scores) / len(raw_scores)
    return _Score(
        [
            max(
                LEAST,
                1 - sure + sure * (len(raw_scores) * share / total + BROAD * raw_score / mean),
            )
            for share, raw_score in zip(shares, raw_scores, strict=True)
        ],
        sure,
    )


def _weigh(factors: list[float], unit: Unit, score: _Score, sizes: list[int]) -> None:
    """Multiply the factor of each leaf by the factor of its record.

    `sizes` has the number of terms of each leaf.
    """
    for (step, numbers), factor in zip(unit.items(), score.factors, strict=True):
        # What is late is worth less by other models; where it is meant, it should not be.
        is_late = isinstance(step, int) and not isinstance(unit, Alone)
        late = ((100 + int(step)) / 100) ** score.sure if is_late else 1.0
        for number in numbers:
            long = max(1.0, sizes[number] / _LONG) ** (score.sure / 2) if factor > 1 else 1.0
            factors[number] *= factor * late * long


class _NamedColumns(NamedTuple):
    """The columns of a document, and the share of a query that each column name covers."""

    names: list[tuple[str, ...]]
    """The names on the path of each leaf."""
    scores: dict[tuple[str, ...], float]
    asked: frozenset[str]
    """The query words that occur in names."""

    @classmethod
    def of(
        cls,
        leaves: Sequence[Leaf],
        asked: frozenset[str],
        implied: frozenset[str],
        echoes: Sequence[bool],
    ) -> _NamedColumns:
        """Return the columns of the given leaves.

        `implied` are the words of the columns that a query asks for in other words. A column is
        not asked for if the query has all its values, as in *my user ID is ann_7*; `echoes` says
        which leaves the query has.
        """
        names = [tuple(step for step in leaf.path if isinstance(step, str)) for leaf in leaves]
        new = {name for name, is_echo in zip(names, echoes, strict=True) if not is_echo}
        paths = Counter(names)
        terms = {name: _distinctive_terms(name[-1]) if name else frozenset[str]() for name in paths}
        # *My user ID is ann_7* names the column of an id that it has, so it asks for no other id.
        said = frozenset(
            term
            for leaf, name, is_echo in zip(leaves, names, echoes, strict=True)
            if is_echo and paths[name] == 1 and any(map(str.isdigit, text_of(leaf.value)))
            for term in terms[name]
            if term in asked
        )
        words = (asked - said) | implied
        # A word that no column has may be that of what is around columns.
        unnamed = words.difference(*terms.values())
        for name in paths if unnamed else ():
            above = frozenset(term for step in name[:-1] for term in terms_of(step))
            terms[name] |= above & unnamed
        holding = Counter(
            term for column_terms in terms.values() for term in column_terms if term in words
        )
        scores = {
            name: sum(_rarity(holding[term], len(terms)) for term in sorted(column_terms & words))
            * len(column_terms & words)
            / max(1, len(column_terms))
            if name in new
            else 0.0
            for name, column_terms in terms.items()
        }
        return cls(names, scores, frozenset(holding) & asked)

    def with_values(
        self, leaves: Sequence[Leaf], terms: Sequence[Sequence[str]], rows: frozenset[str]
    ) -> _NamedColumns:
        """Return the columns; one with few values counts as asked for if the query has one of them.

        Whoever asks how many are refunded asks for the state of all.
        """
        values: dict[tuple[str, ...], set[str]] = {}
        counts = Counter(self.names)
        matched: set[tuple[str, ...]] = set()
        for leaf, name, leaf_terms in zip(leaves, self.names, terms, strict=True):
            own = values.setdefault(name, set())
            if len(own) <= _FEW_VALUES:
                own.add(str(leaf.value))
            if not rows.isdisjoint(leaf_terms):
                matched.add(name)
        best = max(self.scores.values(), default=0.0)
        few = {
            name
            for name in matched
            if 1 < len(values[name]) <= _FEW_VALUES and len(values[name]) < counts[name]
        }
        scores = {
            name: max(score, best, _OF_VALUES) if name in few else score
            for name, score in self.scores.items()
        }
        return self._replace(scores=scores)

    def weigh(self, factors: list[float], missing: int, sure: float, peak: float) -> None:
        """Multiply the factors of leaves by their columns' factors, less so if rows match surely.

        Scores are multiplied by `peak` in the softmax.
        """
        if not any(self.scores.values()):
            return
        count = max(1, len(self.asked))
        share = count / (count + missing) * (1 - sure)
        best = max(self.scores.values())
        exps = {name: exp(peak * (score - best)) for name, score in self.scores.items()}
        total = sum(exps.values())
        of = {name: 1 - share + share * len(exps) * odds / total for name, odds in exps.items()}
        for number, name in enumerate(self.names):
            factors[number] *= of[name]


def _rarity(count: int, among: int) -> float:
    """Return the weight in BM25 of a term that `count` of `among` records have."""
    return log(1 + (among - count + 0.5) / (count + 0.5))


def units(leaves: Sequence[Leaf]) -> list[Unit]:
    """Return the units that are scored against each other: array records or text sections.

    An object whose members are similar objects is a map of records. Values outside records are
    scored against each other.
    """
    if any(isinstance(leaf.value, TreeNode) for leaf in leaves):
        sections = {leaf.path for leaf in leaves if leaf.value.kind is Kind.SECTION}
        by_section: dict[Path, list[int]] = {}
        for number, leaf in enumerate(leaves):
            by_section.setdefault(_section(leaf.path, sections), []).append(number)
        return [dict(enumerate(by_section.values()))] if len(by_section) > 1 else []
    below: defaultdict[Path, Unit] = defaultdict(dict)
    for number, leaf in enumerate(leaves):
        for depth, step in enumerate(leaf.path):
            below[leaf.path[:depth]].setdefault(step, []).append(number)
    records = [unit for path, unit in below.items() if _is_unit(path, unit, below)]
    inside = {number for unit in records for numbers in unit.values() for number in numbers}
    alone = [number for number in range(len(leaves)) if number not in inside]
    if len(alone) > 1:  # members of the document are scored one by one
        records.append(Alone({number: [number] for number in alone}))
    return records


def _is_unit(path: Path, unit: Unit, below: Mapping[Path, Unit]) -> bool:
    """Whether parts of a container are similar enough to be scored against each other.

    `below` has the units of inner containers by path.
    """
    if len(unit) < 2:
        return False
    if all(isinstance(step, int) for step in unit):
        return True
    if len(unit) < 3:
        return False
    shapes = [frozenset(below.get((*path, step), ())) for step in unit]
    if not all(shapes) or any(isinstance(name, int) for shape in shapes for name in shape):
        return False
    return len(frozenset[int | str]().union(*shapes)) <= 2 * sum(map(len, shapes)) / len(shapes)


def _section(path: Path, sections: set[Path]) -> Path:
    """Return the path of the innermost section around a block, or of the topmost block."""
    above = (path[:depth] for depth in range(len(path), 0, -1))
    return next((place for place in above if place in sections), path[:1])


# Words


def _terms_of(leaf: Leaf) -> tuple[str, ...]:
    """Return the terms of a leaf's value."""
    value = leaf.value
    return terms_of(value if isinstance(value, str) else text_of(value))


@lru_cache(1 << 14)
def terms_of(text: str) -> tuple[str, ...]:
    """Return the terms of a text, normalised so that they can be compared with a query's.

    Examples
    --------
    >>> terms_of("Deployed createdAt 2026-05-01, 1,200")
    ('deploy', 'creat', 'at', 'createdat', '2026', 'may', '1', '1200')
    >>> terms_of("acme/web-app")
    ('acme', 'web', 'app', 'acme/web-app')
    """
    if _FIGURE.search(text):
        text = _DATE.sub(_spelled, text)
        text = _NUMBER.sub(lambda match: match[0].replace(",", "").replace(".", "_"), text)
    parts: list[str] = []
    for whole in _WHOLE.findall(text):
        parts += _parts(whole)
    return tuple(parts)


@lru_cache(1 << 14)
def _parts(whole: str) -> tuple[str, ...]:
    """Return the terms of one id, path, address or word."""
    if whole.replace("_", "").isdecimal():
        return (whole.replace("_", "."),)
    words = _WORD.findall(_HUMP.sub(" ", whole))
    parts = tuple(_stem(word.casefold()) for word in words)
    return (*parts, whole.casefold()) if len(words) > 1 else parts


_MONTHS: Final = [
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
]  # fmt: skip


def _spelled(match: re.Match[str]) -> str:
    """Return a date spelled as year, month name and day."""
    year, month, day = match[1], int(match[2]), match[3]
    name = _MONTHS[month - 1] if 1 <= month <= 12 else str(month)
    return f"{year} {name} {int(day)} " if day else f"{year} {name} "


@lru_cache(1 << 14)
def _stem(word: str) -> str:
    """Return a word without common English endings."""
    word = _singular(word)
    if not word.isascii() or not word.isalpha():
        return word.lstrip("0") or word
    for ending in ("ing", "ed", "ly", "er", "e"):
        if len(word) - len(ending) >= 4 and word.endswith(ending):
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def words_of(text: str) -> list[str]:
    """Return the words of a text or a name, normalised for comparison.

    Examples
    --------
    >>> words_of("Which jobs failed? See createdAt, HTTPErrors or user_id.")
    ['which', 'job', 'failed', 'see', 'created', 'at', 'http', 'error', 'or', 'user', 'id']
    """
    return [_singular(word.casefold()) for word in _WORD.findall(_HUMP.sub(" ", text))]


def _singular(word: str) -> str:
    """Return a word without its English plural ending, like Harman's S-stemmer."""
    if len(word) < 4 or word[-1] != "s" or word.endswith(("us", "ss")):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    return word[:-1]


def _distinctive_terms(name: str) -> frozenset[str]:
    """Return the terms of a name, without the whole name and without empty words.

    Examples
    --------
    >>> sorted(_distinctive_terms("created_at")), sorted(_distinctive_terms("at"))
    (['creat'], ['at'])
    """
    terms = frozenset(terms_of(name))
    return terms - {name.casefold()} - frozenset(terms_of(_EMPTY)) or terms


def asks_for_all(query: str, present: frozenset[str] | None = None) -> bool:
    """Whether a short query asks for a count, a sum or an extreme, so for a value of all records.

    Of several sentences, the one that asks must have one of the words that are `present` in the
    document: *You are most kind* asks for nothing.

    Examples
    --------
    >>> asks_for_all("which order has the highest price?"), asks_for_all("order ord_7")
    (True, False)
    >>> asks_for_all("Show order ord_7. You are most kind.", frozenset({"order", "ord_7"}))
    False
    """
    if len(terms_of(query)) > _SHORT:
        return False
    sentences = [terms_of(sentence) for sentence in _SENTENCE.split(query)]
    asking = [terms for terms in sentences if not _all_words().isdisjoint(terms)]
    if present is None or len(sentences) == 1:
        return bool(asking)
    return any(not present.isdisjoint(terms) for terms in asking)


@cache
def _all_words() -> frozenset[str]:
    """Return the terms by which a query asks for a value of all records."""
    return frozenset(terms_of(_TOTALS))


def _implied(query: str) -> frozenset[str]:
    """Return the terms of the columns that a short query asks for in other words."""
    terms = terms_of(query)
    if len(terms) > _SHORT:
        return frozenset()
    pairs = ((frozenset(terms_of(asking)), terms_of(of)) for asking, of in _IMPLIED.items())
    return frozenset(term for asking, of in pairs if not asking.isdisjoint(terms) for term in of)


@cache
def _asking() -> frozenset[str]:
    """Return the terms that only say what kind of answer is wanted."""
    return frozenset(terms_of(_ASKING))


def asked_of(query: str) -> frozenset[str]:
    """Return the terms of a query; stop words are left out if there are other terms."""
    terms = frozenset(terms_of(query))
    return terms.difference(terms_of(_EMPTY)) or terms
