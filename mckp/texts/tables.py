"""The tables for `mckp.texts.worth`: what each feature of a line adds to its odds.

Both were fitted by logistic regression, so a line's worth is the likelihood that a reader needs it.
"""

from __future__ import annotations

from typing import Final

GROUPS: Final = ("program", "search", "paths", "diff", "snapshot", "document", "table", "output")
"""Groups of kinds of texts, in the order of the columns of `WEIGHTS`."""

WEIGHTS: Final[dict[str, tuple[float, ...]]] = {
    # in any text, and more in those of a group
    "always": (-4.20, -0.23, 0.37, 0.11, -0.14, -0.49, 0, 0.41, -0.38),
    "blank": (-2.38, -0.32, 0, 0, 0, 0, -0.24, 0, 0),
    "short": (-1.79, -0.34, 0, 0, 0, 0, -0.12, 0, 0),
    "log size": (2.40, 0.51, 0, 0.13, 0.16, -0.14, -0.16, 0.32, -0.17),
    "very long": (-0.14, 0.12, 0, 0, 0.43, 0.15, -0.31, -0.38, 0),
    "place": (-0.11, -0.08, 0, 0.13, -0.22, -0.32, 0.17, 0.33, 0),
    "first 3": (0.23, -0.80, 0.63, 0.09, 0.62, -0.10, -0.16, -0.22, 0),
    "last": (-0.03, -0.39, 0.07, 0.30, -0.10, 0, 0.27, -0.11, 0),
    "last 3": (0.24, 0.21, 0.88, -0.20, -0.24, -0.07, -0.50, -0.17, 0.14),
    "indent": (-0.30, 0.45, 0, 0, -0.40, -0.24, 0.40, 0, -0.28),
    "repeated": (-0.10, -0.47, 0.12, 1.68, -0.10, -0.32, -0.37, 0, -0.54),
    "letters": (-0.69, 0.10, 0.08, -0.46, 0.34, -0.50, -0.07, 0.47, -0.14),
    "braces only": (-1.55, -0.13, 0, 0, 0, 0, -0.17, 0, 0),
    "path": (-0.17, 0, -0.49, -0.22, 0.17, 0, 0, 0.64, -0.11),
    "url": (-0.73, 0, 0.20, 0, -0.06, -0.07, -0.31, -0.11, 0.11),
    "path:line": (0.08, 0.69, -0.15, -0.17, -0.09, -0.07, 0.31, 0, -0.51),
    "call": (0.07, 0, 0.40, 0, 0.31, -0.08, 0, -0.38, -0.23),
    "dotted": (0.12, -0.08, -0.26, 0.59, -0.80, -0.23, 0, 0.26, 0.50),
    "quote": (-0.00, 0, -0.99, 0, -0.48, 0.21, 0.42, 0, 0.81),
    "key: value": (0.13, 0.24, 0, 0, 0.23, -0.10, -0.16, 0, -0.13),
    "assign": (-0.42, 0.30, 0.41, 0, 0, 0, -0.48, 0, -0.31),
    "bullet": (0.67, 0, 0, 0, 1.11, -0.50, -0.21, 0, -0.21),
    "heading": (0.36, -0.38, 0, 0, 0, -0.05, 0.53, 0, 0),
    "comment": (-0.34, 0.12, 0, 0, -0.24, 0, 0.06, 0, 0),
    "added": (-0.69, -0.82, 0, 0, 0.58, 0, 0.07, 0, 0),
    "removed": (0.93, 0.57, 0, -0.32, 0.22, 0.26, -0.49, 0, 0),
    "ref": (0.36, -0.10, 0, 0, 0, 0.21, 0, 0, 0),
    "definition": (0.14, -0.08, 0, 0, 0.35, 0, -0.19, 0, 0),
    "after definition": (-0.41, 0, 0, 0, 0, 0, -0.15, 0, 0.12),
    "import": (-0.42, 0, 0, 0, 0.07, 0, -0.13, 0, 0),
    "control": (0.65, 0, 0, 0, 0, 0.07, 0.08, 0, 0),
    "branch": (-0.18, 0.07, 0, 0, -0.23, 0, 0, 0, 0.10),
    "return": (-0.50, 0.10, 0, 0, 0, 0, -0.11, 0, -0.11),
    "identifiers": (0.48, 0, -0.41, -0.54, -0.08, 0, 0.24, 0.46, 0.46),
    "number": (-0.35, 1.06, -0.53, -0.24, -0.19, -0.22, 0.26, 0.34, -0.57),
    "names": (0.29, -0.28, 0, 0.08, 0.53, -0.09, 0, -0.12, 0),
    "rare": (-0.08, -0.47, -0.07, -0.43, 0.29, 0, 0.70, 0.15, -0.14),
    "mean rarity": (0.22, -0.24, 0.12, -0.27, -0.06, -0.30, 1.06, -0.12, -0.14),
    "words": (0.07, 0.07, -0.54, -0.15, 0.12, 0, -0.06, 0.54, 0),
    "fresh": (-0.04, 0.17, 0.51, -0.13, -0.21, -0.34, -0.22, -0.08, 0.28),
    "asked": (0.49, 0.06, 0, 0.57, -0.32, 0.28, -0.24, -0.10, -0.14),
    "asked near": (0.04, 0, -0.28, 0, -0.23, 0, -0.16, 0, 0.70),
    "asked near 3": (0.10, 0.05, 0.34, 0, -0.12, -0.18, -0.11, 0.16, -0.13),
}
"""Odds that a line is used, fitted to 748 results of coding agents and what these used of them.

The first number holds in any text; to it comes that of the kind of the text.
"""

