r"""Tables drawn with lines, as psql, mysql, sqlite3, DuckDB, Polars and Rich print them.

A text is read as a table only if the table, drawn again in the same style, gives the exact text. If
there is text around the table, it is in ``above`` and ``below``, and the rows are in ``data``;
otherwise the rows are the data.

================  ==============================================================================
``psql``          a line below the names and between columns, as psql draws it; or one of the other
                  styles in `STYLES`
``above=2``       text is above, this many line feeds before the table; ``below=1``: below it
``align=lrcd``    how the cells of each column are aligned: left, right, centered, at the decimal
                  point; else left
``ruled``         a line between any two rows
``wide``          names take two columns more; ``bytes``: columns are as wide as the most bytes of
                  a cell, as mariadb draws names with accents
``centered``      names are centered; ``centered=2``: with the odd blank on the left
``left``          names are aligned left; else as the cells below them
``padded``        the last column of ``psql`` is padded, too; ``stripped``: no line ends with blanks
``types``         below the names are types, in ``types``; the rows are in ``data``
``null``          ``NULL`` is null
``price=.2``      numbers in this column have this many digits after the point
================  ==============================================================================
"""

from __future__ import annotations

from itertools import accumulate, chain, pairwise, product
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.jsontext import JsonValue, is_array, is_object
from mckp.parsers.around import join_text, split_text
from mckp.parsers.cells import (
    NAME,
    are_names,
    at_decimal_point,
    display_width,
    records,
    rows_of,
)
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FEWEST_ROWS: Final = 3
"""Fewest rows below the names."""
MOST_AROUND: Final = 0.4
"""Largest share of a text that may be around its table."""
MOST_COLUMNS: Final = 60
SOME_ROWS: Final = 8
"""Rows that are drawn to find out how a table is drawn, before all rows are."""
MOST_EMPTY: Final = 0.2
"""Largest share of rows whose first cell is empty: they continue the row above, if text wraps."""
NULL: Final = "NULL"
MORE: Final = "+"
"""What psql writes behind a line of a cell that goes on below it."""
DASHES: Final = "---"
"""What Polars writes between a name and its type."""


class Rule(NamedTuple):
    """The signs of a horizontal line: its first one, the line, a crossing, and its last one."""

    left: str
    line: str
    cross: str
    right: str

    def draw(self, widths: Iterable[int]) -> str:
        """Return the line for columns of these widths; cells have a blank on each side."""
        return self.left + self.cross.join(self.line * (width + 2) for width in widths) + self.right


class Style(NamedTuple):
    """How a table is drawn: its horizontal lines, and the signs between names and between cells."""

    top: Rule | None
    below_names: Rule
    between_rows: Rule
    """With ``ruled``, between any two rows."""
    bottom: Rule | None
    name_bars: tuple[str, str, str]
    """The signs before the first name, between names, and after the last one."""
    bars: tuple[str, str, str]
    """The same for the cells below."""

    @classmethod
    def bordered(cls, rules: str, bars: str, between: str = "", name_bars: str = "") -> Style:
        """Return a style with a border.

        Parameters
        ----------
        rules : str
            The four signs each of the upper border, the line below the names and the lower border.
        bars : str
            The signs before the first cell, between cells, and after the last one.
        between : str, optional
            The signs of the line between rows; by default, of the line below the names.
        name_bars : str, optional
            The signs around names; by default, those around cells.
        """
        top, below, bottom = (Rule(*rules[at : at + 4]) for at in (0, 4, 8))
        row_rule = Rule(*between) if between else below
        return cls(top, below, row_rule, bottom, _as_bars(name_bars or bars), _as_bars(bars))


def _as_bars(signs: str) -> tuple[str, str, str]:
    """Return three signs as a tuple: before the first cell, between cells, after the last one."""
    return signs[0], signs[1], signs[2]


_PSQL: Final = Rule("", "-", "+", "")
_ORG: Final = Rule("|", "-", "+", "|")

