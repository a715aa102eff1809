r"""Markdown tables that are all or most of a text, as in the answers of many tools.

A text is read only if its table, written again in the same style, gives the exact text. If there is
text around the table, it is in ``above`` and ``below``, and the rows are in ``data``; otherwise the
rows are the data.

=================  =============================================================================
``above=2``        text is above, this many line feeds before the table; ``below=2``: below it
``tight``          cells are ``|a|b|``, else ``| a | b |``
``padded``         cells of a column are as wide as the widest of them; ``least=3``: or this
``rule=1``         dashes of the second line: three with blanks around; ``2``: three without;
                   ``3``: as wide as the column with blanks around; ``4``: without
``align=lrcn``     the colons of each column: left, right, center, none
``nan``            ``NaN`` is null, which pandas writes for an empty cell of a sheet
``price=.2``       numbers in this column have this many digits after the point
=================  =============================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object
from mckp.parsers.cells import LONGEST_NAME, NAME, records, rows_of
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
    rf"(?:above|below|least)=[0-9]{{1,2}}|tight|padded|nan|rule=[1-4]|align=[lrcn]{{1,60}}|open"
    rf"|{NAME}=\.[0-9]{{1,2}}"
)
_ALIGNED: Final = {"l": (":", ""), "r": ("", ":"), "c": (":", ":"), "n": ("", "")}
_SIGNS: Final = {signs: letter for letter, signs in _ALIGNED.items()}


def is_known(words: Iterable[str]) -> bool:
    """Whether all words describe the style of a Markdown table."""
    return all(map(_WORD.fullmatch, words))


def read(text: str) -> tuple[Any, tuple[str, ...]] | None:
    r"""Parse a Markdown table into its rows and the words of its style, or return None.

    Examples
    --------
    >>> read("| id | n |\n| --- | --- |\n" + "| a | 1 |\n" * 12)[1]
    ('rule=1',)
    """
    begin = _BEGIN.search(text)
    lines = _LINES.match(text, begin.start()) if begin else None
    if begin is None or lines is None:
        return None
    block = lines[0].removesuffix("\n")
    if len(text) - len(block) > MOST_AROUND * len(text) or _BEGIN.search(text, lines.end()):
        return None
    head, rule, *body = block.split("\n")
    rows = [_CELL.findall(line, 1) for line in (head, *body)]
    names = [name.strip(" ") for name in rows[0]]
    rules = [_RULE.fullmatch(cell) for cell in rule[1:-1].split("|")]
    if len(body) < FEWEST_ROWS or not 2 <= len(names) <= MOST_COLUMNS:
        return None
    if any(len(row) != len(names) for row in rows) or len(rules) != len(names):
        return None
    if len(set(names)) < len(names) or max(map(len, names)) > LONGEST_NAME:
        return None
    cells = [[cell.strip(" ") for cell in row] for row in rows]
    has_nan = any(NAN in row for row in cells) and not any("" in row for row in cells[1:])
    nan = ["nan"] if has_nan else []
    value, digits = records([[c if c != NAN or not nan else "" for c in row] for row in cells])
    data, around, end = _split_around(text, value, lines.start(), lines.start() + len(block))
    signs = [(match[2], match[4]) for match in rules if match]
    if len(signs) < len(names):
        return None
    letters = "".join(map(_SIGNS.__getitem__, signs))
    align = [] if set(letters) == {"n"} else [f"align={letters}"]
    wanted = text if end else text[:-1]
    for style in _styles(head, rule, cells):
        words = (*around, *style, *align, *nan, *digits, *end)
        if write(data, words) == wanted:
            return data, words
    return None


def _split_around(text: str, rows: Any, start: int, stop: int) -> tuple[Any, list[str], list[str]]:
    """Return rows together with the text around them, and words for the line feeds there.

    The table is at `start` to `stop` of the text. The words are those for line feeds around the
    table, and those for the end of the text.
    """
    end = [] if text.endswith("\n") else ["open"]
    above, below = text[:start], text[stop : len(text) if end else len(text) - 1]
    words: list[str] = []
    value: dict[str, Any] = {}
    if above:
        value["above"] = above.rstrip("\n")
        words.append(f"above={min(99, len(above) - len(value['above']))}")
    value["data"] = rows
    if below:
        value["below"] = below.lstrip("\n")
        words.append(f"below={min(99, len(below) - len(value['below']))}")
    return (value if words else rows), words, end


def _styles(head: str, rule: str, cells: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the styles that a table may have, according to its first lines.

    `head` and `rule` are the first lines, and `cells` all cells.
    """
    space: list[str] = [] if head.startswith("| ") else ["tight"]
    is_apart = "-- |" in rule or "-: |" in rule
    rules = ["rule=1", "rule=3"] if is_apart else ["rule=2", "rule=4"]
    if rule.count("---") == rule.count("|") - 1 and "----" not in rule:
        yield [*space, rules[0]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    least = min(widths)
    for size in ("", *(["least=3"] if least < 3 else []), *(["least=5"] if least < 5 else [])):
        for ruling in rules[::-1]:
            yield [*space, "padded", *filter(None, [size]), ruling]


def write(value: Any, words: Sequence[str]) -> str:
    """Return rows as a Markdown table, with the text around it, without the last line feed."""
    style = dict(word.split("=", 1) for word in words if "=" in word and "=." not in word)
    given: dict[str, Any] = value if is_object(value) else {"data": value}
    above = _text_beside(given, "above", style)
    below = _text_beside(given, "below", style)
    rows = given.get("data")
    table = "\n".join(_table_lines(rows, words, style)) if is_array(rows) and rows else ""
    before, after = ("\n" * int(style.get(name, 0)) for name in ("above", "below"))
    return f"{above}{before}{table}{after}{below}"


def _text_beside(value: dict[str, Any], name: str, style: dict[str, str]) -> str:
    """Return the text and line feeds above or below the table."""
    return str(value.get(name, "")) if name in style else ""


def _table_lines(rows: Any, words: Sequence[str], style: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a table in the style that the words describe."""
    cells = rows_of(rows, words)
    if "nan" in words:
        cells[1:] = [[cell or NAN for cell in row] for row in cells[1:]]
    space = "" if "tight" in words else " "
    widths = [0] * len(cells[0])
    if "padded" in words:
        least = int(style.get("least", 0))
        widths = [max(least, *map(len, column)) for column in zip(*cells, strict=True)]
    letters = style.get("align", "")
    letters = letters if len(letters) == len(widths) else "n" * len(widths)
    kind = int(style.get("rule", 1))
    rule = [_dashes(letter, width, kind) for letter, width in zip(letters, widths, strict=True)]
    head, *body = [
        [
            _pad(cell, width, letter)
            for cell, width, letter in zip(row, widths, letters, strict=True)
        ]
        for row in cells
    ]
    edge = " " if kind in (1, 3) else ""
    yield f"|{space}{f'{space}|{space}'.join(head)}{space}|"
    yield f"|{edge}{f'{edge}|{edge}'.join(rule)}{edge}|"
    for row in body:
        yield f"|{space}{f'{space}|{space}'.join(row)}{space}|"


def _pad(cell: str, width: int, letter: str) -> str:
    """Return a cell padded to a width, aligned as the letter says."""
    return cell.rjust(width) if letter == "r" else cell.ljust(width)


def _dashes(letter: str, width: int, kind: int) -> str:
    """Return the dashes below a column's name, with the colons for its alignment.

    `kind` is the number of the style of rules, see above.
    """
    first, last = _ALIGNED[letter]
    size = 3 + len(first + last) if kind < 3 else width if kind == 3 else width + 2
    return first + "-" * max(1, size - len(first + last)) + last
