"""What a pattern matches in data: the path of each value, and the line or sentence that matches."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.recall.names import outline, path_of
from mckp.recall.nearby import case_note, depends_on_case, words_note
from mckp.recall.patterns import AROUND, LONG, around, basic_reading, searched, spans
from mckp.recall.query import DataAnswer
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.plain import JsonValue
    from mckp.recall.query import QuestionScope
    from mckp.recall.question import RecallQuestion
    from mckp.recall.values import Step

_Place: TypeAlias = "tuple[tuple[Step, ...], Any]"
"""A path and the value there."""

_SHORT_ROW: Final = 160
"""Average characters of rows, as JSON, up to which matching rows are given whole."""
_SHORT_TEXT: Final = 240
"""Characters up to which a text, or a line of it, is given whole."""
_MOST_SHORT: Final = 3
"""Most short values of a row that are given; more of them, such as urls, are named."""
_MOST_FIELDS: Final = 8
"""Most fields of which an answer says how many hits they have."""
_STOP: Final = regex(r"[.!?]\s|[\u3002\uff01\uff1f\n]")


def hits_in_rows(
    pairs: Sequence[tuple[int, Any]],
    question: RecallQuestion,
    key: str | None,
    note: str,
) -> DataAnswer | None:
    """Return the values that match in rows, each with its path; None if the rows are short.

    `pairs` are the rows that match, with their indexes, and `key` is the field that identifies
    rows. The path of a value begins with the index of its row.
    """
    if sum(len(dump(row)) for _, row in pairs) <= _SHORT_ROW * len(pairs):
        return None
    hits: list[dict[str, Any]] = []
    fields: Counter[str] = Counter()
    unshown: Counter[str] = Counter()
    for index, row in pairs:
        in_row = list(_values_with(row, question.grep, (index,), ignores_case=False))
        shown = _telling(in_row, question.grep)
        fields.update(_field_name(steps) for steps, _ in shown)
        unshown.update(_field_name(value[0]) for value in in_row if value not in shown)
        name = f"{key} {row[key]}" if key and not any(s[-1] == key for s, _ in shown) else ""
        for steps, value in shown:
            path = path_of(steps).removeprefix("$")
            for passage in _passages(value, question.grep, ignores_case=False):
                hits.append({"path": path, **({"row": name} if name else {}), **passage})
                name = ""
    if unshown:
        more = f" and {len(unshown) - 1} more fields" if len(unshown) > 1 else ""
        said = f"{unshown.total()} more values contain it, in {next(iter(unshown))}{more}"
        note = "; ".join(filter(None, (note, said)))
    count = len(hits)
    part = hits[question.offset :][: question.limit]
    spread = ", ".join(f"{name} {size}" for name, size in fields.most_common(_MOST_FIELDS))
    return DataAnswer(
        part, is_rows=True, first=question.offset, total=count, note=note, is_hits=True,
        spread=f"in {len(pairs)} rows: {spread}",
    )  # fmt: skip


def _telling(values: list[_Place], pattern: str) -> list[_Place]:
    """Return the values of a row that are given: of many short ones, those that match as a whole.

    If none does, they are the first ones.
    """
    short = [value for value in values if _is_short(value[1])]
    if len(short) <= _MOST_SHORT:
        return values
    whole = [value for value in short if _is_whole(pattern, value[1])][:_MOST_SHORT]
    given = whole or short[:_MOST_SHORT]
    return [value for value in values if value in given or not _is_short(value[1])]


def hits_in_value(
    scope: QuestionScope, question: RecallQuestion, outside: tuple[Step, ...] = ()
) -> DataAnswer:
    """Return the places in an object or array where a name or value matches the pattern.

    What is at the path `outside`, and below it, is not searched.
    """
    pattern, message = question.grep, ""

    def places(pattern: str, *, ignores_case: bool = False) -> list[tuple[tuple[Step, ...], Any]]:
        """Return the places that match."""
        return list(places_with(scope, pattern, ignores_case=ignores_case, outside=outside))

    found, ignores_case = places(pattern), False
    if not found and depends_on_case(pattern):
        found, ignores_case = places(pattern, ignores_case=True), True
        message = "nothing has it in this case; these differ in case" if found else ""
    if not found and (basic := basic_reading(pattern)):
        found, ignores_case, pattern = places(basic), False, basic
        message = f"read as {basic[:60]}" if found else ""
    if not found:
        nothing = f"no name and no value there has {question.grep[:40]!r}"
        words = words_note(question.grep, list(texts_in(scope.rows[0])), "values")
        message = "; ".join(filter(None, (nothing, words)))
    hits = [
        {"path": path_of(steps), **passage}
        for steps, value in found
        for passage in _passages(value, pattern, ignores_case=ignores_case)
    ]
    part = hits[question.offset :][: question.limit]
    return DataAnswer(
        part, is_rows=True, first=question.offset, total=len(hits), note=message, is_hits=True
    )


def matching_rows(
    pairs: list[tuple[int, JsonValue]], pattern: str, row_count: int
) -> tuple[list[tuple[int, JsonValue]], str, str]:
    """Return the rows with a match in a value, the pattern as it was read, and a note.

    Case is ignored if need be; then the pattern begins with ``(?i)``. `pairs` are rows with their
    indexes, and `row_count` is the number of all rows.
    """
    exact = [pair for pair in pairs if _mentions(pattern, pair[1])]
    any_case = exact
    if depends_on_case(pattern):
        any_case = [pair for pair in pairs if _mentions(pattern, pair[1], ignores_case=True)]
    if exact:
        more = len(any_case) - len(exact)
        return exact, pattern, case_note(more, "row" if more == 1 else "rows", pattern)
    if any_case:
        note = f"0 of {row_count} rows have it in this case; these differ in case"
        return any_case, f"(?i){pattern}", note
    if basic := basic_reading(pattern):
        read_so = [pair for pair in pairs if _mentions(basic, pair[1])]
        if read_so:
            return read_so, basic, f"read as {basic[:60]}"
    field_names = [name for name in outline(row for _, row in pairs) if searched(pattern, name)][:8]
    parts = (
        f"0 of {row_count} rows have {pattern[:40]!r} in a value",
        words_note(pattern, ["\n".join(map(str, texts_in(row))) for _, row in pairs], "rows"),
        f"in names of fields: {', '.join(field_names)}" if field_names else "",
    )
    return [], pattern, "; ".join(filter(None, parts))


def places_with(
    scope: QuestionScope, pattern: str, *, ignores_case: bool, outside: tuple[Step, ...] = ()
) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Yield the path and value of each name or value that matches, outside a path."""
    start: tuple[Step, ...] = scope.steps if scope.is_single else (*scope.steps, 0)
    return _values_with(
        scope.rows[0], pattern, start, ignores_case=ignores_case, outside=outside, names_too=True
    )


