"""How relevant a leaf is to what the reader asks, judged by the words that they share."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from math import exp, log
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from mckp.frozen import frozen
from mckp.regexes import regex
from mckp.tree import Kind, TreeNode
from mckp.weights.models import text_of
from mckp.weights.terms import terms_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mckp.paths import Path
    from mckp.weights.leaves import Leaf

_SENTENCE: Final = regex(r"(?<=[.!?])\s+(?=\S)")
_STOP_WORDS: Final = """
a about all also am an and any are as at be been but by can could did do does for from had has
have he her here his how i if in into is it its just like me my no not of on one or our please she
should so some than that the their them then there these they this to up us was we were what when
where which who whom whose why will with would you your
"""
"""Words of English that do not say what a query is about."""
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
"""Most terms of a query in which single words count as asking; longer requests use them anyway."""
_PEAK_OF_ALL: Final = 4.0
"""Factor on scores of columns in the softmax if a query asks for all records."""
_FEW_VALUES: Final = 12
"""Most values of a column that sorts records into groups."""
_VALUE_SCORE: Final = 2.0
"""The score of such a column if a query for all records has one of its values."""
_TRUST_FOR_ALL: Final = 0.4
"""Factor on the certainty that records match if a query asks for all records."""

SURE: Final = 3.0
"""BM25 score at which the certainty of a match is one half, if every word of the query occurs."""
UNMATCHED: Final = 1.0
"""How much each word of a query that occurs nowhere adds to `SURE`."""
NEIGHBOUR: Final = 0.3
"""The share of its neighbour's score that a record or line gets, of the better neighbour."""
CLEARLY: Final = 8.0
"""A part of a long text or line is kept before the others if a request gives it this factor.

In recorded texts with long lines, all factors would lose .07 of what was used at a fifth.
"""
PEAK: Final = 1.4
"""Factor on scores in the softmax: the higher it is, the more goes to the best records alone."""
BROAD: Final = 0.5
"""Weight of the part of a record's factor that is proportional to its score."""
LEAST: Final = 0.002
"""The least factor of a record that does not match."""
_SATURATION: Final = 1.2
_LENGTHS: Final = 0.75
_LONG: Final = 8
"""Words in a value above which a match is weighed more, so that the value stays whole."""


