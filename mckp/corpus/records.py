"""The records of a part: each with its place, its data, and how it stood in its file.

Rows of CSV go by the bytes they begin at, those of Parquet by their numbers, a group at a time.
"""

from __future__ import annotations

import csv
import re
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, TypeAlias

from mckp.errors import MckpError, ParseError, extra
from mckp.jsontext import is_object
from mckp.parsers import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.corpus.storage import Part, Slice, Store


class Record(NamedTuple):
    """A document of a corpus.

    Attributes
    ----------
    file : str
        The file it stands in; empty if the corpus is that file.
    at : int
        Where: the byte that a line or a row of CSV begins at, the number of a row of Parquet.
    data
        What `mckp.encode` takes, or the error with which it could not be read.
    kind : str or None
        What kind of text it is, if it is one and that is known.
    raw
        How it stands in the file; None for a file of its own.
    """

    file: str
    at: int
    data: Any
    kind: str | None = None
    raw: Any = None


def records(store: Store, part: Part, column: str | None) -> Iterator[Record]:
    """Yield the records of a part."""
    for each in part.slices:
        for record in _READERS[each.kind](store, each):
            yield record if column is None or each.kind == "document" else _only(record, column)


def _lines(store: Store, part: Slice) -> Iterator[Record]:
    with closing(store.open(part.name)) as file:
        at = _first_line(file, part.start)
        while at < part.stop and (line := file.readline()):
            if not line.isspace():
                yield Record(part.name, at, line, "json", line)
            at += len(line)


def _first_line(file: BinaryIO, start: int) -> int:
    """Go to the first line that begins at a byte or behind it."""
    if start:
        file.seek(start - 1)
        file.readline()
    return file.tell()


def _csv(store: Store, part: Slice) -> Iterator[Record]:
    with closing(store.open(part.name)) as file:
        found = csv_records(file, part.name or store.place, part.start, part.stop)
        for row, data in found:
            yield Record(part.name, row.at, data, None, row.text)


def _parquet(store: Store, part: Slice) -> Iterator[Record]:
    with closing(store.open(part.name)) as file:
        for number, row in group_rows(file, part.start, part.stop):
            raw = None if isinstance(row, Exception) else row
            yield Record(part.name, number, row, None, raw)


_DOCUMENTS: Final = {"json": "json", "md": "markdown", "markdown": "markdown", "txt": "text"}


def _document(store: Store, part: Slice) -> Iterator[Record]:
    ending = (part.name or store.place).rpartition(".")[2].lower()
    with closing(store.open(part.name)) as file:
        yield Record(part.name, 0, file.read(), _DOCUMENTS.get(ending))


_READERS: Final[dict[str, Callable[[Store, Slice], Iterator[Record]]]] = {
    "lines": _lines,
    "csv": _csv,
    "parquet": _parquet,
    "document": _document,
}


def _only(record: Record, column: str) -> Record:
    """Return a record with the data of one column."""
    data = record.data
    try:
        row = parse(data, record.kind).value if isinstance(data, bytes) else data
    except MckpError as error:
        return record._replace(data=error)
    if isinstance(row, Exception):
        return record
    if not is_object(row) or column not in row:
        return record._replace(data=ParseError(f"there is no column {column!r}"))
    return record._replace(data=row[column], kind=None)


Cells: TypeAlias = list[str] | ParseError

_QUOTED: Final = re.compile(rb'(?<![^,\t\r\n])"(?:[^"]++|"")*+("?)')
_AFTER: Final = (b"", b",", b"\t", b"\r", b"\n")


class Row(NamedTuple):
    """A row."""

    at: int
    cells: Cells
    text: str


