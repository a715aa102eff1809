"""Write JSON Schemas as types; keywords without a notation of their own go in parentheses.

Names, values and prose are written without quotation marks wherever they still read back.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import LITERAL, dump, is_array, is_container, is_object
from mckp.menu.shorten import sentence_ends
from mckp.regexes import regex
from mckp.tools.schema import is_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mckp.plain import JsonValue

TYPES: Final = {
    "string": "str",
    "integer": "int",
    "number": "num",
    "boolean": "bool",
    "null": "null",
    "object": "obj",
    "array": "arr",
}
"""Types of JSON Schema and what they are called here."""

WORDS: Final = frozenset({*TYPES.values(), "any", "anything", "nothing", "none"})
"""Words that have a meaning as types; strings that are such words are quoted."""

SIGN: Final = "§"
"""Before the number of a shared text."""

CUT: Final = "…"
"""Marks that something is left out of a tool's lines."""

_BARE: Final = regex(r"[^\s\x00-\x1f\x7f\"'`?:=(){}\[\],|^&@~*!…§<>\ufeff]+")
_LITERAL: Final = regex(LITERAL)


def is_bare(word: str) -> bool:
    """Whether a name can be written without quotation marks.

    Examples
    --------
    >>> is_bare("per_page"), is_bare("a b"), is_bare("/path"), is_bare("")
    (True, False, False, False)
    """
    return _BARE.fullmatch(word) is not None and word[0] != "/"


def name(word: str) -> str:
    """Return a name, in quotes if it needs them."""
    return word if is_bare(word) else quoted_string(word)


def label(word: str) -> str:
    """Return the name of a member, spelled so that it cannot be read as a description.

    Examples
    --------
    >>> print(label("page"), label("a b"))
    page ."a b"
    """
    return word if is_bare(word) else f".{quoted_string(word)}"


def quoted_string(text: str) -> str:
    """Return a JSON string; all characters that some reader takes for a line end are escaped."""
    literal = dump(text)
    for char in "\x7f\x85\u2028\u2029":
        literal = literal.replace(char, f"\\u{ord(char):04x}")
    return literal


def is_word(text: str) -> bool:
    """Whether a string value can be written without quotation marks."""
    return (
        is_bare(text)
        and not all(part in WORDS for part in text.split("/"))
        and _LITERAL.fullmatch(text) is None
        and ".." not in text
    )


def value(data: Any) -> str:
    """Return a value as a bare word if possible, else as JSON.

    Examples
    --------
    >>> [value(data) for data in ("open", "1", 1, "str", "a b", ["x"], None)]
    ['open', '"1"', '1', '"str"', '"a b"', '["x"]', 'null']
    """
    if isinstance(data, str):
        return data if is_word(data) else quoted_string(data)
    return dump(data)


def bare_end(text: str, start: int) -> int:
    """Return the end index of the bare word that begins at `start`."""
    word = _BARE.match(text, start)
    return start if word is None else word.end()


def is_raw(text: str) -> bool:
    """Whether prose can be written unquoted up to the end of its line."""
    return (
        text.isprintable()
        and text[:1] not in ('"', " ", "")
        and text[-1] not in (" ", CUT)
        and SIGN not in text
    )


def is_block(text: str) -> bool:
    r"""Whether prose can be written unchanged between triple quotation marks."""
    return (
        "\n" in text
        and '"""' not in text
        and SIGN not in text
        and text[-1] not in ('"', CUT)
        and all(line.isprintable() for line in text.split("\n"))
    )


def prose(text: str) -> str:
    r'''Return prose in the form that it takes at the end of a line.

    Examples
    --------
    >>> print(prose("Of the file."), prose('"x"'), prose("a\nb"))
    Of the file. "\"x\"" """a
    b"""
    '''
    if is_raw(text):
        return text
    return f'"""{text}"""' if is_block(text) else quoted_string(text)


_LINE_END: Final = regex(r"\n\s*")


def sentences(text: str) -> list[str]:
    r"""Split prose into sentences and lines with their trailing blanks.

    Joined, the pieces give the text back.

    Examples
    --------
    >>> sentences("Edits e.g. config.json in place. Returns a diff.\nFast")
    ['Edits e.g. config.json in place. ', 'Returns a diff.\n', 'Fast']
    """
    ends = {0, *sentence_ends(text), *(line_end.end() for line_end in _LINE_END.finditer(text))}
    return [text[start:end] for start, end in pairwise(sorted({*ends, len(text)}))]


