"""Notes beside an answer: that no row matches, or which rows it leaves out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_container, is_object
from mckp.recall.evaluate import value_of, within
from mckp.recall.expressions import Binary, Const, Expr, Field, FunctionCall, Unary
from mckp.recall.values import MISSING, flat, is_hollow, rank_of, time_of, walked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.plain import JsonValue
    from mckp.recall.query import ParsedQuestion, QuestionScope
    from mckp.recall.question import RecallQuestion

_MOST_VALUES: Final = 12


def no_match_note(query: ParsedQuestion, scope: QuestionScope) -> str:
    """Say that no row matches, and list the values of a field in the condition, or their range."""
    message = f"0 of {len(scope.rows)} rows match"
    if query.where is None:
        return message
    for part in within(query.where):
        if isinstance(part, Binary) and isinstance(part.left, Field) and part.left.steps:
            values = Counter(
                value if isinstance(value, str) else dump(value)
                for row in scope.rows
                for value in flat([walked(row, part.left.steps)])
                if not is_container(value)
            )
            if values and len(values) <= _MOST_VALUES and max(map(len, values)) <= 40:
                shown = ", ".join(f"{value} {count}" for value, count in values.most_common())
                return f"{message}; {part.left.text} is: {shown}"
            if values and part.sign in ("<", "<=", ">", ">="):
                ranked = sorted(values, key=rank_of)
                return f"{message}; {part.left.text} is from {ranked[0][:40]} to {ranked[-1][:40]}"
    return message


def unranked_note(query: ParsedQuestion, question: RecallQuestion, rows: list[Any]) -> str:
    """Say how many rows come last because they have no value to sort by."""
    for key, text in zip(query.sort, question.sort, strict=True):
        ranked_by = key.of if isinstance(key, Unary) and key.sign == "-" else key
        values = [value_of(ranked_by, row) for row in rows]
        if without_value := sum(value is MISSING or value is None for value in values):
            come = "row comes last: it has" if without_value == 1 else "rows come last: they have"
            return f"{without_value} {come} no {text.removeprefix('-')}"
    return ""


def seconds_note(query: ParsedQuestion, rows: Sequence[JsonValue]) -> str:
    """Say that a field is in seconds if it is computed from the difference of two times."""
    differences = [
        part
        for expr in query.fields.values()
        for part in within(expr)
        if isinstance(part, Binary) and part.sign == "-"
    ]
    for part in differences:
        for row in rows[:_MOST_VALUES]:
            operands = [flat([value_of(side, row)]) for side in (part.left, part.right)]
            if all(any(time_of(value) is not None for value in values) for values in operands):
                return "differences of times are in seconds"
    return ""


def skipped_note(query: ParsedQuestion, rows: list[Any]) -> str:
    """Say how many rows ``!=`` leaves out of the answer because they have no value."""
    if query.where is None:
        return ""
    for condition in conjuncts(query.where):
        if (
            isinstance(condition, Binary)
            and condition.sign == "!="
            and isinstance(condition.left, Field)
        ):
            steps = condition.left.steps
            left_out = sum(
                walked(row, steps) is MISSING or walked(row, steps) is None for row in rows
            )
            is_null = isinstance(condition.right, Const) and condition.right.value is None
            if left_out and not is_null:
                return f"{left_out} rows without {condition.left.text} are not among them"
    return ""


def hollow_note(query: ParsedQuestion, rows: Sequence[JsonValue]) -> str:
    """Say of how many rows an object that a condition asks for has nothing but nulls.

    `rows` are those that match. Such an object is not null, though it looks so in a table.
    """
    if query.where is None:
        return ""
    for condition in conjuncts(query.where):
        field: Expr | None = None
        if isinstance(condition, FunctionCall) and condition.name == "exists":
            field = condition.args[0] if condition.args else None
        elif isinstance(condition, Binary) and condition.sign == "!=":
            is_null = isinstance(condition.right, Const) and condition.right.value is None
            field = condition.left if is_null else None
        if isinstance(field, Field) and field.steps:
            values = [walked(row, field.steps) for row in rows]
            hollow = sum(is_object(value) and bool(value) and is_hollow(value) for value in values)
            if hollow:
                return f"in {hollow} of them, {field.text} is an object of nulls"
    return ""


def conjuncts(expr: Expr) -> Iterator[Expr]:
    """Yield the conditions that ``and`` joins."""
    if isinstance(expr, Binary) and expr.sign == "and":
        yield from conjuncts(expr.left)
        yield from conjuncts(expr.right)
    else:
        yield expr
