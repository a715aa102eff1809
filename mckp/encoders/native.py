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
from mckp.encoders.infer import fits, in_order, is_text, record_shape, tag_of
from mckp.encoders.scalars import ABSENT
from mckp.encoders.shapes import Cell, Constant, Group, Items, Plain, Tagged
from mckp.encoders.words import ABSENT_WORD, is_word, write_name
from mckp.jsontext import dump, is_array, is_container, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mckp.encoders.shapes import Record, Shape

FEWEST_LINES: Final = 3
"""Lines from which on a string is shorter as it is than with its line feeds escaped."""

_OTHER = re.compile(r"(?:-|null)\Z|=")
_FIRST = re.compile(r"[^ \t]+")


def write_flow(value: Any) -> str:
    r"""Return whole lines for one value: its notation, then the lines of its long strings.

    Examples
    --------
    >>> write_flow({"id": 7, "user": {"name": "Ann Lee"}, "tags": ["a", "b"]})
    '{id 7 user{name "Ann Lee"} tags[a b]}\n'
    """
    return _whole_lines(lambda line: line.value(value))


def write_member(name: str, value: Any) -> str:
    r"""Return whole lines for a member that is a container: its name, then its notation.

    Examples
    --------
    >>> write_member("user", {"id": 7})
    'user{id 7}\n'
    """
    return _whole_lines(lambda line: name + line.value(value))


def write_rows(record: Record, values: Iterable[Any]) -> tuple[str, ...]:
    """Return the rows of a table, whole lines each."""
    return tuple(_whole_lines(lambda line, v=value: line.row(record, v)) for value in values)


def write_named_rows(record: Record, members: dict[str, Any]) -> tuple[str, ...]:
    """Return the rows of a table whose rows begin with their names, whole lines each."""
    return tuple(
        _whole_lines(lambda line, k=key, v=value: f"{write_name(k)} {line.row(record, v)}")
        for key, value in members.items()
    )


def _whole_lines(write: Callable[[_Line], str]) -> str:
    below: list[str] = []
    text = write(_Line(below))
    if text[0] in "/>":  # which would break the fragment law, or look like a hint
        text = _FIRST.sub(lambda match: dump(match[0]), text, count=1)
    return "\n".join([text, *below]) + "\n"


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
    parts = ["@ "] if named else []
    parts += [_column(write_name(key), shape) for key, shape in record.columns.items()]
    text = "".join([*parts, "*"] if record.more else parts)
    return f"{{{text.removesuffix(' ')}}}"


def _column(name: str, shape: Shape) -> str:
    if shape is Cell.TAB:
        return f"{name}\t"
    if isinstance(shape, Cell):
        return f"{name}{shape.value} "
    if isinstance(shape, Constant):
        return f"{name}={_Line(None).value(shape.value)} "
    if isinstance(shape, Items):
        return f"{name}[]{write_header(shape.record)} "
    return f"{name}{'?' * shape.optional}{write_header(shape)} "


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
                rows = (f"{write_name(k)} {self.row(record, v)}" for k, v in members.items())
                return f"{{{len(members)}{write_header(record, named=True)}{';'.join(rows)}}}"
        return f"{{{self.pairs(members)}}}"

    def array(self, items: list[Any]) -> str:
        if sum(map(is_object, items)) >= 2 and (record := self.table(items)) is not None:
            rows = ";".join(map(self.row, repeat(record), items))
            return f"[{len(items)}{write_header(record)}{rows}]"
        return f"[{self.words(items)}]"

    def words(self, values: list[Any]) -> str:
        """Return values side by side."""
        parts: list[str] = []
        after_bracket = False
        for value in values:
            bracket = is_container(value)
            if parts and not (bracket and after_bracket):
                parts.append(" ")
            parts.append(self.value(value))
            after_bracket = bracket
        return "".join(parts)

    def pairs(self, members: dict[str, Any]) -> str:
        parts: list[str] = []
        for key, value in members.items():
            gap = "" if is_container(value) else " "
            parts.append(f"{write_name(key)}{gap}{self.value(value)}")
        return " ".join(parts)

    def table(self, values: list[Any]) -> Record | None:
        """Return the shape of records that are worth a table within the line."""
        record = record_shape(values, texts=False)
        if not isinstance(record, Group):
            return None
        if self.level and not all(in_order(record, value) for value in values):
            return None
        return record

    def row(self, record: Record, value: Any) -> str:
        """Return one row of a table, without its line feed."""
        if isinstance(record, Plain) and is_array(value):
            return self.words(value) if value else ABSENT_WORD
        if isinstance(record, Tagged) and is_object(value):
            tag = tag_of(record.groups, value)
            if tag is not None:
                return f"{tag} {self.row(record.groups[tag], value)}"
        if not isinstance(record, Group) or not is_object(value) or not fits(record, value):
            return f"= {self.value(value)}"
        cells: list[str] = []
        last: list[str] = []
        self.cells(record, value, cells, last)
        if record.more:
            extra = {key: item for key, item in value.items() if key not in record.columns}
            cells.append(self.pairs(extra))
        return "".join([*cells, *last]).removesuffix(" ")

    def cells(
        self, group: Group, record: dict[str, Any], cells: list[str], last: list[str]
    ) -> None:
        """Add the cells of an object, each with what ends it."""
        for key, shape in group.columns.items():
            value = record.get(key, ABSENT)
            if isinstance(shape, Group):
                self.group(shape, value, cells, last)
            elif isinstance(shape, Items):
                cells.append(f"{self.items(shape.record, value)} ")
            elif shape is Cell.LAST:
                last.append(self.text(value))
            elif shape is Cell.TAB:
                cells.append(f"{self.text(value)}\t")
            elif shape is Cell.WORD:
                cells.append(f"{self.word(value)} ")

    def word(self, value: Any) -> str:
        return ABSENT_WORD if value is ABSENT else self.value(value)

    def text(self, value: Any) -> str:
        return value if is_text(value) else self.word(value)

    def items(self, record: Record, value: Any) -> str:
        if not is_array(value):
            return self.word(value)
        return f"[{';'.join(map(self.row, repeat(record), value))}]"

    def group(self, shape: Group, value: Any, cells: list[str], last: list[str]) -> None:
        """Add the cells of a nested object, or the one that stands for something else."""
        start = len(cells)
        if is_object(value) and fits(shape, value):
            self.cells(shape, value, cells, last)
            if not shape.optional or not _OTHER.match(cells[start].rstrip(" \t")):
                return
        plain = value is ABSENT or value is None
        cells[start:] = [f"{self.word(value)} " if plain else f"={self.value(value)} "]