@frozen
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
    >>> factors = Relevance("which job failed?")(leaves(TreeNode.of(jobs)))
    >>> factors[14] > 5 * factors[0], factors[14] == max(factors[::2])
    (True, True)
    """

    query: str

    def __post_init__(self) -> None:
        """Check the type of the query."""
        if not isinstance(cast("object", self.query), str):
            raise TypeError(f"a query must be a string, not {self.query!r:.40}")

    def __call__(self, leaves: Sequence[Leaf]) -> list[float]:
        """Return a factor for each leaf."""
        query_words = query_terms(self.query)
        row_words = query_words - _answer_terms() or query_words
        terms_by_leaf = [_leaf_terms(leaf) for leaf in leaves]
        counts_by_leaf = _term_counts(terms_by_leaf, query_words)
        term_totals = [len(terms) for terms in terms_by_leaf]
        echoes = [bool(terms) and query_words.issuperset(terms) for terms in terms_by_leaf]
        column_scores = _ColumnScores.of(leaves, query_words, _implied_terms(self.query), echoes)
        present_words = column_scores.named_words.union(*counts_by_leaf)
        asks_all = asks_for_all(self.query, present_words)
        trust = _TRUST_FOR_ALL if asks_all else 1.0
        factors, certainty = [1.0] * len(leaves), 0.0
        for unit in scoring_units(leaves):
            unit_counts = counts_by_leaf
            if isinstance(unit, LooseValues):  # the reader knows the values that the query has
                pairs = zip(counts_by_leaf, echoes, strict=True)
                unit_counts = [_NO_TERMS if is_echo else counts for counts, is_echo in pairs]
            score = _score_unit(
                unit, unit_counts, term_totals, row_words - column_scores.named_words, trust
            )
            if score is not None:
                certainty = max(
                    certainty, score.certainty * sum(map(len, unit.values())) / len(leaves)
                )
                _apply_score(factors, unit, score, term_totals)
        if asks_all:
            column_scores = column_scores.with_values(leaves, terms_by_leaf, row_words)
        unmatched = query_words - present_words
        if asks_all:  # then every word is about the columns, whatever these are called
            column_scores.apply(factors, 0, certainty, _PEAK_OF_ALL)
        else:
            column_scores.apply(factors, len(unmatched), certainty, 1.0)
        return factors


def line_factors(lines: Sequence[str], query: str) -> list[float]:
    """Return a factor for the worth of each line, by how well it matches a query.

    Lines are scored against each other as records are. If no line has a word of the query, other
    than those for the kind of answer (*how many*), all factors are 1.

    Examples
    --------
    >>> lines = [f"job {n} {'failed' if n == 7 else 'ok'}" for n in range(40)]
    >>> factors = line_factors(lines, "which job failed?")
    >>> factors.index(max(factors)), factors[7] > 5 * factors[20]
    (7, True)
    """
    query_words = query_terms(query)
    row_words = query_words - _answer_terms() or query_words
    terms_by_line = list(map(terms_of, lines))
    unit: Unit = {number: [number] for number in range(len(lines))}
    score = _score_unit(
        unit, _term_counts(terms_by_line, query_words), list(map(len, terms_by_line)), row_words
    )
    return [1.0] * len(lines) if score is None else score.factors


def bm25(
    term_counts: Sequence[Mapping[str, int]],
    lengths: Sequence[float],
    record_counts: Mapping[str, int],
) -> list[float]:
    """Return the BM25 score of each record.

    Parameters
    ----------
    term_counts : sequence of mappings [records]
        How often each query term occurs in the record.
    lengths : sequence of float [records]
        The number of all terms of the record.
    record_counts : mapping
        For each query term, the number of records that have it.
    """
    rarity = {
        term: _rarity(record_counts[term], len(term_counts)) for term in sorted(record_counts)
    }
    mean_length = sum(lengths) / len(lengths) or 1.0

    def score(counts: Mapping[str, int], length: float) -> float:
        """Return the score of one record."""
        if not counts:
            return 0.0
        saturation = _SATURATION * (1 - _LENGTHS + _LENGTHS * length / mean_length)
        summands = (
            rarity[term] * counts[term] * (1 + _SATURATION) / (counts[term] + saturation)
            for term in counts
        )
        return sum(sorted(summands))  # in one order, as sums of floats depend on it

    return [score(counts, length) for counts, length in zip(term_counts, lengths, strict=True)]


class _UnitScore(NamedTuple):
    """How well records match a query: a factor for each record, and how sure the match is."""

    factors: list[float]
    certainty: float


Unit = dict[int | str, list[int]]
"""Records, or other parts that are scored against each other: the indexes of the leaves of each."""


class LooseValues(Unit):
    """Values outside records; each is scored as a part of its own."""


_NO_TERMS: Final[Mapping[str, int]] = {}


def _term_counts(
    term_lists: Sequence[Sequence[str]], asked: frozenset[str]
) -> list[Mapping[str, int]]:
    """Return how often each query term occurs in each leaf or line, without terms that do not.

    `term_lists` has all terms of each leaf or line, and `asked` the terms of the query.
    """
    return [
        _NO_TERMS if asked.isdisjoint(terms) else Counter(term for term in terms if term in asked)
        for terms in term_lists
    ]


def _score_unit(
    unit: Unit,
    leaf_counts: list[Mapping[str, int]],
    term_totals: list[int],
    row_terms: frozenset[str],
    trust: float = 1.0,
) -> _UnitScore | None:
    """Return how well the records of a unit match a query, or None if none has a word of it.

    Parameters
    ----------
    unit : Unit
        The records; for a map of records, their names count as words too.
    leaf_counts : list of mappings [leaves]
        How often each query term occurs in each leaf of the document.
    term_totals : list of int [leaves]
        The number of all terms of each leaf.
    row_terms : frozenset of str
        The query terms that are about records, not about columns.
    trust : float, default 1.0
        A factor on the certainty; it is not applied if the query has the id of a single record.
    """
    record_terms: list[Mapping[str, int]] = []
    for step, leaf_numbers in unit.items():
        counts_here = [
            leaf_counts[leaf_number] for leaf_number in leaf_numbers if leaf_counts[leaf_number]
        ]
        if isinstance(step, str) and not isinstance(unit, LooseValues):
            counts_here.append(Counter(terms_of(step)))
        counts: Counter[str] = Counter()
        for terms in counts_here:
            counts.update({term: count for term, count in terms.items() if term in row_terms})
        record_terms.append(counts if counts_here else _NO_TERMS)
    record_counts = Counter(term for counts in record_terms for term in counts)
    if not record_counts:
        return None
    lengths = [
        sum(term_totals[leaf_number] for leaf_number in leaf_numbers)
        for leaf_numbers in unit.values()
    ]
    raw_scores = bm25(record_terms, lengths, record_counts)
    best = max(raw_scores)
    doubt = SURE + UNMATCHED * len(row_terms - record_counts.keys())
    has_id = any(
        count == 1 and any(map(str.isdigit, term)) for term, count in record_counts.items()
    )
    certainty = (1.0 if has_id else trust) * best / (best + doubt)
    padded = [0.0, *raw_scores, 0.0]
    if all(isinstance(step, int) for step in unit) and not isinstance(unit, LooseValues):
        raw_scores = [
            raw_score + NEIGHBOUR * max(padded[row_number], padded[row_number + 2])
            for row_number, raw_score in enumerate(raw_scores)
        ]
        best = max(raw_scores)
    shares = [exp(PEAK * (raw_score - best)) for raw_score in raw_scores]
    total, mean = sum(shares), sum(raw_scores) / len(raw_scores)
    return _UnitScore(
        [
            max(
                LEAST,
                1
                - certainty
                + certainty * (len(raw_scores) * share / total + BROAD * raw_score / mean),
            )
            for share, raw_score in zip(shares, raw_scores, strict=True)
        ],
        certainty,
    )


def _apply_score(
    factors: list[float], unit: Unit, score: _UnitScore, term_totals: list[int]
) -> None:
    """Multiply the factor of each leaf by that of its record, in place.

    Two things raise it further: a late place in an array, and a long value that matches.
    `term_totals` has the number of terms of each leaf.
    """
    for (step, leaf_numbers), factor in zip(unit.items(), score.factors, strict=True):
        # Other models weigh late records less, which must not count against a match.
        has_position = isinstance(step, int) and not isinstance(unit, LooseValues)
        position_factor = ((100 + int(step)) / 100) ** score.certainty if has_position else 1.0
        for leaf_number in leaf_numbers:
            length_factor = (
                max(1.0, term_totals[leaf_number] / _LONG) ** (score.certainty / 2)
                if factor > 1
                else 1.0
            )
            factors[leaf_number] *= factor * position_factor * length_factor


class _ColumnScores(NamedTuple):
    """How well the names of columns match a query.

    Attributes
    ----------
    names : list of tuple of str
        The column of each leaf: the names on its path.
    scores : dict
        The score of each column; 0 if its name has no word of the query.
    named_words : frozenset of str
        The query words that occur in names of columns.
    """

    names: list[tuple[str, ...]]
    scores: dict[tuple[str, ...], float]
    named_words: frozenset[str]

    @classmethod
    def of(
        cls,
        leaves: Sequence[Leaf],
        query_words: frozenset[str],
        implied_words: frozenset[str],
        echoes: Sequence[bool],
    ) -> _ColumnScores:
        """Score the columns of the given leaves.

        `implied_words` occur in the names of columns that the query asks for in other words.
        `echoes` says which leaves the query contains: a column all of whose values it contains gets
        the score 0, as in *my user ID is ann_7*.
        """
        names = [tuple(step for step in leaf.path if isinstance(step, str)) for leaf in leaves]
        names_to_find = {name for name, is_echo in zip(names, echoes, strict=True) if not is_echo}
        leaf_counts = Counter(names)
        terms_by_name = {
            name: _distinctive_terms(name[-1]) if name else frozenset[str]() for name in leaf_counts
        }
        # *My user ID is ann_7* names the column of an id that it has, so it asks for no other id.
        answered = frozenset(
            term
            for leaf, name, is_echo in zip(leaves, names, echoes, strict=True)
            if is_echo and leaf_counts[name] == 1 and any(map(str.isdigit, text_of(leaf.value)))
            for term in terms_by_name[name]
            if term in query_words
        )
        sought = (query_words - answered) | implied_words
        # A word that occurs in no column name may name a container of columns.
        unnamed = sought.difference(*terms_by_name.values())
        for name in leaf_counts if unnamed else ():
            container_terms = frozenset(term for step in name[:-1] for term in terms_of(step))
            terms_by_name[name] |= container_terms & unnamed
        column_counts = Counter(
            term
            for column_terms in terms_by_name.values()
            for term in column_terms
            if term in sought
        )
        scores = {
            name: sum(
                _rarity(column_counts[term], len(terms_by_name))
                for term in sorted(column_terms & sought)
            )
            * len(column_terms & sought)
            / max(1, len(column_terms))
            if name in names_to_find
            else 0.0
            for name, column_terms in terms_by_name.items()
        }
        return cls(names, scores, frozenset(column_counts) & query_words)

    def with_values(
        self,
        leaves: Sequence[Leaf],
        terms_by_leaf: Sequence[Sequence[str]],
        row_words: frozenset[str],
    ) -> _ColumnScores:
        """Return these scores with the best one for each column of few values that has a match.

        For example, a query for the number of refunded orders needs the state of every order. Such
        a column gets a score of at least `_VALUE_SCORE`. `terms_by_leaf` has the terms of each
        leaf, and `row_words` the query words about records.
        """
        values: dict[tuple[str, ...], set[str]] = {}
        counts = Counter(self.names)
        matched_names: set[tuple[str, ...]] = set()
        for leaf, name, leaf_terms in zip(leaves, self.names, terms_by_leaf, strict=True):
            name_values = values.setdefault(name, set())
            if len(name_values) <= _FEW_VALUES:
                name_values.add(str(leaf.value))
            if not row_words.isdisjoint(leaf_terms):
                matched_names.add(name)
        best = max(self.scores.values(), default=0.0)
        grouping = {
            name
            for name in matched_names
            if 1 < len(values[name]) <= _FEW_VALUES and len(values[name]) < counts[name]
        }
        scores = {
            name: max(score, best, _VALUE_SCORE) if name in grouping else score
            for name, score in self.scores.items()
        }
        return self._replace(scores=scores)

    def apply(
        self, factors: list[float], unmatched_count: int, certainty: float, peak: float
    ) -> None:
        """Multiply the factor of each leaf by that of its column, in place.

        The factors are a softmax over `peak` times the scores. They are the closer to 1, the higher
        the `certainty` that records match (0 to 1), and the more words of the query match nothing.
        """
        if not any(self.scores.values()):
            return
        count = max(1, len(self.named_words))
        share = count / (count + unmatched_count) * (1 - certainty)
        best = max(self.scores.values())
        exps = {name: exp(peak * (score - best)) for name, score in self.scores.items()}
        total = sum(exps.values())
        column_factors = {
            name: 1 - share + share * len(exps) * exponential / total
            for name, exponential in exps.items()
        }
        for number, name in enumerate(self.names):
            factors[number] *= column_factors[name]


def _rarity(holder_count: int, record_count: int) -> float:
    """Return the BM25 weight of a term that `holder_count` of `record_count` records have."""
    return log(1 + (record_count - holder_count + 0.5) / (holder_count + 0.5))


def scoring_units(leaves: Sequence[Leaf]) -> list[Unit]:
    """Return the units of a document: groups of parts that are scored against each other.

    A unit has the records of an array, the members of an object with similar members (a map of
    records), or the sections of a text, where each topmost block outside sections is a part as
    well. The values outside records are a unit of `LooseValues`, if there are several. A text of a
    single part has no unit.
    """
    if any(isinstance(leaf.value, TreeNode) for leaf in leaves):
        sections = {leaf.path for leaf in leaves if leaf.value.kind is Kind.SECTION}
        by_section: dict[Path, list[int]] = {}
        for leaf_number, leaf in enumerate(leaves):
            by_section.setdefault(_section_path(leaf.path, sections), []).append(leaf_number)
        return [dict(enumerate(by_section.values()))] if len(by_section) > 1 else []
    units_by_path: defaultdict[Path, Unit] = defaultdict(dict)
    for leaf_number, leaf in enumerate(leaves):
        for depth, step in enumerate(leaf.path):
            units_by_path[leaf.path[:depth]].setdefault(step, []).append(leaf_number)
    records = [unit for path, unit in units_by_path.items() if _is_unit(path, unit, units_by_path)]
    scored = {
        leaf_number
        for unit in records
        for leaf_numbers in unit.values()
        for leaf_number in leaf_numbers
    }
    loose = [leaf_number for leaf_number in range(len(leaves)) if leaf_number not in scored]
    if len(loose) > 1:  # members of the document are scored one by one
        records.append(LooseValues({leaf_number: [leaf_number] for leaf_number in loose}))
    return records


def _is_unit(path: Path, unit: Unit, units_by_path: Mapping[Path, Unit]) -> bool:
    """Whether the parts of the container at a path are similar enough to be one unit.

    The items of an array are, if there are at least two. The members of an object are if there are
    at least three, all of them objects that mostly share their names. `units_by_path` has the parts
    of every container.
    """
    if len(unit) < 2:
        return False
    if all(isinstance(step, int) for step in unit):
        return True
    if len(unit) < 3:
        return False
    shapes = [frozenset(units_by_path.get((*path, step), ())) for step in unit]
    if not all(shapes) or any(isinstance(name, int) for shape in shapes for name in shape):
        return False
    return len(frozenset[int | str]().union(*shapes)) <= 2 * sum(map(len, shapes)) / len(shapes)


def _section_path(path: Path, sections: set[Path]) -> Path:
    """Return the path of the innermost section at or above a block, or else its topmost block."""
    above = (path[:depth] for depth in range(len(path), 0, -1))
    return next((place for place in above if place in sections), path[:1])


def _leaf_terms(leaf: Leaf) -> tuple[str, ...]:
    """Return the terms of a leaf's value."""
    value = leaf.value
    return terms_of(value if isinstance(value, str) else text_of(value))


