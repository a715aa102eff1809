"""Factors for the lines of test reports, set by rule, not fitted.

A reader of a failed run wants one message of each failure before a second line of any. So the first
message of each failure has a minimum worth, and the output of the tests counts little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
_SECTION: Final = regex(r"_{3,} .* _{3,}$")
_CAPTURED: Final = regex(r"-{3,} ?Captured .* ?-{3,}$")
_TITLE: Final = regex(
    r"={3,} ?(?:FAILURES|ERRORS|test session starts|short test summary info) ?=+$"
)
_SUMMED: Final = regex(r"(?:FAILED|ERROR) (\S+)(?: - (.*))?")
_PROGRESS: Final = regex(r"(\S+) (?:FAILED|ERROR) +\[ *\d+%\]$")
_MESSAGE: Final = regex(r"E {2,}(?=\S)")
_REMARK: Final = regex(r"E {2,}(?:Omitting \d|Full diff|\.\.\.|Use -v|Differing items:)")
_AGAIN: Final = "Summary of all failing tests"
_CONSOLE: Final = regex(r"  +console\.(?:log|info|debug|trace|dir|table|warn|error)(?: .*)?$")
_FRAME: Final = regex(r"\s+at \S")
_TAP: Final = regex(r"\s*(not )?ok \d+\b")
_TAP_TITLE: Final = regex(r"\s*# \S")
_TAP_VALUE: Final = regex(r"\s+(?:expected|actual|wanted|found|error|message): *\S")
_BY_WORKER: Final = regex(r"\[gw\d+\] \[ *\d+%\] (\w+) (\S+)")
_BEGUN: Final = regex(r"(\S+::\S+) ?$")
_LEVEL: Final = regex(
    r".{0,60}?(?:\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING)\b"
    r"|\blevel=(?:trace|debug|info|warn|warning)\b)"
)


def run_roles(rows: Sequence[str]) -> Roles:
    """Return a factor and a minimum worth for each row of a test report."""
    factors, least = [1.0] * len(rows), [0.0] * len(rows)
    for rule in (
        _rate_go_tests,
        _rate_pytest,
        _rate_workers,
        _rate_tap,
        _rate_consoles,
        _rate_summaries,
    ):
        rule(rows, factors, least)
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


def _rate_pytest(rows: Sequence[str], factors: list[float], least: list[float]) -> None:
    """Set the factors and minimum worths of the rows that pytest writes, in place."""
    summarized = {match[1] for row in rows if (match := _SUMMED.match(row))}
    is_new = False  # whether the message of this failure is still to come
    is_captured = False
    for place, row in enumerate(rows):
        if _SECTION.match(row):
            is_new, is_captured = True, False
        elif _CAPTURED.match(row):
            factors[place], is_captured = 0.2, True
        elif _TITLE.match(row):
            factors[place], is_captured = 0.1, False
        elif (row[:1] == "E" and not row[1:].strip()) or _REMARK.match(row):
            factors[place] = 0.02
        elif is_new and _MESSAGE.match(row):
            least[place], is_new = MESSAGE, False
        elif (progress := _PROGRESS.match(row)) and progress[1] in summarized:
            factors[place] = 0.2
        elif is_captured:
            factors[place] = 0.3


def _rate_workers(rows: Sequence[str], factors: list[float], _least: list[float]) -> None:
    """Lower the factors of what pytest-xdist writes when a test begins, or ends well, in place."""
    outcomes = {match[2]: match[1] for row in rows if (match := _BY_WORKER.match(row))}
    for place, row in enumerate(rows) if outcomes else ():
        by_worker = _BY_WORKER.match(row)
        if by_worker is not None:
            factors[place] = 0.2 if by_worker[1] in ("FAILED", "ERROR") else 0.02
        elif begin := _BEGUN.match(row):
            factors[place] = 0.02 if begin[1] in outcomes else 1.0


def _rate_tap(rows: Sequence[str], factors: list[float], least: list[float]) -> None:
    """Lower the titles of TAP tests that passed, and raise the values of those that failed.

    Factors and minimum worths are changed in place.
    """
    is_failure = False
    for place, row in enumerate(rows):
        if outcome := _TAP.match(row):
            is_failure = outcome[1] is not None
            if not is_failure and place and _TAP_TITLE.match(rows[place - 1]):
                factors[place - 1] = 0.02
        elif is_failure and _TAP_VALUE.match(row):
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


def _rate_consoles(rows: Sequence[str], factors: list[float], _least: list[float]) -> None:
    """Lower the factors of what tests print in jest and vitest, in place.

    Such output goes from its title to the stack frame that printed it.
    """
    factor = 1.0
    for place, row in enumerate(rows):
        if _CONSOLE.match(row):
            factor = 0.3 if ".error" in row or ".warn" in row else 0.05
        elif row[:1].strip():
            factor = 1.0
        factors[place] *= factor
        if _FRAME.match(row):
            factor = 1.0
