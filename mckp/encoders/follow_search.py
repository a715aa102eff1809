"""Find the rules of a document: which values follow from other values, judged by values alone.

Lengths are guessed from characters here; `encode` writes a document with rules only if it then has
fewer tokens.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.follow_templates import (
    Found,
    are_equal,
    cost_of,
    is_name,
    rules_of_group,
    shared_names,
)
from mckp.encoders.follows import (
    PART,
    Following,
    Place,
    escape,
    has_signs,
    holes_of,
    lines_of_table,
    places,
    restore,
)
from mckp.encoders.headers import write_header
from mckp.encoders.native import Flow, write_flow
from mckp.encoders.rows import ROWS
from mckp.errors import ParseError
from mckp.jsontext import canonical, copied, dump, dump_bytes, is_container, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORTEST_DOCUMENT: Final = 400
"""Fewest characters of strings in a document that is searched for rules."""

MOST_SETS: Final = 160
"""Most sets of objects that are searched."""

SHORTEST_SAME: Final = 40
"""Fewest characters of a subtree that is worth a reference."""

_STEP = regex(r"[A-Za-z0-9_]+\Z")
_identity = regex(
    r"(?i:(?:^|_|-)(?:id|key|name|login|uid|uuid|slug|email|sha|number|code|sku|url|self|href"
    r"|username))\Z|[a-z](?:Id|ID|Key|Name|Number|Uid)\Z"
)
_is_identity = lru_cache(maxsize=4096)(_identity.search)
_SPOKEN: Final = frozenset({"login", "username", "key", "name", "full_name", "slug"})
"""Keys that a reader understands without the side table: taken if they cost up to 15 % more."""


class Reduced(NamedTuple):
    """A document below its rules."""

    less: Any
    """The document without what follows."""
    rules: Following
    head: str
    """The lines above it."""
    share: float
    """About how much is left: the characters of its leaves and rules, by those of all leaves."""


def find(value: Any) -> Reduced | None:
    """Return a document without what follows from the rest, below its rules, or None.

    Examples
    --------
    >>> addresses = [f"https://api.example.org/harbours/{n}" for n in range(9)]
    >>> records = [{"id": n, "url": url, "log": f"{url}/log"} for n, url in enumerate(addresses)]
    >>> find(records).rules.sets[0]
    ('with id', [('url', 'https://api.example.org/harbours/${id}'), ('log', '${url}/log')])
    """
    if not _may_follow(value):
        return None
    less, rules = escape(value) if has_signs(value) else copied(value), Following()
    known = list(places(less))
    before = _length(known)
    search = _RuleSearch(known)
    search.take_out(rules)
    in_place = search.write_in_place()
    known = _take_out_tables(less, known, rules)
    after = _length(known)
    less, is_same = _with_same(less)
    if not (rules.sets or in_place or rules.tables or is_same):
        return None
    try:
        back = restore(copied(less), rules)
    except ParseError:  # rules that use each other
        return None
    if canonical(back) != canonical(value):
        return None
    head = rules.head(write_side_table)
    return Reduced(less, rules, head, (after + len(head)) / before)


def _length(known: list[Place]) -> int:
    """Return about how many characters a document takes at least.

    These are those of its leaves, and of their names outside of tables. What is the same in all
    rows of a table counts once.
    """
    columns: dict[tuple[int, str], list[Any]] = {}
    length = 0
    for place in known:
        home = place.home
        for key, value in place.value.items():
            if isinstance(value, (dict, list)):
                continue
            if place.is_row:
                columns.setdefault((home, key), []).append(value)
            else:
                length += len(key) + 1 + _size(value)
    for column in columns.values():
        length += _size(column[0]) if are_equal(column) else sum(map(_size, column))
    return length


def _size(value: Any) -> int:
    """Return the number of characters of a leaf."""
    return len(value if isinstance(value, str) else dump_bytes(value))


def _may_follow(value: Any) -> bool:
    """Whether a document has enough strings that may follow from each other."""
    amount, pending = 0, [value] if is_container(value) else []
    while pending:
        item = pending.pop()
        for child in item.values() if is_object(item) else item:
            if isinstance(child, str):
                amount += len(child)
            elif is_container(child):
                amount += 4
                pending.append(child)
        if amount >= SHORTEST_DOCUMENT:
            return True
    return False


class _RuleSearch:
    """The search for rules of sets of objects, and of single objects."""

    def __init__(self, known: list[Place]) -> None:
        self.known = known
        self.stamps = [0] * len(known)
        """How often members were taken out of each object, or of those that its rules may use."""
        self.users = _users_of(known)

    def take_out(self, rules: Following) -> None:
        """Take members that follow from others out of sets of objects, the most first."""
        queue: list[tuple[Found, int, list[str], list[int]]] = []
        for names, members in _sets_of(self.known):
            found = self.derive(names, members)
            if found.saved > 0:
                queue.append((found, self.stamp(members), names, members))
        while queue:
            best = max(range(len(queue)), key=lambda at: queue[at][0].saved)
            found, stamp, names, members = queue.pop(best)
            if stamp != (now := self.stamp(members)):
                if names := self.names_left(names, members):
                    found = self.derive(names, members)
                    if found.saved > 0:
                        queue.append((found, now, names, members))
                continue
            name = _best_name(names, found)
            rules.sets.append((name, found.rules))
            self.apply(found, members)

    def stamp(self, members: list[int]) -> int:
        """Return a number that changes when a member is taken out of one of the objects."""
        return sum(self.stamps[index] for index in members)

    def names_left(self, names: list[str], members: list[int]) -> list[str]:
        """Return the names that still mean just these objects."""
        left: list[str] = []
        for name in names:
            how, _, key = name.partition(" ")
            if how == "in" or all(key in self.known[index].value for index in members):
                left.append(name)
        return left

    def apply(self, found: Found, members: list[int]) -> None:
        """Take the members that rules give out of objects; leave the parts of some."""
        for at, index in enumerate(members):
            value = self.known[index].value
            for key, _ in found.rules:
                if at not in found.kept.get(key, ()):
                    del value[key]
            for key, cells in found.parts.items():
                value[key + PART] = cells[at]
            for user in self.users[index]:
                self.stamps[user] += 1

    def write_in_place(self) -> bool:
        """Write members of single objects as templates of others; return whether there are any."""
        written = False
        for place in self.known:
            if place.is_row:
                continue
            for key, text in rules_of_group([], [place]).rules:
                place.value[key] = text
                written = True
        return written

    def derive(self, names: list[str], members: list[int]) -> Found:
        """Return the rules of a set of objects."""
        return rules_of_group(names, [self.known[index] for index in members])


def _sets_of(known: Sequence[Place]) -> list[tuple[list[str], list[int]]]:
    """Return the different sets of objects that have a name, with all their names."""
    having: dict[str, list[int]] = {}
    inside: dict[str, list[int]] = {}
    for index, place in enumerate(known):
        for key in place.value:
            having.setdefault(key, []).append(index)
        inside.setdefault(place.name or "[]", []).append(index)
    same: dict[tuple[int, ...], list[str]] = {}
    for how, by_name in (("with", having), ("in", inside)):
        for name, members in by_name.items():
            if len(members) > 1 and (is_name(name) or (how == "in" and name == "[]")):
                same.setdefault(tuple(members), []).append(f"{how} {name}")
    return [(names, list(members)) for members, names in islice(same.items(), MOST_SETS)]


def _users_of(known: list[Place]) -> list[list[int]]:
    """Return for each object the indexes of those whose rules may use its members.

    These are itself, the object around it, and objects in it, one or two levels down.
    """
    index_of = {id(place): index for index, place in enumerate(known)}
    users = [[index] for index in range(len(known))]
    for index, place in enumerate(known):
        if place.above is not None:
            above = index_of[id(place.above)]
            users[above].append(index)
            users[index].append(above)
            if place.above.above is not None:
                users[index_of[id(place.above.above)]].append(index)
    return users


def _best_name(names: list[str], found: Found) -> str:
    """Return the name of a set of objects whose member stays; best one that the rules use."""
    gone = {key for key, _ in found.rules}
    used = {hole for _, text in found.rules for hole in holes_of(text)}
    free = [name for name in names if name.startswith("in ") or name[5:] not in gone]
    return min(
        free,
        key=lambda name: (name[5:] not in used, not name.startswith("in "), len(name), name),
    )


class _Table(NamedTuple):
    """A side table that could be made."""

    saved: float
    key: str
    others: list[str]


def _take_out_tables(root: Any, known: list[Place], rules: Following) -> list[Place]:
    """Move what depends on a key into side tables, where that is shorter.

    `known` has the objects of the document; those that are left are returned.
    """
    searched: dict[tuple[int, ...], list[_Table]] = {}
    while True:
        best: tuple[_Table, str, list[Place]] | None = None
        for names, members in _sets_of(known):
            group = [known[index] for index in members]
            numbers = tuple(id(place.value) for place in group)
            if (tables := searched.get(numbers)) is None:
                tables = searched[numbers] = _dependent(group)
            for table in tables:
                own = f"with {table.key}" in names
                where = next((name[3:] for name in names if name.startswith("in ")), None)
                label = table.key if own else where and f"{where}.{table.key}"
                if label and (best is None or table.saved > best[0].saved):
                    best = table, label, group
        if best is None:
            return known
        (_, key, others), label, group = best
        rows: dict[str, dict[str, Any]] = {}
        for place in group:
            mark = dump(place.value[key])
            if mark not in rows:
                rows[mark] = {name: place.value[name] for name in (key, *others)}
        changed: set[int] = set()
        for place in group:
            for name in others:
                del place.value[name]
            around: Place | None = place
            while around is not None and id(around.value) not in changed:
                changed.add(id(around.value))
                around = around.above
        searched = {ids: old for ids, old in searched.items() if changed.isdisjoint(ids)}
        rules.tables.append((label, list(rows.values())))
        if any(is_container(row[name]) for row in rows.values() for name in others):
            known = list(places(root))  # without the objects that are in the table now


def _dependent(group: list[Place]) -> list[_Table]:
    """Return keys of some objects with the members that depend on them, and what a table saves."""
    shared = shared_names([place.value for place in group])
    keys = [key for key in shared if _is_identity(key)]
    if len(shared) < 2 or not keys:
        return []
    has_one_home = len({place.home for place in group}) == 1
    columns: dict[str, list[Any]] = {}

    def column_of(name: str) -> list[Any]:
        """Return the values of a member."""
        if name not in columns:
            columns[name] = [place.value[name] for place in group]
        return columns[name]

    found: list[_Table] = []
    for key in keys:
        column = column_of(key)
        if not _KEYS.issuperset(map(type, column)):
            continue
        firsts: dict[tuple[type[Any], Any], int] = {}
        for at, value in enumerate(column):
            firsts.setdefault((value.__class__, value), at)
        if len(firsts) > 0.8 * len(group) or (has_one_home and len(firsts) < 2):
            continue
        leads = [firsts[value.__class__, value] for value in column]
        others: list[str] = []
        for other in shared:
            cells = column_of(other)
            if other == key or not _are_same(cells, [cells[at] for at in leads]):
                continue
            # A column of one table that is constant is written once already.
            if not (has_one_home and are_equal(cells)):
                others.append(other)
        if not others:
            continue
        now = sum(
            _cost(value) + (0 if place.is_row else 1 + cost_of(other))
            for other in others
            for place, value in zip(group, column_of(other), strict=True)
        )
        table = sum(_cost(column_of(o)[at]) for o in (key, *others) for at in firsts.values())
        saved = now - table - sum(cost_of(other) + 1 for other in (key, *others)) - 8
        if saved > 12:
            found.append(_Table(saved * 1.15 if key in _SPOKEN else saved, key, others))
    return found


_KEYS: Final = frozenset({str, int, float})
"""Types of values by which tables have rows."""


def _are_same(column: list[Any], other: list[Any]) -> bool:
    """Whether two columns have the same values, types included."""
    return column == other and dump(column) == dump(other)


def _cost(value: Any) -> int:
    """Return about how many tokens a value has as JSON."""
    return cost_of(dump(value))


def _with_same(root: Any) -> tuple[Any, bool]:
    """Return data with references to subtrees that are there before, outside of rows."""
    firsts: dict[str, str] = {}
    written = False

    def walk(value: Any, path: str | None) -> Any:
        """Return a value with references."""
        nonlocal written
        if path is None or not is_container(value) or not value:
            return value
        if path:
            text = dump(value)
            if len(text) >= SHORTEST_SAME:
                known = firsts.get(text)
                if known is not None and len(known) + 12 < len(text):
                    written = True
                    return f"${{${known}}}"
                firsts.setdefault(text, path)
        if is_object(value):
            return {
                key: walk(child, None if not _STEP.match(key) else f"{path}.{key}")
                for key, child in value.items()
            }
        inner = path if len(value) < 2 else None
        return [
            walk(child, None if inner is None else f"{inner}[{at}]")
            for at, child in enumerate(value)
        ]

    return walk(root, ""), written


def rules_body(value: object) -> Body | None:
    """Write an object or array in flow notation below its rules; None if no rules save text."""
    found = find(value) if is_container(value) and value else None
    if found is None:
        return None
    return Body("", found.head + write_flow(found.less))


def write_side_table(rows: list[dict[str, Any]]) -> str:
    """Return the rows of a side table, without lines below rows; as one line if that cannot be."""
    body = ROWS.body(rows)
    text = "" if body is None else write_header(0, "", body.shape, ROWS.name) + body.text
    # A row of several lines could not be told from the rules below it.
    if text and text.count("\n") == lines_of_table(text.split("\n")):
        return text
    return Flow(None).value(rows) + "\n"


RULES = Format("rules", DataLoss.NONE, rules_body)
