"""Write the header of a table and its rows: the cells of each column first, then joined."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import orjson

from mckp.encoders.free_text import free_texts
from mckp.encoders.records import Column, Records, is_same
from mckp.encoders.scalars import ABSENT, CUT, Cut, number_texts
from mckp.encoders.shapes import ROW_NAME, Cell, Constant, Derived, Group, Items, PlainArrays
from mckp.encoders.words import ABSENT_WORD, CELL_END, CUT_WORD, GAP, NO_WORD, is_word, write_name
from mckp.jsontext import dump, is_array
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mckp.encoders.native import Flow
    from mckp.encoders.shapes import Record, Shape

Counts: TypeAlias = Counter[Items]
"""The number of rows that the tables of each column have in total."""


def write_columns(
    record: Record, counts: Counts, flow: Callable[[Any], str], *, named: bool = False
) -> str:
    """Return the header that declares columns.

    `counts` has the rows of inner tables, and `flow` writes constants; `named` rows have names.
    """
    if isinstance(record, PlainArrays):
        return "[]"
    name_column = "".join(
        write_name(key) for key, shape in record.columns.items() if shape is ROW_NAME
    )
    parts = [f"@{name_column} "] if named else []
    parts += (
        f"{write_name(key)}{_declaration(shape, counts, flow)}"
        for key, shape in record.columns.items()
        if not isinstance(shape, Derived)  # rules are on lines of their own
    )
    text = "".join([*parts, "*"] if record.more else parts)
    return f"{{{text.removesuffix(' ')}}}"


def _declaration(
    shape: Cell | Constant | Group | Items, counts: Counts, flow: Callable[[Any], str]
) -> str:
    """Return the declaration that follows a column's name, up to the name of the next column.

    `counts` has the rows of inner tables, and `flow` writes constants.
    """
    if isinstance(shape, Cell):
        return shape.value if shape is Cell.TAB else f"{shape.value} "
    if isinstance(shape, Constant):
        return f"={flow(shape.value)} "
    if isinstance(shape, Items):
        return f"[{counts[shape]}]{write_columns(shape.record, counts, flow)} "
    return f"{'?' * shape.optional}{write_columns(shape, counts, flow)} "


BRACKETS: Final = ("[", "{")
"""The beginnings of containers."""

LinesBelow: TypeAlias = dict[int, list[str]]
"""The lines of long strings below rows, by row."""

_ENDS: Final = {Cell.WORD: " ", Cell.TAB: "\t", Cell.LAST: ""}
_NOTHING: Final = {ABSENT: ABSENT_WORD, CUT: CUT_WORD, None: "null"}
_OTHER = regex(rf"(?:{NO_WORD}|null){CELL_END}|[=;\]}}]")
_GAP = regex(rf"{CUT_WORD}|{GAP}")
_CLOSING = regex(r"[\]}]")


class Cells(NamedTuple):
    """The cells of one column: for each row, the text with its end sign, or "".

    `below` has the lines of long strings below the rows; `has_brackets` says whether a cell may
    begin with a bracket.
    """

    texts: Sequence[str]
    below: LinesBelow
    has_brackets: bool


class RowWriter:
    """Writes the rows of a table; `inline` rows are on one line, with ``;`` between them."""

    def __init__(self, flow: Flow, *, inline: bool) -> None:
        self.flow = flow
        self.inline = inline

    def rows(
        self, record: Record, records: Records, counts: Counts
    ) -> tuple[list[str], LinesBelow]:
        """Return the rows of a table, without line feeds or ``;``, and the lines below each.

        Rows of named records begin with their names. The row counts of inner tables are added to
        `counts`.
        """
        if isinstance(record, PlainArrays):
            texts, below = self.plain_rows(records)
        else:
            texts, below = self.group_rows(record, records, counts, misfit_rows(record, records))
        if records.names is not None:
            named = zip(records.names, texts, strict=True)
            texts = [f"{write_name(name)} {text}".removesuffix(" ") for name, text in named]
            texts = [dump(text) if _GAP.fullmatch(text) else text for text in texts]
        return texts, below

    def plain_rows(self, records: Records) -> tuple[list[str], LinesBelow]:
        """Return the rows of arrays whose items are cells, and the lines below each."""
        texts: list[str] = []
        below: LinesBelow = {}
        for row, value in enumerate(records.values()):
            if is_array(value):
                texts.append(self.write_inline(value, row, below, self.flow.words) or ABSENT_WORD)
            else:
                texts.append(self.odd_row(row, value, below))
        return texts, below

    def write_inline(
        self, value: object, row: int, below: LinesBelow, write: Callable[[Any], str] | None = None
    ) -> str:
        """Return a value as `write` (by default ``flow.value``) writes it.

        The lines of its long strings, if any, go into ``below[row]``.
        """
        write, lines = write or self.flow.value, self.flow.below
        if lines is None:
            return write(value)
        start = len(lines)
        text = write(value)
        if lines_below := lines[start:]:
            below[row] = lines_below
            del lines[start:]
        return text

    def odd_row(self, row: int, value: object, below: LinesBelow) -> str:
        """Return the row for a value that does not fit the columns, or that stands for cut rows.

        The lines of its long strings replace those in ``below[row]``.
        """
        if isinstance(value, Cut):
            return self.flow.value(value)
        below.pop(row, None)
        return f"= {self.write_inline(value, row, below)}"

    def group_rows(
        self, record: Group, records: Records, counts: Counts, odd: set[int]
    ) -> tuple[list[str], LinesBelow]:
        """Return the rows of records whose members are columns, and the lines below each.

        Row counts of inner tables are added to `counts`; the rows in `odd` do not fit the columns.
        """
        columns, last = self.cells(record, records, odd, counts)
        if not columns and last is None:
            columns = [Cells([""] * records.size, {}, has_brackets=False)]
        all_columns = columns if last is None else [*columns, last]
        if sum(column.has_brackets for column in all_columns) > 1:
            cells_by_row = zip(*(column.texts for column in all_columns), strict=True)
            texts = [join_cells(filter(None, cells)) for cells in cells_by_row]
        else:
            texts = list(map("".join, zip(*(column.texts for column in all_columns), strict=True)))
        below: LinesBelow = {}
        for column in all_columns:
            for row, lines in column.below.items():
                if row not in odd:
                    below[row] = below.get(row, []) + lines
        extra = self.extra_texts(record, records, odd, below) if record.more else {}
        for row in _rows_without_last(record, records, odd.union(extra)):
            count = sum(1 for column in columns if column.texts[row])
            if count > 1 and (last is None or not last.texts[row]):
                texts[row] = texts[row].removesuffix(f"{ABSENT_WORD} ")
        for row, text in extra.items():
            texts[row] += text if last is None or not last.texts[row] else f"\t{text}"
        texts = [text[:-1] if text[-1:] == " " else text for text in texts]
        if self.inline:  # a row that is only this sign says that others were cut
            odd = odd.union(row for row, text in enumerate(texts) if _GAP.fullmatch(text))
        for row in odd:
            texts[row] = self.odd_row(row, records.value(row), below)
        return texts, below

    def extra_texts(
        self, record: Group, records: Records, odd: set[int], below: LinesBelow
    ) -> dict[int, str]:
        """Return, by row, the text of the members that have no column.

        The rows in `odd` are left out; lines of long strings go into `below`.
        """
        extras: dict[int, str] = {}
        for key, column in records.columns.items():
            if key in record.columns:
                continue
            name, cache_key = write_name(key), ("extra", self.flow.surroundings)
            find = partial(self.value_texts, column, Cell.WORD)
            texts, lines = column.get_or_find(cache_key, find)
            pairs = dict.fromkeys(column.cut, CUT_WORD) | dict(zip(column.rows, texts, strict=True))
            for row, text in pairs.items():
                if row in odd:
                    continue
                pair = name_with(name, text)
                extras[row] = f"{extras[row]} {pair}" if row in extras else pair
                if row in lines:
                    below[row] = below.get(row, []) + lines[row]
        return extras

    def cells(
        self, group: Group, records: Records, skip: set[int], counts: Counts
    ) -> tuple[list[Cells], Cells | None]:
        """Return the cells of objects, column by column, and the column that ends the rows, if any.

        Row counts of inner tables are added to `counts`, except those of the rows in `skip`.
        """
        cells: list[Cells] = []
        last = None
        for key, shape in group.columns.items():
            if isinstance(shape, Constant | Derived):
                continue
            column = records.columns.get(key) or Column((), (), records.size)
            if isinstance(shape, Group):
                inner, ends = self.group_cells(shape, column, skip, counts)
                cells += inner
                last = ends or last
            elif isinstance(shape, Items):
                cells.append(self.item_cells(shape, column, skip, counts))
            elif shape is Cell.LAST:
                last = self.column_cells(column, shape)
            else:
                cells.append(self.column_cells(column, shape))
        return cells, last

    def column_cells(self, column: Column, style: Cell) -> Cells:
        """Return the cells of a column that has no inner columns."""

        def write() -> Cells:
            """Return the cells; called if they are not in the cache."""
            texts, below = self.value_texts(column, style)
            end = _ENDS[style]
            with_end = {text: text + end for text in texts}  # equal cells share a string
            return _dense_cells(list(map(with_end.__getitem__, texts)), below, column, end)

        cache_key = style, self.inline and style is not Cell.WORD, self.flow.surroundings
        return column.get_or_find(cache_key, write)

    def value_texts(self, column: Column, style: Cell) -> tuple[list[str], LinesBelow]:
        """Return the text of each value of a column, and the lines below the rows."""
        if column.is_numbers:
            return number_texts(column.raw), {}
        if column.kinds == {Cut}:
            return [CUT_WORD] * column.count, {}
        known = self.plain_strings(column, style)
        written = [known.get(v) if type(v) is str else None for v in column.raw]
        texts = [text or "" for text in written]
        below: LinesBelow = {}
        for place, text in enumerate(written):
            if text is None:
                texts[place] = self.write_other(column.raw[place], known, column.rows[place], below)
        return texts, below

    def plain_strings(self, column: Column, style: Cell) -> dict[Any, str]:
        """Return a dict from each string that the column's cells show unchanged to itself."""
        bare = [text for text, is_bare in column.bare.items() if is_bare]
        if style is Cell.WORD:
            return dict(zip(bare, bare, strict=True))
        if self.inline:
            # Within a line, text ends at a closing bracket, even at that of a word like a{b}.
            bare = [text for text in bare if not _CLOSING.search(text)]
        free = [*bare, *free_texts(column, inline=self.inline)]
        return dict(zip(free, free, strict=True))

    def write_other(self, value: Any, known: dict[Any, str], row: int, below: LinesBelow) -> str:
        """Return the text for a value that a cell does not show unchanged.

        `known` has the texts of earlier values, and gets this one; lines of long strings go into
        ``below[row]``.
        """
        is_string = isinstance(value, str)
        key = value if is_string else _text_key(value)
        if key is not None and (text := known.get(key)) is not None:
            return text
        text = dump(value) if is_string and is_word(value) else self.write_inline(value, row, below)
        if key is not None and row not in below:
            known[key] = text
        return text

    def item_cells(self, shape: Items, column: Column, skip: set[int], counts: Counts) -> Cells:
        """Return the cells of a column of tables, and add the number of their rows to `counts`.

        The tables of the rows in `skip` are not counted.
        """
        items = column.items
        writer = RowWriter(self.flow, inline=True)
        left_out = _items_in_rows(column, skip) if skip else set[int]()
        counts[shape] += items.size - items.cut_count - len(left_out)
        record, cache_key = shape.record, (shape, self.flow.surroundings)
        if isinstance(record, Group) and any(
            isinstance(inner_shape, Items) for inner_shape in record.flat_columns()
        ):
            # Their rows are counted even if the cells are in the cache.
            writer.cells(record, items, left_out | misfit_rows(record, items), counts)
        return column.get_or_find(cache_key, partial(writer.write_items, record, column, items))

    def write_items(self, record: Record, column: Column, items: Records) -> Cells:
        """Return the cells of a column of tables: each in brackets, other values as they are."""
        item_texts, lines = self.rows(record, items, Counter())
        texts: list[str] = []
        below: LinesBelow = {}
        for place, row in enumerate(column.rows):
            if (start := column.starts.get(place)) is None:
                text = self.write_inline(column.raw[place], row, below)
            else:
                span = range(start, start + len(column.raw[place]))
                text = f"[{';'.join(item_texts[span.start : span.stop])}]"
                if lines and (
                    lines_of_row := [line for item in span for line in lines.get(item, ())]
                ):
                    below[row] = lines_of_row
            texts.append(f"{text} ")
        return _dense_cells(texts, below, column, " ")

    def group_cells(
        self, shape: Group, column: Column, skip: set[int], counts: Counts
    ) -> tuple[list[Cells], Cells | None]:
        """Return the cells of nested objects, and the column that ends the rows, if any.

        Rows without such an object have a value or a sign in the first cell.
        """
        nested = column.nested
        rows = [column.rows[place] for place in column.objects]  # of the nested objects
        odd = misfit_rows(shape, nested) if shape.optional else set[int]()
        odd = odd.union(inner for inner, row in enumerate(rows) if row in skip) if skip else odd
        inner_counts: Counts = Counter()
        cells, last = self.cells(shape, nested, odd, inner_counts)
        firsts = enumerate(cells[0].texts if shape.optional else ())
        # If an object's cells begin like one of the signs, it is written as a value.
        if alike := {row for row, text in firsts if _OTHER.match(text.rstrip(" \t"))} - odd:
            odd = odd | alike
            inner_counts.clear()
            cells, last = self.cells(shape, nested, odd, inner_counts)
        counts.update(inner_counts)
        if not odd and nested.size == column.size:
            return cells, last
        inner_rows = {row: inner for inner, row in enumerate(rows) if inner not in odd}
        all_columns = [
            _spread_cells(cells_of_column, inner_rows, column.size) for cells_of_column in cells
        ]
        if shape.optional:
            all_columns[0] = self.with_other_values(all_columns[0], column, skip.union(inner_rows))
        return all_columns, last and _spread_cells(last, inner_rows, column.size)

    def with_other_values(self, cells: Cells, column: Column, done: set[int]) -> Cells:
        """Return the cells with a value or a sign in each row that is not `done`."""
        texts, below = list(cells.texts), dict(cells.below)
        for row in range(column.size):
            if row in done:
                continue
            value = column.get(row)
            if value is ABSENT or value is CUT or value is None:
                texts[row] = f"{CUT_WORD if row in column.cut else _NOTHING[value]} "
            else:
                texts[row] = f"={self.write_inline(value, row, below)} "
        return Cells(texts, below, cells.has_brackets)


