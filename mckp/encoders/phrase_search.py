"""Find the phrases that make a document cheaper, with a token counter.

The saving of a code is counted with the text around it, since tokens may cross its ends.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from mckp.encoders.dictionary import CODES, Dictionary, abridge, spell
from mckp.encoders.lines import LARGEST
from mckp.encoders.repeats import LEAST, PIECE, TokenTally, cut_into_atoms, find_worthwhile_repeats

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.encoders.repeats import Count


def find(fragments: Iterable[str], count: Count) -> Dictionary | None:
    r"""Return the phrases that make a document cheaper, or None if there are none.

    They are found by a greedy search in rounds. It takes the time to sort the document's suffixes a
    few times and to count its tokens. The result is also None if all codes occur in the document,
    or if it has more than `LARGEST` characters. `count` returns the number of tokens of each text.

    Examples
    --------
    >>> rows = [f"https://api.example.org/jobs/{i} done\n" for i in range(9)]
    >>> phrases = find(rows, lambda texts: [len(text) for text in texts])
    >>> print(phrases.head + phrases.write(rows[0]), end="")
    (2) phrases
    β=done
    δ=https://api.example.org/jobs/
    δ0 β
    """
    fragments = list(fragments)
    document = "".join(fragments)
    used = set(document)
    codes = [code for code in CODES if code not in used]
    if not codes or len(document) > LARGEST:
        return None
    tally = TokenTally(count)
    ranges = find_worthwhile_repeats(cut_into_atoms(document, tally), len(codes))
    repeats = {document[start:end] for start, end in ranges}
    longest_first = sorted(repeats, key=lambda phrase: (-len(phrase), phrase))
    phrases = dict(zip(codes, longest_first, strict=False))
    text, bodies = _prune(document, phrases, tally)
    if not phrases or len(document) + sum(map(len, phrases.values())) > LARGEST:
        return None
    new_codes = _assign_codes(text, bodies, codes, tally)
    written = _split_like(spell(text, new_codes), fragments)
    dictionary = Dictionary(
        {new_codes[code]: phrase for code, phrase in phrases.items()},
        {"": ""} | dict(zip(fragments, written, strict=True)),
    )
    # Each phrase alone makes the document cheaper; all together may not.
    return dictionary if sum(count([dictionary.head, *written])) < sum(count(fragments)) else None


def _prune(document: str, phrases: dict[str, str], tally: TokenTally) -> tuple[str, dict[str, str]]:
    """Drop each of `phrases` that saves less than `LEAST` tokens, given the other phrases.

    Return the document and the remaining phrases, written with codes.
    """
    text, bodies = abridge(document, phrases)
    while poor := _find_poor(gains(text, bodies, tally), bodies):
        dropped = {code: bodies.pop(code) for code in poor}
        text = spell(text, dropped)
        bodies = {code: spell(body, dropped) for code, body in bodies.items()}
    for code in phrases.keys() - bodies.keys():
        del phrases[code]
    # Other phrases may now match where a dropped one stood.
    return abridge(document, phrases)


def _find_poor(saved: dict[str, int], bodies: dict[str, str]) -> list[str]:
    """Return codes that save too little and do not affect each other's savings.

    `saved` has the tokens that each code saves, and `bodies` its phrase.
    """
    poor: list[str] = []
    near: set[str] = set()
    for code in sorted(saved, key=saved.__getitem__):
        if saved[code] >= LEAST:
            break
        if code not in near:
            poor.append(code)
            near.update(bodies[code], (user for user, body in bodies.items() if code in body))
    return poor


def _assign_codes(
    text: str, bodies: dict[str, str], codes: list[str], tally: TokenTally
) -> dict[str, str]:
    """Return a new code for each code: the cheapest for the most frequent phrases.

    A phrase is more frequent if it has more uses after a blank or, if equal, more uses. `bodies`
    has the phrase of each code, and `tally` counts tokens.
    """
    written = "\n".join([text, *bodies.values()])
    uses = {code: (written.count(f" {code}"), written.count(code)) for code in bodies}
    codes = codes[: 2 * len(bodies)]
    prices = dict(zip(codes, tally(f" {code}" for code in codes), strict=True))
    cheapest = sorted(codes, key=prices.__getitem__)
    busiest = sorted(bodies, key=uses.__getitem__, reverse=True)
    return dict(zip(busiest, cheapest, strict=False))


def _split_like(text: str, fragments: list[str]) -> list[str]:
    """Split a text into fragments with the same numbers of lines as `fragments`.

    The last one also gets what follows the last line feed.
    """
    *lines, rest = text.split("\n")
    cuts = accumulate((fragment.count("\n") for fragment in fragments), initial=0)
    parts = ["\n".join([*lines[low:high], ""]) for low, high in pairwise(cuts)]
    parts[-1] += rest
    return parts


def gains(text: str, bodies: dict[str, str], tally: TokenTally) -> dict[str, int]:
    """Return how many tokens each code saves in the text and in other definitions.

    The tokens of its own definition are subtracted. `bodies` has the phrase of each code, and
    `tally` counts tokens.
    """
    uses = Counter(text)
    for body in bodies.values():
        uses.update(body)
    saved: dict[str, int] = {}
    for code, body in bodies.items():
        defined = int(tally(PIECE.findall(f"a={body}\n")).sum())
        spelt = int(tally(PIECE.findall(body)).sum())
        saved[code] = uses[code] * (spelt - 1) - defined
    return saved
