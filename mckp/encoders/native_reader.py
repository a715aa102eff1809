"""The reader of the native formats: the inverse of `native`.

Lines below a table's header give what all its records share: ``== state open``. No row begins
with these signs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

from mckp.encoders.base import LINE_CHARACTERS
from mckp.encoders.follow_columns import read_rule
from mckp.encoders.scalars import ABSENT
from mckp.encoders.shapes import ROW_NAME, Cell, Constant, Group, Items, PlainArrays
from mckp.encoders.words import ABSENT_WORD, CELL_END, CUT_WORD, GAP, NAME, NO_WORD, WORD, is_word
from mckp.errors import ParseError
from mckp.jsontext import LITERAL, MAX_DEPTH, STRING, dump, is_container, is_object, load
from mckp.regexes import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from mckp.encoders.follow_columns import ColumnRules
    from mckp.encoders.lines import Lines
    from mckp.encoders.shapes import Record, Shape

_DIGITS = regex(r"[0-9]{1,18}")


def read_columns(line: LineCursor, *, named: bool = False) -> Record:
    """Read the column declarations at the cursor; if rows are `named`, the first must be ``@``."""
    if not named and line.skip("[]"):
        return PlainArrays()
    return _read_group(line, named=named)


def _read_group(line: LineCursor, *, named: bool = False, optional: bool = False) -> Group:
    """Read the columns in braces; if rows are `named`, the first must be ``@``."""
    line.need("{")
    line.go_deeper()
    columns: dict[str, Shape] = {}
    more = False
    while not line.skip("}"):
        if line.skip("*"):
            more = True
            line.need("}")
            break
        if named and not columns and line.skip("@"):
            named = False
            if not line.sees(" ", "}"):  # the member that repeats the row names
                columns[line.read_name()] = ROW_NAME
        else:
            line.add_member(columns, line.read_name(), _read_shape(line))
        line.skip(" ")
    if named:
        line.fail("'@' was expected as the first column")
    group = Group(columns, optional, more)
    if group.end_count > 1:
        line.fail("only one column ends the row")
    line.depth -= 1
    return group


def _read_shape(line: LineCursor) -> Shape:
    """Read the declaration that follows a column's name."""
    if line.skip("="):
        start = line.place
        value = line.read_value()
        return Constant(value, line.place - start)
    if line.sees("~"):
        line.fail("mckp up to 0.3.0 wrote this template; read the text with that version")
    if line.skip("["):
        count = int(line.match(_DIGITS, "a number of rows"))
        line.need("]")
        return Items(read_columns(line), count)
    if line.skip("?"):
        return _read_group(line, optional=True)
    if line.sees("{"):
        return _read_group(line)
    if line.skip(Cell.TAB.value):
        return Cell.TAB
    return Cell.LAST if line.skip(Cell.LAST.value) else Cell.WORD


_STRING = regex(STRING)
_NAME = regex(NAME)
# A leaf counts as one level, and so does each group around a constant in a header.
_DEEPEST = MAX_DEPTH + 8
_WORD = regex(WORD)
_LITERALS = frozenset("-0123456789fnt")
_LITERAL = regex(rf"(?:{LITERAL})\Z")
_BELOW = regex(r"<([1-9][0-9]{0,17})")
_COUNT = regex(r"[0-9]{1,18}(?=\{)")
_NAMED = regex(r"[0-9]{1,18}\{@")
_ABSENT = regex(NO_WORD + CELL_END)
_CUT = regex(CUT_WORD + CELL_END)
_GAP = regex(rf"{GAP}(?=[ \[{{\]])")
_GAP_OR_END = regex(rf"{CUT_WORD}(?=\])|{_GAP.pattern}")
_GAP_ROW = regex(rf"{GAP}(?=[;\]}}])")
_GAP_ROW_OR_END = regex(rf"{CUT_WORD}(?=[\]}}])|{_GAP_ROW.pattern}")
_NULL = regex(f"null{CELL_END}")
_NO_TEXT = regex(r'["{\[]|<[0-9]+\Z')
_END = regex(r"\t|\Z")
_INLINE_END = regex(r"[\t;\]}]|\Z")


def is_literal(text: str) -> bool:
    """Whether a bare word is a number, a boolean or null."""
    return text[:1] in _LITERALS and _LITERAL.match(text) is not None


