r"""Following above data: what follows from other values is written once.

The first line says how many lines of rules follow; a line ``data:`` ends them. The document below
does not have the members that the rules give::

    (5) rules
    objects with login:
    html_url = https://github.com/${login}
    by team.key:
    [1]{key name lead}
    T7 Tides ann
    data:

- ``objects with M:`` are all that have the member M, ``objects in P:`` those that are the value of
  a member P, or items of it. Each rule below gives them one more member, if they do not have it.
- In a rule, ``${x}`` is the text of the member x of the same object, ``${x.y}`` of an object in it,
  and ``${../x}`` of the object around it. A rule that is nothing else gives the same value.
- ``name.part`` is a member that has only that part of ``name`` which its rule does not give.
- ``by K:`` heads a table: each object that has K also has the other members of the row with that K;
  with ``by P.K:``, each that is the value of P.
- In the data, ``url: ${x}/y`` means the same as a rule, and ``${$.a.b}`` is the value at that path.

A literal ``${`` is written ``$${``. Following are read from the last to the first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.lines import LARGEST, Lines
from mckp.errors import ParseError
from mckp.jsontext import dump_bytes, is_array, is_container, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator

NAME: Final = r"[A-Za-z0-9_@+:-]+"
"""Names of members that rules may use, as a regular expression."""

PART: Final = ".part"
"""What the name of a member ends with that has only a part of the value."""

END: Final = "data:"
"""The line between the rules and the document."""

_OBJECT: Final[Any] = dict
_ARRAY: Final[Any] = list
_CONTAINERS: Final[Any] = (dict, list)
"""The types of `mckp.jsontext`, without a call for each value."""

_UP: Final = "../"
_HEAD = regex(r"\(([1-9][0-9]{0,7})\) rules")
_SET = regex(rf"objects (with|in) ({NAME}|\[\]):")
_TABLE = regex(rf"by (?:({NAME}|\[\])\.)?({NAME}):")
_RULE = regex(rf"({NAME}) = (.+)")
_HOLE = regex(r"\$\$\{|\$\{([^{}]*)\}")
_SAME = regex(r"\$\{\$((?:\.[A-Za-z0-9_]+|\[[0-9]+\])+)\}")
_STEP = regex(r"\.([A-Za-z0-9_]+)|\[([0-9]+)\]")


class Place:
    """An object of a document, the member that it is in, and the object around it."""

    __slots__ = ("above", "home", "is_row", "name", "value")

    def __init__(
        self, value: dict[str, Any], name: str, above: Place | None, home: int, *, is_row: bool
    ) -> None:
        self.value, self.name, self.above = value, name, above
        self.is_row = is_row
        """Whether it, or an object around it, is one of several items of an array."""
        self.home = home
        """A number that the objects of one column of one table share."""


def places(root: Any) -> Iterator[Place]:
    """Yield the objects of a document in its order.

    Members that are added to an object after it was yielded are visited too.
    """
    homes: dict[tuple[int, str], int] = {}
    pending: list[tuple[Any, str, Place | None, int, bool]] = [(root, "", None, 0, False)]
    while pending:
        item, name, above, home, is_row = pending.pop()
        inner: list[tuple[Any, str, Place | None, int, bool]] = []
        if isinstance(item, _OBJECT):
            place = Place(item, name, above, home, is_row=is_row)
            yield place
            for key, child in place.value.items():
                if isinstance(child, _CONTAINERS):
                    column = (home if is_row else -len(homes) - 1), key
                    around = homes.setdefault(column, len(homes) + 1)
                    inner.append((child, key, place, around, is_row))
        elif isinstance(item, _ARRAY):
            many = len(item) > 1
            for child in item:
                if isinstance(child, _CONTAINERS):
                    around = home
                    if not (many or is_row):
                        around = homes.setdefault((-len(homes) - 1, name), len(homes) + 1)
                    inner.append((child, name, above, around, is_row or many))
        inner.reverse()
        pending += inner


@dataclass
class Following:
    """What is written above a document, in the order in which it was found."""

    sets: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list[Any])
    """Sets of objects, such as ``with login``, with rules: the name of a member, and its text."""
    tables: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list[Any])
    """Keys such as ``team.key``, with the rows of their tables."""

    def head(self, table: Callable[[list[dict[str, Any]]], str]) -> str:
        """Return the lines above the document; `table` writes rows as a block of data."""
        parts: list[str] = []
        for name, rules in self.sets:
            parts.append(f"objects {name}:\n")
            parts += [f"{key} = {text}\n" for key, text in rules]
        for label, rows in self.tables:
            parts += [f"by {label}:\n", table(rows)]
        lines = "".join(parts) + f"{END}\n"
        return f"({lines.count(chr(10))}) rules\n{lines}"


def height(line: str) -> int:
    """Return the number of lines above the document, given the first line; 0 without rules."""
    head = _HEAD.fullmatch(line)
    return 1 + int(head[1]) if head else 0


def has_signs(value: Any) -> bool:
    """Whether a string of the data has ``${``, which would be read as a sign of rules."""
    return b"${" in dump_bytes(value)


def escape(value: Any) -> Any:
    """Return a copy of data in which each literal ``${`` is ``$${``."""
    if isinstance(value, str):
        return value.replace("${", "$${") if "${" in value else value
    if is_object(value):
        return {key: escape(child) for key, child in value.items()}
    return list(map(escape, value)) if is_array(value) else value


def read_rules(text: str, read: Callable[[str], Any]) -> Any:
    r"""Return the data below rules, with what follows from them; `read` reads a block of data.

    Raises a `ParseError` if the rules are damaged.

    Examples
    --------
    >>> from mckp.encoders import read
    >>> read_rules("(3) rules\nobjects in a:\ny = ${x}/2\ndata:\n{a{x u}}\n", read)
    {'a': {'x': 'u', 'y': 'u/2'}}
    """
    lines = Lines(text)
    count = height(lines.take()) - 1
    rules, at = Following(), 1
    heads = lines.items[1 : 1 + count]
    if len(heads) < count or heads[-1] != END:
        raise ParseError(f"a line {END!r} was expected after {count - 1} lines", line=1, column=1)
    while at < count:
        line = lines.items[at]
        at += 1
        start = at
        if of_set := _SET.fullmatch(line):
            pairs: list[tuple[str, str]] = []
            while at < count and (rule := _RULE.fullmatch(lines.items[at])):
                pairs.append((rule[1], rule[2]))
                at += 1
            rules.sets.append((f"{of_set[1]} {of_set[2]}", pairs))
        elif by := _TABLE.fullmatch(line):
            at = min(count, at + lines_of_table(lines.items[at:count]))
            rows = _read_below(read, "\n".join(lines.items[start:at]) + "\n", start)
            if not is_array(rows) or not all(is_object(row) and by[2] in row for row in rows):
                raise ParseError(f"a table with {by[2]!r} was expected", line=start + 1, column=1)
            rules.tables.append((line[3:-1], rows))
        else:
            raise ParseError("a rule was expected", line=start, column=1)
        if start == at:
            raise ParseError("a rule was expected", line=at + 1, column=1)
    value = _read_below(read, "\n".join([*lines.items[1 + count :], ""]), 1 + count)
    return restore(value, rules)


_ROWS = regex(r"\[([0-9]+)\]\S")


def lines_of_table(lines: list[str]) -> int:
    """Return how many lines the side table has that begins the lines."""
    found = _ROWS.match(lines[0])
    if found is None:
        return 1
    common = next(at for at, line in enumerate([*lines[1:], ""]) if not line.startswith("== "))
    return 1 + common + int(found[1])


def _read_below(read: Callable[[str], Any], text: str, lines: int) -> Any:
    """Read a block that is below so many lines; errors have the lines of the whole text."""
    try:
        return read(text)
    except ParseError as error:
        line = (error.line or 1) + lines
        raise ParseError(error.message, line=line, column=error.column or 1) from None


def restore(value: Any, rules: Following) -> Any:
    """Return data, which are changed in place, with everything that follows from them.

    Raises a `ParseError` if a rule uses a member that an object does not have.
    """
    filler = Filler()
    may_refer = has_signs([value, *(rows for _, rows in rules.tables)])
    if may_refer:
        value = filler.with_same(value)
    known = list(places(value))
    for label, rows in reversed(rules.tables):
        if filler.add_rows(known, label, rows):
            known = list(places(value))
    if may_refer:
        filler.fill_in_place(known)
    for name, pairs in reversed(rules.sets):
        how, _, member = name.partition(" ")
        member = "" if member == "[]" else member
        for place in known:
            if member in place.value if how == "with" else place.name == member:
                for key, text in pairs:
                    if key not in place.value:
                        place.value[key] = filler.result(text, place)
                for key, _ in pairs:
                    place.value.pop(key + PART, None)
    return filler.unescape(value) if may_refer else value


class Filler:
    """Puts the values of members into templates, with a limit on what they may spell out.

    `spend` is called for what they spell out, and raises an error at the limit.
    """

    def __init__(self, spend: Callable[[int], None] | None = None) -> None:
        self.room, self._spend = LARGEST, spend

    def spend(self, size: int) -> None:
        """Subtract characters; raise a `ParseError` if there is no room for them."""
        if self._spend is not None:
            self._spend(size)
            return
        self.room -= size
        if self.room < 0:
            message = f"with its rules applied, the text has more than {LARGEST} characters"
            raise ParseError(message, line=1, column=1)

    def result(self, text: str, place: Place) -> Any:
        """Return the value of a rule, or of a template in the data, for one object."""
        hole = _HOLE.fullmatch(text)
        if hole and hole[1]:
            value = look(place, hole[1])
            self.spend(len(value) if isinstance(value, str) else 8)
            return value
        if text in _CONSTANTS:
            return _CONSTANTS[text]

        def fill(found: re.Match[str]) -> str:
            """Return the text for a hole, if there is room for it."""
            part = _text_in(place, found)
            self.spend(len(part))
            return part

        self.spend(len(text))
        return _HOLE.sub(fill, text)

    def with_same(self, root: Any) -> Any:
        """Return data with a copy of the value at a path in place of each ``${$.a.b}``."""
        open_paths: set[str] = set()

        def copy(value: Any) -> Any:
            """Return a copy of a value without references."""
            self.spend(1)
            if isinstance(value, str):
                found = _SAME.fullmatch(value)
                return value if found is None else at(found[1])
            if is_object(value):
                return {key: copy(child) for key, child in value.items()}
            return list(map(copy, value)) if is_array(value) else value

        def at(path: str) -> Any:
            """Return a copy of the value at a path."""
            value = root
            try:
                if path in open_paths:
                    raise KeyError(path)
                for name, number in _STEP.findall(path):
                    value = value[name] if name else value[int(number)]
            except (KeyError, IndexError, TypeError):
                raise ParseError(f"there is no value at ${path}", line=1, column=1) from None
            open_paths.add(path)
            result = copy(value)
            open_paths.discard(path)
            return result

        return copy(root)

    def add_rows(self, known: Iterable[Place], label: str, rows: list[dict[str, Any]]) -> bool:
        """Add the members in the rows of a side table to the objects that have its key.

        Return whether there are new objects.
        """
        where, _, key = label.rpartition(".")
        name = "" if where == "[]" else where
        by_key: dict[tuple[type[Any], Any], dict[str, Any]] = {
            (row[key].__class__, row[key]): row for row in rows if not is_container(row[key])
        }
        has_new = False
        for place in known:
            if key not in place.value or (where and place.name != name):
                continue
            found = place.value[key]
            row = None if is_container(found) else by_key.get((found.__class__, found))
            for member, item in (row or {}).items():
                if member != key:
                    is_new = is_container(item)
                    place.value[member] = self.with_same(item) if is_new else item
                    has_new |= is_new
        return has_new

    def fill_in_place(self, known: list[Place]) -> None:
        """Replace templates in the data by what they mean."""
        by_id = {id(place.value): place for place in known}

        def settle(place: Place, key: str) -> None:
            """Replace the template in a member, if it has one, after those that it uses."""
            text = place.value[key]
            if not isinstance(text, str) or "${" not in text:
                return
            holes = [hole for hole in _HOLE.findall(text) if hole]
            if not holes:
                return
            place.value[key] = _OPEN
            for name in holes:
                owner, member = _owner(place, name)
                if owner is not None and member in owner:
                    settle(by_id[id(owner)], member)
            place.value[key] = self.result(text, place)

        for place in known:
            for key in place.value:
                settle(place, key)

    def unescape(self, value: Any) -> Any:
        """Replace ``$${`` by ``${`` in data, in place."""
        if isinstance(value, str):
            return value.replace("$${", "${") if "$${" in value else value
        if is_object(value):
            for key, child in value.items():
                value[key] = self.unescape(child)
        elif is_array(value):
            value[:] = map(self.unescape, value)
        return value


_OPEN: Final = object()
"""In place of a template that is being filled: one that uses itself has no value."""

_CONSTANTS: Final[dict[str, Any]] = {"null": None, "true": True, "false": False, '""': ""}
"""Following that give the same value to all objects."""


def _owner(place: Place, name: str) -> tuple[dict[str, Any] | None, str]:
    """Return the object that has a member of this name, as rules write it, and the member."""
    at: Place | None = place
    while name.startswith(_UP):
        at, name = at and at.above, name[len(_UP) :]
    if at is None:
        return None, name
    first, dot, rest = name.partition(".")
    if dot and name not in at.value and is_object(at.value.get(first)):
        return at.value[first], rest
    return at.value, name


def look(place: Place, name: str) -> Any:
    """Return the value of a member by the name that rules use."""
    owner, member = _owner(place, name)
    value = _OPEN if owner is None else owner.get(member, _OPEN)
    if value is _OPEN:
        raise ParseError(f"a rule uses {name!r}, which an object does not have", line=1, column=1)
    return value


def has(place: Place, name: str) -> bool:
    """Whether there is a member by the name that rules use."""
    owner, member = _owner(place, name)
    return owner is not None and member in owner


def _text_in(place: Place, hole: re.Match[str]) -> str:
    """Return the text for a hole of a template; the sign of a literal stays."""
    if not hole[1]:
        return hole[0]
    value = look(place, hole[1])
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ParseError(f"a rule uses {hole[1]!r}, which is no text", line=1, column=1)


def holes_of(text: str) -> Iterable[str]:
    """Return the names in a rule."""
    return [name for name in _HOLE.findall(text) if name]
