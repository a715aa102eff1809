"""``mckp batch``: many documents in, JSON lines out, one per document."""

from __future__ import annotations

import os
import sys
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice, tee
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import mckp
from mckp.batch import KindedText
from mckp.cli import streams
from mckp.cli.commands import options_of
from mckp.jsontext import dump, load

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Generator

    from mckp.result import Result


class DocumentPlace(NamedTuple):
    """Where a document comes from: a file, and its line number, or 0 for the whole file."""

    file: str
    line: int

    def __str__(self) -> str:
        line = f"line {self.line}" if self.line else ""
        return ", ".join(filter(None, (streams.printable(self.file), line)))


@dataclass(slots=True)
class FailedDocuments:
    """Collects the documents that could not be encoded, to report them at the end."""

    count: int = 0
    first_message: str = ""
    other_count: int = 0
    """The number of documents with errors that are not the budget's."""
    budget_error: mckp.BudgetError | None = None
    """The error with the largest floor, of those that a too small budget caused."""
    is_one_document: bool = False
    """Whether the first line ends within a JSON value, as in an indented document."""

    def add(self, place: DocumentPlace, error: Exception) -> None:
        """Note a document that could not be encoded."""
        self.count += 1
        if place.line == 1 and isinstance(error, mckp.ParseError):
            self.is_one_document = error.message.startswith("unexpected end")
        self.first_message = self.first_message or f"{place}: {_error_message(place, error)}"
        if not isinstance(error, mckp.BudgetError):
            self.other_count += 1
        elif self.budget_error is None or error.floor > self.budget_error.floor:
            self.budget_error = error

    def check(self) -> None:
        """Raise one error for all noted documents, if there are any."""
        if not self.count:
            return
        if self.budget_error is not None and not self.other_count:
            raise self.budget_error
        subject = "1 document was" if self.count == 1 else f"{self.count} documents were"
        hint = "; batch reads JSON lines: for one document on several lines, use mckp encode"
        raise mckp.MckpError(
            f"{subject} not encoded; {self.first_message}{hint * self.is_one_document}"
        )


def encode_lines(arguments: Namespace) -> None:
    """Write the outcome for each document; raise at the end if one could not be encoded."""
    failed = FailedDocuments()
    streams.note_estimate(arguments.tokenizer)
    with _open_output(arguments, failed) as (write, written_count):
        for place, outcome in _outcomes(arguments, written_count):
            if isinstance(outcome, mckp.Failure):
                failed.add(place, outcome.error)
            write(f"{dump(_json_record(place, outcome))}\n".encode())
    failed.check()


def _json_record(place: DocumentPlace, outcome: Result | mckp.Failure) -> dict[str, Any]:
    """Return the record that is written for a document."""
    file = {"file": place.file} if place.file else {}
    if isinstance(outcome, mckp.Failure):
        return file | {"error": _error_message(place, outcome.error), "line": place.line}
    return file | outcome.to_dict()


def _error_message(place: DocumentPlace, error: Exception) -> str:
    """Return the message of an error; for a line, without the line number of its parser."""
    if place.line and isinstance(error, mckp.ParseError) and error.column:
        return (
            f"{error.message} (column {error.column})"  # its parser counted this line as the first
        )
    return str(error)


def _outcomes(
    arguments: Namespace, written_count: int
) -> Generator[tuple[DocumentPlace, Result | mckp.Failure]]:
    """Yield the place and the outcome of each document, but skip the first `written_count`."""
    from mckp.batch.progress import watched

    to_encode, to_place = tee(islice(_documents(arguments.file), written_count, None))
    shows_progress = _shows_progress(arguments.out)
    outcomes = mckp.encode_many(
        (document for _, document in to_encode),
        processes=arguments.processes,
        **options_of(arguments),
    )
    with closing(
        watched(
            outcomes,
            shows_progress,
            _count_left(arguments.file, written_count) if shows_progress else None,
        )
    ) as reported:
        yield from zip((place for place, _ in to_place), reported, strict=True)


