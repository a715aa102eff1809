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
from typing import TYPE_CHECKING, Final

from mckp.jsontext import MAX_DEPTH, JsonValue, depth_of, dump, is_array, is_object
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
_ONE_LINE_ARRAY: Final = regex(r'(?m)^([\w-]+|"[^"\\\n]*") = \[(?=[^\]\n])')
_INLINE_TABLE: Final = regex(r'(?m)^([\w-]+|"[^"\\\n]*") = (?:\[\s*)?\{')
_BARE: Final = regex(r"[A-Za-z0-9_-]+")
_WORD: Final = regex(
    rf"above=[1-9]|indent=(?:[1-9]|1[0-6])|last|tight|literal|headed|dense|open|{NAME}=(?:\[\]|\{{\}})"
)
_NAMED: Final = regex(rf"({NAME})=(\[\]|\{{\}})")
_CONTROL: Final = regex(r"[\x00-\x1f\x7f]")
_SHORT_ESCAPES: Final = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def is_known(words: Iterable[str]) -> bool:
    """Whether all words of a form describe a style of TOML."""
    return all(map(_WORD.fullmatch, words))


def read(text: str) -> tuple[JsonValue, tuple[str, ...]] | None:
    r"""Return the data of a TOML text and the words of its style; None for any other text.

    Examples
    --------
    >>> read('[[package]]\nname = "a"\n\n[[package]]\nname = "b"\n')
    ({'package': [{'name': 'a'}, {'name': 'b'}]}, ())
    """
    if len(text) > LARGEST or not _BEGIN.match(text) or not _HEADER.search(text):
        return None
    if " = " not in text:  # a word in brackets is no table
        return None
    if any(line.count(".") > MOST_DOTS for line in text.split("\n")):
        return None
    import tomllib

    comments = _COMMENTS.match(text)
    body = text[comments.end() :] if comments else text
    try:
        value: JsonValue = tomllib.loads(body)
    except (ValueError, RecursionError):
        return None
    if depth_of(value) >= MAX_DEPTH - 1 or not _is_expressible(value):
        return None
    end_words = [] if text.endswith("\n") else ["open"]
    start_words = [f"above={len(comments[2])}"] if comments else []
    indent_of_name = {match[1]: match[2] for match in _OPENED.finditer(body)}
    one_line_arrays = _names_in(_ONE_LINE_ARRAY, body) if indent_of_name else set[str]()
    inline_tables = _names_in(_INLINE_TABLE, body)
    style = [f"indent={len(next(iter(indent_of_name.values())))}"] if indent_of_name else []
    style += ["last"] if indent_of_name and not regex(r",\n\]").search(body) else []
    style += ["tight"] if regex(r'[=\[,\n] *\{[\w"]').search(body) else []
    style += ["literal"] if " '" in body else []
    style += ["dense"] if "\n\n" not in body else []
    name_words = [f"{write_name(name)}=[]" for name in sorted(one_line_arrays)]
    name_words += [f"{write_name(name)}={{}}" for name in sorted(inline_tables)]
    data = {"above": comments[1], "data": value} if comments else value
    for headed_words in ([], ["headed"]):
        words = (*start_words, *style, *headed_words, *name_words, *end_words)
        if write(data, words) == (text if end_words else text[:-1]):
            return data, words
    return None


def _names_in(pattern: re.Pattern[str], body: str) -> set[str]:
    """Return the names that the first group of a pattern captures in a text, without quotes."""
    return {match[1].strip('"') for match in pattern.finditer(body)}


def _is_expressible(value: JsonValue) -> bool:
    """Whether JSON can express data from TOML, which may have dates, infinite numbers and NaN."""
    pending: list[JsonValue] = [value]
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


def write(value: JsonValue, words: Sequence[str]) -> str:
    """Return data as TOML, without a line feed at the end.

    If the data are not an object, only the comments above them are returned, or an empty text.
    """
    feeds_below_comments = next((int(word[6:]) for word in words if word.startswith("above=")), 0)
    comments = ""
    if feeds_below_comments and is_object(value):
        comments = str(value["above"]) + "\n" * feeds_below_comments if "above" in value else ""
        value = value.get("data")
    if not is_object(value):
        return comments.rstrip("\n")
    blocks = _TomlStyle(words).blocks(value, [])
    return comments + ("\n" if "dense" in words else "\n\n").join(
        "\n".join(block) for block in blocks
    )


