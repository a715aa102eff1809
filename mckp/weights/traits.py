"""The features of a data leaf that show what it is worth to its reader.

A trait is a name with an amount. A leaf shares most traits with its column; a few depend on its
value, and two on its position. `mckp.weights.salience` multiplies a factor for each, which
``benches/fit_salience.py`` fitted.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import chain
from math import log
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from mckp.jsontext import dump, is_container
from mckp.regexes import regex
from mckp.weights.columns import ITEM
from mckp.weights.following import counts_records, extends_another
from mckp.weights.keys import words_of_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mckp.weights.columns import Column, Columns, Group

Traits: TypeAlias = dict[str, float]
Root: TypeAlias = tuple[str | None, ...]
"""A path of names, with `ITEM` for any index and None for any name."""

FEWEST: Final = 3
"""Values from which on a column shows what is common in it."""

DEEPEST: Final = 3
"""Names above a leaf that count: what is deeper is judged by what it says."""

_MANY: Final = 16
"""Values from which on it can be said that one lies far off."""
_FAR: Final = 10
"""Median deviations of what lies far off."""

LONG_TEXT: Final = 40
"""Characters from which on equal texts are one piece of news."""

SHARED: Final = 4
"""Equal members from which on two single records are the same thing written twice."""

_NOTE: Final = regex(r"(?m)^> \[[^\n]+\]$")
"""A line by which a server says that there is more, such as ``> [+9 more. call next()]``."""
_SHORT_NOTE: Final = 400
"""Characters of a text below which it is such a line, and little else."""

_SWITCHES: Final = frozenset(("yes", "no"))
"""Words that are booleans."""

_SAYS_LITTLE: Final = frozenset({"None", "True", "False", '"', "0"})

IDS: Final = frozenset(("id", "uuid", "guid", "uid"))
"""Last words of names of identifiers."""

HANDLES: Final = frozenset(
    {
        *("number", "login", "key", "slug", "path", "full name", "symbol", "username", "handle"),
        *("user name", "iid", "sku", "filename", "path with namespace", "email", "sha", "code"),
    }
)
"""Names of fields beside which an ``id`` is the second one of the same thing."""

_PLACE: Final = frozenset(("city", "zip", "country", "postal code", "zip code", "street"))
"""Names of fields beside which a ``state`` is one of a country, and no outcome."""

DISCRIMINATORS: Final = frozenset(("type", "kind"))
"""Names of members that say which one of several shapes a record has."""

_ENDS: Final[Mapping[str, tuple[str, ...]]] = {
    "start": ("end", "finish", "stop"),
    "begin": ("end",),
    "started": ("ended", "finished", "completed", "stopped"),
}
"""What names call the end of what starts: both moments together say when and how long."""
_FIRST_MOMENT: Final = 10**9
"""A number from which on it may be a moment: seconds since 1970, or parts of seconds."""
_LAST_MOMENT: Final = 1e19
"""A number below which it may be one: the nanoseconds of the year 2286."""

_URL: Final = regex(r"[a-z][a-z0-9+.-]*://|www\.|mailto:")
_PROGRAM: Final = regex(r"https?://(api\.|[^/]*/api/|[^/]*/rest/)|\{[/?&]?\w+\}")
"""An address for programs, or a template of one."""
_CODE: Final = regex(r"[0-9a-f]{16,}|(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9+/_=-]{20,}")
_HASH: Final = regex(r"[0-9a-f-]+")
_NUMERAL: Final = regex(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DATE: Final = regex(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:[T ].*)?)?|[0-9]{2}:[0-9]{2}.{0,10}")
_ALARM: Final = regex(
    r"(?i)\"(?:fail|error|err\b|crit|fatal|down\b|unhealthy|degraded|crash|oom|time[d_ -]*out|den"
    r"|declin|reject|abort|broken|offline|expired|overdue|invalid|not.?ready|unknown|block|warn)"
)
"""How words begin that say that something failed."""
_NOTHING: Final = regex(
    r"(?i)(?:unknown|undefined|n/?a|nan|none|null|-+|not (?:available|specified))"
)
"""Words that are written where there is no value."""
_SHAPES: Final = {'"object': "properties", '"array': "items"}
"""Types of a schema, and the members beside them that show the type as well."""
_BLANK: Final = regex(r"\s")
_PLAIN: Final = frozenset({int, float, bool, type(None)})


UNITS: Final = frozenset(
    words_of_name(
        "ms sec second minute hour nano ns unix epoch utc gmt kb mb gb byte cent dollar euro usd "
        "eur gbp celsius kmh percent pct"
    )
)
"""Words that say how a value is measured, behind a name that says what is measured."""

_SHORTEST_END: Final = 4
"""Letters of the shortest known name that is recognized at the end of one word: `longname`."""


class Lexicon:
    """Ratings of the names of fields, of arrays of plain values, and of containers above."""

    def __init__(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Prepare a table of ratings."""
        self._parts = {
            part: {
                term: rating for rating, terms in table[part].items() for term in terms.split(", ")
            }
            for part in ("names", "lists", "inside")
        }
        self.term = lru_cache(4096)(self._term)

    def __getstate__(self) -> dict[str, dict[str, str]]:
        """Return the state without the cache of names, since processes do not share it."""
        return self._parts

    def __setstate__(self, parts: dict[str, dict[str, str]]) -> None:
        """Restore the table, with an empty cache."""
        self._parts = parts
        self.term = lru_cache(4096)(self._term)

    def rated(self, name: str, part: str) -> str | None:
        """Return the rating of the longest known ending of a name, or None if there is none."""
        term = self.term(name, part)
        return None if term is None else term[1]

    def _term(self, name: str, part: str) -> tuple[str, str, str] | None:
        """Return the longest known ending of a name with its rating, and the next one's rating."""
        every = words_of_name(name)
        words = [word for word in every if not word.isdigit()] or list(every)
        known = self._parts[part]
        matches = _ends(words, known)
        if words and words[-1] in UNITS and (not matches or " " not in matches[0][0]):
            measured = _ends(_without_unit(words), known)
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


