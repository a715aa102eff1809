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
``wide``          names take two columns more
``centered``      names are centered; ``centered=2``: with the odd blank on the left
``left``          names are aligned left; else as the cells below them
``padded``        the last column of ``psql`` is padded, too; ``stripped``: no line ends with blanks
``types``         below the names are types, in ``types``; the rows are in ``data``
``null``          ``NULL`` is null
``price=.2``      numbers in this column have this many digits after the point
================  ==============================================================================
"""

from __future__ import annotations

from itertools import accumulate, pairwise, product
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import combining, east_asian_width

from mckp.jsontext import JsonValue, is_array, is_object
from mckp.parsers.cells import NAME, are_names, at_decimal_point, records, rows_of
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
DASHES: Final = "---"
"""What Polars writes between a name and its type."""


class Rule(NamedTuple):
    """A horizontal line of a table: its first sign, the line, a crossing, and the last sign."""

    left: str
    line: str
    cross: str
    right: str

    def draw(self, widths: Iterable[int]) -> str:
        """Return the line for columns of these widths, with a blank on both sides of each."""
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
    def of(cls, rules: str, bars: str, between: str = "", name_bars: str = "") -> Style:
        """Return a style with a border; `rules` has the signs of all its lines one after another.

        These are the upper border, the line below the names, and the lower border. `between` has
        the signs of the line between rows, by default those of the line below the names.
        """
        top, below, bottom = (Rule(*rules[at : at + 4]) for at in (0, 4, 8))
        row_rule = Rule(*between) if between else below
        return cls(top, below, row_rule, bottom, _three(name_bars or bars), _three(bars))


def _three(signs: str) -> tuple[str, str, str]:
    """Return the signs before the first of some cells, between them, and after the last one."""
    return signs[0], signs[1], signs[2]


_PSQL: Final = Rule("", "-", "+", "")
_ORG: Final = Rule("|", "-", "+", "|")

STYLES: Final = {
    "psql": Style(None, _PSQL, _PSQL, None, ("", "|", ""), ("", "|", "")),
    "org": Style(None, _ORG, _ORG, None, ("|", "|", "|"), ("|", "|", "|")),
    "mysql": Style.of("+-+++-+++-++", "|||"),
    "piped": Style.of("+-++|-+|+-++", "|||"),
    "grid": Style.of("+-+++=+++-++", "|||", "+-++"),
    "box": Style.of("┌─┬┐├─┼┤└─┴┘", "│││"),
    "rounded": Style.of("╭─┬╮├─┼┤╰─┴╯", "│││"),
    "heavy": Style.of("┏━┳┓┡━╇┩└─┴┘", "│││", "├─┼┤", "┃┃┃"),
    "thick": Style.of("┏━┳┓┣━╋┫┗━┻┛", "┃┃┃"),
    "mixed": Style.of("┍━┯┑┝━┿┥┕━┷┙", "│││", "├─┼┤"),
    "double": Style.of("╔═╦╗╠═╬╣╚═╩╝", "║║║"),
    "fancy": Style.of("╒═╤╕╞═╪╡╘═╧╛", "│││", "├─┼┤"),
    "polars": Style.of("┌─┬┐╞═╪╡└─┴┘", "│┆│"),
}
"""The styles of tables by name: ``box`` is also of sqlite3 and DuckDB, ``rounded`` of Nushell, and
``heavy`` of Rich; ``piped``, ``grid`` and those after ``heavy`` are of the package tabulate."""

_FIRST: Final = regex(
    r"(?m)^(?:(?=[^\n|]*\|)[^\n]*+\n\|?-+(?:\+-+)+(?:\|| *)|\+-+(?:\+-+)+\+"
    r"|[┌╭┏┍╔╒][─━═]+(?:[┬┳┯╦╤][─━═]+)+[┐╮┓┑╗╕])$"
)
"""The first line of a table: its upper border, or its names and the line below them."""
_TYPE: Final = regex(r"[a-z][\w()\[\], ]*")
_WORD: Final = regex(
    rf"(?:{'|'.join(STYLES)})|(?:above|below)=[0-9]{{1,2}}|align=[lrcd]{{1,60}}|centered(?:=2)?|left"
    rf"|wide|ruled|padded|stripped|types|null|open|{NAME}=\.[0-9]{{1,2}}"
)
_NAMES: Final = ("", "centered", "centered=2", "left")
_ENDS: Final = ("", "padded", "stripped")


def is_known(words: Iterable[str]) -> bool:
    """Whether the words describe how a table is drawn: a style of `STYLES`, and details."""
    listed = list(words)
    return all(map(_WORD.fullmatch, listed)) and sum(word in STYLES for word in listed) == 1


def read(text: str) -> tuple[JsonValue, tuple[str, ...]] | None:
    r"""Return the rows of a drawn table and the words of its style; None for any other text.

    Examples
    --------
    >>> read(" id | name \n----+------\n  1 | Ann\n  2 | Bo\n  3 | Cy\n")[1]
    ('psql', 'align=rl', 'centered')
    """
    begin = _FIRST.search(text)
    if begin is None:
        return None
    start = begin.start()
    lines = text[start:].split("\n")
    for name, style in STYLES.items():
        table_lines = list(_lines_of_table(lines, style))
        size = sum(map(len, table_lines)) + len(table_lines) - 1
        if len(table_lines) < FEWEST_ROWS or len(text) - size > MOST_AROUND * len(text):
            continue
        drawn = _read_table(table_lines, style)
        if drawn is not None and _FIRST.search(text, start + size) is None:
            return _with_exact_words(text, start, table_lines, name, drawn)
    return None


class _Drawn(NamedTuple):
    """What is in a table, and how it is drawn."""

    names: list[str]
    types: list[str]
    """The types below the names, if there are any."""
    rows: list[list[str]]
    alignments: list[str]
    """The letters of the ways in which each column may be aligned."""
    is_ruled: bool
    """Whether there is a line between any two rows."""
    above: list[str]
    """The lines above the rows."""
    row_lines: list[str]
    """The lines of the rows."""


def _lines_of_table(lines: Sequence[str], style: Style) -> Iterator[str]:
    """Yield the first lines, up to the one where a table in this style ends, if it has such lines.

    A style without a border ends where a line has too few bars.
    """
    if style.bottom is None:
        bars = lines[1].count(style.below_names.cross) if len(lines) > 1 else 0
        for number, line in enumerate(lines):
            if number != 1 and line.count(style.bars[1]) < max(1, bars):
                return
            yield line
        return
    rules = filter(None, style[:4])
    signs = {*(rule.left for rule in rules), style.name_bars[0], style.bars[0]}
    for line in lines:
        if line[:1] not in signs:
            return
        yield line


def _read_table(lines: Sequence[str], style: Style) -> _Drawn | None:
    """Return what is in a table of the given lines, or None if it is not drawn in this style."""
    widths = _widths(lines[1 if style.top is None else 0], style.top or style.below_names)
    if not 2 <= len(widths) <= MOST_COLUMNS:
        return None
    below_names = style.below_names.draw(widths)
    stripped = [line.rstrip(" ") for line in lines]
    first = int(style.top is not None)
    if below_names not in stripped[first:5]:
        return None
    heading = stripped.index(below_names, first)
    last = len(lines) - int(style.bottom is not None)
    if style.bottom is not None and stripped[-1] != style.bottom.draw(widths):
        return None
    body = lines[heading + 1 : last]
    between = style.between_rows.draw(widths)
    is_ruled = len(body) > 1 and body[1].rstrip(" ") == between
    if is_ruled:
        if any(line.rstrip(" ") != between for line in body[1::2]):
            return None
        body = body[::2]
    heads = [_split(line, style.name_bars, widths) for line in lines[first:heading]]
    cells = [_split(line, style.bars, widths) for line in body]
    if len(cells) < FEWEST_ROWS or any(len(row) != len(widths) for row in (*heads, *cells)):
        return None
    names, *more = [[cell.strip(" ") for cell in row] for row in heads] or [[]]
    types = more[-1] if more and all(map(_TYPE.fullmatch, more[-1])) else []
    if len(more) > 2 or bool(more) != bool(types) or (len(more) == 2 and set(more[0]) != {DASHES}):
        return None
    rows = [[cell.strip(" ") for cell in row] for row in cells]
    if sum(not row[0] for row in rows) > MOST_EMPTY * len(rows) or not are_names(names, rows):
        return None
    columns = zip(heads[0], zip(*cells, strict=True), widths, strict=True)
    alignments = [_alignments(*column) for column in columns]
    return _Drawn(names, types, rows, alignments, is_ruled, list(lines[: heading + 1]), list(body))


def _widths(line: str, rule: Rule) -> list[int]:
    """Return the widths of columns, without the blanks around cells, from a horizontal line."""
    inner = line.rstrip(" ").removeprefix(rule.left).removesuffix(rule.right)
    return [len(part) - 2 for part in inner.split(rule.cross)]


def _split(line: str, bars: tuple[str, str, str], widths: Sequence[int]) -> list[str]:
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
    """Return the letters of the ways in which the cells of a column may be aligned.

    The last letter is one by which the name is aligned too, if there is such a letter.
    """
    filled = [cell for cell in cells if cell.strip(" ")]
    letters = [letter for letter in "lrdc" if _are_aligned(filled, width, letter)] or ["c"]
    of_name = [letter for letter in letters if _are_aligned([name], width, letter)]
    return "".join([*letters, *of_name[:1]])


def _are_aligned(cells: Sequence[str], width: int, letter: str) -> bool:
    """Whether all cells are padded in the way of a letter, except perhaps at their ends."""
    texts = [cell.strip(" ") for cell in cells]
    texts = at_decimal_point(texts) if letter == "d" else texts
    return all(
        f" {_padded(text, width, letter, is_odd=False)}".rstrip(" ") == cell.rstrip(" ")
        for text, cell in zip(texts, cells, strict=True)
    )


def _with_exact_words(
    text: str, start: int, lines: Sequence[str], name: str, drawn: _Drawn
) -> tuple[JsonValue, tuple[str, ...]] | None:
    """Return the data of a text with a table at `start`, and the words that give the exact text.

    Return None if there are no such words.
    """
    has_null = not any("" in row for row in drawn.rows) and any(NULL in row for row in drawn.rows)
    cells = [[c if c != NULL or not has_null else "" for c in row] for row in drawn.rows]
    rows, digit_words = records([drawn.names, *cells])
    flags = {"types": bool(drawn.types), "null": has_null, "ruled": drawn.is_ruled}
    style_words = [name, *(word for word, flag in flags.items() if flag)]
    members: dict[str, JsonValue] = {"types": list(drawn.types)} if drawn.types else {}
    few = _telling_rows(drawn.rows)
    few_members: dict[str, JsonValue] = {**members, "data": [rows[at] for at in few]}
    few_lines = [*drawn.above, *(drawn.row_lines[at] for at in few)]
    first, last = ("".join(letters[at] for letters in drawn.alignments) for at in (0, -1))
    ends = _ENDS[:2] if any(line.endswith(" ") for line in lines) else _ENDS[::2]
    for letters, *style in product({first: 0, last: 0}, ("", "wide"), _NAMES, ends):
        align = f"align={letters}" if set(letters) != {"l"} else ""
        words = [*style_words, *filter(None, (align, *style)), *digit_words]
        few_words = [word for word in words if word != "ruled"]
        if list(_table_lines(few_members, few_words))[: len(few_lines)] != few_lines:
            continue
        members["data"] = rows
        if list(_table_lines(members, words)) == lines:
            return _with_text_around(text, members, words, start, "\n".join(lines))
        return None
    return None


def _telling_rows(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the numbers of a few rows that show how a table is drawn.

    These are the first ones, and of each column the row with the widest cell and that with the most
    digits after the point.
    """
    telling = set(range(min(SOME_ROWS, len(rows))))
    for column in zip(*rows, strict=True):
        telling.add(max(range(len(column)), key=lambda at: _width(column[at])))
        telling.add(max(range(len(column)), key=lambda at: len(column[at].partition(".")[2])))
    return sorted(telling)


