"""Factors for the lines of build reports, set by rule, not fitted.

A build usually ends with one error, which is repeated by each tool that called the one that failed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.regexes import regex
from mckp.texts.findings import finding_roles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.texts.lines import Roles

_PREFIX: Final = regex(r"npm (?:error|ERR!|warn|WARN)\s*$")
_FOLLOWS: Final = regex(
    r"compilation terminated\.|make(?:\[\d+\])?: (?:Target .* not remade|Failed to remake)"
    r"|ninja: build stopped|\s*(?:note|hint): (?:This error originates|See above|This is an issue)"
    r"|npm (?:error|ERR!) For a full report|\s*\[end of output\]"
)
_FAILED: Final = regex(r".{0,60}?\b[Ff]ail(?:ed|ure)?\b.{0,60}\b(?:build|building|wheels?)\b")


def build_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of a build report.

    They are those of `finding_roles`, but lines that repeat a failure or follow from it are lower.
    """
    factors, least = finding_roles(rows)
    failure_count = 0  # how often it was said that the build failed
    for place, row in enumerate(rows):
        if _PREFIX.match(row):
            factors[place] = 0.02
        elif _FOLLOWS.match(row):
            factors[place] *= 0.1
        elif _FAILED.match(row):
            factors[place] /= 1 + failure_count
            failure_count += 1
    return factors, least
