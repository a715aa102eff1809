"""Read the tools of a catalog from definitions of any shape, and rate their importance."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from mckp.errors import ParseError, ToolError, import_extra
from mckp.jsontext import depth_of, is_array, is_object, path_text
from mckp.parsers import as_tree
from mckp.regexes import regex
from mckp.tools.schema import members, resolved, schemas_within
from mckp.tools.text.spell import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mckp.plain import JsonValue

SCHEMA_KEYS: Final[Mapping[str, str]] = {
    "mcp": "inputSchema",
    "anthropic": "input_schema",
    "openai": "parameters",
    "responses": "parameters",
    "function": "parameters",
    "bare": "inputSchema",
}
"""What the parameters are called in each shape of definition."""

DEFINITION: Final = "function"
"""The member of the shape ``openai`` that holds the definition, and its value of ``type``."""


@dataclass(frozen=True, eq=True)
class Tool:
    """A tool as its server defines it.

    Examples
    --------
    >>> tool = Tool("now", "The time.", {}, None, {}, {}, "mcp")
    >>> tool.definition()
    {'name': 'now', 'description': 'The time.', 'inputSchema': {}, 'annotations': {}}
    """

    name: str
    """Unique in a catalog and never empty."""
    description: str
    """What it does; empty if `absent`, or given as an empty text."""
    parameters: dict[str, Any]
    """The JSON Schema of its arguments as given; ``{}`` if absent."""
    output: dict[str, Any] | None
    """The JSON Schema of its results, if there is one."""
    annotations: dict[str, Any]
    """Hints such as ``{"readOnlyHint": true}``."""
    extra: dict[str, Any]
    """All other members of the definition. In the shape ``openai`` those of the wrapper, and below
    ``function`` those of the definition in it."""
    shape: str
    """``mcp``, ``anthropic``, ``openai`` (wrapped), ``responses`` (OpenAI's flat one), ``function``
    (flat, without a type), or ``bare`` (without parameters, which would show the shape)."""
    absent: frozenset[str] = frozenset()
    """Which of ``description``, ``parameters`` and ``annotations`` were not given."""

    def __hash__(self) -> int:
        """Return a hash of the name and description, since definitions cannot be hashed."""
        return hash((self.name, self.description))

    @property
    def arguments(self) -> dict[str, Any]:
        """The schema of the arguments: the parameters, with a reference at the root resolved.

        Examples
        --------
        >>> node = {"type": "object", "properties": {"name": {}}}
        >>> schema = {"$ref": "#/$defs/Node", "$defs": {"Node": node}}
        >>> [tool] = parse_tools([{"name": "add", "parameters": schema}])
        >>> list(tool.arguments["properties"])
        ['name']
        """
        schema = resolved(self.parameters, self.parameters)
        return schema if is_object(schema) else self.parameters

    def definition(self) -> dict[str, Any]:
        """Return the definition as plain data, in the shape it came in."""
        plain = self._own_members(self.extra)
        if self.shape == "responses":
            return {"type": DEFINITION, **plain}
        if self.shape == "openai":
            rest = {key: value for key, value in self.extra.items() if key != DEFINITION}
            plain = self._own_members(self.extra.get(DEFINITION, {}))
            return {"type": DEFINITION, DEFINITION: plain, **rest}
        return plain

    def _own_members(self, extra: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Return the fields as members, under the keys of the shape, and the `extra` members."""
        plain: dict[str, Any] = {"name": self.name}
        for member, key in member_keys(self.shape).items():
            if member not in self.absent:
                plain[key] = getattr(self, member)
        if self.output is not None:
            plain[output_key(self.shape)] = self.output
        return {**plain, **extra}


def member_keys(shape: str) -> dict[str, str]:
    """Return the key that each optional field of `Tool` has in a shape of definition."""
    return {
        "description": "description",
        "parameters": SCHEMA_KEYS[shape],
        "annotations": "annotations",
    }


def output_key(shape: str) -> str:
    """Return the key of the result schema in a shape of definition."""
    return "output_schema" if shape == "anthropic" else "outputSchema"


WORTH: Final[Mapping[str, int]] = {
    "the name": 8,
    "first sentence": 6,
    "properties": 2,
    "description": 2,
    "type": 1,
    "required": 1,
    "enum": 1,
    "const": 1,
    "$ref": 1,
}
"""How many facts a tool's name counts as, the first sentence about it, and each name, sentence,
type or value that its schema has in a keyword; other keywords count as 1."""

_FREE: Final = frozenset(
    {"items", "anyOf", "oneOf", "allOf", "$defs", "definitions", "prefixItems", "$schema"}
)
_MAX_ENUM_FACTS: Final = 20
_MIN_RELEVANCE: Final = 0.1
WORD: Final = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
"""A word of a name or of prose."""


def facts(tool: Tool) -> int:
    """Count the facts in the definition of a tool.

    The name counts as 8 facts, the first sentence as 6 and each further one as 2, and so do a
    parameter's name and each sentence about it. All else counts as 1: types, required marks,
    enumerated values (up to 20 of one parameter), other keywords, annotations, and further members
    of the definition. Keywords that only hold schemas, such as ``items``, do not count.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> facts(parse_tools('{"name": "now", "description": "The time. In UTC."}')[0])
    16
    """
    total = WORTH["the name"] + len(tool.annotations) + len(tool.extra)
    if (sentence_count := _count_sentences(tool.description)) > 0:
        total += WORTH["first sentence"] + WORTH["description"] * (sentence_count - 1)
    for schema in (tool.parameters, tool.output or {}):
        total += sum(
            _count_schema_facts(part) for part in schemas_within(schema) if is_object(part)
        )
    return total


def _count_schema_facts(schema: Mapping[str, JsonValue]) -> int:
    """Return the number of facts in a schema, without those of the schemas within it."""
    return sum(
        WORTH.get(key, 1) * _count_parts(key, data)
        for key, data in schema.items()
        if key not in _FREE
    )


def _count_parts(key: str, data: JsonValue) -> int:
    """Return how many parts of a keyword are facts: sentences, names, or values (up to 20)."""
    if key == "description" and isinstance(data, str):
        return _count_sentences(data)
    size = size_of(key, data)
    return min(size, _MAX_ENUM_FACTS) if key == "enum" else size


_COUNTED: Final = frozenset({"properties", "required", "enum", "$defs", "definitions"})


def size_of(key: str, data: Any) -> int:
    """Return how many names or values a keyword lists; 1 for one that is not a list of them."""
    plural = key in _COUNTED and (is_object(data) or is_array(data))
    return len(data) if plural else 1


def _count_sentences(text: str) -> int:
    """Return the number of sentences that are not blank."""
    return sum(1 for piece in sentences(text) if piece.strip())


def importance(tools: Sequence[Tool], query: str | None, usage: Mapping[str, float]) -> list[float]:
    """Return the importance of each tool: a factor with three decimals.

    With a query, the tool that matches it best has 1, and one that shares no word with it has 0.1;
    if none shares a word, all have 1. With usage, a tool counts 1 + log2(1 + calls) times as much.
    The words compared are those of the name, the description, the parameter names and the tags. A
    query needs the package ``bm25s``.
    """
    matched = [1.0] * len(tools) if query is None else _query_factors(tools, query)
    return [
        round(match * (1 + math.log2(1 + usage.get(tool.name, 0))), 3)
        for match, tool in zip(matched, tools, strict=True)
    ]


def _query_factors(tools: Sequence[Tool], query: str) -> list[float]:
    """Return a factor for each tool by how well it matches a query; 1 if none matches."""
    texts = (
        " ".join([tool.name, tool.name, tool.description, *members(tool.arguments), *tags(tool)])
        for tool in tools
    )
    scores = bm25([list(_words_of(text)) for text in texts], list(_words_of(query)))
    best = max(scores, default=0.0)
    return [
        _MIN_RELEVANCE + (1 - _MIN_RELEVANCE) * score / best if best > 0 else 1.0
        for score in scores
    ]


def tags(tool: Tool) -> list[str]:
    """Return the tags that a server declares, next to the name or in ``_meta``.

    Examples
    --------
    >>> [tool] = parse_tools([{"name": "rain", "_meta": {"fastmcp": {"tags": ["sky"]}}}])
    >>> tags(tool)
    ['sky']
    """
    meta = tool.extra.get("_meta")
    places = [tool.extra, *([meta, *meta.values()] if is_object(meta) else [])]
    declared = [place.get("tags") for place in places if is_object(place)]
    listed = [tag for tag_list in declared if is_array(tag_list) for tag in tag_list]
    return list(dict.fromkeys(tag for tag in listed if isinstance(tag, str)))


def bm25(texts: Sequence[Sequence[str]], query: Iterable[str]) -> list[float]:
    """Score how well each text matches the query; each text is given as its words, like the query.

    A word that occurs twice in the query counts twice. If no text has any of its words, all scores
    are 0. It needs the extra ``query``.
    """
    model = import_extra("bm25s", "bm25s", "query").BM25(method="lucene", backend="numpy")
    words = dict.fromkeys(word for text in texts for word in text)
    word_ids = {word: number for number, word in enumerate(words)}
    query_words = [word for word in query if word in word_ids]
    if not query_words:
        return [0.0] * len(texts)
    ids = [[word_ids[word] for word in text] for text in texts]
    model.index((ids, word_ids), show_progress=False)
    return [float(score) for score in model.get_scores(query_words)]


def _words_of(text: str) -> Iterable[str]:
    """Yield the words of a text in lower case."""
    return (word.lower() for word in WORD.findall(text))


MAX_DEPTH: Final = 100
"""Levels of nesting that a schema may have; what walks it may recurse."""

_Path = tuple[str | int, ...]
_Placed = tuple[_Path, str | None, Any]
_ENVELOPE: Final = frozenset({"jsonrpc", "id", "_meta", "meta", "nextCursor"})


def parse_tools(data: Any) -> list[Tool]:
    """Read a list of tool definitions.

    Parameters
    ----------
    data
        JSON as str or bytes, or Python data (pydantic models as well): a list of
        definitions, an object from names to definitions, one definition, the result of
        MCP's ``tools/list``, or the JSON-RPC response with it. Each definition may be
        MCP's, Anthropic's, or OpenAI's, wrapped or flat. A member that is null counts as
        absent, and tools that were read before are taken as they are. Tools of FastMCP and
        function tools of the Agents SDK are read from their objects.

    Returns
    -------
    list of Tool
        In the order given.

    Raises
    ------
    ToolError
        With the place, as ``$[3].name``: no list of tools, a member of a wrong type, a name
        that is missing or taken, a list that goes on elsewhere.
    ParseError, DataError
        If the text is not JSON, or the data have no JSON counterpart.

    Examples
    --------
    >>> tools = parse_tools('[{"name": "now", "input_schema": {"type": "object"}}]')
    >>> tools[0].name, tools[0].parameters, tools[0].shape
    ('now', {'type': 'object'}, 'anthropic')
    """
    paths: list[_Path]
    if isinstance(data, list | tuple) and all(
        isinstance(tool, Tool) for tool in cast("Sequence[Any]", data)
    ):
        tools = list(cast("Sequence[Tool]", data))
        paths = [(number,) for number in range(len(tools))]
    else:
        placed = list(_definitions(_plain_data(data)))
        tools = [_tool_of(definition, path, key) for path, key, definition in placed]
        paths = [path for path, _, _ in placed]
    seen: dict[str, _Path] = {}
    for tool, path in zip(tools, paths, strict=True):
        first = seen.setdefault(tool.name, path)
        if first is not path:
            message = f"the name {tool.name!r} of the tool at {path_text(first)} occurs again"
            raise ToolError(message, path=path_text((*path, "name")))
    return tools


def _plain_data(data: Any) -> Any:
    """Return data as plain data; text and bytes are parsed as JSON first.

    Python writes an infinite default as ``Infinity``, which is accepted although it is not JSON.
    """
    if not isinstance(data, str | bytes | bytearray):
        return as_tree(_without_code(data), None).value
    try:
        return as_tree(data, "json").value
    except ParseError:
        text = data if isinstance(data, str) else data.decode("utf-8", "replace")
        if not any(word in text for word in ("Infinity", "NaN")):
            raise
        with suppress(ValueError):  # then it is wrong in another way, too
            return as_tree(_without_code(json.loads(text)), None).value
        raise


def _without_code(data: Any) -> Any:
    """Return data with tool objects that hold a function replaced by their definitions.

    FastMCP's tools have ``to_mcp_tool``; the Agents SDK's have ``params_json_schema``. A number
    without a JSON counterpart, such as an infinite default, becomes its name, as in pydantic.
    """
    if (word := _number_name(data)) is not None:
        return word
    if isinstance(data, list | tuple):
        return list(map(_without_code, cast("Sequence[Any]", data)))
    if is_object(data):
        return {key: _without_code(value) for key, value in data.items()}
    if callable(convert := getattr(data, "to_mcp_tool", None)):
        return convert()
    if is_object(schema := getattr(data, "params_json_schema", None)):
        return {"name": data.name, "description": data.description, "parameters": schema}
    return data


def _number_name(data: object) -> str | None:
    """Return the name of a number that JSON lacks, or None for any other value."""
    if not isinstance(data, float) or math.isfinite(data):
        return None
    return "NaN" if math.isnan(data) else "Infinity" if data > 0 else "-Infinity"


def _definitions(data: JsonValue, path: _Path = ()) -> Iterator[_Placed]:
    """Yield the path, key and definition of each tool in a list, a map or an envelope.

    The key is the name of the tool in a map, and otherwise None. Raises a `ToolError` if `data` is
    no list or object, or an envelope with an error or without a complete list.
    """
    if is_array(data):
        yield from (((*path, index), None, item) for index, item in enumerate(data))
    elif not is_object(data):
        raise _type_error("a list of tools", data, path)
    elif is_object(result := data.get("result")) and "tools" in result:
        _check_envelope(data, "result", path)
        yield from _definitions(result, (*path, "result"))
    elif is_array(tools := data.get("tools")) or _is_map(tools):
        _check_envelope(data, "tools", path)
        yield from _definitions(tools, (*path, "tools"))
    elif _is_definition(data):
        yield path, None, data
    elif "jsonrpc" in data and "error" in data:
        raise ToolError(
            "expected a list of tools, got an error of the server", path=path_text(path)
        )
    else:
        _check_map(data, path)
        yield from (((*path, key), key, item) for key, item in data.items())


def _check_map(data: Mapping[str, JsonValue], path: _Path) -> None:
    """Raise a `ToolError` if no member of an object says anything about a tool."""
    known = {"name", "description", "annotations", "type", *SCHEMA_KEYS.values()}
    objects = [item for item in data.values() if is_object(item)]
    if len(objects) == len(data) > 0 and all(item and known.isdisjoint(item) for item in objects):
        message = (
            "expected definitions of tools, got an object whose members have no description and no "
            "schema; for other data, use encode"
        )
        raise ToolError(message, path=path_text(path))


def _is_map(data: JsonValue) -> bool:
    """Whether data may be an object that maps names to definitions."""
    return is_object(data) and not _is_definition(data) and all(map(is_object, data.values()))


def _is_definition(data: Mapping[str, JsonValue]) -> bool:
    """Whether an object has the name of a tool, or is wrapped as OpenAI's definitions are."""
    wrapped = data.get("type") == DEFINITION and is_object(data.get(DEFINITION))
    return wrapped or isinstance(data.get("name"), str)


def _check_envelope(data: Mapping[str, JsonValue], inner: str, path: _Path) -> None:
    """Raise a `ToolError` if a list is incomplete, or has unknown members next to it.

    `inner` is the key of the list in `data`.
    """
    if data.get("nextCursor") is not None:
        message = "the list is incomplete; fetch the other pages with nextCursor, and join them"
        raise ToolError(message, path=path_text((*path, "nextCursor")))
    for key in data.keys() - {inner} - _ENVELOPE:
        raise ToolError(f"unknown member next to {inner!r}", path=path_text((*path, key)))


def _tool_of(data: Any, path: _Path, key: str | None) -> Tool:
    """Return the tool of a definition, whose name in a map, if it is in one, is `key`."""
    if not is_object(data):
        raise _type_error("the definition of a tool", data, path)
    rest = _without_nulls(data)
    if rest.get("type") == DEFINITION and DEFINITION in rest:
        del rest["type"]
        inner = _without_nulls(_checked_object(rest.pop(DEFINITION), (*path, DEFINITION)))
        fields = _take_fields(inner, "openai", (*path, DEFINITION), key)
        extra = {**rest, DEFINITION: inner} if inner else rest
        return Tool(**fields, extra=extra, shape="openai")
    shape = _shape_of(rest, path)
    if shape == "responses":
        del rest["type"]
    return Tool(**_take_fields(rest, shape, path, key), extra=rest, shape=shape)


def _without_nulls(data: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the members that are not null."""
    return {key: value for key, value in data.items() if value is not None}


def _shape_of(data: Mapping[str, JsonValue], path: _Path) -> str:
    """Return the shape of a definition; raise a `ToolError` if it has schemas of several shapes."""
    shapes = {key: shape for shape, key in SCHEMA_KEYS.items() if shape != "bare" and key in data}
    if len(shapes) > 1:
        raise ToolError(
            f"a tool has more than one schema: {' and '.join(sorted(shapes))}", path=path_text(path)
        )
    shape = next(iter(shapes.values()), "bare")
    if shape == "function" and data.get("type") == DEFINITION:
        return "responses"
    return shape


def _take_fields(data: dict[str, Any], shape: str, path: _Path, key: str | None) -> dict[str, Any]:
    """Move the known members out of a definition, and return them by field of `Tool`.

    `key` is the name of the tool in a map, if it is in one.
    """
    names = member_keys(shape)
    absent = frozenset(member for member, name in names.items() if name not in data)
    output = data.pop(output_key(shape), None)
    return {
        "name": _checked_name(data.pop("name", key), path, key),
        "description": _checked_text(data.pop("description", ""), (*path, "description")),
        "parameters": _checked_object(
            data.pop(names["parameters"], {}), (*path, names["parameters"])
        ),
        "output": None if output is None else _checked_object(output, (*path, output_key(shape))),
        "annotations": _checked_object(data.pop("annotations", {}), (*path, "annotations")),
        "absent": absent,
    }


def _checked_name(name: JsonValue, path: _Path, key: str | None) -> str:
    """Return the name of a tool; raise a `ToolError` if it is missing, empty, or not `key`."""
    place = (*path, "name")
    wrong = (
        "a tool has no name" if name is None else "a tool has an empty name" if name == "" else None
    )
    if name and key is not None and name != key:
        wrong = f"a tool is listed as {key!r}, but its name is {name!r}"
    if wrong is not None:
        raise ToolError(wrong, path=path_text(place))
    return _checked_text(name, place)


def _checked_text(value: JsonValue, path: _Path) -> str:
    """Return a value that is a string; raise a `ToolError` for anything else."""
    if not isinstance(value, str):
        raise _type_error("a string", value, path)
    return value


def _checked_object(value: JsonValue, path: _Path) -> dict[str, JsonValue]:
    """Return a value that is an object; raise a `ToolError` for another or a too deep one."""
    if not is_object(value):
        raise _type_error("an object", value, path)
    if depth_of(value) > MAX_DEPTH:
        raise ToolError(f"nested deeper than {MAX_DEPTH} levels", path=path_text(path))
    return value


def _type_error(wanted: str, value: JsonValue, path: _Path) -> ToolError:
    """Return an error which says that a value is of the wrong type."""
    kind = as_tree(value).kind if not isinstance(value, str) else "string"
    article = "an" if kind in ("array", "object", "integer") else "a"
    return ToolError(f"expected {wanted}, got {article} {kind}", path=path_text(path))
