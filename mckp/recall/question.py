"""Read what a call asks for; parameters may have the names that other tools use."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import RecallError
from mckp.jsontext import dump, is_array, is_object, step_text
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mckp.plain import JsonValue

PARAMETERS: Final = (
    "path", "where", "fields", "group", "sort", "limit", "offset", "grep", "context", "lines",
    "jq",
)  # fmt: skip
"""The parameters of a question, beside the handle of a result."""

_ALIASES: Final = {
    "filter": "where", "select": "fields", "columns": "fields", "field": "fields",
    "order_by": "sort", "orderby": "sort", "sort_by": "sort", "order": "sort",
    "group_by": "group", "groupby": "group", "top": "limit", "head": "limit", "first": "limit",
    "skip": "offset", "start": "offset", "pattern": "grep", "regex": "grep", "search": "grep",
    "match": "grep", "line": "lines", "range": "lines", "heading": "path", "section": "path",
    "function": "path", "at": "path",
}  # fmt: skip
_ROWS: Final = ("row", "rows", "index", "indexes", "item", "items")
"""Names by which rows are asked for, which are none of the parameters."""
MAX_FIELDS: Final = 64
"""Most expressions of one parameter, so that other callers need not wait."""
_WHOLE: Final = regex(r"\s*([0-9]{1,15})\s*")
_NAMED: Final = regex(r"(.+?)\s+as\s+([\w ]+|\"[^\"]+\")\s*\Z", re.IGNORECASE | re.DOTALL)
_LABELLED: Final = regex(r"\s*([A-Za-z_]\w*)\s*:\s*(\S.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RecallQuestion:
    """A question about a document.

    Attributes
    ----------
    path : str
        The array, object or value; of a text a heading, function or file. Empty for the main array.
    where : str
        The expression that is true of the rows wanted.
    fields : dict of str to str
        Expressions by the names they have in the answer; empty for whole rows.
    group, sort : tuple of str
        Expressions; a ``-`` before one to sort by means the largest first.
    limit : int or None
        Most rows or lines.
    offset : int
        Rows or lines to skip.
    grep : str
        A pattern of lines, or of values.
    context : int
        Lines around each that matches.
    lines : tuple of (int, int or None)
        First and last line of the parts of a text that are wanted.
    jq : str
        A whole jq program, in place of all others but `limit` and `offset`; needs the extra.
    """

    path: str = ""
    where: str = ""
    fields: dict[str, str] = field(default_factory=dict[str, str])
    group: tuple[str, ...] = ()
    sort: tuple[str, ...] = ()
    limit: int | None = None
    offset: int = 0
    grep: str = ""
    context: int = 0
    lines: tuple[tuple[int, int | None], ...] = ()
    jq: str = ""

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> RecallQuestion:
        """Read the parameters of a call; raise a `RecallError` that names what is wrong.

        Examples
        --------
        >>> parameters = {"where": "n > 3", "select": "id, len(steps)", "sort": "n desc"}
        >>> question = RecallQuestion.of(parameters)
        >>> question.where, question.fields, question.sort
        ('n > 3', {'id': 'id', 'len(steps)': 'len(steps)'}, ('-(n)',))
        """
        plain = dict(_renamed(parameters))
        if plain.pop("count", None) is True:
            plain.setdefault("fields", ["count()"])
        if plain.get("jq") and (beside := sorted(plain.keys() - {"jq", "limit", "offset"})):
            message = f"jq cannot be combined with {beside[0]}; do that in the jq program"
            rest = {name: argument for name, argument in plain.items() if name not in beside}
            raise RecallError(message, "jq", call=rest)
        return cls(
            path=_text("path", plain.get("path")),
            where=_condition(plain.get("where")),
            fields=_fields(plain.get("fields")),
            group=tuple(_listed("group", plain.get("group"))),
            sort=tuple(
                map(_sort_expression, _listed("sort", _as_sort_expressions(plain.get("sort"))))
            ),
            limit=_whole_number("limit", plain.get("limit")),
            offset=_whole_number("offset", plain.get("offset")) or 0,
            grep=_pattern(plain.get("grep")),
            context=min(_whole_number("context", plain.get("context")) or 0, 1000),
            lines=_ranges(plain.get("lines")),
            jq=_text("jq", plain.get("jq")),
        )

    @property
    def is_bare(self) -> bool:
        """Whether the call asks for the whole document."""
        return self == RecallQuestion()

    @property
    def has_expressions(self) -> bool:
        """Whether rows are filtered, projected, grouped or sorted."""
        return bool(self.where or self.fields or self.group or self.sort)


def _renamed(parameters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the parameters under our names; raise a `RecallError` if one has no counterpart."""
    for name, value in parameters.items():
        if name == "handle" or value is None or value == "" or value == []:
            continue
        known = _ALIASES.get(name.lower(), name.lower())
        if known in _ROWS and (path := _rows_path(value)):
            better = {key: argument for key, argument in parameters.items() if key != name} | {
                "path": path
            }
            message = (
                f"there is no parameter {name!r}; for rows by index, use a path such as {path}"
            )
            raise RecallError(message, name, call=better)
        if known not in PARAMETERS and known != "count":
            near = get_close_matches(known, [*PARAMETERS, *_ALIASES], 1)
            replacement = {_ALIASES.get(near[0], near[0]): value} if near else {}
            better = {
                key: argument for key, argument in parameters.items() if key != name
            } | replacement
            message = f"there is no parameter {name[:40]!r}; there are: {', '.join(PARAMETERS)}"
            raise RecallError(message, name[:40], call=better)
        yield known, value


