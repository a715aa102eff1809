"""Parts of a plain text: every way to write some of its lines."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from math import frexp
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.encoders import marks
from mckp.encoders.hints import Counts
from mckp.menu.cuts.frontier import OptionFrontier, option_frontier
from mckp.menu.cuts.lines import parts_of, plan_of
from mckp.menu.cuts.some import TEXT, Some
from mckp.menu.cuts.worths import UNITS, weights_of_lines, worths_of_parts
from mckp.texts import outline, plain
from mckp.texts.counts import counts_of, failures_of
from mckp.weights.sums import FINEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.menu.classes import MenuClass, StretchPlan
    from mckp.menu.cuts.lines import LinePlan
    from mckp.menu.cuts.parts import Flags, Floats, Parts
    from mckp.menu.price import Prices
    from mckp.menu.weighing import Weighed
    from mckp.texts import Outline

BITS: Final = 30
"""Bits of what an option is worth."""

PLEDGE: Final = 16
"""What each pinned part is worth more, in worths of a whole text."""

SOME_GAP: Final = marks.write_gap(12, 40)
"""A mark, for the price of what may follow it."""

WHOLE: Final = 2.0**-20
"""What a text with all of its lines is worth more than one without those that are folded."""

COUNTS_WORTH: Final = (0.2, 0.12)
"""What a note on all lines is worth, as a share of the lines left out: a long one, and a short one.
Chosen so that a fifth of a text has it, and a tenth the short one (the use recall of searches and
listings hardly falls)."""

FAILURES_WORTH: Final = 0.3
"""The same of a note on lines that fail, if not all of them are kept."""

NOTE_SHARE, FAILURES_SHARE = 6, 3
"""A note has at most one token for so many of the lines that are kept: a note of 14 tokens below a
text of 40 took the place of a path or a failure."""


def _kind_line_above(source: str, reads_as: Callable[[str], str]) -> str:
    """Return what is written above a text that is cut by lines, if its first line is kept.

    It is a line that says that this is plain text. A text with a gap does not need it, unless its
    first line looks like a header of mckp, or like one that is above data.
    """
    first = marks.escape_lines(source.partition("\n")[0])
    below = f"{marks.GAP}\n", f"{{2}}\n{marks.GAP}\n"
    is_text = all(reads_as(f"{first}\n{mark}") == TEXT for mark in below)
    return "" if is_text else marks.kind_line(TEXT)


def some_lines(
    root: MenuClass, document: Weighed, prices: Prices, reads_as: Callable[[str], str]
) -> Some | None:
    """Return the options that keep some lines of a text; None if no line is worth anything.

    `reads_as` returns the kind that a reader takes a text for.
    """
    source = document.tree.source
    if not source:
        return None
    text = without_terminal_codes(source)
    own_kind = document.tree.text_kind
    outlined = outline(text, request=document.request, folds=document.folds, kind=own_kind)
    plan = plan_of(text, outlined, _kind_line_above(text, reads_as))
    weights, pinned = weights_of_lines(document, outlined, text)
    if not weights.any():
        return None
    worths = worths_of_parts(plan, weights, document.request, outlined.kind)
    is_pinned = pinned[plan.line] & (worths > 0)
    pledge = PLEDGE * UNITS if is_pinned.any() else 0.0
    parts = parts_of(plan, worths + is_pinned * pledge, prices)
    options = option_frontier(parts, is_rough=document.halving > 0)
    if text is not source and not worths.all():
        options = _with_all_parts(options, parts)
    # What is pinned is worth more than all else together, so it is in all options that count.
    option_worths = options.worth - pledge * int(is_pinned.sum())
    lacks_some = np.ones(len(option_worths), dtype=np.bool_)
    if text is source:
        for portion, sets in options.kept_by_portions():
            lacks_some[portion] = ~sets.all(axis=1)
    stays = np.flatnonzero((option_worths > 0) & lacks_some)
    options, option_worths = options.of(stays), option_worths[stays] / UNITS
    # Few bits, as a solver multiplies and adds what options are worth.
    unit = 2.0 ** max(FINEST, frexp(root.worth)[1] - BITS)
    option_worths = np.floor(option_worths * (root.worth / unit)) * unit
    some = _priced_some(
        plan, options, parts, option_worths, worths, outlined.kind, plan.total, prices
    )
    kind_line, first = marks.kind_line(TEXT), plan.written(0, 1)
    kind_cost = prices[kind_line]
    # A blank line at the beginning is one token with the end of the line above it.
    with_first = prices[kind_line + first] - prices[first]
    has_marked_line, has_first = np.zeros((2, len(options.cost)), dtype=np.bool_)
    for portion, sets in options.kept_by_portions():
        has_marked_line[portion] = plan.flag_with_marked_lines(sets)
        has_first[portion] = sets[:, 0]
    for number in np.flatnonzero(~has_marked_line).tolist():
        if reads_as(some.text(number)) != TEXT:
            some.labelled.add(number)
            some.costs[number] += with_first if has_first[number] else kind_cost
    return (
        some
        if document.halving
        else _with_notes(some, outlined, root.worth, has_marked_line, prices)
    )


def _with_notes(
    some: Some, outlined: Outline, worth: float, may_have: Flags, prices: Prices
) -> Some:
    """Return the options of a text of some worth, and the same with a note on all of its lines.

    `may_have` flags the options that may have one. Below a line without a line feed, the note does
    not end with one either.
    """
    notes = _notes(some, outlined)
    if not notes:
        return some
    plan = some.plan
    is_open, has_all = np.zeros((2, len(some.costs)), dtype=np.bool_)
    failing = np.flatnonzero(np.isin(plan.line, [*chain(*outlined.failures.values())]))
    for portion, sets in some.frontier.kept_by_portions():
        is_open[portion] = sets[:, -1]
        has_all[portion] = sets[:, failing].all(axis=1)
    if plan.text.endswith("\n"):
        is_open[:] = False
    last = plan.written(plan.size - 1, plan.size)
    feed_cost = prices[f"{last}\n"] - prices[last] if is_open.any() else 0
    left = np.maximum(worth - some.worths, 0)
    costs, worths = [some.costs], [some.worths]
    for note, (share, most) in notes.items():
        note_costs = np.where(is_open, feed_cost + prices[note], prices[f"{note}\n"])
        fits = may_have & (most * note_costs <= some.costs)
        if most == FAILURES_SHARE:
            fits &= ~has_all
        costs.append(some.costs + note_costs)
        worths.append(np.where(fits, some.worths + share * left, 0))
    return replace(
        some, notes=tuple(notes), costs=np.concatenate(costs), worths=np.concatenate(worths)
    )


def _notes(some: Some, outlined: Outline) -> dict[str, tuple[float, int]]:
    """Return the notes that a text may have, each with its worth and its share of the tokens."""
    plan = some.plan
    if plan.numbered:
        return {}
    counts = counts_of(plan.text, some.kind)
    notes: dict[str, tuple[float, int]] = {}
    failures = failures_of(plan.text, outlined.starts.tolist(), outlined.failures)
    if failures:
        head = f"{some.line_count} lines: {failures}"
        if counts:
            longer = f"{head}; {counts[0].partition(': ')[2]}"
            notes[longer] = FAILURES_WORTH + COUNTS_WORTH[1], FAILURES_SHARE
        notes[head] = FAILURES_WORTH, FAILURES_SHARE
    if counts:
        for text, worth in zip((counts[0], counts[-1]), COUNTS_WORTH, strict=True):
            notes.setdefault(text, (worth, NOTE_SHARE))
    return {str(Counts(text)): kind for text, kind in notes.items()}


def some_of_stretch(
    cls: MenuClass, stretch: StretchPlan, request: str | None, prices: Prices
) -> Some | None:
    """Return the options that keep some lines of a stretch of a text; None if none is worth it."""
    if not stretch.weights.any():
        return None
    plan = plan_of(stretch.text, stretch.outline, "")
    plan = replace(plan, first=plan.first + stretch.first, last=plan.last + stretch.first)
    worths = worths_of_parts(plan, stretch.weights, request, stretch.outline.kind)
    parts = parts_of(plan, worths, prices)
    options = option_frontier(parts, is_rough=True)
    lacks_some = np.ones(len(options.worth), dtype=np.bool_)
    for portion, sets in options.kept_by_portions():
        lacks_some[portion] = ~sets.all(axis=1)
    options = options.of(np.flatnonzero((options.worth > 0) & lacks_some))
    unit = 2.0 ** max(FINEST, frexp(cls.worth)[1] - BITS)
    option_worths = np.floor(options.worth / UNITS * (cls.worth / unit)) * unit
    kind, total = stretch.outline.kind, stretch.total
    return _priced_some(plan, options, parts, option_worths, worths, kind, total, prices)


def _priced_some(
    plan: LinePlan,
    options: OptionFrontier,
    parts: Parts,
    option_worths: Floats,
    worths: Floats,
    kind: str,
    line_count: int,
    prices: Prices,
) -> Some:
    """Return options of lines with their costs, where some gaps say more than their lines."""
    costs, shares = options.cost.copy(), worths / worths.sum()
    gap = marks.GAP if plan.numbered else SOME_GAP
    fold_cost, gaps_cost = (
        prices[f"{gap}{more}\n"] - prices[f"{gap}\n"] for more in (marks.ALIKE, marks.WITH_GAPS)
    )
    if plan.old_gaps.any():
        for portion, sets in options.kept_by_portions():
            costs[portion] += plan.count_gaps_over_gaps(sets) * gaps_cost
    if options.sets is None:
        costs += plan.count_nested_folds(options.rank, len(costs)) * fold_cost
    else:
        costs += plan.count_folds(options.sets) * fold_cost
    tokens = parts.cost
    return Some(plan, options, tokens, costs, option_worths, shares, kind, set(), line_count)


def _with_all_parts(options: OptionFrontier, parts: Parts) -> OptionFrontier:
    """Return the options, and one with all parts, even those worth nothing.

    So a text that fits only without its colour codes can be written whole, too.
    """
    sets = np.concatenate((options.all_kept(), np.ones((1, parts.size), dtype=np.bool_)))
    cost, worth = parts.price_sets(sets[-1:])
    costs = np.append(options.cost, cost)
    worths = np.append(options.worth, worth + UNITS * WHOLE)
    return OptionFrontier(costs, worths, sets, np.zeros(0, dtype=np.int64))


def without_terminal_codes(source: str) -> str:
    """Return a text without terminal codes, or the text itself if nothing else is in it."""
    cleaned = plain(source)
    return source if cleaned.is_source or not cleaned.text.strip() else cleaned.text
