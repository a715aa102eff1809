"""The frame of a catalog: its header, what is shared, and the way back."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import ParseError
from mckp.parsers import decoded
from mckp.tools.text.read import Reader
from mckp.tools.text.spell import CUT, SIGN
from mckp.tools.tool import Tool, parse_tools

if TYPE_CHECKING:
    from collections.abc import Sequence

SHARED: Final = "shared:\n"
"""The line above what is shared."""

_RULES: Final[dict[bool | None, str]] = {
    None: "",
    False: ", closed objects",
    True: ", open objects",
}
_HEADER: Final = re.compile(r"\[(\d{1,9})(?:/(\d{1,9}))? tools([^\n]*)\]\n")
_CODE: Final = re.compile(rf"{SIGN}(\d{{1,9}})")
_RECALL: Final = "; more: "


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a catalog.

    Attributes
    ----------
    shown, total : int
        How many tools are written of how many.
    rule : bool or None
        What objects say of additional properties unless they are marked.
    names : bool
        Whether there may be tools whose parameters are names only.
    cut : bool
        Whether there may be tools of which something is left out.
    recall : str
        How to get the rest.
    """

    shown: int
    total: int
    rule: bool | None = None
    names: bool = False
    cut: bool = False
    recall: str = ""

    def __str__(self) -> str:
        count = f"{self.shown}/{self.total}" if self.cut else str(self.total)
        cut = (", [names only]" if self.names else "") + (f", {CUT} cut" if self.cut else "")
        more = f"{_RECALL}{self.recall}" if self.recall else ""
        return f"[{count} tools, a? optional, untyped: str{_RULES[self.rule]}{cut}{more}]\n"


def decode_tools(text: str | bytes | bytearray) -> list[Tool]:
    r"""Read a text of tools back.

    Parameters
    ----------
    text : str, bytes or bytearray
        What `mckp.tools.encode_tools` has written, whole.

    Returns
    -------
    list of Tool
        In MCP's shape, with what the text says of each: of a tool that is cut to its name,
        nothing but that.

    Raises
    ------
    ParseError
        With line and column, if the text is something else.

    Examples
    --------
    >>> text = "[1 tools, a? optional, untyped: str]\nnow(zone?): The time.\n"
    >>> decode_tools(text)[0].parameters
    {'type': 'object', 'properties': {'zone': {'type': 'string'}}}
    """
    text = decoded(text)
    if text.startswith(("[]", "[{")):
        return parse_tools(text)
    try:
        return _CatalogReader(text).tools()
    except RecursionError:
        raise ParseError("types are nested deeper than can be read") from None


