"""Detect which kind of document a text is.

A program, a configuration or a patch is plain text: its ``# x`` is not a heading. In any language,
the lines that can hardly be prose are counted against those that can hardly be anything else.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from mckp.errors import ParseError
from mckp.jsontext import LITERAL, STRING
from mckp.parsers.json import parse_json
from mckp.parsers.markdown import looks_like_markdown
from mckp.regexes import regex


class DocumentKind(StrEnum):
    """The kinds of documents that can be read."""

    JSON = "json"
    MARKDOWN = "markdown"
    TEXT = "text"


_MEMBER = rf'(?:{STRING}\s*(?::|\Z)|"[^"]*\Z)'
_OBJECT = regex(rf"\s*+\[*+\s*+\{{\s*+(?:{_MEMBER}|\}}\s*(?:[,\]]|\Z))")
_ITEM = rf"{STRING}|(?:{LITERAL}|-?(?:NaN|Infinity))(?=\s*(?:[,\]]|\Z))|[\[\],]"
_ARRAY = regex(rf"\s*\[(?:\s*(?:{_ITEM}))*\s*")
_AMBIGUOUS = regex(r'\s*(?:["\[]|-?[0-9]|true|false|null)')


def detect(text: str) -> DocumentKind:
    """Return the kind of document that a text is.

    A text that can only be meant as JSON is JSON, even if it is broken; ``[1] see below`` and
    ``{% if %}`` are not. A lone number, string, ``true``, ``false`` or ``null`` is JSON. A program
    is plain text, even if its comments look like headings, and so is a log or a test run, even if
    its titles do.

    Examples
    --------
    >>> [detect(t).value for t in ('{"a": 1', "[1] see below", "# Title", "12:01 started")]
    ['json', 'text', 'markdown', 'text']
    """
    # Most JSON documents are objects, and parsing costs less than matching every item.
    if (
        _OBJECT.match(text)
        or (_AMBIGUOUS.match(text) and _is_valid_json(text))
        or begins_like_json(text)
    ):
        return DocumentKind.JSON
    if not looks_like_markdown(text) or looks_like_program(text) or _is_output_or_program(text):
        return DocumentKind.TEXT
    return DocumentKind.MARKDOWN


def _is_output_or_program(text: str) -> bool:
    """Whether a text that looks like Markdown is really tool output, or a part of a program.

    A document that begins with a title, or has a link, a table or a fence, may quote such text, so
    only the snapshot of a web page counts there.
    """
    from mckp.texts import TextKind, is_output, kind_of  # needs numpy

    if _TITLE.match(text) or "](" in text or _TABLE.search(text) or _FENCE.search(text):
        return kind_of(text) is TextKind.SNAPSHOT
    return is_output(text) or kind_of(text) in (TextKind.PROGRAM, TextKind.SNAPSHOT)


def begins_like_json(text: str) -> bool:
    """Whether a text, even if it is broken, can only be meant as JSON.

    It begins with an empty object, or with one that begins with a quoted name and a colon, perhaps
    inside arrays; or it is an array with nothing but scalars, commas and brackets. The text may end
    within any of these.
    """
    return _OBJECT.match(text) is not None or _ARRAY.fullmatch(text) is not None


def _is_valid_json(text: str) -> bool:
    """Whether a text is a single JSON value that `parse_json` accepts."""
    try:
        parse_json(text)
    except ParseError:
        return False
    return True


MOST_LINES: Final = 400
"""Lines of a text that are examined."""

LONGEST: Final = 200
"""Characters of a line that are examined."""

_FENCE: Final = regex(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_PATCH: Final = regex(r"\s*(?:commit [0-9a-f]{40}\b|diff --git |Index: \S+\n=)")
"""The beginning of a patch or a history, whatever files it changes."""

_SURELY_PATCH_OR_PAGE: Final = regex(
    r"^--- .*\n\+\+\+ .*\n@@ -|\A\s*(?i:<!doctype |<html|<\?xml )", re.MULTILINE
)
"""A sure sign of a patch or a web page."""
_RECORDS: Final = regex(r"^( *)- [\w.-]+:(?:[ \r].*)?\n\1  [\w.-]+:(?:\s|\Z)", re.MULTILINE)
"""An item with two members: it makes a text YAML unless its margin has other lines."""
_AT_MARGIN: Final = regex(r"^(?!\s|\Z|(?:-|---|\.\.\.|[\w.\"'-]+:)(?:\s|\Z))", re.MULTILINE)
"""A line at the margin that is not a YAML item, member or separator."""
_COMMENT: Final = regex(
    r"^[ \t]*(?:/\*.*?(?:\*/|\Z)|\(\*.*?(?:\*\)|\Z)"
    r"|(?:\w{1,40} = )?[rRuU]?(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)))",
    re.MULTILINE | re.DOTALL,
)
_WORDS: Final = "[a-z]{2,},? [a-z]+,? [a-z]+,? [a-z]{2,}"
_CODE: Final = regex(
    rf"""(?![-*+][ ])[ \t]*(?:
        .*[;{{}}]\)?[;,]?[ \t]*\Z           # how statements and blocks end
      | [\])}}]+[,;:)]*\Z
      | \#(?:!|[ ]*(?:include|define|undef|ifn?def|if|elif|else|endif|pragma)\b)
      | //|/\*|\*/|<\?|<!doctype|@\w+(?:\(|\Z)
      | (?:async[ ])?(?:def|class|sub|func|fn|function|package|module|namespace|struct|interface)
        [ ]+[\w.:$]+.*[({{:]?\Z
      | (?:import|from|use|using|require|include|export|return|raise|throw|elif|else|if|for|while
          |try|except|finally|with|case|my|our|local|set|let|const|var|echo|fi|done|esac|then|do
          |end|endif|unset)\b(?!.*{_WORDS})
      | [\w.\[\]"'$@%>-]+[ ]*(?:[-+*/|&.:?]?=|=>|:=)(?!=)   # assignments
      | [\w.:>-]+\(.*\)[ ]*[:,)]*\Z       # calls
      | [\w"'.-]+:(?:\Z|[ ](?!.*{_WORDS}))    # members
      | \[[\w.:"\ -]+\]\Z                  # sections of a configuration
      | </?[\w:-]+(?:[ ][^>]*)?>
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_PROSE: Final = regex(rf"(?:[-*+>|][ ]|\d+[.)][ ]|\[.*\]\(|\|)|.*{_WORDS}")
_HEADING: Final = regex(r"[ \t]*#{1,6}[ ]\S")
_TITLE: Final = regex(r"#{1,6}[ ]\S|---\n")
"""The beginning of Markdown with a title or front matter."""
_TABLE: Final = regex(r"^ {0,3}\|?(?:[ \t]*:?-+:?[ \t]*\|)+", re.MULTILINE)
"""The line below the header of a Markdown table."""


def looks_like_program(text: str) -> bool:
    r"""Whether a text that looks like Markdown is really a program, a patch or a configuration.

    A heading right below another one counts as code, as it is a comment of several lines. A text
    with a fence is Markdown, unless it begins like a patch.

    Examples
    --------
    >>> code = "# Sums.\nimport sys\n\ntotal = sum(map(int, sys.argv))\nprint(total)\n"
    >>> looks_like_program(code), looks_like_program("# Title\n\n- It works.\n- It is fast.\n")
    (True, False)
    """
    lines = text.split("\n", MOST_LINES)[:MOST_LINES]
    text = _COMMENT.sub("/*", "\n".join(line[:LONGEST] for line in lines))
    if _PATCH.match(text):
        return True
    if _FENCE.search(text):
        return False
    if _SURELY_PATCH_OR_PAGE.search(text) or (
        _RECORDS.search(text) and not _AT_MARGIN.search(text)
    ):
        return True
    code_count, prose_count, previous_line = 0, 0, ""
    examined_lines = text.split("\n")
    for lines_left, line in zip(range(len(examined_lines), 0, -1), examined_lines, strict=True):
        if (
            code_count >= 3 and code_count > prose_count + lines_left
        ) or prose_count >= code_count + lines_left:
            break
        if _HEADING.match(line):
            code_count += _HEADING.match(previous_line) is not None
        elif _CODE.match(line):
            code_count += 1
        elif _PROSE.match(line):
            prose_count += 1
        previous_line = line
    return code_count >= 3 and code_count > prose_count
