"""Errors in a question, with the names that exist and the call that may be meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mckp.errors import RecallError
from mckp.jsontext import is_array, is_object
from mckp.recall import evaluate, names
from mckp.recall.evaluate import within
from mckp.recall.expressions import Binary, Const, Several
from mckp.recall.grammar import GrammarError, read
from mckp.recall.values import EACH, Many

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.plain import JsonValue
    from mckp.recall.expressions import Expr, Field
    from mckp.recall.query import ParsedQuestion, QuestionScope
    from mckp.recall.question import RecallQuestion
    from mckp.recall.values import Step


def unreadable(
    parameter: str, text: str, error: GrammarError, question: RecallQuestion
) -> RecallError:
    """Return the error for an expression that cannot be read.

    It proposes the part before the fault, or the text with a closing bracket or quote, if that can
    be read.
    """
    message = f"{parameter} {text[:80]!r}: {error.why} at column {error.column}"
    readable = next(
        filter(_is_readable, (text[: error.column - 1].strip(), f"{text})", f"{text}'")), None
    )
    if readable is None:
        return RecallError(message, parameter)
    call = {
        name: [readable if expression == text else expression for expression in value]
        if is_array(value)
        else value
        for name, value in call_of(question).items()
    }
    call |= {} if is_array(call.get(parameter)) else {parameter: readable}
    return RecallError(message, parameter, call=call)


def _is_readable(text: str) -> bool:
    """Whether a text can be read as an expression."""
    try:
        read(text)
    except GrammarError:
        return False
    return True


def no_function(name: str, parameter: str, question: RecallQuestion) -> RecallError:
    """Return the error for an unknown function, with those that exist, the nearest first."""
    known = list(dict.fromkeys(names.nearest(name, evaluate.SHOWN)))
    message = f"{parameter}: there is no function {name[:40]!r}; there are: {', '.join(known)}"
    better = names.likely_name(name, evaluate.KNOWN)
    call = replaced(question, parameter, name, better) if better else None
    return RecallError(message, parameter, names=known, call=call)


def no_field(
    field: Field,
    parameter: str,
    query: ParsedQuestion,
    scope: QuestionScope,
    question: RecallQuestion,
) -> RecallError:
    """Return the error for a field that no row has, with the nearest names and a call.

    `parameter` is the one that names the field.
    """
    known = names.outline(scope.rows)
    ranked = names.nearest(field.text, known)
    with_value = _fields_with_value(field, query, scope, ranked)
    ranked = list(dict.fromkeys([*with_value, *ranked]))
    text = field.text[:60]
    size, values = names.resolved_prefix(scope.rows, field.steps)
    step = field.steps[size]
    if isinstance(step, int) and values and is_array(values[0]):
        longest = max(len(value) for value in values if is_array(value))
        message = f"{parameter}: no row has {text}; the longest array there has {longest} elements"
        shorter = field.text.replace(f"[{step}]", f"[{max(0, longest - 1)}]")
        return RecallError(
            message, parameter, call=replaced(question, parameter, field.text, shorter)
        )
    is_text = _is_meant_as_text(field, query)
    shown = names.listed(ranked)
    place = names.path_of(scope.steps)
    rows = place if scope.is_single else f"{len(scope.rows)} rows of {place}"
    hint = f" (a text needs quotes: '{text}')" if is_text else ""
    fields = f"it has {shown}" if scope.is_single else f"they have {shown}"
    if not known:
        kinds = sorted({type(row).__name__ for row in scope.rows[:50]})
        fields = f"its values are {', '.join(kinds)}, without fields: write @ for the value"
    message = f"{parameter}: nothing in {rows} has {text!r}{hint}; {fields}"
    near = (
        with_value[0]
        if with_value
        else _respelled_field(field, scope) or names.likely_name(field.text, known)
    )
    better = f"'{field.text}'" if is_text else near or (ranked or ["@"])[0]
    call = replaced(question, parameter, field.text, better)
    return RecallError(message, parameter, names=ranked, call=call)


def _respelled_field(field: Field, scope: QuestionScope) -> str:
    """Return a field with its wrong step replaced by the nearest name; empty if none is near."""
    size, values = names.resolved_prefix(scope.rows, field.steps)
    step = field.steps[size]
    known = list(dict.fromkeys(name for value in names.objects_in(values) for name in value))
    near = names.likely_name(step, known) if isinstance(step, str) else ""
    steps = (*field.steps[:size], near, *field.steps[size + 1 :])
    if not near or not names.leads_somewhere(scope.rows, steps):
        return ""
    text = ""
    for part in steps:
        if isinstance(part, str):
            text = names.written(text, part)
        else:
            text += names.path_of([part])[1:]
    return text


def _is_meant_as_text(field: Field, query: ParsedQuestion) -> bool:
    """Whether an unknown word is probably a text: a comparison has it on the right."""
    if not field.word or query.where is None:
        return False
    return any(
        isinstance(part, Binary)
        and part.sign in ("==", "!=", "in", "contains", "startswith", "endswith", "like")
        and (part.right == field or _is_list_with(part.right, field))
        for part in within(query.where)
    )


def _fields_with_value(
    field: Field, query: ParsedQuestion, scope: QuestionScope, known: Sequence[str]
) -> list[str]:
    """Return those known fields that have, in any row, the text that `field` is compared with."""
    matching: list[str] = []
    parts: Iterable[Expr] = () if query.where is None else within(query.where)
    for test in parts:
        if not isinstance(test, Binary) or test.left != field or not isinstance(test.right, Const):
            continue
        value = test.right.value
        if isinstance(value, str) and value:
            candidates = ((name, Binary("==", read(name), test.right)) for name in known)
            matching += [
                name
                for name, expr in candidates
                if any(evaluate.holds(expr, row) for row in scope.rows[: names.MOST_ROWS])
            ]
    return matching


def _is_list_with(expr: Expr, field: Field) -> bool:
    """Whether an expression is a list that contains a field."""
    return isinstance(expr, Several) and field in expr.items


def replaced(
    question: RecallQuestion, parameter: str, old: str, better: str
) -> dict[str, JsonValue]:
    """Return a question's call with `old` replaced by `better` in one parameter."""
    pattern = re.compile(
        rf"(?<![\w.]){re.escape(old)}(?![\w(])"
        if old[-1:].isalnum() and parameter != "path"
        else re.escape(old)
    )
    if better in evaluate.KNOWN and not re.search(pattern, str(call_of(question).get(parameter))):
        pattern = re.compile(rf"\b{re.escape(old)}(?=\()", re.IGNORECASE)

    def changed(value: Any) -> Any:
        """Return an argument with the replacement made in its texts."""
        if isinstance(value, str):
            return pattern.sub(lambda _: better, value)
        return [changed(item) for item in value] if is_array(value) else value

    call = call_of(question)
    return {
        name: changed(argument) if name == parameter else argument
        for name, argument in call.items()
    }