class LineCursor:
    """A cursor in a line of flow notation or in a row of a table.

    The cursor of `lines` is past this line, at the lines of its long strings.
    """

    __slots__ = ("depth", "lines", "place", "row_name", "text")

    def __init__(self, text: str, lines: Lines, place: int = 0) -> None:
        self.text, self.lines, self.place = text, lines, place
        self.depth = 0
        self.row_name = ""

    def check_end(self) -> None:
        """Fail if the line goes on."""
        if self.place != len(self.text):
            self.fail("nothing more was expected")

    def fail(self, message: str) -> NoReturn:
        """Raise a `ParseError` for the current place."""
        raise ParseError(message, line=max(1, self.lines.index), column=self.place + 1)

    def sees(self, *texts: str) -> bool:
        """Whether one of the texts is at the cursor."""
        return self.text.startswith(texts, self.place)

    def skip(self, text: str) -> bool:
        """Step past a text if it is at the cursor; return whether it was."""
        if self.text.startswith(text, self.place):
            self.place += len(text)
            return True
        return False

    def need(self, text: str) -> None:
        """Step past a text; fail if it is not at the cursor."""
        if not self.skip(text):
            self.fail(f"{text!r} was expected")

    def match(self, pattern: re.Pattern[str], expected: str) -> str:
        """Return the match of a pattern and step past it; fail if there is none."""
        match = pattern.match(self.text, self.place)
        if match is None:
            self.fail(f"{expected} was expected")
        self.place = match.end()
        return match[0]

    def go_deeper(self) -> None:
        """Go one nesting level deeper; fail if that is too deep."""
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail("brackets are nested too deeply")

    def parse_json(self, text: str) -> Any:
        """Parse a text as JSON; fail if it is broken."""
        try:
            return load(text)
        except ValueError as error:
            return self.fail(f"broken JSON {text[:40]!r}: {error}")

    def read_string(self) -> str:
        """Read a JSON string."""
        return str(self.parse_json(self.match(_STRING, "a string")))

    def read_name(self) -> str:
        """Read the name of a member."""
        if (bare := _NAME.match(self.text, self.place)) is not None:
            self.place = bare.end()
            return bare[0]
        return self.read_string() if self.sees('"') else self.fail("a name was expected")

    def add_member(self, members: dict[str, Any], name: str, value: object) -> None:
        """Add a member; fail if the name is already there."""
        if name in members:
            self.fail(f"{name!r} occurs twice")
        members[name] = value

    def read_whole(self) -> Any:
        """Read a value, and check that the line ends after it."""
        value = self.read_value()
        self.check_end()
        return value

    def read_value(self) -> Any:
        """Read a value in flow notation."""
        self.go_deeper()
        first = self.text[self.place : self.place + 1]
        value: Any
        if first == "[":
            value = self.read_array()
        elif first == "{":
            value = self.read_object()
        elif first == '"':
            value = self.read_string()
        else:
            value = self.read_word()
        self.depth -= 1
        return value

    def read_word(self) -> Any:
        """Read a bare word."""
        text = self.match(_WORD, "a value")
        known = self.lines.words.get(text, ABSENT)
        return self.meaning(text) if known is ABSENT else known

    def meaning(self, text: str) -> Any:
        """Return the value of a bare word: lines below it, a literal, or the word itself.

        The last two are added to `lines.words`. Fails if the string must have quotation marks.
        """
        if text[0] == "<" and (below := _BELOW.fullmatch(text)):
            return "\n".join(self.lines.take() for _ in range(int(below[1])))
        value: Any = text
        if is_literal(text):
            value = self.parse_json(text)
        elif not is_word(text):
            self.fail(f"{text[:40]!r} needs quotation marks")
        self.lines.words[text] = value
        return value

    def read_pairs(self, members: dict[str, Any], end: str) -> dict[str, Any]:
        """Add names and values to `members`, up to the closing bracket `end`, and return them.

        If `end` is empty, the row's end is the end. A member whose value was cut is not added.
        """
        while not (self.skip(end) if end else self.ends_row()):
            name = self.read_name()
            if name == CUT_WORD and end and self.skip(end):
                break  # further members were cut
            if not self.sees("[", "{"):
                self.need(" ")
            if not self.skip_match(_CUT):
                self.add_member(members, name, self.read_value())
            self.skip(" ")
        return members

    def skip_match(self, sign: re.Pattern[str]) -> bool:
        """Step past a match of a pattern at the cursor; return whether there was one."""
        if (match := sign.match(self.text, self.place)) is None:
            return False
        self.place = match.end()
        return True

    def read_object(self) -> dict[str, Any]:
        """Read an object, or an object of records as a table."""
        self.need("{")
        members: dict[str, Any] = {}
        if not _NAMED.match(self.text, self.place):
            return self.read_pairs(members, "}")
        for name, value in self.read_table("}", named=True):
            self.add_member(members, name, value)
        return members

    def read_array(self) -> list[Any]:
        """Read an array, or an array of records as a table."""
        self.need("[")
        if _COUNT.match(self.text, self.place):
            return self.read_table("]")
        values: list[Any] = []
        start = self.place
        while not self.skip("]"):
            if self.place > start and not self.skip(" ") and not self.sees("[", "{"):
                self.fail("a blank or ']' was expected")
            if not self.skip_match(_GAP if self.place == start else _GAP_OR_END):
                values.append(self.read_value())
        return values

    def read_table(self, end: str, *, named: bool = False) -> list[Any]:
        """Read a table, starting at its row count, up to the closing bracket `end`.

        Returns the values of the rows; if they are `named`, pairs of names and values. Fails if
        the number of rows is wrong.
        """
        count = int(self.match(_COUNT, "a number of rows"))
        record = read_columns(self, named=named)
        rows = self.read_rows(record, end, named=named)
        if len(rows) != count:
            self.fail(f"{count} rows were expected, not {len(rows)}")
        self.check_counts(record)
        return rows

    def check_counts(self, record: Record) -> None:
        """Fail if the inner tables of a table do not have all the rows that it declares."""
        for key, shape in record.columns.items() if isinstance(record, Group) else ():
            if isinstance(shape, Items):
                count = self.lines.counts[shape]
                if count != shape.count:
                    self.fail(f"{shape.count} rows of {key!r} were expected, not {count}")
                self.check_counts(shape.record)
            elif isinstance(shape, Group):
                self.check_counts(shape)

    def read_rows(self, record: Record, end: str = "]", *, named: bool = False) -> list[Any]:
        """Read rows up to the closing bracket `end`; if they are `named`, return pairs."""
        rows: list[Any] = []
        read = self.read_named_row if named else self.read_row
        start = self.place
        while not self.skip(end):
            if self.place > start:
                self.need(";")
            if not self.skip_match(_GAP_ROW if self.place == start else _GAP_ROW_OR_END):
                rows.append(read(record))
        return rows

    def read_named_row(self, record: Record, *, inline: bool = True) -> tuple[str, Any]:
        """Read a row that begins with its name; return the name and the row.

        For `inline` see `read_row`.
        """
        self.row_name = name = self.read_name()
        if not self.ends_row():
            self.need(" ")
        return name, self.read_row(record, inline=inline)

    def read_row(self, record: Record, *, inline: bool = True) -> Any:
        """Read a row of a table: an object, an array of its cells, or a value behind ``= ``.

        An `inline` row is part of a line, so that free text in it also ends at ``;`` or a bracket.
        """
        if self.skip("= "):
            return self.read_value()
        if isinstance(record, PlainArrays):
            return self.read_plain_row()
        members: dict[str, Any] = {}
        if (last := self.read_cells(record, members)) is not None:
            owner, key = last
            end = (_INLINE_END if inline else _END).search(self.text, self.place)
            owner[key] = self.read_text_to(end.start() if end else len(self.text))
            if owner[key] is ABSENT:
                del owner[key]
            self.skip("\t")
        if record.more:
            self.read_pairs(members, "")
        return members

    def read_plain_row(self) -> list[Any]:
        """Read the items of a row whose items are its cells."""
        values: list[Any] = []
        if self.skip_match(_ABSENT):
            return values
        while not (self.ends_row() or (values and self.skip_match(_CUT))):
            values.append(self.read_value())
            self.skip(" ")
        return values

    def ends_row(self) -> bool:
        """Whether the row ends at the cursor."""
        return self.place >= len(self.text) or self.text[self.place] in ";]}"

    def read_cells(
        self, group: Group, members: dict[str, Any]
    ) -> tuple[dict[str, Any], str] | None:
        """Read the cells of an object into `members`.

        If a text ends the row, return the object and the name under which it must be added, and
        otherwise None.
        """
        last = None
        for key, shape in group.columns.items():
            if isinstance(shape, Items) or shape is Cell.WORD or shape is Cell.TAB:
                value = self.read_cell(shape)
                if value is not ABSENT:
                    members[key] = value
            elif isinstance(shape, Constant):
                self.lines.spend(len(key) + shape.size)
                # Records must not share a container, because changing one would change all.
                is_shared = is_container(shape.value)
                members[key] = load(dump(shape.value)) if is_shared else shape.value
            elif shape is ROW_NAME:
                members[key] = self.row_name
            elif isinstance(shape, Group):
                self.lines.spend(shape.size)
                if shape.optional and self.read_substitute(members, key):
                    continue
                members[key] = {}
                last = self.read_cells(shape, members[key]) or last
            else:
                members[key] = None
                last = members, key
        return last

    def read_substitute(self, members: dict[str, Any], key: str) -> bool:
        """Read what is in place of an object: a value, null, a sign, or nothing at the row's end.

        Returns False if there is an object.
        """
        if self.skip("="):
            members[key] = self.read_value()
        elif self.skip_match(_NULL):
            members[key] = None
        elif not self.skip_match(_ABSENT) and not self.ends_row():
            return False
        self.skip(" ")
        return True

    def read_cell(self, shape: Cell | Items) -> Any:
        """Read a cell and the sign that ends it."""
        end = self.text.find(" ", self.place)
        value = self.lines.words.get(self.text[self.place : end], ABSENT) if end > 0 else ABSENT
        if value is not ABSENT and shape is not Cell.TAB:  # most cells: a word seen before
            self.place = end + 1
            return value
        if shape is Cell.TAB:
            value = self.read_text_to(self.text.find("\t", self.place))
            self.need("\t")
            return value
        if isinstance(shape, Items) and self.skip("["):
            value = self.read_rows(shape.record)
            self.lines.counts[shape] += len(value)
        else:
            value = ABSENT if self.skip_match(_ABSENT) else self.read_value()
        self.skip(" ")
        return value

    def read_text_to(self, end: int) -> Any:
        """Read free text up to `end`, or to the line's end if `end` is negative.

        There may be a value instead of the text. For the signs ``-`` and ``…``, return `ABSENT`.
        """
        text = self.text[self.place : end] if end >= 0 else self.text[self.place :]
        if _NO_TEXT.match(text) or not text:
            return self.read_value()
        self.place += len(text)
        if text in (ABSENT_WORD, CUT_WORD):
            return ABSENT
        return self.parse_json(text) if is_literal(text) else text


