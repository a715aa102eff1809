"""A corpus in parts, which follow from the corpus alone, not from who works on them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.corpus import csvfile, parquet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.corpus.storage import File, Store

MAX_PARTS: Final = 1000
"""About how many parts a large corpus gets."""

MIN_PART_BYTES: Final = 1 << 18
"""Bytes of a part, unless the corpus has fewer."""

MAX_PART_BYTES: Final = 1 << 26
"""Bytes of a part, unless a record or a group of rows has more."""

KINDS: Final = {
    "jsonl": "lines",
    "ndjson": "lines",
    "csv": "csv",
    "tsv": "csv",
    "parquet": "parquet",
    "pq": "parquet",
}
"""By what a name ends in: files that hold records. Any other file is a document."""


class Slice(NamedTuple):
    """Records of one file.

    Attributes
    ----------
    name : str
        The file.
    kind : str
        ``lines``, ``csv``, ``parquet`` or ``document``.
    start, stop : int
        Bytes, or groups of rows of Parquet; of lines, those that begin there are meant.
    """

    name: str
    kind: str
    start: int
    stop: int


class Part(NamedTuple):
    """What is done at once, and has output files of its own.

    Attributes
    ----------
    number : int
        Which part it is, counted from 0.
    size : int
        Its bytes, about.
    slices : tuple of Slice
        Its records, in order.
    """

    number: int
    size: int
    slices: tuple[Slice, ...]


def parts_of(store: Store, files: Sequence[File]) -> list[Part]:
    """Return the parts of a corpus.

    They are of one size, which grows with the corpus, so that there are neither too many files
    nor too few to share out; small files are put together, and large ones divided.
    """
    size = part_size(sum(file.size for file in files))
    parts: list[Part] = []
    slices: list[Slice] = []
    held = 0
    for each, bytes_ in _slices(store, files, size):
        slices.append(each)
        held += bytes_
        if held >= size:
            parts.append(Part(len(parts), held, tuple(slices)))
            slices, held = [], 0
    return [*parts, Part(len(parts), held, tuple(slices))] if slices else parts


def part_size(total: int) -> int:
    """Return the bytes of a part: a power of two.

    Examples
    --------
    >>> part_size(10**6), part_size(10**9), part_size(10**13)
    (262144, 1048576, 67108864)
    """
    wanted = 1 << max(0, total // MAX_PARTS - 1).bit_length()
    return min(MAX_PART_BYTES, max(MIN_PART_BYTES, wanted))


def kind_of(store: Store, name: str) -> str:
    """Return how records are read from a file."""
    name = name or store.place
    ending = name.rpartition(".")[2].lower()
    return KINDS.get(ending, "document")


def _slices(store: Store, files: Sequence[File], size: int) -> Iterator[tuple[Slice, int]]:
    for file in files:
        if any(step.startswith((".", "_")) for step in file.name.split("/")):
            continue
        kind = kind_of(store, file.name)
        for start, stop, bytes_ in _cuts(store, file, kind, size):
            yield Slice(file.name, kind, start, stop), bytes_


def _cuts(store: Store, file: File, kind: str, size: int) -> Iterator[tuple[int, int, int]]:
    if kind == "parquet":
        with store.open(file.name) as opened:
            yield from ((n, n + 1, bytes_) for n, bytes_ in enumerate(parquet.row_groups(opened)))
        return
    edges = [0, file.size]
    if kind == "lines":
        edges = [*range(0, file.size, size), file.size]
    elif kind == "csv" and file.size > size:
        with store.open(file.name) as opened:
            edges = [*csvfile.edges(opened, file.name or store.place, size), file.size]
    for start, stop in pairwise(edges):
        yield start, stop, stop - start
