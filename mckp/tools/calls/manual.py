"""What a prompt tells a model about calling tools as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from mckp.errors import UnknownNameError
from mckp.jsontext import is_array
from mckp.tools.calls.signatures import json_signature, native_signature, wire_signature
from mckp.tools.parse import parse_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.tools.tool import Tool

Syntax = Literal["wire", "json", "native"]
"""Pairs in the wire form, objects of JSON in its tags, or our own form."""

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

_HEADERS: Final[Mapping[str, str]] = {"wire": _WIRE, "json": _WIRE, "native": _NATIVE}
_LINES: Final[Mapping[str, Callable[[Tool], str]]] = {
    "wire": wire_signature,
    "json": json_signature,
    "native": native_signature,
}


def manual(tools: Any, syntax: Syntax = "wire", header: str | None = None) -> str:
    """Return the part of a prompt that tells how to call tools, and which there are.

    Parameters
    ----------
    tools
        What `parse_tools` reads.
    syntax
        ``"wire"``, ``"json"`` (objects of JSON within the wire form's tags), or ``"native"``.
    header
        What comes before the list of tools, in place of our own words.

    Examples
    --------
    >>> tool = {"name": "now", "description": "The time.", "inputSchema": {"properties": {}}}
    >>> print(manual([tool], "native", header="Tools:"))
    Tools:
    <BLANKLINE>
    now() The time.
    """
    if syntax not in _HEADERS:
        raise UnknownNameError("syntax of calls", syntax, _HEADERS)
    said = _HEADERS[syntax] if header is None else header
    mark, title = ("", "") if syntax == "native" else ("- ", "## Available tools\n\n")
    lines = [mark + _LINES[syntax](tool) for tool in parse_tools(tools)]
    return f"{said}\n\n{title}{chr(10).join(lines)}" if lines else said


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
