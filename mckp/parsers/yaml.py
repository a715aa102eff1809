r"""YAML in block style, as Kubernetes, Go, Python and JavaScript write it.

A text is read only if its data, written again, give the exact text: one with comments, anchors,
tags, flow style, ``>`` or needless quotes stays a text. So this reads only what it can
write, line by line, in linear time; there are no aliases to expand. Types are those of YAML 1.2, in
which ``no``, ``0644`` and ``12:30:45`` are strings or refused.

==============  ================================================================================
``single``      a string that needs quotes to be a string has single quotes, else double quotes
``core``        what needs quotes follows YAML 1.2, not YAML 1.1, in which ``no`` is false
``indented``    items are indented deeper than the name of their list
``empty``       nothing for null; ``tilde`` for ``~``
``documents``   each item of the data is a document, with ``---`` between; ``start``: also above
``folded``      a long string breaks at the first blank beyond column 80
==============  ================================================================================

The choice of a plain, quoted or literal scalar follows libyaml's emitter, as in Go and Python; see
``yaml_emitter_analyze_scalar`` and ``yaml_emitter_select_scalar_style`` in its emitter.c. So do
line breaks in long strings (``yaml_emitter_write_plain_scalar``,
``yaml_emitter_write_single_quoted_scalar``), as `kubectl get` and PyYAML make them.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Final

from mckp.jsontext import JsonValue, dump, is_array, is_container, is_object, load
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


WORDS: Final = frozenset(
    ("single", "core", "indented", "empty", "tilde", "documents", "start", "open", "folded")
)

WIDTH: Final = 80
"""The column beyond which a folded string breaks."""

DEEPEST: Final = 60
"""Deepest nesting that is read."""

_FIRST: Final = regex(r"(?:---\n)?(?:- )*[\w./\"'$@-][^\n:#]{0,200}:(?:\n| [^\n]*\n)")
_KEY: Final = regex(r"('(?:[^'\n]|'')*+'|\"(?:[^\"\\\n]|\\.)*+\"|[^\s'\"][^\n]*?):(?: (?=\S)|\Z)")
_LITERAL: Final = regex(r"\|2?([-+]?)")
_SINGLE: Final = regex(r"'((?:[^']|'')*+)'")
_CLOSED: Final = regex(r"(?<!')'(?:'')*\Z")
"""The quote that ends a string, behind any quotes in it."""
_INTEGER: Final = regex(r"-?(?:0|[1-9][0-9]*)")
_ITEMS: Final = regex(r"(?m)^( *)(?:- +)*[^\s#-][^\n#]*:\n(\1(?: {2})?)- ")

_NO_PLAIN: Final = regex(
    r"\A(?:[,\[\]{}#&*!|>'\"%@`]|[-?:](?:\s|\Z)|---|\.\.\.|\s)|: | #|:\Z|\s\Z|[\x00-\x1f\x7f]"
)
_SPECIAL: Final = regex(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_CORE: Final = regex(
    r"~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)"
    r"|\.(?:nan|NaN|NAN)|"
)
_OLD: Final = regex(
    r"(?i:y|n|yes|no|on|off)|<<|=|[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)"
    r"|[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|\s+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
    r"(?:\s*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?"
)


def is_known(words: Iterable[str]) -> bool:
    """Whether all words describe the style of YAML."""
    return WORDS.issuperset(words)


def read(text: str) -> tuple[JsonValue, tuple[str, ...]] | None:
    r"""Return the data of a YAML text and the words of its style; None for any other text.

    YAML without an object of several members in another container may be prose, so it gives None.

    Examples
    --------
    >>> read("items:\n- name: a\n  open: no\n- name: b\n  open: 'no'\n")
    >>> read("items:\n- name: a\n  open: true\n- name: b\n  open: null\n")
    ({'items': [{'name': 'a', 'open': True}, {'name': 'b', 'open': None}]}, ())
    """
    if not _FIRST.match(text):
        return None
    try:
        readers = list(map(_YamlReader, _split_documents(text)))
    except ValueError:
        return None
    values = [reader.value for reader in readers]
    if not all(map(is_container, values)) or not _is_nested(values):
        return None
    document_words = ["documents"] if len(values) > 1 else []
    start_words = ["start"] if text.startswith("---\n") else []
    end_words = [] if text.endswith("\n") else ["open"]
    value = values if document_words else values[0]
    items = _ITEMS.search(text)
    style = ["indented"] if items and len(items[2]) > len(items[1]) else []
    style += ["folded"] if any(reader.is_folded for reader in readers) else []
    body = text if end_words else text[:-1]
    null_words = ["", *(["empty"] * (":\n" in text or "-\n" in text)), *(["tilde"] * ("~" in text))]
    for null_word, quote_word, core_word in product(null_words, ("", "single"), ("", "core")):
        words = tuple(
            filter(
                None,
                (
                    quote_word,
                    core_word,
                    *style,
                    null_word,
                    *document_words,
                    *start_words,
                    *end_words,
                ),
            )
        )
        if write(value, words) == body:
            return value, words
    return None


def _split_documents(text: str) -> Iterator[list[str]]:
    """Yield the lines of each document of a text, without the ``---`` between them."""
    lines = text.removeprefix("---\n").removesuffix("\n").split("\n")
    document: list[str] = []
    for line in lines:
        if line == "---":
            yield document
            document = []
        else:
            document.append(line)
    yield document


class _YamlReader:
    """Reads the lines of a document; a line that it cannot read raises a `ValueError`."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self.is_folded = False
        """Whether a scalar without ``|`` has several lines."""
        self.value = self._read_block(0, 0)
        if self._at < len(lines):
            raise ValueError("there is more")

    def _line_at(self, indent: int) -> str | None:
        """Return the next line without its indent; None if that is not `indent`, or at the end."""
        if self._at >= len(self._lines):
            return None
        line = self._lines[self._at]
        rest = line[indent:]
        return rest if rest[:1] not in ("", " ") and not line[:indent].strip(" ") else None

    def _read_block(self, indent: int, depth: int) -> JsonValue:
        """Return the value of the block at an indent: a list, an object or a scalar."""
        line = self._line_at(indent)
        if line is None or depth > DEEPEST:
            raise ValueError("no line, or too deep")
        if _is_item(line):
            return self._read_items(indent, depth)
        if _KEY.match(line):
            return self._read_members(indent, depth)
        self._at += 1
        return self._read_scalar(line, indent)

    def _read_items(self, indent: int, depth: int) -> list[JsonValue]:
        """Return the items of a list at an indent."""
        items: list[JsonValue] = []
        while (line := self._line_at(indent)) is not None and _is_item(line):
            rest = line[2:]
            if not rest or _LITERAL.fullmatch(rest):
                self._at += 1
                items.append(self._read_scalar(rest, indent + 2))
            else:
                self._lines[self._at] = " " * (indent + 2) + rest
                items.append(self._read_block(indent + 2, depth + 1))
        return items

    def _read_members(self, indent: int, depth: int) -> dict[str, JsonValue]:
        """Return the members of an object at an indent."""
        members: dict[str, JsonValue] = {}
        while (line := self._line_at(indent)) is not None and (match := _KEY.match(line)):
            name, rest = _parse_scalar(match[1]), line[match.end() :]
            if not isinstance(name, str) or name in members:
                raise ValueError("a name that is no string, or occurs twice")
            self._at += 1
            if rest:
                members[name] = self._read_scalar(rest, indent + 2)
            elif self._line_at(indent + 2) is not None:
                members[name] = self._read_block(indent + 2, depth + 1)
            elif (below := self._line_at(indent)) is not None and _is_item(below):
                members[name] = self._read_items(indent, depth + 1)
            else:
                members[name] = None
        return members

    def _read_scalar(self, text: str, indent: int) -> JsonValue:
        """Return the value of a scalar, which may continue in the lines below at this indent."""
        if (match := _LITERAL.fullmatch(text)) is None:
            return _parse_scalar(self._unfolded(text, indent))
        start = self._at
        while self._at < len(self._lines) and not self._lines[self._at][:indent].strip(" "):
            self._at += 1
        lines = [line[indent:] for line in self._lines[start : self._at]]
        body = "\n".join(lines).rstrip("\n")
        ends = {"-": 0, "": 1}.get(match[1], 1 + len("\n".join(lines)) - len(body))
        return body + "\n" * ends

    def _unfolded(self, text: str, indent: int) -> str:
        """Return a scalar as one line, joined with the lines below that continue it.

        Such lines have this indent. Nothing continues a scalar in double quotes.
        """
        is_quoted = text[:1] == "'"
        if text[:1] == '"' or (is_quoted and _SINGLE.fullmatch(text)) or not text:
            return text
        parts = [text]
        while (line := self._line_at(indent)) is not None:
            self._at += 1
            parts.append(line)
            if is_quoted and _CLOSED.search(line):
                break
        self.is_folded |= len(parts) > 1
        return " ".join(parts)


