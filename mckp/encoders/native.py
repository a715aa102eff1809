"""The writers of the native formats: values in flow notation, records as rows below a header.

Flow notation is JSON without what can be left out: ``{name oauth2 scopes[read write]}``.
An array of records in it is a table of its own, ``labels[2{id name}1 bug;2 docs]``, and an
object of records a table whose rows begin with their names, ``{2{@ on}x true;y false}``. A
string of several lines may be written as ``<3``, its three lines below the line it belongs to.

``json`` is compact JSON; ``flow`` a value in flow notation; ``phrases`` the same below a dictionary
of the texts that it repeats, weighed by their characters: `mckp.encode` lays a dictionary over
whatever mixture it has chosen, and weighs by tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from mckp.encoders.base import TABLES_DEEP, Body, DataLoss, Format
from mckp.encoders.follow_columns import write_rules
from mckp.encoders.infer import record_shape
from mckp.encoders.marks import has_gap
from mckp.encoders.native_reader import START, split_constants, write_constants
from mckp.encoders.records import Records
from mckp.encoders.row_writer import RowWriter, join_cells, name_with, write_columns
from mckp.encoders.scalars import CUT, Cut, ItemGap
from mckp.encoders.shapes import Group
from mckp.encoders.words import CUT_WORD, is_word, write_gap, write_name
from mckp.jsontext import CutObject, dump, is_array, is_container, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.encoders.row_writer import Counts
    from mckp.encoders.shapes import Record

FEWEST_LINES: Final = 4
"""From this number of lines on, a string is shorter as it is than with line feeds escaped."""

Written: TypeAlias = tuple[str, Sequence[str]]
"""A container in flow notation, and the lines below its line."""

_FIRST = regex(r"[^ \t]+")


class TableText(NamedTuple):
    """A table on lines of its own: the columns that its header declares, and the lines below.

    `constants`, if any, are lines with what all records have in common.
    """

    columns: str
    constants: str
    rows: tuple[str, ...]


def write_flow(value: object, name: str = "") -> str:
    r"""Return whole lines for one value: its notation, then the lines of its long strings.

    A name comes right before an object or an array.

    Examples
    --------
    >>> write_flow({"id": 7, "user": {"name": "Ann Lee"}, "tags": ["a", "b"]})
    '{id 7 user{name "Ann Lee"} tags[a b]}\n'
    >>> write_flow([1, 2], "sizes")
    'sizes[1 2]\n'
    """
    return flow_lines(name, *flow_of(value))


def flow_of(value: object, inner: Iterable[Written] | None = None) -> Written:
    r"""Return a value in flow notation, and the lines of its long strings.

    `inner` has the same for each container directly in it, if they are already written; it is not
    used if the value becomes a table.

    Examples
    --------
    >>> flow_of({"a": 1, "b": {"x": [1, "y"]}}, [flow_of({"x": [1, "y"]})])
    ('{a 1 b{x[1 y]}}', [])
    """
    below: list[str] = []
    flow = Flow(below)
    return (flow.value(value) if inner is None else flow.outer_container(value, iter(inner))), below


def flow_lines(name: str, text: str, below: Sequence[str]) -> str:
    """Return whole lines for a value in flow notation, with a name right before it if not empty."""
    return _whole_lines(name + text, below)


def write_table(record: Record, records: Records) -> TableText:
    r"""Return a table on its own lines; the rows begin with the names of their records, if any.

    Examples
    --------
    >>> from mckp.encoders.shapes import Cell
    >>> records = Records.of([{"id": 1, "x": "y"}], ["a"])
    >>> table = write_table(Group({"id": Cell.WORD}, more=True), records)
    >>> table.columns, table.constants, table.rows
    ('{@ id *}', '', ('a 1 x y\n',))
    """
    counts: Counts = Counter()
    texts, below = RowWriter(Flow([]), inline=False).rows(record, records, counts)
    rows = [
        _whole_lines(text, below.get(row, ())) if row in below or text[0] in "/>" else f"{text}\n"
        for row, text in enumerate(texts)
    ]
    flow = Flow(None)
    rules = write_rules(record, START)
    record, constants = split_constants(record)
    columns = write_columns(record, counts, flow.value, named=records.names is not None)
    return TableText(columns, write_constants(constants, flow.pairs) + rules, tuple(rows))


def _whole_lines(text: str, below: Sequence[str]) -> str:
    """Return a line and the lines below it as whole lines.

    The first word is put in quotes if it begins with ``/`` or ``>``.
    """
    if text[0] in "/>":  # this would break the fragment law, or look like a hint
        text = _FIRST.sub(lambda match: dump(match[0]), text, count=1)
    return "\n".join([text, *below]) + "\n"


class Flow:
    """Writes values in flow notation.

    Long strings go into `below`, the lines below the line, unless that is None. `table_depth` is
    the number of tables around the value on its line.
    """

    def __init__(self, below: list[str] | None) -> None:
        self.below = below
        self.table_depth = 0

    @property
    def surroundings(self) -> tuple[int, bool]:
        """What the notation of a value depends on: the table depth, and whether `below` is None."""
        return self.table_depth, self.below is None

    def value(self, value: object) -> str:
        """Return a value in flow notation."""
        if isinstance(value, str):
            return value if is_word(value) else self.string(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return int.__repr__(value)
        if is_object(value):
            return self.named_table(value) or f"{{{self.pairs(value)}}}"
        if is_array(value):
            return self.table(value) or f"[{self.words(value)}]"
        if isinstance(value, Cut):
            return write_gap(value.first, value.last) if isinstance(value, ItemGap) else CUT_WORD
        return dump(value)

    def outer_container(self, value: Any, inner: Iterator[Written]) -> str:
        """Return a container in flow notation, given those directly in it.

        It is not in a table, and neither are they.
        """
        if is_object(value):
            return self.named_table(value) or f"{{{self.pairs(value, inner)}}}"
        return self.table(value) or f"[{self.words(value, inner)}]"

    def inner_value(self, value: object, inner: Iterator[Written]) -> str:
        """Return a member or item in flow notation; if it is a container, the next of `inner`."""
        if not is_container(value):
            return self.value(value)
        text, lines = next(inner)
        if self.below is not None:
            self.below.extend(lines)
        return text

    def string(self, text: str) -> str:
        """Return a string that is not a bare word: as JSON, or as the number of its lines.

        In the second case, the lines are added to `below`.
        """
        count = text.count("\n") + 1
        # A line that marks a gap would make the string look like a plain text with a cut part.
        if self.below is not None and count >= FEWEST_LINES and not has_gap(text):
            self.below.append(text)
            return f"<{count}"
        return dump(text)

    def named_table(self, members: dict[str, Any]) -> str:
        """Return an object of records as a table, or "" if it cannot be one or saves nothing."""
        if not all(map(_may_be_record, members.values())):
            return ""
        is_cut = members.get(CUT_WORD) is CUT
        records = {key: value for key, value in members.items() if key != CUT_WORD or not is_cut}
        if len(records) < 2 or not all(is_object(value) and value for value in records.values()):
            return ""
        if isinstance(members, CutObject) and not members.shown <= members.keys():
            return ""  # a table has no place for the name of a member that was cut
        table = self.table_of(Records.of(list(records.values()), list(records)))
        return f"{table[:-1]};{CUT_WORD}}}" if table and is_cut else table

    def table(self, items: list[Any]) -> str:
        """Return an array of records as a table, or "" if it cannot be one or saves nothing."""
        return self.table_of(Records.of(items)) if sum(map(is_object, items)) >= 2 else ""

    def table_of(self, records: Records) -> str:
        """Return a table on one line, with its brackets; "" if it saves nothing or is too deep."""
        if self.table_depth == TABLES_DEEP:
            return ""
        record = record_shape(records, inline=True)
        if not isinstance(record, Group):
            return ""
        counts: Counts = Counter()
        self.table_depth += 1
        texts, below = RowWriter(self, inline=True).rows(record, records, counts)
        self.table_depth -= 1
        if self.below is not None:
            for row in sorted(below):
                self.below += below[row]
        named = records.names is not None
        header = write_columns(record, counts, Flow(None).value, named=named)
        text = f"{records.size - records.cut_count}{header}{';'.join(texts)}"
        return f"{{{text}}}" if named else f"[{text}]"

    def words(self, values: Sequence[Any], inner: Iterator[Written] | None = None) -> str:
        """Return values one after the other, with a blank between them unless both have brackets.

        For `inner` see `flow_of`.
        """
        parts: list[str] = []
        for value in values:  # a comprehension would add a frame per level
            text = self.value(value) if inner is None else self.inner_value(value, inner)
            parts.append(f"{text} ")
        return join_cells(parts).removesuffix(" ")

    def pairs(self, members: dict[str, Any], inner: Iterator[Written] | None = None) -> str:
        """Return names with their values, then the names of the members that were cut.

        For `inner` see `flow_of`.
        """
        parts: list[str] = []
        for key, value in members.items():
            if key == CUT_WORD and value is CUT:
                continue
            text = self.value(value) if inner is None else self.inner_value(value, inner)
            parts.append(name_with(write_name(key), text))
        if isinstance(members, CutObject):
            cut = sorted(members.cut.difference(members))
            parts += (f"{write_name(key)} {CUT_WORD}" for key in cut)
        return " ".join([*parts, CUT_WORD] if members.get(CUT_WORD) is CUT else parts)


def _may_be_record(value: object) -> bool:
    """Whether a member may be a row of a table of named records, or is the sign for cut ones."""
    return value is CUT or bool(is_object(value) and value)


CHARACTERS_A_TOKEN: Final = 4
"""Estimated characters of a token, where tokens are not counted."""


def flow_body(value: object) -> Body | None:
    """Write a non-empty object or array; return None for any other value."""
    return Body("", write_flow(value)) if is_container(value) and value else None


def phrases_body(value: object) -> Body | None:
    """Write a non-empty object or array in flow notation below a dictionary of its phrases.

    Returns None for any other value, and if a dictionary saves nothing.
    """
    from mckp.encoders.phrase_search import find  # needs numpy, which nothing else here does

    if (plain := flow_body(value)) is None:
        return None
    phrases = find([plain.text], lambda texts: [-(-len(t) // CHARACTERS_A_TOKEN) for t in texts])
    return Body("", phrases.head + phrases.write(plain.text)) if phrases else None


JSON = Format("json", DataLoss.NONE, lambda value: Body("", dump(value) + "\n"))
FLOW = Format("flow", DataLoss.NONE, flow_body)
PHRASES = Format("phrases", DataLoss.NONE, phrases_body)
