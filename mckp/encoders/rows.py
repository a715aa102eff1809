"""``rows``: an array or an object of records, one per line, below a header that names columns.

``# jobs[20]{id name user{login id} labels[31]{name color} state=open title>}`` counts the
rows and says what their words are. Nested objects are columns in braces, nested tables
cells in brackets, constants are in the header only, and free text comes last.

``derived``: rows with lines below the header for columns that follow from others, and rows with any
number of cells.

``== html_url = https://github.com/acme/tide/issues/${number}``: a reader has to put the row's
number into the rule to get the URL.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.csv import record_of
from mckp.encoders.follow_columns import column_rules, fill_columns, with_rules
from mckp.encoders.free_text import TEXTS, free_texts, is_text
from mckp.encoders.hints import take_hint
from mckp.encoders.infer import record_shape
from mckp.encoders.native import write_table
from mckp.encoders.native_reader import LineCursor, is_literal, read_columns, read_constants
from mckp.encoders.records import Records, as_array_records, as_records
from mckp.encoders.scalars import ABSENT, values_of
from mckp.encoders.shapes import ROW_NAME, Cell, Constant, Group
from mckp.encoders.words import ABSENT_WORD, CUT_WORD, NAME, WORDS, is_word, write_name
from mckp.jsontext import STRING, dump, is_array, is_container, is_object, load
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.encoders.follow_columns import ColumnRules
    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines
    from mckp.encoders.shapes import Record, Shape


def body(value: object) -> Body | None:
    """Write arrays, or records with enough in common for one set of columns, as rows.

    Returns None for any other value.
    """
    records = as_records(value)
    record = record_shape(records, inline=False) if records is not None else None
    if records is None or record is None:
        return None
    if records.names is not None and not isinstance(record, Group):
        return None
    return table_body(records, record)


def lists_body(value: object) -> Body | None:
    """Write two or more arrays of records, each below its count, with the same columns for all.

    Returns None for any other value, or if columns save nothing.
    """
    arrays = as_records(value)
    if arrays is None or arrays.size < 2 or not all(map(is_array, arrays.source)):
        return None
    items = list(chain.from_iterable(arrays.source))
    if not all(map(is_object, items)):
        return None
    records = Records.of(items)
    record = record_shape(records, inline=False)
    if not isinstance(record, Group):
        return None
    table = write_table(record, records)
    rows = iter(table.rows)
    texts: list[str] = []
    for place, array in enumerate(arrays.source):
        name = "" if arrays.names is None else write_name(arrays.names[place])
        name = dump(arrays.names[place]) if arrays.names and name.startswith("/") else name
        texts.append("".join([f"{name}[{len(array)}]\n", *islice(rows, len(array))]))
    return Body(f"{_size_text(arrays)}[]{table.columns}", table.constants, tuple(texts))


def derived_body(value: object) -> Body | None:
    """Write an array of records in which some columns follow from others; else return None."""
    records = as_array_records(value)
    return None if records is None else ruled_body(records, records, column_rules(records))


def ruled_body(records: Records, whole: Records, rules: ColumnRules) -> Body | None:
    """Write records without the columns that rules give, or None if there are none of these.

    `whole` has the records from which the rules were found; `records` may have fewer columns.
    """
    record = record_shape(records, inline=False) if rules else None
    if not isinstance(record, Group):
        return None
    shape = with_rules(record, records, whole, rules)
    return None if shape is record else table_body(records, shape)


def wide_body(value: object) -> Body | None:
    """Write an array whose rows have more cells, or more absent ones, than `body` allows.

    Returns None if no table pays, or if `body` writes the same.
    """
    records = as_array_records(value)
    record = record_shape(records, inline=False, wide=True) if records is not None else None
    if records is None or not isinstance(record, Group):
        return None
    return None if record == record_shape(records, inline=False) else table_body(records, record)


def table_body(records: Records, record: Record) -> Body:
    """Write records in the given shape."""
    table = write_table(record, records)
    return Body(f"{_size_text(records)}{table.columns}", table.constants, table.rows)


def ordered_table(rows: Sequence[dict[str, Any]]) -> str:
    r"""Return two or more records of scalars as a table whose columns keep their order.

    Every column is in the rows, and only the last one may end them as free text. For other records,
    the result is empty.

    Examples
    --------
    >>> ordered_table([{"title": "One tide", "id": 1}, {"title": "Two", "id": 2}])
    '[2]{title\tid}\nOne tide\t1\nTwo\t2\n'
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    if (
        len(rows) < 2
        or not names
        or any(is_container(cell) for row in rows for cell in row.values())
    ):
        return ""
    records = Records.of(list(rows))
    columns: dict[str, Shape] = {}
    for name in names:
        is_free = bool(free_texts(records.columns[name], inline=False))
        end = Cell.LAST if name == names[-1] else Cell.TAB
        columns[name] = end if is_free else Cell.WORD
    table = write_table(Group(columns), records)
    return "".join([f"[{len(rows)}]{table.columns}\n", *table.rows])