START: Final = "== "


def split_constants(record: Record) -> tuple[Record, dict[str, Any]]:
    """Return a shape without its constants, and the constants by name.

    The constants include those of required objects within it, but not of optional ones or tables.
    """
    if not isinstance(record, Group):
        return record, {}
    columns: dict[str, Shape] = {}
    constants: dict[str, Any] = {}
    for key, shape in record.columns.items():
        if isinstance(shape, Constant):
            constants[key] = shape.value
        elif isinstance(shape, Group) and not shape.optional:
            inner, inner_constants = split_constants(shape)
            assert isinstance(inner, Group), "groups hold groups"
            columns[key] = inner
            if inner_constants:
                constants[key] = inner_constants
        else:
            columns[key] = shape
    return replace(record, columns=columns), constants


def write_constants(members: dict[str, Any], pairs: Callable[[dict[str, Any]], str]) -> str:
    """Return the lines of constants, each written by `pairs`; "" if there are none."""
    lines: list[str] = []
    for key, value in members.items():
        text = pairs({key: value})
        if lines and len(lines[-1]) + len(text) < LINE_CHARACTERS // 2:
            lines[-1] += f" {text}"
        else:
            lines.append(START + text)
    return "".join(f"{line}\n" for line in lines)


def read_constants(lines: Lines, record: Record) -> ColumnRules:
    """Add the constants on the next lines, if any, to a shape; return the rules on these lines.

    A constant that the header or another line already gives is an error.
    """
    rules: ColumnRules = {}
    while (above := lines.peek()) is not None and above.startswith(START):
        line = LineCursor(lines.take(), lines, len(START))
        if (rule := read_rule(above[len(START) :])) is not None:
            rules[rule[0]] = rule[1]
            continue
        members = line.read_pairs({}, "")
        line.check_end()
        if not isinstance(record, Group) or not members:
            line.fail("a line with == needs a table with columns above it")
        _add_constants(record, members, line)
    return rules


def _add_constants(group: Group, members: dict[str, Any], line: LineCursor) -> None:
    """Add constants to the columns of a group, or of required groups within it.

    Fails if there is such a column already.
    """
    columns = group.columns
    assert isinstance(columns, dict), "changed in place: there may be many lines"
    for key, value in members.items():
        inner = columns.get(key)
        if isinstance(inner, Group) and not inner.optional and is_object(value) and value:
            _add_constants(inner, value, line)
        else:
            line.add_member(columns, key, Constant(value, len(dump(value))))