def _values_with(
    value: Any,
    pattern: str,
    start: tuple[Step, ...],
    *,
    ignores_case: bool,
    outside: tuple[Step, ...] = (),
    names_too: bool = False,
) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Yield the path and value of each match in a value that is at the path `start`."""
    open_: list[tuple[tuple[Step, ...], Any]] = [(start, value)]
    while open_:
        steps, here = open_.pop()
        if outside and steps == outside:
            continue
        name = steps[-1] if names_too and steps and steps != start else None
        if isinstance(name, str) and searched(pattern, name, ignores_case=ignores_case):
            yield steps, here
        elif is_container(here):
            children = here.items() if is_object(here) else enumerate(here)
            open_ += reversed([((*steps, key), child) for key, child in children])
        elif here is not None:
            text = here if isinstance(here, str) else dump(here)
            if searched(pattern, text, ignores_case=ignores_case):
                yield steps, here


def _mentions(pattern: str, row: JsonValue, *, ignores_case: bool = False) -> bool:
    """Whether a pattern matches in any value of a row."""
    return any(searched(pattern, text, ignores_case=ignores_case) for text in texts_in(row))


def texts_in(value: Any) -> Iterator[str]:
    """Yield the scalars within a value as texts; nulls are left out."""
    open_ = [value]
    while open_:
        here = open_.pop()
        if is_container(here):
            open_ += here.values() if is_object(here) else here
        elif here is not None:
            yield here if isinstance(here, str) else dump(here)


def has_long(value: Any) -> bool:
    """Whether a value has a text that is too long to be shown whole."""
    return any(len(text) > LONG for text in texts_in(value))


def value_around(value: Any, pattern: str) -> Any:
    """Return a value in which long texts are reduced to the parts around a match."""
    if isinstance(value, str):
        return around(value, pattern)
    if is_object(value):
        return {name: value_around(item, pattern) for name, item in value.items()}
    return [value_around(item, pattern) for item in value] if is_array(value) else value


def _field_name(steps: tuple[Step, ...]) -> str:
    """Return a path within a row as the name of a field, without indexes."""
    return ".".join(step for step in steps if isinstance(step, str)) or "itself"


def _is_short(value: Any) -> bool:
    """Whether a value is given whole."""
    return not isinstance(value, str) or (len(value) <= _SHORT_TEXT and "\n" not in value)


def _is_whole(pattern: str, value: Any) -> bool:
    """Whether a match is all of a value."""
    text = value if isinstance(value, str) else dump(value)
    return (0, len(text)) in spans(pattern, text, most=1)


def _passages(value: Any, pattern: str, *, ignores_case: bool) -> Iterator[dict[str, Any]]:
    """Yield a value; of a long text, each line that matches, or the sentences with a match.

    Lines are numbered from 1. A container that is long is only described.
    """
    if is_container(value):
        is_long = len(dump(value)) > LONG
        members = ", ".join(list(map(str, value))[:_MOST_FIELDS]) if is_object(value) else ""
        size = f"{len(value)} {'members' if members else 'items'}"
        yield {"value": f"{size}{': ' if members else ''}{members}" if is_long else value}
    elif not isinstance(value, str) or (len(value) <= _SHORT_TEXT and "\n" not in value):
        yield {"value": value}
    else:
        lines = value.splitlines()
        matching = [
            (number, line)
            for number, line in enumerate(lines, 1)
            if searched(pattern, line, ignores_case=ignores_case)
        ]
        for number, line in matching:
            place = {"line": number} if len(lines) > 1 else {}
            yield {**place, "value": _sentences(line, pattern, ignores_case=ignores_case)}
        if not matching:  # the match goes over several lines, or the value has a matching name
            yield {"value": around(value, pattern)}


def _sentences(line: str, pattern: str, *, ignores_case: bool) -> str:
    """Return a line; of a long one, the sentences with a match, with ``…`` for what is left out.

    Examples
    --------
    >>> text = "One is here. " + "It goes on. " * 30 + "A needle is here. " + "And on. " * 30
    >>> _sentences(text, "needle", ignores_case=False)
    '… A needle is here. …'
    """
    if len(line) <= _SHORT_TEXT:
        return line
    parts: list[list[int]] = []
    for first, last in spans(pattern, line, ignores_case=ignores_case):
        before = [stop.end() for stop in _STOP.finditer(line, max(0, first - AROUND), first)]
        after = _STOP.search(line, max(first, last - 1), min(len(line), last + AROUND))
        start = before[-1] if before else max(0, first - AROUND)
        end = after.end() if after else min(len(line), last + AROUND)
        if parts and start <= parts[-1][1]:
            parts[-1][1] = max(end, parts[-1][1])
        else:
            parts.append([start, end])
    shown = " … ".join(line[start:end].strip() for start, end in parts)
    is_first, is_last = parts[0][0] == 0, parts[-1][1] == len(line)
    return f"{'' if is_first else '… '}{shown}{'' if is_last else ' …'}"


def written_hits(hits: Iterable[dict[str, Any]], write: Callable[[Any], str]) -> str:
    """Return hits as lines such as ``[3].body:4 (id 17): text``; `write` writes other values."""
    return "\n".join(
        f"{hit['path']}{':' + str(hit['line']) if 'line' in hit else ''}"
        f"{' (' + hit['row'] + ')' if 'row' in hit else ''}: "
        f"{hit['value'] if isinstance(hit['value'], str) else write(hit['value'])}"
        for hit in hits
    )
