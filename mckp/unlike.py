"""How unlike its like each row of a table is: the row that a reader looks for.

A table may be records of data, or lines of a text that have the same fields. It is given as fields,
however it was written; the answer has a number for each cell and each row, in bits: what it says
that the others do not. Several things are unlike:

- a value of a field with few values: a state, a flag, a category that few rows have;
- a code of another class than the others, such as 503 among 200 and 304;
- a field that few rows have, such as an error;
- a number far outside the range of the others;
- a text of another template than the others, or one that is much longer;
- two fields that are equal in nearly all rows, but not in this one.

How common the other values are matters as much as how rare this one is: one region of twenty says
little, one failure among passes says much. Words of alarm add to it, but none are needed.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from math import log, log2
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.failure import speaks_of_failure
from mckp.frozen import frozen
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FEWEST: Final = 5
"""Fewest rows that show what is common in them."""

FEWEST_PLAIN: Final = 8
"""Of fewer rows, only those that speak of a failure are exceptions."""

RARE: Final = 8
"""At most one row in so many is unlike the others, or a single one."""

MOST: Final = 4.0
"""Of a large table, at most so many times the square root of its rows are exceptional."""

LEAST: Final = 2.5
"""Bits from which on a row is exceptional."""

UNUSUAL: Final = 1.25
"""Bits from which on a cell is worth more than others."""

ALARM: Final = 1.6
"""A rare value that speaks of a failure counts so many times."""

NUMBER: Final = 0.8
"""A rare number of a field that has few values counts so many times."""

ABSENT: Final = 0.6
"""A row that lacks what the others have counts so many times."""

OTHERS: Final = 0.1
"""What each further cell of a row adds, as a share of its bits."""

GAP, LOG_GAP = 0.5, 0.3
"""An outlier is farther from all others than this share of their range, and of that of their
logarithms."""

_FAR: Final = 10
"""Or it is farther from the median than so many median deviations, and twice as far as"""

_FENCE: Final = 2.0
"""so many quartile distances of the logarithms allow."""

_FEWEST_NUMBERS: Final = 4
"""Fewest different numbers that show their range."""

_LONGER: Final = 3
"""A text so many times as long as nearly all others is unlike them."""

_LONG: Final = 24
"""Characters of such a text, at least."""

MOST_CODES: Final = 12
"""Most different codes of one field."""

_MOST_PAIRED: Final = 12
"""Most fields that are compared with each other."""

EMPTY: Final = frozenset({"", '"', "null", "None", "[]", "{}", '"-', "-", '"null', '"None', '"n/a'})
"""Texts of cells that say nothing; strings may begin with a quote."""

_NUMBER: Final = regex(
    r"(-?[0-9]{1,15}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?) ?"
    r"(%|[kKMGTP]i?B?|B|ns|us|µs|ms|s|sec|m|min|h|d)?"
)
_UNITS: Final[Mapping[str, float]] = {
    **{"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15},
    **{"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "m": 60.0, "min": 60.0, "h": 3600.0},
    "d": 86400.0,
}
_CODE: Final = regex(r"\"?([1-9])[0-9]{2}|\"?([A-Z]{1,3})-?[0-9]{2,5}")
"""A code with its class: the first digit of three, or the letters before the digits."""
_WELL: Final = frozenset("123")
"""Classes of codes of three digits that say that all is well, or not yet finished."""
_VARIABLE: Final = regex(r"[0-9a-fA-F-]*[0-9][0-9a-fA-F.:-]*|\"[^\"]*\"|'[^']*'|/[^ ]+")
"""A part of a text that may differ between texts of one template."""
_BOOLEANS: Final = frozenset({"true", "false", "True", "False"})


class FieldCells(NamedTuple):
    """One field of a table: its cells, as texts."""

    texts: Sequence[str]
    """The text of each cell; strings may begin with a quote."""
    rows: Sequence[int]
    """The number of each cell's row, ascending: 0 is the first row of the table."""
    weight: float = 1.0
    """How much of its bits count; 0 for a field that only identifies rows, or that nobody reads."""


@frozen
class Unlike:
    """How unlike its like everything in a table is.

    Attributes
    ----------
    cells : list of dict
        For each field, the bits of its unlike cells, by text.
    rows : list of float
        The bits of each row.
    exceptional : frozenset of int
        The rows that are exceptions: few, and clearly unlike the others.
    """

    cells: list[dict[str, float]]
    rows: list[float]
    exceptional: frozenset[int]