def name_with(name: str, text: str) -> str:
    """Return a written name and its written value; one in brackets follows without a blank."""
    return f"{name}{text}" if text[0] in BRACKETS else f"{name} {text}"


def join_cells(cells: Iterable[str]) -> str:
    """Join the cells of a row, without a blank between two that are in brackets."""
    parts: list[str] = []
    before = ""
    for cell in cells:
        if before[:1] in BRACKETS and cell[:1] in BRACKETS:
            parts[-1] = before.removesuffix(" ")
        parts.append(cell)
        before = cell
    return "".join(parts)


def _text_key(value: object) -> bytes | None:
    """Return a key that only equal values share; None if there is none, as for cut objects."""
    try:
        return orjson.dumps(value, option=orjson.OPT_PASSTHROUGH_SUBCLASS)  # not cut objects
    except TypeError:
        return None


def _dense_cells(texts: list[str], below: LinesBelow, column: Column, end: str) -> Cells:
    """Return the cells of all rows, given the texts of those rows that have the member.

    `end` is put after the sign in each other row.
    """
    all_texts = column.texts_by_row(texts, ABSENT_WORD + end, CUT_WORD + end)
    return Cells(all_texts, below, column.has_containers)


def _spread_cells(cells: Cells, inner_rows: dict[int, int], size: int) -> Cells:
    """Return cells for `size` rows: those of `inner_rows`, which maps a row to an index in `cells`.

    All other rows are empty.
    """
    texts = [""] * size
    for row, inner in inner_rows.items():
        texts[row] = cells.texts[inner]
    below = {row: cells.below[inner] for row, inner in inner_rows.items() if inner in cells.below}
    return Cells(texts, below, cells.has_brackets)


