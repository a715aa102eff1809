"""Find the phrases of a document that make it cheaper, by a counter of tokens.

What a code saves is counted with what stands beside it in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate, chain, islice, pairwise
from typing import TYPE_CHECKING, Final

from mckp.encoders.dictionary import CODES, Dictionary, abridge, spell
from mckp.encoders.lines import LARGEST
from mckp.encoders.repeats import LEAST, PIECE, Tally, cut, worthwhile
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mckp.encoders.repeats import Count

# Documents need two or three; phrases far within one another might need hundreds.
_ROUNDS: Final = 20


def find(fragments: Iterable[str], count: Count) -> Dictionary | None:
    r"""Find phrases that make a document cheaper, as far as a search in rounds finds them.

    Time is that of sorting the suffixes of the document a few times over, and of counting it.

    Parameters
    ----------
    fragments : iterable of str
        The document; each fragment whole lines.
    count : callable
        Counts the tokens of each of a list of texts.

    Returns
    -------
    Dictionary or None
        None if that saves nothing, or if all codes occur in the document.

    Examples
    --------
    >>> rows = [f"https://api.example.org/jobs/{i} done\n" for i in range(9)]
    >>> found = find(rows, lambda texts: [len(text) for text in texts])
    >>> print(found.head + found.write(rows[0]), end="")
    (2) phrases
    β=done
    δ=https://api.example.org/jobs/
    δ0 β
    """
    fragments = list(fragments)
    found = searched(fragments, count)
    if found is None:
        return None
    written = sum(count([found.head, *map(found.write, fragments)]))
    return found if written < sum(count(fragments)) else None


def searched(fragments: list[str], count: Count) -> Dictionary | None:
    """Find phrases, each of which makes a document cheaper; all of them together may not.

    Parameters
    ----------
    fragments : list of str
        The document; each fragment whole lines.
    count : callable
        Counts the tokens of each of a list of texts.
    """
    document = "".join(fragments)
    used = set(document)
    codes = [code for code in CODES if code not in used]
    if not codes or len(document) > LARGEST:
        return None
    tally = Tally(count)
    places = worthwhile(cut(document, tally), len(codes))
    phrases = {document[start:end] for start, end in places}
    longest = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    known = dict(zip(codes, longest, strict=False))
    text, bodies = _prune(document, known, tally)
    if not known or len(document) + sum(map(len, known.values())) > LARGEST:
        return None
    named = _assign(text, bodies, codes, tally)
    text, *spelt = _spell([text, *bodies.values()], named)
    written = _cut_alike(text, fragments)
    return Dictionary(
        {named[code]: phrase for code, phrase in known.items()},
        dict(zip(map(named.__getitem__, bodies), spelt, strict=True)),
        {"": ""} | dict(zip(fragments, written, strict=True)),
    )


def _spell(texts: list[str], table: dict[str, str]) -> list[str]:
    """Put for codes what the table has for them, in texts of which all but the first are lines."""
    return spell("\n".join(texts), table).rsplit("\n", len(texts) - 1)


def _prune(document: str, phrases: dict[str, str], tally: Tally) -> tuple[str, dict[str, str]]:
    """Drop the phrases without which the document would cost less, all others being there.

    Returns the document and the phrases that are left, in codes.
    """
    abridged = text, bodies = abridge(document, phrases)
    asked = list(bodies)
    for _ in range(_ROUNDS):
        poor, near = _poor(gains(text, bodies, tally, asked), bodies)
        if not poor:
            break
        asked = [code for code in bodies if code in near and code not in poor]
        table = {code: bodies.pop(code) for code in poor}
        text, *spelt = _spell([text, *bodies.values()], table)
        bodies = dict(zip(bodies, spelt, strict=True))
    if len(bodies) == len(phrases):
        return abridged
    for code in phrases.keys() - bodies.keys():
        del phrases[code]
    # Where a phrase stood, others may stand now.
    return abridge(document, phrases)


def _poor(gains: dict[str, int], bodies: dict[str, str]) -> tuple[list[str], set[str]]:
    """Return codes that save too little, no two of which would change each other's gain.

    Then those of which one does.
    """
    poor: list[str] = []
    near: set[str] = set()
    for code in sorted(gains, key=gains.__getitem__):
        if gains[code] >= LEAST:
            break
        if code not in near:
            poor.append(code)
            near.update(bodies[code], (user for user, body in bodies.items() if code in body))
    return poor, near


def _assign(text: str, bodies: dict[str, str], codes: list[str], tally: Tally) -> dict[str, str]:
    """Give the cheapest codes to the phrases that are used most, first of all after a blank."""
    written = "\n".join([text, *bodies.values()])
    uses = {code: (written.count(f" {code}"), written.count(code)) for code in bodies}
    codes = codes[: 2 * len(bodies)]
    price = dict(zip(codes, tally(f" {code}" for code in codes), strict=True))
    cheapest = sorted(codes, key=price.__getitem__)
    busiest = sorted(bodies, key=uses.__getitem__, reverse=True)
    return dict(zip(busiest, cheapest, strict=False))


def _cut_alike(text: str, fragments: list[str]) -> list[str]:
    """Cut a text into as many fragments, of as many lines each."""
    *lines, rest = text.split("\n")
    cuts = accumulate((fragment.count("\n") for fragment in fragments), initial=0)
    cut = ["\n".join([*lines[low:high], ""]) for low, high in pairwise(cuts)]
    cut[-1] += rest
    return cut


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
    >>> from mckp.encoders.repeats import Tally
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
