"""Makes questions from tables in data: about values, sums, records, sizes, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.accuracy.query import (
    DIGITS,
    UNKNOWN,
    Condition,
    Field,
    Query,
    Question,
    Record,
    is_number,
    records,
    type_of,
    value_at,
)
from mckp.encoders.scalars import ABSENT
from mckp.jsontext import canonical, dump, is_array, is_container, is_object, path_text
from mckp.menu.shorten import LEAST
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.paths import Path
    from mckp.plain import JsonValue

MIN_RECORDS: Final = 4
"""The fewest records of a table."""
SHORT_CHARS: Final = LEAST - 1
"""The most characters of a string that questions ask for; formats do not abbreviate those."""
_MAX_DEPTH: Final = 3
_MAX_KINDS: Final = 12


@dataclass(frozen=True, slots=True)
class RecordField:
    """A field of records: its value in each record, `mckp.ABSENT` where it is missing."""

    field: Field
    values: list[Any]

    @property
    def name(self) -> str:
        """The name of the field in questions."""
        return f"`{path_in_question(self.field)}`" if self.field else "name"

    @property
    def present(self) -> list[Any]:
        """The values that exist and are not null."""
        return [value for value in self.values if value is not ABSENT and value is not None]

    @property
    def is_short(self) -> bool:
        """Whether the field has values, all of them short enough to ask for."""
        return bool(self.present) and all(map(_is_short, self.present))

    @property
    def is_key(self) -> bool:
        """Whether the field identifies records: short, different values, no flags or fractions."""
        return (
            len(self.present) == len(self.values)
            and self.is_short
            and not any(isinstance(value, bool | float) for value in self.present)
            and len(set(map(canonical, self.present))) == len(self.present)
        )

    @property
    def is_numeric(self) -> bool:
        """Whether all values are numbers."""
        return bool(self.present) and all(map(is_number, self.present))

    @property
    def is_class(self) -> bool:
        """Whether the field is a category: few short values, found twice or more on average."""
        kind_count = len(set(map(canonical, self.present)))
        return (
            self.is_short and 1 < kind_count <= _MAX_KINDS and 2 * kind_count <= len(self.present)
        )

    @property
    def is_list(self) -> bool:
        """Whether all values are arrays."""
        return bool(self.present) and all(map(is_array, self.present))

    @property
    def is_long(self) -> bool:
        """Whether all values are strings and some are long enough for a budget to shorten them."""
        return all(isinstance(value, str) for value in self.present) and any(
            len(value) > SHORT_CHARS for value in self.present
        )


@dataclass(frozen=True, slots=True)
class RecordTable:
    """Records of one kind with their fields, including the fields of nested objects."""

    at: Path
    records: list[Record]
    columns: list[RecordField]

    @property
    def name(self) -> str:
        """The name of the table in questions."""
        return f"`{path_in_question(self.at)}`" if self.at else "the document"

    @property
    def is_map(self) -> bool:
        """Whether the table is a map from names to records; formats need not keep its order."""
        return bool(self.records) and isinstance(self.records[0].name, str)

    @property
    def key(self) -> RecordField | None:
        """The first column that identifies records, or None."""
        return next((column for column in self.columns if column.is_key), None)


def tables_in(data: Any) -> list[RecordTable]:
    """Return the tables in data, except those within arrays or other tables.

    Examples
    --------
    >>> tables = tables_in({"jobs": [{"id": n, "by": {"name": "Ann"}} for n in range(4)]})
    >>> [(table.name, [column.name for column in table.columns]) for table in tables]
    [('`jobs`', ['`id`', '`by.name`'])]
    """
    return [RecordTable(at, rows, _columns_of(rows)) for at, rows in _places_of_tables(data, ())]


def path_in_question(path: Path) -> str:
    """Return a path as questions write it: ``jobs[0].name``."""
    return path_text(path).removeprefix("$").removeprefix(".")


def scalar_paths(data: JsonValue, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of short scalars, except nulls and those in arrays or maps of records."""
    if is_object(data) and not _is_map(data):
        for key, below in data.items():
            yield from scalar_paths(below, (*path, key))
    elif not is_container(data) and data is not None and _is_short(data) and path:
        yield path