def _documents(name: str) -> Generator[tuple[DocumentPlace, KindedText]]:
    """Yield each document: a line of FILE, or in a folder, a line of a .jsonl file or another file.

    Lines and .json files are JSON; the kind of others is detected. Blank lines are skipped.
    """
    is_folder = Path(name).is_dir()
    for path in _list_files(name) if is_folder else [name]:
        file = os.path.relpath(path, name) if is_folder else ""
        suffix = Path(file).suffix.lower()
        with streams.opened_file(str(path)) as lines:
            if file and suffix not in (".jsonl", ".ndjson"):
                yield (
                    DocumentPlace(file, 0),
                    KindedText(lines.read(), "json" if suffix == ".json" else None),
                )
                continue
            for number, line in enumerate(lines, 1):
                if not line.isspace():
                    yield DocumentPlace(file, number), KindedText(line, "json")


def _list_files(name: str) -> list[Path]:
    """Return the files in a folder, sorted, or the one file; hidden files are left out."""
    top = Path(name)
    paths = sorted(path for path in top.rglob("*") if path.is_file()) if top.is_dir() else [top]
    return [
        path for path in paths if not any(step[0] == "." for step in path.relative_to(top).parts)
    ]


@contextmanager
def _open_output(
    arguments: Namespace, failed: FailedDocuments
) -> Generator[tuple[Callable[[bytes], object], int]]:
    """Yield a function that writes bytes, and the number of documents that an earlier run wrote.

    Those of them that could not be encoded are added to `failed`.
    """
    out, file = arguments.out, arguments.file
    if out != streams.STANDARD and Path(file).resolve() in Path(out).resolve().parents:
        shown = streams.shown_name(out)
        raise mckp.MckpError(f"the output {shown} is inside the input folder; name another place")
    if arguments.resume and streams.STANDARD in (out, file):
        raise mckp.MckpError("--resume needs a FILE to read, and an output file (-o)")
    if streams.STANDARD in (out, file) or (Path(out).exists() and not Path(out).is_file()):
        with streams.written_file(out) as write:
            yield write, 0
        return
    # The name depends on what was asked for, so a run continues only one that asked for the same.
    file_status = [
        (str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in _list_files(file)
    ]
    run_description = repr((mckp.__version__, options_of(arguments), file_status))
    target = Path(os.path.realpath(out))
    draft = Path(f"{target}.{sha256(run_description.encode()).hexdigest()[:12]}.part")
    with draft.open("a+b" if arguments.resume else "w+b") as lines:
        written_count = _resume_output(lines, failed)

        def write_part(data: bytes) -> None:
            """Write bytes and flush them, so that an interrupted run keeps them."""
            lines.write(data)
            lines.flush()

        try:
            yield write_part, written_count
            os.fsync(lines.fileno())
        except BaseException:
            if not lines.tell():
                draft.unlink()
            elif not arguments.resume:
                sys.stderr.write("mckp: note: to continue, run the same command with --resume\n")
            raise
    if target.exists():
        draft.chmod(target.stat().st_mode & 0o777)
    draft.replace(target)


def _resume_output(lines: IO[bytes], failed: FailedDocuments) -> int:
    """Return the number of documents already written; remove a last line that is incomplete.

    Documents that could not be encoded are added to `failed`.
    """
    lines.seek(0)
    written_count = whole_bytes = 0
    for line in lines:
        if line.endswith(b"\n"):
            record: Any = load(line.decode())
            if "error" in record:
                place = DocumentPlace(record.get("file", ""), record["line"])
                failed.add(place, mckp.MckpError(record["error"]))
            written_count, whole_bytes = written_count + 1, whole_bytes + len(line)
    lines.truncate(whole_bytes)
    return written_count


def _shows_progress(out: str) -> bool:
    """Whether to show progress: standard error is a terminal that the output does not go to."""
    return streams.is_terminal(sys.stderr) and not (
        out == streams.STANDARD and streams.is_terminal(sys.stdout)
    )


def _count_left(name: str, written_count: int) -> int | None:
    """Return the number of documents that are left, or None if the input can be read only once."""
    if name == streams.STANDARD or not (Path(name).is_file() or Path(name).is_dir()):
        return None
    return sum(1 for _ in _documents(name)) - written_count
