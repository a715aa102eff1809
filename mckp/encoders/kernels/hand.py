"""The steps of the search, as `mckp.encoders` has them for small documents, by the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.encoders import dictionary, joints, repeats
from mckp.encoders.atoms import NO_EDGE, UNIT, Atoms
from mckp.encoders.kernels import choice, cutting, writing
from mckp.encoders.kernels.intervals import find_repeats
from mckp.encoders.kernels.joints import find_windows, unfold
from mckp.encoders.kernels.kinds import ATOM_MOVES, ATOMS, GAP, LINE, PIECE_MOVES, kinds_of
from mckp.encoders.kernels.suffixes import sort_suffixes
from mckp.encoders.repeats import CODE, RULES, Chosen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mckp.encoders.atoms import Ints, Tally
    from mckp.encoders.kernels.cutting import Text
    from mckp.encoders.kernels.kinds import Kinds


def alphabet(text: str) -> set[str]:
    """Return the characters of a text."""
    return set(map(chr, cutting.distinct(characters(text)).tolist()))


def cut(document: str, tally: Tally) -> Atoms:
    """Cut a document into words, numbers and marks, each with its share of tokens."""
    text = characters(document)
    table, stops = kinds_in(text), np.array([len(text)])
    kinds = table[text]
    names, ends, firsts = cutting.cut(text, kinds, stops, PIECE_MOVES, 0)
    tokens = tally.of(document, *_spans(ends, firsts))
    symbols, places, _ = cutting.cut(text, kinds, stops, ATOM_MOVES, ATOMS)
    weights = cutting.weigh(text, (names, ends), tokens, places, UNIT)
    starts = np.concatenate(([0], places))[:-1]
    leading = text[starts]
    symbols[leading == ord("\n")] = -1
    edges = np.isin(table >> ATOMS, (GAP, LINE))
    edges[[ord(mark) for mark in NO_EDGE if ord(mark) < len(edges)]] = True
    return Atoms(symbols, weights, edges[leading], starts, places)


def worthwhile(text: Atoms, most: int) -> list[tuple[int, int]]:
    """Return where the texts stand that are worth a code."""
    return repeats.worthwhile(text, most, _choose, _replace)


def abridge(document: str, phrases: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Write a document and the phrases themselves in codes."""
    pool, bounds = _pool(phrases.values())
    sizes = np.diff(bounds)
    if not phrases or sizes[-1] == 0 or (np.diff(sizes) > 0).any():
        return dictionary.abridge(document, phrases)
    text = characters("\n".join([document, *phrases.values(), ""]))
    own = len(document) + 1 + bounds[:-1] + np.arange(len(phrases))
    easy, written = writing.put_codes(text, pool, bounds, characters("".join(phrases)), own)
    if not easy:
        return dictionary.abridge(document, phrases)
    above, *bodies, _ = _string(written).rsplit("\n", len(phrases) + 1)
    return above, dict(zip(phrases, bodies, strict=True))


def spell(text: str, bodies: dict[str, str]) -> str:
    """Put its body for each code of a text."""
    pool, bounds = _pool(bodies.values())
    names = _names(bodies)
    return _string(writing.spell_codes(characters(text), names, pool, bounds))


def gains(
    text: str, bodies: dict[str, str], tally: Tally, asked: Collection[str]
) -> dict[str, int]:
    """Count the tokens that each of some codes saves, less those of its definition."""
    below = characters(text + joints.definitions(bodies))
    # Each definition begins with a letter for its code, whatever the text has.
    kinds = kinds_in(np.append(below, np.int32(ord("a"))))
    names, own = _names(asked, len(kinds)), [bodies[code] for code in asked]
    places, lows, highs, times = find_windows(below, kinds[below], names, joints.REACH)
    unfolded, stops = unfold(below, (places, lows, highs), names, *_pool(own))
    defined, bounds = _pool(f"a={body}\n" for body in own)
    stops = np.concatenate((stops, len(unfolded) + bounds[1:]))
    unfolded = np.concatenate((unfolded, defined))
    pieces, ends, firsts = cutting.cut(unfolded, kinds[unfolded], stops, PIECE_MOVES, 0)
    tokens = tally.of(_string(unfolded), *_spans(ends, firsts))
    spent = np.cumsum(tokens[pieces])[np.searchsorted(ends, stops)]
    spent = np.diff(spent, prepend=0)
    saved = -spent[2 * len(times) :]
    plain, coded = spent[: 2 * len(times)].reshape(-1, 2).T
    np.add.at(saved, names[below[places]], times * (plain - coded))
    return dict(zip(asked, saved.tolist(), strict=True))


def uses(text: str, codes: Collection[str]) -> dict[str, tuple[int, int]]:
    """Count how often each code stands in a text: after a blank, and at all."""
    chars = characters(text)
    most = 1 + max(map(ord, codes), default=0)
    low = chars < most
    everywhere = np.bincount(chars[low], minlength=most)
    spaced = np.bincount(chars[1:][low[1:] & (chars[:-1] == ord(" "))], minlength=most)
    return {code: (int(spaced[ord(code)]), int(everywhere[ord(code)])) for code in codes}


def _choose(text: Atoms, most: int) -> Chosen:
    order, common = sort_suffixes(text.symbols)
    total = np.concatenate(([0], np.cumsum(text.weights)))
    found = find_repeats(order, common, text.inner, total, RULES)
    chosen = choice.choose(order, found, most, RULES)
    return Chosen(*chosen, choice.covered(order, found, RULES))


def _replace(text: Atoms, chosen: Chosen, fresh: int) -> Atoms:
    columns = text.symbols, text.weights, text.inner, text.starts, text.ends
    return Atoms(*choice.replace(columns, *chosen, fresh, CODE))


def characters(text: str) -> Text:
    """Return the characters of a text as numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<i4").astype(np.int32)


def _string(text: Text) -> str:
    return text.astype("<i4").tobytes().decode("utf-32-le", "surrogatepass")


def _pool(texts: Iterable[str]) -> tuple[Text, Ints]:
    """Return texts one behind the other, and where each begins and the last one ends."""
    texts = list(texts)
    return characters("".join(texts)), np.cumsum([0, *map(len, texts)])


def _names(codes: Iterable[str], size: int = 0) -> Text:
    """Return which code a character is, for all characters below `size` at least."""
    letters = list(map(ord, codes))
    names = np.full(max(size, 1 + max(letters, default=0)), -1, dtype=np.int32)
    names[letters] = np.arange(len(letters))
    return names


def kinds_in(text: Text) -> Kinds:
    """Return a table of what characters are, for those of a text."""
    distinct = cutting.distinct(text).tolist()
    return kinds_of(distinct, 1 + max(distinct, default=0))


def _spans(ends: Ints, firsts: Ints) -> tuple[Ints, Ints]:
    """Return where the part of a text begins and ends that each name stands for."""
    return np.concatenate(([0], ends))[firsts], ends[firsts]