def _places_of_tables(data: JsonValue, path: Path) -> Iterator[tuple[Path, list[Record]]]:
    """Yield the places and rows of tables, but not of those within arrays or tables."""
    if (is_array(data) and len(data) >= MIN_RECORDS and all(map(is_object, data))) or _is_map(data):
        yield path, list(records(data))
    elif is_object(data):
        for key, below in data.items():
            yield from _places_of_tables(below, (*path, key))


def _is_map(data: JsonValue) -> bool:
    """Whether an object is a map from names to records, which have most members in common."""
    if not is_object(data) or len(data) < MIN_RECORDS or not all(map(is_object, data.values())):
        return False
    first, *other_names = (set(value) for value in data.values())
    return bool(first) and all(2 * len(first & other) > len(first | other) for other in other_names)


def _columns_of(rows: list[Record]) -> list[RecordField]:
    """Return the fields of rows, each with its values."""
    fields: dict[Field, None] = {}
    if rows and isinstance(rows[0].name, str):
        fields[()] = None
    for row in rows:
        fields.update(dict.fromkeys(_fields_in(row.value, ())))
    return [RecordField(field, [row.get(field) for row in rows]) for field in fields]


def _fields_in(value: JsonValue, field: Field) -> Iterator[Field]:
    """Yield the fields within a value."""
    if is_object(value) and value and len(field) < _MAX_DEPTH:
        for key, below in value.items():
            yield from _fields_in(below, (*field, key))
    else:
        yield field


def _is_short(value: JsonValue) -> bool:
    """Whether a value is short enough to ask for."""
    if isinstance(value, str):
        return 0 < len(value) <= SHORT_CHARS and value.isprintable() and value == value.strip()
    return not is_container(value)


Draft: TypeAlias = tuple[str, Query]
"""A question in words and as a program, without its answer."""


def one_record(table: RecordTable, key: RecordField, record: Record) -> tuple[str, Condition]:
    """Return words for a single record, and the condition that only it meets."""
    value = record.get(key.field)
    words, test = condition_on(key, value)
    return f"the record of {table.name} {words}", test


def condition_on(column: RecordField, value: JsonValue, by: str = "is") -> tuple[str, Condition]:
    """Return a condition on a column, in words and as a test.

    `by` is the comparison: ``is``, ``above`` or ``below``.
    """
    beyond = "" if by == "is" else f"{by} "
    return f"whose {column.name} is {beyond}{dump(value)}", Condition(column.field, by, value)


_RECORDS_A_FIELD: Final = 3


def retrieval_drafts(data: JsonValue, table: RecordTable, random: Random) -> Iterator[Draft]:
    """Yield questions about single values, of records and of objects around them."""
    for path in scalar_paths(data):
        yield f"What is `{path_in_question(path)}`?", Query("scalar", path)
    if (key := table.key) is None:
        return
    for column in table.columns:
        if column is not key and column.is_short:
            for record in random.sample(table.records, min(_RECORDS_A_FIELD, len(table.records))):
                words, test = one_record(table, key, record)
                query = Query("value", table.at, column.field, (test,))
                yield f"What is {column.name} of {words}?", query


_WORDS: Final = {
    "sum": "What is the sum of",
    "mean": f"What is the mean, rounded to {DIGITS} digits behind the point, of",
    "least": "What is the smallest",
    "most": "What is the largest",
}


def aggregation_drafts(_: JsonValue, table: RecordTable, random: Random) -> Iterator[Draft]:
    """Yield questions about counts, sums and extremes of records."""
    classes = [column for column in table.columns if column.is_class]
    for column in classes:
        query = Query("distinct", table.at, column.field)
        yield f"How many different {column.name} are there in {table.name}?", query
        words, test = condition_on(column, random.choice(column.present))
        prompt = f"How many records are there in {table.name} {words}?"
        yield prompt, Query("count", table.at, (), (test,))
    for column in table.columns:
        if column.is_numeric and not column.is_key:
            yield from _number_drafts(table, column, classes, random)