STYLES: Final = {
    "psql": Style(None, _PSQL, _PSQL, None, ("", "|", ""), ("", "|", "")),
    "org": Style(None, _ORG, _ORG, None, ("|", "|", "|"), ("|", "|", "|")),
    "mysql": Style.bordered("+-+++-+++-++", "|||"),
    "piped": Style.bordered("+-++|-+|+-++", "|||"),
    "grid": Style.bordered("+-+++=+++-++", "|||", "+-++"),
    "box": Style.bordered("┌─┬┐├─┼┤└─┴┘", "│││"),
    "rounded": Style.bordered("╭─┬╮├─┼┤╰─┴╯", "│││"),
    "heavy": Style.bordered("┏━┳┓┡━╇┩└─┴┘", "│││", "├─┼┤", "┃┃┃"),
    "thick": Style.bordered("┏━┳┓┣━╋┫┗━┻┛", "┃┃┃"),
    "mixed": Style.bordered("┍━┯┑┝━┿┥┕━┷┙", "│││", "├─┼┤"),
    "double": Style.bordered("╔═╦╗╠═╬╣╚═╩╝", "║║║"),
    "fancy": Style.bordered("╒═╤╕╞═╪╡╘═╧╛", "│││", "├─┼┤"),
    "polars": Style.bordered("┌─┬┐╞═╪╡└─┴┘", "│┆│"),
}
"""The styles by name. Some are named after a program; sqlite3 and DuckDB draw ``box``, Nushell
``rounded``, Rich ``heavy``, the package tabulate ``piped``, ``grid`` and ``thick`` to ``fancy``."""

_FIRST: Final = regex(
    r"(?m)^(?:(?=[^\n|]*\|)[^\n]*+\n\|?-+(?:\+-+)+(?:\|| *)|\+-+(?:\+-+)+\+"
    r"|[┌╭┏┍╔╒][─━═]+(?:[┬┳┯╦╤][─━═]+)+[┐╮┓┑╗╕])$"
)
"""The first line of a table: its upper border, or its names and the line below them."""
_TYPE: Final = regex(r"[a-z][\w()\[\], ]*")
_WORD: Final = regex(
    rf"(?:{'|'.join(STYLES)})|(?:above|below)=[0-9]{{1,2}}|align=[lrcd]{{1,60}}|centered(?:=2)?|left"
    rf"|wide|bytes|ruled|padded|stripped|types|null|open|{NAME}=\.[0-9]{{1,2}}"
)
_WIDTHS: Final = ("", "wide", "bytes")
_NAMES: Final = ("", "centered", "centered=2", "left")
_ENDS: Final = ("", "padded", "stripped")


def is_known(words: Iterable[str]) -> bool:
    """Whether the words describe how a table is drawn: one style of `STYLES`, and details."""
    word_list = list(words)
    return all(map(_WORD.fullmatch, word_list)) and sum(word in STYLES for word in word_list) == 1


def read(text: str, fewest: int = FEWEST_ROWS) -> tuple[JsonValue, tuple[str, ...]] | None:
    r"""Return the rows of a drawn table and the words of its style; None for any other text.

    `fewest` is the fewest rows below the names.

    Examples
    --------
    >>> read(" id | name \n----+------\n  1 | Ann\n  2 | Bo\n  3 | Cy\n")[1]
    ('psql', 'align=rl')
    """
    begin = _FIRST.search(text)
    if begin is None:
        return None
    start = begin.start()
    lines = text[start:].split("\n")
    for name, style in STYLES.items():
        table_lines = list(_lines_of_table(lines, style))
        size = sum(map(len, table_lines)) + len(table_lines) - 1
        if len(table_lines) < fewest or len(text) - size > MOST_AROUND * len(text):
            continue
        drawn = _read_table(table_lines, style, fewest)
        if drawn is not None and _FIRST.search(text, start + size) is None:
            return _with_exact_words(text, start, table_lines, name, drawn)
    return None


class _DrawnTable(NamedTuple):
    """What is in a table, and how it is drawn."""

    names: list[str]
    types: list[str]
    """The types below the names, if there are any."""
    rows: list[list[str]]
    alignments: list[str]
    """For each column, the letters from `_alignments`."""
    is_ruled: bool
    """Whether there is a line between any two rows."""
    above: list[str]
    """The lines above the rows, with names, types and the border."""
    row_lines: list[list[str]]
    """The lines of each row, without those between rows."""


def _lines_of_table(lines: Sequence[str], style: Style) -> Iterator[str]:
    """Yield the first of the lines that may belong to a table in this style.

    With a border, these begin with a sign of the style; without one, they have enough bars.
    """
    if style.bottom is None:
        bar_count = lines[1].count(style.below_names.cross) if len(lines) > 1 else 0
        for number, line in enumerate(lines):
            if number != 1 and line.count(style.bars[1]) < max(1, bar_count):
                return
            yield line
        return
    rules = filter(None, style[:4])
    first_signs = {*(rule.left for rule in rules), style.name_bars[0], style.bars[0]}
    for line in lines:
        if line[:1] not in first_signs:
            return
        yield line


