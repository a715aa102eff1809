"""The statements of a program, and which of them a reader needs first.

A program is cut between statements only, whatever its language: a call of several lines stays
whole, and so do a comment and a decorator with its function. Definitions are kept longest, then
their documentation, then constants and imports, then bodies from the first on: a tenth of a
program is its outline.

Brackets, indentation and the first words of lines show where statements end. Nothing is parsed,
so a program with errors has statements as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_LINES: Final = 80
"""Most lines of a statement; a bracket that is open for longer is taken for one in a text."""

_MODIFIERS: Final = (
    r"(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|sealed"
    r"|open|override|virtual|inline|extern|unsafe|declare|const|partial|pub(?:\([^)]*\))?)\s+)*"
)
_HOLDERS: Final = (
    r"class|interface|struct|enum|trait|impl|union|module|mod|namespace|object|protocol"
    r"|extension|package|record"
)
_HOLDER: Final = regex(rf"\s*{_MODIFIERS}(?:{_HOLDERS})\b(?!\s*[=:(.,])")
_DEFINITION: Final = regex(
    rf"\s*{_MODIFIERS}(?:def|func|fun|fn|function\*?|sub|proc|type|constructor|init|macro_rules!)\b"
    rf"(?!\s*[=:.,])"
    r"|\s*(?:export\s+)?(?:const|let|var)\s+\w+\s*(?::[^=]+)?=\s*(?:async\s+)?(?:\(|\w+\s*=>|function\b)"
    r"|\s*(?i:create)\s+(?i:or\s+replace\s+)?(?i:table|view|function|procedure|index|type)\b"
    # A method or a function of the family of C: a type, a name, parameters and a brace.
    r"|\s*(?!(?:if|for|while|switch|catch|else|return|do|try|with|elif|when|match|case|foreach)\b)"
    r"(?:[\w<>\[\],:&*~?.]+\s+)*[\w~]+\s*\([^;{}]*\)[^;{}()]*\{\s*\Z"
)
_IMPORT: Final = regex(r"(?:import|from|use|using|require|include|package|#include|@import)\b")
_COMMENT: Final = regex(r"\s*(?:#(?!\[|include|define|if|end|pragma)|//|--\s|;;|/\*|\*(?:\s|/|\Z))")
_LICENCE: Final = regex(r"copyright|licen[cs]ed?\b|spdx-", re.I)
_QUOTED: Final = regex(r"\s*[rRbBuU]?(\"\"\"|''')")
_DECORATOR: Final = regex(r"\s*(?:@\w|#\[|template\s*<)")
_CLOSER: Final = regex(r"\s*(?:[\])}]+[\s;,)]*|end\b.*|fi|done|esac|\{)\s*\Z")
_MEMBER: Final = regex(r"\s*(?:- )?[\w.\"'-]+:(\s+\S.*(?<![{(\[,;]))?\Z")
"""A member of a configuration, such as ``port: 80``; its value may go on below it."""
_LITERALS: Final = regex(
    r"\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\])*+'|`(?:\\.|[^`\\])*+`|(?:#|//|--\s).*"
)


class Statement(NamedTuple):
    """Lines of a program that are kept or cut together."""

    start: int
    end: int
    """The number of the last line, plus 1."""
    rank: int
    """How soon a reader needs it: 0 for a definition at the top, 6 for what is needed last."""


def statements(lines: Sequence[str]) -> list[Statement]:
    """Return the statements of a program, in order; blank lines are in none of them.

    Examples
    --------
    >>> lines = ["import os", "", "def f(", "    x,", "):", "    return x"]
    >>> [tuple(statement) for statement in statements(lines)]
    [(0, 1, 4), (2, 5, 0), (5, 6, 5)]
    """
    listed: list[Statement] = []
    holders: list[tuple[int, bool]] = []  # of open definitions: indentation, may have members
    place, size = 0, len(lines)
    is_after_definition = False
    while place < size:
        line = lines[place]
        if not line.strip():
            place += 1
            continue
        if listed and _CLOSER.match(line):
            listed[-1] = listed[-1]._replace(end=place + 1)
            place += 1
            continue
        indent = _indent(line)
        while holders and holders[-1][0] >= indent:
            holders.pop()
        has_members = all(is_class for _, is_class in holders)
        if match := _QUOTED.match(line):
            for start, end in _quoted_spans(lines, place, match[1]):
                is_first = start == place and (is_after_definition or not listed)
                listed.append(Statement(start, end, (2 if listed else 0) if is_first else 6))
                place = end
        elif _COMMENT.match(line):
            end = _comment_end(lines, place)
            listed.append(
                Statement(place, end, _comment_rank(lines, place, end, has_members, listed))
            )
            place = end
        else:
            first = place
            while place + 1 < size and _DECORATOR.match(lines[place]):
                place = _statement_end(lines, place)
            head = lines[min(place, size - 1)]
            end = _statement_end(lines, min(place, size - 1))
            text = " ".join(body_line.strip() for body_line in lines[place:end])
            is_holder = _HOLDER.match(head) is not None
            defines = has_members and (is_holder or _is_definition(head, text))
            if defines:
                rank = 1 if holders else 0
                holders.append((indent, is_holder))
            elif holders or (indent and not (indent <= 2 and _MEMBER.match(head))):
                rank = 5
            else:
                rank = 4 if indent or _IMPORT.match(head) else 3
            listed.append(Statement(first, end, rank))
            is_after_definition = defines
            place = end
            continue
        is_after_definition = False
    return listed


def _is_definition(head: str, text: str) -> bool:
    """Whether a statement is a definition; `head` is its first line, `text` all of its lines."""
    return _DEFINITION.match(head) is not None or _DEFINITION.match(text) is not None


def _comment_rank(
    lines: Sequence[str], start: int, end: int, has_members: bool, above: Sequence[Statement]
) -> int:
    """Return the rank of a comment: 2 at the top of a program or above a definition, else 5.

    A licence at the top has rank 6, since readers of the program do not need it. `start` and `end`
    are the comment's lines, and `above` has the statements before it. `has_members` says that
    definitions may begin there, as in a class.
    """
    if not above:
        return 6 if any(map(_LICENCE.search, lines[start : min(end, start + 3)])) else 2
    if end < len(lines) and has_members and lines[end].strip():
        head = lines[end]
        if _DECORATOR.match(head) or _HOLDER.match(head) or _is_definition(head, head.strip()):
            return 2
    return 5


def _statement_end(lines: Sequence[str], start: int) -> int:
    """Return the index of the line after a statement, which ends when all its brackets are closed.

    A line that ends with a backslash does not end it. If no line does within `MOST_LINES`, the
    statement is taken to be one line.
    """
    depth = 0
    for place in range(start, min(len(lines), start + MOST_LINES)):
        text = _LITERALS.sub("", lines[place])
        depth += text.count("(") + text.count("[") - text.count(")") - text.count("]")
        if depth <= 0 and not text.rstrip().endswith("\\"):
            return _value_end(lines, start, place + 1)
    return start + 1


def _value_end(lines: Sequence[str], start: int, end: int) -> int:
    """Return the index of the line after a statement, with the rest of a member's value.

    `end` is this index without that rest, which is one or two indented lines. A statement that is
    no member with a value, or has more such lines, has no rest.
    """
    head = lines[start]
    member = _MEMBER.match(head)
    if member is None or not member[1]:
        return end
    indent, last = _indent(head), end
    for line in lines[end : end + 3]:
        if _indent(line) <= indent or _MEMBER.match(line):
            return last
        last += 1
    return last if last < end + 3 else end


def _indent(line: str) -> int:
    """Return the number of blanks and tabs that a line begins with."""
    return len(line) - len(line.lstrip())


def _comment_end(lines: Sequence[str], start: int) -> int:
    """Return the index of the line after a comment; one that is never closed ends with the text."""
    if lines[start].lstrip().startswith("/*"):
        # A comment that is never closed goes on to the end, so its end is looked for once.
        ends = (place for place in range(start, len(lines)) if "*/" in lines[place])
        return next(ends, len(lines) - 1) + 1
    place = start
    while place < len(lines) and _COMMENT.match(lines[place]):
        place += 1
    return place


def _quoted_spans(lines: Sequence[str], start: int, quotes: str) -> list[tuple[int, int]]:
    """Return the start and end of the first paragraph of a quoted text, then those of the rest.

    `start` is the index of the line with the opening `quotes`; a text that is never closed goes on
    to the last line. A text of a single paragraph has one span.
    """
    opening = lines[start].index(quotes) + len(quotes)
    end = start + 1
    if quotes not in lines[start][opening:]:
        while end < len(lines) and quotes not in lines[end]:
            end += 1
        end = min(end + 1, len(lines))
    blank = next((place for place in range(start, end) if not lines[place].strip()), end)
    rest = next((place for place in range(blank, end) if lines[place].strip()), end)
    return [(start, end)] if blank == start or rest == end else [(start, blank), (rest, end)]