def _rows_without_last(record: Group, records: Records, excluded: set[int]) -> Iterable[int]:
    """Return the rows without an object in the last column, except those that are `excluded`.

    If the last column has no optional objects, there are none.
    """
    *_, (key, shape) = record.columns.items()
    if not isinstance(shape, Group) or not shape.optional:
        return ()
    column = records.columns.get(key)
    return set(range(records.size)).difference(column.rows if column else ()) - excluded


def _items_in_rows(column: Column, rows: set[int]) -> set[int]:
    """Return the indexes in `column.items` of the items in the given rows."""
    return {
        start + offset
        for place, start in column.starts.items()
        if column.rows[place] in rows
        for offset in range(len(column.raw[place]))
    }


def misfit_rows(group: Group, records: Records) -> set[int]:
    """Return the rows that cannot be cells of these columns, such as all that are not objects."""
    rows = set(records.odd)
    if not group.more:
        for key, column in records.columns.items():
            if key not in group.columns:
                rows.update(column.rows, column.cut)
    for key, shape in group.columns.items():
        is_free = isinstance(shape, Group) and shape.optional
        if is_free or isinstance(shape, Cell | Items | Derived):
            continue
        column = records.columns.get(key) or Column((), (), records.size)
        if column.count < records.size:
            rows.update(set(range(records.size)).difference(column.rows))
        if column.count:
            rows.update(_mismatched_rows(shape, column, records))
    return rows


def _mismatched_rows(shape: Shape, column: Column, records: Records) -> Iterable[int]:
    """Return the rows whose values do not match the shape of their column."""
    if isinstance(shape, Constant):
        if column.is_constant and is_same(column.raw[0], shape.value):
            return ()
        wrong = [not is_same(value, shape.value) for value in column.raw]
    elif isinstance(shape, Group):
        inner = misfit_rows(shape, column.nested)
        if not inner and len(column.objects) == column.count:
            return ()
        places = (column.objects.get(place) for place in range(column.count))
        wrong = [row is None or row in inner for row in places]
    else:
        return ()
    return (row for row, is_wrong in zip(column.rows, wrong, strict=True) if is_wrong)