class _Lines:
    """The lines of a file, noted until somebody takes the notes."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.taken: list[bytes] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self.file.readline()
        if not line:
            raise StopIteration
        self.taken.append(line)
        return _text(line)


def csv_rows(file: BinaryIO, name: str) -> Iterator[Row]:
    """Yield all rows from where a file stands, empty lines among them."""
    at, lines = file.tell(), _Lines(file)
    csv.field_size_limit(sys.maxsize)
    cells = csv.reader(lines, delimiter="\t" if name.endswith(".tsv") else ",", strict=True)
    while True:
        found: Cells
        try:
            found = next(cells)
        except StopIteration:
            return
        except csv.Error as error:
            found = _explained(error, file, at, b"".join(lines.taken))
        line = b"".join(lines.taken)
        lines.taken.clear()
        yield Row(at, found, _text(line))
        at += len(line)


def _explained(error: csv.Error, file: BinaryIO, at: int, row: bytes) -> ParseError:
    """Return an error that says where a quote opens that took lines after it for its own."""
    for quoted in _QUOTED.finditer(row):
        if not quoted[1]:
            line, column = _place(file, at + quoted.start())
            return ParseError("no CSV: this quote is not closed", line=line, column=column)
        if row[quoted.end() : quoted.end() + 1] not in _AFTER:
            taken = quoted[0].count(b"\n")
            opens = f"; it opens {taken} line{'s' * (taken > 1)} before" if taken else ""
            return ParseError(f"no CSV: {error}{opens}")
    return ParseError(f"no CSV: {error}")


def _place(file: BinaryIO, at: int) -> tuple[int, int]:
    """Return the line and column of a byte, counted from 1."""
    here = file.tell()
    file.seek(0)
    before = file.read(at)
    file.seek(here)
    return before.count(b"\n") + 1, at - before.rfind(b"\n")


def csv_edges(file: BinaryIO, name: str, size: int) -> list[int]:
    """Return bytes at which rows begin, a size apart or more.

    A line may begin inside of quotes, so there is no other way than to read from the start.
    """
    found = [0]
    for row in csv_rows(file, name):
        if row.at - found[-1] >= size:
            found.append(row.at)
    return found


def csv_records(
    file: BinaryIO, name: str, start: int, stop: int
) -> Iterator[tuple[Row, dict[str, str] | ParseError]]:
    """Yield the rows that begin between two bytes, below the names of the first row."""
    found = csv_rows(file, name)
    head = next(found, None)
    if head is None:
        return
    if start:
        file.seek(start)
        found = csv_rows(file, name)
    for row in found:
        if row.at >= stop:
            return
        if row.cells:
            yield row, _named(head.cells, row.cells)


def _named(names: Cells, cells: Cells) -> dict[str, str] | ParseError:
    if isinstance(names, ParseError):
        return names
    if isinstance(cells, ParseError):
        return cells
    if len(set(names)) < len(names):
        return ParseError("a column name stands twice in the first row")
    if len(cells) != len(names):
        return ParseError(f"{len(cells)} cells below {len(names)} names")
    return dict(zip(names, cells, strict=True))


def _text(line: bytes) -> str:
    # What is no UTF-8 becomes what no JSON text can hold, so that its record alone is refused.
    return line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def _opened(file: BinaryIO) -> Any:
    return extra("pyarrow.parquet", "pyarrow", "corpus").ParquetFile(file)


def row_groups(file: BinaryIO) -> list[int]:
    """Return the bytes of each group of rows; one without any if the file is damaged."""
    try:
        about = _opened(file).metadata
    except ValueError:  # of Arrow
        return [0]
    return [about.row_group(n).total_byte_size for n in range(about.num_row_groups)]


def group_rows(
    file: BinaryIO, start: int, stop: int
) -> Iterator[tuple[int, dict[str, Any] | ParseError]]:
    """Yield the rows of some groups, each with its number in the file.

    Where they are damaged there is one error for all that follow.
    """
    number = 0
    try:
        opened = _opened(file)
        number = sum(opened.metadata.row_group(n).num_rows for n in range(start))
        for batch in opened.iter_batches(256, row_groups=list(range(start, stop))):
            for row in batch.to_pylist():
                yield number, row
                number += 1
    except (ValueError, OSError) as error:
        # Arrow says so of what it cannot decode; a store that fails has a number or a timeout.
        if isinstance(error, OSError) and (error.errno or isinstance(error, TimeoutError)):
            raise
        yield number, ParseError(f"no Parquet from here on: {error}")