def first_sentence(text: str) -> str:
    r"""Return the first sentence, without blanks around it.

    Examples
    --------
    >>> first_sentence("\nCopy a file, e.g. a.txt, to /tmp. Then stop.")
    'Copy a file, e.g. a.txt, to /tmp.'
    """
    return next((piece.strip() for piece in sentences(text) if piece.strip()), "")


JOINTS: Final = {"anyOf": "|", "oneOf": "^", "allOf": "&"}
"""Keywords that join schemas, and the sign between those."""

BOUNDS: Final = {
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
}
"""What ``1..9`` means after each type."""

REFERENCE: Final = "#/$defs/"
ROOT: Final = "#"
"""What ``@#`` refers to: all of the schema."""


class Speller:
    """Writes schemas."""

    def full(self, schema: Any) -> str:
        """Write a schema with its default and description."""
        return self.type(schema) + _default_text(schema) + _description_text(schema)

    def type(self, schema: JsonValue) -> str:
        """Write a schema without its default and description.

        Examples
        --------
        >>> Speller().type({"type": "array", "items": {"type": "integer", "minimum": 1}})
        '[int(1..)]'
        """
        if not is_object(schema):
            return "anything" if schema else "nothing"
        rest = {key: schema[key] for key in schema if key not in _keywords_after_type(schema)}
        core, items = self._take_core(rest)
        if (discriminator := discriminator_text(core, schema)) is not None:
            items.append(discriminator)
            del rest["discriminator"]
        items += [
            *_take_bounds(schema, rest),
            *(keyword_text(key, data) for key, data in rest.items()),
        ]
        return f"{core}({','.join(items)})" if items else core

    def tail(self, schema: JsonValue, *, typed: bool = False) -> str:
        """Write what follows a name: the type and the default, without the description.

        The type of strings is left out unless `typed`.
        """
        kind = self.type(schema)
        return ("" if kind == "str" and not typed else f":{kind}") + _default_text(schema)

    def members(self, schema: Mapping[str, Any]) -> list[str]:
        """Return each member of an object as it is written in braces, and a mark for others."""
        required = frozenset(required_of(schema))
        shown = [
            label(key)
            + ("" if key in required else "?")
            + self.tail(inner)
            + _description_text(inner)
            for key, inner in schema.get("properties", {}).items()
        ]
        return shown + self.rest(schema)

    def rest(self, schema: Mapping[str, Any]) -> list[str]:
        """Return the mark for additional members as a list, empty if no mark is needed."""
        more = schema.get("additionalProperties")
        if is_object(more):
            return [f"*:{self.full(more)}"]
        return [] if more is None else ["*" if more else "!"]

    def _take_core(self, rest: dict[str, JsonValue]) -> tuple[str, list[str]]:
        """Return the main part of a type, such as ``[int]``, and words for keywords beside it.

        The words are the type of a reference, union or enumeration, if it does not follow from
        that. What these texts express is removed from `rest`.
        """
        if rest.get("$ref") == "#":
            del rest["$ref"]
            return f"@{ROOT}", _type_words(rest)
        if (ref := definition_name(rest.get("$ref"))) is not None:
            del rest["$ref"]
            return f"@{ref}", _type_words(rest)
        for key in ("enum", "const"):
            if (values := _plain_values(rest, key)) is not None:
                del rest[key]
                implied = "string" if all(isinstance(value, str) for value in values) else None
                return "|".join(map(value, values)), _type_words(rest, implied)
        for key, sign in JOINTS.items():
            if is_array(schemas := rest.get(key)) and len(schemas) > 1 and all_schemas(schemas):
                del rest[key]
                return sign.join(map(self._union_part, schemas)), _type_words(rest)
        kind = rest.get("type")
        first, null = kind, ""
        if is_array(kind) and kind[1:] == ["null"]:
            first, null = kind[0], "/null"
        if first in ("object", "array"):
            del rest["type"]
            shown = self._take_array(rest) if first == "array" else self._take_object(rest)
            return f"{shown}{null}", []
        return (_type_words(rest) or ["any"])[0], []

    def _take_array(self, rest: dict[str, Any]) -> str:
        """Write the type of an array, and remove what it says from `rest`."""
        items = rest.get("items")
        if is_tuple(rest):
            shown = [self.full(part) for part in rest.pop("prefixItems")]
            del rest["minItems"], rest["maxItems"]
            if items is False:
                del rest["items"]
            return f"[{', '.join([*shown, *(['!'] if items is False else [])])}]"
        if not is_schema(items):
            return "[]"
        del rest["items"]
        return f"[{self.full(items)}]"

    def _take_object(self, rest: dict[str, JsonValue]) -> str:
        """Write the type of an object, and remove what it says from `rest`."""
        if not is_plain_object(rest):
            return "obj"
        members = self.members(rest)
        if is_plain_required(rest):
            del rest["required"]
        blank = " " if rest.pop("properties", None) == {} and members else ""
        rest.pop("additionalProperties", None)
        return f"{{{blank}{' '.join(members)}}}"

    def _union_part(self, schema: JsonValue) -> str:
        """Write one schema of a union, in parentheses unless it is a type without keywords."""
        if is_object(schema):
            core, _ = self._take_core(dict(schema))
            whole = self.full(schema)
            is_joined = any(key in schema for key in ("enum", "const", *JOINTS))
            return f"({whole})" if is_joined or whole != core else whole
        return self.full(schema)


