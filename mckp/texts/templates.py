"""Read lines of one shape, and blocks of ``Key: value`` lines, as records."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mckp.plain import JsonValue

_FEWEST: Final = 5
"""Fewest lines of one shape."""
_SHARE: Final = 0.8
"""Least share of the lines that have each word of the shape."""
_SAMPLED: Final = 200
"""Most lines by which the shape is found."""
_LONGEST: Final = 400
_MOST_WORDS: Final = 24
"""Most words of a shape, so that its pattern is fast."""
_WORD: Final = regex(r"[^\W\d_][^\W\d_.-]*")
_NUMBER: Final = regex(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_UNITS: Final = frozenset(
    {"h", "hr", "hour", "min", "minute", "s", "sec", "second", "ms", "d", "day", "kb", "mb", "gb"}
    | {"b", "byte", "line", "file", "change", "item", "row"}
)
_FEWEST_BLOCKS: Final = 3
_KEY: Final = regex(r"([A-Za-z][\w -]{0,40}?): *(.*)")


def template_of(lines: Sequence[str]) -> Callable[[str], dict[str, JsonValue] | None] | None:
    """Return what reads the fields of a line, if most lines have one shape; else None.

    A shape is words that nearly all lines have in one order. What is between them are the fields,
    each with the name of the word before it, or of the unit after it; the others are ``c1 c2``.

    Examples
    --------
    >>> names = enumerate("abcdef")
    >>> lines = [f"{name} {n} dep 10:0{n}, {n} changes, CHF {n}.50" for n, name in names]
    >>> template_of(lines)("EC 8 dep 11:30, 1 change, CHF 39.50")
    {'c1': 'EC', 'c2': 8, 'dep': '11:30', 'change': 1, 'CHF': 39.5}
    """
    full = [line for line in lines if line.strip() and len(line) <= _LONGEST]
    sample = full[:: max(1, len(full) // _SAMPLED)]
    if len(sample) < _FEWEST:
        return None
    bags = [list(dict.fromkeys(map(_stem, _WORD.findall(line)))) for line in sample]
    counts = Counter(word for bag in bags for word in bag)
    shared = {word for word, count in counts.items() if count >= _SHARE * len(sample)}
    # A word that only most lines have is a value: nearly all trains are "punctual".
    regular = [bag for bag in bags if 2 * len(shared.intersection(bag)) >= len(shared)]
    shared = shared.intersection(*regular)
    if not 2 <= len(shared) <= _MOST_WORDS:
        return None
    first = next((bag for bag in bags if shared <= set(bag)), None)
    if first is None:
        return None
    words = [word for word in first if word in shared]
    pattern = re.compile(
        # A word is where it is first: no later one is tried, which would take very long.
        "".join(rf"(?>(.*?)(?<![\w]){re.escape(word)}s?(?![\w]))" for word in words) + "(.*)",
        re.DOTALL,
    )
    matches = [match for match in map(pattern.fullmatch, sample) if match]
    if len(matches) < _SHARE * len(sample):
        return None
    columns = [
        column
        for place in range(len(words) + 1)
        for column in _columns(place, words, [match[place + 1] for match in matches])
    ]
    names = _names([name for _, _, name in columns])
    if len(names) < 2:
        return None

    def read(line: str) -> dict[str, JsonValue] | None:
        """Return the fields of a line; None if it has another shape."""
        match = pattern.fullmatch(line) if len(line) <= _LONGEST else None
        if match is None:
            return None
        cells: dict[str, JsonValue] = {}
        for name, (place, index, _) in zip(names, columns, strict=True):
            parts = _parts(match[place + 1], index[1])
            if index[0] < len(parts):
                cells[name] = _value(parts[index[0]])
        return cells

    return read


def _stem(word: str) -> str:
    """Return a word without the ``s`` of a plural."""
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _parts(gap: str, separator: str) -> list[str]:
    """Return the fields in the text between two words, without punctuation at their ends."""
    text = gap.strip(" \t,;:|()[]=")
    if not text:
        return []
    pieces = text.split(separator) if separator != " " else text.split()
    return [piece.strip(" \t,;:|()[]=") for piece in pieces] if separator else [text]


def _columns(
    place: int, words: list[str], gaps: list[str]
) -> Iterator[tuple[int, tuple[int, str], str]]:
    """Yield the fields between two words: where they are, how they are separated, and their name.

    `gaps` are the texts between the words, in each line.
    """
    texts = [gap.strip(" \t,;:|()[]=") for gap in gaps]
    if sum(map(bool, texts)) < len(texts) / 2:
        return
    separator = next(
        (
            sign
            for sign in (", ", " ")
            if len({len(_parts(gap, sign)) for gap in gaps}) == 1 and any(sign in t for t in texts)
        ),
        "\0",
    )
    size = len(_parts(gaps[0], separator)) if separator != "\0" else 1
    before = words[place - 1] if place else ""
    after = words[place] if place < len(words) else ""
    is_apart = sum(gap.lstrip()[:1] in (",", ";") for gap in gaps) > len(gaps) / 2
    for index in range(size):
        name = "" if is_apart or index else before
        if index == size - 1 and after.lower() in _UNITS:
            name = after
        yield place, (index, separator), name


def _names(names: list[str]) -> list[str]:
    """Return names that differ; those without a name are ``c1 c2``, and a second one ``min2``."""
    seen: Counter[str] = Counter()
    named: list[str] = []
    for name in names:
        stem = name or "c"
        seen[stem] += 1
        named.append(f"{stem}{seen[stem]}" if not name or seen[stem] > 1 else stem)
    return named


def _value(text: str) -> JsonValue:
    """Return a number, or a text as it is."""
    if _NUMBER.fullmatch(text) and len(text) < 16 and not re.match(r"[+-]?0\d", text):
        return float(text) if "." in text else int(text)
    return text


def blocks_of(lines: Sequence[str]) -> list[tuple[range, dict[str, Any]]]:
    r"""Return the blocks of ``Key: value`` lines between blank lines: their lines and members.

    Indented lines go on with the value above them. The list is empty if there are no three such
    blocks that have most keys in common.

    Examples
    --------
    >>> text = "Package: a\nSize: 3\n\nPackage: b\nSize: 4\n\nPackage: c\nSize: 5"
    >>> blocks_of(text.split("\n"))[1]
    (range(3, 5), {'Package': 'b', 'Size': 4})
    """
    ends = [-1, *(n for n, line in enumerate(lines) if not line.strip()), len(lines)]
    spans = [range(before + 1, end) for before, end in pairwise(ends) if end > before + 1]
    blocks: list[tuple[range, dict[str, Any]]] = []
    for span in spans if len(spans) >= _FEWEST_BLOCKS else ():
        members: dict[str, Any] = {}
        last = ""
        for line in (lines[n] for n in span):
            match = _KEY.fullmatch(line)
            if match:
                last = match[1]
                members[last] = _value(match[2].strip())
            elif last and line[:1].isspace():
                members[last] = f"{members[last]}\n{line.strip()}".strip()
        if len(members) >= 2 and members:
            blocks.append((span, members))
    keys = Counter(key for _, members in blocks for key in members)
    common = sum(count >= len(blocks) / 2 for count in keys.values())
    is_most = len(blocks) >= max(_FEWEST_BLOCKS, _SHARE * len(spans))
    return blocks if is_most and 2 * common >= len(keys) / 2 and common >= 2 else []
