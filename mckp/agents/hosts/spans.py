"""Finds the place of each value in the text of a configuration: JSON with comments, or TOML."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import ParseError
from mckp.jsontext import load
from mckp.regexes import regex

if TYPE_CHECKING:
    import re


@dataclass(slots=True)
class ConfigNode:
    """A value and its place in the text: an object has `members`, an array has `items`.

    A table that TOML spreads over the file has the place of its last part.
    """

    start: int
    end: int
    value: Any = None
    """A number, string or constant, or None for an object or array."""
    members: dict[str, ConfigMember] | None = None
    items: list[ConfigNode] | None = None

    @property
    def data(self) -> Any:
        """The value as plain data."""
        if self.members is not None:
            return {name: member.node.data for name, member in self.members.items()}
        return self.value if self.items is None else [item.data for item in self.items]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The start and end of each of an object's members, with its name, or an array's items."""
        members = (self.members or {}).values()
        return [(element.start, element.node.end) for element in members] or [
            (element.start, element.end) for element in self.items or ()
        ]

    @property
    def was_created(self) -> bool:
        """Whether mckp created this object or array, and did not only fill an empty one.

        The sign is the blank that `mckp.agents.hosts.wrapping` leaves after the bracket.
        """
        return bool(self.spans) and self.spans[0][0] > self.start + 1

    def at(self, *steps: str) -> ConfigNode | None:
        """Return the node at a path of member names, or None if there is none.

        Examples
        --------
        >>> read_json('{"a": {"b": [1]}}').at("a", "b").data
        [1]
        """
        node = self
        for step in steps:
            if node.members is None or step not in node.members:
                return None
            node = node.members[step].node
        return node


@dataclass(slots=True)
class ConfigMember:
    """A value with its name."""

    start: int
    """Where the whole name begins; a TOML name may have several parts, such as ``a.b``."""
    keys: list[tuple[int, int]]
    """The places of the name's last part; there are several if TOML opens a table again."""
    node: ConfigNode


def read_json(text: str) -> ConfigNode:
    r"""Parse a JSON text, in which comments and trailing commas are allowed.

    A `ParseError` is raised if it is malformed.

    Examples
    --------
    >>> read_json('{"a": 1, // one\n "b": [true,],}').data
    {'a': 1, 'b': [True]}
    """
    return _Scanner(text, _JSON_GAP, ":").read_document()


def read_toml(text: str) -> ConfigNode:
    r"""Parse a TOML text; raise a `ParseError` if it is malformed.

    Examples
    --------
    >>> read_toml('[a.b]\nc = ["d", 0x10] # e').data
    {'a': {'b': {'c': ['d', 16]}}}
    """
    try:
        tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise ParseError(f"this is not valid TOML: {error}") from None
    except (ValueError, RecursionError):  # a number that Python cannot hold, or deep nesting
        raise ParseError("this TOML has a value that cannot be read") from None
    return _Scanner(text, _TOML_GAP, "=").read_tables()


