"""Answer questions about data: filter, count, group and sort rows in one pass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import RecallError
from mckp.jsontext import is_array, is_container, is_object
from mckp.recall import grammar, names
from mckp.recall.checks import checked, scope_elsewhere
from mckp.recall.evaluate import has_total, holds, value_of
from mckp.recall.expressions import Expr, Field
from mckp.recall.hits import (
    has_long,
    hits_in_rows,
    hits_in_value,
    matching_rows,
    places_with,
    value_around,
)
from mckp.recall.mistakes import not_there
from mckp.recall.notes import (
    hollow_note,
    no_match_note,
    seconds_note,
    skipped_note,
    unranked_note,
)
from mckp.recall.query import DataAnswer, ParsedQuestion, QuestionScope, read_query, rows_at
from mckp.recall.totals import in_order, split_condition, totals
from mckp.recall.values import EACH, MISSING, walked
from mckp.weights.keys import NAMES, words_of_name

if TYPE_CHECKING:
    from mckp.plain import JsonValue
    from mckp.recall.question import RecallQuestion
    from mckp.recall.values import Step


def ask(document: Any, question: RecallQuestion) -> DataAnswer:
    """Return the answer to a question about data.

    Raises
    ------
    RecallError
        If the question is not understood, or names something that is not there.

    Examples
    --------
    >>> from mckp.recall.question import RecallQuestion
    >>> runs = {"runs": [{"id": n, "state": "ok" if n % 3 else "bad"} for n in range(7)]}
    >>> ask(runs, RecallQuestion.of({"group": "state"})).value
    [{'state': 'ok', 'count()': 4}, {'state': 'bad', 'count()': 3}]
    """
    scope, question = scope_of(document, question)
    odd = names.odd_names(scope.rows)
    query = read_query(question, odd)
    place = ""
    try:
        query = checked(query, scope, question)
    except RecallError as error:
        better = None if question.path else scope_elsewhere(document, question)
        if better is None:
            raise error from None
        scope, query = better
        place = names.path_of(scope.steps)
    answer = _answered(scope, query, question)
    if query.fields and (unit := seconds_note(query, scope.rows)):
        answer = replace(answer, note=_joined(answer.note, unit))
    if question.grep and scope.steps and not (question.path or question.has_expressions):
        answer = _with_matches_elsewhere(answer, document, scope, question)
    return replace(answer, place=place) if place else answer


def _with_matches_elsewhere(
    answer: DataAnswer, document: Any, scope: QuestionScope, question: RecallQuestion
) -> DataAnswer:
    """Return the answer of a search in the main array, with matches in the rest of the document.

    If no row matches, the places elsewhere are the answer; otherwise a note counts them.
    """
    whole = rows_at(document, ())
    if not (len(whole.rows) == 1 and is_container(whole.rows[0])):
        return answer
    main = names.path_of(scope.steps)
    if not answer.value:
        places = hits_in_value(whole, question, outside=scope.steps)
        note = f"no row of {main} has it, but there is more in the document"
        return replace(places, note=_joined(note, places.note)) if places.value else answer
    elsewhere = list(places_with(whole, question.grep, ignores_case=False, outside=scope.steps))
    count, first = len(elsewhere), names.path_of(elsewhere[0][0]) if elsewhere else ""
    note = f"{count} more outside of {main}, such as {first}: path $ gives all" if count else ""
    return replace(answer, note=_joined(answer.note, note))


def scope_of(document: JsonValue, question: RecallQuestion) -> tuple[QuestionScope, RecallQuestion]:
    """Return the rows that a question is about, and the question.

    The names at the end of a path such as ``$.jobs[*].state`` become a field of the question.
    """
    if not question.path:
        steps: tuple[Step, ...] = names.main_array(document) if question.has_expressions else ()
        if not question.has_expressions and (
            question.limit is not None or question.offset or question.grep
        ):
            steps = names.main_array(document)
        return rows_at(document, steps), question
    try:
        steps = grammar.read_steps(question.path, names.odd_names([document]))
    except grammar.GrammarError as error:
        raise RecallError(f"path: {error}", "path") from None
    if not names.leads_somewhere([document], steps):
        meant = names.respelled([document], steps) or _steps_from_main(document, steps)
        if meant is None:
            raise not_there(document, steps, question)
        steps = meant
    name_count = _count_names_after_each(steps) if not (question.fields or question.group) else None
    if name_count is not None and is_array(walked(document, steps[:-name_count])):
        rows = as_objects(walked(document, steps[:-name_count]))
        if rows is not None:
            return _scope_with_field(document, steps, name_count, rows, question)
    return rows_at(document, steps), question


def _steps_from_main(document: JsonValue, steps: tuple[Step, ...]) -> tuple[Step, ...] | None:
    """Resolve steps such as ``[3].name`` from the main array; None if they lead nowhere."""
    main = names.main_array(document)
    for above in (main, (*main, EACH)):
        if main and names.leads_somewhere([document], [*above, *steps]):
            return (*above, *steps)
    return None


def _count_names_after_each(steps: tuple[Step, ...]) -> int | None:
    """Return how many names at the end of a path follow ``[*]`` or a slice; None if none do."""
    size = 0
    while size < len(steps) and isinstance(steps[-1 - size], str):
        size += 1
    is_several = size < len(steps) and (
        steps[-1 - size] is EACH or isinstance(steps[-1 - size], slice)
    )
    return size if size and is_several else None


def _scope_with_field(
    document: JsonValue,
    steps: tuple[Step, ...],
    size: int,
    rows: list[JsonValue],
    question: RecallQuestion,
) -> tuple[QuestionScope, RecallQuestion]:
    """Return the rows of a path such as ``$.jobs[*].state``, and a question for the field.

    The answer then shows the key of each row. The last `size` steps are names, and `rows` are the
    objects that have them. If the only name is that of a key, or the question has expressions, the
    values at the path are the rows.
    """
    last = steps[-size:]
    if (size == 1 and _looks_like_key(str(last[0]))) or question.has_expressions:
        return rows_at(document, steps), question
    name = ""
    for part in last:
        name = names.written(name, str(part))
    scope = QuestionScope(rows, steps[:-size], is_single=False)
    return scope, replace(question, fields={name.removeprefix("@"): name})


def as_objects(value: JsonValue) -> list[JsonValue] | None:
    """Return the elements of an array if there are any and all are objects, else None."""
    return list(value) if is_array(value) and value and all(map(is_object, value)) else None


def _answered(scope: QuestionScope, query: ParsedQuestion, question: RecallQuestion) -> DataAnswer:
    """Return the rows that match, their totals, or the places of a pattern."""
    rows = scope.rows
    where, having = split_condition(query)
    matching = [
        (index, row) for index, row in enumerate(rows) if where is None or holds(where, row)
    ]
    is_one = len(rows) == 1 and is_container(rows[0])
    if question.grep and is_one and not (query.fields or query.where or query.group):
        return hits_in_value(scope, question)
    note_of_grep, pattern = "", question.grep
    if pattern:
        matching, pattern, note_of_grep = matching_rows(matching, pattern, len(rows))
        if not matching and not query.group and not query.fields:
            return DataAnswer([], is_rows=True, note=note_of_grep)
    if (
        where is not None
        and not matching
        and not query.group
        and not any(map(has_total, query.fields.values()))
    ):
        return DataAnswer([], is_rows=True, note=no_match_note(query, scope))
    if query.group or any(map(has_total, query.fields.values())):
        return totals([row for _, row in matching], query, having, question, len(rows))
    for key in reversed(query.sort):
        matching = in_order(matching, key, lambda pair, expr: value_of(expr, pair[1]))
    if scope.is_single:
        return _single(query, matching)
    if pattern and matching and not query.fields:
        read = replace(question, grep=pattern)
        if hits := hits_in_rows(matching, read, _key(rows), note_of_grep):
            return hits
    part = matching[
        question.offset : None if question.limit is None else question.offset + question.limit
    ]
    values = _projected(part, query, scope)
    if pattern and any(map(has_long, values)):
        values = [value_around(value, pattern) for value in values]
        cut = "… long texts are cut: they are whole without grep"
        note_of_grep = _joined(note_of_grep, cut)
    note = _joined(
        note_of_grep,
        skipped_note(query, rows),
        hollow_note(query, [row for _, row in matching]),
        unranked_note(query, question, rows),
    )
    return DataAnswer(values, is_rows=True, first=question.offset, total=len(matching), note=note)


def _joined(*notes: str) -> str:
    """Return the notes that are not empty as one."""
    return "; ".join(filter(None, notes))


def _single(query: ParsedQuestion, pairs: list[tuple[int, Any]]) -> DataAnswer:
    """Return the only object or value, or fields of it; no row if it does not match."""
    if not pairs:
        return DataAnswer([], is_rows=True, note="it does not match")
    row = pairs[0][1]
    if not query.fields:
        return DataAnswer(row)
    cells = {label: value_of(expr, row) for label, expr in query.fields.items()}
    return DataAnswer({label: cell for label, cell in cells.items() if cell is not MISSING})


def _projected(
    part: list[tuple[int, Any]], query: ParsedQuestion, scope: QuestionScope
) -> list[Any]:
    """Return whole rows, or the fields asked for.

    If these do not identify the rows, the key is added. If there is no key, and the rows are not
    the first ones in order, their indexes are.
    """
    if not query.fields:
        return [row for _, row in part]
    if len(query.fields) == 1:
        (expr,) = query.fields.values()
        if isinstance(expr, Field) and not expr.steps:
            return [row for _, row in part]
    fields = dict(query.fields)
    is_keyed = len(part) < 2 or _has_key(fields)
    key = None if is_keyed else _key(scope.rows)
    if key is not None:
        fields = {key: Field((key,), key, key), **fields}
    # Rows that do not follow one another are identified by their index, if not by a key.
    is_apart = not is_keyed and key is None and [n for n, _ in part] != list(range(len(part)))
    projected: list[Any] = []
    for n, row in part:
        cells = {label: value_of(expr, row) for label, expr in fields.items()}
        index = {"row": n} if is_apart and "row" not in cells else {}
        projected.append(
            index | {label: cell for label, cell in cells.items() if cell is not MISSING}
        )
    return projected


def _looks_like_key(name: str) -> bool:
    """Whether a name looks like the name of a key, such as ``id``."""
    words = words_of_name(name)
    return bool(words) and words[-1] in NAMES


def _has_key(fields: dict[str, Expr]) -> bool:
    """Whether a field of an answer identifies its rows."""
    last_steps = [
        field.steps[-1] for field in fields.values() if isinstance(field, Field) and field.steps
    ]
    return any(isinstance(step, str) and _looks_like_key(step) for step in last_steps)


_LONGEST_KEY: Final = 24
"""Characters of a key that is added to the fields asked for, on average; hashes have more."""


def _key(rows: list[Any]) -> str | None:
    """Return the field that identifies rows, if there is a short one."""
    if not all(map(is_object, rows)):
        return None
    for name in rows[0]:
        if _looks_like_key(name):
            values = [row.get(name) for row in rows]
            key_texts = [
                str(value) for value in values if value is not None and not is_container(value)
            ]
            is_short = sum(map(len, key_texts)) <= _LONGEST_KEY * len(key_texts)
            if is_short and len(key_texts) == len(rows) == len(set(key_texts)):
                return str(name)
    return None
