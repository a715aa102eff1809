"""How the native formats write: values in flow notation, records as rows below a header.

Flow notation is JSON without what can be left out: ``{name oauth2 scopes[read write]}``.
An array of records in it is a table of its own, ``labels[2{id name}1 bug;2 docs]``, and an
object of records a table whose rows begin with their names, ``{2{@ on}x true;y false}``. A
string of several lines may stand as ``<3``, its three lines below the line it belongs to;
one that holds JSON as ``json{id 1}``.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.encoders.column_writer import ColumnWriter, Counts
from mckp.encoders.embedded import MOST_LEVELS, embedded
from mckp.encoders.fitting import fits, tag_of
from mckp.encoders.free_text import is_text
from mckp.encoders.infer import record_shape
from mckp.encoders.scalars import ABSENT
from mckp.encoders.shapes import Below, Cell, Group, Items, Plain, Tagged
from mckp.encoders.words import ABSENT_WORD, CELL_END, is_word, write_name
from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from mckp.encoders.shapes import Record

FEWEST_LINES: Final = 4
"""Lines from which on a string is shorter as it is than with its line feeds escaped."""

MOST_TABLES: Final = 12
"""Tables within tables on one line, beyond which records are plain objects."""

Known: TypeAlias = dict[int, tuple[str, tuple[str, ...]]]
"""Containers that were written, by ``id``: their notation and the lines below it."""

_BRACKETS = ("[", "{")
_OTHER = re.compile(rf"(?:{ABSENT_WORD}|null){CELL_END}|[=;\]}}]")
_FIRST = re.compile(r"[^ \t]+")
_CLOSING = re.compile(r"[\]}]")


def write_flow(value: Any, name: str = "", known: Known | None = None) -> str:
    r"""Return whole lines for one value: its notation, then the lines of its long strings.

    Parameters
    ----------
    value
        The value; an object or an array if it has a name.
    name : str, optional
        What stands right before it.
    known : dict, optional
        What was written so of the same document, which is added to: containers in which others
        stand are written the faster after those.

    Examples
    --------
    >>> write_flow({"id": 7, "user": {"name": "Ann Lee"}, "tags": ["a", "b"]})
    '{id 7 user{name "Ann Lee"} tags[a b]}\n'
    >>> write_flow([1, 2], "sizes")
    'sizes[1 2]\n'
    """
    below: list[str] = []
    line = _Line(below, Counter(), known=known)
    text = line.value(value)
    if known is not None:
        known[id(value)] = text, tuple(below)
    return line.closed(name + text)


def write_table(
    record: Record, values: list[Any], names: list[str] | None = None
) -> tuple[str, tuple[str, ...]]:
    r"""Return what declares the columns of a table, and its rows, whole lines each.

    Parameters
    ----------
    record : Group, Tagged or Plain
        The shape of the rows.
    values : list
        The records.
    names : list of str, optional
        What stands at the beginning of each row.

    Examples
    --------
    >>> write_table(Group({"id": Cell.WORD}, more=True), [{"id": 1, "x": "y"}, None], ["a", "b"])
    ('{@ id *}', ('a 1 x y\n', 'b = null\n'))
    """
    counts: Counts = Counter()
    rows: list[str] = []
    for place, value in enumerate(values):
        line = _Line([], counts)
        if names is None:
            row = line.row(record, value, inline=False)
        else:
            row = line.named_row(record, names[place], value, inline=False)
        rows.append(line.closed(row))
    columns = _Line(None, counts).columns()
    return columns.record(record, named=names is not None), tuple(rows)


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
    counts : Counter
        Rows written for each table within rows, which is added to.
    level : int
        In how many strings of JSON the value stands. Inside of one the order of members
        counts, for it is the order in which they are spelled.
    known : dict, optional
        Containers of the document that were written before, outside of any table: within one,
        notation depends on how many are around it.
    """

    def __init__(
        self, below: list[str] | None, counts: Counts, level: int = 0, known: Known | None = None
    ) -> None:
        self.below = below
        self.counts = counts
        self.level = level
        self.known = known or {}
        self.tables = 0

    def closed(self, text: str) -> str:
        """Return whole lines: the line itself and those below it."""
        if text[0] in "/>":  # which would break the fragment law, or look like a hint
            text = _FIRST.sub(lambda match: dump(match[0]), text, count=1)
        return "\n".join([text, *(self.below or ())]) + "\n"

    def value(self, value: Any) -> str:
        """Return any value in flow notation."""
        if isinstance(value, str):
            return self.string(value)
        if self.below is not None and not self.tables and (known := self.known.get(id(value))):
            self.below.extend(known[1])
            return known[0]
        if is_object(value):
            return self.named_table(value) or f"{{{self.pairs(value)}}}"
        if is_array(value):
            return self.table(value) or f"[{self.words(value)}]"
        return dump(value)

    def string(self, text: str) -> str:
        if is_word(text):
            return text
        if self.level < MOST_LEVELS and (found := embedded(text)):
            spelling, value = found
            return spelling + _Line(self.below, self.counts, self.level + 1).value(value)
        count = text.count("\n") + 1
        if self.below is not None and count >= FEWEST_LINES:
            self.below.append(text)
            return f"<{count}"
        return dump(text)

    def named_table(self, members: dict[str, Any]) -> str:
        """Return an object of records as a table, or nothing if that does not pay."""
        if len(members) < 2 or not all(is_object(value) and value for value in members.values()):
            return ""
        record = self.shape(list(members.values()))
        if record is None:
            return ""
        self.tables += 1
        rows = ";".join(map(self.named_row, repeat(record), members, members.values()))
        self.tables -= 1
        header = self.columns().record(record, named=True)
        return f"{{{len(members)}{header}{rows}}}"

    def table(self, items: list[Any]) -> str:
        """Return an array of records as a table, or nothing if that does not pay."""
        record = self.shape(items) if sum(map(is_object, items)) >= 2 else None
        if record is None:
            return ""
        self.tables += 1
        rows = ";".join(map(self.row, repeat(record), items))
        self.tables -= 1
        return f"[{len(items)}{self.columns().record(record)}{rows}]"

    def shape(self, values: list[Any]) -> Group | None:
        """Return the shape of records that are worth a table within the line."""
        if self.tables == MOST_TABLES:
            return None
        record = record_shape(values, inline=True, ordered=self.level > 0)
        return record if isinstance(record, Group) else None

    def columns(self) -> ColumnWriter:
        """Return what declares the columns of the tables on this line."""
        return ColumnWriter(self.counts, _Line(None, Counter(), self.level).value)

    def words(self, values: list[Any]) -> str:
        """Return values side by side."""
        parts: list[str] = []
        for value in values:  # a comprehension would be one frame more for each level
            parts.append(f"{self.value(value)} ")
        return _joined(parts)

    def pairs(self, members: dict[str, Any]) -> str:
        parts: list[str] = []
        for key, value in members.items():
            text = self.value(value)
            gap = "" if text[0] in _BRACKETS else " "
            parts.append(f"{write_name(key)}{gap}{text}")
        return " ".join(parts)

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
        if record.more and not value.keys() <= record.columns.keys():
            extra = {key: item for key, item in value.items() if key not in record.columns}
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
            self.counts[shape] += 1
            place = len(self.below)
            text = self.row(shape.record or record, item, inline=False, depth=depth)
            self.below.insert(place, " " * depth + text)

    def cells(self, group: Group, record: dict[str, Any], row: _Row) -> None:
        """Add the cells of an object, each with what ends it."""
        for key, shape in group.columns.items():
            value = record.get(key, ABSENT)
            if shape is Cell.WORD:
                row.cells.append(f"{self.word(value)} ")
            elif isinstance(shape, Group):
                self.group(shape, value, row)
            elif isinstance(shape, Items):
                row.cells.append(f"{self.items(shape, value)} ")
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

    def items(self, shape: Items, value: Any) -> str:
        if not is_array(value):
            return self.word(value)
        self.counts[shape] += len(value)
        return f"[{';'.join(map(self.row, repeat(shape.record), value))}]"

    def group(self, shape: Group, value: Any, row: _Row) -> None:
        """Add the cells of a nested object, or the one that stands for something else."""
        if not shape.optional:
            self.cells(shape, value, row)
            return
        start, end = len(row.cells), row.end
        below = len(self.below or ())
        if is_object(value) and fits(shape, value):
            counts = self.counts
            self.counts = Counter[Items | Below]()
            self.cells(shape, value, row)
            if not _OTHER.match(row.cells[start].rstrip(" \t")):
                counts.update(self.counts)
                self.counts = counts
                return
            self.counts = counts
            row.end = end
            del (self.below or [])[below:]
        plain = value is ABSENT or value is None
        row.cells[start:] = [f"{self.word(value)} " if plain else f"={self.value(value)} "]
