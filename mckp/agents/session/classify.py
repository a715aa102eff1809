"""Finds out what a response is: its data, its kind, and whether it has a table."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.hints import read_hint, read_label
from mckp.errors import ParseError
from mckp.jsontext import canonical, is_container
from mckp.parsers import parse
from mckp.parsers.detect import DocumentKind, detect
from mckp.parsers.embedded import extract, extract_from_text
from mckp.regexes import regex
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from mckp.plain import JsonValue


def json_value(text: str) -> JsonValue:
    """Parse a text as a JSON object or array; return None if it is not one, or not strict JSON.

    No data reproduces a text in which an object has the same name twice, so it is no JSON here.

    Examples
    --------
    >>> json_value(' {"a": 1}'), json_value('{"a": 1, "a": 2}'), json_value("7")
    ({'a': 1}, None, None)
    """
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = parse(text, "json").value
    except ParseError:
        return None
    return value if is_container(value) and not text.startswith("\ufeff") else None


def opened_value(text: str) -> JsonValue:
    r"""Return the data of a text as it is delivered, with JSON inside strings parsed as well.

    None if the text is not data.

    Examples
    --------
    >>> opened_value(r'{"type":"text","text":"[{\"a\":\"b\",\"c\":\"d\"}]"}')
    {'type': 'text', 'text': [{'a': 'b', 'c': 'd'}]}
    >>> opened_value("a,b\n1,2\n3,4\n"), opened_value("a line")
    ([{'a': 1, 'b': 2}, {'a': 3, 'b': 4}], None)
    """
    value = json_value(text)
    return extract_from_text(text)[0] if value is None else extract(value)[0]


def parsed_arguments(args: Any) -> Any:
    """Parse the arguments of a call if they are JSON text; else return them unchanged.

    Examples
    --------
    >>> parsed_arguments('{"a":1}'), parsed_arguments("ls -l"), parsed_arguments({"a": 1})
    ({'a': 1}, 'ls -l', {'a': 1})
    """
    try:
        return json.loads(args) if isinstance(args, str) else args
    except (ValueError, RecursionError):
        return args


def is_same(first: JsonValue, second: JsonValue) -> bool:
    """Whether two contents are equal; types must match, but the order of members may differ."""
    if isinstance(first, TreeNode) or isinstance(second, TreeNode):
        return bool(first == second)
    return type(first) is type(second) and canonical(first) == canonical(second)


def response_kind(text: str) -> str:
    r"""Return the kind of a response: ``json``, ``markdown``, or a kind of text, e.g. ``log``.

    Examples
    --------
    >>> response_kind('{"a": 1}'), response_kind("12:01:07 INFO up\n12:01:09 INFO down\n")
    ('json', 'log')
    """
    kind = detect(text)
    if kind is not DocumentKind.TEXT:
        return kind.value
    from mckp.texts import kind_of  # needs numpy

    return kind_of(text).value


_TABLE: Final = regex(r"^[ \t]*\|.*\|[ \t]*\n[ \t]*\|[ \t:|]*-[ \t:|-]*$", re.MULTILINE)


def has_table(text: str) -> bool:
    r"""Whether a text has a Markdown table.

    Examples
    --------
    >>> has_table("so:\n| a | b |\n|---|---|\n| 1 | 2 |"), has_table("a | b\n--|--")
    (True, False)
    """
    return _TABLE.search(text) is not None


_PREVIEWS: Final = regex(
    r"""<persisted-output>  # Claude Code
    | Error:\ result\ \([0-9,]+\ characters\ [^)]*\)\ exceeds\ maximum\ allowed\ tokens
    | \[Old\ tool\ result\ content\ cleared\]
    | Total\ output\ lines:\ [0-9]+\n  # Codex CLI
    | Output\ too\ large(?:\.\ Showing|\ to\ read\ at\ once)  # Gemini CLI, Copilot CLI
    | <tool_output_masked>
    | \.\.\.output\ truncated\.\.\.  # opencode
    """,
    re.VERBOSE,
)
"""The beginnings of texts that hosts show instead of a long or old result (as of 2026-11)."""


def is_shortened(text: str) -> bool:
    r"""Whether a text is a shortened result: one of our texts, or a preview by a host.

    The tokens of such a text are not those of the result.

    Examples
    --------
    >>> is_shortened("> [#3 as compact]\n[9]{id}"), is_shortened("> [ref #3]"), is_shortened("> a")
    (True, True, False)
    >>> is_shortened("<persisted-output>\nOutput too large (45.2KB).")
    True
    """
    if _PREVIEWS.match(text):
        return True
    first = text.split("\n", 1)[0]
    return read_label(first) is not None or read_hint(first) is not None