def _is_item(line: str) -> bool:
    """Whether a line begins an item of a list."""
    return line.startswith("- ") or line == "-"


def _parse_scalar(text: str) -> JsonValue:
    """Return the value of a scalar on one line; one that cannot be read raises a `ValueError`."""
    if text in ("{}", "[]") or text[:1] == '"':
        return load(text)
    if (match := _SINGLE.fullmatch(text)) is not None:
        return match[1].replace("''", "'")
    if text in ("", "~", "null"):
        return None
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    if _CORE.fullmatch(text):
        value = float(text)
        if not math.isfinite(value):
            raise ValueError("no number of JSON")
        return value
    if _NO_PLAIN.search(text):
        raise ValueError("no plain scalar")
    return text


def _is_nested(documents: JsonValue) -> bool:
    """Whether an object with several members is inside another container of a document.

    Prose rarely looks like this. `documents` is the list of all documents.
    """
    pending = [(documents, 0)]
    while pending:
        item, depth = pending.pop()
        if is_object(item):
            if depth > 1 and len(item) > 1:
                return True
            pending += ((child, depth + 1) for child in item.values())
        elif is_array(item):
            pending += ((child, depth + 1) for child in item)
    return False


def write(value: JsonValue, words: Sequence[str]) -> str:
    """Return data as YAML in the style that words describe, without a line feed at the end."""
    style = _YamlStyle(words)
    if "documents" in words and is_array(value):
        written = "\n---\n".join("\n".join(style.lines(document, "")) for document in value)
    else:
        written = "\n".join(style.lines(value, ""))
    return f"---\n{written}" if "start" in words else written