def _read_table(lines: Sequence[str], style: Style, fewest: int) -> _DrawnTable | None:
    """Return the table in the given lines, or None if they are not one in this style.

    `fewest` is the fewest rows below the names.
    """
    widths = _column_widths(lines[1 if style.top is None else 0], style.top or style.below_names)
    if not 2 <= len(widths) <= MOST_COLUMNS:
        return None
    below_names = style.below_names.draw(widths)
    stripped = [line.rstrip(" ") for line in lines]
    first = int(style.top is not None)
    if below_names not in stripped[first:5]:
        return None
    rule_index = stripped.index(below_names, first)
    last = len(lines) - int(style.bottom is not None)
    if style.bottom is not None and stripped[-1] != style.bottom.draw(widths):
        return None
    body = lines[rule_index + 1 : last]
    between = style.between_rows.draw(widths)
    is_ruled = len(body) > 1 and body[1].rstrip(" ") == between
    if is_ruled:
        if any(line.rstrip(" ") != between for line in body[1::2]):
            return None
        body = body[::2]
    heads = [_split_row(line, style.name_bars, widths) for line in lines[first:rule_index]]
    cells = [_split_row(line, style.bars, widths) for line in body]
    if len(cells) < fewest or any(len(row) != len(widths) for row in (*heads, *cells)):
        return None
    groups = [[number] for number in range(len(cells))]
    if style.bottom is None and not style.bars[0]:
        merged = _merged_lines(cells, widths)
        if merged is None:
            return None
        groups, cells = merged
    names, *below_name = [[cell.strip(" ") for cell in row] for row in heads] or [[]]
    types = below_name[-1] if below_name and all(map(_TYPE.fullmatch, below_name[-1])) else []
    if len(below_name) > 2 or bool(below_name) != bool(types):
        return None
    if len(below_name) == 2 and set(below_name[0]) != {DASHES}:
        return None
    rows = [["\n".join(lines) for lines in row] for row in _texts_of(cells, groups)]
    if (
        len(rows) < fewest
        or sum(not row[0] for row in rows) > MOST_EMPTY * len(rows)
        or not are_names(names, rows)
    ):
        return None
    first_lines = [cells[group[0]] for group in groups]
    columns = zip(heads[0], zip(*first_lines, strict=True), widths, strict=True)
    alignments = [_alignments(*column) for column in columns]
    return _DrawnTable(
        names, types, rows, alignments, is_ruled, list(lines[: rule_index + 1]),
        [[body[number] for number in group] for group in groups],
    )  # fmt: skip


def _merged_lines(
    cells: Sequence[Sequence[str]], widths: Sequence[int]
) -> tuple[list[list[int]], list[list[str]]] | None:
    """Return the numbers of the lines of each row, and the cells of all lines without signs.

    In psql, a cell that goes on in the next line ends with ``+``. The result is None if anything
    else is beside what goes on.
    """
    groups: list[list[int]] = []
    plain: list[list[str]] = []
    goes_on = [False] * len(widths)
    for number, row in enumerate(cells):
        if any(goes_on):
            pairs = zip(row, goes_on, strict=True)
            if any(cell.strip(" ") and not is_more for cell, is_more in pairs):
                return None
            groups[-1].append(number)
        else:
            groups.append([number])
        goes_on = [
            len(cell) == width + 2 and cell.endswith(MORE)
            for cell, width in zip(row, widths, strict=True)
        ]
        pairs = zip(row, goes_on, strict=True)
        plain.append([f"{cell[:-1]} " if is_more else cell for cell, is_more in pairs])
    return None if any(goes_on) else (groups, plain)


def _texts_of(
    cells: Sequence[Sequence[str]], groups: Iterable[Sequence[int]]
) -> Iterator[list[list[str]]]:
    """Yield the lines of each cell of each row; those of a cell of several keep their margin."""
    for group in groups:
        if len(group) == 1:
            yield [[cell.strip(" ")] for cell in cells[group[0]]]
            continue
        columns = zip(*(cells[number] for number in group), strict=True)
        row = [[cell[1:].rstrip(" ") for cell in column] for column in columns]
        yield [_without_ends(lines) for lines in row]


def _without_ends(lines: list[str]) -> list[str]:
    """Return the lines of a cell without the empty ones below it."""
    while len(lines) > 1 and not lines[-1]:
        lines = lines[:-1]
    return lines if len(lines) > 1 else [lines[0].strip(" ")]


