"""The features of a data leaf that show what it is worth to its reader.

A trait is a name with an amount. A leaf shares most traits with its column; a few depend on its
value, and two on its position. `mckp.weights.salience` multiplies a factor for each, which
``benches/fit_salience.py`` fitted.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from math import log
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from mckp.failure import is_failed
from mckp.jsontext import dump, is_container
from mckp.regexes import regex
from mckp.weights.columns import ITEM
from mckp.weights.following import counts_records, extends_another
from mckp.weights.keys import words_of_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mckp.weights.columns import ColumnGroup, Columns, LeafColumn
    from mckp.weights.lexicon import Lexicon

Traits: TypeAlias = dict[str, float]
Root: TypeAlias = tuple[str | None, ...]
"""A path of names, with `ITEM` for any index and None for any name."""

FEWEST: Final = 3
"""Fewest values of a column that show what is common in it."""

DEEPEST: Final = 3
"""Most names above a leaf that are counted as its depth."""

LONG_TEXT: Final = 40
"""Most characters of a short text; equal texts that are longer hardly occur by chance."""

SHARED: Final = 4
"""Fewest equal members by which two single records are the same thing written twice."""

_NOTE: Final = regex(r"(?m)^> \[[^\n]+\]$")
"""A line by which a server says that there is more, such as ``> [+9 more. call next()]``."""
_SHORT_NOTE: Final = 400
"""Characters below which a text with such a line has little else."""

_SWITCHES: Final = frozenset(("yes", "no"))
"""Words that are booleans."""

_TRIVIAL: Final = frozenset({"None", "True", "False", '"', "0"})
"""Texts of values that are equal in many records by chance."""

IDS: Final = frozenset(("id", "uuid", "guid", "uid"))
"""Last words of names of identifiers."""

HANDLES: Final = frozenset(
    {
        *("number", "login", "key", "slug", "path", "full name", "symbol", "username", "handle"),
        *("user name", "iid", "sku", "filename", "path with namespace", "email", "sha", "code"),
    }
)
"""Names of fields that identify a record as well, so that an ``id`` beside them is a second one."""

_PLACE: Final = frozenset(("city", "zip", "country", "postal code", "zip code", "street"))
"""Names of fields beside which a ``state`` is a part of an address, not an outcome."""

DISCRIMINATORS: Final = frozenset(("type", "kind"))
"""Names of members that say which one of several shapes a record has."""

_ENDS: Final[Mapping[str, tuple[str, ...]]] = {
    "start": ("end", "finish", "stop"),
    "begin": ("end",),
    "started": ("ended", "finished", "completed", "stopped"),
}
"""Words in names of the start of a period, and words in names of its end."""
_FIRST_MOMENT: Final = 10**9
"""Least number that may be a moment: seconds since 1970, or fractions of seconds."""
_LAST_MOMENT: Final = 1e19
"""Number that moments are below: the nanoseconds of the year 2286."""

_URL: Final = regex(r"[a-z][a-z0-9+.-]*://|www\.|mailto:")
_PROGRAM: Final = regex(r"https?://(api\.|[^/]*/api/|[^/]*/rest/)|\{[/?&]?\w+\}")
"""The start of an address for programs, or a placeholder in a template of addresses."""
_CODE: Final = regex(r"[0-9a-f]{16,}|(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9+/_=-]{20,}")
_HASH: Final = regex(r"[0-9a-f-]+")
_NUMERAL: Final = regex(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DATE: Final = regex(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:[T ].*)?)?|[0-9]{2}:[0-9]{2}.{0,10}")
_NOTHING: Final = regex(
    r"(?i)(?:unknown|undefined|n/?a|nan|none|null|-+|not (?:available|specified))"
)
"""Words that are written where there is no value."""
_SHAPES: Final = {'"object': "properties", '"array': "items"}
"""Types of a schema, and the members beside them that show the type as well."""
_BLANK: Final = regex(r"\s")
_PLAIN: Final = frozenset({int, float, bool, type(None)})


class ColumnTraits(NamedTuple):
    """A column with the traits of its leaves.

    Attributes
    ----------
    column : LeafColumn
        The column.
    common : dict of str to float
        The traits that all of its leaves have.
    texts : list of str
        A text for each leaf; two texts are equal if, and only if, the values are.
    own : dict of str to dict
        The further traits of each distinct value, by its text.
    """

    column: LeafColumn
    common: Traits
    texts: list[str]
    own: dict[str, Traits]


def describe_columns(
    columns: Columns, lexicon: Lexicon, roots: Sequence[Root] = ()
) -> list[ColumnTraits]:
    """Return the traits of each column of a document.

    A value at one of the `roots` is a document of its own: names above it are ignored.
    """
    entries: list[ColumnTraits] = []
    groups_by_name: dict[str, list[ColumnGroup]] = {}
    for group in columns.groups:
        for name in chain(group.columns, group.below):
            groups_by_name.setdefault(name, []).append(group)
    by_path = {group.path: group for group in columns.groups}
    for group in columns.groups:
        groups_around = [group, *(by_path[path] for path in _objects_around(group.path))]
        members = {" ".join(words_of_name(name)) for name in group.columns}
        first_place = min((member.places[0] for member in group.columns.values()), default=-1)
        root_depth = max((len(root) for root in roots if _is_below(group.path, root)), default=0)
        for column in group.columns.values():
            is_first = column.places[0] == first_place
            rating, common = _shared_traits(column, members, lexicon, root_depth, is_first=is_first)
            is_id = any(name.startswith("id ") for name in common)
            common["wide"] = log(len(group.columns))
            texts = list(map(_distinct_text, column.values))
            values = dict(zip(texts, column.values, strict=True))
            if len(texts) >= FEWEST and len(values) == 1:
                common["constant"] = 1.0
            if column.path[-1] != ITEM and (
                _repeats_names(column, values.values(), columns.named, groups_by_name)
                or _names_member(column, values.values(), group)
                or (not is_id and counts_records(column))
            ):
                common["echo"] = 1.0
            own = _traits_of_values(column, texts, values, rating, groups_around, is_id=is_id)
            entries.append(ColumnTraits(column, common, texts, own))
    _mark_repeated_columns([[entry] for entry in entries])
    shapes = _same_shapes(entries)
    _count_over_places(shapes)
    _mark_repeated_columns(shapes)
    _mark_repeated_records(entries)
    _mark_extended_names(entries)
    return entries


def _traits_of_values(
    column: LeafColumn,
    texts: Sequence[str],
    values: Mapping[str, Any],
    rating: str | None,
    groups_around: Sequence[ColumnGroup],
    *,
    is_id: bool,
) -> dict[str, Traits]:
    """Return the traits of each distinct value of a column, by its text.

    `texts` has the text of each leaf, and `values` the value of each text. `groups_around` are the
    object that has the column, and the objects around it.
    """
    counts, leaf_count = Counter(texts), len(texts)
    alarming = set[str]() if column.is_key else _alarm_words(counts, leaf_count)
    if column.is_part:
        counts = Counter(values.keys())  # the parts of a key occur often by their nature
    own = {
        text: _value_traits(values[text], rating, count, is_id, text in alarming)
        for text, count in counts.items()
    }
    for text, member in _SHAPES.items():
        if text in own and column.path[-1] == "type" and member in groups_around[0].below:
            own[text]["echo"] = 1.0
    has_urls = any("kind url" in traits for traits in own.values())
    if has_urls and _contains_other_values(column, groups_around):
        for traits in own.values():
            if traits.pop("kind url", None):
                traits["kind program"] = 1.0
    return own


def _mark_extended_names(entries: Sequence[ColumnTraits]) -> None:
    """Mark columns as an echo if they are the names of the records with constant text around them.

    Columns of handles and addresses are never marked.
    """
    name_columns = [
        other_entry.column
        for other_entry in entries
        if other_entry.column.is_key or _name_rating(other_entry) == "5"
    ]
    for entry in entries:
        is_handle = " ".join(words_of_name(entry.column.path[-1])) in HANDLES
        is_address = any(map(_is_address, entry.own.values()))
        if not is_handle and not is_address and extends_another(entry.column, name_columns):
            entry.common["echo"] = 1.0


def _is_address(traits: Traits) -> bool:
    """Whether these are the traits of a value that is an address."""
    return "kind url" in traits or "kind program" in traits


def _same_shapes(entries: Sequence[ColumnTraits]) -> list[list[ColumnTraits]]:
    """Return the columns that have one name in containers of one name, if these are in two places.

    They are the same member of one shape, such as the ``plain_text`` of the ``rich_text`` in the
    paragraphs, headings and lists of a page. A name all of whose values are equal, such as the
    ``color default`` of all blocks, is one member whatever contains it.
    """
    by_shape: dict[tuple[str, ...], list[ColumnTraits]] = {}
    by_name: dict[str, list[ColumnTraits]] = {}
    for entry in entries:
        names = [step for step in entry.column.path if step != ITEM]
        if len(names) > 1 and entry.column.path[-1] != ITEM:
            by_shape.setdefault(tuple(names[-2:]), []).append(entry)
            by_name.setdefault(names[-1], []).append(entry)
    equal = {
        name: named
        for name, named in by_name.items()
        if len(set[str]().union(*(entry.own for entry in named))) == 1
    }
    shapes = [shape for (*_, name), shape in by_shape.items() if name not in equal]
    return [shape for shape in (*shapes, *equal.values()) if len(shape) > 1]


def _count_over_places(shapes: Sequence[Sequence[ColumnTraits]]) -> None:
    """Count rows and equal values of a shape's members over all its places, as in one table."""
    for shape in shapes:
        counts = Counter(chain.from_iterable(entry.texts for entry in shape))
        rows = log(counts.total())
        for entry in shape:
            values = dict(zip(entry.texts, entry.column.values, strict=True))
            if "rows" in entry.common:  # it is no call for more
                entry.common["rows"] = max(entry.common["rows"], rows)
            for text, traits in entry.own.items():
                if counts[text] > 1 and not entry.column.is_part:
                    traits[_copies(values[text])] = log(counts[text])