def _number_drafts(
    table: RecordTable, column: RecordField, classes: list[RecordField], random: Random
) -> Iterator[Draft]:
    """Yield questions about a column of numbers.

    `classes` are the columns of categories, whose values serve as conditions.
    """
    for ask, words in _WORDS.items():
        prompt = f"{words} {column.name} over all records of {table.name}?"
        yield prompt, Query(ask, table.at, column.field)
    if others := [other for other in classes if other is not column]:
        other = random.choice(others)
        condition, test = condition_on(other, random.choice(other.present))
        for ask in ("sum", "most"):
            prompt = f"{_WORDS[ask]} {column.name} over the records of {table.name} {condition}?"
            yield prompt, Query(ask, table.at, column.field, (test,))


def filtering_drafts(_: JsonValue, table: RecordTable, random: Random) -> Iterator[Draft]:
    """Yield questions about records that meet conditions: their keys or their number."""
    tests = list(_conditions_on(table, random))
    if (key := table.key) is not None:
        for words, test in tests:
            if test.field != key.field:
                prompt = f"List {key.name} of all records of {table.name} {words}"
                query = Query("names", table.at, key.field, (test,))
                yield f"{prompt}, in their order, with commas between.", query
    for (words, test), (other_words, other_test) in combinations(tests, 2):
        if test.field != other_test.field:
            prompt = f"How many records are there in {table.name} {words} and {other_words}?"
            yield prompt, Query("count", table.at, (), (test, other_test))


def _conditions_on(table: RecordTable, random: Random) -> Iterator[tuple[str, Condition]]:
    """Yield conditions on columns of categories and numbers, in words and as tests."""
    for column in table.columns:
        if column.is_class:
            yield condition_on(column, random.choice(column.present))
        if column.is_numeric:
            yield condition_on(
                column, random.choice(column.present), random.choice(("above", "below"))
            )


_WITH_COMMAS: Final = ", with commas between"


def structure_drafts(data: JsonValue, table: RecordTable, random: Random) -> Iterator[Draft]:
    """Yield questions about sizes, names and places."""
    if table.records:
        yield from _table_drafts(table)
        yield from _size_drafts(table, random)
    if is_object(data) and (table.at or not table.records):
        prompt = f"What are the names at the top of the document{_WITH_COMMAS}?"
        yield prompt, Query("members", ())
        for key, below in data.items():
            if is_object(below):
                prompt = f"What are the names in `{path_in_question((key,))}`{_WITH_COMMAS}?"
                yield prompt, Query("members", (key,))


def _table_drafts(table: RecordTable) -> Iterator[Draft]:
    """Yield questions about the number, the fields and the order of a table's records."""
    yield f"How many records are there in {table.name}?", Query("records", table.at)
    prompt = f"Which fields do the records of {table.name} have{_WITH_COMMAS}?"
    yield prompt, Query("columns", table.at)
    if (key := table.key) is not None and not table.is_map:
        for edge in ("first", "last"):
            prompt = f"What is {key.name} of the {edge} record of {table.name}?"
            yield prompt, Query(edge, table.at, key.field)


def _size_drafts(table: RecordTable, random: Random) -> Iterator[Draft]:
    """Yield questions about the length of an array or long string in one record."""
    if (key := table.key) is None:
        return
    for column in table.columns:
        if column.is_list or column.is_long:
            words, test = one_record(table, key, random.choice(table.records))
            asked = "How many items are there in" if column.is_list else "How many characters has"
            query = Query("size", table.at, column.field, (test,))
            yield f"{asked} {column.name} of {words}?", query


def missing_drafts(data: Any, table: RecordTable, random: Random) -> Iterator[Draft]:
    """Yield questions about what is missing, some of them without an answer."""
    for path in scalar_paths(data):
        missing_path = (*path[:-1], f"{path[-1]}_before")
        if value_at(data, missing_path) is not ABSENT:
            continue
        yield f"What is `{path_in_question(missing_path)}`?", Query("scalar", missing_path)
    for column in table.columns:
        yield from _gap_drafts(table, column)
    if (key := table.key) is not None:
        for column in table.columns:
            if ABSENT in column.values:
                words, test = one_record(table, key, random.choice(table.records))
                query = Query("has", table.at, column.field, (test,))
                yield f"Has {words} a field {column.name} (null counts as one)?", query
        yield from _nonexistent_record_drafts(table, key, random)


