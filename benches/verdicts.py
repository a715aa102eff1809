"""What earlier claims are worth, from what the benches have stored.

    python benches/verdicts.py [--json OUT]

reads shapes.json and use-recall.json. A claim of so much
*holds* where the interval of 95 % is not below it, *fails* where all of the interval is, and is
*undecided* else. A claim that was made without saying beside what is judged beside each.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nodes import PRETTY, WHOLE
from solver_figures import show, store, stored

from mckp.accuracy.paired import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HOLDS, FAILS, OPEN = "holds", "fails", "undecided"
FINDING: Final = ("what", "found", "interval", "claimed", "verdict")
SETS: Final = ("samples", "responses", "all")


@dataclass(frozen=True, slots=True)
class Finding:
    """One number beside a claim.

    Attributes
    ----------
    what : str
        What was measured, on what.
    found : float
        The number.
    interval : tuple of float
        Its interval of 95 %.
    claimed : float
        At least so much was claimed.
    verdict : str
        ``holds``, ``fails`` or ``undecided``.
    source : str
        The file of results.
    """

    what: str
    found: float
    interval: tuple[float, float]
    claimed: float
    verdict: str
    source: str


def judged(
    label: str, figure: float, interval: Sequence[float], claimed: float, source: str
) -> Finding:
    """Return a number with its verdict.

    Examples
    --------
    >>> [judged("x", 0.5, ends, 0.6, "").verdict for ends in ((0.6, 0.7), (0.4, 0.7), (0.4, 0.5))]
    ['holds', 'undecided', 'fails']
    """
    low, high = interval
    verdict = HOLDS if low >= claimed else FAILS if high < claimed else OPEN
    return Finding(
        label, round(figure, 4), (round(low, 4), round(high, 4)), claimed, verdict, source
    )


def overall(findings: Iterable[Finding]) -> str:
    """Return what findings say together."""
    verdicts = {finding.verdict for finding in findings}
    if verdicts == {HOLDS}:
        return HOLDS
    if verdicts in ({FAILS}, {OPEN}):
        return FAILS if FAILS in verdicts else OPEN
    return "depends on the data and on the baseline" if HOLDS in verdicts else "fails or is open"


def _savings(shape: str, format_: str, base: str, claimed: float, results: Any) -> list[Finding]:
    """Return what a format saves on parts of a shape, set by set."""
    findings: list[Finding] = []
    for name in SETS:
        entry = results["sets"].get(name, {}).get(shape, {}).get(f"to {base}", {}).get(format_)
        if entry:
            low, high = entry["interval"]
            label = f"{shape}, {format_} beside {base}, {name}"
            ends = (1 - high, 1 - low)
            findings.append(judged(label, 1 - entry["ratio"], ends, claimed, "shapes.json"))
    return findings


def reduction(shapes: Any) -> list[Finding]:
    """Judge "60-75 % fewer tokens than JSON"."""
    ways = [
        (shape, name, base)
        for shape in (WHOLE, "array of objects")
        for name in ("mckp standard", "mckp native", "mckp dense")
        for base in ("json", PRETTY)
    ]
    return [
        finding
        for shape, name, base in ways
        for finding in _savings(shape, name, base, 0.6, shapes)
    ]


def optimal_csv(shapes: Any) -> list[Finding]:
    """Judge "CSV is optimal for arrays of objects": it would be the smallest for each."""
    findings: list[Finding] = []
    for key in ("smallest of plain formats", "smallest of all that lose nothing"):
        for name in SETS:
            entry = shapes["sets"].get(name, {}).get("array of objects")
            if entry:
                share, parts = entry[key].get("csv", 0.0), entry["parts"]
                label = f"arrays of objects for which csv is the {key}, {name}"
                ends = wilson(round(share * parts), parts)
                findings.append(judged(label, share, ends, 1.0, "shapes.json"))
    return findings


def flat_objects(shapes: Any) -> list[Finding]:
    """Judge "more than 75 % for flat objects as key/value"."""
    ways = [(name, base) for name in ("kv", "mckp native") for base in ("json", PRETTY)]
    return [
        finding
        for name, base in ways
        for finding in _savings("flat object", name, base, 0.75, shapes)
    ]


def binary(results: Any) -> list[Finding]:
    """Judge "more is left than by the binary knapsack at an equal budget"."""
    return [
        judged(
            f"use recall beside {name.partition(',')[0]} at {float(share):.0%} of the tokens",
            entry["behind"]["difference"],
            entry["behind"]["interval"],
            0.0,
            "use-recall.json",
        )
        for share, by_rival in results["shares"].items()
        for name, entry in by_rival.items()
        if name.startswith("binary")
    ]


def claims() -> list[dict[str, Any]]:
    """Return each claim with its findings."""
    shapes, used = (stored(f"{name}.json") for name in ("shapes", "use-recall"))
    judged_claims = {
        "60-75 % fewer tokens than JSON": reduction(shapes),
        "at less than 3 points of accuracy": [],
        "CSV is optimal for arrays of objects": optimal_csv(shapes),
        "more than 75 % for flat objects as key/value": flat_objects(shapes),
        "more than the binary knapsack at an equal budget": binary(used),
    }
    return [
        {
            "claim": claim,
            "verdict": overall(findings) if findings else "not measured: no model was asked",
            "counts": {v: [f.verdict for f in findings].count(v) for v in (HOLDS, FAILS, OPEN)},
            "findings": [asdict(finding) for finding in findings],
        }
        for claim, findings in judged_claims.items()
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge."""
    parser = argparse.ArgumentParser(description="Judge earlier claims by what is stored.")
    parser.add_argument("--json", type=Path, help="also write the verdicts here")
    options = parser.parse_args(arguments)
    verdicts = claims()
    for claim in verdicts:
        show(f"{claim['claim']}: {claim['verdict']}", claim["findings"], *FINDING)
    store(options.json, {"claims": verdicts})
    return 0


if __name__ == "__main__":
    sys.exit(main())
