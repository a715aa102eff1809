"""Read catalogs back into tools: the header, shared parts, and types as schemas."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from math import isinf
from typing import TYPE_CHECKING, Any, Final, NoReturn

from mckp.encoders.hints import read_overflow
from mckp.errors import ParseError
from mckp.jsontext import NUMBER, is_object
from mckp.parsers import decode_bytes
from mckp.regexes import regex
from mckp.tools.text.conventions import KINDS, Conventions
from mckp.tools.text.header import COUNT, HEADER, SHARED, UNIT
from mckp.tools.text.spell import BOUNDS, BY, CUT, JOINTS, REFERENCE, ROOT, SIGN, TYPES, bare_end
from mckp.tools.tool import Tool, parse_tools

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.plain import JsonValue


def _finite_number(text: str) -> float:
    """Parse a number; raise a `ValueError` if it is beyond the range of numbers."""
    number = float(text)
    if isinf(number):
        raise ValueError(f"{text} is beyond what a number can be")
    return number


def _refuse_constant(text: str) -> NoReturn:
    """Raise a `ValueError` for a constant that JSON does not have."""
    raise ValueError(f"{text} is not JSON")


_JSON: Final = json.JSONDecoder(parse_float=_finite_number, parse_constant=_refuse_constant)
_LITERALS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
_RANGE: Final = regex(rf"({NUMBER})?\.\.({NUMBER})?")
_NUMBER: Final = regex(NUMBER)
_NAMES: Final = {short: kind for kind, short in TYPES.items()}
_KEYS: Final = {sign: key for key, sign in JOINTS.items()}


class TypeReader:
    """Reads types, names and values from a text, from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.is_cut = False
        """Whether there was a sign that something is left out."""

    def fail(self, wanted: str) -> NoReturn:
        """Raise an error that says what was expected at this point."""
        raise ParseError.at(f"expected {wanted} in a text of tools", self.text, self.at)

    def take(self, sign: str) -> bool:
        """Step past a sign and return True if it is next; else return False."""
        is_next = self.text.startswith(sign, self.at)
        self.at += len(sign) * is_next
        return is_next

    def need(self, sign: str) -> None:
        """Step past a sign, or fail if it is not next."""
        if not self.take(sign):
            self.fail(repr(sign))

    def word(self) -> str:
        """Read a bare word or a string."""
        if self.text.startswith('"', self.at):
            return str(self.json())
        start, self.at = self.at, bare_end(self.text, self.at)
        if start == self.at:
            self.fail("a name")
        return self.text[start : self.at]

    def label(self) -> str:
        """Read the name of a member, which `spell.label` wrote."""
        self.at += self.text.startswith('."', self.at)
        return self.word()

    def json(self) -> Any:
        """Read a JSON value."""
        try:
            value, self.at = _JSON.raw_decode(self.text, self.at)
        except (ValueError, RecursionError):
            self.fail("a value of JSON")
        return value

    def _number(self, word: str) -> Any:
        """Return a word as a number; fail if it is longer or larger than Python reads."""
        try:
            return _JSON.decode(word)
        except ValueError:
            self.fail("a shorter number")

    def value(self) -> Any:
        """Read a value: a bare word or JSON."""
        if self.text[self.at : self.at + 1] in ('"', "[", "{"):
            return self.json()
        word = self.word()
        if word in _LITERALS:
            return _LITERALS[word]
        return self._number(word) if _NUMBER.fullmatch(word) else word

    def full(self) -> Any:
        """Read a schema with its default and description."""
        return self._read_description(self._read_default(self.type()))

    def type(self) -> Any:
        """Read a schema without its default and description."""
        schema = self._read_joined()
        if self.take("("):
            schema = self._read_keywords(self._as_mutable(schema))
        return schema

    def member(self, shared: Callable[[str], Any] | None = None) -> tuple[str, Any, bool]:
        """Read a member without its description: name, schema, and whether it is required.

        `shared` returns the schema of a shared parameter by its label, or None if there is none.
        """
        is_word = not self.text.startswith('."', self.at)
        label = key = self.label()
        if is_word and self.take("~"):
            label = f"{key}~{self.word()}"
        required = not self.take("?")
        known = shared(label) if is_word and shared is not None else None
        if label != key and known is None:
            self.fail(f"a shared parameter {label!r}")
        return key, self.typed(known), required

    def typed(self, known: Any = None) -> Any:
        """Read the type and default after a name, and return the schema.

        If there is no type, it is the schema `known`, or, without that, a string.
        """
        default = {"type": "string"} if known is None else known
        return self._read_default(self.type() if self.take(":") else default)

    def members(self, end: str, shared: Callable[[str], Any] | None = None) -> dict[str, Any]:
        """Read the inside of the braces of an object, and the closing sign; return the schema.

        `end` is the closing sign; `shared` is as for `member`.
        """
        schema: dict[str, Any] = {"type": "object"}
        explicit = self.take(" ")
        properties: dict[str, Any] = {}
        required: list[str] = []
        while not self.take(end):
            if properties or "additionalProperties" in schema:
                self.need(" ")
            if self._read_rest_mark(schema):
                continue
            key, inner, needed = self.member(shared)
            properties[key] = self._read_description(inner)
            required += [key] if needed else []
        if properties or explicit or "additionalProperties" not in schema:
            schema["properties"] = properties
        if required:
            schema["required"] = sorted(required)
        return schema

    def _read_rest_mark(self, schema: dict[str, JsonValue]) -> bool:
        """Read a mark for further members into the schema; return whether there was one."""
        if self.take(CUT):
            self.is_cut = True
            return True
        if self.take("!"):
            schema["additionalProperties"] = False
        elif self.take("*"):
            schema["additionalProperties"] = self.full() if self.take(":") else True
        else:
            return False
        return True

    def _read_description(self, schema: JsonValue) -> JsonValue:
        """Read a description after a type, if there is one, and return the schema with it."""
        if self.take(' "'):
            self.at -= 1
            return {**self._as_mutable(schema), "description": str(self.json())}
        return schema

    def _read_default(self, schema: Any) -> Any:
        """Read a default after a type, if there is one, and return the schema with it."""
        return {**self._as_mutable(schema), "default": self.value()} if self.take("=") else schema

    def _as_mutable(self, schema: Any) -> dict[str, Any]:
        """Return a copy of a schema that can be changed; fail for one that is true or false."""
        if isinstance(schema, bool):
            self.fail("a type that takes more")
        return dict(schema)

    def _read_joined(self) -> Any:
        """Read one type, or several that are joined by a sign, and return their schema."""
        first = self._read_atom()
        sign = self.text[self.at : self.at + 1]
        if sign not in _KEYS:
            return (
                _enumeration_schema("const", first.value) if isinstance(first, _Literal) else first
            )
        parts = [first]
        while self.take(sign):
            parts.append(self._read_atom())
        if not any(isinstance(part, _Literal) for part in parts):
            return {_KEYS[sign]: parts}
        parts = [_Literal(None) if part == {"type": "null"} else part for part in parts]
        if not all(isinstance(part, _Literal) for part in parts):
            self.fail("values only, or types only,")
        return _enumeration_schema("enum", *(part.value for part in parts))

    def _read_atom(self) -> Any:
        """Read a type up to a sign that joins it to others; return its schema, or a `_Literal`."""
        if self.take("("):
            schema = self.full()
            self.need(")")
            return schema
        if self.take("["):
            schema = {"type": "array"}
            if not self.take("]"):
                schema |= self._read_array()
            return self._read_nullable(schema, "array")
        if self.take("{"):
            return self._read_nullable(self.members("}"), "object")
        if self.take("@"):
            word = self.word()
            return {"$ref": word if word == ROOT else REFERENCE + word}
        return self._read_plain()

    def _read_array(self) -> dict[str, JsonValue]:
        """Read an array type after its opening bracket; return the keywords for its items."""
        parts, is_closed = [self.full()], False
        while self.take(", ") and not is_closed:
            is_closed = self.take("!")
            parts += [] if is_closed else [self.full()]
        self.need("]")
        if len(parts) == 1 and not is_closed:
            return {"items": parts[0]}
        size = len(parts)
        rest = {"items": False} if is_closed else {}
        return {"prefixItems": parts, "minItems": size, "maxItems": size, **rest}

    def _read_nullable(self, schema: dict[str, Any], kind: str) -> dict[str, Any]:
        """Return a schema of the type `kind`, or of that and null if a mark says so."""
        return {**schema, "type": [kind, "null"]} if self.take("/null") else schema

    def _read_plain(self) -> Any:
        """Read the name of a type as its schema, or a value in its place as a `_Literal`."""
        start, value = self.at, self.value()
        word = self.text[start : self.at]
        if word in ("anything", "nothing"):
            return word == "anything"
        if word == "any":
            return {}
        kind = _named_type(word)
        return _Literal(value) if kind is None else {"type": kind}

    def _read_keywords(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Read the keywords in parentheses after a type into the schema, and return it."""
        while True:
            self._read_keyword(schema)
            if self.take(")"):
                return schema
            self.need(",")

    def _read_keyword(self, schema: dict[str, Any]) -> None:
        """Read one keyword in parentheses into the schema."""
        if (bounds := _RANGE.match(self.text, self.at)) is not None:
            self.at = bounds.end()
            keys = BOUNDS.get(str(schema.get("type")))
            if keys is None:
                self.fail("a type with bounds")
            ends = zip(keys, bounds.groups(), strict=True)
            schema |= {key: self._number(end) for key, end in ends if end is not None}
            return
        key = self.word()
        if key == BY and self.take(" "):
            schema["discriminator"] = self._read_discriminator(schema.get("oneOf", []))
        elif self.take("="):
            schema[key] = self.value()
        elif key == "any":
            schema.pop("type", None)
        elif (kind := _named_type(key)) is not None:
            schema["type"] = kind
        else:
            schema["format"] = key

    def _read_discriminator(self, union: list[Any]) -> dict[str, Any]:
        """Read the discriminator of a union; fail unless it has a text for each schema there."""
        member = self.word()
        self.need("=")
        values = [self.value()]
        while self.take("|"):
            values.append(self.value())
        refs: list[Any] = [part.get("$ref") for part in union if is_object(part)]
        if len(refs) != len(values) or not all(isinstance(ref, str) for ref in [*refs, *values]):
            self.fail(f"a text for each of the {len(union)} definitions of a union")
        return {"propertyName": member, "mapping": dict(zip(values, refs, strict=True))}


class _Literal:
    """A value in the place of a type."""

    def __init__(self, data: JsonValue) -> None:
        self.value = data


def _enumeration_schema(key: str, *values: Any) -> dict[str, Any]:
    """Return the schema of values by `key`, ``enum`` or ``const``.

    Its type is string if all values are strings.
    """
    typed = {"type": "string"} if all(isinstance(value, str) for value in values) else {}
    return {**typed, key: list(values) if key == "enum" else values[0]}


def _named_type(word: str) -> Any:
    """Return the type, or list of types, that a word names; None if it names none."""
    kinds = [_NAMES.get(part) for part in word.split("/")]
    if None in kinds:
        return None
    return kinds[0] if len(kinds) == 1 else kinds


_CODE: Final = regex(rf"{SIGN}(\d{{1,9}})")


def decode_tools(text: str | bytes | bytearray) -> list[Tool]:
    r"""Read a text of tools back.

    Parameters
    ----------
    text : str, bytes or bytearray
        What `mckp.tools.encode_tools` has written, whole.

    Returns
    -------
    list of Tool
        What the text says of each tool: of a tool that is cut to its name, nothing but that. If
        the text only says how many tools there are, the list is empty. Tools are in MCP's shape,
        but those written as JSON keep the shape they have there.

    Raises
    ------
    ParseError
        If the text is something else, with line and column unless it is nested too deeply.
    ToolError
        If a definition in JSON is wrong.

    Examples
    --------
    >>> text = "[tools, a? optional, untyped: str]\nnow(zone?): The time.\n[1 tools]\n"
    >>> decode_tools(text)[0].parameters
    {'type': 'object', 'properties': {'zone': {'type': 'string'}}}
    """
    text = decode_bytes(text)
    if text.startswith(("[]", "[{")):
        return parse_tools(text)
    if (hint := read_overflow(text.removesuffix("\n"))) and hint.unit == UNIT:
        return []
    try:
        return _CatalogReader(text).tools()
    except RecursionError:
        raise ParseError("types are nested too deeply") from None


class _CatalogReader(TypeReader):
    """Reads a catalog, from its header on."""

    def __init__(self, text: str) -> None:
        """Read the header."""
        super().__init__(text)
        self.texts: dict[str, str] = {}
        self.parameters: dict[str, Any] = {}
        self.conventions = Conventions()
        header = HEADER.match(text)
        if header is None:
            self.fail("the header of a catalog")
        self.at = header.end()
        self.count = None if header[1] is None else int(header[1])

    def tools(self) -> list[Tool]:
        """Read all tools; fail if there are not as many as the first or the last line says."""
        if self.take(SHARED):
            while self.take(" "):
                self._read_entry()
        tools: list[Tool] = []
        while self.at < len(self.text):
            if self.count is None and (end := COUNT.match(self.text, self.at)):
                self.at, self.count = end.end(), int(end[1])
                break
            tools.append(self._read_tool())
        if self.count is None:
            self.fail("a line with the number of tools at the end")
        if len(tools) != self.count:
            self.fail(f"a catalog of {self.count} tools, not {len(tools)},")
        return tools

    def _read_entry(self) -> None:
        """Read one of the lines above the tools: a convention, or a shared parameter or text."""
        if self.take("&"):
            self._read_convention()
        elif self.take(SIGN):
            code = self.word()
            self.need(" ")
            self.texts[code] = self._read_prose()
        else:
            label = self.word()
            if self.take("~"):
                label = f"{label}~{self.word()}"
            self.parameters[label] = self._read_rest_of_line(self.typed())

    def _read_convention(self) -> None:
        """Read a convention, which applies to all tools below it."""
        if self.text.startswith("{", self.at):
            self.conventions = replace(self.conventions, common=self.json())
        elif self.take("patterns "):
            patterns = self.json() if self.text.startswith("{", self.at) else self.fail("an object")
            if not all(isinstance(pattern, str) for pattern in patterns.values()):
                self.fail("patterns that are text")
            self.conventions = replace(self.conventions, patterns=patterns)
        elif self.take("results "):
            results = self.json() if self.text.startswith("{", self.at) else self.fail("an object")
            self.conventions = replace(self.conventions, results=results)
        else:
            self.need("titles follow names:")
            kinds: list[str] = []
            while self.take(" "):
                kinds.append(self.word())
            if wrong := [kind for kind in kinds if kind not in KINDS]:
                self.fail(f"one of {', '.join(KINDS)}, not {wrong[0]},")
            self.conventions = replace(self.conventions, titles=tuple(kinds))
        self.need("\n")

    def _read_tool(self) -> Tool:
        """Read a tool with the lines below it."""
        if self.text.startswith("{", self.at):
            definition = self.json()
            self.need("\n")
            return parse_tools([definition])[0]
        self.is_cut = False
        name, schema = self.word(), self._read_root()
        self.is_cut |= self.take(CUT)
        is_cut = self.is_cut
        output = self.full() if self.take(" -> ") else None
        description = self._read_prose() if self.take(": ") else None
        if description is None:
            self.need("\n")
        extra = self._read_lines(schema, output)
        annotations: dict[str, Any] | None = extra.pop("annotations", None)
        members = {"description": description, "parameters": schema, "annotations": annotations}
        absent = frozenset(member for member, value in members.items() if value is None)
        content = description or "", schema or {}, output, annotations or {}, extra
        tool = Tool(name, *content, "mcp", absent)
        return tool if is_cut else self.conventions.whole(tool)

    def _read_root(self) -> dict[str, Any] | None:
        """Read the schema of the parameters after a tool name; None if it is absent or cut."""
        if self.take("["):
            return self._read_names()
        if self.take("("):
            schema = self.members(")", self._shared_copy)
            schema.setdefault("properties", {})
            return self._read_keywords(schema) if self.take("(") else schema
        if not self.take("="):
            self.is_cut = True
            return None
        return None if self.take("none") else self._as_mutable(self.full())

    def _shared_copy(self, label: str) -> JsonValue:
        """Return a copy of the schema of a shared parameter; None if there is no such label."""
        return deepcopy(self.parameters.get(label))

    def _read_names(self) -> dict[str, JsonValue]:
        """Read names of parameters without types, and return the schema that they make."""
        self.is_cut = True
        properties: dict[str, Any] = {}
        while not self.take("]"):
            if properties:
                self.need(" ")
            properties[self.label()] = {}
        return {"type": "object", "properties": properties}

    def _read_lines(self, schema: dict[str, Any] | None, output: Any) -> dict[str, Any]:
        """Read the lines below a tool into its schemas; return its further members."""
        extra: dict[str, Any] = {}
        while self.take(" "):
            if self.take("&"):
                extra = self._read_extra()
            elif self.take("-> @"):
                self._read_definition(output)
            elif self.take("@"):
                self._read_definition(schema)
            elif schema is None or "properties" not in schema:
                self.fail("a tool with parameters above each of their lines")
            else:
                self._read_line(schema)
        return extra

    def _read_extra(self) -> dict[str, Any]:
        """Read a line of Boolean annotations and, as JSON, further members; return them all."""
        flags: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        while not self.take("\n"):
            if self.text.startswith("{", self.at):
                extra = self.json()
            else:
                is_true = not self.take("!")
                flags[self.word()] = is_true
            self.take(" ")
        if flags or "annotations" in extra:
            extra["annotations"] = {**flags, **extra.get("annotations", {})}
        return extra

    def _read_definition(self, schema: JsonValue) -> None:
        """Read a line with a definition into the schema that it belongs to."""
        if not is_object(schema):
            self.fail("a schema above each of its definitions")
        name = self.word()
        schema.setdefault("$defs", {})[name] = self._read_rest_of_line(self.typed())

    def _read_line(self, schema: dict[str, Any]) -> None:
        """Read a line with a parameter and its description into the schema."""
        key, inner, required = self.member()
        schema["properties"][key] = self._read_rest_of_line(inner)
        if required:
            schema["required"] = sorted([*schema.get("required", []), key])

    def _read_rest_of_line(self, schema: JsonValue) -> JsonValue:
        """Read the rest of a line, which may be a description, and return the schema with it."""
        if self.take(" "):
            return {**self._as_mutable(schema), "description": self._read_prose()}
        self.need("\n")
        return schema

    def _read_prose(self) -> str:
        """Read prose up to the end of its line, with shared texts in place of their codes."""
        if self.take('"""'):
            end = self.text.find('"""', self.at)
            prose = self.text[self.at : end] if end >= 0 else self.fail("the end of a text")
            self.at = end + 3
        elif self.text.startswith('"', self.at):
            prose = str(self.json())
            self.take(f" {CUT}")
            self.need("\n")
            return prose
        else:
            end = self.text.find("\n", self.at)
            prose = self.text[self.at : end] if end >= 0 else self.fail("the end of a line")
            self.at = end
        self.need("\n")
        return _CODE.sub(lambda code: self._shared_text(code[1]), prose).removesuffix(f" {CUT}")

    def _shared_text(self, code: str) -> str:
        """Return the shared text of a code; fail if there is none."""
        return (
            self.texts[code] if code in self.texts else self.fail(f"the shared text {SIGN}{code}")
        )