def _rows_path(value: JsonValue) -> str:
    """Return the path of rows by index, such as ``3`` or ``"3-5"``; empty for any other value."""
    match = _RANGE.fullmatch(str(value))
    if match is None:
        return ""
    if match[2] is None:
        return f"[{match[1]}]"
    return f"[{match[1]}:{int(match[3]) + 1 if match[3] else ''}]"


def _text(name: str, value: JsonValue) -> str:
    """Return a parameter that is a text; a list of steps becomes a path."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if is_array(value) and all(isinstance(part, str | int) for part in value):
        return "$" + "".join(step_text(part) for part in value)
    raise RecallError(f"{name} is a text, not {_shown(value)}", name)


def _pattern(value: JsonValue) -> str:
    """Return a pattern; the patterns in a list become its alternatives."""
    if is_array(value) and all(isinstance(part, str) for part in value):
        return "|".join(value)
    if value is None or isinstance(value, str):
        return value or ""
    return _text("grep", dump(value) if isinstance(value, int | float) else value)


def _condition(value: JsonValue) -> str:
    """Return a condition; several, or the members of an object, are joined with ``and``."""
    if is_object(value):
        return " and ".join(
            f"{_member(key)} == {dump(expected)}" for key, expected in value.items()
        )
    if is_array(value) and all(isinstance(condition, str) for condition in value):
        return " and ".join(f"({condition})" for condition in value)
    return _text("where", value)


def _member(name: str) -> str:
    """Return a name of an object as it is written in an expression."""
    return name if re.fullmatch(r"[\w.\[\]*]+", name) else f"@[{dump(name)}]"


def _fields(value: JsonValue) -> dict[str, str]:
    """Return the expressions of ``fields`` by their names in the answer."""
    if is_object(value):
        expressions = {str(key): _text("fields", expression) for key, expression in value.items()}
    else:
        expressions = dict(map(_labelled, _listed("fields", value)))
    if len(expressions) > MAX_FIELDS:
        raise RecallError(
            f"fields has {len(expressions)} expressions; the limit is {MAX_FIELDS}", "fields"
        )
    return expressions


def _labelled(text: str) -> tuple[str, str]:
    """Return the name of an expression in the answer, and the expression: of ``x as y`` y and x."""
    if match := _NAMED.match(text) or None:
        return match[2].strip('" '), match[1]
    if match := _LABELLED.match(text):
        return match[1], match[2]
    return re.sub(r"\A[$@]?\.(?=[\w\"])", "", text), text


def _listed(name: str, value: JsonValue) -> list[str]:
    """Return the expressions in a list, or in a text with commas."""
    if value is None:
        return []
    if isinstance(value, str):
        expressions = [part.strip() for part in split(value)]
    elif is_array(value) and all(isinstance(part, str) for part in value):
        expressions = [part.strip() for part in value]
    else:
        raise RecallError(f"{name} must be a list of expressions, not {_shown(value)}", name)
    if len(expressions) > MAX_FIELDS:
        message = f"{name} has {len(expressions)} expressions; the limit is {MAX_FIELDS}"
        raise RecallError(message, name)
    return [expression for expression in expressions if expression]


def split(text: str) -> list[str]:
    """Split a text at commas outside brackets and quotes; brackets around a whole list are dropped.

    Examples
    --------
    >>> split("a, max(b, c), 'd,e'")
    ['a', ' max(b, c)', " 'd,e'"]
    """
    parts, depth, start, quote = list[str](), 0, 0, ""
    if text.startswith("[") and text.endswith("]") and "," in text:
        text = text[1:-1]
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"`":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _as_sort_expressions(value: JsonValue) -> JsonValue:
    """Return an object of names and orders, such as ``{"size": "desc"}``, as sort expressions.

    Other values are returned as they are.
    """
    if not is_object(value):
        return value
    down = ("desc", "descending", "-1", "-")
    return [
        f"-({name})" if str(direction).lower() in down else str(name)
        for name, direction in value.items()
    ]


def _sort_expression(text: str) -> str:
    """Return a sort expression in our form: ``x desc`` becomes ``-(x)``.

    A minus sign in front is for all that follows: ``-a - b`` becomes ``-(a - b)``.
    """
    if (whole := re.fullmatch(r"-\s*(.* [-+*/%] .*)", text, re.DOTALL)) is not None:
        return f"-({whole[1]})"
    match = re.fullmatch(r"(.*?)\s+(asc|desc)(?:ending)?", text, re.IGNORECASE | re.DOTALL)
    if match is None:
        return text
    return match[1] if match[2].lower() == "asc" else f"-({match[1]})"


def _whole_number(name: str, value: JsonValue) -> int | None:
    """Return a whole number of 0 or more, or None for None; raise for other values."""
    if value is None:
        return None
    match = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    if match:
        return int(match[1])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise RecallError(f"{name} must be a whole number of 0 or more, not {_shown(value)}", name)


def _ranges(value: Any) -> tuple[tuple[int, int | None], ...]:
    """Read line ranges, from a text such as ``313-349, 360``, a number or a list."""
    if value is None:
        return ()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    ranges = [value] if isinstance(value, int) and not isinstance(value, bool) else value
    if is_array(ranges) and len(ranges) == 2 and all(isinstance(end, int) for end in ranges):
        ranges = [f"{ranges[0]}-{ranges[1]}"]
    parts = [piece for piece in ranges.split(",") if piece] if isinstance(ranges, str) else ranges
    pairs: list[tuple[int, int | None]] = []
    for part in parts if is_array(parts) else [value]:
        match = _RANGE.fullmatch(str(part))
        if match is None:
            message = f"lines must be like '313-349' or '12', not {_shown(value)}"
            raise RecallError(message, "lines")
        first = int(match[1])
        last = int(match[3]) if match[3] else None if match[2] else first
        pairs.append((first, last) if last is None or last >= first else (last, first))
    if not pairs:
        raise RecallError(f"lines must be like '313-349' or '12', not {_shown(value)}", "lines")
    return tuple(pairs)


_RANGE: Final = regex(r"\s*L?([0-9]{1,9})\s*(?:(-|\u2013|\u2026|:|\.\.|to)\s*L?([0-9]{1,9})?)?\s*")


def _shown(value: JsonValue) -> str:
    """Return a value as it is shown in an error, shortened."""
    return f"{value!r:.40}"
