"""Check arguments against a tool's schema, with errors that a model can act on."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.regexes import regex
from mckp.tools.schema import members, referent_of, resolved
from mckp.tools.tool import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mckp.plain import JsonValue
    from mckp.tools.tool import Tool

_JOINS: Final = ("allOf", "anyOf", "oneOf")
"""Keywords that join schemas."""


@dataclass(frozen=True, slots=True)
class ArgumentPlace:
    """A place in the arguments of a call, with its `schema`, which is None if it is unknown.

    References are resolved in the schema `root`, or, if that is None, in `schema` itself.

    Examples
    --------
    >>> ArgumentPlace({"properties": {"days": {"type": "integer"}}}).member("days").schema
    {'type': 'integer'}
    """

    schema: Any
    root: Any = field(default=None, repr=False)

    def _root(self) -> Any:
        """Return the schema in which references are resolved."""
        return self.schema if self.root is None else self.root

    def member(self, key: str) -> ArgumentPlace:
        """Return the place of a member of the object at this place."""
        views = self._views()
        schemas = [members(view)[key] for view in views if key in members(view)]
        schemas += filter(is_object, (view.get("additionalProperties") for view in views))
        return ArgumentPlace(schemas[0] if schemas else None, self._root())

    def declares(self, key: str) -> bool:
        """Whether the schema declares a member with exactly this name."""
        return any(key in members(view) for view in self._views())

    def _views(self) -> list[dict[str, JsonValue]]:
        """Return the schema, those that it refers to, and those in its unions, at any depth."""
        views: dict[int, dict[str, Any]] = {}
        unvisited = [self.schema]
        while unvisited:
            schema = unvisited.pop()
            if is_object(schema) and id(schema) not in views:
                views[id(schema)] = schema
                parts = [part for join in _JOINS for part in _list_of(schema, join)]
                unvisited += [*reversed(parts), referent_of(self._root(), schema.get("$ref"))]
        return list(views.values())

    def takes(self, value: JsonValue) -> bool:
        """Whether a value has an allowed type and, in an enumeration, is one of its values.

        Bounds, lengths and the contents of arrays and objects are not checked.

        Examples
        --------
        >>> union = ArgumentPlace({"anyOf": [{"type": "integer"}]})
        >>> ArgumentPlace({"enum": ["1"]}).takes(1), union.takes(1)
        (False, True)
        """
        return not _Check(self._root(), is_whole=False).problems(value, self.schema, "", 0)

    def refuses_containers(self) -> bool:
        """Whether the schema has a type or an enumeration, and allows no arrays and no objects."""
        if self.schema is None or self.takes([]) or self.takes({}):
            return False
        views = self._views()
        if any(is_container(value) for view in views for value in _list_of(view, "enum")):
            return False
        return any(view.get("type") is not None or "enum" in view for view in views)


def _list_of(schema: Mapping[str, JsonValue], key: str) -> list[JsonValue]:
    """Return the value of a keyword if it is a list, else an empty list."""
    values = schema.get(key)
    return values if is_array(values) else []


_TYPES: Final[dict[type, str]] = {
    **{type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string"},
    **{list: "array", dict: "object"},
}
"""Types of plain values as JSON Schema calls them."""


def _has_type(value: Any, types: Any) -> bool:
    """Whether a value has a JSON Schema type, or one of a list of such types."""
    names = [name for name in (types if is_array(types) else [types]) if isinstance(name, str)]
    actual = _TYPES[type(value)]
    if actual == "integer" or (actual == "number" and value.is_integer()):
        return not {"integer", "number"}.isdisjoint(names)
    return actual in names


_PRIMITIVES: Final = frozenset({"string", "number", "integer", "boolean"})
_OBJECT_DEPTH: Final = 2
"""How deep objects may be nested below the arguments."""


_ARRAY_DEPTH: Final = 8
"""How deep arrays may be nested; references can nest them endlessly."""


def takes_pairs(schema: JsonValue, depth: int = _OBJECT_DEPTH, root: JsonValue = None) -> bool:
    """Whether pairs can express all arguments: scalars, arrays, and objects of these.

    Nullable arguments, such as every ``Optional`` of pydantic, are allowed. Objects may be nested
    `depth` levels below the arguments. References are resolved in `root`, by default the schema
    itself.

    Examples
    --------
    >>> takes_pairs({"type": "object", "properties": {"to": {"type": "string"}}})
    True
    >>> takes_pairs({"type": "object", "properties": {"filter": {"type": "object"}}})
    False
    """
    if not is_object(schema) or schema.get("type") != "object":
        return False
    parts, root = schema.get("properties"), schema if root is None else root
    return is_object(parts) and all(_is_leaf(part, depth, root) for part in parts.values())


def _is_leaf(
    schema: JsonValue, depth: int, root: JsonValue, array_depth: int = _ARRAY_DEPTH
) -> bool:
    """Whether a schema allows only what a pair can express.

    Objects may be nested `depth` levels deep, and arrays `array_depth`.
    """
    schema = resolved(schema, root)
    if not is_object(schema):
        return False
    if (parts := alternatives(schema)) is not None:
        branches = [resolved(part, root) for part in parts]
        branches = [part for part in branches if part != {"type": "null"}]
        is_one = len(branches) == 1 or not any(_may_be_container(part) for part in branches)
        return (
            bool(branches)
            and is_one
            and all(_is_leaf(part, 0, root, array_depth) for part in branches)
        )
    kind, values = schema.get("type"), schema.get("enum")
    kinds, scalars = (kind, {*_PRIMITIVES, "null"}) if is_array(kind) else ([kind], _PRIMITIVES)
    if all(isinstance(name, str) and name in scalars for name in kinds):
        return True
    if is_array(values) and all(isinstance(item, str | int | float) for item in values):
        return True
    if kind == "array":
        return (
            array_depth > 0
            and "items" in schema
            and _is_leaf(schema["items"], depth, root, array_depth - 1)
        )
    return depth > 0 and takes_pairs(schema, depth - 1, root)


def alternatives(schema: dict[str, JsonValue]) -> list[JsonValue] | None:
    """Return the alternatives of a union schema; None if it is no union, or has a type as well."""
    union = schema.get("anyOf", schema.get("oneOf"))
    return union if is_array(union) and "type" not in schema else None


def _may_be_container(schema: JsonValue) -> bool:
    """Whether the type of a schema is array or object, or is not given."""
    return not is_object(schema) or schema.get("type") in ("array", "object", None)


_BOUNDS: Final[Mapping[str, tuple[Callable[[Any, Any], bool], str]]] = {
    "minimum": (operator.ge, "is below the minimum of"),
    "maximum": (operator.le, "is above the maximum of"),
    "exclusiveMinimum": (operator.gt, "must be above"),
    "exclusiveMaximum": (operator.lt, "must be below"),
}
"""For each bound, the comparison that a number must meet, and the words if it does not."""


def _broken_bound(value: Any, schema: dict[str, Any]) -> str | None:
    """Return the bound in a schema that a number violates, as text; None if there is none."""
    for keyword, (meets, words) in _BOUNDS.items() if _has_type(value, "number") else ():
        bound = schema.get(keyword)
        if bound is not None and _has_type(bound, "number") and not meets(value, bound):
            return f"{value} {words} {bound}"
    return None


_PLAIN: Final = regex(r"\w+")


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """A place at which arguments violate the schema, and what is wrong there."""

    path: str
    """As in ``profile.tags[1]``; empty for the arguments as a whole."""
    message: str
    """What is wrong and what is allowed."""

    def __str__(self) -> str:
        """Return the path, if there is one, and the message."""
        return f"{self.path}: {self.message}" if self.path else self.message


def check_arguments(arguments: dict[str, Any], tool: Tool) -> list[ArgumentProblem]:
    """Return all places at which arguments violate the schema of a tool.

    It checks types, enums, constants, required and additional members, and bounds of numbers, also
    within nested objects, arrays, references and unions. Lengths and patterns are left to whoever
    runs the tool.

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
    """Checks values against the parts of one schema, fully or only for types and allowed values."""

    def __init__(self, root: JsonValue, *, is_whole: bool = True) -> None:
        self._root, self._is_whole = root, is_whole
        self._known: dict[tuple[str, int], tuple[Any, list[ArgumentProblem]]] = {}

    def problems(self, value: Any, schema: Any, path: str, depth: int) -> list[ArgumentProblem]:
        """Return what is wrong with the value at a path; `depth` is the number of schemas around.

        A value is checked against a schema once, however many unions and references lead
        there; a reference cycle counts as valid.
        """
        key = path, id(schema)
        if key not in self._known:
            self._known[key] = schema, []  # the schema as well, so that its number stays its own
            self._known[key] = schema, list(self._violations(value, schema, path, depth))
        return self._known[key][1]

    def _violations(
        self, value: JsonValue, schema: JsonValue, path: str, depth: int
    ) -> Iterator[ArgumentProblem]:
        """Yield what is wrong with the value at a path, without the cache of `problems`."""
        if schema is False:
            yield ArgumentProblem(path, "nothing is allowed here; leave it out")
        if not is_object(schema) or depth > MAX_DEPTH:  # deeper ones, and cycles, count as valid
            return
        wrong = _wrong_type(value, schema) or _wrong_value(value, schema)
        if self._is_whole and wrong is None:
            wrong = _broken_bound(value, schema)
        if wrong is not None:
            yield ArgumentProblem(path, wrong)
            return
        if self._is_whole and is_object(value):
            yield from self._members(value, schema, path, depth + 1)
        elif self._is_whole and is_array(value):
            first = _list_of(schema, "prefixItems")
            for number, item in enumerate(value):
                part = first[number] if number < len(first) else schema.get("items")
                yield from self.problems(item, part, f"{path}[{number}]", depth + 1)
        yield from self._linked_problems(value, schema, path, depth + 1)

    def _members(self, value: Any, schema: Any, path: str, depth: int) -> Iterator[ArgumentProblem]:
        """Yield what is wrong with the members of an object, and which are missing.

        `depth` is the number of schemas around those of the members.
        """
        properties = members(schema)
        for key in _list_of(schema, "required"):
            if isinstance(key, str) and key not in value:
                yield ArgumentProblem(
                    _member_path(path, key), _missing_message(properties.get(key))
                )
        is_open = bool(schema.get("patternProperties"))  # they are not checked
        other_members = True if is_open else schema.get("additionalProperties", True)
        for key, item in value.items():
            part = properties.get(key, other_members)
            if part is False and key not in properties:
                yield ArgumentProblem(_member_path(path, key), _unknown_message(key, properties))
            else:
                yield from self.problems(item, part, _member_path(path, key), depth)

    def _linked_problems(
        self, value: Any, schema: Any, path: str, depth: int
    ) -> Iterator[ArgumentProblem]:
        """Yield the problems of a value with the schemas that a reference or union leads to.

        `depth` is the number of schemas around them.
        """
        if "$ref" in schema:
            part = referent_of(self._root, schema["$ref"])
            yield from self.problems(value, part, path, depth)
        for join in _JOINS:
            failures = [self.problems(value, part, path, depth) for part in _list_of(schema, join)]
            if join == "allOf":
                yield from chain.from_iterable(failures)
            elif failures and all(failures):
                yield from _best_alternative(value, schema[join], path, failures)


