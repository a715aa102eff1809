"""Find the titles that announce the parts of a text, such as the outputs of several commands.

Scripts and agents write them with ``echo``, and a shell that traces its commands writes them too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.regexes import regex
from mckp.texts.patterns import JOINT

if TYPE_CHECKING:
    from mckp.texts.lines import Numbers, TextLines

ALL_SIGNS: Final = "=#-*~+"
"""The signs of all titles."""

MOST_TITLES: Final = 0.4
"""The greatest share of lines that are titles: more of them announce nothing."""

_TITLE: Final = regex(
    r"^(?:(?P<bars>={2,8}|#{2,8}|-{3,8}|\*{3,8}|~{3,8}) (?![=#*~-]).{1,100} (?P=bars)"
    r"|(?P<file>#|={2,4}|#{2,4}|-{2,3}|>{2,3}) (?=.{0,160}[/.])[\w@.+~/-]*[\w/]:?"
    r"|(?P<bar>={2,4}|#{2,4}|-{3}) "
    r"(?![=#-]|(?:RUN|PAUSE|CONT|NAME|FAIL|PASS|SKIP|BENCH)\b)\S.{0,160}"
    r"|(?P<trace>\+) [a-z./][\w./-]{0,60}(?: .{0,200})?)$",
    re.MULTILINE,
)
"""A title between two bars, the name of a file or a title behind a bar, or a command that a shell
traces."""


def title_levels(lines: TextLines, signs: str = ALL_SIGNS) -> dict[int, int]:
    r"""Return the lines that announce the parts of a text, with how deep each is, from 0.

    Titles of one style, such as ``=== name ===``, have the same level; the style that is used first
    is the outermost. A style that is used once, or mostly one below the other, is none.

    Parameters
    ----------
    lines : TextLines
        The text.
    signs : str, default ALL_SIGNS
        The signs that titles may begin with. Commands, such as ``$ ls``, and names of files behind
        a bar are titles whatever the signs are.

    Examples
    --------
    >>> from mckp.texts.lines import lines_of
    >>> title_levels(lines_of("=== a ===\nok\n=== b ===\n--- x\n1\n--- y\n2\n"))
    {0: 0, 2: 0, 3: 1, 5: 1}
    """
    styles: dict[str, list[int]] = {}
    for line, style in _titles(lines, signs):
        styles.setdefault(style, []).append(line)
    filled = np.flatnonzero(~lines.is_blank)
    levels: dict[int, int] = {}
    level = 0
    for style, own in styles.items():
        if style == _COMMAND or _are_titles(np.array(own), filled):
            levels |= dict.fromkeys(own, level)
            level += 1
    return dict(sorted(levels.items()))


_COMMAND: Final = "$"
"""The style of ``$ command`` and of ``==> name <==``."""


def _titles(lines: TextLines, signs: str) -> list[tuple[int, str]]:
    """Return the lines that may be titles, each with its style."""
    matches = [*JOINT.finditer(lines.text)]
    if len(matches) < 2:
        matches = []
    joints = {match.start() for match in matches}
    begins = lines.text[:80].lstrip("\n")[:2]
    for match in _TITLE.finditer(lines.text):
        sign = match[0][0]
        if match.start() in joints or (sign not in signs and match.lastgroup != "file"):
            continue
        if sign == "+" and not begins.startswith("+ "):
            continue
        if sign == "-" and lines.text.startswith("+++ ", match.end() + 1):
            continue
        matches.append(match)
    matches.sort(key=lambda match: match.start())
    offsets = np.array([match.start() for match in matches], np.int64)
    numbers = np.searchsorted(lines.starts, offsets, side="right") - 1
    return [(line, _style(match)) for line, match in zip(numbers.tolist(), matches, strict=True)]


def _style(match: re.Match[str]) -> str:
    """Return the style of a title: its kind and its bar."""
    name = match.lastgroup
    return _COMMAND if name is None else f"{name} {match[name]}"


def _are_titles(own: Numbers, filled: Numbers) -> bool:
    """Whether lines of one style announce parts, most of which have lines of their own."""
    if not 2 <= len(own) <= MOST_TITLES * len(filled):
        return False
    ranks = np.searchsorted(filled, own)
    return int((np.diff(ranks) == 1).sum()) <= len(own) // 2