def unlike(fields: Sequence[FieldCells], size: int, inner: Iterable[Iterable[int]] = ()) -> Unlike:
    """Return how unlike its like each cell and each row of a table of `size` rows is.

    `inner` has, for each member with records or items of its own, the rows that have any of them.

    Examples
    --------
    >>> states = FieldCells(["ok"] * 29 + ["lost"], range(30))
    >>> found = unlike([states, FieldCells([str(7 * n % 31) for n in range(30)], range(30))], 30)
    >>> found.exceptional, [sorted(cells) for cells in found.cells]
    (frozenset({29}), [['lost'], []])
    """
    bits = [0.0] * size
    cells: list[dict[str, float]] = []
    if size < FEWEST:
        return Unlike([{} for _ in fields], bits, frozenset())
    further = [0.0] * size
    kinds = _kinds_of_rare(fields, size, inner)
    is_uniform = bool(kinds)
    for field in fields:
        own = _unlike_cells(field, size, kinds) if field.weight else {}
        cells.append(own)
        if own:
            for text, row in zip(field.texts, field.rows, strict=True):
                if text in own:
                    _add(bits, further, row, own[text])
        for row, amount in _lacking(field, size) if field.weight and is_uniform else ():
            _add(bits, further, row, amount)
    for row, amount in _unequal(fields, size):
        _add(bits, further, row, amount)
    rows = [best + OTHERS * rest for best, rest in zip(bits, further, strict=True)]
    return Unlike(cells, rows, _exceptional(rows, size))


def _add(bits: list[float], further: list[float], row: int, amount: float) -> None:
    """Count a cell of a row: the best one in `bits`, the others in `further`."""
    further[row] += min(amount, bits[row])
    bits[row] = max(amount, bits[row])


def _most_exceptional(size: int) -> int:
    """Return how many rows of a table may be exceptions."""
    return max(1 + (size >= 2 * RARE), int(min(size / RARE, MOST * size**0.5)))


def _exceptional(rows: Sequence[float], size: int) -> frozenset[int]:
    """Return the exceptional rows, given the bits of each; none of a kind that is too common."""
    least = LEAST if size >= FEWEST_PLAIN else LEAST * ALARM
    ranked = sorted((-amount, row) for row, amount in enumerate(rows) if amount >= least)
    most = _most_exceptional(size)
    if len(ranked) > most:  # those that are more unlike than the rest, if they are few enough
        level = ranked[most][0]
        ranked = [(amount, row) for amount, row in ranked[:most] if amount < level]
    return frozenset(row for _, row in ranked)


def _kinds_of_rare(fields: Iterable[FieldCells], size: int, inner: Iterable[Iterable[int]]) -> int:
    """Return how many kinds of rows have a member that only few rows have, at least 1.

    Rows that share such a member are of one kind. The result is 0 if a rare field is nothing
    unusual, since too many rows have one. For `inner`, see `unlike`.
    """
    most = _most_rare(size)
    kinds: list[set[int]] = []
    for rows in _rows_of_rare(fields, size):
        same = [kind for kind in kinds if kind & rows]
        kinds = [kind for kind in kinds if kind not in same] + [rows.union(*same)]
        if sum(map(len, kinds)) > most:
            return 0
    for own in map(set, inner):
        if own and len(own) <= most and not any(kind & own for kind in kinds):
            kinds.append(own)
    return max(1, len(kinds))


def _rows_of_rare(fields: Iterable[FieldCells], size: int) -> Iterator[set[int]]:
    """Yield, for each field that only few rows have, these rows."""
    for field in fields:
        if field.weight and len(field.texts) < size:
            empty = sum(map(EMPTY.__contains__, field.texts))
            if 0 < len(field.texts) - empty <= _most_rare(size):
                yield set(_filled_rows(field))


