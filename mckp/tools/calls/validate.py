"""Whether arguments are what a tool's schema asks for, and if not, what a model can mend."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from math import prod
from time import process_time
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from mckp.jsontext import canonical, dump, is_array, is_object
from mckp.tools.calls.schema import is_of, resolved, same, type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mckp.tools.tool import Tool

_SECONDS_IN_ALL: Final = 1.0
_SECONDS_A_PATTERN: Final = 0.2
_MAX_REPEATS: Final = 10**6
_REPEAT: Final = re.compile(r"\{\s*(\d{1,9})")


class Patterns:
    """Looks for patterns for a fifth of a second of computing each, and a second in all.

    A text that a model writes can keep a careless pattern busy for years, and a pattern of
    repeats within repeats can fill the memory before it looks at any text. What takes that
    long, and what is no pattern here (a schema's are JavaScript's), cannot be told; whoever
    runs the tool asks again.

    Examples
    --------
    >>> patterns = Patterns()
    >>> patterns.found("^a+$", "aaa"), patterns.found("^a+$", "b"), patterns.found("(", "b")
    (True, False, None)
    """

    def __init__(self) -> None:
        self._left = _SECONDS_IN_ALL

    def found(self, pattern: Any, text: str) -> bool | None:
        """Whether a pattern is in a text, None if that cannot be told."""
        if not isinstance(pattern, str) or self._left <= 0 or _pattern_size(pattern) > _MAX_REPEATS:
            return None
        start = process_time()
        try:
            return _search(pattern, text, min(self._left, _SECONDS_A_PATTERN))
        finally:
            self._left -= process_time() - start

    def broken(self, value: Any, schema: Mapping[str, Any]) -> str | None:
        """Return what is wrong with a text whose schema has a pattern.

        Examples
        --------
        >>> Patterns().broken("me", {"pattern": "@"})
        'the text does not match the pattern @'
        """
        pattern = schema.get("pattern")
        if not isinstance(value, str) or self.found(pattern, value) is not False:
            return None
        return f"the text does not match the pattern {pattern}"


def _search(pattern: str, text: str, seconds: float) -> bool | None:
    regex = import_module("regex")  # as of here, since few schemas have patterns
    try:
        return regex.search(pattern, text, timeout=seconds) is not None
    except (regex.error, TimeoutError, RecursionError, OverflowError, ValueError):
        return None


def _pattern_size(pattern: str) -> int:
    """Return how large a pattern can become where the least numbers of repeats are written out."""
    return len(pattern) * prod(max(1, int(times)) for times in _REPEAT.findall(pattern))


_NUMBERS: Final[dict[str, tuple[Callable[[Any, Any], bool], str]]] = {
    "minimum": (operator.ge, "is below the minimum of"),
    "maximum": (operator.le, "is above the maximum of"),
    "exclusiveMinimum": (operator.gt, "must be above"),
    "exclusiveMaximum": (operator.lt, "must be below"),
}
_SIZES: Final[dict[type, tuple[str, str, str]]] = {
    str: ("minLength", "maxLength", "characters"),
    list: ("minItems", "maxItems", "items"),
    dict: ("minProperties", "maxProperties", "members"),
}


def broken_bound(value: Any, schema: dict[str, Any]) -> str | None:
    """Return what bound of a schema a value breaks, None if it keeps all.

    Examples
    --------
    >>> broken_bound(0, {"minimum": 1}), broken_bound("abc", {"maxLength": 2})
    ('0 is below the minimum of 1', '3 characters are more than 2')
    """
    if _is_number(value):
        return _number(value, schema)
    found = _size(value, schema) if type(value) in _SIZES else None
    if found is None and is_array(value) and schema.get("uniqueItems") is True:
        return _repeated(value)
    return found


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: float, schema: dict[str, Any]) -> str | None:
    for keyword, (keeps, words) in _NUMBERS.items():
        bound = schema.get(keyword)
        if _is_number(bound) and not keeps(value, bound):
            return f"{value} {words} {bound}"
    step = schema.get("multipleOf")
    if isinstance(step, int) and not isinstance(step, bool) and step and not _divides(step, value):
        return f"{value} is no multiple of {step}"
    return None


def _divides(step: int, value: float) -> bool:
    try:
        return not value % step
    except OverflowError:  # an integer beyond all floats divides none of them but 0
        return not value


def _size(value: Any, schema: dict[str, Any]) -> str | None:
    least, most, unit = _SIZES[type(value)]
    size, low, high = len(value), schema.get(least), schema.get(most)
    if _is_number(low) and size < low:
        return f"{size} {unit} are fewer than {low}"
    return f"{size} {unit} are more than {high}" if _is_number(high) and size > high else None


def _repeated(value: list[Any]) -> str | None:
    seen = {canonical(item) for item in value}
    return None if len(seen) == len(value) else "items are not all different"


_MAX_DEPTH: Final = 100
"""Schemas that are looked into one within another; deeper ones, and circles, are taken as met."""
_PLAIN: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Problem:
    """Where arguments do not meet a schema.

    Attributes
    ----------
    path : str
        As in ``profile.tags[1]``; empty for the arguments as a whole.
    message : str
        What is wrong and what is allowed.
    """

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


def check_arguments(arguments: dict[str, Any], tool: Tool) -> list[Problem]:
    """Return all places where arguments do not meet the schema of a tool.

    Types, enums, constants, what is required, what else is allowed, bounds, patterns, and the
    same in nested objects, arrays, references and unions. What a schema does not say is allowed,
    and so is what a pattern cannot tell: one that is none in Python, or takes too long.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> days = {"type": "integer", "maximum": 7}
    >>> schema = {"properties": {"city": {"enum": ["Rome", "Oslo"]}, "days": days}}
    >>> [tool] = parse_tools([{"name": "f", "inputSchema": schema}])
    >>> for problem in check_arguments({"city": "Paris", "days": 8}, tool):
    ...     print(problem)
    city: "Paris" is not allowed; use "Rome" or "Oslo"
    days: 8 is above the maximum of 7
    """
    return _Check(tool.parameters).problems(arguments, tool.parameters, "", 0)


class _Check:
    """Checks values against parts of one schema."""

    def __init__(self, root: Any) -> None:
        self._root, self._patterns = root, Patterns()
        self._known: dict[tuple[str, int], tuple[Any, list[Problem]]] = {}

    def problems(self, value: Any, schema: Any, path: str, depth: int) -> list[Problem]:
        """Return what is wrong with a value.

        A place meets one schema once, however many unions and references lead there; a circle
        that leads back to where it began is taken as met.
        """
        key = path, id(schema)
        if key not in self._known:
            self._known[key] = schema, []  # the schema as well, so that its number stays its own
            self._known[key] = schema, list(self._found(value, schema, path, depth))
        return self._known[key][1]

    def _found(self, value: Any, schema: Any, path: str, depth: int) -> Iterator[Problem]:
        if schema is False:
            yield Problem(path, "nothing is allowed here; leave it out")
        if not is_object(schema) or depth > _MAX_DEPTH:
            return
        wrong = _wrong_type(value, schema) or _wrong_value(value, schema)
        wrong = wrong or broken_bound(value, schema) or self._patterns.broken(value, schema)
        if wrong is not None:
            yield Problem(path, wrong)
            return
        yield from self._within(value, schema, path, depth + 1)
        yield from self._linked(value, schema, path, depth + 1)

    def _within(self, value: Any, schema: Any, path: str, depth: int) -> Iterator[Problem]:
        if is_object(value):
            yield from self._members(value, schema, path, depth)
        elif is_array(value):
            first = schema.get("prefixItems")
            first = first if is_array(first) else []
            for number, item in enumerate(value):
                part = first[number] if number < len(first) else schema.get("items")
                yield from self.problems(item, part, f"{path}[{number}]", depth)

    def _members(self, value: Any, schema: Any, path: str, depth: int) -> Iterator[Problem]:
        properties = _object_of(schema, "properties")
        required = schema.get("required")
        for key in required if is_array(required) else ():
            if isinstance(key, str) and key not in value:
                yield Problem(_below(path, key), _missing(properties.get(key)))
        for key, item in value.items():
            part = properties[key] if key in properties else self._other(schema, key)
            if part is False and key not in properties:
                yield Problem(_below(path, key), _unknown(key, properties))
            else:
                yield from self.problems(item, part, _below(path, key), depth)

    def _other(self, schema: dict[str, Any], key: str) -> Any:
        """Return what the schema says of a member that is not declared by its name."""
        for pattern, part in _object_of(schema, "patternProperties").items():
            found = self._patterns.found(pattern, key)
            if found is not False:
                return part if found else True
        return schema.get("additionalProperties", True)

    def _linked(self, value: Any, schema: Any, path: str, depth: int) -> Iterator[Problem]:
        """Yield what references and unions find wrong."""
        if "$ref" in schema:
            part = resolved(schema["$ref"], self._root)
            yield from self.problems(value, part, path, depth)
        for part in schema["allOf"] if is_array(schema.get("allOf")) else ():
            yield from self.problems(value, part, path, depth)
        for union in ("anyOf", "oneOf"):
            parts = schema.get(union)
            if is_array(parts) and parts:
                yield from self._any(value, parts, path, depth)

    def _any(self, value: Any, parts: list[Any], path: str, depth: int) -> Iterator[Problem]:
        """Yield what is wrong by the part of a union that comes closest, if none is met."""
        found = [self.problems(value, part, path, depth) for part in parts]
        if not all(found):
            return
        within = [each for each in found if all(problem.path != path for problem in each)]
        if within:
            yield from min(within, key=len)
        elif len(found) == 1:
            yield from found[0]
        else:
            yield Problem(path, f"{_shown(value)} is none of {_kinds(parts)}")


def _wrong_type(value: Any, schema: dict[str, Any]) -> str | None:
    if "type" not in schema or is_of(value, schema["type"]):
        return None
    return f"{_shown(value)} is of type {type_of(value)}; it must be {_kind(schema)}"


def _wrong_value(value: Any, schema: dict[str, Any]) -> str | None:
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if not is_array(values) or any(same(value, each) for each in values):
        return None
    return f"{_shown(value)} is not allowed; use {_listed([dump(each) for each in values])}"


def _missing(schema: Any) -> str:
    kind = _kind(schema)
    return "missing" if kind == "anything" else f"missing; it must be {kind}"


def _unknown(key: str, properties: dict[str, Any]) -> str:
    near = get_close_matches(key, properties, n=1, cutoff=0.5)
    if near:
        return f"not known; is it {near[0]}?"
    return f"not known; there are {_listed(list(properties), 'and')}" if properties else "not known"


def _kind(schema: Any) -> str:
    """Return what a schema asks for, in words."""
    if not is_object(schema):
        return "anything"
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if is_array(values):
        return _listed([dump(each) for each in values])
    kind = schema.get("type")
    if is_array(kind):
        return _listed([str(each) for each in kind])
    parts = schema.get("anyOf", schema.get("oneOf"))
    return kind if isinstance(kind, str) else _kinds(parts) if is_array(parts) else "anything"


def _kinds(parts: list[Any]) -> str:
    return _listed(list(dict.fromkeys(map(_kind, parts))))


def _listed(words: list[str], last: str = "or", most: int = 12) -> str:
    """Return words with commas between them, the last joined by a word of its own."""
    if len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def _shown(value: Any, most: int = 40) -> str:
    text = dump(value)
    return text if len(text) <= most else text[:most] + "…"


def _below(path: str, key: str) -> str:
    word = key if _PLAIN.fullmatch(key) else dump(key)
    return f"{path}.{word}" if path else word


def _object_of(schema: dict[str, Any], key: str) -> dict[str, Any]:
    found = schema.get(key)
    return found if is_object(found) else {}
