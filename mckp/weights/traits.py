"""What can be seen of a leaf of data that tells whether its reader will need it.

The traits of a leaf are names with amounts. Those that it shares with its column, with equal values
and with its place are found once each. `mckp.weights.salience` adds up what they count, and
``benches/fit_salience.py`` fits that to recorded runs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import log2, log10
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.jsontext import dump, is_container
from mckp.regexes import regex
from mckp.weights.keys import key_of, words_of_name
from mckp.weights.queries import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, KeysView, Sequence

    from mckp.paths import Path
    from mckp.weights.leaves import Leaf

Traits: TypeAlias = dict[str, float]

ITEM: Final = "*"
"""Stands for the index of an item in the path of a column."""

FEWEST: Final = 3
"""Values from which on a column tells what is common in it."""

_LONGEST: Final = 8
"""Characters of numbers that are told apart."""

_PLAIN: Final = frozenset({int, float, bool, type(None)})

STATES: Final = frozenset(
    words_of("status state conclusion outcome severity priority success failed ok error valid")
)
"""The last word of names whose values say how something stands."""

_URL: Final = regex(r"[a-z][a-z0-9+.-]*://|www\.|mailto:")
_CODE: Final = regex(r"[0-9a-f]{16,}|(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9+/_=-]{20,}")
_DATE: Final = regex(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:[T ].*)?)?|[0-9]{2}:[0-9]{2}.{0,10}")
_BLANK: Final = regex(r"\s")
_LOWER: Final = regex(r"[a-z]+")


@dataclass(slots=True, eq=False)
class Group:
    """The objects and arrays of a document that differ in the indices of their paths alone.

    Their path has `ITEM` for each index. `columns` are those of their leaves, by name; leaves stand
    in their `holders`.
    """

    path: Path
    columns: dict[str, Column] = field(default_factory=dict[str, "Column"])
    holders: list[Holder] = field(default_factory=list["Holder"])


@dataclass(slots=True, eq=False)
class Holder:
    """An object or array of a document, and what it stands in.

    `indices` are those in its path, members of maps by their numbers; `names` has the number of
    each of its members, by name or index. A map is an object of objects that are alike, so its
    keys are data.
    """

    above: Holder | None
    group: Group = field(init=False)
    indices: tuple[int, ...] = ()
    names: dict[str | int, int] = field(default_factory=dict[str | int, int])
    is_map: bool = False


@dataclass(slots=True, eq=False)
class Column:
    """The leaves of a document that differ in the indices of their paths alone.

    Each has its number among all leaves, its value, and what it stands in. A column is a key if it
    tells the records of its array apart; its width is how many columns its group has.
    """

    path: Path
    places: list[int] = field(default_factory=list[int])
    values: list[Any] = field(default_factory=list[Any])
    holders: list[Holder] = field(default_factory=list[Holder])
    is_key: bool = False
    width: int = 1


def columns_of(leaves: Sequence[Leaf]) -> list[Column]:
    """Return the columns of a document; the keys of maps count as indices.

    Examples
    --------
    >>> from mckp.tree import TreeNode
    >>> from mckp.weights.leaves import leaves
    >>> rows = leaves(TreeNode.of([{"n": 1, "ok": True}, {"n": 2, "ok": True}]))
    >>> [(each.path, each.values, each.is_key) for each in columns_of(rows)]
    [(('*', 'n'), [1, 2], True), (('*', 'ok'), [True, True], False)]
    >>> stock = leaves(TreeNode.of({"a1": {"price": 2, "left": 7}, "b2": {"price": 3, "left": 0}}))
    >>> [(each.path, each.values) for each in columns_of(stock)]
    [(('*', 'price'), [2, 3]), (('*', 'left'), [7, 0])]
    """
    found: list[Column] = []
    groups: dict[Path, Group] = {}
    inside = _holders(leaves, groups)
    for place, (holder, (path, value, _)) in enumerate(zip(inside, leaves, strict=True)):
        group = holder.group
        if not group.holders or group.holders[-1] is not holder:
            group.holders.append(holder)
        last = path[-1] if path else ""
        name = last if isinstance(last, str) else ITEM
        column = group.columns.get(name)
        if column is None:
            column = group.columns[name] = Column((*group.path, name))
            found.append(column)
        column.places.append(place)
        column.values.append(value)
        column.holders.append(holder)
    for group in groups.values():
        if group.columns:
            _mark_key(group)
        for column in group.columns.values():
            column.width = len(group.columns)
        group.holders.clear()  # without a way back, all of them go when they are no longer used
    return found


def _holders(leaves: Sequence[Leaf], groups: dict[Path, Group]) -> list[Holder]:
    """Return the holder of each leaf; the group of each is added to the groups."""
    known: dict[Path, Holder] = {(): Holder(None)}
    inside: list[Holder] = []
    for path, _, _ in leaves:
        holder = known.get(path[:-1]) or _added(path[:-1], known)
        if path:
            holder.names[path[-1]] = len(holder.names)
        inside.append(holder)
    for path, holder in known.items():  # what something stands in comes before it
        above, own = holder.above, path
        if above is not None:
            step = above.names[path[-1]] if above.is_map else path[-1]
            if isinstance(step, str):
                own, holder.indices = (*above.group.path, step), above.indices
            else:
                own, holder.indices = (*above.group.path, ITEM), (*above.indices, step)
        holder.group = groups.get(own) or groups.setdefault(own, Group(own))
        holder.is_map = _is_map(path, holder.names, known)
    return inside


def _added(path: Path, known: dict[Path, Holder]) -> Holder:
    """Return what has a path, added to what is known if it is new."""
    holder = known.get(path)
    if holder is None:
        above = _added(path[:-1], known)
        above.names.setdefault(path[-1], len(above.names))
        holder = known[path] = Holder(above)
    return holder


def _is_map(path: Path, names: dict[str | int, int], known: dict[Path, Holder]) -> bool:
    """Whether the container at a path, whose members these are, is a map."""
    if len(names) < 2 or not all(isinstance(name, str) for name in names):
        return False
    first: KeysView[str | int] | None = None
    for name in names:
        holder = known.get((*path, name))
        if holder is None or any(isinstance(each, int) for each in holder.names):
            return False
        own = holder.names.keys()
        first = first or own
        if 2 * len(first & own) < len(first | own):
            return False
    return True


def _mark_key(group: Group) -> None:
    """Mark the key of records, if these are some."""
    records = group.holders
    above = records[0].above
    if len(records) < 2 or above is None or len(records[0].indices) == len(above.indices):
        return
    numbers = {id(record): number for number, record in enumerate(records)}
    full = [each for each in group.columns.values() if len(each.values) == len(records)]
    # Identity is compared: in most tables all columns have the same holders in the same order.
    rows = [
        range(len(records))
        if each.holders == records
        else [numbers[id(holder)] for holder in each.holders]
        for each in full
    ]
    given = [(str(c.path[-1]), c.values, r) for c, r in zip(full, rows, strict=True)]
    key = key_of(given, [record.above for record in records])
    if key is not None:
        full[key].is_key = True


def field_of(path: Path) -> str:
    """Return the last two names in the path of a column, as words without numbers.

    Examples
    --------
    >>> field_of(("*", "pullRequest", "createdAt")), field_of(("cards", "card_17", "id"))
    ('pull request.created at', 'card.id')
    """
    names = [str(step) for step in path if step != ITEM][-2:]
    words = ([word for word in words_of_name(name) if not word.isdigit()] for name in names)
    return ".".join(map(" ".join, words))


def traits_of_column(column: Column, distinct: int, total: int) -> Traits:
    """Return what the leaves of a column have in common, of so many values and of all leaves."""
    size, names = len(column.values), [str(step) for step in column.path if step != ITEM]
    words = words_of_name(names[-1]) if names else ()
    found: Traits = {
        "any": 1.0,
        "depth": len(column.path) / 6,
        "words": len(words) / 3,
        "scarce": log10(total / size) / 3,
        "wide": log2(column.width) / 5,
    }
    if named := field_of(column.path):
        found[f"field {named}"] = 1.0
    if column.is_key:
        found["key"] = 1.0
    if column.path[-1] == ITEM:
        found["item"] = 1.0
    if size < FEWEST:
        found["alone"] = 1.0
    else:
        found["rows"] = min(1.0, log10(size) / 3)
        if distinct == 1:
            found["constant"] = 1.0
    if words and words[-1] in STATES and "constant" not in found:
        found["state"] = 1.0
    return found


def described(
    leaves: Sequence[Leaf],
) -> Iterator[tuple[Column, Traits, list[str], dict[str, Traits]]]:
    """Yield each column that is no count, and the traits that all its leaves have.

    With them come a text for each leaf, and for each text the traits of the value that it is of.
    """
    for column in columns_of(leaves):
        if is_count(column):
            continue
        texts = [_text(value) for value in column.values]
        values, size = dict(zip(texts, column.values, strict=True)), len(texts)
        own = {
            text: traits_of_value(values[text], text, count / size, size)
            for text, count in Counter(texts).items()
        }
        yield column, traits_of_column(column, len(own), len(leaves)), texts, own


def is_count(column: Column) -> bool:
    """Whether the values of a column count its records from 0 or 1, so that places tell them."""
    if len(column.values) < FEWEST or not all(type(value) is int for value in column.values):
        return False
    places = [holder.indices[-1:] for holder in column.holders]
    firsts = {value - sum(place) for value, place in zip(column.values, places, strict=True)}
    return firsts in ({0}, {1})


def traits_of_value(value: Any, text: str, share: float, size: int) -> Traits:
    """Return what a value says by itself: its kind, its length, how rare it is in its column."""
    kind = kind_of(value)
    found: Traits = {kind: 1.0}
    if kind in ("whole", "fraction"):
        found[f"digits {min(_LONGEST, len(text.lstrip('-')))}"] = 1.0
    elif isinstance(value, str):
        found["length"] = log2(len(value) + 1) / 8
        if value.isdigit():
            found["numeral"] = 1.0
        elif _LOWER.fullmatch(value):
            found["lower"] = 1.0
    if size >= FEWEST and share < 1:
        found["information"] = -log2(share) / 8
    return found


def traits_of_place(indices: tuple[int, ...]) -> Traits:
    """Return what the place of a leaf in the arrays around it says."""
    return {"early": (1 + indices[-1]) ** -0.5} if indices else {}


def indices_of(column: Column, leaves: Sequence[Leaf]) -> Iterator[tuple[int, ...]]:
    """Yield the indices in the path of each leaf of a column."""
    above = (holder.indices for holder in column.holders)
    if column.path[-1] != ITEM:
        return above
    lasts = (leaves[place].path[-1] for place in column.places)
    return (
        (*own, last) if isinstance(last, int) else own
        for own, last in zip(above, lasts, strict=True)
    )


def traits_of_leaves(leaves: Sequence[Leaf]) -> Iterator[tuple[int, Traits]]:
    """Yield the number of each leaf with all its traits, for fitting, but for counts."""
    for column, common, texts, own in described(leaves):
        places = zip(column.places, texts, indices_of(column, leaves), strict=True)
        for place, text, indices in places:
            yield place, common | own[text] | traits_of_place(indices)


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
    """Return a text that equal values have in common, and no others."""
    if isinstance(value, str):
        return f'"{value}'
    return str(value) if value.__class__ in _PLAIN else dump(value)
