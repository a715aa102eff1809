"""TTC: one line for each field of a tool, as TERSE Tool Catalog 1.0 specifies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import ParseError
from mckp.jsontext import is_array, is_object
from mckp.regexes import regex
from mckp.tools.schema import members, required
from mckp.tools.tool import WORD, parse_tools, tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.plain import JsonValue
    from mckp.tools.tool import Tool

_KINDS: Final = {
    "string": "string",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "array",
    "object": "object",
}
_PRIMITIVES: Final = frozenset({"string", "int", "float", "bool"})
_SENTENCE: Final = regex(r".+?(?:[.!?](?=\s+[A-Z])|\Z)", re.DOTALL)


_DECLARED: Final = ("errors", "when", "tags")
"""Members of a definition, or of its ``_meta``, that TTC has lines for."""


def ttc(tools: Sequence[Tool], server: str = "server", total: int | None = None) -> str:
    """Write a catalog; enums, bounds, defaults, nesting and all prose but a sentence are lost.

    If a server declares `errors` (a list of codes), `when` (a sentence) or `tags`, next to the name
    or in ``_meta``, they are written. Otherwise the error is ``error``, and when to use a tool is
    derived from its name. `server` is the server's name; `total` is the number of all its tools, if
    the catalog has only some of them.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> units = {"type": "string", "enum": ["mm", "in"]}
    >>> schema = {"type": "object", "properties": {"u": units}}
    >>> rain = {"name": "getRain", "description": "Rain.", "inputSchema": schema, "tags": ["sky"]}
    >>> print(ttc(parse_tools([rain]), total=9))
    TOOLS v1.0 [1/9]
    MCP server v1.0
    <BLANKLINE>
    TOOL getRain
      PURPOSE: Rain.
      IN: u:string?
      OUT: result:any
      ERR: error
      WHEN: user wants to get rain
      TAGS: sky
    """
    head = f"TOOLS v1.0 [{len(tools)}/{len(tools) if total is None else total}]"
    return "\n\n".join([f"{head}\nMCP {server} v1.0", *map(_tool_text, tools)]) if tools else head


def _tool_text(tool: Tool) -> str:
    """Return the lines of a tool."""
    errors, when, tags = (_declared(tool, name) for name in _DECLARED)
    lines = [
        f"TOOL {tool.name}",
        f"PURPOSE: {_purpose(tool)}",
        f"IN: {_field_texts(tool.arguments) or _NO_INPUT}",
        f"OUT: {_field_texts(tool.output) or _ANY_OUTPUT}",
        f"ERR: {' | '.join(errors) or _ANY_ERROR}",
        f"WHEN: {' '.join(when) or _derived_wish(tool.name)}",
        *([f"TAGS: {', '.join(tags)}"] if tags else []),
    ]
    return "\n  ".join(lines)


_NO_INPUT: Final = "none:any"
_ANY_OUTPUT: Final = "result:any"
_ANY_ERROR: Final = "error"


def _derived_wish(name: str) -> str:
    """Return when to use a tool, as it follows from the tool's name."""
    words = [word if word.isupper() else word.lower() for word in WORD.findall(name)]
    return f"user wants to {' '.join(words) if len(words) > 1 else f'use {name}'}"


def _declared(tool: Tool, name: str) -> list[str]:
    """Return the texts of a declared member of a tool, each on one line.

    Those with signs that separate texts are left out, except that ``when`` has commas in place of
    semicolons.
    """
    meta = tool.extra.get("_meta")
    declared = tool.extra.get(name, meta.get(name) if is_object(meta) else None)
    declared = tags(tool) if name == "tags" else declared
    texts = [declared] if isinstance(declared, str) else declared if is_array(declared) else []
    lines = [" ".join(text.split()) for text in texts if isinstance(text, str)]
    if name == "when":
        return [text.replace(";", ",") for text in lines if text]
    return [text for text in lines if text and not _JOINTS.search(text)]


_JOINTS: Final = regex(r"[,;|]")
_TOOLS: Final = regex(r"TOOLS v[\d.]+(?: \[\d+/\d+\])?")
_SERVER: Final = regex(r"MCP \S+ v[\d.]+")
_FIELD: Final = regex(r"(?P<name>[^,]+?):(?P<type>[a-z]+(?:\[[a-z]+\])?)(?P<optional>\?)?(?:, |\Z)")
_SCHEMAS: Final = {word: kind for kind, word in _KINDS.items()}


