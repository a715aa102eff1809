"""Factors for the lines of plans of changes and page snapshots, by rule, not fitted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.texts.lines import Roles

_ACTION: Final = regex(r"\s*# \S+ (?:will be|must be|has been|is tainted|has moved)\b ?(\w*)")
_SUM: Final = regex(r"(?:Plan|Apply complete!|Changes to Outputs|No changes)\b")
_FORCES: Final = regex(r".*# forces replacement")
_RESOURCE: Final = regex(r"\s*(?:-/\+|\+/-|[-+~]|<=)? ?(?:resource|data) \"")
_CHANGE: Final = regex(r"\s*(?:-/\+|\+/-|[-+~]) ")
_UNKNOWN: Final = regex(r".*-> \(known after apply\)$|\s*\+ .*= \(known after apply\)$")
_LOSSES: Final = ("destroyed", "replaced")

FADING: Final = 8
"""So many actions or controls that are alike halve what the next one is worth."""


def roles_of_plan(rows: Sequence[str]) -> Roles:
    """Raise what a plan destroys or replaces, and its totals; then what changes; lower the rest."""
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    before: Counter[str] = Counter()
    for place, row in enumerate(rows):
        if action := _ACTION.match(row):
            fades = 1 / (1 + before[action[1]] / FADING)
            least[place] = 4.0 if action[1] in _LOSSES else 1.5 * fades
            before[action[1]] += 1
        elif _SUM.match(row):
            least[place] = 4.0
        elif _FORCES.match(row):
            least[place] = 3.0
        elif _RESOURCE.match(row):
            factors[place] = 0.2
        elif _CHANGE.match(row):
            factors[place] = 0.3 if _UNKNOWN.match(row) else 1.0
            least[place] = 0.0 if _UNKNOWN.match(row) else 0.7
        elif row[:1] == " " and not row.lstrip().startswith("#"):
            factors[place] = 0.1
    return factors, least


_CONTROL: Final = regex(
    r"\s*- (button|textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton|dialog"
    r"|alertdialog|alert)\b(?: \"([^\"]{0,80})\")?"
)
_ADDRESS: Final = regex(r"\s*- /(?:url|placeholder): ")
OF_CONTROL: Final = 1.0
"""What a control of a page is worth at least, if no other has its name."""


def roles_of_snapshot(rows: Sequence[str]) -> Roles:
    """Raise what can be pressed or filled in, once per name; lower addresses of links."""
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    before: Counter[str] = Counter()
    for place, row in enumerate(rows):
        if control := _CONTROL.match(row):
            name = control[2] or control[1]
            least[place] = OF_CONTROL / (1 + before[name])
            before[name] += 1
        elif _ADDRESS.match(row):
            factors[place] = 0.5
    return factors, least
