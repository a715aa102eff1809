r"""Put a backslash before lines of a tool's text that imitate ours, and remove it again.

A tool that writes ``> [ref #3]`` would make the reader believe that it said what text 3 says.
Similar lines deceive models as well: with other blanks, capitals or line ends, with signs around
them, or with invisible or look-alike characters. So all of these are escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category, normalize

from mckp.regexes import regex

if TYPE_CHECKING:
    import re

_ENDS = "\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_ARROWS = ">\ufe65\uff1e"
_FILLERS = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_UNSEEN = regex(r"[\x00-\x08\x0e-\x1f\x7f]+")
_AROUND = " \t\xa0.,;:!?\"'`*_~|()[]{}<>"
_NUMBER = r"\d{1,9}[.)\uff0e\uff09](?=\s)"
_ITEM = regex(_NUMBER)
_SIGNS = rf"(?:[^\w\\{_ARROWS}{_ENDS}]|[{_FILLERS}]|{_NUMBER})*+"
_LINE = regex(rf"(?<![^{_ENDS}])({_SIGNS})(\\*+)({_SIGNS}[{_ARROWS}][^{_ENDS}]*+)")

_LABEL = r"#\s*\d+(?:\s*as\s+[a-z]\w*|\s*,.*)?|as\s+[a-z]\w*"
_REFERENCE = r"(?:ref|recall)\s*#\s*\d+(?!\w).*|ref\s*\d+"
_KEPT = r".*;\s*(?:handle|recall)\s*[x#]\s*\d+(?:\s+and\s+others)?|all of it is in\s.*"
_CUT = r"\+\s*\d[\d,]*+(?:\s+of\s+\d+)?\s*[a-z]+(?:\s.*)?"
_OURS = regex(rf"(?s:{_LABEL}|{_REFERENCE}|{_KEPT})")
_ALL = r"all\s+\d[\d,]*+\s+lines\s*:.*"
_HINT = regex(rf"(?s:{_CUT}|{_ALL})")


def escape(text: str, *, raw: bool) -> str:
    r"""Return a text with a backslash in each line that looks like ours, or like an escaped one.

    A `raw` text is one that a tool wrote. In any other text, notes on cut parts are ours and stay.
    Takes linear time for any text.

    Examples
    --------
    >>> escape("a\n  > [ref #3]\n> [+2 rows]\n> [sic]", raw=True)
    'a\n  \\> [ref #3]\n\\> [+2 rows]\n> [sic]'
    """
    if not any(arrow in text for arrow in _ARROWS):
        return text
    return _LINE.sub(lambda match: _escape_match(match, raw=raw), text)


def unescape(text: str, *, raw: bool) -> str:
    """Return the text from which `escape` made this one."""
    if not any(arrow in text for arrow in _ARROWS):
        return text
    return _LINE.sub(lambda match: _unescape_match(match, raw=raw), text)


def _escape_match(match: re.Match[str], *, raw: bool) -> str:
    """Return a line with a backslash before its text, if it looks like ours."""
    return f"{match[1]}\\{match[2]}{match[3]}" if _is_ours(match[3], raw=raw) else match[0]


def _unescape_match(match: re.Match[str], *, raw: bool) -> str:
    """Return a line without the backslash that `_escape_match` put there."""
    marks = match[2][1:] if match[2] and _is_ours(match[3], raw=raw) else match[2]
    return f"{match[1]}{marks}{match[3]}"


def _is_ours(line: str, *, raw: bool) -> bool:
    """Whether a line, from its arrow on, looks like one that only mckp writes.

    In a `raw` text, which a tool wrote, notes on cut parts count too.
    """
    plain = line if line.isascii() else "".join(map(_normal_form, line))
    opening, closing = plain.find("["), plain.rfind("]")
    around = _ITEM.sub("", plain[: max(opening, 0)]) + plain[closing + 1 :]
    if not 0 <= opening < closing or any(map(str.isalnum, around)):
        return False
    inner = _UNSEEN.sub("", plain[opening + 1 : closing]).casefold().strip(_AROUND)
    return _OURS.fullmatch(inner) is not None or (raw and _HINT.fullmatch(inner) is not None)


def _normal_form(char: str) -> str:
    """Return the normal form of a character, or "" if it is invisible or a combining mark.

    Characters are normalized one by one because sorting a run of combining marks takes quadratic
    time.
    """
    if char.isascii():
        return char
    return "" if char in _FILLERS or category(char)[0] in "MC" else normalize("NFKC", char)
