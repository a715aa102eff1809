"""Rows of Parquet files, a group at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from mckp.errors import ParseError, extra

if TYPE_CHECKING:
    from collections.abc import Iterator


def _opened(file: BinaryIO) -> Any:
    return extra("pyarrow.parquet", "pyarrow", "corpus").ParquetFile(file)


def row_groups(file: BinaryIO) -> list[int]:
    """Return the bytes of each group of rows; one without any if the file is damaged."""
    try:
        about = _opened(file).metadata
    except ValueError:  # of Arrow
        return [0]
    return [about.row_group(n).total_byte_size for n in range(about.num_row_groups)]


def rows(
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
