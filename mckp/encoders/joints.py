"""How many tokens each code saves in a text, where what stands beside it is counted with it."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from mckp.encoders.atoms import PIECE
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Collection

    from mckp.encoders.atoms import Tally

REACH: Final = 8
"""A joint is felt a few characters away, no further."""

# A run of one kind, and one character: a piece has no more in common with what is beyond.
_BESIDE = regex(r"(?:[^\W\d_]+|\d+|(?:_|[^\w\s])+|\s+|).?", re.DOTALL)


def gains(
    text: str, bodies: dict[str, str], tally: Tally, asked: Collection[str]
) -> dict[str, int]:
    r"""Count the tokens that each of some codes saves, less those of its definition.

    Parameters
    ----------
    text : str
        A document in codes.
    bodies : dict of str to str
        What stands for each code, in codes as well.
    tally : Tally
        Counts pieces.
    asked : collection of str
        The codes.

    Returns
    -------
    dict of str to int
        The gain of each of them.

    Examples
    --------
    >>> from mckp.encoders.atoms import Tally
    >>> tally = Tally(lambda texts: [len(text) for text in texts])
    >>> gains("β or not β\n", {"β": "to be"}, tally, "β")
    {'β': 0}
    """
    text += definitions(bodies)
    told = [(code, -1, f"a={bodies[code]}\n") for code in asked]
    for (before, code, after), uses in _windows(text, asked).items():
        told.append((code, uses, before + bodies[code] + after))
        told.append((code, -uses, before + code + after))
    cut = [PIECE.findall(text) for _, _, text in told]
    tokens = iter(tally(chain.from_iterable(cut)).tolist())
    gain = dict.fromkeys(asked, 0)
    for (code, times, _), pieces in zip(told, cut, strict=True):
        gain[code] += times * sum(islice(tokens, len(pieces)))
    return gain


def definitions(bodies: dict[str, str]) -> str:
    """Return what stands in lines of their own where phrases are defined, but for the codes."""
    return "".join(f"={body}\n" for body in bodies.values())


def _windows(text: str, codes: Collection[str]) -> Counter[tuple[str, str, str]]:
    """Count what stands before and after each of some codes in a text."""
    windows: Counter[tuple[str, str, str]] = Counter()
    for found in re.finditer(f"[{''.join(codes)}]", text) if codes else ():
        start, end = found.span()
        before = text[max(0, start - REACH) : start][::-1]
        after = text[end : end + REACH]
        windows[_beside(before)[::-1], found[0], _beside(after)] += 1
    return windows


def _beside(text: str) -> str:
    found = _BESIDE.match(text)
    assert found is not None, "an empty text matches"
    return found[0]
