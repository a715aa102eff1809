r"""What nearly equal documents have in common, so that a pack does not pay for it twice.

Texts are compared by their *pieces* (lines and sentences), data by their leaves. If most of a
document is also in another one that is worth at least as much, the two are *nearly the same*: what
they have in common gets only `SEEN` of its weight in the first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.jsontext import dump
from mckp.regexes import regex
from mckp.tree import TreeNode
from mckp.weights.leaves import leaves
from mckp.weights.models import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.weights.leaves import Leaf

SEEN: Final = 0.05
"""What is left of the weight of what another document says in the same words."""

NEARLY: Final = 0.7
"""The share of a document that is in another one, from which on it is nearly the same."""

SHORTEST: Final = 8
"""Characters of a piece at least: a brace or *else:* says nothing of where it comes from."""

LONGER: Final = 1.25
"""A document that is so many times as long, and has most of an earlier one, is not its repeat."""

MOST: Final = 20
"""Documents with the same piece that are looked at, those of the highest rank."""

_END: Final = regex(r"\n\s*|(?<=[.!?;])\s+")


class Seen(NamedTuple):
    """The parts of a document that another document has too, and the share that it has not."""

    pieces: frozenset[str]
    new: float


def pieces(text: str) -> list[str]:
    r"""Return the lines and sentences of a text that are long enough to compare.

    Examples
    --------
    >>> pieces("A refund takes days. It goes to the card.\n  else:\n")
    ['A refund takes days.', 'It goes to the card.']
    """
    return [piece for piece in _END.split(text) if len(piece) >= SHORTEST]


def pieces_of(leaf: Leaf) -> list[str]:
    """Return the pieces of a block of text; of a data leaf, its value with the names around it."""
    if isinstance(leaf.value, TreeNode):
        return pieces(text_of(leaf.value))
    names = (step for step in leaf.path if isinstance(step, str))
    return [f"{'.'.join(names)} {dump(leaf.value)}"]


def pieces_of_tree(tree: TreeNode) -> list[str]:
    """Return the pieces of a document."""
    if not tree.is_json:
        return pieces(tree.source or "")
    return [piece for leaf in leaves(tree) for piece in pieces_of(leaf)]


def seen_before(documents: Sequence[Sequence[str]], ranks: Sequence[int]) -> list[Seen | None]:
    """Return, for each document, its parts that another one has too, if they are most of it.

    Parameters
    ----------
    documents : sequence of sequences of str
        The pieces of each document.
    ranks : sequence of int
        The place of each document in the order of worth, from 0 on, all different. Of two that are
        nearly the same, the later one repeats the other, unless it is much longer.

    Examples
    --------
    >>> plan = ["first, free the disk", "then, build it again", "last, tell Ann of it"]
    >>> other = [*plan, "disk full"]
    >>> [found and round(found.new, 2) for found in seen_before([plan, other, plan[:1]], [0, 1, 2])]
    [None, 0.13, 0.0]
    """
    order = sorted(range(len(documents)), key=ranks.__getitem__)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number in order:
        for piece in dict.fromkeys(documents[number]):
            if len(holders[piece]) < MOST:
                holders[piece].append(number)
    sizes = [sum(map(len, pieces)) for pieces in documents]
    seen: list[Seen | None] = [None] * len(documents)
    for number in order:
        common: Counter[int] = Counter()
        for piece in documents[number]:
            for holder in holders[piece]:
                common[holder] += len(piece)
        least = max(1.0, NEARLY * sizes[number])
        twins = [
            (size, -ranks[twin])
            for twin, size in common.items()
            if twin != number
            and size >= least
            and seen[twin] is None
            and (ranks[twin] < ranks[number] or sizes[twin] > LONGER * sizes[number])
        ]
        if twins:
            size, rank = max(twins)
            there = frozenset(documents[order[-rank]]).intersection(documents[number])
            seen[number] = Seen(there, 1 - size / sizes[number])
    return seen