def _with_text_around(
    text: str, members: dict[str, JsonValue], words: list[str], start: int, table: str
) -> tuple[JsonValue, tuple[str, ...]]:
    """Return the data of a text with a table at `start`, and all words of its style."""
    end_words = [] if text.endswith("\n") else ["open"]
    text_above = text[:start]
    text_below = text[start + len(table) : len(text) if end_words else len(text) - 1]
    above, below = text_above.rstrip("\n"), text_below.lstrip("\n")
    value: dict[str, JsonValue] = {}
    if text_above:
        value["above"] = above
        words.append(f"above={min(99, len(text_above) - len(above))}")
    value |= members
    if text_below:
        value["below"] = below
        words.append(f"below={min(99, len(text_below) - len(below))}")
    all_words = (*words, *end_words)
    return (value if len(value) > 1 else members["data"]), all_words


def write(value: JsonValue, words: Sequence[str]) -> str:
    """Return rows as a drawn table with the text around it, without the last line feed.

    `value` has the rows, or is an object with the rows in ``data``, and ``above``, ``below`` and
    ``types`` beside them.
    """
    members: dict[str, JsonValue] = value if is_object(value) else {"data": value}
    feeds = dict(word.split("=", 1) for word in words if word.startswith(("above=", "below=")))
    above, below = (str(members.get(name, "")) if name in feeds else "" for name in _AROUND)
    before, after = ("\n" * int(feeds.get(name, 0)) for name in _AROUND)
    table = "\n".join(_table_lines(members, words))
    return f"{above}{before}{table}{after}{below}"


