"""Rows of CSV files by the bytes they begin at; cells are text, as they stand there."""

from __future__ import annotations

import csv
import re
import sys
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, TypeAlias

from mckp.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator

Cells: TypeAlias = list[str] | ParseError

_QUOTED: Final = re.compile(rb'(?<![^,\t\r\n])"(?:[^"]++|"")*+("?)')
_AFTER: Final = (b"", b",", b"\t", b"\r", b"\n")


class Row(NamedTuple):
    """A row.

    Attributes
    ----------
    at : int
        The byte it begins at.
    cells : list of str or ParseError
        What it holds, nothing for an empty line, or why that cannot be said.
    text : str
        How it stands in the file.
    """

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


def rows(file: BinaryIO, name: str) -> Iterator[Row]:
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


def edges(file: BinaryIO, name: str, size: int) -> list[int]:
    """Return bytes at which rows begin, a size apart or more.

    A line may begin inside of quotes, so there is no other way than to read from the start.
    """
    found = [0]
    for row in rows(file, name):
        if row.at - found[-1] >= size:
            found.append(row.at)
    return found


def records(
    file: BinaryIO, name: str, start: int, stop: int
) -> Iterator[tuple[Row, dict[str, str] | ParseError]]:
    """Yield the rows that begin between two bytes, below the names of the first row."""
    found = rows(file, name)
    head = next(found, None)
    if head is None:
        return
    if start:
        file.seek(start)
        found = rows(file, name)
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