def parse_ttc(text: str) -> list[Tool]:
    r"""Read a TTC catalog; what the format leaves out is missing from the tools.

    Parameters
    ----------
    text : str
        What `ttc` writes, or another writer of TERSE Tool Catalog 1.0. ``;`` begins a comment.

    Returns
    -------
    list of Tool
        With `errors`, `when` and `tags` as members of the definition, where they are not what
        `ttc` writes by default; `ttc` writes the same text again.

    Raises
    ------
    ParseError
        With the first line that is something else.
    ToolError
        If a name occurs twice.

    Examples
    --------
    >>> text = "TOOL now\n  PURPOSE: The time.\n  IN: zone:string?\n  OUT: result:any"
    >>> [tool] = parse_ttc(text + "\n  ERR: offline | denied\n  WHEN: user wants to use now")
    >>> tool.parameters["properties"], tool.extra
    ({'zone': {'type': 'string'}}, {'errors': ['offline', 'denied']})
    """
    definitions: list[dict[str, Any]] = []
    end = 0
    for line in text.split("\n"):
        start, end = end, end + len(line) + 1
        statement = line.partition(";")[0].strip()
        if not statement or _TOOLS.fullmatch(statement) or _SERVER.fullmatch(statement):
            continue
        key, _, content = statement.partition(" ")
        if key == "TOOL" and content:
            definitions.append({"name": content})
        elif not definitions or not _read_line(definitions[-1], key, content):
            raise ParseError.at("expected a line with a tool in TTC", text, start)
    return parse_tools(definitions)


def _read_line(tool: dict[str, Any], key: str, content: str) -> bool:
    """Add the content of a line to a definition; return False if it is not a TTC line."""
    if key in ("IN:", "OUT:"):
        if content not in (_NO_INPUT, _ANY_OUTPUT):
            fields = list(_FIELD.finditer(content))
            if "".join(field[0] for field in fields) != content:
                return False
            tool["inputSchema" if key == "IN:" else "outputSchema"] = _schema(fields)
    elif key == "PURPOSE:":
        tool["description"] = content
    elif key == "ERR:":
        tool |= {"errors": content.split(" | ")} if content != _ANY_ERROR else {}
    elif key == "WHEN:":
        tool |= {"when": content} if content != _derived_wish(tool["name"]) else {}
    elif key == "TAGS:":
        tool["tags"] = content.split(", ")
    return key in ("IN:", "OUT:", "PURPOSE:", "ERR:", "WHEN:", "TAGS:")


def _schema(fields: Sequence[re.Match[str]]) -> dict[str, Any]:
    """Return the schema of an object with the given fields, which are matches of `_FIELD`."""
    required_names = [field["name"] for field in fields if not field["optional"]]
    properties = {field["name"]: _schema_of_type(field["type"]) for field in fields}
    required = {"required": required_names} if required_names else {}
    return {"type": "object", "properties": properties, **required}


def _schema_of_type(word: str) -> dict[str, JsonValue]:
    """Return the schema of a TTC type; an unknown one allows anything."""
    outer, _, inner = word.partition("[")
    kind = _SCHEMAS.get(outer)
    items = {"items": _schema_of_type(inner.removesuffix("]"))} if inner else {}
    return {"type": kind, **items} if kind else {}


def _purpose(tool: Tool) -> str:
    """Return the first sentence of the description, or the name if there is none.

    It is on one line, without semicolons, since they begin comments.
    """
    sentence = _SENTENCE.match(" ".join(tool.description.split()).replace(";", ","))
    return sentence[0] if sentence else tool.name


def _field_texts(schema: JsonValue) -> str:
    """Return the members of a schema with their types, as ``IN`` and ``OUT`` list them."""
    required_names = required(schema)
    return ", ".join(
        f"{name}:{_type_word(part)}{'' if name in required_names else '?'}"
        for name, part in members(schema).items()
    )


def _type_word(schema: Any) -> str:
    """Return the TTC word for a schema; of several types, the first that is not null."""
    kind = schema.get("type") if is_object(schema) else None
    if is_array(kind):
        kind = next((name for name in kind if name != "null"), None)
    word = _KINDS.get(kind, "any") if isinstance(kind, str) else "any"
    if word != "array":
        return word
    items = _type_word(schema.get("items"))
    return f"array[{items if items in _PRIMITIVES else 'object'}]"
