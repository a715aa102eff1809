"""What a prompt tells a model about calling tools as text: the manual, and a line for each tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from mckp.errors import UnknownNameError
from mckp.jsontext import dump, is_array, is_object
from mckp.tools.calls.validate import takes_pairs
from mckp.tools.calls.writer import word
from mckp.tools.schema import members, required
from mckp.tools.text.spell import TYPES
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mckp.tools.calls.grammar import Form
    from mckp.tools.tool import Tool

_DESCRIPTION_CHARS: Final = 120
"""Characters of a description."""
_SIMPLE: Final = frozenset({"string", "int", "number", "boolean"})


def wire_signature(tool: Tool) -> str:
    """Return a tool as the wire format shows it: parameters by path, with their types.

    Descriptions of parameters, defaults and bounds are left out, and so are all parameters where
    there is something that pairs cannot say.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"type": "object", "properties": {"days": {"type": "integer"}}}
    >>> [tool] = parse_tools([{"name": "plan", "description": "Plan.", "input_schema": schema}])
    >>> wire_signature(tool)
    'plan: days?:int — Plan.'
    """
    takes = ", ".join(_fields(tool.parameters, "")) if takes_pairs(tool.parameters) else "<json>"
    return f"{tool.name}: {takes}{_said(tool, ' — ')}"


def _said(tool: Tool, mark: str) -> str:
    """Return the beginning of a description on one line, after a mark."""
    short = " ".join(tool.description.split())[:_DESCRIPTION_CHARS]
    return f"{mark}{short}" if tool.description else ""


def _fields(schema: dict[str, Any], prefix: str) -> Iterator[str]:
    needed = required(schema)
    for name, part in members(schema).items():
        if part.get("type") == "object" and is_object(part.get("properties")):
            yield from _fields(part, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}{'' if name in needed else '?'}:{_label(part)}"


def _label(schema: Any) -> str:
    """Return the type of a parameter."""
    if is_array(schema.get("enum")):
        return "|".join(map(dump, schema["enum"]))
    kind = schema.get("type")
    if kind == "array" and is_object(schema.get("items")):
        inner = _label(schema["items"])
        return f"{inner}[]" if inner in _SIMPLE else f"[{inner}]"
    if is_array(kind):
        return "|".join(map(str, kind))
    return "int" if kind == "integer" else str(kind or "any")


# ---------------------------------------------------------------- ours


def native_signature(tool: Tool) -> str:
    """Return a tool as a function: parameters in order, with types down to nested objects.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> sky = {"type": "object", "properties": {"clear": {"type": "boolean"}}}
    >>> schema = {"properties": {"days": {"type": "integer"}, "sky": sky}, "required": ["days"]}
    >>> [tool] = parse_tools([{"name": "plan", "description": "Plan.", "input_schema": schema}])
    >>> native_signature(tool)
    'plan(days:int,sky?:{clear?:bool}) Plan.'
    """
    return f"{tool.name}({_members(tool.parameters)}){_said(tool, ' ')}"


def _members(schema: dict[str, Any]) -> str:
    needed = required(schema)
    return ",".join(
        f"{name}{'' if name in needed else '?'}:{_type(part)}"
        for name, part in members(schema).items()
    )


def _type(schema: Any) -> str:
    """Return a type in few characters, ``any`` for what has no short word."""
    if not is_object(schema):
        return "any"
    if is_array(schema.get("enum")):
        return "|".join(_word(each) for each in schema["enum"])
    kind = schema.get("type")
    if is_array(kind):
        return "|".join(TYPES.get(str(each), str(each)) for each in kind)
    if kind == "array":
        return f"[{_type(schema['items'])}]" if "items" in schema else "[]"
    if is_object(schema.get("properties")):
        return f"{{{_members(schema)}}}"
    for union in ("anyOf", "oneOf"):
        if is_array(schema.get(union)):
            return "|".join(map(_type, schema[union]))
    return "{}" if kind == "object" else TYPES.get(str(kind), str(kind or "any"))


def _word(value: Any) -> str:
    return word(value) if isinstance(value, str) else dump(value)


_WIRE: Final = """\
# Calling tools

A call is text: <call>name key=value</call>, not native JSON.

Examples:
<call>getTime timezone=Asia/Tokyo</call>
<call>sendReport title="March sales" month=2026-03 pages=12 to=["a@b.org"]</call>

Values: words stand bare (size=large), "quotes" around blanks, 'quotes' around inner ",
numbers and booleans bare, lists as ["a","b"], objects by path, parent.child=val.
<json> tools take an object: <call>name {"key":"val"}</call>.

Only <call>…</call> runs."""

_NATIVE: Final = """\
# Tools

Call a tool on a line of its own: → and its name, values in the order of its signature, \
others by name.

→getTime(Asia/Tokyo)
→sendReport("March sales",12,to=[a@b.org],options={draft:true})

Quote strings with blanks or any of ,=()[]{}"' and strings that look like a number, true, \
false or null. ? may be left out."""

_MANUALS: Final[Mapping[str, tuple[str, str, Callable[[Tool], str]]]] = {
    "wire": (f"{_WIRE}\n\n## Available tools\n", "- ", wire_signature),
    "native": (f"{_NATIVE}\n", "", native_signature),
}
"""What comes before the list of tools, before each of them, and how it is written."""


def manual(tools: Any, form: Form = "wire") -> str:
    """Return the part of a prompt that tells how to call tools, and which there are.

    Parameters
    ----------
    tools
        What `parse_tools` reads.
    form
        ``"wire"`` or ``"native"``.

    Examples
    --------
    >>> tool = {"name": "now", "description": "The time.", "inputSchema": {"properties": {}}}
    >>> manual([tool], "native").splitlines()[-1]
    'now() The time.'
    """
    if form not in _MANUALS:
        raise UnknownNameError("form of calls", form, _MANUALS)
    found = parse_tools(tools)
    above, mark, signature = _MANUALS[form]
    if not found:
        return _WIRE if form == "wire" else _NATIVE
    return "\n".join([above, *(mark + signature(tool) for tool in found)])


def with_manual(
    messages: Sequence[Mapping[str, Any]],
    text: str,
    placement: Literal["last", "first"] = "last",
) -> list[dict[str, Any]]:
    r"""Return messages with a manual in the system message, or with one of its own.

    Parameters
    ----------
    messages
        A conversation.
    text
        What `manual` returned.
    placement
        Whether it comes after what the system message says already, or before it. Where there
        is no such message, one is made at that end of the conversation.

    Examples
    --------
    >>> with_manual([{"role": "system", "content": "Be brief."}], "# Tools", "first")
    [{'role': 'system', 'content': '# Tools\n\nBe brief.'}]
    """
    if placement not in ("last", "first"):
        raise UnknownNameError("placement", placement, ("last", "first"))
    found = [dict(message) for message in messages]
    for message in found:
        if message.get("role") == "system":
            message["content"] = _joined(message.get("content"), text, placement)
            return found
    own = {"role": "system", "content": text}
    return [own, *found] if placement == "first" else [*found, own]


def _joined(content: Any, text: str, placement: str) -> Any:
    """Return the content of a message with a text put before or after it."""
    if is_array(content):
        block = {"type": "text", "text": text}
        return [block, *content] if placement == "first" else [*content, block]
    parts = [text, content] if placement == "first" else [content, text]
    return "\n\n".join(filter(None, parts))