def _best_alternative(
    value: JsonValue, parts: list[JsonValue], path: str, failures: list[list[ArgumentProblem]]
) -> list[ArgumentProblem]:
    """Return the problems with the alternative of a union that fits best.

    Of those whose problems are all below `path`, it is the one with the fewest. If there is none,
    the problem is that no alternative fits, unless there is only one. `failures` has the problems
    with each of the alternatives, `parts`.
    """
    deeper = [
        problems for problems in failures if all(problem.path != path for problem in problems)
    ]
    if deeper:
        return min(deeper, key=len)
    if len(failures) == 1:
        return failures[0]
    return [ArgumentProblem(path, f"{_short_json(value)} is none of {_types_in_words(parts)}")]


def _wrong_type(value: JsonValue, schema: dict[str, JsonValue]) -> str | None:
    """Return what is wrong with the type of a value, or None."""
    if "type" not in schema or _has_type(value, schema["type"]):
        return None
    actual = _TYPES[type(value)]
    return f"{_short_json(value)} is of type {actual}; it must be {_type_in_words(schema)}"


def _wrong_value(value: JsonValue, schema: dict[str, JsonValue]) -> str | None:
    """Return what is wrong with a value that is not among the allowed ones, or None."""
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    # As JSON Schema has it, 1 is 1.0, and not true.
    if not is_array(values) or any(
        value == allowed and isinstance(value, bool) is isinstance(allowed, bool)
        for allowed in values
    ):
        return None
    choices = _join_words([dump(allowed) for allowed in values])
    return f"{_short_json(value)} is not allowed; use {choices}"