def is_tuple(schema: Mapping[str, JsonValue]) -> bool:
    """Whether an array schema has a fixed number of items, each with its own schema.

    Examples
    --------
    >>> is_tuple({"prefixItems": [{}, {}], "minItems": 2, "maxItems": 2})
    True
    """
    first = schema.get("prefixItems")
    if not is_array(first) or len(first) < 1 or not all_schemas(first):
        return False
    sizes = [schema.get(key) for key in ("minItems", "maxItems")]
    is_closed = len(first) > 1 or schema.get("items") is False
    return is_closed and all(type(size) is int and size == len(first) for size in sizes)


def all_schemas(data: Iterable[JsonValue]) -> bool:
    """Whether all values in a list can be schemas."""
    return all(map(is_schema, data))


def is_plain_object(schema: Mapping[str, JsonValue]) -> bool:
    """Whether members in braces can express the schema of an object."""
    properties, more = schema.get("properties", {}), schema.get("additionalProperties", {})
    if "properties" not in schema and "additionalProperties" not in schema:
        return False
    return is_object(properties) and all_schemas(properties.values()) and is_schema(more)


def definition_name(ref: JsonValue) -> str | None:
    """Return the name of the root-level definition that a reference leads to.

    Returns None for any other reference, and if the name would need quotes.
    """
    if not isinstance(ref, str) or not ref.startswith(REFERENCE):
        return None
    name = ref.removeprefix(REFERENCE)
    return name if is_definition_name(name) else None


def is_definition_name(word: str) -> bool:
    """Whether a definition can be referred to by this name without quotes."""
    return is_bare(word) and word != ROOT and not {"/", "%"} & set(word)


def type_names(kind: Any) -> str | None:
    """Return the name of a type, or the joined names of several.

    Returns None for an unknown type, and for a list of fewer than two.
    """
    if isinstance(kind, str):
        return TYPES.get(kind)
    names = [TYPES.get(name) for name in kind if isinstance(name, str)] if is_array(kind) else []
    known = [name for name in names if name is not None]
    return "/".join(known) if len(known) > 1 and len(known) == len(kind) else None


def required_of(schema: Mapping[str, Any]) -> Sequence[str]:
    """Return the names of required properties; none if marks cannot express them."""
    required: list[str] = schema.get("required", []) if is_plain_required(schema) else []
    return required


def is_plain_required(schema: Mapping[str, Any]) -> bool:
    """Whether there are required names and all are properties, so that marks can express them."""
    required, properties = schema.get("required"), schema.get("properties", {})
    if not is_array(required) or not required:
        return False
    return all(isinstance(name, str) and name in properties for name in required)