ALARMS: Final[dict[str, float]] = {
    "always": -1.90,
    "alarm": 0.54,
    "alarm rare": 0.37,
    "alarm often": 0.04,
    "alarm first of many": 0.71,
    "alarm at all": 1.18,
    "sure at all": 0.41,
    "long alarm": -0.20,
    "strong": 0.34,
    "strong rare": 0.36,
    "mark": 0.48,
    "mark alarm": 0.04,
    "nil": -0.46,
    "passing": -0.92,
    "warns": -0.30,
    "warns rare": -0.19,
    "code": -0.75,
    "level error": -0.13,
    "level warn": 0.07,
    "level info": -0.53,
    "odd level": 0.23,
    "severe": 0.23,
    "odd cell": 0.45,
    "size": -0.21,
    "finding": 0.34,
    "finding few": 0.37,
    "finding few alarm": 0.78,
    "finding often": -0.69,
    "after few": 0.32,
    "caret": 0.15,
    "before caret": -0.24,
    "caret words": 0.41,
    "frame": 0.07,
    "own frame": 0.36,
    "others": -0.59,
    "last frame": 0.39,
    "value": 0.71,
    "value word": 0.35,
    "value in failure": 0.93,
    "value word in failure": 0.12,
    "after alarm 1": 0.27,
    "after alarm 2": -0.18,
    "after alarm 5": -0.41,
    "in failure": 0.85,
    "before alarm 1": -0.04,
    "before alarm 3": 0.27,
    "path in failure": 0.15,
    "path:line own": 0.26,
    "E line": 0.76,
    "E first": 0.09,
    "counts": 0.37,
    "counts late": 0.57,
    "last line": 0.37,
    "last lines": 0.92,
    "first lines": -0.27,
    "rule": -0.10,
    "rare line": 0.63,
    "often": -0.91,
    "repeat": -0.16,
    "after blank": 0.38,
    "blank line": -0.35,
    "indented": -0.07,
}
"""What each feature adds to the log odds that a line has the cause, its place or the verdict.

Fitted by logistic regression to 84 outputs of some 60 tools in which these lines are known.
"""
