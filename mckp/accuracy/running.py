"""Asks a reader questions, several at a time; answers that are stored already are reused."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias, TypeVar

from mckp.accuracy.asking import questions
from mckp.accuracy.paired import MARGIN, questions_needed
from mckp.accuracy.reader import (
    WAYS,
    AnsweringReader,
    Prompted,
    Reads,
    Reply,
    TextQuestion,
    writings,
)
from mckp.accuracy.replies import Answer, OracleReader
from mckp.accuracy.report import AccuracyReport, report
from mckp.errors import DataError, ReaderError
from mckp.jsontext import dump, is_object, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from mckp.api import TokenizerLike
    from mckp.plain import JsonValue

A = TypeVar("A", bound=Prompted)
Progress: TypeAlias = Callable[[int, int], object]
"""A function that is called with the number of answers so far, and their total."""


def answers(
    asked: Sequence[TextQuestion],
    reader: AnsweringReader,
    *,
    concurrency: int = 1,
    kept: str | Path | None = None,
    progress: Progress | None = None,
) -> list[Answer]:
    """Ask a reader all questions, and return the answers.

    Parameters
    ----------
    asked : sequence of TextQuestion
        The questions, each with a text.
    reader : AnsweringReader
        The reader.
    concurrency : int, default 1
        The number of questions that it is asked at a time.
    kept : str or path, optional
        A JSON lines file to which each reply is added as it arrives. Replies of this reader to the
        same prompt that are already in it are reused. Failures are not kept.
    progress : callable, optional
        Called after each answer with the number of answers so far, and their total.

    Returns
    -------
    list of Answer
        One answer for each question, in the same order.

    Raises
    ------
    UnusableReaderError
        If the reader cannot answer anything; answers so far are kept.
    DataError
        If a line of the file `kept` is JSON, but not a reply.
    """
    received = replies(asked, reader, concurrency=concurrency, kept=kept, progress=progress)
    return [Answer(prompt, *reply) for prompt, reply in zip(asked, received, strict=True)]


def replies(
    asked: Sequence[A],
    reader: Reads[A],
    *,
    concurrency: int = 1,
    kept: str | Path | None = None,
    progress: Progress | None = None,
) -> list[tuple[Reply | None, str]]:
    """Return, for each prompt, the reply or None, and why there is none; see `answers`."""
    stored = _read_replies(Path(kept)) if kept is not None else {}
    keys = [key_of(prompt, reader) for prompt in asked]
    outcomes: dict[int, tuple[Reply | None, str]] = {
        index: (stored[key], "") for index, key in enumerate(keys) if key in stored
    }
    unanswered = [number for number in range(len(asked)) if number not in outcomes]
    with ExitStack() as stack:
        file = stack.enter_context(_open_for_append(Path(kept))) if kept is not None else None
        for number, (reply, failure) in _ask_all(asked, unanswered, reader, max(1, concurrency)):
            outcomes[number] = reply, failure
            if file is not None and reply is not None:
                file.write(_stored_line(keys[number], asked[number], reply, reader.name))
                file.flush()
            if progress is not None:
                progress(len(outcomes), len(asked))
    return [outcomes[number] for number in range(len(asked))]


def key_of(asked: A, reader: Reads[A]) -> str:
    """Return the key of a stored reply.

    It is a hash of the reader's name, the names of the question and the text, and the prompt.
    """
    prompt = "\0".join((reader.name, asked.id, asked.way, asked.prompt))
    return hashlib.sha256(prompt.encode()).hexdigest()[:16]


def _ask_all(
    asked: Sequence[A], numbers: Sequence[int], reader: Reads[A], concurrency: int
) -> Iterator[tuple[int, tuple[Reply | None, str]]]:
    """Ask the numbered prompts, and yield each number with its reply, as they arrive."""
    if concurrency == 1:  # an unusable reader is not asked twice
        yield from ((number, _ask_one(asked[number], reader)) for number in numbers)
        return
    with ThreadPoolExecutor(concurrency) as pool:
        waiting: dict[Future[tuple[Reply | None, str]], int] = {
            pool.submit(_ask_one, asked[number], reader): number for number in numbers
        }
        try:
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _ask_one(asked: A, reader: Reads[A]) -> tuple[Reply | None, str]:
    """Ask one question; return the reply, or why there is none."""
    try:
        return reader.read(asked), ""
    except ReaderError as error:
        return None, str(error)


def _stored_line(key: str, asked: Prompted, reply: Reply, reader: str) -> str:
    """Return the line that stores a reply."""
    members = {"key": key, "reader": reader, "question": asked.id, "way": asked.way}
    return dump(members | asdict(reply)) + "\n"


def _open_for_append(path: Path) -> IO[str]:
    """Open a file for appending lines; if its last line is incomplete, end it first."""
    file = path.open("a+", encoding="utf-8", newline="\n")
    if file.tell() and not path.read_bytes().endswith(b"\n"):
        file.write("\n")
    return file


def _read_replies(path: Path) -> dict[str, Reply]:
    """Return the replies in a file by key; skip lines that are not JSON.

    JSON that is not a reply raises a `DataError`; a missing file has no replies.
    """
    known_replies: dict[str, Reply] = {}
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                record = load(line)
            except ValueError:
                continue
            if not is_object(record) or not {"key", *Reply.__slots__} <= record.keys():
                message = "expected a kept reply; name another file"
                raise DataError(message, path=f"{path}:{number}")
            known_replies[record["key"]] = Reply(*(record[name] for name in Reply.__slots__))
    return known_replies


def measure(
    documents: Mapping[str, Any],
    reader: AnsweringReader | None = None,
    *,
    ways: Iterable[str] = WAYS,
    budgets: Iterable[float | None] = (None,),
    each: int = 4,
    seed: int = 1,
    tokenizer: TokenizerLike = "o200k",
    margin: float = MARGIN,
    concurrency: int = 1,
    kept: str | Path | None = None,
    progress: Progress | None = None,
) -> AccuracyReport:
    """Ask a reader about documents in several formats.

    Parameters
    ----------
    documents : mapping
        Plain data by name.
    reader : AnsweringReader, optional
        The reader; by default, the oracle.
    ways, budgets, tokenizer
        See `writings`.
    each, seed : int
        See `questions`.
    margin : float, default 0.03
        The loss that matters, as a share of the questions.
    concurrency, kept, progress
        See `mckp.accuracy.running.answers`.

    Returns
    -------
    AccuracyReport
        Shares of right answers with intervals, and what the differences prove.

    Raises
    ------
    ValueError
        If the margin or a budget is not valid.
    UnusableReaderError
        If the reader cannot answer anything.
    DataError
        If a line of the file `kept` is JSON, but not a reply.

    Examples
    --------
    >>> data = [{"id": n, "state": ["ok", "failed"][n % 3 == 0]} for n in range(9)]
    >>> outcome = measure({"jobs": data}, ways=["json", "native"])
    >>> [(line.way, line.questions, line.right) for line in outcome.lines]
    [('json', 12, 12), ('native', 12, 12)]
    >>> outcome.beside[0].verdict
    'undecided: a loss of up to 24.2 points is not excluded'
    """
    _check_margin(margin)
    reader = OracleReader() if reader is None else reader
    asked = list(all_asked(documents, ways, budgets, each, seed, tokenizer))
    answered = answers(asked, reader, concurrency=concurrency, kept=kept, progress=progress)
    return report(answered, reader.name, margin)


def _check_margin(margin: float) -> None:
    """Raise a `ValueError` unless a margin is between 0 and 1."""
    if not 0 < margin < 1:
        raise ValueError(f"a margin must be above 0 and below 100 points, not {100 * margin:g}")


def plan(asked: Sequence[TextQuestion], margin: float = MARGIN) -> str:
    """Describe what will be asked, and how many questions a proof would need."""
    _check_margin(margin)
    ways = dict.fromkeys(prompt.writing.way for prompt in asked)
    count = len({prompt.question.id for prompt in asked})
    return (
        f"ways: {' '.join(ways) or 'none'}\nquestions: {count}; answers to ask for: {len(asked)}\n"
        f"to prove that the loss is below {100 * margin:g} points, about "
        f"{questions_needed(0.1, margin)} questions are needed, if 10% of the answers differ"
    )


def all_asked(
    documents: Mapping[str, JsonValue],
    ways: Iterable[str],
    budgets: Iterable[float | None],
    each: int,
    seed: int,
    tokenizer: TokenizerLike,
) -> Iterator[TextQuestion]:
    """Yield every question about every text, document by document."""
    ways, budgets = list(ways), list(budgets)
    for name, data in documents.items():
        document_questions = questions(data, each=each, seed=seed, name=name)
        for writing in writings(data, ways, budgets, tokenizer):
            yield from (TextQuestion(question, writing) for question in document_questions)