def _column_widths(line: str, rule: Rule) -> list[int]:
    """Return the widths of columns, without the blanks around cells, from a horizontal line."""
    inner = line.rstrip(" ").removeprefix(rule.left).removesuffix(rule.right)
    return [len(part) - 2 for part in inner.split(rule.cross)]


def _split_row(line: str, bars: tuple[str, str, str], widths: Sequence[int]) -> list[str]:
    """Return the cells of a line, with the blanks around them.

    A line that has a bar where each column ends is split there; any other line at all bars.
    """
    left, bar, right = bars
    inner = line.rstrip(" ").removeprefix(left).removesuffix(right) if left else line
    stops = list(accumulate(width + 3 for width in widths))
    if all(inner[stop - 1 : stop] == bar for stop in stops[:-1]):
        return [inner[first : stop - 1] for first, stop in pairwise([0, *stops])]
    return inner.split(bar)


def _alignments(name: str, cells: Sequence[str], width: int) -> str:
    """Return the letters of all alignments that fit the cells of a column; ``c`` if none does.

    The first of these that fits the name too, if any, is repeated at the end.
    """
    filled = [cell for cell in cells if cell.strip(" ")]
    letters = [letter for letter in "lrdc" if _are_aligned(filled, width, letter)] or ["c"]
    letters_of_name = [letter for letter in letters if _are_aligned([name], width, letter)]
    return "".join([*letters, *letters_of_name[:1]])


def _are_aligned(cells: Sequence[str], width: int, letter: str) -> bool:
    """Whether cells are aligned as a letter says; blanks at their ends do not count."""
    texts = [cell.strip(" ") for cell in cells]
    texts = at_decimal_point(texts) if letter == "d" else texts
    return all(
        f" {_padded(text, width, letter, is_left_heavy=False)}".rstrip(" ") == cell.rstrip(" ")
        for text, cell in zip(texts, cells, strict=True)
    )


def _with_exact_words(
    text: str, start: int, lines: Sequence[str], style_name: str, drawn: _DrawnTable
) -> tuple[JsonValue, tuple[str, ...]] | None:
    """Return the data of a text with a table, and the words that give exactly this text.

    Return None if there are no such words. The table begins at `start`; `lines` are its lines.
    """
    has_null = not any("" in row for row in drawn.rows) and any(NULL in row for row in drawn.rows)
    cells = [[c if c != NULL or not has_null else "" for c in row] for row in drawn.rows]
    rows, digit_words = records([drawn.names, *cells])
    flags = {"types": bool(drawn.types), "null": has_null, "ruled": drawn.is_ruled}
    style_words = [style_name, *(word for word, flag in flags.items() if flag)]
    members: dict[str, JsonValue] = {"types": list(drawn.types)} if drawn.types else {}
    few = _telling_rows(drawn.rows)
    few_members: dict[str, JsonValue] = {**members, "data": [rows[at] for at in few]}
    few_lines = [*drawn.above, *(line for at in few for line in drawn.row_lines[at])]
    first, last = ("".join(letters[at] for letters in drawn.alignments) for at in (0, -1))
    ends = _ENDS[:2] if any(line.endswith(" ") for line in lines) else _ENDS[::2]
    for letters, *layout_words in product({first: 0, last: 0}, _WIDTHS, _NAMES, ends):
        align = f"align={letters}" if set(letters) != {"l"} else ""
        words = [*style_words, *filter(None, (align, *layout_words)), *digit_words]
        few_words = [word for word in words if word != "ruled"]
        if list(_table_lines(few_members, few_words))[: len(few_lines)] != few_lines:
            continue
        members["data"] = rows
        if list(_table_lines(members, words)) == lines:
            stop = start + len("\n".join(lines))
            value, around_words, end_words = split_text(text, start, stop, members)
            return value, (*words, *around_words, *end_words)
        return None
    return None