class _CatalogReader(Reader):
    def __init__(self, text: str) -> None:
        found = _HEADER.match(text)
        words = "" if found is None else found[3].partition(_RECALL)[0]
        rules = [rule for rule, said in _RULES.items() if said and said in words]
        super().__init__(text, rules[0] if rules else None)
        self.texts: dict[str, str] = {}
        self.parameters: dict[str, Any] = {}
        if found is None:
            self.fail("the header of a catalog")
        self.at, self.count = found.end(), int(found[1])

    def tools(self) -> list[Tool]:
        if self.take(SHARED):
            while self.take(" "):
                self._entry()
        tools: list[Tool] = []
        while self.at < len(self.text):
            tools.append(self._tool())
        if len(tools) != self.count:
            self.fail(f"a catalog of {self.count} tools, not {len(tools)},")
        return tools

    def _entry(self) -> None:
        if self.take(SIGN):
            code = self.word()
            self.need(" ")
            self.texts[code] = self._prose()
        else:
            label = self.word()
            if self.take("~"):
                label = f"{label}~{self.word()}"
            self.parameters[label] = self._rest_of_line(self._behind({"type": "string"}))

    def _tool(self) -> Tool:
        if self.text.startswith("{", self.at):
            definition = self.json()
            self.need("\n")
            return parse_tools([definition])[0]
        name, schema = self.word(), self._root()
        self.take(CUT)
        output = self.full() if self.take(" -> ") else None
        description = self._prose() if self.take(": ") else None
        if description is None:
            self.need("\n")
        extra = self._lines(schema)
        return _tool(name, description, schema, output, extra)

    def _root(self) -> dict[str, Any] | None:
        """Read what stands behind a name: parameters, or nothing."""
        if self.take("["):
            return self._names()
        if self.take("("):
            schema = self.members(")", self._shared)
            schema.setdefault("properties", {})
            return self._items(schema) if self.take("(") else schema
        if self.take("=") and not self.take("none"):
            return self._open(self.full())
        return None

    def _shared(self, label: str) -> Any:
        return deepcopy(self.parameters.get(label))

    def _names(self) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        while not self.take("]"):
            if properties:
                self.need(" ")
            properties[self.label()] = {}
        return {"type": "object", "properties": properties}

    def _lines(self, schema: dict[str, Any] | None) -> dict[str, Any]:
        """Read the lines below a tool into its parameters; return what else they tell."""
        extra: dict[str, Any] = {}
        while self.take(" "):
            if self.take("&"):
                extra = self._extra()
            elif schema is None or "properties" not in schema:
                self.fail("a tool with parameters above each of their lines")
            else:
                self._line(schema)
        return extra

    def _extra(self) -> dict[str, Any]:
        """Read annotations that are true or not, then JSON."""
        flags: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        while not self.take("\n"):
            if self.text.startswith("{", self.at):
                extra = self.json()
            else:
                told = not self.take("!")
                flags[self.word()] = told
            self.take(" ")
        if flags or "annotations" in extra:
            extra["annotations"] = {**flags, **extra.get("annotations", {})}
        return extra

    def _line(self, schema: dict[str, Any]) -> None:
        if self.take("@"):
            name = self.word()
            found = self._rest_of_line(self._behind({"type": "string"}))
            schema.setdefault("$defs", {})[name] = found
            return
        key, inner, required = self.member()
        schema["properties"][key] = self._rest_of_line(inner)
        if required:
            schema["required"] = sorted([*schema.get("required", []), key])

    def _behind(self, schema: Any) -> Any:
        if self.take(":"):
            schema = self.type()
        return {**self._open(schema), "default": self.value()} if self.take("=") else schema

    def _rest_of_line(self, schema: Any) -> Any:
        if self.take(" "):
            return {**self._open(schema), "description": self._prose()}
        self.need("\n")
        return schema

    def _prose(self) -> str:
        """Read prose and the end of its line."""
        if self.take('"""'):
            end = self.text.find('"""', self.at)
            found = self.text[self.at : end] if end >= 0 else self.fail("the end of a text")
            self.at = end + 3
        elif self.text.startswith('"', self.at):
            found = self.string()
            self.take(f" {CUT}")
            self.need("\n")
            return found
        else:
            end = self.text.find("\n", self.at)
            found = self.text[self.at : end] if end >= 0 else self.fail("the end of a line")
            self.at = end
        self.need("\n")
        return _CODE.sub(lambda code: self._text(code[1]), found).removesuffix(f" {CUT}")

    def _text(self, code: str) -> str:
        return (
            self.texts[code] if code in self.texts else self.fail(f"the shared text {SIGN}{code}")
        )


def _tool(
    name: str, description: str | None, schema: dict[str, Any] | None, output: Any, extra: Any
) -> Tool:
    annotations = extra.pop("annotations", None)
    given = {"description": description, "parameters": schema, "annotations": annotations}
    return Tool(
        name,
        description or "",
        schema or {},
        output,
        annotations or {},
        extra,
        "mcp",
        frozenset(member for member, value in given.items() if value is None),
    )


def catalog(header: Header, entries: Sequence[str], tools: Sequence[str]) -> str:
    """Return the text of a catalog."""
    shared = [SHARED, *entries] if entries else []
    return "".join([str(header), *shared, *tools])