_JSON_GAP: Final = regex(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*(?s:.*?)\*/)*")
_TOML_GAP: Final = regex(r"(?:[ \t\r\n]+|#[^\n]*)*")
_STRING: Final = regex(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_TOML_STRING: Final = regex(
    r'"""(?s:(?:[^\\]|\\.)*?)"{3,5}|' r"'''(?s:.*?)'{3,5}|" r'"(?:[^"\\\n]|\\.)*"|' r"'[^'\n]*'"
)
_WORD: Final = regex(r"[^\s,\[\]{}:=#/\"']+(?: [0-9:.]+)?")
_TOML_WORD: Final = regex(r"[^\s,\[\]{}=#\"']+(?: [0-9][^\s,\[\]{}=#]*)?")
_PART: Final = regex(rf"[A-Za-z0-9_-]+|{_TOML_STRING.pattern}")


@dataclass(slots=True)
class _Scanner:
    """Reads a text from beginning to end."""

    text: str
    gap: re.Pattern[str]
    """What may be between values: blanks and comments."""
    sign: str
    """What is between a name and its value: a colon in JSON, an equals sign in TOML."""
    place: int = 0

    def read_document(self) -> ConfigNode:
        """Read a JSON text, which is a single value."""
        self._skip_gap()
        try:
            root = self._read_value()
        except RecursionError:
            raise self._error("nested too deeply") from None
        self._skip_gap()
        if self.place < len(self.text):
            raise self._error("expected the end of the file")
        return root

    def read_tables(self) -> ConfigNode:
        """Read a TOML text that is known to be valid."""
        root = table = ConfigNode(0, 0, members={})
        self._skip_gap()
        while self.place < len(self.text):
            if self.text[self.place] == "[":
                is_array = self.text.startswith("[[", self.place)
                self.place += 1 + is_array
                table = self._read_name(root).node
                self.place = self.text.index("]", self.place) + 1 + is_array
                if is_array:
                    table.items = [*(table.items or ()), ConfigNode(0, 0, members={})]
                    table.members, table = None, table.items[-1]
            else:
                self._read_member(table)
            self._skip_gap()
        return root

    def _read_value(self) -> ConfigNode:
        """Read a value; JSON and TOML have the same brackets."""
        start = self.place
        opening = self.text[start : start + 1]
        if opening == "{":
            node = ConfigNode(start, start, members={})
            self._read_content("}", node)
        elif opening == "[":
            node = ConfigNode(start, start, items=[])
            self._read_content("]", node)
        else:
            node = ConfigNode(start, start, value=self._read_scalar())
        node.end = self.place
        return node

    def _read_content(self, closing: str, node: ConfigNode) -> None:
        """Read what is in an object or array into its node, from bracket to bracket."""
        self.place += 1
        self._skip_gap()
        while not self.text.startswith(closing, self.place):
            if node.items is not None:
                node.items.append(self._read_value())
            else:
                self._read_member(node)
            self._skip_gap()
            if self.text.startswith(",", self.place):
                self.place += 1
                self._skip_gap()
            elif not self.text.startswith(closing, self.place):
                raise self._error(f"expected a comma or {closing}")
        self.place += 1

    def _read_member(self, table: ConfigNode) -> None:
        """Read a name and its value into an object or table."""
        if self.sign == "=":
            member = self._read_name(table)
        else:
            start = self.place
            match = _STRING.match(self.text, start)
            if match is None:
                raise self._error("expected a name in quotes")
            name = self._take_literal(match)
            member = ConfigMember(start, [match.span()], ConfigNode(start, start))
            assert table.members is not None
            table.members[name] = member
        self._skip_gap()
        if not self.text.startswith(self.sign, self.place):
            raise self._error(f"expected {self.sign}")
        self.place += 1
        self._skip_gap()
        member.node = self._read_value()

    def _read_name(self, table: ConfigNode) -> ConfigMember:
        """Read a TOML name such as ``a.b``, and return its last member, in new or known tables."""
        self._skip_blanks()
        start = self.place
        while True:
            part = _PART.match(self.text, self.place)
            assert part is not None
            name = tomllib.loads(f"{part[0]} = 0").popitem()[0]
            if table.items:
                table = table.items[-1]
            assert table.members is not None
            existing = table.members.get(name)
            member = existing or ConfigMember(start, [], ConfigNode(start, start, members={}))
            member.keys.append(part.span())
            table.members[name] = member
            self.place = part.end()
            self._skip_blanks()
            if not self.text.startswith(".", self.place):
                return member
            table = member.node
            self.place += 1
            self._skip_blanks()

    def _read_scalar(self) -> Any:
        """Read a value that is neither an object nor an array."""
        is_json = self.sign == ":"
        pattern = _STRING if is_json else _TOML_STRING
        match = pattern.match(self.text, self.place)
        match = match or (_WORD if is_json else _TOML_WORD).match(self.text, self.place)
        if match is None:
            raise self._error("expected a value")
        return self._take_literal(match)

    def _take_literal(self, match: re.Match[str]) -> Any:
        """Step past a matched literal, and return its value; raise an error if it has none."""
        try:
            value = (
                load(match[0])
                if self.sign == ":"
                else tomllib.loads("v = " + match[0].replace("\r\n", "\n"))["v"]
            )
        except ValueError:
            raise self._error("expected a JSON value") from None
        self.place = match.end()
        return value

    def _skip_gap(self) -> None:
        """Step past blanks and comments."""
        match = self.gap.match(self.text, self.place)
        self.place = match.end() if match else self.place

    def _skip_blanks(self) -> None:
        """Step past blanks in a line."""
        while self.text[self.place : self.place + 1] in (" ", "\t"):
            self.place += 1

    def _error(self, message: str) -> ParseError:
        """Return an error that names the current place."""
        return ParseError.at(message, self.text, self.place)
