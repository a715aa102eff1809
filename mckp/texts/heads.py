"""Which line says what a line belongs to: its head, without which it says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.regexes import regex

if TYPE_CHECKING:
    from mckp.texts.lines import Flags, Lines, Numbers

_NAMELESS: Final = regex(
    r"(?:if|elif|else|for|while|switch|case|try|except|catch|finally|with|do|return|default"
    r"|- (?:generic|listitem|list|paragraph|group|row|cell))\b|[{}()\[\],;]+$"
)
"""A line that stands above others and does not say what they belong to."""

_BULLET: Final = regex(r"(?:[-*+•]|\d+[.)])\s")


def by_indent(lines: Lines) -> Numbers:
    """Return the heads by indentation: the nearest line above that stands less deep."""
    bodies = lines.bodies()
    items = [_BULLET.match(body) is not None for body in bodies]
    depths = 2 * lines.indents + np.array(items, np.int64)
    names = [_NAMELESS.match(body) is None for body in bodies]
    return by_depth(depths, np.array(names, bool), lines.is_blank)


def by_depth(depths: Numbers, names: Flags, is_blank: Flags) -> Numbers:
    """Return the nearest line above each one that stands less deep and names what is below it.

    A blank line belongs to the line above. So all lines between one and its head belong to that
    head too.

    Examples
    --------
    >>> depths, yes = np.array([0, 2, 4, 2, 0]), np.ones(5, bool)
    >>> by_depth(depths, yes, ~yes).tolist()
    [-1, 0, 1, 0, -1]
    """
    heads = np.full(len(depths), -1, np.int64)
    stack: list[tuple[int, int]] = []
    rows = zip(depths.tolist(), names.tolist(), is_blank.tolist(), strict=True)
    for line, (depth, is_head, blank) in enumerate(rows):
        if not blank:
            while stack and stack[-1][0] >= depth:
                stack.pop()
        if stack:
            heads[line] = stack[-1][1]
        if is_head and not blank:
            stack.append((depth, line))
    return heads
