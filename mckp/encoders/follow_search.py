"""Find the rules of a document: which values follow from other values, judged by values alone.

Lengths are guessed from characters here; `encode` writes a document with rules only if it then has
fewer tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders.follows import NAME, PART, Following, Place, escape, holes_of, places, restore
from mckp.errors import ParseError
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORTEST_DOCUMENT: Final = 400
"""Fewest characters of strings in a document that is searched for rules."""

SHORTEST: Final = 8
"""Fewest characters of a value that is worth a template."""

LONGEST: Final = 400
"""Most characters of a value that is compared with templates."""

MOST_SETS: Final = 160
"""Most sets of objects that are searched."""

MOST_HOLES: Final = 4
"""Most members that a template uses."""

MOST_STARTS: Final = 24
"""Most places in a value that are tried for each of them."""

SHORTEST_SAME: Final = 40
"""Fewest characters of a subtree that is worth a reference."""

_NAME = regex(rf"{NAME}\Z")
_PLAIN = regex(r"[!-#%-~]+\Z")
_STEP = regex(r"[A-Za-z0-9_]+\Z")
_BOUND = regex(r"[^0-9A-Za-z]|(?<=[^0-9A-Za-z])(?=[0-9A-Za-z])|(?<=[A-Za-z])(?=[0-9])")
_INTEGER = regex(r"(?:0|[1-9][0-9]{0,14})\Z")
_WORDS = regex(r"[a-z]{3,}")
_IDENTITY = regex(
    r"(?i:(?:^|_|-)(?:id|key|name|login|uid|uuid|slug|email|sha|number|code|sku|url|self|href"
    r"|username))\Z|[a-z](?:Id|ID|Key|Name|Number|Uid)\Z"
)
_SPOKEN: Final = frozenset({"login", "username", "key", "name", "full_name", "slug"})
"""Keys that a reader understands without the side table: taken if they cost up to 15 % more."""

Texts = list[str]


class _Found(NamedTuple):
    """The rules of a set of objects, and what they save."""

    saved: int
    rules: list[tuple[str, str]]
    parts: dict[str, list[Any]]


def find(value: Any) -> tuple[Any, Following] | None:
    """Return a document without what follows from the rest, and its rules, or None.

    Examples
    --------
    >>> addresses = [f"https://api.example.org/harbours/{n}" for n in range(9)]
    >>> records = [{"id": n, "url": url, "log": f"{url}/log"} for n, url in enumerate(addresses)]
    >>> find(records)[1].sets[0]
    ('with id', [('url', 'https://api.example.org/harbours/${id}'), ('log', '${url}/log')])
    """
    if not _may_follow(value):
        return None
    less, rules = escape(value), Following()
    known = list(places(less))
    search = _RuleSearch(known)
    search.take_out(rules)
    in_place = search.write_in_place()
    in_tables = _take_out_tables(less, rules)
    less, is_same = _with_same(less)
    if not (rules.sets or in_place or in_tables or is_same):
        return None
    try:
        back = restore(escape_nothing(less), rules)
    except ParseError:  # rules that use each other
        return None
    return (less, rules) if _equal(back, value) else None


def escape_nothing(value: Any) -> Any:
    """Return a deep copy of data."""
    if is_object(value):
        return {key: escape_nothing(child) for key, child in value.items()}
    return list(map(escape_nothing, value)) if is_array(value) else value


def _equal(left: Any, right: Any) -> bool:
    """Whether two values are equal, including the types in them, whatever the order of members."""
    if type(left) is not type(right):
        return False
    if is_object(left):
        return left.keys() == right.keys() and all(_equal(left[k], right[k]) for k in left)
    if is_array(left):
        return len(left) == len(right) and all(map(_equal, left, right))
    return bool(left == right) and (not isinstance(left, float) or repr(left) == repr(right))


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


def cost_of(text: str) -> int:
    """Return about how many tokens a text has."""
    return (len(text) + 7) // 4


def _text(value: Any) -> str:
    """Return the text that a template may have in place of a value; "" if it may not."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _member_cost(place: Place, key: str, value: Any) -> int:
    """Return about how many tokens a member has: in rows, its name is in the header."""
    text = value if isinstance(value, str) else dump(value)
    return cost_of(text) if place.is_row else 1 + cost_of(text) + cost_of(key)


