"""What the lines of a text are worth: by their outline, a request, and weights of a caller."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.menu.cuts.pieces import piece_factors
from mckp.regexes import regex
from mckp.texts import TextKind
from mckp.texts.alike import FOLDED_SHARE
from mckp.texts.records import record
from mckp.texts.worth import UNIT
from mckp.weights.fading import CHARACTERS, fade
from mckp.weights.leaves import leaves, own_lines
from mckp.weights.queries import CLEARLY, NEIGHBOUR, line_factors
from mckp.weights.repeated import SEEN, pieces
from mckp.weights.surroundings import with_surroundings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.menu.cuts.lines import LinePlan
    from mckp.menu.cuts.parts import Flags, Floats, Ints
    from mckp.menu.weighing import Weighed
    from mckp.texts import Outline

UNITS: Final = 2.0**32
"""The worth of a whole text, in the whole numbers in which its lines are weighed."""

_SENTENCE: Final = regex(
    r"\s*+[\"'“(]*+(?=[A-Z0-9].{0,200}?[a-z] [a-z]{1,20}+ [a-z]).{25,}[.!?][\"'”)\s]*+\Z"
)

SENTENCES: Final = 0.6
"""A text is an article if this share of its lines are sentences."""

LEAST_SENTENCES: Final = 4
"""Fewest lines of an article."""

SMALLEST: Final = 2.0**-30
"""What a line that says nothing is worth, as a share: it is kept if there is room."""


def weights_of_lines(document: Weighed, outlined: Outline, text: str) -> tuple[Floats, Flags]:
    """Return the weights of the lines of a text, and flags of pinned lines.

    Each leaf of the document divides its weight among its lines that are not blank: by their worths
    in the outline, or evenly if other weights than the default are asked for. Lines that match the
    reader's request weigh more, and lines that another document has weigh less, as do folded lines,
    unless they match. All lines fade if the document has a `halving`.
    """
    size = len(outlined.starts) - 1
    starts = outlined.starts.tolist()
    is_text = _flag_text(outlined, text)
    # A line of no block, such as where a link leads, weighs one, as a line of a block does.
    weights = is_text.copy() if document.by_line else np.zeros(size)
    pinned = np.zeros(size, dtype=np.bool_)
    leaf_weights = document.weights
    for number, leaf in enumerate(leaves(document.tree)):
        first, end = own_lines(leaf.value)
        lines = slice(first, min(end, size))
        leaf_worth = leaf.facts if leaf_weights is None else leaf_weights.of(number, 1)
        weights[lines] = is_text[lines] * (leaf_worth / max(1.0, float(is_text[lines].sum())))
        pinned[lines] = leaf_weights is not None and leaf_weights.is_pinned(number, 1)
    asked = request_factors(outlined, text, document.request, document.halving)
    if document.by_line:
        weights = times_worths(weights, outlined, text, asked, pinned)
    else:
        weights *= asked
    if document.seen:
        is_seen = [document.seen.issuperset(pieces(text[a:b])) for a, b in pairwise(starts)]
        weights *= np.where(is_seen, SEEN, 1.0)
    if document.halving:
        weights = fade(weights, np.diff(outlined.starts) / CHARACTERS, document.halving)
    return weights, pinned


def times_worths(
    weights: Floats, outlined: Outline, text: str, asked: Floats, pinned: Flags | None = None
) -> Floats:
    """Return the weights of lines, times what the lines are worth by their outline.

    Lines that match the reader's request weigh more, by their factor in `asked`. Folded lines weigh
    less, and heads that say nothing weigh nothing, unless they match or are `pinned`.
    """
    is_text = _flag_text(outlined, text)
    if outlined.worths.any():
        line_worths: Floats = outlined.worths.astype(np.float64)
        is_calm = outlined.worths.max() < UNIT  # no line reports a failure or sums up
        if outlined.kind == TextKind.PROSE and is_calm and _is_of_sentences(text):
            line_worths = _sentence_worths(is_text, is_asked=bool((asked != 1).any()))
        weights = weights * np.maximum(line_worths / line_worths.max(), SMALLEST)
    weights = weights * asked
    is_head = np.zeros(len(weights), dtype=np.bool_)
    is_head[outlined.heads[(outlined.heads >= 0) & (is_text > 0)]] = True
    is_spare = asked <= 1
    if pinned is not None:
        is_spare &= ~pinned
    weights[is_spare & is_head & (outlined.worths == 0)] = 0
    weights[is_spare & outlined.folded] *= FOLDED_SHARE
    return weights


def _flag_text(outlined: Outline, text: str) -> Floats:
    """Return 1 for each line that is not blank, else 0."""
    starts = outlined.starts.tolist()
    return np.array([bool(text[a:b].strip()) for a, b in pairwise(starts)], dtype=np.float64)


def request_factors(
    outlined: Outline, text: str, request: str | None, halving: float = 0.0
) -> Floats:
    """Return a factor for each line, by what the reader asks; 1 for all if nothing matches."""
    if not request:
        return np.ones(len(outlined.starts) - 1)
    texts = [text[a:b] for a, b in pairwise(outlined.starts.tolist())]
    factors = line_factors(texts, request)
    if halving:
        factors = with_surroundings(factors, halving)
    asked = np.array(factors, dtype=np.float64)
    kind = record(outlined.kind)
    if kind.blocks:
        asked = _block_factors(asked, outlined.heads)
    return _event_factors(asked, texts, kind.event) if kind.event else asked


def _event_factors(factors: Floats, lines: Sequence[str], begins: str) -> Floats:
    """Return the factors of lines, each at least a share of the best one of its event.

    An event begins with the line that `begins` so, such as a commit of a history.
    """
    event = np.cumsum([line.startswith(begins) for line in lines])
    best = np.zeros(len(lines) + 1)
    np.maximum.at(best, event, factors)
    shared: Floats = NEIGHBOUR * best[event]
    return np.maximum(factors, shared)


OF_BLOCK: Final = 0.1
"""The share of the factor of its head that a line of such a block gets."""

LARGE_BLOCK: Final = 40
"""Most lines of such a block: of a larger one, a question wants a part."""


def _block_factors(factors: Floats, heads: Ints) -> Floats:
    """Return the factors of lines; those below a head that is clearly asked for get a share."""
    sizes = np.bincount(heads[heads >= 0], minlength=len(heads))
    is_asked = (factors >= CLEARLY) & (sizes <= LARGE_BLOCK)
    of_head = np.where((heads >= 0) & is_asked[heads], OF_BLOCK * factors[heads], 0.0)
    return np.asarray(np.maximum(factors, of_head))


def _is_of_sentences(text: str) -> bool:
    """Whether a text has at least `LEAST_SENTENCES` lines and most are sentences."""
    lines = [line for line in text.split("\n") if line.strip()]
    sentences = sum(_SENTENCE.match(line) is not None for line in lines)
    return len(lines) >= LEAST_SENTENCES and sentences >= SENTENCES * len(lines)


def _sentence_worths(is_text: Floats, *, is_asked: bool) -> Floats:
    """Return the worths of an article's lines: the first are worth most.

    All are worth the same if the reader asks for some of them (`is_asked`).
    """
    if is_asked:
        return is_text
    number = np.cumsum(is_text) - is_text
    worths: Floats = is_text / (1 + number / max(LEAST_SENTENCES, float(is_text.sum()) / 3))
    return worths


def worths_of_parts(
    plan: LinePlan, weights: Floats, request: str | None = None, kind: str = TextKind.PROSE
) -> Floats:
    """Return the worths of parts in whole numbers, which add up to about `UNITS`.

    `weights` are those of lines. A piece of a long line has the weight of the line, since what a
    reader uses of the line is in one of its pieces, times a factor (`mckp.menu.cuts.pieces`).
    """
    part_weights = weights[plan.line] * piece_factors(plan, kind, request)
    worths: Floats = np.floor(part_weights * (UNITS / max(1e-300, float(part_weights.sum()))))
    return np.maximum(worths, part_weights > 0)
