"""Whether arguments are what a tool's schema asks for, and if not, what a model can mend.

What a JSON Schema says about one place: types, enums and constants.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from math import prod
from time import process_time
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from mckp.jsontext import canonical, dump, is_array, is_object
from mckp.tools.schema import target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mckp.tools.tool import Tool

_MAX_LINKS: Final = 20
"""References and unions that are followed one after another; a longer chain is a circle."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the arguments of a call.

    Attributes
    ----------
    schema
        What may stand there, None if nothing is known.
    root
        The schema that references are resolved in.

    Examples
    --------
    >>> place = Place({"properties": {"days": {"type": "array", "items": {"type": "string"}}}})
    >>> place.member("days").item(0).schema
    {'type': 'string'}
    """

    schema: Any
    root: Any = field(default=None, repr=False)

    def _at(self, schema: Any) -> Place:
        return Place(schema, self.schema if self.root is None else self.root)

    def member(self, key: str) -> Place:
        """Return the place of a member of an object that stands here."""
        for view in self.views():
            properties = view.get("properties")
            if is_object(properties) and key in properties:
                return self._at(properties[key])
        others = (view.get("additionalProperties") for view in self.views())
        return self._at(next((each for each in others if is_object(each)), None))

    def item(self, number: int) -> Place:
        """Return the place of an item of an array that stands here."""
        for view in self.views():
            first = view.get("prefixItems")
            if is_array(first) and number < len(first):
                return self._at(first[number])
            if "items" in view:
                return self._at(view["items"])
        return self._at(None)

    def names(self, key: str) -> bool:
        """Whether a member of this very name is declared."""
        declared = (view.get("properties") for view in self.views())
        return any(is_object(each) and key in each for each in declared)

    def views(self) -> list[dict[str, Any]]:
        """Return the schema and all that it refers to or is a union of."""
        return list(
            _views(self.schema, self.schema if self.root is None else self.root, _MAX_LINKS)
        )


def _views(schema: Any, root: Any, links: int) -> Iterator[dict[str, Any]]:
    if not is_object(schema) or not links:
        return
    yield schema
    if "$ref" in schema:
        yield from _views(target(root, schema["$ref"]), root, links - 1)
    for union in ("allOf", "anyOf", "oneOf"):
        parts = schema.get(union)
        for part in parts if is_array(parts) else ():
            yield from _views(part, root, links - 1)


def fits(value: Any, place: Place) -> bool:
    """Whether a value has a type, and is among the values, that a place allows.

    Bounds, lengths and what is inside of arrays and objects are not asked.

    Examples
    --------
    >>> fits(1, Place({"enum": ["1"]})), fits(1, Place({"anyOf": [{"type": "integer"}]}))
    (False, True)
    """
    return _fits(
        value, place.schema, place.schema if place.root is None else place.root, _MAX_LINKS
    )


def _fits(value: Any, schema: Any, root: Any, links: int) -> bool:
    if not is_object(schema) or not links:
        return schema is not False
    if "type" in schema and not is_of(value, schema["type"]):
        return False
    if "const" in schema and not same(value, schema["const"]):
        return False
    if is_array(schema.get("enum")) and not any(same(value, each) for each in schema["enum"]):
        return False
    if "$ref" in schema and not _fits(value, target(root, schema["$ref"]), root, links - 1):
        return False
    return all(
        join(_fits(value, part, root, links - 1) for part in schema[union])
        for union, join in (("allOf", all), ("anyOf", any), ("oneOf", any))
        if is_array(schema.get(union))
    )


def is_of(value: Any, types: Any) -> bool:
    """Whether a value is of a type of JSON Schema, or of one of a list of them."""
    names = [each for each in (types if is_array(types) else [types]) if isinstance(each, str)]
    own = type_of(value)
    if own == "integer" or (own == "number" and value.is_integer()):
        return not {"integer", "number"}.isdisjoint(names)
    return own in names


def type_of(value: Any) -> str:
    """Return the type of a plain value as JSON Schema calls it."""
    return _TYPES[type(value)]


_TYPES: Final[dict[type, str]] = {
    **{type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string"},
    **{list: "array", dict: "object"},
}


def same(one: Any, other: Any) -> bool:
    """Whether two plain values are equal as JSON Schema has it: ``1`` is ``1.0``, not ``true``."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if is_array(one) and is_array(other):
        return len(one) == len(other) and all(map(same, one, other))
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def only_text(place: Place) -> bool:
    """Whether a string may stand at a place, and neither an array nor an object."""
    if place.schema is None or fits([], place) or fits({}, place):
        return False
    return any(each.get("type") is not None or "enum" in each for each in place.views())


PRIMITIVES: Final = frozenset({"string", "number", "integer", "boolean"})
OBJECT_DEPTH: Final = 2
"""Objects that may lie within one another below the arguments."""


def takes_pairs(schema: Any) -> bool:
    """Whether all arguments are scalars, arrays, or objects of them, as the wire format asks.

    Examples
    --------
    >>> takes_pairs({"type": "object", "properties": {"to": {"type": "string"}}})
    True
    >>> takes_pairs({"type": "object", "properties": {"filter": {"type": "object"}}})
    False
    """
    return is_object(schema) and _is_object_of_leaves(schema, OBJECT_DEPTH)


def _is_object_of_leaves(schema: dict[str, Any], depth: int) -> bool:
    properties = schema.get("properties")
    if schema.get("type") != "object" or not is_object(properties):
        return False
    return all(_is_leaf(each, depth) for each in properties.values())


def _is_leaf(schema: Any, depth: int) -> bool:
    if not is_object(schema):
        return False
    kind, values = schema.get("type"), schema.get("enum")
    if is_array(kind):
        named = [each for each in kind if isinstance(each, str)]
        if len(named) == len(kind) and PRIMITIVES.issuperset({*named} - {"null"}):
            return True
    elif isinstance(kind, str) and kind in PRIMITIVES:
        return True
    if is_array(values) and all(isinstance(each, str | int | float) for each in values):
        return True
    if kind == "array":
        return "items" in schema and _is_leaf(schema["items"], depth)
    return kind == "object" and depth > 0 and _is_object_of_leaves(schema, depth - 1)


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
            part = target(self._root, schema["$ref"])
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