def _ends(words: Sequence[str], known: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the known endings of a name with their ratings, the longest first."""
    ends = (" ".join(words[-size:]) for size in range(min(4, len(words)), 0, -1))
    return [(end, known[end]) for end in ends if end in known]


def _without_unit(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a name without units at its end: ``start time`` of ``startTimeUnixMs``.

    Examples
    --------
    >>> _without_unit(["price", "in", "cent"]), _without_unit(["second"])
    (['price'], [])
    """
    size = len(words)
    while size and (words[size - 1] in UNITS or words[size - 1] == "in"):
        size -= 1
    return words[:size]


class Described(NamedTuple):
    """A column with the traits of its leaves.

    Attributes
    ----------
    column : Column
        The column.
    common : dict
        Traits that all leaves have.
    texts : list of str
        For each leaf a text that equal values have in common, and no others.
    own : dict
        The traits of each value, by its text.
    """

    column: Column
    common: Traits
    texts: list[str]
    own: dict[str, Traits]


def described(columns: Columns, lexicon: Lexicon, roots: Sequence[Root] = ()) -> list[Described]:
    """Return the columns of a document, each with its traits.

    A value at one of the `roots` is a document of its own: names above it are ignored.
    """
    entries: list[Described] = []
    named: dict[str, list[Group]] = {}
    for group in columns.groups:
        for name in chain(group.columns, group.below):
            named.setdefault(name, []).append(group)
    by_path = {group.path: group for group in columns.groups}
    for group in columns.groups:
        around = [by_path[path] for path in _record_above(group.path)]
        members = {" ".join(words_of_name(name)) for name in group.columns}
        first_place = min((member.places[0] for member in group.columns.values()), default=-1)
        above = max((len(root) for root in roots if _is_below(group.path, root)), default=0)
        for column in group.columns.values():
            is_first = column.places[0] == first_place
            rating, common = _of_column(column, members, lexicon, above, is_first=is_first)
            is_id = any(name.startswith("id ") for name in common)
            common["wide"] = log(len(group.columns))
            texts = list(map(_text, column.values))
            counts = Counter(texts)
            values = dict(zip(texts, column.values, strict=True))
            size = len(texts)
            if size >= FEWEST and len(counts) == 1:
                common["constant"] = 1.0
            if column.path[-1] != ITEM and (
                _says_names(column, values.values(), columns.named, named)
                or _says_member(column, values.values(), group)
                or (not is_id and counts_records(column))
            ):
                common["echo"] = 1.0
            rare = _rare(counts, size)
            alarm = set[str]() if column.is_key else _alarms(counts, size)
            if size >= _MANY:
                rare |= _outliers(values)
            if column.is_part:
                counts = Counter(dict.fromkeys(counts, 1))  # no value is counted twice by it
            value_traits = {
                text: _of_value(values[text], rating, count, is_id, text in rare, text in alarm)
                for text, count in counts.items()
            }
            for text, member in _SHAPES.items():
                if text in value_traits and column.path[-1] == "type" and member in group.below:
                    value_traits[text]["echo"] = 1.0
            if any("kind url" in traits for traits in value_traits.values()) and _is_derived(
                column, (group, *around)
            ):
                for traits in value_traits.values():
                    if traits.pop("kind url", None):
                        traits["kind program"] = 1.0
            entries.append(Described(column, common, texts, value_traits))
    _mark_again(entries)
    _mark_extended(entries)
    return entries


def _mark_extended(entries: Sequence[Described]) -> None:
    """Mark columns whose texts are the record's name with constant text around it."""
    names = [
        other_entry.column
        for other_entry in entries
        if other_entry.column.is_key or _rated_by(other_entry) == "5"
    ]
    for entry in entries:
        is_handle = " ".join(words_of_name(entry.column.path[-1])) in HANDLES
        is_address = any(map(_is_address, entry.own.values()))
        if not is_handle and not is_address and extends_another(entry.column, names):
            entry.common["echo"] = 1.0


def _is_address(traits: Traits) -> bool:
    """Whether these are the traits of an address."""
    return "kind url" in traits or "kind program" in traits


def _mark_again(entries: list[Described]) -> None:
    """Mark columns that repeat another column of the same rows, except the best-rated one.

    A single record may have two equal members by chance, so only long texts are compared there.
    """
    groups: dict[tuple[tuple[int, ...], tuple[str, ...]], list[Described]] = {}
    for entry in entries:
        size = len(entry.texts)
        longest = max(map(len, entry.own))
        if (
            size >= FEWEST and len(entry.own) >= FEWEST and longest > 4
        ) or longest > LONG_TEXT // 2:
            sample = slice(0, size, max(1, size // 50))
            key = (size, *entry.column.rows[sample]), tuple(entry.texts[sample])
            groups.setdefault(key, []).append(entry)
    for group in groups.values():
        for entry in sorted(group, key=_rated_by, reverse=True)[1:]:
            entry.common["again"] = 1.0
    _mark_twins(entries)


def _mark_twins(entries: list[Described]) -> None:
    """Mark members of a single record that also occur in a record above or before it.

    Two records are compared only if they share at least `SHARED` members with equal names and
    values that are not trivial.
    """
    first: dict[tuple[str, str], tuple[str, ...]] = {}
    shared: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Described]] = {}
    for entry in entries:
        *above, name = entry.column.path
        if len(entry.texts) == 1 and name != ITEM:
            members_here = tuple(above)
            origin = first.setdefault((name, entry.texts[0]), members_here)
            if origin != members_here:
                shared.setdefault((origin, members_here), []).append(entry)
    for members in shared.values():
        if sum(member.texts[0] not in _SAYS_LITTLE for member in members) >= SHARED:
            for member in members:
                member.common["again"] = 1.0


def _rated_by(entry: Described) -> str:
    """Return the rating of a column's name."""
    return max((name[5:6] for name in entry.common if name.startswith("name ")), default="")


def _is_below(path: tuple[str, ...], root: Root) -> bool:
    """Whether a path is a root or continues it."""
    return len(path) >= len(root) and all(
        mine in (ITEM, its) or its is None for mine, its in zip(path, root, strict=False)
    )


def _of_column(
    column: Column, members: set[str], lexicon: Lexicon, above: int, *, is_first: bool
) -> tuple[str | None, Traits]:
    """Return the rating of a column's name, and the traits that all its leaves share.

    The first `above` steps of its path belong to a document around its own.
    """
    steps = column.path[above:]
    names = [step for step in steps if step != ITEM]
    is_item = steps[-1] == ITEM
    rating = lexicon.rated(names[-1], "lists" if is_item else "names") if names else None
    if rating == "6" and names[-1] == "state" and _PLACE & members:
        rating = "3"  # a part of an address
    if rating in ("3", "4") and not is_item and _is_end_of_period(column, members):
        rating = "5"
    if is_first and not is_item and names and words_of_name(names[-1])[-1:] == ("id",):
        rating = max(rating or "4", "4")  # the record's own
    traits: Traits = {f"{'item' if is_item else 'name'} {rating or 'unknown'}": 1.0}
    outer = dict.fromkeys(names[:-1])
    traits["depth"] = float(min(DEEPEST, len(outer)))
    for name in outer:
        if part := lexicon.rated(name, "inside"):
            traits[part] = min(2.0, traits.get(part, 0.0) + 1)
    words = words_of_name(names[-1]) if names else ()
    traits["words"] = float(len(words))
    if is_item:
        traits["item"] = 1.0
    elif words and words[-1] in IDS:
        is_second = len(words) == 1 and HANDLES & members
        is_nested = len(steps) > 1 and steps[-2] != ITEM
        traits["id nested" if is_nested else "id second" if is_second else "id own"] = 1.0
    telling = len(column.values) - column.values.count(None)
    is_sparse = 4 * telling <= len(column.values)  # then its few values are news
    traits["rows"] = log(max(1, telling) if is_sparse else len(column.values))
    if column.is_key:
        traits["key"] = 1.0
    if column.is_part:
        traits["key of two"] = 1.0
    if not is_item and lexicon.rated(" ".join(names[-2:]), "names") == "7":
        rating = "7"  # such as the address in {"next": {"href": "..."}}
    if rating == "7" and not is_item and len(column.values) <= 2:
        text = column.values[0]
        is_sentence = isinstance(text, str) and len(text) > LONG_TEXT and " " in text
        traits = {"name 7": 1.0, "more": 0.5 if is_sentence else 1.0}  # wherever it is
    return rating, traits


def _is_end_of_period(column: Column, members: Collection[str]) -> bool:
    """Whether a column is one end of a period whose other end is also in its records.

    Only numeric times count, as programs record them: readers do not need one without the other.
    """
    first_text = _text(column.values[0]).removeprefix('"')
    if not _NUMERAL.fullmatch(first_text) or not _FIRST_MOMENT <= float(first_text) < _LAST_MOMENT:
        return False
    words = words_of_name(column.path[-1])
    return any(
        " ".join(theirs if word == mine else word for word in words) in members
        for first, lasts in _ENDS.items()
        for last in lasts
        for mine, theirs in ((first, last), (last, first))
        if mine in words
    )


def _says_names(
    column: Column,
    distinct: Collection[Any],
    rows: Mapping[int, str],
    named: Mapping[str, Sequence[Group]],
) -> bool:
    """Whether a column repeats names: those above its leaves, or of members elsewhere.

    Examples are the titles of fields in a schema, and column names next to the rows that have them.
    """
    if not all(isinstance(value, str) and len(value) <= LONG_TEXT for value in distinct):
        return False
    above = {words_of_name(step) for step in column.path[:-1] if step != ITEM}
    if all(
        (words := words_of_name(value)) in above
        or (words and words == words_of_name(rows.get(row, "")))
        for value, row in zip(column.values, column.rows, strict=True)
    ):
        return True
    first, *further = distinct
    return bool(further) and any(
        all(name in group.columns or name in group.below for name in further)
        for group in named.get(first, ())
    )


def _says_member(column: Column, distinct: Collection[Any], group: Group) -> bool:
    """Whether a column says which member of its record holds the content.

    An example is the type of a content block: ``{"type": "text", "text": ...}``.
    """
    if column.path[-1] not in DISCRIMINATORS:
        return False
    return all(value in group.columns or value in group.below for value in map(_plain, distinct))


def _plain(value: Any) -> str:
    """Return a value that is text, and an empty text for any other."""
    return value if isinstance(value, str) else ""


def _rare(counts: Counter[str], size: int) -> set[str]:
    """Return the exceptional values of a column: rare ones where nearly all others are equal."""
    if size < 5 or len(counts) == 1 or 4 * counts.most_common(1)[0][1] < 3 * size:
        return set()
    most = max(1, size // 8)
    return {text for text, count in counts.items() if count <= most}


def _outliers(values: Mapping[str, Any]) -> set[str]:
    """Return the outliers of a column: a few numbers, many deviations away from the others.

    The deviation is the median distance from the median of the distinct values (F. Hampel, The
    influence curve and its role in robust estimation, JASA 69, 1974).
    """
    numbers: dict[str, float] = {}
    for text, value in values.items():
        if value.__class__ in (int, float) or (
            value.__class__ is str and len(value) < 20 and _NUMERAL.fullmatch(value)
        ):
            try:
                numbers[text] = float(value)
            except OverflowError:
                return set()
    if 10 * len(numbers) < 9 * len(values) or len(numbers) < _MANY // 2:
        return set()
    middle = median(numbers.values())
    spread = median(abs(number - middle) for number in numbers.values())
    outliers = {
        text for text, amount in numbers.items() if abs(amount - middle) > _FAR * spread > 0
    }
    return outliers if 20 * len(outliers) <= len(numbers) else set()


def median(numbers: Iterable[float]) -> float:
    """Return the median; importing `statistics` would take longer than weighing most documents."""
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    return (ordered[middle] + ordered[~middle]) / 2


def _alarms(counts: Counter[str], size: int) -> set[str]:
    """Return the words in a column that report a failure, unless most words in it do."""
    alarms = {text for text in counts if text[0] == '"' and len(text) < 32 and _ALARM.match(text)}
    return alarms if 2 * sum(counts[text] for text in alarms) < size else set()


def _record_above(path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the objects around an object within the same record."""
    while path and path[-1] != ITEM:
        path = path[:-1]
        yield path


def _is_derived(column: Column, groups: Sequence[Group]) -> bool:
    """Whether addresses contain other values of their records, such as an id or a name.

    `groups` are the object that has the column, and the objects around it.
    """
    first_values: dict[int, list[str]] = {row: [] for row in column.rows[:3]}
    for other in (sibling for group in groups for sibling in group.columns.values()):
        if other is column:
            continue
        for row, value in zip(other.rows[:3], other.values, strict=False):
            if row in first_values and value.__class__ in (str, int) and value is not True:
                text = str(value)
                if 1 < len(text) <= 60 and not _URL.match(text):
                    first_values[row].append(text)
    return all(
        any(text in value for text in first_values[row])
        for row, value in zip(column.rows[:3], column.values, strict=False)
        if isinstance(value, str)
    )


def _of_value(
    value: Any, rating: str | None, count: int, is_id: bool, is_rare: bool, is_alarm: bool
) -> Traits:
    """Return the traits that depend on a value: its kind, its length, and how often it occurs."""
    kind = kind_of(value)
    if kind in ("word", "character", "text") and rating != "6" and not is_alarm:
        kind = "empty" if _NOTHING.fullmatch(value) else kind
    is_text = False
    if kind in ("boolean", "null", "empty"):
        kind = "telling" if rating in ("6", "7") else kind
    elif isinstance(value, str):
        is_text = len(value) > LONG_TEXT
        if kind == "url" and _PROGRAM.search(value):
            kind = "program"
        elif kind == "character":
            kind = "word"
        elif rating not in ("5", "6", "7") and value in _SWITCHES:
            kind = "boolean"
    elif not value and not is_id:
        kind = "telling" if rating in ("6", "7") else "zero"
    traits: Traits = {f"kind {kind}": 1.0}
    if kind == "code" and rating != "7" and is_id:
        traits["id code"] = 1.0
    if isinstance(value, str):
        traits["length"] = log(1 + len(value) / 10)
        if len(value) < _SHORT_NOTE and _NOTE.search(value):
            traits["more"] = 2.0
    if count > 1:
        traits["copies of text" if is_text else "copies"] = log(count)
    if is_alarm:
        traits["alarm"] = 1.0
    elif is_rare and rating not in ("0", "1", "2"):
        traits["rare"] = 1.0
    return traits


def places_of(column: Column) -> list[float] | None:
    """Return the log of each leaf's distance from the first number of its array, or None."""
    if not column.runs:
        return None
    distances = [0.0] * len(column.values)
    for start, size in column.runs:
        for at in range(size):
            distances[start + at] = log(1 + at / 4)
    return distances


def kind_of(value: Any) -> str:
    """Return the kind of a value, as the salience table names it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if not isinstance(value, str):
        return "empty" if is_container(value) else "whole" if isinstance(value, int) else "fraction"
    if len(value) < 2:
        return "character" if value else "empty"
    if _BLANK.search(value):
        return "date" if len(value) < 40 and _DATE.fullmatch(value) else "text"
    if _URL.match(value):
        return "url"
    if len(value) >= 16 and _CODE.fullmatch(value):
        return "hash" if len(value) >= 32 and _HASH.fullmatch(value) else "code"
    return "date" if _DATE.fullmatch(value) else "word"


def is_code(values: Sequence[Any]) -> bool:
    """Whether values are unreadable codes, such as UUIDs and hashes; the first few decide.

    Examples
    --------
    >>> is_code(["53483c08-6e78-4fd8-a0a9-99c5b9438842"]), is_code(["TIDE-42"])
    (True, False)
    """
    return kind_of(values[0]) in ("code", "hash")


def _text(value: Any) -> str:
    """Return a text that is equal for equal values only."""
    if isinstance(value, str):
        return f'"{value}'
    return str(value) if value.__class__ in _PLAIN else dump(value)