class _YamlStyle:
    """A writer of data in the style of YAML that words describe."""

    def __init__(self, words: Sequence[str]) -> None:
        self._has_single_quotes = "single" in words
        self._is_core = "core" in words
        self._is_folded = "folded" in words
        self._item_indent = "  " if "indented" in words else ""
        self._null = "" if "empty" in words else "~" if "tilde" in words else "null"
        self._scalar_of_text: dict[str, str] = {}

    def lines(self, value: JsonValue, indent: str) -> Iterator[str]:
        """Yield the lines of a value that begins on its own line."""
        if is_object(value) and value:
            for name, child in value.items():
                yield from self._member_lines(f"{indent}{self._scalar(name, '')}:", child, indent)
        elif is_array(value) and value:
            for child in value:
                first, *others = (
                    self.lines(child, f"{indent}  ")
                    if _has_own_lines(child)
                    else self._inline_lines(child, indent, f"{indent}- ")
                )
                yield f"{indent}- {first.removeprefix(f'{indent}  ')}".rstrip(" ")
                yield from others
        else:
            yield from self._inline_lines(value, indent, indent)

    def _member_lines(self, head: str, child: JsonValue, indent: str) -> Iterator[str]:
        """Yield the lines of a member.

        `head` is its name with the colon and the indent, and `child` its value.
        """
        if _has_own_lines(child):
            yield head
            more_indent = self._item_indent if is_array(child) else "  "
            yield from self.lines(child, indent + more_indent)
            return
        first, *others = self._inline_lines(child, indent, f"{head} ")
        yield f"{head} {first}" if first else head
        yield from others

    def _inline_lines(self, value: JsonValue, indent: str, head: str) -> list[str]:
        """Return the lines of a scalar or empty container, without `head` and the indent.

        `head` is the text before it on its first line, which counts for the width, and `indent` the
        indent of that line; lines below it are indented deeper.
        """
        if value == {} or value == []:
            return [dump(value)]
        if value is None:
            return [self._null]
        if not isinstance(value, str):
            return [dump(value)]
        indent = f"{indent}  "
        lines = self._scalar(value, indent).split("\n")
        if self._is_folded and len(lines) == 1:
            return list(_folded_lines(lines[0], len(head), indent))
        return lines

    def _scalar(self, text: str, indent: str) -> str:
        """Return a string as a scalar.

        With an `indent`, a string of several lines may become a literal block (``|``), whose lines
        have this indent.
        """
        if "\n" in text and indent and not _SPECIAL.search(text) and _is_literal(text):
            body = text.rstrip("\n")
            ends = len(text) - len(body)
            sign = "" if ends == 1 else "+" if ends else "-"
            hint = "2" if text[0] in " \n" else ""
            lines = [f"{indent}{line}" if line else "" for line in body.split("\n")]
            return "\n".join([f"|{hint}{sign}", *lines, *[""] * max(0, ends - 1)])
        if (quoted := self._scalar_of_text.get(text)) is None:
            quoted = self._scalar_of_text[text] = self._quoted_if_needed(text)
        return quoted

    def _quoted_if_needed(self, text: str) -> str:
        """Return a string: plain if possible, else in the quotes that the style requires."""
        if "\n" in text or _SPECIAL.search(text):
            return _SPECIAL.sub(lambda sign: f"\\u{ord(sign[0]):04x}", dump(text))
        if _CORE.fullmatch(text) or (not self._is_core and _OLD.fullmatch(text)):
            return f"'{text}'" if self._has_single_quotes else f'"{text}"'
        if _NO_PLAIN.search(text):
            return "'" + text.replace("'", "''") + "'"
        return text


