"""What kind of document a text is."""

from __future__ import annotations

import re
from enum import StrEnum

from mckp.errors import ParseError, UnknownNameError
from mckp.parsers.json import parse_json
from mckp.parsers.markdown import looks_like_markdown


class DocumentKind(StrEnum):
    """The kinds of documents that are read."""

    JSON = "json"
    MARKDOWN = "markdown"
    TEXT = "text"


_MEANS_JSON = re.compile(r'\s*(?:\{\s*["}]|\[\s*\{)')
_MAY_MEAN_JSON = re.compile(r'\s*\[[\s\[]*(?:["{\]0-9-]|true|false|null|NaN|Infinity)')
_BRACKETED_WORDS = re.compile(r"\s*\[[^\]]*\]+\s*[^\s,\]]")
_AMBIGUOUS = re.compile(r'\s*(?:["\[]|-?[0-9]|true|false|null)')


def detect(text: str) -> DocumentKind:
    """Tell JSON, Markdown and plain text apart.

    Text that begins as only JSON begins is JSON, and its errors are reported as JSON's;
    ``[1] see below`` and ``{% if %}`` are not. A lone number, string, ``true``, ``false``
    or ``null`` is JSON if it is nothing else.

    Examples
    --------
    >>> [detect(t).value for t in ('{"a": 1', "[1] see below", "# Title", "12:01 started")]
    ['json', 'text', 'markdown', 'text']
    """
    if begins_like_json(text):
        return DocumentKind.JSON
    if _AMBIGUOUS.match(text) and _parses(text):
        return DocumentKind.JSON
    return DocumentKind.MARKDOWN if looks_like_markdown(text) else DocumentKind.TEXT


def begins_like_json(text: str) -> bool:
    """Whether the beginning of a text is enough to take it for JSON."""
    if _MEANS_JSON.match(text):
        return True
    return _MAY_MEAN_JSON.match(text) is not None and not _BRACKETED_WORDS.match(text)


def kind_named(name: str) -> DocumentKind:
    """Return the kind with a name.

    Raises
    ------
    UnknownNameError
        If no kind has it.
    """
    try:
        return DocumentKind(name)
    except ValueError:
        raise UnknownNameError("kind of document", name, [k.value for k in DocumentKind]) from None


def _parses(text: str) -> bool:
    try:
        parse_json(text)
    except ParseError:
        return False
    return True
