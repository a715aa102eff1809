r"""Lines of a tool's text that look like ours get a backslash, and lose it on the way back.

A tool that writes ``> [ref #3]`` would make the reader believe that it had said what text 3
says. Blanks in and around such a line do not keep a model from reading it so, nor do capitals,
nor another line end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.encoders.hints import Reference, read_hint, read_label, read_patch
from mckp.regexes import regex

if TYPE_CHECKING:
    import re

_ENDS = "\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_BLANKS = rf"[^\S{_ENDS}]*"
_LINE = regex(
    rf"(?<![^{_ENDS}])({_BLANKS})(\\*)(>{_BLANKS}\[[^{_ENDS}]*?\])(?={_BLANKS}(?:[{_ENDS}]|\Z))"
)


def escape(text: str, *, raw: bool) -> str:
    r"""Mark all lines that look like ours, or look marked.

    Parameters
    ----------
    text : str
        What stands below a label, or without one.
    raw : bool
        Whether it is as it came. Else the notes on what was cut are our own.

    Examples
    --------
    >>> escape("a\n  > [ref #3]\n> [+2 rows]\n> [sic]", raw=True)
    'a\n  \\> [ref #3]\n\\> [+2 rows]\n> [sic]'
    """
    if ">" not in text:
        return text
    return _LINE.sub(lambda match: _marked(match, raw=raw), text)


def unescape(text: str, *, raw: bool) -> str:
    """Return what `escape` was given."""
    if ">" not in text:
        return text
    return _LINE.sub(lambda match: _unmarked(match, raw=raw), text)


def _marked(match: re.Match[str], *, raw: bool) -> str:
    return f"{match[1]}\\{match[2]}{match[3]}" if _is_ours(match[3], raw=raw) else match[0]


def _unmarked(match: re.Match[str], *, raw: bool) -> str:
    marks = match[2][1:] if _is_ours(match[3], raw=raw) else match[2]
    return f"{match[1]}{marks}{match[3]}"


def _is_ours(line: str, *, raw: bool) -> bool:
    return any(_is_read(each, raw=raw) for each in (line, _plain(line)))


def _plain(line: str) -> str:
    """Return a line without the blanks and capitals that nobody would mind."""
    inner = " ".join(line[line.index("[") + 1 : -1].casefold().split())
    return f"> [{inner}]"


def _is_read(line: str, *, raw: bool) -> bool:
    hint = read_hint(line)
    if isinstance(hint, Reference) or (raw and hint is not None):
        return True
    return read_label(line) is not None or read_patch(line) is not None