class _TomlStyle:
    """A writer of data in the style of TOML that words describe."""

    def __init__(self, words: Sequence[str]) -> None:
        indent = next((int(word[7:]) for word in words if word.startswith("indent=")), 0)
        self._indent = " " * indent
        self._last_comma = "" if "last" in words else ","
        self._table = "{{{}}}" if "tight" in words else "{{ {} }}"
        self._is_literal, self._is_headed = "literal" in words, "headed" in words
        self._one_line_arrays, self._inline_tables = set[str](), set[str]()
        for match in filter(None, map(_NAMED.fullmatch, words)):
            (self._one_line_arrays if match[2] == "[]" else self._inline_tables).add(
                read_name(match[1])
            )

    def blocks(
        self, table: dict[str, JsonValue], path: Sequence[str], header: str = ""
    ) -> Iterator[list[str]]:
        """Yield the lines of a table as a block, then the blocks of its sections.

        Parameters
        ----------
        table : dict
            The members of the table.
        path : sequence of str
            The names of the table and of those around it, quoted where necessary.
        header : str, optional
            The first line of the block, such as ``[name]``. The top level has none.
        """
        sections = {key: member for key, member in table.items() if self._is_section(key, member)}
        member_lines = [line for key, member in table.items() if key not in sections
               for line in self._member_lines(key, member)]  # fmt: skip
        if header and (member_lines or not sections or self._is_headed or header.startswith("[[")):
            member_lines.insert(0, header)
        if member_lines:
            yield member_lines
        for key, section in sections.items():
            inner_path = [*path, _quoted_key(key)]
            name = ".".join(inner_path)
            if is_array(section):
                for item in section:
                    yield from self.blocks(item, inner_path, f"[[{name}]]")
            elif is_object(section):
                yield from self.blocks(section, inner_path, f"[{name}]")

    def _is_section(self, key: str, value: JsonValue) -> bool:
        """Whether a member is written as a section, or an array of sections."""
        if key in self._inline_tables:
            return False
        return is_object(value) or (is_array(value) and bool(value) and all(map(is_object, value)))

    def _member_lines(self, key: str, value: JsonValue) -> Iterator[str]:
        """Yield the lines of a member that is not a section."""
        if is_array(value) and value and self._indent and key not in self._one_line_arrays:
            yield f"{_quoted_key(key)} = ["
            for item in value[:-1]:
                yield f"{self._indent}{self._inline_text(item)},"
            yield f"{self._indent}{self._inline_text(value[-1])}{self._last_comma}"
            yield "]"
        else:
            yield f"{_quoted_key(key)} = {self._inline_text(value)}"

    def _inline_text(self, value: JsonValue) -> str:
        """Return a value as it is written on one line."""
        if isinstance(value, str):
            return self._quoted_string(value)
        if is_array(value):
            return f"[{', '.join(map(self._inline_text, value))}]"
        if is_object(value):
            members = [
                f"{_quoted_key(key)} = {self._inline_text(member)}" for key, member in value.items()
            ]
            return self._table.format(", ".join(members)) if members else "{}"
        return repr(value) if isinstance(value, float) else dump(value)

    def _quoted_string(self, text: str) -> str:
        """Return a string in the quotes that the style requires."""
        can_be_literal = self._is_literal and "'" not in text and not _CONTROL.search(text)
        if can_be_literal and ('"' in text or "\\" in text):
            return f"'{text}'"
        return _quote(text)


def _quoted_key(key: str) -> str:
    """Return a key: bare if it has only letters, digits, ``_`` and ``-``, else in quotes."""
    return key if _BARE.fullmatch(key) else _quote(key)


def _quote(text: str) -> str:
    """Return a string in double quotes, with escapes."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_CONTROL.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    """Return the escape of a control character."""
    return _SHORT_ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04X}"