def _gap_drafts(table: RecordTable, column: RecordField) -> Iterator[Draft]:
    """Yield questions about absent and null values of a column."""
    absent = f"How many records of {table.name} have no field {column.name}?"
    null = f"In how many records of {table.name} is {column.name} null?"
    for gap, by, asked in ((ABSENT, "absent", absent), (None, "null", null)):
        if any(value is gap for value in column.values):
            yield asked, Query("count", table.at, (), (Condition(column.field, by),))


def _nonexistent_record_drafts(
    table: RecordTable, key: RecordField, random: Random
) -> Iterator[Draft]:
    """Yield questions about a record that does not exist."""
    values = key.present
    if all(isinstance(value, int) for value in values):
        missing_value: Any = max(values) + random.randint(1, 99)
    else:
        missing_value = next(name for value in values if (name := f"{value}-x") not in values)
    for column in table.columns:
        if column is not key and column.is_short:
            words, test = condition_on(key, missing_value)
            query = Query("value", table.at, column.field, (test,))
            prompt = f"What is {column.name} of the record of {table.name} {words}?"
            yield prompt, query


MAKERS: Final[dict[str, Callable[[Any, RecordTable, Random], Iterator[Draft]]]] = {
    "retrieval": retrieval_drafts,
    "aggregation": aggregation_drafts,
    "filtering": filtering_drafts,
    "structure": structure_drafts,
    "missing": missing_drafts,
}
_SETS: Final = frozenset({"members", "columns"})
"""Queries with answers whose order formats need not keep; named records have none, either."""
_COMMAS: Final = regex(r"[,;\[\]]")
_MAX_ANSWER_ITEMS: Final = 8
"""The most items of a list that is an answer."""


def questions(data: Any, *, each: int = 4, seed: int = 1, name: str = "data") -> list[Question]:
    """Make questions from data, with the answers that it gives.

    Parameters
    ----------
    data
        Plain data, as JSON can hold it.
    each : int, default 4
        The most questions of each kind; there are fewer if the data does not give that many.
    seed : int, default 1
        Selects the questions; the same seed and data always give the same ones.
    name : str, default "data"
        The prefix of ids.

    Returns
    -------
    list of Question
        Questions, no two with the same words.

    Examples
    --------
    >>> jobs = [{"id": n, "state": ["ok", "failed"][n % 3 == 0]} for n in range(8)]
    >>> asked = questions({"jobs": jobs}, each=1)
    >>> [(question.kind, question.gold) for question in asked][:2]
    [('retrieval', 'ok'), ('aggregation', 2)]
    >>> asked[1].prompt
    'How many different `state` are there in `jobs`?'
    """
    data_tables = tables_in(data) or [RecordTable((), [], [])]
    questions_made: list[Question] = []
    for kind, maker in MAKERS.items():
        random = Random(f"{seed} {kind}")
        drafts = [draft for table in data_tables for draft in maker(data, table, random)]
        random.shuffle(drafts)
        answered_drafts = ((prompt, query, query.answer(data)) for prompt, query in drafts)
        fair = {
            prompt: (query, gold) for prompt, query, gold in answered_drafts if _is_fair(gold, kind)
        }
        for number, (prompt, (query, gold)) in enumerate(list(fair.items())[:each], 1):
            type = type_of(gold)
            if query.ask in _SETS or (type == "list" and is_object(value_at(data, query.at))):
                type = "set"
            questions_made.append(
                Question(f"{name}/{kind}/{number}", kind, prompt, query, gold, type)
            )
    return questions_made


def _is_fair(gold: Any, kind: str) -> bool:
    """Whether a right answer, `gold`, exists and, if it is a list, is short and without commas.

    In the kind ``missing``, the right answer may also be `UNKNOWN`.
    """
    if gold is UNKNOWN or gold is None:
        return gold is UNKNOWN and kind == "missing"
    if is_array(gold):
        return 0 < len(gold) <= _MAX_ANSWER_ITEMS and not any(map(_COMMAS.search, map(str, gold)))
    return True