class _RuleSearch:
    """The search for rules of sets of objects, and of single objects."""

    def __init__(self, known: list[Place]) -> None:
        self.known = known
        self.stamps = [0] * len(known)
        """How often members were taken out of each object, or of those that its rules may use."""
        self.users = _users_of(known)

    def sets(self) -> list[tuple[list[str], list[int]]]:
        """Return the different sets of objects that have a name, with all their names."""
        by_name: dict[str, list[int]] = {}
        for index, place in enumerate(self.known):
            for key in place.value:
                by_name.setdefault(f"with {key}", []).append(index)
            by_name.setdefault(f"in {place.name or '[]'}", []).append(index)
        same: dict[tuple[int, ...], list[str]] = {}
        for name, members in by_name.items():
            word = name.partition(" ")[2]
            if len(members) > 1 and (word == "[]" or _NAME.match(word)):
                same.setdefault(tuple(members), []).append(name)
        return [(names, list(members)) for members, names in same.items()][:MOST_SETS]

    def take_out(self, rules: Following) -> None:
        """Take members that follow from others out of sets of objects, the most first."""
        queue: list[tuple[_Found, int, list[str], list[int]]] = []
        for names, members in self.sets():
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

    def apply(self, found: _Found, members: list[int]) -> None:
        """Take the members that rules give out of objects; leave the parts of some."""
        for at, index in enumerate(members):
            value = self.known[index].value
            for key, _ in found.rules:
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
            for key, text in self.derive_group([], [place]).rules:
                place.value[key] = text
                written = True
        return written

    def derive(self, names: list[str], members: list[int]) -> _Found:
        """Return the rules of a set of objects."""
        return self.derive_group(names, [self.known[index] for index in members])

    def derive_group(self, names: list[str], group: list[Place]) -> _Found:
        """Return the rules of some objects; without names, what is written in place of values."""
        lead, several = group[0].value, len(group) > 1
        shared = [key for key in lead if _NAME.match(key)]
        if several:
            shared = [key for key in shared if all(key in place.value for place in group)]
        columns = {key: [place.value[key] for place in group] for key in shared}
        sources = _Sources()
        if not any(_may_be_template(column[0]) for column in columns.values()):
            if not names:
                return _Found(0, [], {})
        else:
            self.add_outer_sources(sources, group, columns)
        own = {name[5:] for name in names if name.startswith("with ")}
        has_place = any(name.startswith("in ") for name in names)
        homes = len({place.home for place in group}) if several else 1
        found = _Found(0, [], {})
        saved, gone = -5 if names else 0, set[str]()
        seen: dict[tuple[Any, ...], str] = {}
        for key in sorted(
            shared, key=lambda key: (len(_text(columns[key][0])), key not in own, len(key))
        ):
            column = columns[key]
            if any(map(is_container, column)):
                continue
            rule, cells, cost = _rule_of(key, column, group, sources, seen, homes if names else 0)
            if rule:
                price = cost_of(rule) + (cost_of(key) + 1 if names else cost_of(key) + 2)
                is_last = bool(names) and not has_place and own <= gone | {key}
                if cost > price and not is_last:
                    found.rules.append((key, rule))
                    gone.add(key)
                    if cells:
                        found.parts[key] = cells
                    saved += cost - price
            if not cells or not rule or key not in found.parts:
                sources.add(key, column)
                seen.setdefault(_identity(column), key)
        return found._replace(saved=saved if found.rules else 0)

    def add_outer_sources(
        self, sources: _Sources, group: list[Place], columns: dict[str, list[Any]]
    ) -> None:
        """Add members of the objects in the objects of a group, and of those around them."""
        inside = {id(place.value) for place in group}
        for key, column in columns.items():
            if all(is_object(value) and id(value) not in inside for value in column):
                for inner in column[0]:
                    if _NAME.match(inner) and all(inner in value for value in column):
                        sources.add(f"{key}.{inner}", [value[inner] for value in column])
        above: list[Place | None] = [*group]
        for up in ("../", "../../"):
            above = [place and place.above for place in above]
            around = [place.value for place in above if place is not None]
            if len(around) < len(group) or not inside.isdisjoint(map(id, around)):
                return
            for key in around[0]:
                if _NAME.match(key) and all(key in value for value in around):
                    sources.add(up + key, [value[key] for value in around])


def _may_be_template(value: Any) -> bool:
    """Whether a value may be made of others: like an address, with signs but without blanks."""
    is_long = isinstance(value, str) and SHORTEST <= len(value) <= LONGEST
    return is_long and not value.isalnum() and _PLAIN.match(value) is not None


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


class _Sources:
    """The texts that templates may use, by name, and by their text in the first object."""

    def __init__(self) -> None:
        self.texts: dict[str, Texts] = {}
        self.first: dict[str, list[str]] = {}
        self.lengths: list[int] = []
        self.begins = set[str]()
        """The first two characters of each, or the only one."""

    def add(self, name: str, column: Sequence[Any]) -> None:
        """Add a column, if each of its values has a text without the sign of a template."""
        texts = list(map(_text, column))
        if not all(texts) or len(texts[0]) > LONGEST or any("$" in text for text in texts):
            return
        self.texts[name] = texts
        if texts[0] not in self.first and len(texts[0]) not in self.lengths:
            self.lengths.append(len(texts[0]))
            self.lengths.sort(reverse=True)
        self.first.setdefault(texts[0], []).append(name)
        self.begins.add(texts[0][:2])


