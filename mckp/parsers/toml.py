r"""TOML as programs write it: lock files, manifests, settings.

A text is read only if its data, written again, give the exact text. Comments elsewhere than at the
top, dates, dotted keys and strings of several lines make it a plain text.

==============  ================================================================================
``above=2``     comments at the top are in ``above``, the data in ``data``, with this many line
                feeds between them
``indent=4``    each item of an array is on its own line, indented by this many blanks
``last``        there is no comma after the last of these items
``a-b=[]``      arrays of this name are on one line nevertheless
``a-b={}``      tables and arrays of tables of this name are inline, not sections
``tight``       an inline table is ``{a = 1}``, else ``{ a = 1 }``
``literal``     a string with quotes or backslashes is ``'...'`` where possible
``headed``      sections with only sections in them have a header, too
``dense``       no empty lines between sections
==============  ================================================================================
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import MAX_DEPTH, depth_of, dump, is_array, is_object
from mckp.parsers.cells import NAME, read_name, write_name
from mckp.regexes import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence

LARGEST: Final = 1 << 20
"""Most characters of a text that is tried: `tomllib` is slow."""

MOST_DOTS: Final = 100
"""Most dots in a line: `tomllib` takes quadratic time in the dots of a key."""

_BEGIN: Final = regex(r"(?:[ \t]*(?:#[^\n]*)?\n)*+(?:[\w-]+ = \S|\[)")
_HEADER: Final = regex(r"(?m)^\[\[?[\w.\"-]+\]\]?$")
_COMMENTS: Final = regex(r"((?:#[^\n]*\n)*#[^\n]*)(\n{1,9})(?=[^\n#])")
_OPENED: Final = regex(r'(?m)^([\w-]+|"[^"\\\n]*") = \[\n( {1,16})')
_IN_LINE: Final = regex(r'(?m)^([\w-]+|"[^"\\\n]*") = \[(?=[^\]\n])')
_INLINE: Final = regex(r'(?m)^([\w-]+|"[^"\\\n]*") = (?:\[\s*)?\{')
_BARE: Final = regex(r"[A-Za-z0-9_-]+")
_WORD: Final = regex(
    rf"above=[1-9]|indent=(?:[1-9]|1[0-6])|last|tight|literal|headed|dense|open|{NAME}=(?:\[\]|\{{\}})"
)
_NAMED: Final = regex(rf"({NAME})=(\[\]|\{{\}})")
_CONTROL: Final = regex(r"[\x00-\x1f\x7f]")
_SIGNS: Final = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def is_known(words: Iterable[str]) -> bool:
    """Whether all words are words of the TOML form."""
    return all(map(_WORD.fullmatch, words))


def read(text: str) -> tuple[Any, tuple[str, ...]] | None:
    r"""Parse a TOML text into its data and the words of its style, or return None.

    Examples
    --------
    >>> read('[[package]]\nname = "a"\n\n[[package]]\nname = "b"\n')
    ({'package': [{'name': 'a'}, {'name': 'b'}]}, ())
    """
    if len(text) > LARGEST or not _BEGIN.match(text) or not _HEADER.search(text):
        return None
    if any(line.count(".") > MOST_DOTS for line in text.split("\n")):
        return None
    import tomllib

    above = _COMMENTS.match(text)
    body = text[above.end() :] if above else text
    try:
        value: Any = tomllib.loads(body)
    except (ValueError, RecursionError):
        return None
    if depth_of(value) >= MAX_DEPTH - 1 or not _is_plain(value):
        return None
    end = [] if text.endswith("\n") else ["open"]
    start = [f"above={len(above[2])}"] if above else []
    opened = {match[1]: match[2] for match in _OPENED.finditer(body)}
    in_line = _names_in(_IN_LINE, body) if opened else set[str]()
    inline = _names_in(_INLINE, body)
    style = [f"indent={len(next(iter(opened.values())))}"] if opened else []
    style += ["last"] if opened and not regex(r",\n\]").search(body) else []
    style += ["tight"] if regex(r'[=\[,\n] *\{[\w"]').search(body) else []
    style += ["literal"] if " '" in body else []
    style += ["dense"] if "\n\n" not in body else []
    names = [f"{write_name(name)}=[]" for name in sorted(in_line)]
    names += [f"{write_name(name)}={{}}" for name in sorted(inline)]
    data = {"above": above[1], "data": value} if above else value
    for headed in ([], ["headed"]):
        words = (*start, *style, *headed, *names, *end)
        if write(data, words) == (text if end else text[:-1]):
            return data, words
    return None


def _names_in(pattern: re.Pattern[str], body: str) -> set[str]:
    """Return the names that a pattern captures in a text."""
    return {match[1].strip('"') for match in pattern.finditer(body)}


def _is_plain(value: Any) -> bool:
    """Whether data contain only what TOML can express."""
    pending: list[Any] = [value]
    while pending:
        item = pending.pop()
        if is_object(item):
            pending += item.values()
        elif is_array(item):
            pending += item
        elif isinstance(item, float):
            if not isfinite(item):
                return False
        elif item.__class__ not in (str, int, bool):
            return False
    return True


def write(value: Any, words: Sequence[str]) -> str:
    """Return data as TOML, without a line feed at the end."""
    feeds = next((int(word[6:]) for word in words if word.startswith("above=")), 0)
    comments = ""
    if feeds and is_object(value):
        comments = str(value["above"]) + "\n" * feeds if "above" in value else ""
        value = value.get("data")
    if not is_object(value):
        return comments.rstrip("\n")
    blocks = _TomlStyle(words).blocks(value, [])
    return comments + ("\n" if "dense" in words else "\n\n").join(
        "\n".join(block) for block in blocks
    )


class _TomlStyle:
    """A style of TOML, given by words."""

    def __init__(self, words: Sequence[str]) -> None:
        indent = next((int(word[7:]) for word in words if word.startswith("indent=")), 0)
        self._indent = " " * indent
        self._last = "" if "last" in words else ","
        self._table = "{{{}}}" if "tight" in words else "{{ {} }}"
        self._is_literal, self._is_headed = "literal" in words, "headed" in words
        self._in_line, self._inline = set[str](), set[str]()
        for match in filter(None, map(_NAMED.fullmatch, words)):
            (self._in_line if match[2] == "[]" else self._inline).add(read_name(match[1]))

    def blocks(
        self, table: dict[str, Any], path: Sequence[str], header: str = ""
    ) -> Iterator[list[str]]:
        """Yield the lines of a table as a block, then a block for each of its sections."""
        sections = {key: member for key, member in table.items() if self._is_section(key, member)}
        member_lines = [line for key, member in table.items() if key not in sections
               for line in self._member(key, member)]  # fmt: skip
        if header and (member_lines or not sections or self._is_headed or header.startswith("[[")):
            member_lines.insert(0, header)
        if member_lines:
            yield member_lines
        for key, section in sections.items():
            inner = [*path, _key(key)]
            name = ".".join(inner)
            if is_array(section):
                for item in section:
                    yield from self.blocks(item, inner, f"[[{name}]]")
            else:
                yield from self.blocks(section, inner, f"[{name}]")

    def _is_section(self, key: str, value: Any) -> bool:
        """Whether a member is written as a section, or an array of sections."""
        if key in self._inline:
            return False
        return is_object(value) or (is_array(value) and bool(value) and all(map(is_object, value)))

    def _member(self, key: str, value: Any) -> Iterator[str]:
        """Yield the lines of a member that is not a section."""
        if is_array(value) and value and self._indent and key not in self._in_line:
            yield f"{_key(key)} = ["
            for item in value[:-1]:
                yield f"{self._indent}{self._inline_text(item)},"
            yield f"{self._indent}{self._inline_text(value[-1])}{self._last}"
            yield "]"
        else:
            yield f"{_key(key)} = {self._inline_text(value)}"

    def _inline_text(self, value: Any) -> str:
        """Return a value as it is written on one line."""
        if isinstance(value, str):
            return self._string(value)
        if is_array(value):
            return f"[{', '.join(map(self._inline_text, value))}]"
        if is_object(value):
            members = [
                f"{_key(key)} = {self._inline_text(member)}" for key, member in value.items()
            ]
            return self._table.format(", ".join(members)) if members else "{}"
        return repr(value) if isinstance(value, float) else dump(value)

    def _string(self, text: str) -> str:
        """Return a string in the quotes that the style chooses."""
        may_be = self._is_literal and "'" not in text and not _CONTROL.search(text)
        if may_be and ('"' in text or "\\" in text):
            return f"'{text}'"
        return _quote(text)


def _key(key: str) -> str:
    """Return a key, in quotation marks if it is not bare."""
    return key if _BARE.fullmatch(key) else _quote(key)


def _quote(text: str) -> str:
    """Return a string in double quotes, with escapes."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_CONTROL.sub(_escape, text)}"'


def _escape(sign: re.Match[str]) -> str:
    """Return the escape of a character."""
    return _SIGNS.get(sign[0]) or f"\\u{ord(sign[0]):04X}"
