"""How the native formats write: values in flow notation, records as rows below a header.

Flow notation is JSON without what can be left out: ``{name oauth2 scopes[read write]}``.
An array of records in it is a table of its own, ``labels[2{id name}1 bug;2 docs]``, and an
object of records a table whose rows begin with their names, ``{2{@ on}x true;y false}``. A
string of several lines may stand as ``<3``, its three lines below the line it belongs to;
one that holds JSON as ``json{id 1}``.
"""

from __future__ import annotations

import re
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.embedded import MOST_LEVELS, embedded
from mckp.encoders.infer import fits, is_text, record_shape, tag_of
from mckp.encoders.scalars import ABSENT
from mckp.encoders.shapes import Below, Cell, Constant, Derived, Group, Items, Plain, Tagged
from mckp.encoders.words import ABSENT_WORD, is_word, write_name, write_word
from mckp.jsontext import dump, is_array, is_container, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.encoders.shapes import Record, Shape

FEWEST_LINES: Final = 4
"""Lines from which on a string is shorter as it is than with its line feeds escaped."""

_BRACKETS = ("[", "{")
_OTHER = re.compile(r"(?:-|null)(?=[ \t;\]}]|\Z)|[=;\]}]")
_FIRST = re.compile(r"[^ \t]+")
_CLOSING = re.compile(r"[\]}]")


def write_flow(value: Any, name: str = "") -> str:
    r"""Return whole lines for one value: its notation, then the lines of its long strings.

    Parameters
    ----------
    value
        The value; an object or an array if it has a name.
    name : str, optional
        What stands right before it.

    Examples
    --------
    >>> write_flow({"id": 7, "user": {"name": "Ann Lee"}, "tags": ["a", "b"]})
    '{id 7 user{name "Ann Lee"} tags[a b]}\n'
    >>> write_flow([1, 2], "sizes")
    'sizes[1 2]\n'
    """
    line = _Line([])
    return line.closed(name + line.value(value))


def write_rows(record: Record, values: Iterable[Any]) -> tuple[str, ...]:
    """Return the rows of a table, whole lines each."""
    rows: list[str] = []
    for value in values:
        line = _Line([])
        rows.append(line.closed(line.row(record, value, inline=False)))
    return tuple(rows)


def write_named_rows(record: Record, members: dict[str, Any]) -> tuple[str, ...]:
    """Return the rows of a table whose rows have names, whole lines each."""
    rows: list[str] = []
    for key, value in members.items():
        line = _Line([])
        rows.append(line.closed(line.named_row(record, key, value, inline=False)))
    return tuple(rows)


def write_header(record: Record, *, named: bool = False) -> str:
    r"""Return what declares the columns of a table.

    Examples
    --------
    >>> name = Group({"first": Cell.WORD, "last": Cell.WORD}, optional=True)
    >>> write_header(Group({"id": Cell.WORD, "name": name, "type": Constant("x")}, more=True))
    '{id name?{first last} type=x *}'
    """
    if isinstance(record, Plain):
        return "[]"
    if isinstance(record, Tagged):
        return f"<{' '.join(tag + write_header(group) for tag, group in record.groups.items())}>"
    parts = [_column(write_name(key), shape) for key, shape in record.columns.items()]
    if named:
        parts.insert(int(record.led), "@ ")
    text = "".join([*parts, "*"] if record.more else parts)
    return f"{{{text.removesuffix(' ')}}}"


def _column(name: str, shape: Shape) -> str:
    if shape is Cell.TAB:
        return f"{name}\t"
    if isinstance(shape, Cell):
        return f"{name}{shape.value} "
    if isinstance(shape, Constant):
        return f"{name}={_Line(None).value(shape.value)} "
    if isinstance(shape, Derived):
        return f"{name}~{write_word(shape.template)} "
    if isinstance(shape, Items):
        return f"{name}[]{write_header(shape.record)} "
    if isinstance(shape, Below):
        columns = "{}" if shape.record is None else write_header(shape.record)
        return f"{name}>{'?' * shape.optional}{columns} "
    return f"{name}{'?' * shape.optional}{write_header(shape)} "


