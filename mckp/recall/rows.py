"""Questions about data: rows chosen, counted, grouped and sorted in one pass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import RecallError
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.recall import grammar, names
from mckp.recall.checks import checked, elsewhere
from mckp.recall.evaluate import has_total, holds, value_of
from mckp.recall.grammar import Expr, Field
from mckp.recall.mistakes import not_there
from mckp.recall.nearby import by_word, has_letters, of_other_case
from mckp.recall.notes import no_match, skipped
from mckp.recall.patterns import LONG, around, searched
from mckp.recall.query import Found, Query, Scope, read_query, rows_at
from mckp.recall.totals import in_order, parted, totals
from mckp.recall.values import EACH, MISSING, walked
from mckp.weights.keys import NAMES, words_of_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.recall.asked import Asked
    from mckp.recall.values import Step


def ask(document: Any, asked: Asked) -> Found:
    """Return the answer to a question about data.

    Raises
    ------
    RecallError
        If it is not understood, or names what is not there.

    Examples
    --------
    >>> from mckp.recall.asked import Asked
    >>> runs = {"runs": [{"id": n, "state": "ok" if n % 3 else "bad"} for n in range(7)]}
    >>> ask(runs, Asked.of({"group": "state"})).value
    [{'state': 'ok', 'count()': 4}, {'state': 'bad', 'count()': 3}]
    """
    scope, asked = scope_of(document, asked)
    odd = names.odd_names(scope.rows)
    query = read_query(asked, odd)
    place = ""
    try:
        query = checked(query, scope, asked)
    except RecallError as error:
        other = None if asked.path else elsewhere(document, asked)
        if other is None:
            raise error from None
        scope, query = other
        place = names.path_of(scope.steps)
    found = _answered(scope, query, asked)
    return replace(found, place=place) if place else found


def scope_of(document: Any, asked: Asked) -> tuple[Scope, Asked]:
    """Return the rows that a question is about, and the question without what its path says."""
    if not asked.path:
        steps: tuple[Step, ...] = names.main_array(document) if asked.has_expressions else ()
        if not asked.has_expressions and (asked.limit is not None or asked.offset or asked.grep):
            steps = names.main_array(document)
        return rows_at(document, steps), asked
    try:
        steps = grammar.read_steps(asked.path, names.odd_names([document]))
    except grammar.GrammarError as error:
        raise RecallError(f"path: {error}", "path") from None
    if not names.stands([document], steps):
        meant = names.spelled([document], steps) or _below_main(document, steps)
        if meant is None:
            raise not_there(document, steps, asked)
        steps = meant
    column = _column(steps) if not (asked.fields or asked.group) else None
    if column is not None and is_array(walked(document, steps[:-column])):
        rows = as_objects(walked(document, steps[:-column]))
        if rows is not None:
            return _one_column(document, steps, column, rows, asked)
    return rows_at(document, steps), asked


def _below_main(document: Any, steps: tuple[Step, ...]) -> tuple[Step, ...] | None:
    """Return steps that lead somewhere from the main array on, as ``[3].name`` may be meant."""
    main = names.main_array(document)
    for above in (main, (*main, EACH)):
        if main and names.stands([document], [*above, *steps]):
            return (*above, *steps)
    return None


def _column(steps: tuple[Step, ...]) -> int | None:
    """Return how many names at the end of a path stand behind several rows."""
    size = 0
    while size < len(steps) and isinstance(steps[-1 - size], str):
        size += 1
    is_several = size < len(steps) and (
        steps[-1 - size] is EACH or isinstance(steps[-1 - size], slice)
    )
    return size if size and is_several else None


def _one_column(
    document: Any, steps: tuple[Step, ...], size: int, rows: list[Any], asked: Asked
) -> tuple[Scope, Asked]:
    """Return a path such as ``$.jobs[*].state`` as a field of rows, so that they get their keys."""
    last = steps[-size:]
    if (size == 1 and _looks_like_key(str(last[0]))) or asked.has_expressions:
        return rows_at(document, steps), asked
    name = ""
    for each in last:
        name = names.written(name, str(each))
    scope = Scope(rows, steps[:-size], is_single=False)
    return scope, replace(asked, fields={name.removeprefix("@"): name})


def as_objects(value: Any) -> list[Any] | None:
    """Return the elements of an array if all of them are objects."""
    return list(value) if is_array(value) and value and all(map(is_object, value)) else None


def _answered(scope: Scope, query: Query, asked: Asked) -> Found:
    rows = scope.rows
    where, having = parted(query)
    kept = [(n, row) for n, row in enumerate(rows) if where is None or holds(where, row)]
    is_one = len(rows) == 1 and is_container(rows[0])
    if asked.grep and is_one and not (query.fields or query.where or query.group):
        return _places(scope, asked)
    said = ""
    if asked.grep:
        kept, said = _that_mention(kept, asked.grep, len(rows))
        if not kept and not query.group and not query.fields:
            return Found([], is_rows=True, note=said)
    if (
        where is not None
        and not kept
        and not query.group
        and not any(map(has_total, query.fields.values()))
    ):
        return Found([], is_rows=True, note=no_match(query, scope))
    if query.group or any(map(has_total, query.fields.values())):
        return totals([row for _, row in kept], query, having, asked, len(rows))
    for key in reversed(query.sort):
        kept = in_order(kept, key, lambda pair, expr: value_of(expr, pair[1]))
    if scope.is_single:
        return _single(scope, query, kept)
    part = kept[asked.offset : None if asked.limit is None else asked.offset + asked.limit]
    values = _projected(part, query, scope)
    if asked.grep and any(map(_has_long, values)):
        values = [_around(each, asked.grep) for each in values]
        said = "; ".join(filter(None, (said, "… long texts are cut: they are whole without grep")))
    note = "; ".join(filter(None, (said, skipped(query, rows))))
    return Found(values, is_rows=True, first=asked.offset, total=len(kept), note=note)


def _that_mention(
    kept: list[tuple[int, Any]], pattern: str, of: int
) -> tuple[list[tuple[int, Any]], str]:
    """Return the rows that have a pattern in a value, in any case if need be, and a note."""
    exact = [each for each in kept if _mentions(pattern, each[1])]
    any_case = exact
    if has_letters(pattern):
        any_case = [each for each in kept if _mentions(pattern, each[1], ignores_case=True)]
    if exact:
        return exact, of_other_case(len(any_case) - len(exact), "rows", pattern)
    if any_case:
        return any_case, f"0 of {of} rows have it in this case; these differ in case"
    called = [each for each in names.outline(row for _, row in kept) if searched(pattern, each)][:8]
    parts = (
        f"0 of {of} rows have {pattern[:40]!r} in a value",
        by_word(pattern, ["\n".join(map(str, _texts(row))) for _, row in kept], "rows"),
        f"in names of fields: {', '.join(called)}" if called else "",
    )
    return [], "; ".join(filter(None, parts))


def _has_long(value: Any) -> bool:
    return any(len(each) > LONG for each in _texts(value))


def _around(value: Any, pattern: str) -> Any:
    """Return a value with the parts of its long texts that are around a match."""
    if isinstance(value, str):
        return around(value, pattern)
    if is_object(value):
        return {name: _around(each, pattern) for name, each in value.items()}
    return [_around(each, pattern) for each in value] if is_array(value) else value


def _single(scope: Scope, query: Query, kept: list[tuple[int, Any]]) -> Found:
    """Return one object or value, or fields of it; nothing if it is not what was asked for."""
    if not kept:
        return Found([], is_rows=True, note="it does not match")
    row = kept[0][1]
    if not query.fields:
        return Found(row)
    cells = {label: value_of(expr, row) for label, expr in query.fields.items()}
    return Found({label: each for label, each in cells.items() if each is not MISSING})


def _places(scope: Scope, asked: Asked) -> Found:
    """Return the places in an object or array whose name or value has a pattern."""
    said, found = "", list(_places_with(scope, asked.grep, ignores_case=False))
    if not found and has_letters(asked.grep):
        found = list(_places_with(scope, asked.grep, ignores_case=True))
        said = "nothing has it in this case; these differ in case" if found else ""
    part = found[asked.offset : None if asked.limit is None else asked.offset + asked.limit]
    if any(map(_has_long, part)):
        part = [each | {"value": _around(each["value"], asked.grep)} for each in part]
        more = "… long texts are cut: their path gives them whole"
        said = "; ".join(filter(None, (said, more)))
    if not found:
        nothing = f"no name and no value there has {asked.grep[:40]!r}"
        words = by_word(asked.grep, list(_texts(scope.rows[0])), "values")
        said = "; ".join(filter(None, (nothing, words)))
    return Found(part, is_rows=True, first=asked.offset, total=len(found), note=said)


def _places_with(scope: Scope, pattern: str, *, ignores_case: bool) -> Iterator[dict[str, Any]]:
    start: tuple[Step, ...] = scope.steps if scope.is_single else (*scope.steps, 0)
    open_: list[tuple[tuple[Step, ...], Any]] = [(start, scope.rows[0])]
    while open_:
        steps, here = open_.pop()
        name = steps[-1] if steps and steps != start else None
        is_called = isinstance(name, str) and searched(pattern, name, ignores_case=ignores_case)
        if is_called:
            yield {"path": names.path_of(steps), "value": here}
        elif is_container(here):
            below = here.items() if is_object(here) else enumerate(here)
            open_ += reversed([((*steps, key), each) for key, each in below])
        elif here is not None:
            text = here if isinstance(here, str) else dump(here)
            if searched(pattern, text, ignores_case=ignores_case):
                yield {"path": names.path_of(steps), "value": here}


def _mentions(pattern: str, row: Any, *, ignores_case: bool = False) -> bool:
    """Whether a pattern is in some value of a row."""
    return any(searched(pattern, text, ignores_case=ignores_case) for text in _texts(row))


def _texts(value: Any) -> Iterator[str]:
    """Yield the values below one, as texts."""
    open_ = [value]
    while open_:
        here = open_.pop()
        if is_container(here):
            open_ += here.values() if is_object(here) else here
        elif here is not None:
            yield here if isinstance(here, str) else dump(here)


def _projected(part: list[tuple[int, Any]], query: Query, scope: Scope) -> list[Any]:
    """Return the rows of an answer: as they are, or some fields of each with its key."""
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
    # Rows that do not follow one another are told apart by their index, if not by a key.
    is_apart = not is_keyed and key is None and [n for n, _ in part] != list(range(len(part)))
    found: list[Any] = []
    for n, row in part:
        cells = {label: value_of(expr, row) for label, expr in fields.items()}
        index = {"row": n} if is_apart and "row" not in cells else {}
        found.append(index | {label: each for label, each in cells.items() if each is not MISSING})
    return found


def _looks_like_key(name: str) -> bool:
    words = words_of_name(name)
    return bool(words) and words[-1] in NAMES


def _has_key(fields: dict[str, Expr]) -> bool:
    """Whether some field of an answer names its rows."""
    last = [each.steps[-1] for each in fields.values() if isinstance(each, Field) and each.steps]
    return any(isinstance(step, str) and _looks_like_key(step) for step in last)


_LONGEST_KEY: Final = 24
"""Characters of a key that is added to the fields asked for, on average; hashes have more."""


def _key(rows: list[Any]) -> str | None:
    """Return the field that names rows, if there is a short one."""
    if not all(map(is_object, rows)):
        return None
    for name in rows[0]:
        if _looks_like_key(name):
            values = [row.get(name) for row in rows]
            plain = [str(each) for each in values if each is not None and not is_container(each)]
            is_short = sum(map(len, plain)) <= _LONGEST_KEY * len(plain)
            if is_short and len(plain) == len(rows) == len(set(plain)):
                return str(name)
    return None
