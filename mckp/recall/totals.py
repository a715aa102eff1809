"""Totals over rows, and over the rows of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.jsontext import canonical, is_array
from mckp.recall import evaluate
from mckp.recall.evaluate import has_total, is_total, value_of, within
from mckp.recall.expressions import Binary, Expr, Field, FunctionCall, Several, Unary
from mckp.recall.notes import conjuncts, no_match_note
from mckp.recall.query import DataAnswer, QuestionScope
from mckp.recall.values import MISSING, Many, flat, rank_of, truth

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.recall.query import ParsedQuestion
    from mckp.recall.question import RecallQuestion


def split_condition(query: ParsedQuestion) -> tuple[Expr | None, Expr | None]:
    """Return the condition on rows and the one on groups, such as ``count() > 1``, or None."""
    if query.where is None or not query.group:
        return query.where, None
    parts = list(conjuncts(query.where))
    of_groups = [part for part in parts if has_total(part) and not _is_of_row(part)]
    of_rows = [part for part in parts if part not in of_groups]
    return _conjunction(of_rows), _conjunction(of_groups)


def _is_of_row(expr: Expr) -> bool:
    """Whether all totals in an expression count values in a row, as in ``count(steps) > 3``."""
    totals = [total for total in within(expr) if is_total(total)]
    return all(
        isinstance(total, FunctionCall) and total.name == "count" and total.args for total in totals
    )


def _conjunction(parts: list[Expr]) -> Expr | None:
    """Join conditions with ``and``; None if there are none."""
    if not parts:
        return None
    joined = parts[0]
    for part in parts[1:]:
        joined = Binary("and", joined, part)
    return joined


def totals(
    rows: list[Any],
    query: ParsedQuestion,
    having: Expr | None,
    question: RecallQuestion,
    row_count: int,
) -> DataAnswer:
    """Answer with totals over all rows, or over the rows of each group.

    `having` is the condition on groups, and `row_count` the number of rows before the condition on
    rows was applied.
    """
    fields, group = query.fields, query.group
    plain_fields = {label: expr for label, expr in fields.items() if not has_total(expr)}
    if plain_fields and not group:
        best = _extreme_rows(rows, fields)
        if best is not None:
            return best
        group = plain_fields
    if not group:
        if not rows and not any(_is_zero_without_rows(expr) for expr in fields.values()):
            note = (
                no_match_note(query, QuestionScope([None] * row_count, (), is_single=False))
                if query.where
                else ""
            )
            return DataAnswer(dict.fromkeys(fields), note=note or f"0 of {row_count} rows")
        cells = {
            label: value_of(expr, rows[0] if rows else {}, rows) for label, expr in fields.items()
        }
        values = {label: None if cell is MISSING else cell for label, cell in cells.items()}
        return DataAnswer(values, note=_no_numbers_note(fields, values, rows))
    cells_of = fields if fields else {"count()": FunctionCall("count", ())}
    of_elements = all(
        expr == FunctionCall("count", ()) for expr in cells_of.values() if has_total(expr)
    )
    groups = _group_rows(rows, list(group.values()), of_elements=of_elements)
    if having is not None:
        groups = [
            keys_and_rows
            for keys_and_rows in groups
            if truth(value_of(having, keys_and_rows[1][0], keys_and_rows[1]))
        ]
    results: list[tuple[dict[str, Any], list[Any]]] = []
    for keys, members in groups:
        row = {
            label: key
            for label, key in zip(group, keys, strict=True)
            if label not in cells_of or has_total(cells_of[label])
        }
        for label, expr in cells_of.items():
            same = next(
                (key for name, key in zip(group, keys, strict=True) if group[name] == expr), MISSING
            )
            value = same if same is not MISSING else value_of(expr, members[0], members)
            row[label] = None if value is MISSING else value
        results.append((row, members))
    if not query.sort:
        results.sort(key=lambda row_and_members: -len(row_and_members[1]))
    for key in reversed(query.sort):
        results = in_order(results, key, _sort_key)
    total = len(results)
    part = results[
        question.offset : None if question.limit is None else question.offset + question.limit
    ]
    return DataAnswer([row for row, _ in part], is_rows=True, first=question.offset, total=total)


def _no_numbers_note(fields: dict[str, Expr], values: dict[str, Any], rows: list[Any]) -> str:
    """Return a note on totals that have values, none of which is a number; empty if none has."""
    messages: list[str] = []
    for label, expr in fields.items():
        if values[label] is None and isinstance(expr, FunctionCall) and expr.args and rows:
            argument_values = list(flat(value_of(expr.args[0], row) for row in rows))
            shown = f", as {str(argument_values[0])[:30]!r}" if argument_values else ""
            messages.append(f"{label}: none of {len(argument_values)} values is a number{shown}")
    return "; ".join(messages)


def _sort_key(group: tuple[dict[str, Any], list[Any]], expr: Expr) -> Any:
    """Return the sort key of a group, given as its row in the answer and its members."""
    row, members = group
    if isinstance(expr, Field):
        if expr.text in row:
            return row[expr.text]
        if expr.word.lower() in ("count", "n", "total"):
            return len(members)
    return value_of(expr, members[0], members)


def _is_zero_without_rows(expr: Expr) -> bool:
    """Whether an expression is a count or sum, which is 0 without rows."""
    return isinstance(expr, FunctionCall) and expr.name in ("count", "sum")


def _extreme_rows(rows: list[Any], fields: dict[str, Expr]) -> DataAnswer | None:
    """Return the fields of the rows that have the largest or least value.

    The result is None unless one such value is the only total, and a row has it.
    """
    totals = [(label, expr) for label, expr in fields.items() if has_total(expr)]
    if len(totals) != 1 or not rows:
        return None
    label, total = totals[0]
    if not isinstance(total, FunctionCall) or evaluate.TOTALS.get(total.name) not in ("min", "max"):
        return None
    best = value_of(total, rows[0], rows)
    if best is MISSING or not total.args:
        return None
    rows_with_best = [row for row in rows if best in list(flat([value_of(total.args[0], row)]))]
    best_rows: list[Any] = []
    for row in rows_with_best:
        cells = {
            name: best if name == label else value_of(expr, row) for name, expr in fields.items()
        }
        best_rows.append({name: cell for name, cell in cells.items() if cell is not MISSING})
    return DataAnswer(best_rows, is_rows=True, total=len(best_rows))


def _group_rows(
    rows: list[Any], keys: list[Expr], *, of_elements: bool
) -> list[tuple[list[Any], list[Any]]]:
    """Return the values of each group with its rows; a row with an array is in several groups.

    With `of_elements` it is in a group as often as its array has the value.
    """
    by_key: dict[str, tuple[list[Any], list[Any]]] = {}
    for row in rows:
        combined: list[list[Any]] = [[]]
        for key in keys:
            value = value_of(key, row)
            options = list(value) if is_array(value) else [value]
            key_values = list(map(_group_value, options or [None]))
            if not of_elements:
                key_values = list({canonical(item): item for item in key_values}.values())
            combined = [[*enclosing, item] for enclosing in combined for item in key_values][:1000]
        for values in combined:
            by_key.setdefault(canonical(values), (values, []))[1].append(row)
    return list(by_key.values())


def _group_value(value: Any) -> Any:
    """Return a value by which rows can be grouped: null if it is missing."""
    return None if value is MISSING else value


def in_order(items: list[Any], key: Expr, value: Callable[[Any, Expr], Any]) -> list[Any]:
    """Sort items by an expression; those without a value come last.

    `value` returns the value of an expression for an item. A ``-`` before the expression means that
    the largest come first.
    """
    descending = isinstance(key, Unary) and key.sign == "-"
    inner = key.of if isinstance(key, Unary) and descending else key
    if isinstance(inner, Several) and len(inner.items) == 1:
        inner = inner.items[0]
    with_value, without_value = list[tuple[Any, Any]](), list[Any]()
    for item in items:
        rank = value(item, inner)
        if isinstance(rank, Many):
            rank = rank[0]
        (
            without_value.append(item)
            if rank is MISSING or rank is None
            else with_value.append((rank_of(rank), item))
        )
    with_value.sort(key=lambda pair: pair[0], reverse=descending)
    return [*(item for _, item in with_value), *without_value]
