"""The fragment law: which texts may be counted apart and joined."""

from __future__ import annotations

from mckp.regexes import regex

BLANKS = r"\t\v\f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""Every white-space character but CR and LF, as the inside of a character class."""


# U+001C to U+001F are ordinary characters to the tokenizers, yet Python calls such a line blank;
# refusing them too keeps the law true under either reading.
_START = regex(rf"(?!/)[{BLANKS}\x1c-\x1f]*+[^\r\n]")


def is_fragment(text: str) -> bool:
    r"""Tell whether a text keeps the fragment law.

    It ends with a line feed, its first line is not blank, and its first character is not ``/``.
    A carriage return ends a line here as well. Under this law the counts of `o200k_base` and
    `cl100k_base` add up; without it they may be off by one at a joint, in either direction.

    Parameters
    ----------
    text : str
        The text to look at.

    Returns
    -------
    bool
        Whether it may follow another fragment.

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