def call_of(question: RecallQuestion) -> dict[str, JsonValue]:
    """Return the parameters of a question, all but `jq`, as a model would write them."""
    fields = [
        text if text == label or label == text.lstrip("$@.") else f"{text} as {label}"
        for label, text in question.fields.items()
    ]
    lines = ",".join(f"{first}-{'' if last is None else last}" for first, last in question.lines)
    parameters: dict[str, Any] = {
        "path": question.path, "where": question.where, "fields": fields,
        "group": ", ".join(question.group),
        "sort": ", ".join(question.sort), "limit": question.limit, "offset": question.offset,
        "grep": question.grep, "context": question.context, "lines": lines,
    }  # fmt: skip
    return {
        name: value
        for name, value in parameters.items()
        if value or (name == "limit" and value == 0)
    }


def not_there(
    document: JsonValue, steps: tuple[Step, ...], question: RecallQuestion
) -> RecallError:
    """Return the error for a path that leads nowhere, with the names where it goes wrong."""
    size, values = names.resolved_prefix([document], steps)
    above, value = names.path_of(steps[:size]), values[0] if values else document
    if is_array(value) and not isinstance(value, Many) and isinstance(steps[size], int):
        message = (
            f"path: {above} has the items [0] to [{len(value) - 1}]"
            if value
            else f"path: {above} is empty"
        )
        better = names.path_of([*steps[:size], max(0, len(value) - 1)])
        return RecallError(
            message, "path", call={**call_of(question), "path": better if value else above}
        )
    known = list(dict.fromkeys(name for element in names.objects_in(values) for name in element))
    name = str(steps[size]) if isinstance(steps[size], str) else ""
    deep_paths = [names.path_of(path) for path in _paths_of_name(document, name)] if name else []
    ranked = names.nearest(name, known)
    if not known:
        message = f"path: {above} has nothing below it"
        return RecallError(message, "path", call={**call_of(question), "path": above})
    near = names.likely_name(name, known)
    better = deep_paths[0] if deep_paths else names.path_of([*steps[:size], near or ranked[0]])
    elsewhere = f"; {name} is at {', '.join(deep_paths[:3])}" if deep_paths else ""
    shown = names.listed(ranked)
    message = f"path: {above} has no {name[:40]!r}{elsewhere}; it has {shown}"
    return RecallError(
        message, "path", names=[*deep_paths, *ranked], call={**call_of(question), "path": better}
    )


def _paths_of_name(document: JsonValue, name: str) -> Iterator[tuple[Step, ...]]:
    """Yield the paths of up to three members with a name, ignoring case and punctuation.

    Of each array, only the first element is searched.
    """
    open_: list[tuple[tuple[Step, ...], Any]] = [((), document)]
    steps = count = 0
    while open_ and steps < 5_000 and count < 3:
        steps += 1
        path, value = open_.pop(0)
        if is_object(value):
            for key, child in value.items():
                if key == name or names.normal(key) == names.normal(name) != "":
                    count += 1
                    yield (*path, key)
                open_.append(((*path, key), child))
        elif is_array(value) and value:
            open_.append(((*path, EACH if len(value) > 1 else 0), value[0]))
