"""Find the phrases of a document that make it cheaper, by a counter of tokens."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.encoders.dictionary import CODES, Dictionary, abridge
from mckp.encoders.lines import LARGEST
from mckp.encoders.repeats import LEAST, Atoms, worthwhile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    Count: TypeAlias = Callable[[list[str]], list[int]]

# A phrase never cuts a number that it was found beside: `β5` for 2.55 would save, and mislead.
_ATOM = re.compile(r"\n|[^\S\n]+|[0-9]+(?:\.[0-9]+)?|[A-Z]?[a-z]+|[A-Z]+|.", re.DOTALL)
# Much as the vocabularies of OpenAI cut, so that the tokens of pieces add up.
_PIECE = re.compile(r"(?:_|[^\w\r\n])?[^\W\d_]+|\d{1,3}| ?(?:_|[^\w\s])+[\r\n/]*|\s+")
# No phrase begins or ends so: brackets and quotation marks stand where they would without it.
_NO_EDGE: Final = tuple('"[]{};=')
_WINDOW: Final = 8


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
    document = "".join(fragments)
    used = frozenset(document)
    codes = [code for code in CODES if code not in used]
    if not codes or len(document) > LARGEST:
        return None
    places = worthwhile(_atoms(document, count), len(codes))
    phrases = {document[start:end] for start, end in places}
    longest = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    known = _prune(document, dict(zip(codes, longest, strict=False)), count)
    dictionary = Dictionary(_assign(document, known, codes, count))
    if not known or len(document) + sum(map(len, known.values())) > LARGEST:
        return None
    written = [dictionary.head, *map(dictionary.write, fragments)]
    return dictionary if sum(count(written)) < sum(count(fragments)) else None


def _atoms(document: str, count: Count) -> Atoms:
    """Cut a document into words, numbers and marks, each with its share of tokens."""
    pieces = _PIECE.findall(document)
    distinct = list(dict.fromkeys(pieces))
    tokens = dict(zip(distinct, count(distinct), strict=True))
    sizes = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
    costs = np.fromiter(map(tokens.__getitem__, pieces), dtype=np.int64, count=len(pieces))
    # The blank before a word is part of the word's token.
    leading = np.array([piece[0] == " " for piece in pieces], dtype=np.bool_) & (sizes > 1)
    shares = np.repeat(costs / (sizes - leading), sizes)
    shares[(np.cumsum(sizes) - sizes)[leading]] = 0.0
    spent = np.concatenate(([0.0], np.cumsum(shares)))
    atoms = _ATOM.findall(document)
    names = {atom: i for i, atom in enumerate(dict.fromkeys(atoms))} | {"\n": -1}
    inner = {atom: atom.isspace() or atom in _NO_EDGE for atom in names}
    lengths = np.fromiter(map(len, atoms), dtype=np.int64, count=len(atoms))
    ends = np.cumsum(lengths)
    starts = ends - lengths
    return Atoms(
        np.fromiter(map(names.__getitem__, atoms), dtype=np.int64, count=len(atoms)),
        spent[ends] - spent[starts],
        np.fromiter(map(inner.__getitem__, atoms), dtype=np.bool_, count=len(atoms)),
        starts,
        ends,
    )


def _prune(document: str, phrases: dict[str, str], count: Count) -> dict[str, str]:
    """Keep the phrases without which the document would cost more, all others being there."""
    text, bodies = abridge(document, phrases)
    while poor := _poor(_gains(text, bodies, count), bodies):
        table = {ord(code): bodies.pop(code) for code in poor}
        text = text.translate(table)
        bodies = {code: body.translate(table) for code, body in bodies.items()}
    return {code: phrases[code] for code in bodies}


def _gains(text: str, bodies: dict[str, str], count: Count) -> dict[str, int]:
    """Count the tokens that each code saves."""
    text += "".join(f"={body}\n" for body in bodies.values())
    owners = list(bodies)
    plain, coded = [""] * len(bodies), [f"a={body}\n" for body in bodies.values()]
    for found in re.finditer(f"[{''.join(bodies)}]", text) if bodies else ():
        code, start, end = found[0], found.start(), found.end()
        # A joint is felt a few characters away, no further.
        before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
        owners.append(code)
        plain.append(before + bodies[code] + after)
        coded.append(before + code + after)
    gains = dict.fromkeys(bodies, 0)
    for code, more, less in zip(owners, count(plain), count(coded), strict=True):
        gains[code] += more - less
    return gains


def _poor(gains: dict[str, int], bodies: dict[str, str]) -> list[str]:
    """Return codes that save too little, no two of which would change each other's gain."""
    poor: list[str] = []
    near: set[str] = set()
    for code in sorted(gains, key=gains.__getitem__):
        if gains[code] >= LEAST:
            break
        if code not in near:
            poor.append(code)
            near.update(bodies[code], (user for user, body in bodies.items() if code in body))
    return poor


def _assign(
    document: str, phrases: dict[str, str], codes: list[str], count: Count
) -> dict[str, str]:
    """Give the cheapest codes to the phrases that are used most, first of all after a blank."""
    text, bodies = abridge(document, phrases)
    text += "\n".join(bodies.values())
    uses, spaced = Counter(text), Counter(re.findall(" (.)", text))
    codes = codes[: 2 * len(phrases)]
    price = dict(zip(codes, count([f" {code}" for code in codes]), strict=True))
    cheapest = sorted(codes, key=price.__getitem__)
    busiest = sorted(phrases, key=lambda code: (-spaced[code], -uses[code]))
    named = dict(zip(busiest, cheapest, strict=False))
    return {named[code]: phrase for code, phrase in phrases.items()}
