"""Recall: queries of a document, answered in one pass over its rows or lines.

A query has a path, a condition that rows must meet, fields, groups, an order and a limit, or a
pattern that lines must match. All of these use the same grammar of expressions. It has no loops,
and callers cannot add functions, so the size of the document limits the time.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import RecallError
from mckp.parsers.embedded import extract
from mckp.recall.grammar import GrammarError, read_steps
from mckp.recall.lines import LinesAnswer as LinesAnswer
from mckp.recall.lines import ask_text
from mckp.recall.mistakes import call_of
from mckp.recall.names import main_array, odd_names, path_of
from mckp.recall.patterns import SlowPatternError
from mckp.recall.query import DataAnswer as DataAnswer
from mckp.recall.question import RecallQuestion as RecallQuestion
from mckp.recall.rows import ask
from mckp.recall.sources import data_in
from mckp.recall.values import walked
from mckp.renamed import renamed_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.plain import JsonValue

__all__ = ("DataAnswer", "LinesAnswer", "RecallQuestion", "answered")

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = renamed_in(
        __name__, {"Asked": "RecallQuestion", "Found": "DataAnswer", "Lines": "LinesAnswer"}
    )

_TRIES: Final = 4
"""The most corrections of one call; each may reveal another mistake."""


def answered(document: Any, parameters: Mapping[str, Any]) -> DataAnswer | LinesAnswer:
    """Return the answer to a question about data or a text.

    Parameters
    ----------
    document : object
        Plain data, or a text; a text that holds data can be asked as data, or by lines.
    parameters : mapping
        The parameters, as in `mckp.recall.question.RecallQuestion`; any others are an error.

    Raises
    ------
    RecallError
        If the question is not understood, or names something that is not there. The error's `call`
        has been tried, and works.
    MissingExtraError
        If the question has a jq program, and the package ``jq`` is not installed.

    Examples
    --------
    >>> jobs = [{"id": 1, "state": "failed"}, {"id": 2, "state": "ok"}]
    >>> answered(jobs, {"where": "state == 'failed'", "fields": ["id"]}).value
    [{'id': 1}]
    >>> answered(jobs, {"where": "status == 'failed'"})
    Traceback (most recent call last):
    mckp.errors.RecallError: where: nothing in 2 rows of $ has 'status'; they have state, id
    """
    try:
        return _answered(document, parameters)
    except RecallError as error:
        error.call = _working_call(document, error.call)
        raise


def _working_call(
    document: JsonValue, call: Mapping[str, JsonValue] | None
) -> dict[str, JsonValue]:
    """Return the proposed call with its further mistakes mended.

    If that cannot be done, it is a call for the first three rows or lines.
    """
    for _ in range(_TRIES):
        if call is None:
            break
        try:
            _answered(document, call)
        except RecallError as error:
            call = error.call
        else:
            works = {name: argument for name, argument in call.items() if name != "handle"}
            return works or {"limit": 3}
    return {"limit": 3}


def _answer_about_data(document: JsonValue, question: RecallQuestion) -> DataAnswer | LinesAnswer:
    """Return an answer about data, whose strings may hold JSON.

    The question is about what these strings hold, since that is what was delivered. It may also be
    about the strings themselves, or about the lines of one of them.
    """
    value, embedding = extract(document)
    if question.path and (text := _text_at(value, question)) is not None:
        return ask_text(text, replace(question, path=""))
    if question.lines:
        raise _no_lines_error(document, question)
    if embedding is None:
        return ask(document, question)
    try:
        answer = ask(value, question)
        return answer if answer.value or not question.where else ask(document, question)
    except RecallError as error:
        with suppress(RecallError):
            return ask(document, question)
        raise error from None


def _text_at(document: JsonValue, question: RecallQuestion) -> str | None:
    """Return the text in data whose lines a question is about, or None if it is about data."""
    asks_lines = question.grep or question.lines or question.offset or question.limit is not None
    if question.has_expressions:
        asks_lines = (
            question.grep or "line" in f"{question.where} {question.fields} {question.group}"
        )
    if not asks_lines:
        return None
    with suppress(GrammarError):
        value = walked(document, read_steps(question.path, odd_names([document])))
        return value if isinstance(value, str) else None
    return None


def _no_lines_error(document: JsonValue, question: RecallQuestion) -> RecallError:
    """Return the error for line numbers in a question about data, with a path to such rows."""
    main_path = path_of(main_array(document))
    first, last = question.lines[0]
    end = "" if last is None else last + 1
    path = question.path or f"{main_path}[{first}:{end}]"
    message = f"only texts have lines, and this is JSON; to select rows, use a path such as {path}"
    rest = {name: value for name, value in call_of(question).items() if name != "lines"}
    return RecallError(message, "lines", call={**rest, "path": path})


def _answered(document: JsonValue, parameters: Mapping[str, JsonValue]) -> DataAnswer | LinesAnswer:
    """Return the answer to a question; the call that an error proposes is not tried."""
    question = RecallQuestion.of(parameters)
    if question.jq:
        from mckp.recall.programs import run_program

        data = data_in(document) if isinstance(document, str) else document
        return run_program(document if data is None else data, question)
    try:
        if not isinstance(document, str):
            return _answer_about_data(document, question)
        data = (
            data_in(document, question.path)
            if question.has_expressions or question.path.startswith("$")
            else None
        )
        if data is not None and not (question.grep or question.lines):
            try:
                return _answer_about_data(data, question)
            except RecallError:
                # The same question may be about the lines, or about a heading.
                if question.has_expressions and "line" not in f"{question.where} {question.fields}":
                    raise
        return ask_text(document, question)
    except SlowPatternError as error:
        raise RecallError(f"where: {error}", "where") from None
    except RecursionError:
        raise RecallError("the question has too many nested brackets", "where") from None
