"""Prompts for text calls: how to call tools, which tools there are, and their results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import UnknownNameError
from mckp.jsontext import dump, is_array, is_object
from mckp.regexes import regex
from mckp.tools.calls.parser import read_calls
from mckp.tools.calls.validate import alternatives, takes_pairs
from mckp.tools.schema import members, required, resolved
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mckp.plain import JsonValue
    from mckp.tools.tool import Tool

_DESCRIPTION_CHARS: Final = 120
"""Most characters of a description."""
_DEPTH: Final = 3
"""How deep the types within objects and arrays are written."""
_SIMPLE: Final = frozenset({"string", "int", "number", "boolean"})

_MANUAL: Final = """\
# Calling tools

A call is text: <call>name key=value</call>, not native JSON.

Examples:
<call>getTime timezone=Asia/Tokyo</call>
<call>sendReport title="March sales" month=2026-03 pages=12 to=["a@b.org"]</call>

Values: words stand bare (size=large), "quotes" around blanks, 'quotes' around inner ",
numbers and booleans bare, lists as ["a","b"], objects by path, parent.child=val.
<json> tools take an object: <call>name {"key":"val"}</call>.

Only <call>…</call> runs."""


def manual(tools: Any, header: str | None = None) -> str:
    """Return the section of a prompt that explains how to call tools, and lists them.

    Each tool is listed with the paths and types of its parameters, without their descriptions,
    defaults and bounds. ``<json>`` marks a tool whose parameters cannot all be written as pairs.

    Parameters
    ----------
    tools
        What `parse_tools` reads.
    header
        A text to use in place of the explanation of calls.

    Examples
    --------
    >>> schema = {"type": "object", "properties": {"days": {"type": "integer"}}}
    >>> tool = {"name": "plan", "description": "Plan.", "inputSchema": schema}
    >>> manual([tool]).splitlines()[-1]
    '- plan: days?:int — Plan.'
    """
    lines = [f"- {_signature(tool)}" for tool in parse_tools(tools)]
    heading = _MANUAL if header is None else header
    return "\n".join([heading, "", "## Available tools", "", *lines]) if lines else heading


def _signature(tool: Tool) -> str:
    """Return the line of a tool: its name, its parameters, and the start of its description."""
    root = tool.arguments
    if takes_pairs(root):
        takes = ", ".join(_parameter_texts(root, "", root))
    else:
        takes = " ".join(["<json>", *filter(None, [_member_types(root, root, _DEPTH)])])
    short = " ".join(tool.description.split())[:_DESCRIPTION_CHARS]
    return f"{tool.name}: {takes}{f' — {short}' if tool.description else ''}"


def _parameter_texts(schema: dict[str, Any], prefix: str, root: Any) -> Iterator[str]:
    """Yield parameters with their types; a member of an object is given by its path.

    `prefix` is the path of the object at `schema`, with a dot at its end, or empty.
    """
    required_names = required(schema)
    for name, declared in members(schema).items():
        part = resolved(declared, root)
        if part.get("type") == "object" and is_object(part.get("properties")):
            yield from _parameter_texts(part, f"{prefix}{name}.", root)
        else:
            mark = "" if name in required_names else "?"
            yield f"{prefix}{name}{mark}:{_type_label(part, root, _DEPTH)}"


def _member_types(schema: JsonValue, root: JsonValue, depth: int) -> str:
    """Return the members of an object with their types, which are shown down to a depth."""
    required_names = required(schema)
    return ", ".join(
        f"{name}{'' if name in required_names else '?'}:{_type_label(part, root, depth)}"
        for name, part in members(schema).items()
    )


def _type_label(schema: Any, root: Any, depth: int) -> str:
    """Return the type of a parameter; the members of objects are shown down to a depth."""
    schema = resolved(schema, root)
    if not is_object(schema):
        return "any"
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if is_array(values):
        return "|".join(map(dump, values))
    if (union := alternatives(schema)) is not None:
        return "|".join(dict.fromkeys(_type_label(part, root, depth - 1) for part in union))
    kind = schema.get("type")
    if depth > 0 and kind == "object" and members(schema):
        return f"{{{_member_types(schema, root, depth - 1)}}}"
    if depth > 0 and kind == "array" and is_object(schema.get("items")):
        inner = _type_label(schema["items"], root, depth - 1)
        return f"{inner}[]" if inner in _SIMPLE else f"[{inner}]"
    if is_array(kind):
        return "|".join(map(str, kind))
    return "int" if kind == "integer" else str(kind or "any")


def with_manual(
    messages: Sequence[Mapping[str, Any]], text: str, placement: str = "last"
) -> list[dict[str, Any]]:
    r"""Return messages with a manual added to the system message, which is created if missing.

    The manual goes to its end, or with `placement` ``first`` to its beginning. Raises an
    `UnknownNameError` for a placement other than ``first`` and ``last``.

    Examples
    --------
    >>> with_manual([{"role": "system", "content": "Be brief."}], "# Tools")
    [{'role': 'system', 'content': 'Be brief.\n\n# Tools'}]
    """
    if placement not in ("first", "last"):
        raise UnknownNameError("placement", placement, ("first", "last"))
    is_first = placement == "first"
    copies = [dict(message) for message in messages]
    system = next((message for message in copies if message.get("role") == "system"), None)
    if system is None:
        return [{"role": "system", "content": text}, *copies]
    content = system.get("content")
    if is_array(content):
        block = {"type": "text", "text": text}
        system["content"] = [block, *content] if is_first else [*content, block]
    else:
        parts = [text, content] if is_first else [content, text]
        system["content"] = "\n\n".join(filter(None, parts))
    return copies


_TAG: Final = regex(r"<(?=\\*/?(?:call|tool-result|tool-error)\b)")
_FENCE: Final = regex(r"(^[ \t\r]*)(?=```|~~~)", re.MULTILINE)
_MARKED_FENCE: Final = regex(r"(^[ \t\r]*)(?=\\+(?:```|~~~))", re.MULTILINE)


def escaped(text: str) -> str:
    r"""Escape a text so that no call, result or open code fence is read from it.

    Examples
    --------
    >>> print(escaped("see <call>f</call> and </tool-result>"))
    see <\call>f<\/call> and <\/tool-result>
    """
    text = _MARKED_FENCE.sub(r"\1\\", _TAG.sub(r"<\\", text))
    if _FENCE.search(text) and len(read_calls(f"{text}\n<call>f</call>")) == 1:
        return _FENCE.sub(r"\1\\", text)
    return text


def result_text(name: str, result: Any) -> str:
    r"""Return a tool result for a model to read; anything but text is written as JSON.

    Examples
    --------
    >>> print(result_text("getWeather", {"sky": "clear"}))
    <tool-result name="getWeather">{"sky":"clear"}</tool-result>
    """
    return _tagged_text("result", name, result)


def error_text(name: str | None, *problems: object) -> str:
    """Return a message for the model about an error in a call or while running a tool.

    `name` is None if the name of the tool could not be read.

    Examples
    --------
    >>> print(error_text("getWeather", "location: missing; it must be string"))
    <tool-error name="getWeather">location: missing; it must be string</tool-error>
    """
    return _tagged_text("error", name or "", "\n".join(map(str, problems)))


def _tagged_text(kind: str, name: str, content: JsonValue) -> str:
    """Return text between the tags of a result or an error."""
    text = content if isinstance(content, str) else dump(content)
    shown = dump(name).replace("<", "\\u003c")
    return f"<tool-{kind} name={shown}>{escaped(text)}</tool-{kind}>"
