"""``TS ns``: a namespace with a type a tool, comments for whatever is said in prose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mckp.jsontext import dump, is_object
from mckp.tools.renderings.schema import members, required, resolved
from mckp.tools.renderings.typescript import Types
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.tools.tool import Tool


def ts_namespace(tools: Any, *, refs: int = 200) -> str:
    """Write a catalog as OpenAI's models are shown functions.

    Parameters
    ----------
    tools
        What `mckp.tools.parse_tools` reads.
    refs : int, default 200
        How many references may lie within each other before there is ``any``.

    Returns
    -------
    str
        Types, descriptions and defaults; no bounds, patterns, formats or value types of
        maps, and integers are numbers.

    Examples
    --------
    >>> zone = {"type": "string", "description": "Which.", "default": "UTC"}
    >>> schema = {"type": "object", "properties": {"zone": zone}}
    >>> print(ts_namespace([{"name": "now", "description": "The time.", "inputSchema": schema}]))
    namespace functions {
    <BLANKLINE>
    // The time.
    type now = (_: {
    // Which.
    zone?: string, // default: "UTC"
    }) => any;
    <BLANKLINE>
    } // namespace functions
    """
    blocks = [_block(tool, refs) for tool in parse_tools(tools)]
    return "\n\n".join(["namespace functions {", *blocks, "} // namespace functions"])


def _block(tool: Tool, refs: int) -> str:
    schema = tool.parameters
    types = ProseTypes(schema, refs=refs)
    given = f"_: {types.fields(schema)}" if members(schema) else ""
    return "\n".join([*comment(tool.description), f"type {tool.name} = ({given}) => any;"])


@dataclass(frozen=True)
class ProseTypes(Types):
    """Writes types in which objects have a line a member, with comments."""

    def fields(self, schema: dict[str, Any]) -> str:
        """Return an object with its members."""
        needed = required(schema)
        lines = (
            line
            for name, of in members(schema).items()
            for line in self._lines(name, name in needed, of)
        )
        return "\n".join(["{", *lines, "}"])

    def _lines(self, name: str, needed: bool, schema: Any) -> Iterator[str]:
        facts = resolved(schema, self.root)
        facts = facts if is_object(facts) else {}
        yield from comment(facts.get("description"))
        default = f" // default: {dump(facts['default'])}" if "default" in facts else ""
        yield f"{self._field(name, needed, schema)},{default}"


def comment(text: Any) -> list[str]:
    """Return a text as lines of comments.

    Examples
    --------
    >>> comment("One." + chr(10) + "Two.")
    ['// One.', '// Two.']
    """
    if not isinstance(text, str) or not text.strip():
        return []
    return [f"// {line}" for line in text.strip().split("\n")]
