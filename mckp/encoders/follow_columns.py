"""Columns of a table that follow from others: a rule below its header replaces their cells.

``== user.html_url = https://example.org/${login}`` gives the object in the column ``user`` of each
row one more member. In a rule, ``${x}`` is the member x of the same object, ``${x.y}`` of an object
in it, and ``${../x}`` of the object around it, as in rules above data.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from mckp.encoders.follow_templates import is_name, rules_of_group
from mckp.encoders.follows import NAME, Filler, has, holes_of, places
from mckp.encoders.free_text import shows_presence
from mckp.encoders.shapes import Cell, Derived, Group, Items
from mckp.jsontext import is_container
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mckp.encoders.follows import Place
    from mckp.encoders.records import Column, Records
    from mckp.encoders.shapes import Record, Shape

Path: TypeAlias = tuple[str, ...]
"""The columns around a member, and its name."""

ColumnRules: TypeAlias = "dict[Path, str]"
"""Templates by the members that they give; a member comes after those that it is made from."""

_RULE = regex(rf"({NAME}(?:\.{NAME})*) = (.*\$\{{.+)")


def column_rules(records: Records) -> ColumnRules:
    """Return the rules of an array's records, for columns that are shorter as a rule.

    No rule uses what a later one gives.

    Examples
    --------
    >>> from mckp.encoders.records import Records
    >>> users = [{"id": n * n, "url": f"https://example.org/users/{n * n}"} for n in range(9)]
    >>> column_rules(Records.of(users))
    {('url',): 'https://example.org/users/${id}'}
    """
    rules: ColumnRules = {}
    if records.names is not None or any(map(is_container, records.odd.values())):
        return rules
    used: set[Path] = set()
    for path, group in _by_path(records.source).items():
        if len(group) < 2 or not all(map(is_name, path)):
            continue
        for key, text in rules_of_group([], group).rules:
            if (here := (*path, key)) not in used:
                rules[here] = text
                used.update(sources_of(here, text))
    return rules


def _by_path(rows: Sequence[Any]) -> dict[Path, list[Place]]:
    """Return the objects in the rows of a table by the columns around them."""
    paths: dict[Place | None, Path] = {None: ()}
    groups: dict[Path, list[Place]] = {}
    for place in places(list(rows)):
        path = paths[place] = (*paths[place.above], place.name) if place.name else ()
        groups.setdefault(path, []).append(place)
    return groups


def with_rules(
    group: Group,
    records: Records,
    whole: Records,
    rules: ColumnRules,
    bare: Records | None = None,
) -> Group:
    """Return a shape without the columns that rules give.

    `whole` has the records from which the rules were found; `records` may have fewer columns. A
    column is replaced only if the records have all of it, and of all columns that it is made from.
    If rows may also be as in `bare`, these have all of it, too, or lack what it is made from.
    """

    def is_apart(path: Path, text: str) -> bool:
        """Whether bare rows have a member just if they have all that it is made from."""
        if bare is None:
            return True
        if _has_all(bare, whole, path):  # an address may be left where the hash in it was cut
            return all(_has_all(bare, whole, source) for source in sources_of(path, text))
        return any(not _has_some(bare, source) for source in sources_of(path, text))

    kept: ColumnRules = {}
    for path, text in rules.items():
        needed = (path, *sources_of(path, text))
        if all(_has_all(records, whole, name) for name in needed) and is_apart(path, text):
            kept[path] = text
    return _without(group, kept, ()) if kept else group


def sources_of(path: Path, text: str) -> Iterator[Path]:
    """Yield the members that the rule of a member uses."""
    for name in holes_of(text):
        inner = name.removeprefix("../").removeprefix("../")
        around = path[: -1 - name.count("../")]
        yield (*around, *inner.split("."))


def _has_all(records: Records, whole: Records, path: Path) -> bool:
    """Whether records have all values of a member that the whole records have."""
    *around, key = path
    for name in around:
        left, all_of = records.columns.get(name), whole.columns.get(name)
        if left is None or all_of is None:
            return False
        if left is all_of:
            return True
        inner, whole_inner = _inner(left), _inner(all_of)
        if inner is None or whole_inner is None:
            return False
        records, whole = inner, whole_inner
    left, all_of = records.columns.get(key), whole.columns.get(key)
    return left is not None and all_of is not None and (left is all_of or left.raw == all_of.raw)


def _has_some(records: Records, path: Path) -> bool:
    """Whether records have any value of a member."""
    *around, key = path
    for name in around:
        column = records.columns.get(name)
        inner = None if column is None else _inner(column)
        if inner is None:
            return column is not None
        records = inner
    return key in records.columns


def _inner(column: Column) -> Records | None:
    """Return the records in a column: objects, or the items of arrays; None if it has both."""
    if column.objects:
        return None if column.starts else column.nested
    items = column.items
    return None if any(map(is_container, items.odd.values())) else items


def _without(group: Group, rules: Mapping[Path, str], path: Path) -> Group:
    """Return a group without the cells that rules give, at a path of columns."""
    columns: dict[str, Shape] = {}
    for key, shape in group.columns.items():
        here = (*path, key)
        columns[key] = shape
        if shape is Cell.WORD and here in rules:
            columns[key] = Derived(rules[here])
        elif isinstance(shape, Group):
            columns[key] = _without(shape, rules, here)
        elif isinstance(shape, Items) and isinstance(shape.record, Group):
            inner = _without(shape.record, rules, here)
            columns[key] = shape if inner is shape.record else Items(inner)
    if all(columns[key] is shape for key, shape in group.columns.items()):
        return group
    # Something must show in the row that the object is there.
    left = replace(group, columns=columns)
    cells = [shape for shape in left.flat_columns() if isinstance(shape, Cell | Items)]
    return left if cells and shows_presence(left) else group


def write_rules(record: Record, sign: str) -> str:
    """Return the lines of the rules for columns of a table, each after a sign."""
    return "".join(
        f"{sign}{'.'.join(path)} = {text}\n" for path, text in _in_order(_rules_in(record, ()))
    )


def _rules_in(record: Record, path: Path) -> ColumnRules:
    """Return the rules for columns of a table, and of the objects and tables in it."""
    rules: ColumnRules = {}
    for key, shape in record.columns.items() if isinstance(record, Group) else ():
        here = (*path, key)
        if isinstance(shape, Derived) and shape.rule:
            rules[here] = shape.rule
        elif isinstance(shape, Group | Items):
            rules |= _rules_in(shape if isinstance(shape, Group) else shape.record, here)
    return rules


def _in_order(rules: ColumnRules) -> Iterator[tuple[Path, str]]:
    """Yield the rules, each after those for the members that it uses."""
    left = dict(rules)
    while left:
        ready = [
            path for path, text in left.items() if left.keys().isdisjoint(sources_of(path, text))
        ]
        yield from ((path, left.pop(path)) for path in ready)


def read_rule(line: str) -> tuple[Path, str] | None:
    """Return the member that a line gives, and its template; None for any other line."""
    found = _RULE.fullmatch(line)
    return (tuple(found[1].split(".")), found[2]) if found else None


def fill_columns(rows: Sequence[Any], rules: ColumnRules, spend: Callable[[int], None]) -> None:
    """Add to rows the members that rules give to those that lack them.

    `spend` is told the length of what rules spell out, and raises an error if that is too much.
    Where something that a member is made from was cut, the member was cut, too.
    """
    if not rules:
        return
    filler, groups = Filler(spend), _by_path(rows)
    for path, text in rules.items():
        for place in groups.get(path[:-1], ()):
            if path[-1] not in place.value and all(has(place, name) for name in holes_of(text)):
                place.value[path[-1]] = filler.result(text, place)
