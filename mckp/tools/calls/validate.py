"""Whether arguments are what a tool's schema asks for, and if not, what a model can do about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_array, is_object
from mckp.tools.calls.bounds import broken_bound
from mckp.tools.calls.schema import is_of, resolved, same, type_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.tools.tool import Tool

_DEPTH: Final = 100
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
    same in nested objects, arrays, references and unions. What a schema does not say is allowed.

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
        self._root = root
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
        if not is_object(schema) or depth > _DEPTH:
            return
        wrong = _wrong_type(value, schema) or _wrong_value(value, schema)
        wrong = wrong or broken_bound(value, schema)
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
            part = properties.get(key, _other(schema, key))
            if part is False and key not in properties:
                yield Problem(_below(path, key), _unknown(key, properties))
            else:
                yield from self.problems(item, part, _below(path, key), depth)

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


def _other(schema: dict[str, Any], key: str) -> Any:
    """Return what the schema says of a member that is not declared by its name."""
    for pattern, part in _object_of(schema, "patternProperties").items():
        try:
            if re.search(pattern, key):
                return part
        except re.error:
            return True
    return schema.get("additionalProperties", True)


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