def _plain_values(schema: Mapping[str, Any], key: str) -> list[Any] | None:
    """Return the values of ``enum`` or ``const`` if all are scalars.

    Returns None for others, for null alone, and for an ``enum`` with fewer than two values.
    """
    values: list[Any]
    if key == "const":
        values = [schema.get(key)]
        is_plain = values[0] is not None
    else:
        values = schema[key] if is_array(schema.get(key)) else []
        is_plain = len(values) > 1 and any(value is not None for value in values)
    return values if is_plain and not any(map(is_container, values)) else None


def _type_words(rest: dict[str, JsonValue], implied: str | None = None) -> list[str]:
    """Return the name of the type in a list, and remove it from `rest`; [] if there is none.

    If a type is `implied`, the list is empty for that type, and has ``any`` if there is no type.
    """
    if implied is not None and ("type" not in rest or rest["type"] == implied):
        return [] if rest.pop("type", None) == implied else ["any"]
    if (names := type_names(rest.get("type"))) is None:
        return []
    del rest["type"]
    return [names]


def _take_bounds(schema: Mapping[str, JsonValue], rest: dict[str, JsonValue]) -> Iterable[str]:
    """Yield the bounds in a schema, such as ``1..9``, if it has any; remove them from `rest`."""
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in BOUNDS:
        return
    low, high = BOUNDS[kind]
    if all(type(rest.get(key, 0)) in (int, float) for key in (low, high)):
        ends = [dump(rest.pop(key)) if key in rest else "" for key in (low, high)]
        if any(ends):
            yield "..".join(ends)


def keyword_text(key: str, data: Any) -> str:
    """Write a keyword that has no notation of its own."""
    if key == "format" and isinstance(data, str) and is_word(data):
        return data
    shown = quoted_string(key) if ".." in key else name(key)  # which two full stops would be bounds
    return f"{shown}={value(data)}"


BY: Final = "by"
"""Before the member whose value says which definition of a union an object follows."""


def discriminator_text(core: str, schema: Mapping[str, JsonValue]) -> str | None:
    """Write the discriminator of a union of definitions; None if only JSON can express it.

    `core` is the union as it is written, from which a reader knows the definitions.

    Examples
    --------
    >>> mapping = {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog"}
    >>> union = {"oneOf": [{"$ref": mapping["cat"]}, {"$ref": mapping["dog"]}]}
    >>> union["discriminator"] = {"propertyName": "kind", "mapping": mapping}
    >>> discriminator_text("@Cat^@Dog", union), Speller().type(union)
    ('by kind=cat|dog', '@Cat^@Dog(by kind=cat|dog)')
    """
    data, union = schema.get("discriminator"), schema.get("oneOf")
    if not is_object(data) or not is_array(union) or len(union) < 2:
        return None
    refs = [part.get("$ref") if is_object(part) else None for part in union]
    names = [definition_name(ref) for ref in refs]
    if core != JOINTS["oneOf"].join(f"@{name}" for name in names):
        return None
    member, mapping = data.get("propertyName"), data.get("mapping")
    if not isinstance(member, str) or data.keys() != {"propertyName", "mapping"}:
        return None
    if not is_object(mapping) or len(set(refs)) < len(refs):
        return None
    keys: dict[Any, str] = {ref: key for key, ref in mapping.items() if isinstance(ref, str)}
    if keys.keys() != set(refs) or len(mapping) != len(refs):
        return None
    return f"{BY} {name(member)}={'|'.join(value(keys[ref]) for ref in refs)}"


def _keywords_after_type(schema: Mapping[str, JsonValue]) -> frozenset[str]:
    """Return the keywords that are written after the type."""
    described = isinstance(schema.get("description"), str)
    return frozenset({"default", "description"} if described else {"default"})


def description_of(schema: JsonValue) -> str | None:
    """Return the description of a schema; None if it has none that is text."""
    description = schema.get("description") if is_object(schema) else None
    return description if isinstance(description, str) else None


def _default_text(schema: JsonValue) -> str:
    """Return the default of a schema as it is written after its type, or ""."""
    return f"={value(schema['default'])}" if is_object(schema) and "default" in schema else ""


def _description_text(schema: JsonValue) -> str:
    """Return the description of a schema as it is written after its type, or ""."""
    text = description_of(schema)
    return "" if text is None else f" {quoted_string(text)}"
