"""Where files are, on this machine or in an object store, and the parts that a corpus has.

Parts follow from the corpus alone, not from who works on them.
"""

from __future__ import annotations

import errno
import io
import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, cast

from mckp.corpus.records import csv_edges, row_groups
from mckp.errors import extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_DRAFT: Final = ".draft-"


class File(NamedTuple):
    """A file of a store.

    Attributes
    ----------
    name : str
        Its path below the root of the store.
    size : int
        Its bytes.
    changed : int
        When it was last changed, in nanoseconds, as far as the store knows.
    """

    name: str
    size: int
    changed: int


class Store:
    """A folder, or a single file, by a path or a URI such as ``s3://bucket/prefix``.

    Parameters
    ----------
    place : str
        A path of this machine, or a URI that `pyarrow.fs.FileSystem.from_uri` knows; who may
        read there is up to the environment, as it is for the store's own tools.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        fs: Any = extra("pyarrow.fs", "pyarrow", "corpus")
        if "://" in place:
            self._fs, self._root = fs.FileSystem.from_uri(place)
        else:
            self._fs, self._root = fs.LocalFileSystem(), os.path.abspath(place)
        self._root = self._root.rstrip("/") or "/"
        self._is_local = isinstance(self._fs, fs.LocalFileSystem)

    def __contains__(self, other: Store) -> bool:
        same = self._fs.equals(other._fs)
        return same and f"{other._root}/".startswith(f"{self._root}/")

    def files(self) -> list[File]:
        """Return all files, in the order of their names; of a single file that one, without name.

        Raises
        ------
        FileNotFoundError
            If there is nothing at all.
        """
        fs: Any = extra("pyarrow.fs", "pyarrow", "corpus")
        about = self._fs.get_file_info(self._root)
        if about.type == fs.FileType.NotFound:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.place)
        if about.type == fs.FileType.File:
            return [File("", about.size, about.mtime_ns or 0)]
        if self._is_local:
            return sorted(_below(self._root))
        found = self._fs.get_file_info(fs.FileSelector(self._root, recursive=True))
        start = len(self._root.rstrip("/")) + 1
        files = [each for each in found if each.type == fs.FileType.File]
        return sorted(File(f.path[start:], f.size, f.mtime_ns or 0) for f in files)

    def files_if_any(self) -> list[File]:
        """Return all files, none if there is no such place."""
        try:
            return self.files()
        except FileNotFoundError:
            return []

    def open(self, name: str) -> BinaryIO:
        """Open a file to read it, from anywhere in it."""
        raw = self._fs.open_input_file(self._path(name))
        return cast("BinaryIO", io.BufferedReader(raw, 1 << 18))

    def read(self, name: str) -> bytes | None:
        """Return all of a file; None if there is none."""
        try:
            with self._fs.open_input_stream(self._path(name)) as file:
                return cast("bytes", file.read())
        except FileNotFoundError:
            return None

    def put(self, name: str, data: bytes) -> None:
        """Write a file whole or not at all, in place of the one that is there."""
        path = self._path(name)
        folder, _, last = path.rpartition("/")
        # An object is there once all of it is; a file is, once it has its name.
        draft = f"{folder}/{_DRAFT}{os.urandom(6).hex()}-{last}" if self._is_local else path
        if self._is_local:
            self._fs.create_dir(folder)
        with self._fs.open_output_stream(draft) as file:
            file.write(data)
        if draft != path:
            self._fs.move(draft, path)

    @staticmethod
    def is_draft(name: str) -> bool:
        """Whether a file is one that a process began to write and has left behind."""
        return name.rpartition("/")[2].startswith(_DRAFT)

    def remove(self, name: str) -> None:
        """Remove a file."""
        self._fs.delete_file(self._path(name))

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}" if name else self._root


def _below(folder: str, name: str = "", above: frozenset[str] = frozenset()) -> Iterator[File]:
    """Yield the files in a folder; links are followed, but never back to where they stand."""
    real = os.path.realpath(folder)
    if real in above:
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            path = f"{name}{entry.name}"
            if entry.is_dir():
                yield from _below(entry.path, f"{path}/", above | {real})
            elif entry.is_file():
                about = entry.stat()
                yield File(_utf8(path), about.st_size, about.st_mtime_ns)


def _utf8(name: str) -> str:
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = name.encode("utf-8", "backslashreplace").decode()
        raise OSError(errno.EILSEQ, "the name of the file is no UTF-8", shown) from None
    return name


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
    """What is done at once, and has output files of its own."""

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
            yield from ((n, n + 1, bytes_) for n, bytes_ in enumerate(row_groups(opened)))
        return
    edges = [0, file.size]
    if kind == "lines":
        edges = [*range(0, file.size, size), file.size]
    elif kind == "csv" and file.size > size:
        with store.open(file.name) as opened:
            edges = [*csv_edges(opened, file.name or store.place, size), file.size]
    for start, stop in pairwise(edges):
        yield start, stop, stop - start
