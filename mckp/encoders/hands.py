"""Who takes the steps of the search for phrases: plain Python, or for large documents kernels."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.encoders import atoms, dictionary, joints, repeats

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import TypeAlias

    from mckp.encoders.atoms import Atoms, Tally

    Spans: TypeAlias = list[tuple[int, int]]
    Texts: TypeAlias = dict[str, str]

SMALL: Final = 1 << 15
"""Characters of a document for which compiled kernels are not worth being loaded."""

_KERNELS: Final = "mckp.encoders.kernels.hand"


class Hand(NamedTuple):
    """The steps of the search; all hands give the same result.

    Attributes
    ----------
    alphabet : callable
        Returns the characters of a text.
    cut : callable
        As `mckp.encoders.atoms.cut`.
    worthwhile : callable
        As `mckp.encoders.repeats.worthwhile`.
    abridge, spell : callable
        As in `mckp.encoders.dictionary`.
    gains : callable
        As `mckp.encoders.joints.gains`.
    uses : callable
        Returns how often each of some codes stands in a text: after a blank, and at all.
    """

    alphabet: Callable[[str], set[str]]
    cut: Callable[[str, Tally], Atoms]
    worthwhile: Callable[[Atoms, int], Spans]
    abridge: Callable[[str, Texts], tuple[str, Texts]]
    spell: Callable[[str, Texts], str]
    gains: Callable[[str, Texts, Tally, Collection[str]], dict[str, int]]
    uses: Callable[[str, Collection[str]], dict[str, tuple[int, int]]]


def _uses(text: str, codes: Collection[str]) -> dict[str, tuple[int, int]]:
    return {code: (text.count(f" {code}"), text.count(code)) for code in codes}


PLAIN: Final = Hand(
    set, atoms.cut, repeats.worthwhile, dictionary.abridge, dictionary.spell, joints.gains, _uses
)


def load() -> None:
    """Take kernels for small documents as well."""
    import_module(_KERNELS)


def of(size: int) -> Hand:
    """Return the hand for a document of so many characters.

    Once a large document has been searched, or `load` was called, the kernels are there for small
    ones as well.
    """
    if size <= SMALL and _KERNELS not in sys.modules:
        return PLAIN
    from mckp.encoders.kernels import hand

    return Hand(
        hand.alphabet, hand.cut, hand.worthwhile, hand.abridge, hand.spell, hand.gains, hand.uses
    )
