"""The tool by which a model asks for what was cut: its description and definitions."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

RECALL: Final = "recall"
"""The name of the tool that returns what was cut; its own results are sent as they are."""

ABOUT: Final = (
    'Query a cut result: path "$.builds", where "status == \'failed\' and len(steps) > 3", '
    'fields ["id", "end - start"] or ["count()"], group "date[:7]", sort "-score", '
    "limit; or not contains. "
    'Text: grep regex, lines "3-9", path: heading, function, file. '
    'Several at once: queries [{"grep": "a"}, …]'
)
"""The description of the tool, for models: at most 90 tokens in ``o200k``."""

TYPES: Final[dict[str, Any]] = {
    "path": str,
    "where": str,
    "fields": list[str],
    "group": str,
    "sort": str,
    "limit": int,
    "offset": int,
    "grep": str,
    "context": int,
    "lines": str,
    "queries": list[str],
}
"""The types of the parameters after the handle, all optional; see `mckp.recall.RecallQuestion`."""

_NAMES: Final = {str: "string", int: "integer"}


def schema() -> dict[str, Any]:
    """Return the JSON schema of the tool's parameters.

    Examples
    --------
    >>> schema()["required"], schema()["properties"]["limit"]
    (['handle'], {'type': 'integer'})
    """
    properties: dict[str, Any] = {"handle": {"type": "string", "description": "as #3"}}
    for name, kind in TYPES.items():
        # Frameworks with strict schemas take no free objects, so there it is a list of texts.
        items = "object" if name == "queries" else "string"
        array = {"type": "array", "items": {"type": items}}
        properties[name] = {"type": _NAMES[kind]} if kind in _NAMES else array
    properties["offset"]["description"] = "to go on"
    properties["group"]["description"] = "of a text also: heading, file, match"
    return {"type": "object", "properties": properties, "required": ["handle"]}


def definition(shape: str, name: str = RECALL) -> dict[str, Any]:
    """Return the definition of the tool in the shape that ``openai``, ``anthropic`` or ``mcp`` use.

    Examples
    --------
    >>> definition("openai")["function"]["name"], sorted(definition("anthropic"))
    ('recall', ['description', 'input_schema', 'name'])
    """
    if shape == "openai":
        function = {"name": name, "description": ABOUT, "parameters": schema()}
        return {"type": "function", "function": function}
    if shape == "anthropic":
        return {"name": name, "description": ABOUT, "input_schema": schema()}
    if shape == "mcp":
        hints = {"readOnlyHint": True, "openWorldHint": False}
        return {"name": name, "description": ABOUT, "inputSchema": schema(), "annotations": hints}
    raise UnknownNameError("shape of a tool", shape, ("openai", "anthropic", "mcp"))


def as_tool(run: Callable[..., Any], context: Mapping[str, Any]) -> Callable[..., Any]:
    """Return a function with the tool's parameters, from which frameworks derive its schema.

    Parameters
    ----------
    run : callable
        Called with the parameters of `context` and of the tool, by name.
    context : mapping
        Names and types of the parameters that come first, which the framework passes.

    Examples
    --------
    >>> made = as_tool(lambda **asked: asked, {})
    >>> list(made.__annotations__)[:3], made("#1", where="n > 3")
    (['handle', 'path', 'where'], {'handle': '#1', 'where': 'n > 3'})
    """
    types = {**context, "handle": int | str, **{name: kind | None for name, kind in TYPES.items()}}
    parameters = [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD,
            default=None if name in TYPES else Parameter.empty,
            annotation=kind,
        )
        for name, kind in types.items()
    ]
    signature = Signature(parameters, return_annotation=str)

    def recall(*args: Any, **named: Any) -> Any:
        """Call the function with the parameters by name."""
        return run(**signature.bind(*args, **named).arguments)

    recall.__signature__ = signature  # type: ignore[attr-defined]
    recall.__annotations__ = {**types, "return": str}
    return recall
