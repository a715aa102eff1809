"""What can be seen of a leaf of data that tells whether its reader will need it.

The traits of a leaf are names with amounts. Those that it shares with its column, with equal values
and with its place are found once each. `mckp.weights.salience` adds up what they count, and
``benches/fit_salience.py`` fits that to recorded runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2, log10
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.jsontext import dump, is_container
from mckp.regexes import regex
from mckp.weights.keys import key_of
from mckp.weights.queries import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.weights.leaves import Leaf

    Path: TypeAlias = tuple[str | int, ...]

Traits: TypeAlias = dict[str, float]

ITEM: Final = "*"
"""Stands for the index of an item in the path of a column."""

FEWEST: Final = 3
"""Values from which on a column tells what is common in it."""

_LONGEST: Final = 8
"""Powers of two of characters that are told apart."""

_URL: Final = regex(r"[a-z][a-z0-9+.-]*://|www\.|mailto:")
_CODE: Final = regex(r"[0-9a-f]{16,}|(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9+/_=-]{20,}")
_DATE: Final = regex(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:[T ].*)?)?|[0-9]{2}:[0-9]{2}.{0,10}")
_BLANK: Final = regex(r"\s")


@dataclass(slots=True)
class Column:
    """The leaves of a document that differ in the indices of their paths alone.

    Attributes
    ----------
    path : tuple
        Their path, `ITEM` for each index.
    places : list of int
        Their numbers among the leaves of the document.
    values : list
        Their values.
    is_key : bool
        Whether it tells the records of its array apart.
    """

    path: Path
    places: list[int] = field(default_factory=list[int])
    values: list[Any] = field(default_factory=list[Any])
    is_key: bool = False


def columns_of(leaves: Sequence[Leaf]) -> list[Column]:
    """Return the columns of a document.

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> from mckp.weights.leaves import leaves
    >>> rows = leaves(TreeNode.of([{"n": 1, "ok": True}, {"n": 2, "ok": True}]))
    >>> [(each.path, each.values, each.is_key) for each in columns_of(rows)]
    [(('*', 'n'), [1, 2], True), (('*', 'ok'), [True, True], False)]
    """
    found: dict[Path, Column] = {}
    tables: dict[Path, list[Column]] = {}
    records: dict[Path, dict[Path, None]] = {}
    for place, (path, value, _) in enumerate(leaves):
        line: Path = tuple([step if isinstance(step, str) else ITEM for step in path])
        column = found.get(line)
        if column is None:
            column = found[line] = Column(line)
            if len(path) > 1 and isinstance(path[-2], int) and isinstance(path[-1], str):
                tables.setdefault(line[:-1], []).append(column)
        column.places.append(place)
        column.values.append(value)
        if column.path[-2:-1] == (ITEM,) and isinstance(path[-2], int):
            records.setdefault(line[:-1], {})[path[:-1]] = None
    for line, own in tables.items():
        _mark_key(own, list(records[line]), leaves)
    return list(found.values())


def _mark_key(columns: list[Column], records: list[Path], leaves: Sequence[Leaf]) -> None:
    numbers = {record: number for number, record in enumerate(records)}
    arrays = [record[:-1] for record in records]
    rows = [[numbers[leaves[place].path[:-1]] for place in each.places] for each in columns]
    given = [(str(c.path[-1]), c.values, r) for c, r in zip(columns, rows, strict=True)]
    key = key_of(given, arrays)
    if key is not None:
        columns[key].is_key = True


def traits_of_column(column: Column) -> Traits:
    """Return what all leaves of a column have in common: names, depth, how many there are."""
    found: Traits = {"any": 1.0, "depth": len(column.path) / 6}
    names = [step for step in column.path if isinstance(step, str) and step != ITEM]
    *others, last = words_of(names[-1]) or [""] if names else [""]
    if last:
        found[f"name {last}"] = 1.0
    for word in others:
        found[f"within {word}"] = 1.0
    if column.is_key:
        found["key"] = 1.0
    size = len(column.values)
    if size < FEWEST:
        found["alone"] = 1.0
    else:
        found["rows"] = min(1.0, log10(size) / 3)
    return found


def shares_of(column: Column) -> tuple[list[str], dict[str, float], Traits]:
    """Return the texts of a column's values, the share of each, and what that says of all."""
    texts = [_text(value) for value in column.values]
    counts: dict[str, int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    size = len(texts)
    common: Traits = {}
    if size >= FEWEST:
        common["distinct"] = len(counts) / size
        if len(counts) == 1:
            common["constant"] = 1.0
    return texts, {text: count / size for text, count in counts.items()}, common


def traits_of_value(value: Any, share: float, size: int) -> Traits:
    """Return what a value says by itself: its kind, its length, how rare it is in its column.

    Examples
    --------
    >>> traits_of_value("https://example.com/a", 0.25, 8)
    {'url': 1.0, 'length 4': 1.0, 'information': 0.25}
    """
    found: Traits = {kind_of(value): 1.0}
    if isinstance(value, str):
        found[f"length {min(_LONGEST, int(log2(len(value) + 1)))}"] = 1.0
    if size >= FEWEST and share < 1:
        found["information"] = -log2(share) / 8
    return found


def traits_of_place(path: Path) -> Traits:
    """Return what the place of a leaf in the arrays around it says."""
    indices = [step for step in path if isinstance(step, int)]
    if not indices:
        return {}
    found = {"early": 1 / (1 + indices[0]), "early within": (1 + indices[-1]) ** -0.5}
    if not indices[0]:
        found["first"] = 1.0
    return found


def traits_of_leaves(leaves: Sequence[Leaf]) -> Iterator[tuple[int, Traits]]:
    """Yield the number of each leaf with all its traits, for fitting."""
    for column in columns_of(leaves):
        texts, shares, common = shares_of(column)
        common |= traits_of_column(column)
        size = len(texts)
        for place, value, text in zip(column.places, column.values, texts, strict=True):
            own = traits_of_value(value, shares[text], size)
            yield place, common | own | traits_of_place(leaves[place].path)


def kind_of(value: Any) -> str:
    """Return the kind of a value, as the table of salience calls it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if not isinstance(value, str):
        return "empty" if is_container(value) else "whole" if isinstance(value, int) else "fraction"
    if len(value) < 2:
        return "character" if value else "empty"
    if _BLANK.search(value):
        return "date" if len(value) < 40 and _DATE.fullmatch(value) else "text"
    if _URL.match(value):
        return "url"
    if len(value) >= 16 and _CODE.fullmatch(value):
        return "code"
    return "date" if _DATE.fullmatch(value) else "word"


def _text(value: Any) -> str:
    return f'"{value}' if isinstance(value, str) else dump(value)
