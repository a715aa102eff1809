"""The tables of `benches/README.md` about reading: accuracy, shapes, follow-ups, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nodes import FORMATS
from solver_figures import shown, stored
from table_text import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

_COUNTS: Final = ("asked", "sure", "agreed", "answerable", "lucky", "unknown", "misled")


def oracle() -> str:
    """Return what the oracle made of each way to write."""
    found = stored("accuracy.json")["oracle"]["ways"]
    rows = [
        [way, f"{own['tokens']:,}", *(f"{own[key]:,}" for key in _COUNTS), f"{own['share']:.3f}"]
        for way, own in found.items()
    ]
    return markdown(["way", "tokens", *_COUNTS, "right"], rows)


def local() -> str:
    """Return what a small model made of each way to write, with the floors below."""
    found = stored("accuracy-local.json")
    beside = {each["way"]: each for each in found["report"]["beside"]}
    rows = [
        [
            own["way"],
            f"{own['tokens']:,}",
            f"{own['share']:.1%}",
            f"{own['interval'][0]:.1%} to {own['interval'][1]:.1%}",
            *(_of(own["kinds"][kind]) for kind in own["kinds"]),
            _points(beside.get(own["way"])),
        ]
        for own in found["report"]["lines"]
    ]
    floor = found["constant reply"]
    kinds = (_of(own) for own in floor["kinds"].values())
    rows.append(["best constant reply", "0", f"{floor['share']:.1%}", "", *kinds, ""])
    heads = ["way", "tokens", "right", "95 %", *floor["kinds"], "more than json, in points"]
    return markdown(heads, rows)


def _of(own: Any) -> str:
    right, asked = own
    return f"{right}/{asked}"


def binary() -> str:
    """Return how many questions are answered within a budget."""
    found = stored("accuracy.json")["beside binary"]
    rows = [
        [f"{float(share):.0%}", name, f"{own['right'][name]:.3f}", _points(own["beside"].get(name))]
        for share, own in found.items()
        for name in own["right"]
    ]
    return markdown(["budget", "rule", "answered", "more than binary, in points"], rows)


def _points(own: dict[str, Any] | None) -> str:
    if own is None:
        return ""
    low, high = own["interval"]
    return f"{100 * own['difference']:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"


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


def costs() -> str:
    """Return the ratio of each format on whole documents, by tokenizer and baseline."""
    found = stored("cost-table.json")["tokenizers"]
    columns = [
        (name, base, own["shapes"]["whole document"]["to"][base])
        for name, own in found.items()
        for base in own["shapes"]["whole document"]["to"]
    ]
    heads = [f"{name}, to {base}" for name, base, _ in columns]
    rows = [[name, *(_ratio(own.get(name)) for *_, own in columns)] for name in FORMATS]
    return markdown(["format", *heads], rows)


def followups() -> str:
    """Return how often agents ask again, and how often they are right."""
    found = stored("followups.json")["budgets"]
    rows = [
        [
            budget,
            agent,
            f"{mean['asked again']:.1%}",
            shown(mean["calls"]),
            shown(mean["tokens"]),
            f"{mean['right']:.1%}",
            *(_saved(own["fewer calls"].get(agent, {}).get(o)) for o in ("wary", "trusting")),
        ]
        for budget, own in found.items()
        for agent, mean in own["agents"].items()
    ]
    heads = ["budget", "agent", "asked again", "calls", "tokens", "right"]
    return markdown([*heads, "calls saved beside wary", "beside trusting"], rows)


def _saved(own: dict[str, Any] | None) -> str:
    if own is None or own["share"] is None:
        return ""
    low, high = own["interval"]
    return f"{own['share']:.1%} ({low:.1%} to {high:.1%})"


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
    "accuracy_local": local,
    "accuracy_binary": binary,
    "shapes": shapes,
    "costs": costs,
    "followups": followups,
    "damage": damage,
    "verdicts": verdicts,
    "findings": findings,
}
