"""The records of a part: each with its place, its data, and how it stood in its file."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from mckp.corpus import csvfile, parquet
from mckp.errors import MckpError, ParseError
from mckp.jsontext import is_object
from mckp.parsers import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.corpus.parts import Part, Slice
    from mckp.corpus.storage import Store


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
    """Yield the records of a part.

    Parameters
    ----------
    store : Store
        Where the corpus is.
    part : Part
        Which of it.
    column : str or None
        The column or member that holds the document, if that is not the whole record.
    """
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
        found = csvfile.records(file, part.name or store.place, part.start, part.stop)
        for row, data in found:
            yield Record(part.name, row.at, data, None, row.text)


def _parquet(store: Store, part: Slice) -> Iterator[Record]:
    with closing(store.open(part.name)) as file:
        for number, row in parquet.rows(file, part.start, part.stop):
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