def _ends_with_nothing(record: Group, value: dict[str, Any]) -> bool:
    """Whether an object that is marked as optional closes the columns, and is not there."""
    key, shape = list(record.columns.items())[-1]
    return isinstance(shape, Group) and shape.optional and key not in value


def _joined(cells: list[str]) -> str:
    """Return cells side by side; between two brackets no blank is needed."""
    parts: list[str] = []
    before = ""
    for cell in cells:
        if before[:1] in _BRACKETS and cell[:1] in _BRACKETS:
            parts[-1] = before.removesuffix(" ")
        parts.append(cell)
        before = cell
    return "".join(parts).removesuffix(" ")


class _Row:
    """The cells of a row being written.

    Parameters
    ----------
    inline : bool
        Whether other rows follow on the same line.

    Attributes
    ----------
    end : list
        The value whose cell ends the row, if there is a column for it. It becomes text after
        all others, for so do the lines below that it may have.
    """

    def __init__(self, inline: bool) -> None:
        self.inline = inline
        self.cells: list[str] = []
        self.end: list[Any] = []
        self.last = ""
        self.more = ""

    def text(self) -> str:
        gap = "\t" if self.last and self.more else ""
        return _joined([*self.cells, self.last, gap, self.more])


class _Line:
    """One line being written.

    Parameters
    ----------
    below : list of str or None
        Where strings are put whose lines stand below the line; None if there are no such.
    level : int
        In how many strings of JSON the value stands. Inside of one the order of members
        counts, for it is the order in which they are spelled.
    """

    def __init__(self, below: list[str] | None, level: int = 0) -> None:
        self.below = below
        self.level = level

    def closed(self, text: str) -> str:
        """Return whole lines: the line itself and those below it."""
        if text[0] in "/>":  # which would break the fragment law, or look like a hint
            text = _FIRST.sub(lambda match: dump(match[0]), text, count=1)
        return "\n".join([text, *(self.below or ())]) + "\n"

    def value(self, value: Any) -> str:
        """Return any value in flow notation."""
        if isinstance(value, str):
            return self.string(value)
        if is_object(value):
            return self.object(value)
        return self.array(value) if is_array(value) else dump(value)

    def string(self, text: str) -> str:
        if is_word(text):
            return text
        if self.level < MOST_LEVELS and (found := embedded(text)):
            spelling, value = found
            return spelling + _Line(self.below, self.level + 1).value(value)
        count = text.count("\n") + 1
        if self.below is not None and count >= FEWEST_LINES:
            self.below.append(text)
            return f"<{count}"
        return dump(text)

    def object(self, members: dict[str, Any]) -> str:
        if len(members) >= 2 and all(is_object(value) and value for value in members.values()):
            record = self.table(list(members.values()))
            if record is not None:
                rows = ";".join(map(self.named_row, repeat(record), members, members.values()))
                return f"{{{len(members)}{write_header(record, named=True)}{rows}}}"
        return f"{{{self.pairs(members)}}}"

    def array(self, items: list[Any]) -> str:
        if sum(map(is_object, items)) >= 2 and (record := self.table(items)) is not None:
            rows = ";".join(map(self.row, repeat(record), items))
            return f"[{len(items)}{write_header(record)}{rows}]"
        return f"[{self.words(items)}]"

    def words(self, values: list[Any]) -> str:
        """Return values side by side."""
        return _joined([f"{self.value(value)} " for value in values])

    def pairs(self, members: dict[str, Any]) -> str:
        parts: list[str] = []
        for key, value in members.items():
            gap = "" if is_container(value) else " "
            parts.append(f"{write_name(key)}{gap}{self.value(value)}")
        return " ".join(parts)

    def table(self, values: list[Any]) -> Record | None:
        """Return the shape of records that are worth a table within the line."""
        record = record_shape(values, inline=True, ordered=self.level > 0)
        return record if isinstance(record, Group) else None

    def row(self, record: Record, value: Any, *, inline: bool = True, depth: int = 0) -> str:
        """Return one row of a table, without what ends it, `depth` blanks deep."""
        if isinstance(record, Plain) and is_array(value):
            return self.words(value) if value else ABSENT_WORD
        if isinstance(record, Tagged) and is_object(value):
            tag = tag_of(record.groups, value)
            if tag is not None:
                return f"{tag} {self.row(record.groups[tag], value, inline=inline)}"
        if not isinstance(record, Group) or not is_object(value) or not fits(record, value):
            return f"= {self.value(value)}"
        row = _Row(inline)
        self.cells(record, value, row)
        row.last = "".join(self.text(end, inline=inline) for end in row.end)
        if extra := {key: item for key, item in value.items() if key not in record.columns}:
            row.more = self.pairs(extra)
        elif _ends_with_nothing(record, value) and len(row.cells) > 1 and not row.last:
            row.cells.pop()
        self.rows_below(record, value, depth + 1)
        return row.text()

    def named_row(self, record: Record, key: str, value: Any, *, inline: bool = True) -> str:
        """Return one row of a table whose rows have names."""
        name, row = write_name(key), self.row(record, value, inline=inline)
        if not isinstance(record, Group) or not record.led:
            return f"{name} {row}"
        first, _, rest = row.partition(" ")
        return f"{first} {name} {rest}" if rest else f"{first} {name}"

    def rows_below(self, record: Group, value: dict[str, Any], depth: int) -> None:
        """Put the rows of a table within a row below it."""
        key, shape = list(record.columns.items())[-1]
        if not isinstance(shape, Below) or self.below is None:
            return
        for item in value.get(key, ()):
            place = len(self.below)
            text = self.row(shape.record or record, item, inline=False, depth=depth)
            self.below.insert(place, " " * depth + text)

    def cells(self, group: Group, record: dict[str, Any], row: _Row) -> None:
        """Add the cells of an object, each with what ends it."""
        for key, shape in group.columns.items():
            value = record.get(key, ABSENT)
            if isinstance(shape, Group):
                self.group(shape, value, row)
            elif isinstance(shape, Items):
                row.cells.append(f"{self.items(shape.record, value)} ")
            elif shape is Cell.WORD:
                row.cells.append(f"{self.word(value)} ")
            elif shape is Cell.TAB:
                row.cells.append(f"{self.text(value, inline=row.inline)}\t")
            elif shape is Cell.LAST:
                row.end = [value]

    def word(self, value: Any) -> str:
        return ABSENT_WORD if value is ABSENT else self.value(value)

    def text(self, value: Any, *, inline: bool) -> str:
        """Return the cell of a column of free text."""
        if is_text(value, inline=inline):
            return str(value)
        # Within a line, text ends at a closing bracket, even at that of a word like a{b}.
        if inline and isinstance(value, str) and is_word(value) and _CLOSING.search(value):
            return dump(value)
        return self.word(value)

    def items(self, record: Record, value: Any) -> str:
        if not is_array(value):
            return self.word(value)
        return f"[{';'.join(map(self.row, repeat(record), value))}]"

    def group(self, shape: Group, value: Any, row: _Row) -> None:
        """Add the cells of a nested object, or the one that stands for something else."""
        start, end = len(row.cells), row.end
        below = len(self.below or ())
        if is_object(value) and fits(shape, value):
            self.cells(shape, value, row)
            if not shape.optional or not _OTHER.match(row.cells[start].rstrip(" \t")):
                return
            row.end = end
            del (self.below or [])[below:]
        plain = value is ABSENT or value is None
        row.cells[start:] = [f"{self.word(value)} " if plain else f"={self.value(value)} "]
