r"""Markdown tables that are all or most of a text, as in the answers of many tools.

A text is read only if its table, written again in the same style, gives the exact text. If there is
text around the table, it is in ``above`` and ``below``, and the rows are in ``data``; otherwise the
rows are the data.

=================  =============================================================================
``above=2``        text is above, this many line feeds before the table; ``below=2``: below it
``tight``          cells are ``|a|b|``, else ``| a | b |``
``padded``         cells of a column are as wide as the widest of them; ``least=3``: or this;
                   ``wide``: names take two columns more
``rule=1``         dashes of the second line: three with blanks around; ``2``: three without;
                   ``3``: as wide as the column with blanks around; ``4``: without
``align=lrcnd``    the colons of each column: left, right, center, none; ``d``: right, and the
                   decimal points of its cells are aligned
``nan``            ``NaN`` is null, which pandas writes for an empty cell of a sheet
``price=.2``       numbers in this column have this many digits after the point
=================  =============================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.jsontext import JsonValue, is_array, is_object
from mckp.parsers.around import join_text, split_text
from mckp.parsers.cells import LONGEST_NAME, NAME, at_decimal_point, records, rows_of
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


FEWEST_ROWS: Final = 12
"""Fewest rows below the names; a text with a smaller table is Markdown."""
MOST_AROUND: Final = 0.4
"""Largest share of a text that may be around its table."""
MOST_COLUMNS: Final = 60
NAN: Final = "NaN"

_BEGIN: Final = regex(r"(?m)^\|[^\n]*\|\n\|(?:[ \t]*:?-+:?[ \t]*\|)+$")
_LINES: Final = regex(r"(?:\|[^\n]*\|(?:\n|\Z))+")
_CELL: Final = regex(r"((?:[^|\\\n]|\\.)*+)\|")
_RULE: Final = regex(r"( *)(:?)(-+)(:?) *")
_WORD: Final = regex(
    rf"(?:above|below|least)=[0-9]{{1,2}}|tight|padded|wide|nan|rule=[1-4]|align=[lrcnd]{{1,60}}|open"
    rf"|{NAME}=\.[0-9]{{1,2}}"
)
_LETTER_OF_COLONS: Final = {(":", ""): "l", ("", ":"): "r", (":", ":"): "c", ("", ""): "n"}
_COLONS_OF_LETTER: Final = {letter: signs for signs, letter in _LETTER_OF_COLONS.items()} | {
    "d": ("", ":")
}


def is_known(words: Iterable[str]) -> bool:
    """Whether all words describe the style of a Markdown table."""
    return all(map(_WORD.fullmatch, words))


def read(text: str, fewest: int = FEWEST_ROWS) -> tuple[JsonValue, tuple[str, ...]] | None:
    r"""Return the rows of a Markdown table and the words of its style; None for any other text.

    `fewest` is the fewest rows below the names.

    Examples
    --------
    >>> read("| id | n |\n| --- | --- |\n" + "| a | 1 |\n" * 12)[1]
    ('rule=1',)
    """
    table_begin = _BEGIN.search(text)
    table_match = _LINES.match(text, table_begin.start()) if table_begin else None
    if table_begin is None or table_match is None:
        return None
    block = table_match[0].removesuffix("\n")
    if len(text) - len(block) > MOST_AROUND * len(text) or _BEGIN.search(text, table_match.end()):
        return None
    header, rule, *body = block.split("\n")
    rows = [_CELL.findall(line, 1) for line in (header, *body)]
    names = [name.strip(" ") for name in rows[0]]
    rules = [_RULE.fullmatch(cell) for cell in rule[1:-1].split("|")]
    if len(body) < fewest or not 2 <= len(names) <= MOST_COLUMNS:
        return None
    if any(len(row) != len(names) for row in rows) or len(rules) != len(names):
        return None
    if len(set(names)) < len(names) or max(map(len, names)) > LONGEST_NAME:
        return None
    cells = [[cell.strip(" ") for cell in row] for row in rows]
    has_nan = any(NAN in row for row in cells) and not any("" in row for row in cells[1:])
    nan_words = ["nan"] if has_nan else []
    value, digit_words = records(
        [[c if c != NAN or not nan_words else "" for c in row] for row in cells]
    )
    start = table_match.start()
    data, around_words, end_words = split_text(text, start, start + len(block), {"data": value})
    colons = [(match[2], match[4]) for match in rules if match]
    if len(colons) < len(names):
        return None
    letters = "".join(
        "d" if letter == "r" and any(cell.endswith("  ") for cell in column) else letter
        for letter, column in zip(
            map(_LETTER_OF_COLONS.__getitem__, colons), zip(*rows[1:], strict=True), strict=True
        )
    )
    align_words = [] if set(letters) == {"n"} else [f"align={letters}"]
    original = text if end_words else text[:-1]
    for style in _possible_styles(header, rule, cells):
        words = (*around_words, *style, *align_words, *nan_words, *digit_words, *end_words)
        if write(data, words) == original:
            return data, words
    return None


def _possible_styles(header: str, rule: str, cells: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the styles that a table may have, each as a list of words, the likeliest first.

    Parameters
    ----------
    header, rule : str
        The first two lines: the names of the columns, and the dashes below them.
    cells : sequence of sequence of str
        All cells, the names first.
    """
    space_words: list[str] = [] if header.startswith("| ") else ["tight"]
    has_blanks = "-- |" in rule or "-: |" in rule
    rule_words = ["rule=1", "rule=3"] if has_blanks else ["rule=2", "rule=4"]
    if rule.count("---") == rule.count("|") - 1 and "----" not in rule:
        yield [*space_words, rule_words[0]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    least_width = min(widths)
    if len(header) == len(rule) > sum(widths) + 3 * len(widths) + 1:
        yield [*space_words, "padded", "wide", rule_words[1]]
    for least_word in (
        "",
        *(["least=3"] if least_width < 3 else []),
        *(["least=5"] if least_width < 5 else []),
    ):
        for rule_word in rule_words[::-1]:
            yield [*space_words, "padded", *filter(None, [least_word]), rule_word]


def write(value: JsonValue, words: Sequence[str]) -> str:
    """Return rows as a Markdown table with the text around it, without the last line feed.

    `value` has the rows, or is an object with the rows in ``data`` and the text in ``above`` and
    ``below``.
    """
    style = dict(word.split("=", 1) for word in words if "=" in word and "=." not in word)
    members: dict[str, JsonValue] = value if is_object(value) else {"data": value}
    rows = members.get("data")
    table = "\n".join(_table_lines(rows, words, style)) if is_array(rows) and rows else ""
    return join_text(members, words, table)


def _table_lines(rows: JsonValue, words: Sequence[str], style: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a table in the style that the words describe."""
    cells = rows_of(rows, words)
    if "nan" in words:
        cells[1:] = [[cell or NAN for cell in row] for row in cells[1:]]
    space = "" if "tight" in words else " "
    letters = style.get("align", "")
    letters = letters if len(letters) == len(cells[0]) else "n" * len(cells[0])
    columns = [list(column) for column in zip(*cells, strict=True)]
    for column, letter in zip(columns, letters, strict=True):
        column[1:] = at_decimal_point(column[1:]) if letter == "d" else column[1:]
    widths = [0] * len(columns)
    if "padded" in words:
        least_width, more = int(style.get("least", 0)), 2 * ("wide" in words)
        widths = [
            max(least_width, len(name) + more, *map(len, filled), 0) for name, *filled in columns
        ]
    rule_style = int(style.get("rule", 1))
    rule_cells = [
        _dashes(letter, width, rule_style) for letter, width in zip(letters, widths, strict=True)
    ]
    header, *body = [
        [
            _padded_cell(cell, width, letter)
            for cell, width, letter in zip(row, widths, letters, strict=True)
        ]
        for row in [*zip(*columns, strict=True)] or cells
    ]
    rule_space = " " if rule_style in (1, 3) else ""
    yield f"|{space}{f'{space}|{space}'.join(header)}{space}|"
    yield f"|{rule_space}{f'{rule_space}|{rule_space}'.join(rule_cells)}{rule_space}|"
    for row in body:
        yield f"|{space}{f'{space}|{space}'.join(row)}{space}|"


def _padded_cell(cell: str, width: int, letter: str) -> str:
    """Return a cell padded to a width: on the left for the letters ``r`` and ``d``."""
    return cell.rjust(width) if letter in "rd" else cell.ljust(width)


def _dashes(letter: str, width: int, rule_style: int) -> str:
    """Return the dashes below a column's name, with the colons for its alignment.

    `rule_style` is the number of the word ``rule=``.
    """
    first, last = _COLONS_OF_LETTER[letter]
    size = 3 + len(first + last) if rule_style < 3 else width if rule_style == 3 else width + 2
    return first + "-" * max(1, size - len(first + last)) + last
