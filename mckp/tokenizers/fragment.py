r"""The law of fragments: which texts can be counted apart, so that the counts add up.

The patterns of `o200k_base` and `cl100k_base` do not look back. So a text may be cut wherever a
piece of the pattern is sure to end, and the text after the cut is split as if it stood alone.

*Blanks.* No piece continues across a blank unless the piece is white space; and of white space
before another character, the last character begins the next piece. So a text may be cut right
before a blank (U+0020) if the character on one side of that cut or the other is not white space:
``a| b``, ``a| |b`` and ``|  b`` show all joints near blanks.

*Line feeds.* A text may be cut after a line feed if the next line is not blank and does not begin
with ``/``: this is the law of fragments.

*Marks.* A line feed or a quotation mark after an ASCII letter or digit begins a piece.

*Digits.* Digits form pieces of one to three, and every such piece of ASCII digits is one token. So
counts do not depend on which digits they are.

The end of a text counts as white space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLANKS = r"\t\v\f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""Every white-space character but CR and LF, as the inside of a character class."""


# U+001C to U+001F are ordinary characters to the tokenizers, yet Python calls such a line blank;
# refusing them too keeps the law true under either reading.
_START = regex(rf"(?!/)[{BLANKS}\x1c-\x1f]*+[^\r\n]")


def is_fragment(text: str) -> bool:
    r"""Whether a text keeps the law of fragments.

    It must end with a line feed; its first line must not be blank, and its first character must not
    be ``/``. A carriage return also ends a line here. The counts of `o200k_base` and `cl100k_base`
    for such texts add up; for others, the sum may be off by one at each joint, in either direction.

    Examples
    --------
    >>> is_fragment("name: Ada\n")
    True
    >>> is_fragment("    indented, with a blank line after it\n\n")
    True
    >>> is_fragment("no line feed"), is_fragment("\nblank\n"), is_fragment("/path\n")
    (False, False, False)
    """
    return text.endswith("\n") and _START.match(text) is not None


_FRAGMENTS: Final = regex(rf"(?<=\n)(?!/)(?=[{BLANKS}\x1c-\x1f]*+[^\r\n])")


def fragments(text: str) -> list[str]:
    r"""Return the parts of a text, which is cut before each line that may begin a fragment.

    Examples
    --------
    >>> fragments("one\n\n  two\n/three\nfour")
    ['one\n\n', '  two\n/three\n', 'four']
    """
    return _FRAGMENTS.split(text)


MARK: Final = "\0"
"""What is between texts that are joined to be looked at together."""

_CUT: Final = "\1"
"""What is between the parts of a text that is cut."""

_SPACE: Final = rf"{BLANKS}\r\n{MARK}"
_WHOLE: Final = regex(
    rf"[{BLANKS}\r] (?=[{_SPACE}]|\Z)"  # a blank with white space on either side
    rf"|\n(?=/|[{BLANKS}\x1c-\x1f]*+[\r\n]|[{BLANKS}\x1c-\x1f]++(?:{MARK}|\Z))"  # no fragment
    rf"|{_CUT}"
)
"""What keeps a text in one piece: in it alone, or in texts that are joined."""
_UNUSUAL: Final = ("  ", "\n ", "\n/", "\n\n", "\t", "\v", "\f", "\r", _CUT)
"""An ASCII text with none of these has joints at all its blanks and line feeds."""


def words(texts: Sequence[str]) -> list[list[str]]:
    r"""Return the words of each text, cut at the joints before blanks and after line feeds.

    The texts must not contain NUL. Some parts may be empty. A text in which any blank or line feed
    is not at a joint stays in one piece.

    Examples
    --------
    >>> words(["00 Ada Paris\n00 Bob Oslo\n", "a   b"])
    [['00', ' Ada', ' Paris\n', '00', ' Bob', ' Oslo\n', ''], ['a   b']]
    """
    joined = MARK.join(texts)
    is_usual = joined.isascii() and not any(map(joined.__contains__, _UNUSUAL))
    if is_usual or not _WHOLE.search(joined):
        return [text.split(_CUT) for text in _with_cuts(joined).split(MARK)]
    return [[text] if _WHOLE.search(text) else _with_cuts(text).split(_CUT) for text in texts]


def _with_cuts(text: str) -> str:
    """Return a text with `_CUT` before each blank and after each line feed."""
    return text.replace(" ", f"{_CUT} ").replace("\n", f"\n{_CUT}")


PORTION: Final = 1 << 18
"""Characters of each portion but the last, at least."""

JOINT: Final = regex(r'(?<=[A-Za-z0-9])(?=[\n"])')
"""Where a text of any kind may be cut."""


def portions(text: str, size: int = PORTION) -> Iterator[str]:
    r"""Yield portions of a text whose counts add up.

    Each portion but the last has at least `size` characters. A text without joints is one portion.

    Examples
    --------
    >>> list(portions("ab\nc!\nd\ne", 3))
    ['ab\nc!\nd', '\ne']
    """
    start = 0
    while len(text) - start > size and (joint := JOINT.search(text, start + size)):
        yield text[start : joint.end()]
        start = joint.end()
    yield text[start:]