def _telling_rows(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the numbers of a few rows that show how a table is drawn.

    These are the first ones and, for each column, the row with the widest cell and the one with the
    most digits after the point.
    """
    telling = set(range(min(SOME_ROWS, len(rows))))
    for column in zip(*rows, strict=True):
        telling.add(max(range(len(column)), key=lambda at: _cell_width(column[at])))
        telling.add(max(range(len(column)), key=lambda at: len(column[at].partition(".")[2])))
    return sorted(telling)


def write(value: JsonValue, words: Sequence[str]) -> str:
    """Return rows as a drawn table with the text around it, without the last line feed.

    `value` has the rows, or is an object with the rows in ``data``, and ``above``, ``below`` and
    ``types`` beside them.
    """
    members: dict[str, JsonValue] = value if is_object(value) else {"data": value}
    return join_text(members, words, "\n".join(_table_lines(members, words)))


def _table_lines(members: dict[str, JsonValue], words: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table in the style that the words describe."""
    data, types = members.get("data"), members.get("types")
    style = STYLES[next(word for word in words if word in STYLES)]
    names, *rows = rows_of(data, words) if is_array(data) and data else [[]]
    if "null" in words:
        rows = [[cell or NULL for cell in row] for row in rows]
    heads = [names]
    if "types" in words and is_array(types) and len(types) == len(names):
        heads += [[DASHES] * len(names)] if style == STYLES["polars"] else []
        heads.append([str(type_) for type_ in types])
    columns: list[Sequence[str]] = [*zip(*rows, strict=True)] or [()] * len(names)
    extra_width = 2 * ("wide" in words)
    width_of = _bytes if "bytes" in words else _cell_width
    letters = _letters_of(words, len(names))
    columns = [
        at_decimal_point(column) if letter == "d" else column
        for column, letter in zip(columns, letters, strict=True)
    ]
    rows = [list(row) for row in zip(*columns, strict=True)]
    widths = [
        max(*(width_of(head) + extra_width for head in names_above), *map(width_of, cells), 0)
        for *names_above, cells in zip(*heads, columns, strict=True)
    ]
    names_word = next((word for word in words if word in _NAMES[1:]), "")
    name_letters = {"": letters, "left": "l" * len(names)}.get(names_word, "c" * len(names))
    is_left_heavy = names_word == "centered=2"

    def drawn_row(
        cells: Iterable[str], letters: str, bars: tuple[str, str, str], *, is_open: bool = False
    ) -> Iterator[str]:
        """Yield the lines of a row: several if its cells have line feeds.

        If it `is_open`, no blank follows the last cell, which is only padded if not aligned left.
        """
        left, bar, right = bars
        for texts, signs in _lines_of_row(cells):
            drawn = [
                f" {_padded(text, width, letter, is_left_heavy=is_left_heavy)}{sign}"
                for text, width, letter, sign in zip(texts, widths, letters, signs, strict=True)
            ]
            if is_open and drawn and signs[-1] == " ":
                drawn[-1] = f" {drawn[-1].strip(' ')}" if letters[-1] == "l" else drawn[-1][:-1]
            yield f"{left}{bar.join(drawn)}{right}"

    def lines() -> Iterator[str]:
        """Yield the lines of the table, with the blanks at their ends."""
        if style.top is not None:
            yield style.top.draw(widths)
        yield from chain(*(drawn_row(head, name_letters, style.name_bars) for head in heads))
        yield style.below_names.draw(widths)
        is_open = not style.bars[-1] and "padded" not in words
        for number, row in enumerate(rows):
            if number and "ruled" in words:
                yield style.between_rows.draw(widths)
            yield from drawn_row(row, letters, style.bars, is_open=is_open)
        if style.bottom is not None:
            yield style.bottom.draw(widths)

    for line in lines() if names else ():
        yield line.rstrip(" ") if "stripped" in words else line


def _letters_of(words: Iterable[str], size: int) -> str:
    """Return the letters of the alignments of columns: left, if there are none for all of them."""
    letters = next((word[6:] for word in words if word.startswith("align=")), "")
    return letters if len(letters) == size else "l" * size


def _lines_of_row(cells: Iterable[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the texts of the cells in each line of a row, and the sign behind each of them."""
    parts = [cell.split("\n") for cell in cells]
    for number in range(max(map(len, parts), default=1)):
        yield (
            [lines[number] if number < len(lines) else "" for lines in parts],
            [MORE if number + 1 < len(lines) else " " for lines in parts],
        )


def _cell_width(text: str) -> int:
    """Return the width of the widest line of a cell."""
    return max(map(display_width, text.split("\n"))) if "\n" in text else display_width(text)


def _bytes(text: str) -> int:
    """Return how many bytes a text has in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def _padded(cell: str, width: int, letter: str, *, is_left_heavy: bool) -> str:
    """Return a cell padded to a width as the letter of an alignment says.

    If it is centered between an odd number of blanks, there is one more on the right, or on the
    left if it `is_left_heavy`.
    """
    blanks = width - display_width(cell)
    before = {"l": 0, "r": blanks, "d": blanks}.get(letter, (blanks + is_left_heavy) // 2)
    return " " * before + cell + " " * (blanks - before)