def _identity(column: Sequence[Any]) -> tuple[Any, ...]:
    """Return what equal columns share, types included."""
    return tuple((type(value), value) for value in column)


def _rule_of(
    key: str,
    column: list[Any],
    group: list[Place],
    sources: _Sources,
    seen: dict[tuple[Any, ...], str],
    homes: int,
) -> tuple[str, list[Any] | None, int]:
    """Return a rule for a column, the parts of its values that stay, and what the column costs."""
    first = column[0]
    is_text = isinstance(first, str)
    is_equal = len(column) > 1 and all(v == first and type(v) is type(first) for v in column)
    if is_equal:
        by_home = {place.home: place for place in group}
        cost = sum(_member_cost(place, key, first) for place in by_home.values())
        if homes > 1 and (first is None or isinstance(first, bool) or first == ""):
            return dump(first), None, cost
    else:
        cost = sum(_member_cost(p, key, v) for p, v in zip(group, column, strict=True))
    if isinstance(first, float) or first is None or isinstance(first, bool):
        return "", None, cost
    other = seen.get(_identity(column))
    if other is not None and _are_alike(key, other, column, is_equal=is_equal):
        return f"${{{other}}}", None, cost
    if (
        not is_text
        or len(first) < SHORTEST
        or not all(isinstance(v, str) and len(v) <= LONGEST and _PLAIN.match(v) for v in column)
    ):
        return "", None, cost
    may_part = homes > 0 and not is_equal and not any(key + PART in p.value for p in group)
    rule, cells = _template(key, column, sources, may_part=may_part)
    if cells:
        cost -= sum(_member_cost(p, key, v) for p, v in zip(group, cells, strict=True))
    return rule, cells, cost


def _are_alike(key: str, other: str, column: list[Any], *, is_equal: bool) -> bool:
    """Whether two columns with the same values are so by their meaning, not by coincidence."""
    shortest = min(len(_text(value)) for value in column)
    if shortest >= (10 if is_equal else 6):
        return True
    shared = set(_WORDS.findall(key.lower())) & set(_WORDS.findall(other.lower()))
    return bool(shared) and not (is_equal and shortest < 4)


def _template(
    key: str, column: Texts, sources: _Sources, *, may_part: bool
) -> tuple[str, list[Any] | None]:
    """Return a template for all texts of a column, or "", and the parts it lacks."""
    rest, out, holes = column, "", 0
    while True:
        head = rest[0]
        is_equal = all(text == head for text in rest)
        common = len(head) if is_equal else _common(rest)
        hole = _next_hole(rest, head, common, sources, is_equal=is_equal)
        if hole is None or holes == MOST_HOLES:
            if is_equal:
                return (out + head if holes else ""), None
            return _with_part(key, out, rest, common) if may_part else ("", None)
        start, name = hole
        holes += 1
        out += f"{head[:start]}${{{name}}}"
        rest = [
            text[start + len(known) :]
            for text, known in zip(rest, sources.texts[name], strict=True)
        ]
        if not any(rest):
            # A single hole is a copy, which keeps the type: the value must be a text too.
            return ("" if out == f"${{{name}}}" else out), None


def _common(texts: Texts) -> int:
    """Return the length of what all texts begin with."""
    low, high = min(texts), max(texts)
    size = min(len(low), len(high))
    return next((at for at in range(size) if low[at] != high[at]), size)


def _next_hole(
    rest: Texts, head: str, common: int, sources: _Sources, *, is_equal: bool
) -> tuple[int, str] | None:
    """Return where a source comes next in all texts, and its name."""
    starts = [0]
    for match in _BOUND.finditer(head, 0, common + 1):
        if 0 < match.end() <= common and len(starts) < MOST_STARTS:
            starts.append(match.end())
    for start in starts:
        if not sources.begins.intersection((head[start : start + 1], head[start : start + 2])):
            continue
        for length in sources.lengths:
            if is_equal and length < SHORTEST - 2:
                break
            end = start + length
            names = sources.first.get(head[start:end])
            if names is None or end > len(head):
                continue
            if end < len(head) and head[end].isalnum() and head[end - 1].isalnum():
                continue
            for name in names:
                texts = sources.texts[name]
                if all(t.startswith(known, start) for t, known in zip(rest, texts, strict=True)):
                    return start, name
    return None