def _mark_repeated_columns(units: Sequence[Sequence[ColumnTraits]]) -> None:
    """Of units with the same rows and values, mark all but the one with the best-rated name.

    A unit has one column, or all columns of a member of one shape. A name without a rating counts
    as the best. About 50 values of each unit are compared. A few records may have equal members by
    chance, so only columns with a long text are compared there.
    """
    groups: dict[tuple[tuple[int, ...], tuple[str, ...]], list[Sequence[ColumnTraits]]] = {}
    for unit in units:
        texts = [text for entry in unit for text in entry.texts]
        distinct = set[str]().union(*(entry.own for entry in unit))
        longest = max(map(len, distinct))
        is_long = longest > LONG_TEXT // 2
        if is_long or (min(len(texts), len(distinct)) >= FEWEST and longest > 4):
            rows = [row for entry in unit for row in entry.column.rows]
            sample = slice(0, len(texts), max(1, len(texts) // 50))
            content = (len(texts), *rows[sample]), tuple(texts[sample])
            groups.setdefault(content, []).append(unit)
    for group in groups.values():
        for unit in sorted(group, key=_name_rating_of_unit, reverse=True)[1:]:
            for entry in unit:
                entry.common["again"] = 1.0


def _name_rating_of_unit(unit: Sequence[ColumnTraits]) -> str:
    """Return the rating of the name that a unit's columns share; see `_name_rating`."""
    return _name_rating(unit[0])


def _mark_repeated_records(entries: list[ColumnTraits]) -> None:
    """Mark the members of a single record that an earlier single record has as well.

    They are marked only if the two records share at least `SHARED` members with equal names and
    equal values that are not trivial.
    """
    first_records: dict[tuple[str, str], tuple[str, ...]] = {}
    shared_members: dict[tuple[tuple[str, ...], tuple[str, ...]], list[ColumnTraits]] = {}
    for entry in entries:
        *steps, name = entry.column.path
        if len(entry.texts) == 1 and name != ITEM:
            record = tuple(steps)
            origin = first_records.setdefault((name, entry.texts[0]), record)
            if origin != record:
                shared_members.setdefault((origin, record), []).append(entry)
    for repeats in shared_members.values():
        if sum(repeat.texts[0] not in _TRIVIAL for repeat in repeats) >= SHARED:
            for repeat in repeats:
                repeat.common["again"] = 1.0


def _name_rating(entry: ColumnTraits) -> str:
    """Return the rating of a column's name, ``u`` if it is unknown.

    For columns of items, it is an empty string.
    """
    return max((name[5:6] for name in entry.common if name.startswith("name ")), default="")


def _is_below(path: tuple[str, ...], root: Root) -> bool:
    """Whether a path is at or below a root."""
    return len(path) >= len(root) and all(
        name in (ITEM, root_name) or root_name is None
        for name, root_name in zip(path, root, strict=False)
    )


def _shared_traits(
    column: LeafColumn, members: set[str], lexicon: Lexicon, root_depth: int, *, is_first: bool
) -> tuple[str | None, Traits]:
    """Return the rating of a column's name, if it has one, and the traits that all leaves share.

    The first `root_depth` steps of its path belong to a document around its own. `members` are the
    names of all members of its record, and `is_first` says whether the column is the first of them.
    """
    steps = column.path[root_depth:]
    names = [step for step in steps if step != ITEM]
    is_item = steps[-1] == ITEM
    rating = lexicon.rating_of(names[-1], "lists" if is_item else "names") if names else None
    if rating == "6" and names[-1] == "state" and _PLACE & members:
        rating = "3"  # a part of an address
    if rating in ("3", "4") and not is_item and _is_end_of_period(column, members):
        rating = "5"
    if is_first and not is_item and names and words_of_name(names[-1])[-1:] == ("id",):
        rating = max(rating or "4", "4")  # the record's own
    traits: Traits = {f"{'item' if is_item else 'name'} {rating or 'unknown'}": 1.0}
    containers = dict.fromkeys(names[:-1])
    traits["depth"] = float(min(DEEPEST, len(containers)))
    for name in containers:
        if part := lexicon.rating_of(name, "inside"):
            traits[part] = min(2.0, traits.get(part, 0.0) + 1)
    words = words_of_name(names[-1]) if names else ()
    traits["words"] = float(len(words))
    if is_item:
        traits["item"] = 1.0
    elif words and words[-1] in IDS:
        is_second = len(words) == 1 and HANDLES & members
        is_nested = len(steps) > 1 and steps[-2] != ITEM
        traits["id nested" if is_nested else "id second" if is_second else "id own"] = 1.0
    filled = len(column.values) - column.values.count(None)
    is_sparse = 4 * filled <= len(column.values)  # then its few values are news
    traits["rows"] = log(max(1, filled) if is_sparse else len(column.values))
    if column.is_key:
        traits["key"] = 1.0
    if column.is_part:
        traits["key of two"] = 1.0
    if not is_item and lexicon.rating_of(" ".join(names[-2:]), "names") == "7":
        rating = "7"  # such as the address in {"next": {"href": "..."}}
    if rating == "7" and not is_item and len(column.values) <= 2:
        text = column.values[0]
        is_sentence = isinstance(text, str) and len(text) > LONG_TEXT and " " in text
        traits = {"name 7": 1.0, "more": 0.5 if is_sentence else 1.0}  # wherever it is
    return rating, traits


def _is_end_of_period(column: LeafColumn, members: Collection[str]) -> bool:
    """Whether a column has the starts or ends of periods, and its records have the other end too.

    Only numeric times count, as programs record them: a reader needs both ends or neither.
    `members` are the names of all members of the records.
    """
    first_text = _distinct_text(column.values[0]).removeprefix('"')
    if not _NUMERAL.fullmatch(first_text) or not _FIRST_MOMENT <= float(first_text) < _LAST_MOMENT:
        return False
    words = words_of_name(column.path[-1])
    return any(
        " ".join(other_word if word == own_word else word for word in words) in members
        for start, ends in _ENDS.items()
        for end in ends
        for own_word, other_word in ((start, end), (end, start))
        if own_word in words
    )


def _repeats_names(
    column: LeafColumn,
    distinct_values: Collection[Any],
    row_names: Mapping[int, str],
    groups_by_name: Mapping[str, Sequence[ColumnGroup]],
) -> bool:
    """Whether the values of a column are names that the document has anyway.

    They are either the names of members above the leaf or of its row in a map (`row_names`), such
    as the titles of fields in a schema; or names of members that occur together in one of the
    `groups_by_name`, such as a list of column names next to the rows.
    """
    if not all(isinstance(value, str) and len(value) <= LONG_TEXT for value in distinct_values):
        return False
    names_above = {words_of_name(step) for step in column.path[:-1] if step != ITEM}
    if all(
        (words := words_of_name(value)) in names_above
        or (words and words == words_of_name(row_names.get(row, "")))
        for value, row in zip(column.values, column.rows, strict=True)
    ):
        return True
    first, *further = distinct_values
    return bool(further) and any(
        all(name in group.columns or name in group.below for name in further)
        for group in groups_by_name.get(first, ())
    )


def _names_member(column: LeafColumn, distinct_values: Collection[Any], group: ColumnGroup) -> bool:
    """Whether each value of a discriminator is the name of another member of its record.

    An example is the type of a content block: ``{"type": "text", "text": ...}``.
    """
    if column.path[-1] not in DISCRIMINATORS:
        return False
    return all(
        value in group.columns or value in group.below
        for value in map(_text_or_empty, distinct_values)
    )


def _text_or_empty(value: object) -> str:
    """Return the value if it is a string, else an empty string."""
    return value if isinstance(value, str) else ""


def median(numbers: Iterable[float]) -> float:
    """Return the median of at least one number.

    Importing `statistics` for this would take longer than weighing most documents.
    """
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    return (ordered[middle] + ordered[~middle]) / 2


def _alarm_words(counts: Counter[str], leaf_count: int) -> set[str]:
    """Return the texts that report a failure, or none if at least half of the leaves do."""
    words = {text for text in counts if text[0] == '"' and len(text) < 32 and is_failed(text)}
    return words if 2 * sum(counts[text] for text in words) < leaf_count else set()


def _objects_around(path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of what is around an object, up to and including its record."""
    while path and path[-1] != ITEM:
        path = path[:-1]
        yield path


def _contains_other_values(column: LeafColumn, groups: Sequence[ColumnGroup]) -> bool:
    """Whether addresses contain other values of their records, such as an id or a name.

    Only the first three are examined, and each must contain one. `groups` are the object that has
    the column, and the objects around it.
    """
    values_by_row: dict[int, list[str]] = {row: [] for row in column.rows[:3]}
    for other in (sibling for group in groups for sibling in group.columns.values()):
        if other is column:
            continue
        for row, value in zip(other.rows[:3], other.values, strict=False):
            if row in values_by_row and value.__class__ in (str, int) and value is not True:
                text = str(value)
                if 1 < len(text) <= 60 and not _URL.match(text):
                    values_by_row[row].append(text)
    return all(
        any(text in value for text in values_by_row[row])
        for row, value in zip(column.rows[:3], column.values, strict=False)
        if isinstance(value, str)
    )


def _value_traits(
    value: Any, rating: str | None, count: int, is_id: bool, is_alarm: bool
) -> Traits:
    """Return the traits that depend on a value: its kind, its length, and how often it occurs.

    `rating` is that of the column's name, and `count` the number of leaves with this value.
    """
    kind = kind_of(value)
    if kind in ("word", "character", "text") and rating != "6" and not is_alarm:
        kind = "empty" if _NOTHING.fullmatch(value) else kind
    if kind in ("boolean", "null", "empty"):
        kind = "telling" if rating in ("6", "7") else kind
    elif isinstance(value, str):
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
        traits[_copies(value)] = log(count)
    if is_alarm:
        traits["alarm"] = 1.0
    return traits


def _copies(value: object) -> str:
    """Return the trait of a value that occurs several times."""
    is_long = isinstance(value, str) and len(value) > LONG_TEXT
    return "copies of text" if is_long else "copies"


def log_distances(column: LeafColumn) -> list[float] | None:
    """Return a logarithmic distance of each leaf from the start of its array of numbers.

    It is ``log(1 + i / 4)`` for item i, and 0 for a leaf in no such array. The result is None if
    the column has no such arrays.
    """
    if not column.runs:
        return None
    distances = [0.0] * len(column.values)
    for start, size in column.runs:
        for at in range(size):
            distances[start + at] = log(1 + at / 4)
    return distances


def kind_of(value: object) -> str:
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
    """Whether values are unreadable codes, such as UUIDs and hashes; the first one decides.

    Examples
    --------
    >>> is_code(["53483c08-6e78-4fd8-a0a9-99c5b9438842"]), is_code(["TIDE-42"])
    (True, False)
    """
    return kind_of(values[0]) in ("code", "hash")


def _distinct_text(value: object) -> str:
    """Return a text that is the same for equal values of one type, and different for others."""
    if isinstance(value, str):
        return f'"{value}'
    return str(value) if value.__class__ in _PLAIN else dump(value)
