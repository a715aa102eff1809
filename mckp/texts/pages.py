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
"""Number of actions of one kind after which the worth of the next one is halved."""


def plan_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of a plan of changes.

    Minimum worths raise what is destroyed or replaced, and the totals; then what changes. Factors
    lower the rest.
    """
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    action_counts: Counter[str] = Counter()
    for place, row in enumerate(rows):
        if action := _ACTION.match(row):
            share = 1 / (1 + action_counts[action[1]] / FADING)
            least[place] = 4.0 if action[1] in _LOSSES else 1.5 * share
            action_counts[action[1]] += 1
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
CONTROL_WORTH: Final = 1.0
"""Minimum worth of the first control of a page with a given name."""


def snapshot_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of a page snapshot.

    Minimum worths raise what can be pressed or filled in, most of all the first of each name.
    Factors lower the addresses of links.
    """
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    name_counts: Counter[str] = Counter()
    for place, row in enumerate(rows):
        if control := _CONTROL.match(row):
            name = control[2] or control[1]
            least[place] = CONTROL_WORTH / (1 + name_counts[name])
            name_counts[name] += 1
        elif _ADDRESS.match(row):
            factors[place] = 0.5
    return factors, least
