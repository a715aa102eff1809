"""The fourteen formats that strings inside responses are in."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object
from mckp.session.classify.shapes import first_table
from mckp.session.content import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

INNER: Final = (
    *("url", "log", "hash", "diff", "stack_trace", "md_table", "md", "md_with_code"),
    *("code_fence", "xml_html", "yaml", "numbered_list", "inline_json", "prose"),
)
"""The names of the formats."""

_MOST_ITEMS: Final = 100
_MOST_MEMBERS: Final = 200
_LEAST: Final = 8
_LONGEST_JSON: Final = 1 << 16

_HEX: Final = "|".join(f"[0-9a-f]{{{size}}}" for size in (7, 8, 10, 32, 40, 64))
_TESTS: Final = {
    "url": re.compile(r"\bhttps?://[^\s/]"),
    "log": re.compile(r"(?<![0-9])[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}"),
    # A commit has digits and letters; words and numbers of as many characters are none.
    "hash": re.compile(rf"(?<![\w-])(?=[0-9]*[a-f])(?=[a-f]*[0-9])(?:{_HEX})(?![\w-])"),
    "diff": re.compile(r"^(?:@@ -[0-9].*? @@|diff --git )", re.MULTILINE),
    "stack_trace": re.compile(
        r"^Traceback \(most recent call last\):|^[ \t]+at [^\s(]+(?: \(|\(|:[0-9])", re.MULTILINE
    ),
    "numbered_list": re.compile(r"^[ \t]*[0-9]+→", re.MULTILINE),
}
_OPENED = re.compile(r"<([A-Za-z][\w:.-]*)(?=[\s>])")
_CLOSED = re.compile(r"</([A-Za-z][\w:.-]*)>")
_HEADING = re.compile(r"^#{1,6} \S", re.MULTILINE)
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_KEY = re.compile(r"^[ \t]*(?:- )?[A-Za-z_][\w.-]*:(?: |$)", re.MULTILINE)


def inner_formats(text: str, value: Any = None, *, depth: int = 5) -> tuple[str, ...]:
    """Return the formats that a response holds, in the order of `INNER`.

    Parameters
    ----------
    text : str
        The response.
    value : optional
        Its data; then the strings inside are looked at, and the text is not.
    depth : int
        Levels of containers that are looked into.

    Examples
    --------
    >>> inner_formats("feedback on 1234567"), inner_formats("see 9fceb02 at https://x.org/a")
    ((), ('url', 'hash'))
    """
    strings = [text] if value is None else _strings(value, depth)
    found = {tag for string in strings if len(string) >= _LEAST for tag in _formats_of(string)}
    return tuple(tag for tag in INNER if tag in found)


def _strings(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth > 0 and is_object(value):
        for item in islice(value.values(), _MOST_MEMBERS):
            yield from _strings(item, depth - 1)
    elif depth > 0 and is_array(value):
        for item in value[:_MOST_ITEMS]:
            yield from _strings(item, depth - 1)


def _formats_of(string: str) -> set[str]:
    found = {tag for tag, test in _TESTS.items() if test.search(string)}
    found |= set(_documents(string))
    if not found and "\n" in string.strip():
        found.add("prose")
    return found


def _documents(string: str) -> Iterator[str]:
    fenced = sum(1 for _ in islice(_FENCE.finditer(string), 2)) == 2
    if first_table(string) is not None:
        yield "md_table"
    if _HEADING.search(string):
        yield "md_with_code" if fenced else "md"
    elif fenced:
        yield "code_fence"
    if "</" in string and {*_OPENED.findall(string)} & {*_CLOSED.findall(string)}:
        yield "xml_html"
    if _is_yaml(string):
        yield "yaml"
    if len(string) <= _LONGEST_JSON and json_value(string) is not None:
        yield "inline_json"


def _is_yaml(string: str) -> bool:
    keys = sum(1 for _ in _KEY.finditer(string))
    return keys >= 3 and keys > 0.4 * (string.strip().count("\n") + 1)
