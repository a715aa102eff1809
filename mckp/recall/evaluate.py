"""Evaluate expressions, for one row or as totals over the rows of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import canonical, is_array, is_container, is_object
from mckp.recall.expressions import (
    Binary,
    Const,
    Expr,
    Field,
    FunctionCall,
    MemberAccess,
    Several,
    Unary,
)
from mckp.recall.patterns import like, matched, searched
from mckp.recall.values import (
    MISSING,
    Many,
    added,
    comparable,
    flat,
    is_equal,
    number_of,
    parsed_json,
    rank_of,
    several,
    time_of,
    truth,
    walked,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.plain import JsonValue

TOTALS: Final = {
    "count": "count", "sum": "sum", "total": "sum", "avg": "avg", "mean": "avg", "average": "avg",
    "min": "min", "minimum": "min", "max": "max", "maximum": "max",
}  # fmt: skip
"""Functions over all rows, by each of their names."""


def value_of(expr: Expr, row: Any, rows: Sequence[Any] | None = None) -> Any:
    """Return the value of an expression for a row.

    Totals are over `rows`, the rows of a group, if they are given, else over the values in the row.
    The value is `MISSING` if there is none.

    Examples
    --------
    >>> from mckp.recall.grammar import read
    >>> rows = [{"n": 2, "tags": ["a"]}, {"n": 4, "tags": []}]
    >>> value_of(read("sum(n) / count()"), rows[0], rows), value_of(read("len(tags)"), rows[0])
    (3, 1)
    """
    if isinstance(expr, Const):
        return expr.value
    if isinstance(expr, Field):
        return walked(row, expr.steps)
    if isinstance(expr, MemberAccess):
        return walked(value_of(expr.of, row, rows), expr.steps)
    if isinstance(expr, Several):
        return [value_of(item, row, rows) for item in expr.items]
    if isinstance(expr, Unary):
        inner = value_of(expr.of, row, rows)
        return not truth(inner) if expr.sign == "not" else _arithmetic("-", 0, inner)
    if isinstance(expr, Binary):
        return _binary(expr, row, rows)
    if is_total(expr) and rows is not None:
        return _total(TOTALS[expr.name], expr.args, rows)
    return _function_value(expr, [value_of(arg, row, rows) for arg in expr.args], row)


def holds(expr: Expr, row: JsonValue) -> bool:
    """Whether an expression is true of a row."""
    return truth(value_of(expr, row))


def is_total(expr: Expr) -> bool:
    """Whether an expression itself is a total, such as ``sum(n)``, with at most one argument."""
    return isinstance(expr, FunctionCall) and expr.name in TOTALS and len(expr.args) < 2


def operands(expr: Expr) -> Iterator[Expr]:
    """Yield the direct operands of an expression."""
    if isinstance(expr, MemberAccess | Unary):
        yield expr.of
    elif isinstance(expr, Binary):
        yield expr.left
        yield expr.right
    elif isinstance(expr, FunctionCall):
        yield from expr.args
    elif isinstance(expr, Several):
        yield from expr.items


def within(expr: Expr) -> Iterator[Expr]:
    """Yield an expression and all expressions within it."""
    yield expr
    for part in operands(expr):
        yield from within(part)


def has_total(expr: Expr) -> bool:
    """Whether an expression contains a total over rows."""
    return any(map(is_total, within(expr)))


def _binary(expr: Binary, row: Any, rows: Sequence[Any] | None) -> Any:
    """Return the value of an operator between two expressions."""
    left = value_of(expr.left, row, rows)
    if expr.sign == "and":
        return truth(left) and truth(value_of(expr.right, row, rows))
    if expr.sign == "or":
        return truth(left) or truth(value_of(expr.right, row, rows))
    right = value_of(expr.right, row, rows)
    return applied(expr.sign, left, right)


def applied(sign: str, left: Any, right: Any) -> Any:
    """Return the value of a binary operator, other than ``and`` and ``or``, for two values."""
    if sign in _TESTS:
        return _TESTS[sign](left, right)
    if sign in _ORDER:
        pairs = (comparable(a, b) for a in several(left) for b in several(right))
        return any(_ORDER[sign](*pair) for pair in pairs if pair is not None)
    return _arithmetic(sign, left, right)


def _equals(left: Any, right: Any) -> bool:
    """Whether two values, or any elements of theirs, are equal; a missing value counts as null."""
    if left is None or left is MISSING or right is None or right is MISSING:
        return (left is None or left is MISSING) and (right is None or right is MISSING)
    if is_container(left) and is_container(right) and is_equal(left, right):
        return True
    return any(
        is_equal(left_item, right_item)
        for left_item in several(left)
        for right_item in several(right)
    )


def _differs(left: Any, right: Any) -> bool:
    """Whether two values differ; null or a missing value on the left differs from nothing."""
    if right is None:
        return not _equals(left, None)
    if left is None or left is MISSING:
        return False
    return not _equals(left, right)


def _contains(left: Any, right: Any) -> bool:
    """Whether a text or number contains a part, an object a name, or an array an element.

    An array also contains the values of the objects in it. If a path leads to several texts, a part
    of any of them is enough.
    """
    if right is MISSING or right is None:
        return False
    if isinstance(left, str):
        return isinstance(right, str) and right in left
    if is_object(left):
        return isinstance(right, str) and right in left
    if is_array(left):
        return any(
            (isinstance(element, str) and isinstance(left, Many) and str(right) in element)
            or is_equal(element, right)
            or (is_object(element) and any(is_equal(inner, right) for inner in element.values()))
            for element in left
        )
    return isinstance(left, int | float) and str(right) in str(left)


def _is_in(left: Any, right: Any) -> bool:
    """Whether a value, or any of several, is in a text, an array or the names of an object."""
    if left is MISSING or left is None:
        return is_array(right) and None in right
    if isinstance(right, str):
        return any(isinstance(value, str) and value in right for value in several(left))
    if is_object(right):
        return any(isinstance(value, str) and value in right for value in several(left))
    return any(is_equal(item, candidate) for item in several(left) for candidate in several(right))


def _text_test(test: Callable[[str, str], bool]) -> Callable[[Any, Any], bool]:
    """Return a test of two values or arrays: whether `test` is true for any pair of their texts."""

    def tested(left: JsonValue, right: JsonValue) -> bool:
        """Whether the test is true for any pair of a text on the left and one on the right."""
        pairs = (
            (left_item, right_item) for left_item in several(left) for right_item in several(right)
        )
        return any(
            test(_text_of(left_item), _text_of(right_item))
            for left_item, right_item in pairs
            if not is_container(left_item)
        )

    return tested


def _text_of(value: JsonValue) -> str:
    """Return a text as it is, null as an empty text, and any other value as JSON."""
    return value if isinstance(value, str) else "" if value is None else canonical(value)


_TESTS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": _equals,
    "!=": _differs,
    "contains": _contains,
    "in": _is_in,
    "startswith": _text_test(str.startswith),
    "endswith": _text_test(str.endswith),
    "matches": _text_test(lambda text, pattern: searched(pattern, text)),
    "like": _text_test(lambda text, pattern: like(pattern, text)),
}
_ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}


def _arithmetic(sign: str, left: Any, right: Any) -> Any:
    """Return the value of ``+``, ``-``, ``*``, ``/`` or ``%``, or `MISSING` if there is none.

    The difference of two times is in seconds. ``+`` also joins texts.
    """
    left, right = _only_value(left), _only_value(right)
    if sign == "-" and (left_time := time_of(left)) is not None:
        if (right_time := time_of(right)) is not None:
            return _rounded_seconds(left_time - right_time)
        return MISSING
    if (
        sign == "+"
        and isinstance(left, str) != isinstance(right, str)
        and not (number_of(left) is not None and number_of(right) is not None)
    ):
        return MISSING if MISSING in (left, right) else f"{_text_of(left)}{_text_of(right)}"
    if sign == "+" and isinstance(left, str) and isinstance(right, str):
        return left + right
    left_number, right_number = number_of(left), number_of(right)
    if left_number is None or right_number is None:
        # A flag that is missing is not true, so it counts as 0 where flags are added.
        has_flag = sign == "+" and any(isinstance(operand, bool) for operand in (left, right))
        if not has_flag or (left_number is None and right_number is None):
            return MISSING
        left_number, right_number = left_number or 0, right_number or 0
    try:
        return _SUMS[sign](left_number, right_number)
    except (ArithmeticError, ValueError):
        return MISSING


def _only_value(value: JsonValue) -> JsonValue:
    """Return the value of a `Many` that has only one, or else the value itself."""
    return value[0] if isinstance(value, Many) and len(value) == 1 else value


def _rounded_seconds(seconds: float) -> int | float:
    """Return seconds as an integer if they are whole, else rounded to microseconds."""
    return int(seconds) if seconds == int(seconds) else round(seconds, 6)


_SUMS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b if isinstance(a, int) and isinstance(b, int) and a % b == 0 else a / b,
    "%": lambda a, b: a % b,
}


def _total(name: str, args: tuple[Expr, ...], rows: Sequence[Any]) -> Any:
    """Return a total over rows; without an argument, the number of rows.

    A count of values leaves out those that are missing, null or false.
    """
    if not args or (isinstance(args[0], Field) and not args[0].steps):
        return len(rows)
    values = [value_of(args[0], row) for row in rows]
    if name == "count" and isinstance(args[0], FunctionCall) and args[0].name == "unique":
        return len(_distinct_values(flat(values)))
    if name == "count":
        return sum(
            value is not MISSING and value is not None and value is not False for value in values
        )
    return _total_of_values(name, values)


def _total_of_values(name: str, values: Iterable[Any]) -> Any:
    """Return the sum, average, least or largest of values, and of the elements of arrays.

    It is `MISSING` if no value fits, but the sum of no values is 0.
    """
    singles = list(flat(values))
    if name in ("min", "max"):
        plain = [value for value in singles if not is_container(value)]
        return (min if name == "min" else max)(plain, key=rank_of, default=MISSING)
    numbers = [number for value in singles if (number := number_of(value)) is not None]
    if not numbers:
        return 0 if name == "sum" and not singles else MISSING
    total = added(numbers)
    return total if name == "sum" else total / len(numbers)


def _distinct_values(values: Iterable[JsonValue]) -> list[JsonValue]:
    """Return the distinct values in order of first appearance."""
    return list({canonical(value): value for value in values}.values())


def _function_value(expr: FunctionCall, args: list[Any], row: Any) -> Any:
    """Return the value of a function of `args`; `MISSING` if it does not take such values.

    A function that is called without arguments is one of the row.
    """
    name, first = expr.name, args[0] if args else row
    if name in OPERATORS and len(args) == 2:
        return applied(OPERATORS[name], *args)
    if name == "exists":
        return first is not MISSING and first is not None
    if name in TOTALS and name != "count":
        return _total_of_values(TOTALS[name], args if len(args) > 1 else [first])
    if name == "unique":
        return _distinct_values(flat([first]))
    if first is MISSING or first is None:
        return 0 if name in _LENGTHS else MISSING
    if name in _LENGTHS:
        return _length(first)
    if name in OPERATORS:
        return MISSING  # it takes two values
    try:
        return FUNCTIONS[name](first, *args[1:])
    except (TypeError, ValueError, ArithmeticError):
        return MISSING  # a value of another kind than the function takes


def _length(value: JsonValue) -> int:
    """Return the length of a text, an array or an object; 1 for any other value."""
    return len(value) if isinstance(value, str) or is_array(value) or is_object(value) else 1


def _keys(value: Any) -> Any:
    """Return the names of an object, or `MISSING` for any other value."""
    return list(value) if is_object(value) else MISSING


def _values(value: Any) -> Any:
    """Return the values of an object, or `MISSING` for any other value."""
    return list(value.values()) if is_object(value) else MISSING


def _data(value: JsonValue) -> JsonValue:
    """Return the data in a JSON string, `MISSING` if it holds none; other values as they are."""
    return parsed_json(value) if isinstance(value, str) else value


def _rounded_number(value: Any, digits: Any = 0) -> Any:
    """Return a number rounded to so many digits after the point, or `MISSING`."""
    number = number_of(value)
    if number is None or not isinstance(digits, int) or abs(digits) > 30:
        return MISSING
    return round(number, digits) if digits else round(number)


def _absolute_value(value: Any) -> Any:
    """Return the absolute value of a number, or `MISSING`."""
    number = number_of(value)
    return MISSING if number is None else abs(number)


def _number(value: Any) -> Any:
    """Return a value as a number, or `MISSING`."""
    number = number_of(value)
    return MISSING if number is None else number


def _seconds(value: Any) -> Any:
    """Return a time as seconds since 1970, or `MISSING`."""
    time = time_of(value)
    return MISSING if time is None else _rounded_seconds(time)


def _prefix_function(size: int) -> Callable[[Any], Any]:
    """Return a function that cuts a text to `size` characters; other values become `MISSING`."""
    return lambda value: value[:size] if isinstance(value, str) else MISSING


def _substring(value: Any, first: Any, size: Any = None) -> Any:
    """Return part of a text, counted from 1 as in SQL (0 counts as 1), or `MISSING`."""
    if not isinstance(value, str) or not isinstance(first, int):
        return MISSING
    start = max(0, first - 1)
    return value[start : start + size] if isinstance(size, int) else value[start:]


def _joined_text(value: JsonValue, between: JsonValue = ", ") -> JsonValue:
    """Return the elements of an array as one text, separated by `between`."""
    return str(between).join(map(_text_of, several(value)))


def _split(value: Any, by: Any = None) -> Any:
    """Return the parts of a text between separators, by default whitespace, or `MISSING`."""
    if not isinstance(value, str) or not (by is None or (isinstance(by, str) and by)):
        return MISSING
    return value.split(by)


def _first_match(value: Any, pattern: Any = "") -> Any:
    """Return the first match in a text: its first group, or all of it; `MISSING` if none."""
    match = matched(str(pattern), value) if isinstance(value, str) else None
    return MISSING if match is None else match


def _text_function(change: Callable[[str], str]) -> Callable[[Any], Any]:
    """Return a function that changes a text, or each text of an array."""

    def changed(value: Any) -> Any:
        """Return the changed text, or the changed texts of an array."""
        if is_array(value):
            return Many([change(_text_of(item)) for item in value])
        return change(_text_of(value))

    return changed


_LENGTHS: Final = ("len", "length", "size", "count")
OPERATORS: Final = {
    "contains": "contains", "includes": "contains", "startswith": "startswith",
    "starts_with": "startswith", "endswith": "endswith", "ends_with": "endswith",
    "matches": "matches", "match": "matches", "test": "matches", "regex": "matches",
    "like": "like", "datediff": "-", "date_diff": "-", "diff": "-",
}  # fmt: skip
"""Functions that are operators."""
FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "keys": _keys,
    "values": _values,
    "lower": _text_function(str.lower),
    "upper": _text_function(str.upper),
    "trim": _text_function(str.strip),
    "str": _text_of,
    "string": _text_of,
    "tostring": _text_of,
    "round": _rounded_number,
    "abs": _absolute_value,
    "number": _number,
    "int": _number,
    "float": _number,
    "tonumber": _number,
    "json": _data,
    "fromjson": _data,
    "parse_json": _data,
    "year": _prefix_function(4),
    "month": _prefix_function(7),
    "date": _prefix_function(10),
    "day": _prefix_function(10),
    "seconds": _seconds,
    "timestamp": _seconds,
    "epoch": _seconds,
    "substr": _substring,
    "substring": _substring,
    "join": _joined_text,
    "split": _split,
    "extract": _first_match,
    "capture": _first_match,
}
"""Functions of one value, by each of their names."""
KNOWN: Final = (*_LENGTHS, "exists", "unique", *TOTALS, *OPERATORS, *FUNCTIONS)
"""All names of functions."""
SHOWN: Final = (
    "len", "keys", "lower", "round", "abs", "unique", "split", "extract", "count", "sum", "avg",
    "min", "max",
)  # fmt: skip
"""Those that an error names."""
