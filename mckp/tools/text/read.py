"""Types back to schemas."""

from __future__ import annotations

import json
import re
from math import isinf
from typing import TYPE_CHECKING, Any, Final, NoReturn

from mckp.errors import ParseError
from mckp.jsontext import NUMBER
from mckp.tools.text.spell import BOUNDS, CUT, JOINTS, MARKS, REFERENCE, TYPES, bare_end

if TYPE_CHECKING:
    from collections.abc import Callable


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError(f"{text} is beyond what a number can be")
    return number


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


_JSON: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)
_LITERALS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
_RANGE: Final = re.compile(rf"({NUMBER})?\.\.({NUMBER})?")
_NUMBER: Final = re.compile(NUMBER)
_NAMES: Final = {short: kind for kind, short in TYPES.items()}
_KEYS: Final = {sign: key for key, sign in JOINTS.items()}
_MORE: Final = {sign: more for more, sign in MARKS.items()}


class Reader:
    """Reads types, names and values from a text, from left to right.

    Parameters
    ----------
    text : str
        The text.
    rule : bool or None
        What objects say of additional properties unless they are marked.
    """

    def __init__(self, text: str, rule: bool | None = None) -> None:
        self.text, self.rule, self.at = text, rule, 0

    def fail(self, wanted: str) -> NoReturn:
        """Raise an error that says what is wanted here."""
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        raise ParseError(f"{wanted} is needed in a text of tools", line=line, column=column)

    def take(self, sign: str) -> bool:
        """Go behind a sign if it is next."""
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) * found
        return found

    def need(self, sign: str) -> None:
        """Go behind a sign that must be next."""
        if not self.take(sign):
            self.fail(repr(sign))

    def word(self) -> str:
        """Read a bare word or a string."""
        if self.text.startswith('"', self.at):
            return self.string()
        start, self.at = self.at, bare_end(self.text, self.at)
        if start == self.at:
            self.fail("a name")
        return self.text[start : self.at]

    def label(self) -> str:
        """Read the name of a member."""
        self.at += self.text.startswith('."', self.at)
        return self.word()

    def string(self) -> str:
        """Read a string of JSON."""
        found = self.json()
        return found if isinstance(found, str) else self.fail("a string")

    def json(self) -> Any:
        """Read a value of JSON."""
        try:
            found, self.at = _JSON.raw_decode(self.text, self.at)
        except (ValueError, RecursionError):
            self.fail("a value of JSON")
        return found

    def _number(self, word: str) -> Any:
        """Return the number that a word is, which may have no more digits than Python reads."""
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
        """Read a schema with default and description."""
        return self._tail(self.type())

    def type(self) -> Any:
        """Read a schema without default and description."""
        schema = self._joined()
        if self.take("("):
            schema = self._items(self._open(schema))
        return schema

    def member(self, shared: Callable[[str], Any] | None = None) -> tuple[str, Any, bool]:
        """Read name, schema and whether it is required; the description is left to read."""
        is_word = not self.text.startswith('."', self.at)
        label = key = self.label()
        if is_word and self.take("~"):
            label = f"{key}~{self.word()}"
        required = not self.take("?")
        schema: Any = {"type": "string"}
        if self.take(":"):
            schema = self.type()
        elif is_word and shared is not None and (found := shared(label)) is not None:
            schema = dict(found)
        elif label != key:
            self.fail(f"a shared parameter {label!r}")
        if self.take("="):
            schema = {**self._open(schema), "default": self.value()}
        return key, schema, required

    def members(self, end: str, shared: Callable[[str], Any] | None = None) -> dict[str, Any]:
        """Read what stands within the braces of an object, and the end of them."""
        schema: dict[str, Any] = {"type": "object"}
        explicit = self.take(" ")
        properties: dict[str, Any] = {}
        required: list[str] = []
        while not self.take(end):
            if properties or "additionalProperties" in schema:
                self.need(" ")
            if self._more(schema):
                continue
            key, inner, needed = self.member(shared)
            properties[key] = self._described(inner)
            required += [key] if needed else []
        if properties or explicit or "additionalProperties" not in schema:
            schema["properties"] = properties
        if required:
            schema["required"] = sorted(required)
        return self._by_rule(schema)

    def _by_rule(self, schema: dict[str, Any]) -> dict[str, Any]:
        more = schema.get("additionalProperties", self.rule)
        rest = {key: data for key, data in schema.items() if key != "additionalProperties"}
        return rest if more is None else {**rest, "additionalProperties": more}

    def _more(self, schema: dict[str, Any]) -> bool:
        if self.take(CUT):
            return True
        for sign, more in _MORE.items():
            if self.take(sign):
                mapped = sign == "*" and self.take(":")
                schema["additionalProperties"] = self.full() if mapped else more
                return True
        return False

    def _described(self, schema: Any) -> Any:
        if self.take(' "'):
            self.at -= 1
            return {**self._open(schema), "description": self.string()}
        return schema

    def _tail(self, schema: Any) -> Any:
        if self.take("="):
            schema = {**self._open(schema), "default": self.value()}
        return self._described(schema)

    def _open(self, schema: Any) -> dict[str, Any]:
        if isinstance(schema, bool):
            self.fail("a type that takes more")
        return dict(schema)

    def _joined(self) -> Any:
        first = self._atom()
        sign = self.text[self.at : self.at + 1]
        if sign not in _KEYS:
            return self._constant(first) if isinstance(first, _Literal) else first
        parts = [first]
        while self.take(sign):
            parts.append(self._atom())
        if any(isinstance(part, _Literal) for part in parts):
            return self._enumerated(parts)
        return {_KEYS[sign]: parts}

    def _constant(self, literal: _Literal) -> dict[str, Any]:
        typed = {"type": "string"} if isinstance(literal.value, str) else {}
        return {**typed, "const": literal.value}

    def _enumerated(self, parts: list[Any]) -> dict[str, Any]:
        parts = [_Literal(None) if part == {"type": "null"} else part for part in parts]
        if not all(isinstance(part, _Literal) for part in parts):
            self.fail("values only, or types only,")
        values = [part.value for part in parts]
        typed = {"type": "string"} if all(isinstance(one, str) for one in values) else {}
        return {**typed, "enum": values}

    def _atom(self) -> Any:
        if self.take("("):
            schema = self.full()
            self.need(")")
            return schema
        if self.take("["):
            return self._nullable(self._array(), "array")
        if self.take("{"):
            return self._nullable(self.members("}"), "object")
        if self.take("@"):
            return {"$ref": REFERENCE + self.word()}
        return self._plain()

    def _array(self) -> dict[str, Any]:
        if self.take("]"):
            return {"type": "array"}
        items = self.full()
        self.need("]")
        return {"type": "array", "items": items}

    def _nullable(self, schema: dict[str, Any], kind: str) -> dict[str, Any]:
        return {**schema, "type": [kind, "null"]} if self.take("/null") else schema

    def _plain(self) -> Any:
        is_word = not self.text.startswith('"', self.at)
        start = self.at
        word = self.value()
        if is_word:
            word = self.text[start : self.at]
            if word in ("anything", "nothing"):
                return word == "anything"
            if word == "any":
                return {}
            if (kind := _kind(word)) is not None:
                return {"type": kind}
            self.at = start
            word = self.value()
        return _Literal(word)

    def _items(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Read the keywords in parentheses behind a type."""
        while True:
            self._item(schema)
            if self.take(")"):
                return schema
            self.need(",")

    def _item(self, schema: dict[str, Any]) -> None:
        if (found := _RANGE.match(self.text, self.at)) is not None:
            self.at = found.end()
            keys = BOUNDS.get(str(schema.get("type")))
            for key, end in zip(
                keys or self.fail("a type with bounds"), found.groups(), strict=True
            ):
                schema.update({} if end is None else {key: self._number(end)})
            return
        key = self.word()
        if self.take("="):
            schema[key] = self.value()
        elif key == "any":
            schema.pop("type", None)
        elif (kind := _kind(key)) is not None:
            schema["type"] = kind
        else:
            schema["format"] = key


class _Literal:
    """A value where a type could stand."""

    def __init__(self, data: Any) -> None:
        self.value = data


def _kind(word: str) -> Any:
    """Return the type, or list of types, that a word names."""
    kinds = [_NAMES.get(part) for part in word.split("/")]
    if None in kinds:
        return None
    return kinds[0] if len(kinds) == 1 else kinds