def _size_text(records: Records) -> str:
    """Return the size of a table as headers show it, such as ``[20]``."""
    return f"[{records.size}]" if records.names is None else f"{{{records.size}}}"


def read(lines: Lines, header: Header) -> Any:
    """Read the records that the header declares, or those before the hint on the rest."""
    named = header.bracket == "{"
    header_line = lines.items[lines.index - 1]
    columns = LineCursor(header_line, lines, len(header_line) - len(header.columns))
    of_lists = header.columns.startswith("[]{")
    if of_lists:
        columns.need("[]")
    record = read_columns(columns, named=named and not of_lists)
    columns.check_end()
    rules = read_constants(lines, record)
    if rules and (named or of_lists):
        lines.fail("a rule needs a table of an array's records above it")
    if of_lists:
        records, is_cut = _read_lists(lines, record, header.size, named=named)
    else:
        records, is_cut = RowReader(record, lines, named=named).read(header.size)
    if not is_cut:
        columns.check_counts(record)
    if not named:
        fill_columns(records, rules, lines.spend)
        return records
    if len({key for key, _ in records}) < len(records):
        lines.fail("a name occurs twice")
    return dict(records)


def _read_lists(lines: Lines, record: Record, count: int, *, named: bool) -> tuple[list[Any], bool]:
    """Read `count` arrays of records; return them, and whether a hint says that some were cut.

    If they are `named`, pairs of names and arrays are returned.
    """
    arrays: list[Any] = []
    reader = RowReader(record, lines, named=False)
    while len(arrays) < count:
        if take_hint(lines, len(arrays), count):
            return arrays, True
        line = LineCursor(lines.take(), lines)
        name = line.read_name() if named else ""
        line.need("[")
        size = int(line.match(_DIGITS, "a number of records"))
        line.need("]")
        line.check_end()
        records, is_cut = reader.read(size)
        if is_cut:
            line.fail("all of these records were expected")
        arrays.append((name, records) if named else records)
    return arrays, False


ROWS = Format("rows", DataLoss.NONE, body, read, (lists_body,))
DERIVED = Format("derived", DataLoss.NONE, derived_body, read, (wide_body,))


_Plan: TypeAlias = list[tuple[str, Any]]
"""Members of a record: name, and `_CELL`, `ROW_NAME`, a `Constant`, or the plan of an object."""


_DIGITS: Final = regex(r"[0-9]{1,18}")
_STRING: Final = regex(STRING)
_NAME: Final = regex(NAME)
_CELLS: Final = {
    Cell.WORD: (rf"({STRING}|[^ \t\"\[{{][^ \t\"]*+)", " "),
    Cell.TAB: (r"([^\t]*+)\t", ""),
    Cell.LAST: (r"([^\t]*+)", r"\t"),
}
"""For each kind of cell, patterns of the cell and of the sign before further members."""

AHEAD: Final = 500
"""Most records that are read at once."""

MOST_SPLIT: Final = 100
"""Most cells of a row that a pattern splits; it takes long to compile for many."""

_CELL: Final = object()
_ODD: Final = object()
"""Stands for a cell that only `LineCursor` can read."""