def _with_part(key: str, out: str, rest: Texts, common: int) -> tuple[str, list[Any] | None]:
    """Return a template that uses the part in which texts differ, and these parts."""
    head = rest[0]
    while common and head[common - 1].isalnum():
        common -= 1
    if head[common - 1 : common] == "%":  # an escape of an address stays whole
        common -= 1
    tail = _common([text[common:][::-1] for text in rest])
    last = head[::-1]
    while tail and last[tail - 1].isalnum():
        tail -= 1
    cells: list[Any] = [text[common : len(text) - tail] for text in rest]
    rule = f"{out}{head[:common]}${{{key}{PART}}}{head[len(head) - tail :]}"
    if not all(cells) or cost_of(rule) < cost_of(key) + 7:
        return "", None
    if all(_INTEGER.match(cell) for cell in cells):
        cells = list(map(int, cells))
    return rule, cells


def _best_name(names: list[str], found: _Found) -> str:
    """Return the name of a set of objects whose member stays; best one that the rules use."""
    gone = {key for key, _ in found.rules}
    used = {hole for _, text in found.rules for hole in holes_of(text)}
    free = [name for name in names if name.startswith("in ") or name[5:] not in gone]
    return min(
        free,
        key=lambda name: (name[5:] not in used, not name.startswith("in "), len(name), name),
    )


def _take_out_tables(root: Any, rules: Following) -> bool:
    """Move what depends on a key into side tables, where that is shorter; return whether it is."""
    while True:
        known = list(places(root))
        best: tuple[float, str, list[Place], str, list[str]] | None = None
        for names, members in _RuleSearch(known).sets():
            group = [known[index] for index in members]
            for saved, key, others in _dependent(group):
                own = f"with {key}" in names
                where = next((name[3:] for name in names if name.startswith("in ")), None)
                label = key if own else where and f"{where}.{key}"
                if label and (best is None or saved > best[0]):
                    best = saved, label, group, key, others
        if best is None:
            return bool(rules.tables)
        _, label, group, key, others = best
        rows: dict[str, dict[str, Any]] = {}
        for place in group:
            mark = dump(place.value[key])
            if mark not in rows:
                rows[mark] = {name: place.value[name] for name in (key, *others)}
        for place in group:
            for name in others:
                del place.value[name]
        rules.tables.append((label, list(rows.values())))


def _dependent(group: list[Place]) -> list[tuple[float, str, list[str]]]:
    """Return keys of some objects with the members that depend on them, and what a table saves."""
    lead = group[0].value
    shared = [key for key in lead if _NAME.match(key) and all(key in p.value for p in group)]
    keys = [key for key in shared if _IDENTITY.search(key)]
    if len(shared) < 2 or not keys:
        return []
    marks = {key: [dump(place.value[key]) for place in group] for key in shared}
    if len({place.home for place in group}) == 1:
        # A column of one table that is constant is written once already.
        shared = [key for key in shared if len(set(marks[key])) > 1]
    found: list[tuple[float, str, list[str]]] = []
    for key in keys:
        column = marks[key]
        firsts: dict[str, int] = {}
        for at, mark in enumerate(column):
            firsts.setdefault(mark, at)
        if (
            key not in shared
            or len(firsts) > 0.8 * len(group)
            or any(m[0] in "{[ntf" for m in column)
        ):
            continue
        lead_rows = [firsts[mark] for mark in column]
        others = [
            other
            for other in shared
            if other != key
            and all(
                mark == marks[other][at] for mark, at in zip(marks[other], lead_rows, strict=True)
            )
        ]
        if not others:
            continue
        now = sum(
            cost_of(mark) + (0 if place.is_row else 1 + cost_of(other))
            for other in others
            for place, mark in zip(group, marks[other], strict=True)
        )
        table = sum(cost_of(marks[o][at]) for o in (key, *others) for at in firsts.values())
        saved = now - table - sum(cost_of(other) + 1 for other in (key, *others)) - 8
        if saved > 12:
            found.append((saved * 1.15 if key in _SPOKEN else saved, key, others))
    return found


def _with_same(root: Any) -> tuple[Any, bool]:
    """Return data with references to subtrees that are there before, outside of rows."""
    firsts: dict[str, str] = {}
    written = False

    def walk(value: Any, path: str | None) -> Any:
        """Return a value with references."""
        nonlocal written
        if not is_container(value) or not value:
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
                key: walk(child, None if path is None or not _STEP.match(key) else f"{path}.{key}")
                for key, child in value.items()
            }
        inner = path if len(value) < 2 else None
        return [
            walk(child, None if inner is None else f"{inner}[{at}]")
            for at, child in enumerate(value)
        ]

    return walk(root, ""), written