def _unlike_cells(field: FieldCells, size: int, kinds: int) -> dict[str, float]:
    """Return the bits of the unlike cells of a field, by text; for `kinds`, see `_kinds_of_rare`.

    The more kinds of rows have a field of their own, the less one of them says: in lists of
    definitions, one has a default, one has choices, one a limit.
    """
    counts = Counter(field.texts)
    filled = {text: count for text, count in counts.items() if text not in EMPTY}
    total = sum(filled.values())
    if not total:
        return {}
    if total <= _most_rare(size):
        if not kinds:
            return {}
        amount = field.weight * _bits(total, size, (total, size - total)) / kinds
        return {text: amount * _alarm(text) for text in filled}
    if total < FEWEST:
        return {}
    found: dict[str, float] = {}
    for classes in _classifications(filled):
        for text, amount in _rare_classes(filled, classes, total).items():
            found[text] = max(found.get(text, 0.0), field.weight * amount)
    numbers = _numbers(filled)
    far = _outliers(numbers, filled) if numbers is not None else _long_texts(filled, total)
    amount = field.weight * NUMBER * log2(total)
    for text in far:
        found[text] = max(found.get(text, 0.0), amount * _alarm(text))
    return found


def _most_rare(size: int) -> int:
    """Return how many of `size` rows may have a value that is rare."""
    return max(1, size // RARE)


def _bits(count: int, total: int, counts: Iterable[int]) -> float:
    """Return what a value says that `count` of `total` cells have, given the counts of all values.

    It is its information, divided by that of an average cell and one bit more.
    """
    entropy = sum(each / total * log2(total / each) for each in counts if each)
    return log2(total / count) / (1 + entropy)


def _alarm(text: str) -> float:
    """Return by how much a rare value counts more for what it says."""
    return ALARM if speaks_of_failure(text[:200]) else 1.0


def _classifications(filled: Mapping[str, int]) -> Iterator[Mapping[str, str]]:
    """Yield ways to put values into classes: as they are, by class of code, by template."""
    if len(filled) <= MOST_CODES:
        codes = {text: match for text in filled if (match := _CODE.fullmatch(text))}
        if len(codes) == len(filled):
            yield {
                text: "" if match[1] and match[1] in _WELL else match[1] or match[2]
                for text, match in codes.items()
            }
    yield {text: text for text in filled}
    texts = [text for text in filled if " " in text]
    if 2 * len(texts) > len(filled) > 2:
        yield {text: _VARIABLE.sub("0", text.removeprefix('"')) for text in filled}


def _rare_classes(
    filled: Mapping[str, int], classes: Mapping[str, str], total: int
) -> dict[str, float]:
    """Return the bits of values of rare classes; none if the rare ones are not rare together."""
    sizes: dict[str, int] = {}
    for text, count in filled.items():
        sizes[classes[text]] = sizes.get(classes[text], 0) + count
    most = _most_rare(total)
    rare = {name for name, count in sizes.items() if count <= most}
    if len(rare) == len(sizes) or sum(sizes[name] for name in rare) > max(most, 2 * total // RARE):
        return {}
    found: dict[str, float] = {}
    numbers = _numbers({name: 1 for name in sizes if name}) is not None
    for text in filled:
        if (name := classes[text]) in rare:
            amount = _bits(sizes[name], total, sizes.values()) * _alarm(text)
            is_measure = numbers and text not in _BOOLEANS and classes[text] == text
            found[text] = amount * (NUMBER if is_measure else 1.0)
    return found


def _numbers(texts: Iterable[str]) -> dict[str, float] | None:
    """Return the number of each text, with its unit; None if more than one in ten is no number."""
    numbers: dict[str, float] = {}
    count = 0
    for text in texts:
        count += 1
        match = _NUMBER.fullmatch(text.removeprefix('"'))
        if match:
            unit = (match[2] or "").removesuffix("B").removesuffix("i")
            numbers[text] = float(match[1]) * _UNITS.get(unit, 1.0)
        elif count - len(numbers) > 3 and 10 * len(numbers) < 9 * count:
            return None
    return numbers if 10 * len(numbers) >= 9 * count else None


def _outliers(numbers: Mapping[str, float], filled: Mapping[str, int]) -> set[str]:
    """Return the texts of the numbers that are far outside the range of all others.

    They are few, and either a gap is between them and the others, or they are far from the median
    (F. Hampel, The influence curve and its role in robust estimation, JASA 69, 1974) and beyond the
    fences of the quartiles of logarithms (J. Tukey, Exploratory data analysis, 1977), so that sizes
    and durations with a long tail have no outliers.
    """
    if len(numbers) < min(_FEWEST_NUMBERS, 2 + sum(filled.values()) // RARE):
        return set()
    ordered = sorted(numbers.items(), key=lambda pair: pair[1])
    values = [value for _, value in ordered]
    if _is_rising(list(numbers.values())):
        return set()  # numbers of rows, or times
    high = _beyond(values)
    low = _beyond([-value for value in reversed(values)])
    outliers = {text for text, _ in ordered[len(ordered) - high :]} if high else set[str]()
    outliers |= {text for text, _ in ordered[:low]}
    total = sum(filled.values())
    return outliers if sum(filled[text] for text in outliers) <= _most_rare(total) else set()


def _is_rising(values: Sequence[float]) -> bool:
    """Whether each number is greater than the one before it."""
    return all(before < after for before, after in pairwise(values))


def _beyond(values: Sequence[float]) -> int:
    """Return how many of the ascending numbers are outliers at the upper end."""
    size = len(values)
    most = max(1, size // (2 * RARE))
    middle = values[size // 2]
    spread = sorted(abs(value - middle) for value in values)[size // 2]
    is_positive = values[0] >= 0
    fence = _log_fence(values) if is_positive else values[-1]
    for count in range(most, 0, -1):
        first, last = values[size - count], values[size - count - 1]
        bottom = values[count] if size > 4 * count else values[0]
        width = last - bottom
        if width <= 0 or first <= last:
            continue
        has_gap = first - last > GAP * width
        if has_gap and is_positive:
            logs = [log(1e-9 + value) for value in (bottom, last, first)]
            has_gap = logs[2] - logs[1] > LOG_GAP * (logs[1] - logs[0])
        if has_gap or (first - middle > _FAR * spread > 0 and is_positive and first > fence):
            return count
    return 0


def _log_fence(values: Sequence[float]) -> float:
    """Return the greatest number that the quartiles of the logarithms allow."""
    size = len(values)
    low, high = values[size // 4] or 1e-9, values[3 * size // 4] or 1e-9
    power = min(700.0, log(high) + _FENCE * max(0.1, log(high / low)))
    return float(2.718281828459045**power)


def _long_texts(filled: Mapping[str, int], total: int) -> set[str]:
    """Return the few texts that are much longer than nearly all others.

    If the others differ much in length, as messages of commits do, it is longer than all of them.
    """
    lengths = sorted(map(len, filled))
    usual, long = lengths[len(lengths) // 2], lengths[-1 - len(lengths) // RARE]
    limit = max(_LONG, _LONGER * long)
    longest = max(length for length in lengths if length <= limit)
    if longest > max(_LONG, _LONGER * usual):
        limit = _LONGER * longest
    found = {text for text in filled if len(text) > limit}
    return found if sum(filled[text] for text in found) <= _most_rare(total) else set()


def _lacking(field: FieldCells, size: int) -> Iterator[tuple[int, float]]:
    """Yield the few rows that lack what all others have, and the bits of that."""
    if size - len(field.texts) > _most_rare(size):
        return
    filled = set(_filled_rows(field))
    missing = size - len(filled)
    if 0 < missing <= _most_rare(size):
        amount = field.weight * ABSENT * _bits(missing, size, (missing, size - missing))
        for row in sorted(set(range(size)).difference(filled)):
            yield row, amount


def _filled_rows(field: FieldCells) -> Sequence[int]:
    """Return the rows in which a field has a cell that is not empty."""
    if EMPTY.isdisjoint(field.texts):
        return field.rows
    return [row for text, row in zip(field.texts, field.rows, strict=True) if text not in EMPTY]


def _unequal(fields: Sequence[FieldCells], size: int) -> Iterator[tuple[int, float]]:
    """Yield the few rows in which two fields differ that are equal in all others."""
    full = [field for field in fields if field.weight and len(field.texts) == size]
    many = [field for field in full[:_MOST_PAIRED] if len(set(field.texts)) > 2]
    for first, second in combinations(many, 2):
        differing = _differing(first.texts, second.texts, _most_rare(size))
        if differing:
            amount = min(first.weight, second.weight)
            counts = (len(differing), size - len(differing))
            for place in differing:
                yield first.rows[place], amount * _bits(len(differing), size, counts)


def _differing(first: Sequence[str], second: Sequence[str], most: int) -> list[int]:
    """Return where two sequences differ; none if they do so at more than `most` places."""
    places: list[int] = []
    for place, (one, other) in enumerate(zip(first, second, strict=True)):
        if one != other:
            places.append(place)
            if len(places) > most:
                return []
    return places