class RowReader:
    """Reads the rows of a table on lines of their own.

    A row that has only words, texts and strings is split by a pattern, and each distinct cell is
    parsed once. `LineCursor` reads all other rows, with the same result. `row_size` is what a row
    counts for `Lines.spend`, and `has_odd` says whether some cell was not parsed.
    """

    def __init__(self, record: Record, lines: Lines, *, named: bool) -> None:
        self.record, self.lines, self.named = record, lines, named
        self.plan: _Plan = []
        self.cell_kinds: list[Cell] = []
        self.row_size = 0
        self.has_odd = False
        self.has_trailing = isinstance(record, Group) and record.more
        self.known_trailing: dict[str | None, Any] = {None: {}}
        self.pattern: re.Pattern[str] | None = None
        if isinstance(record, Group) and self.add_columns(record, self.plan) and self.cell_kinds:
            text, gap = _CELLS[Cell.WORD] if named else ("", "")
            for cell, end in map(_CELLS.__getitem__, self.cell_kinds):
                text, gap = text + gap + cell, end
            self.pattern = re.compile(f"{text}(?:{gap}(.+))?" if self.has_trailing else text)

    def add_columns(self, group: Group, plan: _Plan) -> bool:
        """Add the columns of a group to a plan; return whether a pattern can split its rows."""
        for key, shape in group.columns.items():
            entry: Any = _CELL
            if isinstance(shape, Constant) and not is_container(shape.value):
                self.row_size += len(key) + shape.size
                entry = shape
            elif shape is ROW_NAME:
                entry = ROW_NAME
            elif self.cell_kinds[-1:] == [Cell.LAST] or not isinstance(shape, Cell | Group):
                return False
            elif isinstance(shape, Cell):
                self.cell_kinds.append(shape)
                if len(self.cell_kinds) > MOST_SPLIT:
                    return False
            else:
                self.row_size += shape.size
                if shape.optional or not self.add_columns(shape, entry := []):
                    return False
            plan.append((key, entry))
        return True

    def read(self, count: int) -> tuple[list[Any], bool]:
        """Return `count` rows, or those before a hint on cut rows, and whether rows were cut."""
        lines, rows = self.lines, list[Any]()
        start, rows_ahead = lines.index, list[Any]()
        while len(rows) < count:
            place = lines.index - start
            if self.pattern and place >= len(rows_ahead):
                start, place = lines.index, 0
                line_limit = min(AHEAD, count - len(rows), 1 + lines.room // (self.row_size + 1))
                rows_ahead = self.read_ahead(self.pattern, lines.items[start : start + line_limit])
            if place < len(rows_ahead) and (row := rows_ahead[place]) is not None:
                lines.spend(self.row_size)
                lines.index += 1
                rows.append(row)
            elif take_hint(lines, len(rows), count):
                return rows, True
            else:
                rows.append(self.read_row(lines.take()))
        return rows, False

    def read_ahead(self, pattern: re.Pattern[str], texts: list[str]) -> list[Any]:
        """Return the row of each line that the pattern can split, and None for other lines."""
        rows_ahead: list[Any] = [None] * len(texts)
        matches = list(map(pattern.fullmatch, texts))
        places = [place for place, match in enumerate(matches) if match is not None]
        columns = list(zip(*(match.groups() for match in matches if match), strict=True))
        if not places:
            return rows_ahead
        self.has_odd = False
        trailing = list(map(self.trailing_members, columns.pop())) if self.has_trailing else []
        names = list(map(self.parse_name, columns.pop(0))) if self.named else []
        parsers = [
            (self.parse_word, WORDS) if kind is Cell.WORD else (self.parse_text, TEXTS)
            for kind in self.cell_kinds
        ]
        pairs = zip(columns, parsers, strict=True)
        values = [values_of(cells, *parser) for cells, parser in pairs]
        values = [names, *values] if ROW_NAME in (entry for _, entry in self.plan) else values
        unsplit = set[int]()
        if self.has_odd:
            numbered = chain.from_iterable(map(enumerate, [*values, names, trailing]))
            unsplit.update(number for number, value in numbered if value is _ODD)
        rows = self.build_records(self.plan, iter(values), len(places))
        for number, (place, row) in enumerate(zip(places, rows, strict=True)):
            if number not in unsplit:
                if trailing:
                    row.update(trailing[number])
                rows_ahead[place] = (names[number], row) if names else row
        return rows_ahead

    def build_records(
        self, plan: _Plan, values: Iterator[Sequence[Any]], size: int
    ) -> Iterator[dict[str, Any]]:
        """Yield records from the values of their cells, which are given by column."""
        columns: list[Iterable[Any]] = []
        for _, entry in plan:
            if entry is _CELL or entry is ROW_NAME:
                columns.append(next(values))
            elif isinstance(entry, Constant):
                columns.append(repeat(entry.value, size))
            else:
                columns.append(self.build_records(entry, values, size))
        names = [key for key, _ in plan]
        rows = zip(*columns, strict=True) if columns else repeat((), size)
        return (record_of(names, row) for row in rows)

    def trailing_members(self, text: str | None) -> Any:
        """Return the members after a row's columns; `_ODD` if only `LineCursor` can read them."""
        if text not in self.known_trailing:
            words = (text or "").split(" ")
            names, values = (
                list(map(self.parse_name, words[::2])),
                list(map(self.parse_word, words[1::2])),
            )
            members = dict(zip(names, values, strict=False))
            is_apart = members.keys().isdisjoint(key for key, _ in self.plan)
            is_plain = is_apart and len(words) == 2 * len(members) and ABSENT not in values
            is_odd = _ODD in values or _ODD in members
            self.known_trailing[text] = members if is_plain and not is_odd else _ODD
        self.has_odd = self.has_odd or self.known_trailing[text] is _ODD
        return self.known_trailing[text]

    def parse_name(self, word: str) -> Any:
        """Return a name of a member or row, or `_ODD` if only `LineCursor` can read it."""
        return word if _NAME.fullmatch(word) else self.parse_string(word)

    def parse_word(self, word: str) -> Any:
        """Return the value of a cell before a blank, or `_ODD` if only `LineCursor` can read it."""
        return word if is_word(word) else self.parse_string(word)

    def parse_text(self, text: str) -> Any:
        """Return the value of a cell that ends at a tab or the row's end, or `_ODD`."""
        return text if is_text(text, inline=False) else self.parse_string(text)

    def parse_string(self, text: str) -> Any:
        """Return the value of a sign, a literal or a JSON string.

        Any other text gives `_ODD`, and sets `has_odd`.
        """
        if text in (ABSENT_WORD, CUT_WORD):
            return ABSENT
        if is_literal(text) or _STRING.fullmatch(text):
            with suppress(ValueError):
                return load(text)
        self.has_odd = True
        return _ODD

    def read_row(self, text: str) -> Any:
        """Read any row, including the lines below it."""
        line = LineCursor(text, self.lines)
        value = (line.read_named_row if self.named else line.read_row)(self.record, inline=False)
        line.check_end()
        return value
