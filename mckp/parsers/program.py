"""Whether a text is a program, a configuration or a patch, in which ``# x`` is no heading.

Its lines are looked at by their shape, in whatever language: those that can hardly be prose are
counted beside those that can hardly be anything else.
"""

from __future__ import annotations

import re
from typing import Final

from mckp.regexes import regex

MOST_LINES: Final = 400
"""Lines of a text that are looked at."""

LONGEST: Final = 200
"""Characters of a line that are looked at."""

_FENCE: Final = regex(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_SURE: Final = regex(r"^--- .*\n\+\+\+ .*\n@@ -|\A\s*(?i:<!doctype |<html|<\?xml )", re.MULTILINE)
"""What makes a text a patch, or a page."""
_RECORDS: Final = regex(r"^( *)- [\w.-]+:(?:[ \r].*)?\n\1  [\w.-]+:(?:\s|\Z)", re.MULTILINE)
"""What makes a text YAML, if nothing else stands at its margin: an item that has two members."""
_AT_MARGIN: Final = regex(r"^(?!\s|\Z|(?:-|---|\.\.\.|[\w.\"'-]+:)(?:\s|\Z))", re.MULTILINE)
"""A line at the margin that is no item, member or sign of YAML."""
_COMMENT: Final = regex(
    r"^[ \t]*(?:/\*.*?(?:\*/|\Z)|\(\*.*?(?:\*\)|\Z)"
    r"|[rRuU]?(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)))",
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


def looks_like_program(text: str) -> bool:
    r"""Tell whether a text that may be Markdown is rather a program, or data about one.

    A heading below another is a comment of several lines. A text with a fence is Markdown.

    Examples
    --------
    >>> code = "# Sums.\nimport sys\n\ntotal = sum(map(int, sys.argv))\nprint(total)\n"
    >>> looks_like_program(code), looks_like_program("# Title\n\n- It works.\n- It is fast.\n")
    (True, False)
    """
    lines = text.split("\n", MOST_LINES)[:MOST_LINES]
    text = _COMMENT.sub("/*", "\n".join(line[:LONGEST] for line in lines))
    if _FENCE.search(text):
        return False
    if _SURE.search(text) or (_RECORDS.search(text) and not _AT_MARGIN.search(text)):
        return True
    code, prose, before = 0, 0, ""
    for line in text.split("\n"):
        if _HEADING.match(line):
            code += _HEADING.match(before) is not None
        elif _CODE.match(line):
            code += 1
        elif _PROSE.match(line):
            prose += 1
        before = line
    return code >= 3 and code > prose
