"""Check the names in a question: respelled names of the rows, or names of other rows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from mckp.errors import RecallError
from mckp.recall import evaluate, names
from mckp.recall.evaluate import within
from mckp.recall.expressions import Binary, Expr, Field, FunctionCall, MemberAccess, Several, Unary
from mckp.recall.mistakes import no_field, no_function
from mckp.recall.query import read_query, rows_at
from mckp.recall.values import EACH

if TYPE_CHECKING:
    from mckp.plain import JsonValue
    from mckp.recall.query import ParsedQuestion, QuestionScope
    from mckp.recall.question import RecallQuestion
    from mckp.recall.values import Step


def checked(
    parsed: ParsedQuestion, scope: QuestionScope, question: RecallQuestion
) -> ParsedQuestion:
    """Return the parsed question with its fields spelled as in the rows.

    A field that is nowhere in the rows, or an unknown function, raises a `RecallError`. Labels
    of the result in `sort`, and names below values that are empty in all rows, are accepted.
    Without rows, nothing is checked.
    """
    labels = {*parsed.fields, *parsed.group, "count", "count()"}
    if not scope.rows:
        return parsed
    for parameter, expr in parsed.expressions():
        for part in within(expr):
            if isinstance(part, FunctionCall) and part.name not in evaluate.KNOWN:
                raise no_function(part.name, parameter, question)

    def corrected(field: Field, parameter: str) -> Field:
        """Return a field as the rows spell it; raise if it is nowhere in them."""
        if not field.steps or names.leads_somewhere(scope.rows, field.steps):
            return field
        if field.word and parameter == "sort" and field.word in labels:
            return field
        if field.word.lower() in evaluate.TOTALS and field.word.lower() == "count":
            return field
        size, values = names.resolved_prefix(scope.rows, field.steps)
        if size and all(value is None or value == [] or value == {} for value in values):
            return field  # null in all rows: there is nothing below it, and nothing wrong
        steps = _without_path(field.steps, scope) or names.respelled(scope.rows, field.steps)
        if steps is None:
            raise no_field(field, parameter, parsed, scope, question)
        return Field(steps, field.text, field.word)

    mended = parsed
    for parameter, expr in parsed.expressions():
        for part in within(expr):
            if isinstance(part, Field) and (right_field := corrected(part, parameter)) != part:
                mended = mended.changed(partial(_with_field, old=part, new=right_field))
    return mended


def _without_path(steps: tuple[Step, ...], scope: QuestionScope) -> tuple[Step, ...] | None:
    """Return steps without the path of the rows, or None if they do not repeat it.

    For the rows of ``$.jobs``, ``jobs[*].id`` repeats it.
    """
    names_above = tuple(step for step in scope.steps if isinstance(step, str))
    for size in range(len(names_above)):
        tail, place = names_above[size:], 0
        for step in steps:
            if place < len(tail) and step == tail[place]:
                place += 1
            elif place == len(tail) or isinstance(step, str):
                break
        if place < len(tail):
            continue
        rest = list(steps)
        while rest and place:
            place -= isinstance(rest.pop(0), str)
        while rest and (rest[0] is EACH or isinstance(rest[0], int | slice)):
            rest.pop(0)
        if names.leads_somewhere(scope.rows, rest):
            return tuple(rest)
    return None


def _with_field(expr: Expr, old: Field, new: Field) -> Expr:
    """Return an expression with the field `old` replaced by `new`, wherever it occurs."""
    if expr == old:
        return new
    if isinstance(expr, MemberAccess):
        return MemberAccess(_with_field(expr.of, old, new), expr.steps)
    if isinstance(expr, Unary):
        return Unary(expr.sign, _with_field(expr.of, old, new))
    if isinstance(expr, Binary):
        return Binary(
            expr.sign, _with_field(expr.left, old, new), _with_field(expr.right, old, new)
        )
    if isinstance(expr, FunctionCall):
        return FunctionCall(expr.name, tuple(_with_field(arg, old, new) for arg in expr.args))
    if isinstance(expr, Several):
        return Several(tuple(_with_field(item, old, new) for item in expr.items))
    return expr


_MOST: Final = 40
"""Most other arrays, and objects, in which the names of a question are looked for."""


def scope_elsewhere(
    document: JsonValue, question: RecallQuestion
) -> tuple[QuestionScope, ParsedQuestion] | None:
    """Find other rows with every name of a question.

    Return their scope and the checked question, or None if there are no such rows.
    """
    for steps in ((), *names.array_paths(document)[1:_MOST], *names.object_paths(document)[:_MOST]):
        scope = rows_at(document, steps)
        try:
            return scope, checked(
                read_query(question, names.odd_names(scope.rows)), scope, question
            )
        except RecallError:
            continue
    return None
