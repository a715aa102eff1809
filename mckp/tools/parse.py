"""Tool lists of every shape to `Tool` objects; what is wrong is said with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from mckp.errors import ToolError
from mckp.jsontext import depth_of, is_array, is_object, path_text
from mckp.parsers import as_tree
from mckp.tools.tool import DEFINITION, SCHEMA_KEYS, Tool, output_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
        absent, and tools that were read before are taken as they are.

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
        If the text is no JSON or the data has no JSON counterpart.

    Examples
    --------
    >>> tools = parse_tools('[{"name": "now", "input_schema": {"type": "object"}}]')
    >>> tools[0].name, tools[0].parameters, tools[0].shape
    ('now', {'type': 'object'}, 'anthropic')
    """
    tools = _ready(data)
    if tools is not None:
        paths: list[_Path] = [(number,) for number in range(len(tools))]
    else:
        text = isinstance(data, str | bytes | bytearray)
        placed = list(_definitions(as_tree(data, "json" if text else None).value))
        tools = [_tool(definition, path, key) for path, key, definition in placed]
        paths = [path for path, _, _ in placed]
    _check_names(tools, paths)
    return tools


def _ready(data: Any) -> list[Tool] | None:
    """Return the tools of a list that was read before."""
    tools: list[Any] = (
        list(cast("Sequence[Any]", data)) if isinstance(data, list | tuple) else [None]
    )
    return tools if all(isinstance(tool, Tool) for tool in tools) else None


def _definitions(data: Any, path: _Path = ()) -> Iterator[_Placed]:
    """Yield place, key and definition of each tool of a list, a map or an envelope."""
    if is_array(data):
        yield from (((*path, i), None, item) for i, item in enumerate(data))
    elif not is_object(data):
        raise _wrong("a list of tools", data, path)
    elif is_object(result := data.get("result")) and "tools" in result:
        _check_envelope(data, "result", path)
        yield from _definitions(result, (*path, "result"))
    elif is_array(tools := data.get("tools")) or _is_map(tools):
        _check_envelope(data, "tools", path)
        yield from _definitions(tools, (*path, "tools"))
    elif _is_definition(data):
        yield path, None, data
    elif "jsonrpc" in data and "error" in data:
        raise ToolError("an error of the server, no list of tools", path=path_text(path))
    else:
        yield from (((*path, key), key, item) for key, item in data.items())


def _is_map(data: Any) -> bool:
    return is_object(data) and not _is_definition(data) and all(map(is_object, data.values()))


def _is_definition(data: Mapping[str, Any]) -> bool:
    wrapped = data.get("type") == DEFINITION and is_object(data.get(DEFINITION))
    return wrapped or isinstance(data.get("name"), str)


def _check_envelope(data: Mapping[str, Any], inner: str, path: _Path) -> None:
    if data.get("nextCursor") is not None:
        message = "the list goes on, fetch the pages behind nextCursor first and join them,"
        raise ToolError(message, path=path_text((*path, "nextCursor")))
    for key in data.keys() - {inner} - _ENVELOPE:
        raise ToolError(f"an unknown member beside {inner!r}", path=path_text((*path, key)))


def _tool(data: Any, path: _Path, key: str | None) -> Tool:
    if not is_object(data):
        raise _wrong("the definition of a tool", data, path)
    rest = _given(data)
    if rest.get("type") == DEFINITION and DEFINITION in rest:
        del rest["type"]
        inner = _given(_object(rest.pop(DEFINITION), (*path, DEFINITION)))
        fields = _fields(inner, "openai", (*path, DEFINITION), key)
        extra = {**rest, DEFINITION: inner} if inner else rest
        return Tool(**fields, extra=extra, shape="openai")
    shape = _shape(rest, path)
    if shape == "responses":
        del rest["type"]
    return Tool(**_fields(rest, shape, path, key), extra=rest, shape=shape)


def _given(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None}


def _shape(data: Mapping[str, Any], path: _Path) -> str:
    shapes = {key: shape for shape, key in SCHEMA_KEYS.items() if shape != "bare" and key in data}
    if len(shapes) > 1:
        raise ToolError(
            f"more than one schema: {' and '.join(sorted(shapes))}", path=path_text(path)
        )
    shape = next(iter(shapes.values()), "bare")
    if shape == "function" and data.get("type") == DEFINITION:
        return "responses"
    return shape


def _fields(data: dict[str, Any], shape: str, path: _Path, key: str | None) -> dict[str, Any]:
    """Take the known members out of a definition."""
    names = {
        "description": "description",
        "parameters": SCHEMA_KEYS[shape],
        "annotations": "annotations",
    }
    absent = frozenset(member for member, name in names.items() if name not in data)
    output = data.pop(output_key(shape), None)
    return {
        "name": _name(data.pop("name", key), path, key),
        "description": _text(data.pop("description", ""), (*path, "description")),
        "parameters": _object(data.pop(names["parameters"], {}), (*path, names["parameters"])),
        "output": None if output is None else _object(output, (*path, output_key(shape))),
        "annotations": _object(data.pop("annotations", {}), (*path, "annotations")),
        "absent": absent,
    }


def _name(name: Any, path: _Path, key: str | None) -> str:
    place = (*path, "name")
    if name is None:
        raise ToolError("a tool without a name", path=path_text(place))
    if not _text(name, place):
        raise ToolError("an empty name", path=path_text(place))
    if key is not None and name != key:
        raise ToolError(
            f"the name {name!r} of a tool that is listed as {key!r}", path=path_text(place)
        )
    return _text(name, place)


def _text(value: Any, path: _Path) -> str:
    if not isinstance(value, str):
        raise _wrong("a string", value, path)
    return value


def _object(value: Any, path: _Path) -> dict[str, Any]:
    if not is_object(value):
        raise _wrong("an object", value, path)
    if depth_of(value) > MAX_DEPTH:
        raise ToolError(f"nested deeper than {MAX_DEPTH} levels", path=path_text(path))
    return value


def _wrong(wanted: str, found: Any, path: _Path) -> ToolError:
    kind = as_tree(found).kind if not isinstance(found, str) else "string"
    return ToolError(
        f"{wanted} is needed, not {_ARTICLES.get(kind, 'a')} {kind}", path=path_text(path)
    )


_ARTICLES: Final = {"array": "an", "object": "an", "integer": "an"}


def _check_names(tools: list[Tool], paths: list[_Path]) -> None:
    seen: dict[str, _Path] = {}
    for tool, path in zip(tools, paths, strict=True):
        first = seen.setdefault(tool.name, path)
        if first is not path:
            message = f"the name {tool.name!r} of the tool at {path_text(first)} stands again"
            raise ToolError(message, path=path_text((*path, "name")))