def _missing_message(schema: JsonValue) -> str:
    """Return the message that an argument is missing, with what its schema asks for."""
    kind = _type_in_words(schema)
    return "missing" if kind == "anything" else f"missing; it must be {kind}"


def _unknown_message(key: str, properties: dict[str, JsonValue]) -> str:
    """Return the message that an argument is unknown, with the nearest name or all names."""
    near = get_close_matches(key, properties, n=1, cutoff=0.5)
    if near:
        return f"not known; is it {near[0]}?"
    return (
        f"not known; there are {_join_words(list(properties), 'and')}"
        if properties
        else "not known"
    )


def _type_in_words(schema: JsonValue) -> str:
    """Return what a schema asks for, in words."""
    if not is_object(schema):
        return "anything"
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if is_array(values):
        return _join_words([dump(allowed) for allowed in values])
    kind = schema.get("type")
    if is_array(kind):
        return _join_words([str(name) for name in kind])
    parts = schema.get("anyOf", schema.get("oneOf"))
    return (
        kind if isinstance(kind, str) else _types_in_words(parts) if is_array(parts) else "anything"
    )


def _types_in_words(parts: list[JsonValue]) -> str:
    """Return what several schemas ask for, joined with *or*."""
    return _join_words(list(dict.fromkeys(map(_type_in_words, parts))))


def _join_words(words: list[str], last: str = "or", most: int = 12) -> str:
    """Join words with commas, and the final one with the conjunction `last`.

    Of the words, at most `most` are shown, with the number of the others.
    """
    if len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _short_json(value: JsonValue, most: int = 40) -> str:
    """Return the first `most` characters of a value as JSON, for a message."""
    text = dump(value)
    return text if len(text) <= most else text[:most] + "…"


def _member_path(path: str, key: str) -> str:
    """Return the path of a member of the object at `path`."""
    word = key if _PLAIN.fullmatch(key) else dump(key)
    return f"{path}.{word}" if path else word
