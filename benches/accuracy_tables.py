"""The tables of `benches/README.md` about reading: accuracy, shapes, damage, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nodes import FORMATS
from solver_figures import stored
from table_text import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

_COUNTS: Final = ("asked", "answerable", "lucky", "unknown", "misled")


def oracle() -> str:
    """Return what the oracle made of each way to write."""
    found = stored("accuracy.json")["oracle"]["ways"]
    rows = [
        [way, f"{own['tokens']:,}", *(f"{own[key]:,}" for key in _COUNTS), f"{own['share']:.3f}"]
        for way, own in found.items()
    ]
    return markdown(["way", "tokens", *_COUNTS, "right"], rows)


def shapes() -> str:
    """Return the ratio to compact JSON of each format, by shape."""
    found = stored("shapes.json")["sets"]["all"]
    rows = [
        [name, *(_ratio(own["to json"].get(name)) for own in found.values())] for name in FORMATS
    ]
    heads = [f"{shape} ({own['parts']})" for shape, own in found.items()]
    return markdown(["format", *heads], rows)


def _ratio(own: dict[str, Any] | None) -> str:
    if own is None:
        return ""
    taken = "" if own["takes"] >= 0.995 else f" ({own['takes']:.0%})"
    return f"{own['ratio']:.3f}{taken}"


def damage() -> str:
    """Return what readers notice of damage."""
    found = stored("damage.json")["ways"]
    heads = next(iter(found.values()))
    return markdown(["way", *heads], [[way, *own.values()] for way, own in found.items()])


def verdicts() -> str:
    """Return what became of each claim, with the first of its findings on all data."""
    rows = [
        [
            each["claim"],
            each["verdict"],
            *(str(each["counts"][name]) for name in ("holds", "fails", "undecided")),
        ]
        for each in stored("verdicts.json")["claims"]
    ]
    return markdown(["claim", "verdict", "holds", "fails", "undecided"], rows)


def findings() -> str:
    """Return the numbers that the verdicts rest on, of all data together."""
    rows = [
        [
            each["claim"],
            own["what"].removesuffix(", all"),
            f"{own['found']:.1%}",
            f"{own['interval'][0]:.1%} to {own['interval'][1]:.1%}",
            own["verdict"],
        ]
        for each in stored("verdicts.json")["claims"]
        for own in each["findings"]
        if own["source"] != "shapes.json" or own["what"].endswith(", all")
    ]
    return markdown(["claim", "what", "found", "95 %", "verdict"], rows)


TABLES: Final[dict[str, Callable[[], str]]] = {
    "accuracy": oracle,
    "shapes": shapes,
    "damage": damage,
    "verdicts": verdicts,
    "findings": findings,
}
