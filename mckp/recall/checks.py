"""Names in a question: those of the rows, written otherwise, or of other rows than these."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from mckp.errors import RecallError
from mckp.recall import evaluate, grammar, names
from mckp.recall.evaluate import within
from mckp.recall.grammar import Binary, Call, Expr, Field, Several, Unary
from mckp.recall.mistakes import no_field, no_function
from mckp.recall.query import read_query, rows_at
from mckp.recall.values import EACH

if TYPE_CHECKING:
    from typing import Any

    from mckp.recall.asked import Asked
    from mckp.recall.query import Query, Scope
    from mckp.recall.values import Step


def checked(query: Query, scope: Scope, asked: Asked) -> Query:
    """Return a question whose names all stand in some row; raise if one does not."""
    labels = {*query.fields, *query.group, "count", "count()"}
    if not scope.rows:
        return query
    for parameter, expr in query.all():
        for each in within(expr):
            if isinstance(each, Call) and each.name not in evaluate.KNOWN:
                raise no_function(each.name, parameter, asked)

    def meant(each: Field, parameter: str) -> Field:
        if not each.steps or names.stands(scope.rows, each.steps):
            return each
        if each.word and parameter == "sort" and each.word in labels:
            return each
        if each.word.lower() in evaluate.TOTALS and each.word.lower() == "count":
            return each
        size, values = names.there(scope.rows, each.steps)
        if size and all(value is None or value == [] or value == {} for value in values):
            return each  # null in all rows: there is nothing below it, and nothing wrong
        steps = _without_path(each.steps, scope) or names.spelled(scope.rows, each.steps)
        if steps is None:
            raise no_field(each, parameter, query, scope, asked)
        return Field(steps, each.text, each.word)

    found = query
    for parameter, expr in query.all():
        for each in within(expr):
            if isinstance(each, Field) and (other := meant(each, parameter)) != each:
                found = found.changed(partial(_with, old=each, new=other))
    return found


def _without_path(steps: tuple[Step, ...], scope: Scope) -> tuple[Step, ...] | None:
    """Return steps without a beginning that repeats the path of the rows, as ``jobs[*].id``."""
    own = tuple(each for each in scope.steps if isinstance(each, str))
    for size in range(len(own)):
        tail, place = own[size:], 0
        for each in steps:
            if place < len(tail) and each == tail[place]:
                place += 1
            elif place == len(tail) or isinstance(each, str):
                break
        if place < len(tail):
            continue
        rest = list(steps)
        while rest and place:
            place -= isinstance(rest.pop(0), str)
        while rest and (rest[0] is EACH or isinstance(rest[0], int | slice)):
            rest.pop(0)
        if names.stands(scope.rows, rest):
            return tuple(rest)
    return None


def _with(expr: Expr, old: Field, new: Field) -> Expr:
    """Return an expression with another field for one of its fields."""
    if expr == old:
        return new
    if isinstance(expr, grammar.Part):
        return grammar.Part(_with(expr.of, old, new), expr.steps)
    if isinstance(expr, Unary):
        return Unary(expr.sign, _with(expr.of, old, new))
    if isinstance(expr, Binary):
        return Binary(expr.sign, _with(expr.left, old, new), _with(expr.right, old, new))
    if isinstance(expr, Call):
        return Call(expr.name, tuple(_with(each, old, new) for each in expr.args))
    if isinstance(expr, Several):
        return Several(tuple(_with(each, old, new) for each in expr.items))
    return expr


_MOST: Final = 40
"""Most other arrays, and objects, in which the names of a question are looked for."""


def elsewhere(document: Any, asked: Asked) -> tuple[Scope, Query] | None:
    """Return other rows that have all the names of a question: the document, or another array."""
    for steps in ((), *names.arrays(document)[1:_MOST], *names.objects(document)[:_MOST]):
        scope = rows_at(document, steps)
        try:
            return scope, checked(read_query(asked, names.odd_names(scope.rows)), scope, asked)
        except RecallError:
            continue
    return None
