"""Views of a pack: what each document got, the curve of budgets, answers, and HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.display.blocks import CUT, Bar, BarPart, bars, colour
from mckp.display.curve import BudgetCurve
from mckp.errors import BudgetError
from mckp.menu.render import elisions, kept_worth
from mckp.packing.joined import UNITS, body
from mckp.packing.result import MORE, PackResult, Share
from mckp.recall import LinesAnswer, answered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mckp.packing.items import Item
    from mckp.packing.joined import Taken
    from mckp.packing.packed import Packed

SAMPLES: Final = 20
"""The number of budgets of a curve."""


def states(packed: Packed, taken: Sequence[Taken]) -> dict[str, str]:
    """Return the state of each document, in the given order."""
    by_name: dict[str, str] = {}
    for item, decision in zip(packed.items, taken, strict=True):
        by_name[item.name] = _state(item, decision)
        by_name |= dict.fromkeys(item.equals, "same")
    return {name: by_name[name] for name in packed.names}


def _state(item: Item, taken: Taken) -> str:
    """Return the state of a document, as in `Share.state`."""
    if taken.pick is None:
        return "named" if taken.is_named else "skipped"
    is_cut = any(elisions(taken.pick, item.priced.prices, item.priced.menu))
    return "cut" if is_cut else "whole"


def shares(packed: Packed, taken: Sequence[Taken], budget: int | None) -> list[Share]:
    """Return what each document got, in the given order."""
    by_name: dict[str, Share] = {}
    closed, count = packed.closed(budget), packed.tokenizer.count
    for number, (item, decision) in enumerate(zip(packed.items, taken, strict=True)):
        if number in closed:
            share = Share(item.name, _state(item, decision), 0, count(item.source), 0.0, 0.0)
        else:
            share = _share(packed, item, decision)
        by_name[item.name] = share
        for name in item.equals:
            by_name[name] = Share(name, "same", 0, share.of, share.kept, 0.0)
    return [by_name[name] for name in packed.names]


def _share(packed: Packed, item: Item, taken: Taken) -> Share:
    """Return what a document got, and what `MORE` more tokens would add."""
    priced, count = item.priced, packed.tokenizer.count
    root = priced.menu.root
    total = root.worth or 1
    whole_tokens = packed.prices.tokens(packed.prices.whole_cost(root))
    state, tokens, kept = _state(item, taken), 0, 0.0
    if taken.pick is not None:
        tokens, kept = count(body(item, taken.pick)), kept_worth(taken.pick) / total
    if state == "whole":
        return Share(item.name, state, tokens, tokens, 1.0, 0.0)
    if tokens + MORE >= whole_tokens:
        return Share(item.name, state, tokens, whole_tokens, kept, 1 - kept)
    solution = packed.solver(priced.tabulated.table, (tokens + MORE) * packed.prices.scale)
    best_kept = float(solution.value) / total
    return Share(item.name, state, tokens, whole_tokens, kept, max(0.0, best_kept - kept))


def curve(packed: Packed, budget: int | None) -> BudgetCurve:
    """Return the most worth within sample budgets, each solved separately."""
    largest = packed.chosen(None).tokens
    try:
        smallest = packed.chosen(0).tokens
    except BudgetError as error:
        smallest = min(error.floor, largest)
    span = largest - smallest
    budgets = sorted({smallest + span * index // (SAMPLES - 1) for index in range(SAMPLES)})
    rows = list[tuple[int, float, int]]()
    for limit in budgets:
        try:
            choice = packed.chosen(limit)
        except BudgetError:  # counts do not always add up
            continue
        rows.append((limit, choice.value / UNITS, choice.tokens))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    note = f"{len(rows)} budgets from {smallest} to {largest}, one by one"
    total = packed.joined.total / UNITS
    return BudgetCurve(columns[0], columns[1], columns[2], total, budget, note)


def answer_about(item: Item, question: Mapping[str, Any]) -> Any:
    """Return the answer to a question about a document, or without a question the document."""
    if not question:
        original = item.priced.document.given
        return original.value if original.is_json else original
    tree = item.priced.document.original or item.priced.document.tree
    document = tree.value if tree.is_json else tree
    answer = answered(document if tree.is_json else tree.source_text, question)
    return [line.text for line in answer.lines] if isinstance(answer, LinesAnswer) else answer.value


def notebook_page(result: PackResult) -> str:
    """Return the HTML that a notebook shows for a pack: a bar for each document, and the text."""
    rows: list[Bar] = []
    for share in result.shares():
        sent_part = BarPart(f"{share.tokens} tokens", share.tokens, colour("rows"))
        missing_part = BarPart(
            f"{share.of - share.tokens} more", max(0, share.of - share.tokens), CUT
        )
        parts = [part for part in (sent_part, missing_part) if part.amount]
        gain_note = f"{MORE} more would add {share.gain:.0%} of its worth"
        figure = f"{share.state}, {share.tokens:,} of {share.of:,}"
        rows.append(Bar(share.name, parts, figure, gain_note if share.gain >= 0.005 else ""))
    limit = "no budget" if result.budget is None else f"budget {result.budget}"
    head = f"{result.tokens} tokens ({limit}), {result.status}"
    style = "max-height:27em;overflow:auto;line-height:1.35;white-space:pre-wrap"
    text = f"<pre style='{style}'>{escape(result.text)}</pre>"
    return f"<div><p>{escape(head)}</p>{bars('tokens by document', rows)}{text}</div>"
