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
"""Least share of a document's characters that another one has too if they are nearly the same."""

SHORTEST: Final = 8
"""Fewest characters of a piece; shorter ones, such as a brace, are in unrelated documents too."""

LONGER: Final = 1.25
"""A document more than this many times as long as a better one is not a repeat of it."""

MOST: Final = 20
"""Most documents with the same piece that are compared: the best ones."""

_END: Final = regex(r"\n\s*|(?<=[.!?;])\s+")


class Repeat(NamedTuple):
    """The pieces of a document that another document has too, and the share of it that is new."""

    pieces: frozenset[str]
    new_share: float


def pieces(text: str) -> list[str]:
    r"""Return the lines and sentences of a text that are long enough to compare.

    Examples
    --------
    >>> pieces("A refund takes days. It goes to the card.\n  else:\n")
    ['A refund takes days.', 'It goes to the card.']
    """
    return [piece for piece in _END.split(text) if len(piece) >= SHORTEST]


def pieces_of(leaf: Leaf) -> list[str]:
    """Return the pieces of a block of text, or a data leaf as one piece: its names and value."""
    if isinstance(leaf.value, TreeNode):
        return pieces(text_of(leaf.value))
    names = (step for step in leaf.path if isinstance(step, str))
    return [f"{'.'.join(names)} {dump(leaf.value)}"]


def pieces_of_tree(tree: TreeNode) -> list[str]:
    """Return the pieces of a document: of a text its lines and sentences, of data its leaves."""
    if not tree.is_json:
        return pieces(tree.source or "")
    return [piece for leaf in leaves(tree) for piece in pieces_of(leaf)]


def find_repeats(documents: Sequence[Sequence[str]], ranks: Sequence[int]) -> list[Repeat | None]:
    """Return for each document what it repeats of another one, or None if that is not most of it.

    Parameters
    ----------
    documents : sequence of sequences of str
        The pieces of each document.
    ranks : sequence of int
        The rank of each document by worth: 0 for the best, no two equal. Of two documents that are
        nearly the same, the one of lower worth repeats the other, unless it is much longer.

    Examples
    --------
    >>> plan = ["first, free the disk", "then, build it again", "last, tell Ann of it"]
    >>> other = [*plan, "disk full"]
    >>> repeats = find_repeats([plan, other, plan[:1]], [0, 1, 2])
    >>> [repeat and round(repeat.new_share, 2) for repeat in repeats]
    [None, 0.13, 0.0]
    """
    order = sorted(range(len(documents)), key=ranks.__getitem__)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number in order:
        for piece in dict.fromkeys(documents[number]):
            if len(holders[piece]) < MOST:
                holders[piece].append(number)
    sizes = [sum(map(len, document_pieces)) for document_pieces in documents]
    repeats: list[Repeat | None] = [None] * len(documents)
    for number in order:
        shared_characters: Counter[int] = Counter()
        for piece in documents[number]:
            for holder in holders[piece]:
                shared_characters[holder] += len(piece)
        least = max(1.0, NEARLY * sizes[number])
        originals = [
            (size, -ranks[other])
            for other, size in shared_characters.items()
            if other != number
            and size >= least
            and repeats[other] is None
            and (ranks[other] < ranks[number] or sizes[other] > LONGER * sizes[number])
        ]
        if originals:
            size, rank = max(originals)
            shared_pieces = frozenset(documents[order[-rank]]).intersection(documents[number])
            repeats[number] = Repeat(shared_pieces, 1 - size / sizes[number])
    return repeats