def _folded_lines(text: str, column: int, indent: str) -> Iterator[str]:
    """Yield the lines of a scalar, broken at single blanks beyond column `WIDTH`.

    The first line begins in `column`, and the others after `indent`. A scalar in double quotes is
    not broken.
    """
    is_quoted = text[:1] == "'"
    start, end, line_indent = 0, len(text) - 1 - is_quoted, ""
    least_break = start + 1 + is_quoted
    while text[:1] != '"' and start + WIDTH - column < end:
        blank = text.find(" ", max(least_break, start + WIDTH + 1 - column), end)
        while blank > 0 and " " in (text[blank - 1], text[blank + 1]):
            blank = text.find(" ", blank + 1, end)
        if blank < 0:
            break
        yield line_indent + text[start:blank]
        start, line_indent, column = blank + 1, indent, len(indent)
        least_break = start + 1
    yield line_indent + text[start:]


def _has_own_lines(value: JsonValue) -> bool:
    """Whether a value is written on its own lines, as non-empty containers are."""
    return is_container(value) and bool(value)


def _is_literal(text: str) -> bool:
    """Whether a string of several lines may be a literal block.

    It may if it is not only line feeds, and no line ends with a blank.
    """
    return bool(text.strip("\n")) and " \n" not in text and not text.endswith(" ")
