"""What kind of document a text is."""

from __future__ import annotations

from enum import StrEnum

from mckp.errors import ParseError
from mckp.jsontext import LITERAL, STRING
from mckp.parsers.json import parse_json
from mckp.parsers.markdown import looks_like_markdown
from mckp.parsers.program import looks_like_program
from mckp.regexes import regex


class DocumentKind(StrEnum):
    """The kinds of documents that are read."""

    JSON = "json"
    MARKDOWN = "markdown"
    TEXT = "text"


_MEMBER = rf'(?:{STRING}\s*(?::|\Z)|"[^"]*\Z)'
_OBJECT = regex(rf"\s*+\[*+\s*+\{{\s*+(?:{_MEMBER}|\}}\s*(?:[,\]]|\Z))")
_ITEM = rf"{STRING}|(?:{LITERAL}|-?(?:NaN|Infinity))(?=\s*(?:[,\]]|\Z))|[\[\],]"
_ARRAY = regex(rf"\s*\[(?:\s*(?:{_ITEM}))*\s*")
_AMBIGUOUS = regex(r'\s*(?:["\[]|-?[0-9]|true|false|null)')


def detect(text: str) -> DocumentKind:
    """Tell JSON, Markdown and plain text apart.

    Text that can be meant as nothing but JSON is JSON, and its errors are reported as
    JSON's; ``[1] see below`` and ``{% if %}`` are not. A lone number, string, ``true``,
    ``false`` or ``null`` is JSON if it is nothing else. A program is plain text, though its
    comments may look like headings.

    Examples
    --------
    >>> [detect(t).value for t in ('{"a": 1', "[1] see below", "# Title", "12:01 started")]
    ['json', 'text', 'markdown', 'text']
    """
    # Parsing costs less than looking at every item of an array that is whole.
    if _OBJECT.match(text) or (_AMBIGUOUS.match(text) and _parses(text)):
        return DocumentKind.JSON
    if begins_like_json(text):
        return DocumentKind.JSON
    is_markdown = looks_like_markdown(text) and not looks_like_program(text)
    return DocumentKind.MARKDOWN if is_markdown else DocumentKind.TEXT


def begins_like_json(text: str) -> bool:
    """Whether a text, though it may be broken, can be meant as nothing but JSON.

    That is an object that begins with a quoted name and a colon, an array of those, or an
    array in which there is nothing but items, commas and brackets.
    """
    return _OBJECT.match(text) is not None or _ARRAY.fullmatch(text) is not None


def _parses(text: str) -> bool:
    try:
        parse_json(text)
    except ParseError:
        return False
    return True