_AROUND: Final = ("above", "below")


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
    more = 2 * ("wide" in words)
    letters = next((word[6:] for word in words if word.startswith("align=")), "")
    letters = letters if len(letters) == len(names) else "l" * len(names)
    columns = [
        at_decimal_point(column) if letter == "d" else column
        for column, letter in zip(columns, letters, strict=True)
    ]
    rows = [list(row) for row in zip(*columns, strict=True)]
    widths = [
        max(*(_width(head) + more for head in names_above), *map(_width, cells), 0)
        for *names_above, cells in zip(*heads, columns, strict=True)
    ]
    of_names = next((word for word in words if word in _NAMES[1:]), "")
    name_letters = {"": letters, "left": "l" * len(names)}.get(of_names, "c" * len(names))
    is_odd = of_names == "centered=2"

    def line(
        cells: Iterable[str], letters: str, bars: tuple[str, str, str], *, is_open: bool = False
    ) -> str:
        """Return a line of cells; if it `is_open`, without the blanks at its end."""
        left, bar, right = bars
        texts = [
            f" {_padded(*cell, is_odd=is_odd)} "
            for cell in zip(cells, widths, letters, strict=True)
        ]
        if is_open and texts:
            texts[-1] = f" {texts[-1].strip(' ')}" if letters[-1] == "l" else texts[-1][:-1]
        return f"{left}{bar.join(texts)}{right}"

    def lines() -> Iterator[str]:
        """Yield the lines, with the blanks at their ends."""
        if style.top is not None:
            yield style.top.draw(widths)
        yield from (line(head, name_letters, style.name_bars) for head in heads)
        yield style.below_names.draw(widths)
        is_open = not style.bars[-1] and "padded" not in words
        for number, row in enumerate(rows):
            if number and "ruled" in words:
                yield style.between_rows.draw(widths)
            yield line(row, letters, style.bars, is_open=is_open)
        if style.bottom is not None:
            yield style.bottom.draw(widths)

    for text in lines() if names else ():
        yield text.rstrip(" ") if "stripped" in words else text


def _padded(cell: str, width: int, letter: str, *, is_odd: bool) -> str:
    """Return a cell padded to a width; if it is centered and `is_odd`, with more on the left."""
    blanks = width - _width(cell)
    before = {"l": 0, "r": blanks, "d": blanks}.get(letter, (blanks + is_odd) // 2)
    return " " * before + cell + " " * (blanks - before)


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(c) in "WF" else int(not combining(c)) for c in text)
