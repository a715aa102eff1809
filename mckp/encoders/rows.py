"""``rows``: an array or an object of records, one a line, below a header that names columns.

``# jobs[20]{id name user{login id} labels[31]{name color} state=open title>}`` counts the
rows and says what their words are. Nested objects are columns in braces, nested tables
cells in brackets, constants stand in the header only, and free text comes last.

``derived``: rows whose header spells out the columns that follow from others, and rows of any
number of cells.

``# issues[20]{number title> html_url~https://github.com/acme/tide/issues/{number}}``: a
reader has to put the row's number into the template to get its address.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from mckp.encoders.base import LINE_CHARACTERS, Body, DataLoss, Format
from mckp.encoders.cells import all_plain, values_of
from mckp.encoders.constants import read_constants
from mckp.encoders.csv import AHEAD
from mckp.encoders.derive import with_derived
from mckp.encoders.free_text import is_text
from mckp.encoders.hints import take_hint
from mckp.encoders.infer import below_shape, record_shape, tagged_shape
from mckp.encoders.native import write_table
from mckp.encoders.native_reader import Line, is_literal, read_columns
from mckp.encoders.records import Records, gathered, gathered_array
from mckp.encoders.scalars import ABSENT
from mckp.encoders.shapes import Cell, Constant, Group
from mckp.encoders.words import ABSENT_WORD, CUT_WORD, is_word, write_name
from mckp.jsontext import dump, is_array, is_container, is_object, load
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines
    from mckp.encoders.shapes import Record


def body(value: Any) -> Body | None:
    """Write records that have enough in common for one list of columns, or arrays."""
    records = gathered(value)
    record = record_shape(records, inline=False) if records is not None else None
    if records is None or record is None:
        return None
    if records.names is not None:
        return items(records, record) if isinstance(record, Group) else None
    found = items(records, record)
    # Records with a long table in a cell are left to the layout that has its rows on lines.
    is_long = any(row.find("\n") > LINE_CHARACTERS for row in found.rows)
    return None if is_long and below_shape(records) is not None else found


def below(value: Any) -> Body | None:
    """Write records whose largest table stands on the lines below each, or trees."""
    return _array(value, below_shape)


def tagged(value: Any) -> Body | None:
    """Write records of several shapes."""
    return _array(value, tagged_shape)


def lists(value: Any) -> Body | None:
    """Write arrays of records, each below its count, in the columns of all together."""
    arrays = gathered(value)
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
    return Body(f"{_count(arrays)}[]{table.columns}", table.constants, tuple(texts))


def derived(value: Any) -> Body | None:
    """Write records some columns of which follow from others."""
    return _array(value, lambda records: _derived(records, record_shape(records, inline=False)))


def derived_below(value: Any) -> Body | None:
    """Write the same with a table on the lines below each record."""
    return _array(value, lambda records: _derived(records, below_shape(records)))


def wide(value: Any) -> Body | None:
    """Write records whose rows have more cells, or more absent ones, than can be told apart."""
    records = gathered(value)
    record = record_shape(records, inline=False, wide=True) if records is not None else None
    if records is None or not isinstance(record, Group):
        return None
    return None if record == record_shape(records, inline=False) else items(records, record)


def _array(value: Any, shaped: Callable[[Records], Record | None]) -> Body | None:
    records = gathered_array(value)
    record = shaped(records) if records is not None else None
    return items(records, record) if records is not None and record is not None else None


def _derived(records: Records, record: Record | None) -> Record | None:
    found = with_derived(record, records) if record is not None else None
    return found if found != record else None


def items(records: Records, record: Record) -> Body:
    """Write records in a shape."""
    table = write_table(record, records)
    return Body(f"{_count(records)}{table.columns}", table.constants, table.rows)


def _count(records: Records) -> str:
    return f"[{records.size}]" if records.names is None else f"{{{records.size}}}"


def read(lines: Lines, header: Header) -> Any:
    """Read the records back, as many as the header declares or are left before its hint."""
    named = header.bracket == "{"
    above = lines.items[lines.index - 1]
    columns = Line(above, lines, len(above) - len(header.columns))
    of_lists = header.columns.startswith("[]{")
    if of_lists:
        columns.need("[]")
    record = read_columns(columns, named=named and not of_lists)
    columns.close()
    read_constants(lines, record)
    if of_lists:
        found, is_cut = _read_lists(lines, record, header.size, named=named)
    else:
        found, is_cut = RowReader(record, lines, named=named).read(header.size)
    if not is_cut:
        columns.check(record)
    if not named:
        return found
    if len({key for key, _ in found}) < len(found):
        lines.fail("a name stands twice")
    return dict(found)


def _read_lists(lines: Lines, record: Record, count: int, *, named: bool) -> tuple[list[Any], bool]:
    """Read arrays of records, or those above the hint that says how many were cut."""
    found: list[Any] = []
    reader = RowReader(record, lines, named=False)
    while len(found) < count:
        if take_hint(lines, len(found), count):
            return found, True
        line = Line(lines.take(), lines)
        name = line.name() if named else ""
        line.need("[")
        size = int(line.match(_DIGITS, "a number of records"))
        line.need("]")
        line.close()
        records, is_cut = reader.read(size)
        if is_cut:
            line.fail("all of these records were expected")
        found.append((name, records) if named else records)
    return found, False


ROWS = Format("rows", DataLoss.NONE, body, read, (below, tagged, lists))
DERIVED = Format("derived", DataLoss.NONE, derived, read, (derived_below, wide))


_Plan: TypeAlias = list[tuple[str, Any]]
"""Members of a record: name, and `_CELL`, a `Constant`, or the plan of an object."""


_DIGITS: Final = regex(r"[0-9]{1,18}")

_CELL: Final = object()
_ODD: Final = object()
"""What stands for a cell that has to be read with care."""


class RowReader:
    """What reads the rows of a table from lines of their own.

    A row of words and nothing else is split at its blanks, each distinct word read once. That
    gives what `Line` gives; a row in which anything else stands is left to it.

    Parameters
    ----------
    record : Group, Tagged or Plain
        What the rows are.
    lines : Lines
        Where they are taken from.
    named : bool
        Whether they have names.
    """

    def __init__(self, record: Record, lines: Lines, *, named: bool) -> None:
        self.record, self.lines, self.named = record, lines, named
        self.plan: _Plan = []
        self.cells = self.size = 0
        self.has_text = self.is_sure = False
        if named or not isinstance(record, Group) or not self.add(record, self.plan):
            self.cells = 0
        self.names = [key for key, shape in self.plan if shape is _CELL]
        self.is_flat = len(self.names) == len(self.plan)

    def add(self, group: Group, plan: _Plan) -> bool:
        """Add the columns of a group to a plan; False if its rows cannot be split."""
        if group.more or group.optional:
            return False
        for key, shape in group.columns.items():
            entry: Any = _CELL
            if isinstance(shape, Constant) and not is_container(shape.value):
                self.size += len(key) + shape.size
                entry = shape
            elif self.has_text or not isinstance(shape, Cell | Group) or shape is Cell.TAB:
                return False
            elif isinstance(shape, Cell):
                self.cells += 1
                self.has_text = shape is Cell.LAST
            else:
                self.size += shape.size
                if not self.add(shape, entry := []):
                    return False
            plan.append((key, entry))
        return True

    def read(self, count: int) -> tuple[list[Any], bool]:
        """Read so many rows, or those above the hint that says how many were cut.

        Returns
        -------
        tuple of (list, bool)
            The rows, and whether some were cut.
        """
        lines, found = self.lines, list[Any]()
        start, ahead = lines.index, list[dict[str, Any] | None]()
        while len(found) < count:
            place = lines.index - start
            if self.cells and place >= len(ahead):
                start, place = lines.index, 0
                most = min(AHEAD, count - len(found), 1 + lines.room // (self.size + 1))
                ahead = self.ahead(lines.items[start : start + most])
                if self.is_sure:
                    lines.spend(self.size * len(ahead))
                    lines.index += len(ahead)
                    found += ahead
                    continue
            if place < len(ahead) and (row := ahead[place]) is not None:
                lines.spend(self.size)
                lines.index += 1
                found.append(row)
            elif take_hint(lines, len(found), count):
                return found, True
            else:
                found.append(self.row(lines.take()))
        return found, False

    def ahead(self, texts: list[str]) -> list[dict[str, Any] | None]:
        """Read those lines that are cells with blanks between them, and nothing else."""
        limit = self.cells - 1 if self.has_text else -1
        split = [text.split(" ", limit) for text in texts]
        places = [place for place, cells in enumerate(split) if len(cells) == self.cells]
        self.is_sure = len(places) == len(texts) > 0
        columns = list(zip(*(split[place] for place in places), strict=True))
        text = columns.pop() if self.has_text and columns else None
        values = [values_of(cells, self.word, blanks=False) for cells in columns]
        if text is not None:
            values.append(text if all_plain(text, blanks=True) else list(map(self.text, text)))
        rows = zip(*values, strict=True)
        if self.is_sure and self.is_flat:
            return [dict(zip(self.names, row, strict=True)) for row in rows]
        ahead: list[dict[str, Any] | None] = [None] * len(texts)
        for place, row in zip(places, rows, strict=True):
            if self.is_sure or _ODD not in row:
                ahead[place] = _members(self.plan, iter(row))
        return ahead

    def word(self, word: str) -> Any:
        """Return what a word stands for."""
        if is_word(word):
            return word
        if is_literal(word):
            with suppress(ValueError):
                return load(word)
        self.is_sure = False
        return ABSENT if word in (ABSENT_WORD, CUT_WORD) else _ODD

    def text(self, text: str) -> Any:
        """Return what the text that ends a row stands for."""
        if is_text(text, inline=False):
            return text
        self.is_sure = False
        return ABSENT if text in (ABSENT_WORD, CUT_WORD) else _ODD

    def row(self, text: str) -> Any:
        """Read any row, with the lines below it."""
        line = Line(text, self.lines)
        read = line.named_row if self.named else line.row
        value = read(self.record, inline=False)
        line.close()
        return value


def _members(plan: _Plan, values: Iterator[Any]) -> dict[str, Any]:
    """Return the members of a record from the values of its cells."""
    members: dict[str, Any] = {}
    for key, entry in plan:
        if isinstance(entry, list):
            members[key] = _members(cast("_Plan", entry), values)
        else:
            value = next(values) if entry is _CELL else entry.value
            if value is not ABSENT:
                members[key] = value
    return members
