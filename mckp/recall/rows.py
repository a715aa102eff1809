"""Answer questions about data: filter, count, group and sort rows in one pass."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import RecallError
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.recall import grammar, names
from mckp.recall.checks import checked, scope_elsewhere
from mckp.recall.evaluate import has_total, holds, value_of
from mckp.recall.expressions import Expr, Field
from mckp.recall.mistakes import not_there
from mckp.recall.nearby import case_note, depends_on_case, words_note
from mckp.recall.notes import no_match_note, seconds_note, skipped_note, unranked_note
from mckp.recall.patterns import LONG, around, searched
from mckp.recall.query import DataAnswer, ParsedQuestion, QuestionScope, read_query, rows_at
from mckp.recall.totals import in_order, split_condition, totals
from mckp.recall.values import EACH, MISSING, walked
from mckp.weights.keys import NAMES, words_of_name

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        places = _places(whole, question, outside=scope.steps)
        note = f"no row of {main} has it, but there is more in the document"
        return replace(places, note=_joined(note, places.note)) if places.value else answer
    count, first = 0, ""
    for place in _places_with(whole, question.grep, ignores_case=False, outside=scope.steps):
        first = first or place["path"]
        count += 1
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
        return _places(scope, question)
    note_of_grep = ""
    if question.grep:
        matching, note_of_grep = _matching_rows(matching, question.grep, len(rows))
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
    part = matching[
        question.offset : None if question.limit is None else question.offset + question.limit
    ]
    values = _projected(part, query, scope)
    if question.grep and any(map(_has_long, values)):
        values = [_around(value, question.grep) for value in values]
        cut = "… long texts are cut: they are whole without grep"
        note_of_grep = _joined(note_of_grep, cut)
    note = _joined(note_of_grep, skipped_note(query, rows), unranked_note(query, question, rows))
    return DataAnswer(values, is_rows=True, first=question.offset, total=len(matching), note=note)


def _matching_rows(
    pairs: list[tuple[int, JsonValue]], pattern: str, row_count: int
) -> tuple[list[tuple[int, JsonValue]], str]:
    """Return the rows with a match in a value, ignoring case if need be, and a note.

    `pairs` are rows with their indexes, and `row_count` is the number of all rows.
    """
    exact = [pair for pair in pairs if _mentions(pattern, pair[1])]
    any_case = exact
    if depends_on_case(pattern):
        any_case = [pair for pair in pairs if _mentions(pattern, pair[1], ignores_case=True)]
    if exact:
        return exact, case_note(len(any_case) - len(exact), "rows", pattern)
    if any_case:
        return any_case, f"0 of {row_count} rows have it in this case; these differ in case"
    field_names = [
        name for name in names.outline(row for _, row in pairs) if searched(pattern, name)
    ][:8]
    parts = (
        f"0 of {row_count} rows have {pattern[:40]!r} in a value",
        words_note(pattern, ["\n".join(map(str, _texts(row))) for _, row in pairs], "rows"),
        f"in names of fields: {', '.join(field_names)}" if field_names else "",
    )
    return [], _joined(*parts)


def _joined(*notes: str) -> str:
    """Return the notes that are not empty as one."""
    return "; ".join(filter(None, notes))


def _has_long(value: Any) -> bool:
    """Whether a value has a text that is too long to be shown whole."""
    return any(len(text) > LONG for text in _texts(value))


def _around(value: Any, pattern: str) -> Any:
    """Return a value in which long texts are reduced to the parts around a match."""
    if isinstance(value, str):
        return around(value, pattern)
    if is_object(value):
        return {name: _around(item, pattern) for name, item in value.items()}
    return [_around(item, pattern) for item in value] if is_array(value) else value


def _single(query: ParsedQuestion, pairs: list[tuple[int, Any]]) -> DataAnswer:
    """Return the only object or value, or fields of it; no row if it does not match."""
    if not pairs:
        return DataAnswer([], is_rows=True, note="it does not match")
    row = pairs[0][1]
    if not query.fields:
        return DataAnswer(row)
    cells = {label: value_of(expr, row) for label, expr in query.fields.items()}
    return DataAnswer({label: cell for label, cell in cells.items() if cell is not MISSING})


def _places(
    scope: QuestionScope, question: RecallQuestion, outside: tuple[Step, ...] = ()
) -> DataAnswer:
    """Return the places in an object or array where a name or value matches the pattern.

    What is at the path `outside`, and below it, is not searched.
    """
    places_with = partial(_places_with, scope, question.grep, outside=outside)
    message, places = "", list(places_with(ignores_case=False))
    if not places and depends_on_case(question.grep):
        places = list(places_with(ignores_case=True))
        message = "nothing has it in this case; these differ in case" if places else ""
    part = places[
        question.offset : None if question.limit is None else question.offset + question.limit
    ]
    if any(map(_has_long, part)):
        part = [place | {"value": _around(place["value"], question.grep)} for place in part]
        more = "… long texts are cut: their path gives them whole"
        message = _joined(message, more)
    if not places:
        nothing = f"no name and no value there has {question.grep[:40]!r}"
        words = words_note(question.grep, list(_texts(scope.rows[0])), "values")
        message = _joined(nothing, words)
    return DataAnswer(part, is_rows=True, first=question.offset, total=len(places), note=message)


def _places_with(
    scope: QuestionScope, pattern: str, *, ignores_case: bool, outside: tuple[Step, ...] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the path and value of each name or value that matches, outside a path."""
    start: tuple[Step, ...] = scope.steps if scope.is_single else (*scope.steps, 0)
    open_: list[tuple[tuple[Step, ...], Any]] = [(start, scope.rows[0])]
    while open_:
        steps, value = open_.pop()
        if outside and steps == outside:
            continue
        name = steps[-1] if steps and steps != start else None
        is_called = isinstance(name, str) and searched(pattern, name, ignores_case=ignores_case)
        if is_called:
            yield {"path": names.path_of(steps), "value": value}
        elif is_container(value):
            children = value.items() if is_object(value) else enumerate(value)
            open_ += reversed([((*steps, key), child) for key, child in children])
        elif value is not None:
            text = value if isinstance(value, str) else dump(value)
            if searched(pattern, text, ignores_case=ignores_case):
                yield {"path": names.path_of(steps), "value": value}


def _mentions(pattern: str, row: JsonValue, *, ignores_case: bool = False) -> bool:
    """Whether a pattern matches in any value of a row."""
    return any(searched(pattern, text, ignores_case=ignores_case) for text in _texts(row))


def _texts(value: Any) -> Iterator[str]:
    """Yield the scalars within a value as texts; nulls are left out."""
    open_ = [value]
    while open_:
        here = open_.pop()
        if is_container(here):
            open_ += here.values() if is_object(here) else here
        elif here is not None:
            yield here if isinstance(here, str) else dump(here)


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
