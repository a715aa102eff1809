"""Factors for the lines of test reports, set by rule, not fitted.

A reader of a failed run wants one message of each failure before a second line of any. So the first
message of each failure has a minimum worth, and the output of the tests counts little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.failure import LEVELS
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.texts.lines import Roles

MESSAGE: Final = 6.0
"""Minimum worth of the first message of a failure."""

GO_STEP: Final = regex(r"=== (?:RUN|PAUSE|CONT|NAME) +(\S+)$")
_GO_OUTCOME: Final = regex(r" *--- (FAIL|PASS|SKIP): (\S+)")
GO_SAID: Final = regex(r" +[\w./-]+_test\.go:\d+:")
_REPEATS: Final = regex(r"\s+(?:Error Trace|Test):\s")
_COMPARED: Final = regex(r"\s+(?:expected|actual)\s*: ")
_AGAIN: Final = "Summary of all failing tests"
_CALM: Final = "|".join(f"{LEVELS['info']} {LEVELS['warn']}".split())
_LEVEL: Final = regex(rf".{{0,60}}?(?:\b(?:{_CALM})\b|\blevel=(?:{_CALM.lower()})\b)")


def run_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of a report of Go's tests or of jest.

    What other programs write is rated by the rules of ``kinds.toml``.
    """
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    _rate_go_tests(rows, factors, least)
    _rate_summaries(rows, factors, least)
    return factors, least


def _rate_go_tests(rows: Sequence[str], factors: list[float], least: list[float]) -> None:
    """Set the factors and minimum worths of the rows that Go's tests write, in place."""
    outcomes = {match[2]: match[1] for row in rows if (match := _GO_OUTCOME.match(row))}
    if not outcomes:
        return
    test = ""
    is_new = True  # whether the message of this test is still to come
    for place, row in enumerate(rows):
        if step := GO_STEP.match(row):
            factors[place] = 0.02
            test, is_new = step[1], True
        elif outcome := _GO_OUTCOME.match(row):
            is_new = is_new or outcome[2] != test
            test = outcome[2]
        elif GO_SAID.match(row):
            failed = outcomes.get(test) == "FAIL"
            factors[place] = 1.0 if failed else 0.1
            if failed and not row.rstrip().endswith(":"):
                least[place] = MESSAGE if is_new else 0.8
                is_new = False
        elif _LEVEL.match(row):
            factors[place] = 0.2 if outcomes.get(test) == "FAIL" else 0.05
        elif _REPEATS.match(row):
            factors[place] = 0.2
        elif _COMPARED.match(row):
            least[place] = MESSAGE / 2


def _rate_summaries(rows: Sequence[str], factors: list[float], least: list[float]) -> None:
    """Lower the factors of the failures that jest repeats at the end, in place."""
    if _AGAIN not in rows:
        return
    start = rows.index(_AGAIN)
    earlier_rows = set(rows[:start])
    for place in range(start, len(rows)):
        if rows[place] in earlier_rows:
            factors[place], least[place] = 0.1 * factors[place], 0.0