def _distinctive_terms(name: str) -> frozenset[str]:
    """Return the terms of a name, without stop words if it has others, and without the whole name.

    Examples
    --------
    >>> sorted(_distinctive_terms("created_at")), sorted(_distinctive_terms("at"))
    (['creat'], ['at'])
    """
    terms = frozenset(terms_of(name))
    return terms - {name.casefold()} - frozenset(terms_of(_STOP_WORDS)) or terms


def asks_for_all(query: str, present: frozenset[str] | None = None) -> bool:
    """Whether a short query asks for a count, a sum or an extreme, which depends on all records.

    If the query has several sentences, one that asks must have a word that is `present` in the
    document (if given), so *You are most kind* does not count.

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
    asking = [terms for terms in sentences if not _total_terms().isdisjoint(terms)]
    if present is None or len(sentences) == 1:
        return bool(asking)
    return any(not present.isdisjoint(terms) for terms in asking)


@cache
def _total_terms() -> frozenset[str]:
    """Return the terms by which a query asks for a value that depends on all records."""
    return frozenset(terms_of(_TOTALS))


def _implied_terms(query: str) -> frozenset[str]:
    """Return the terms of column names that a short query implies, as *when* implies *date*."""
    terms = terms_of(query)
    if len(terms) > _SHORT:
        return frozenset()
    implications = (
        (frozenset(terms_of(question_words)), terms_of(column_words))
        for question_words, column_words in _IMPLIED.items()
    )
    return frozenset(
        term
        for question_words, column_words in implications
        if not question_words.isdisjoint(terms)
        for term in column_words
    )


@cache
def _answer_terms() -> frozenset[str]:
    """Return the terms that say what kind of answer is wanted, not which records."""
    return frozenset(terms_of(_ASKING))


def query_terms(query: str) -> frozenset[str]:
    """Return the terms of a query, without stop words if it has other terms."""
    terms = frozenset(terms_of(query))
    return terms.difference(terms_of(_STOP_WORDS)) or terms
