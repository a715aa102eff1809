r"""Records one below the other, a line for each member, as database clients and shells print them.

A text is read only if the records, written again in the same style, give the exact text. All
records have the same names, and a value may have several lines only where the style marks them.

==============  ==================================================================================
``mysql``       ``\G`` of mysql and mariadb; or ``psql`` (``\x``), ``sqlite`` (``.mode line``),
                ``clickhouse`` (Vertical), ``shell`` (``Format-List``): the styles in `STYLES`.
                Paragraphs of ``Title: …`` and ``Link: …``, as of a search, are none of them: as
                lines, more of what agents used of them is kept
``null``        ``NULL`` is null
``stripped``    no line ends with blanks
``price=.2``    numbers of this name have this many digits after the point
==============  ==================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.jsontext import JsonValue, is_array
from mckp.parsers.cells import NAME, display_width, records, rows_of
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from re import Pattern

FEWEST_RECORDS: Final = 2
FEWEST_APART: Final = 3
"""Fewest records with only a blank line between them."""
MOST_NAMES: Final = 200
NULL: Final = "NULL"


class RecordStyle(NamedTuple):
    """How records are written: what is above each, and how a member is."""

    mark: str
    """What is between a name and its value."""
    align: str
    """``l`` or ``r``: names are as wide as the longest; ``m``: with the mark."""
    heads: tuple[str, ...] = ()
    """The lines above a record, with ``{n}`` for its number from 1 on, and ``─`` for a rule."""
    feeds: str = ""
    """The sign at the end of a line of a value that goes on below it; empty: there is none."""
    least: int = 0
    """The least width of names."""

    @property
    def is_apart(self) -> bool:
        """Whether a blank line is between two records."""
        return self.heads not in ((_STARS,), (_RECORD,))


_STARS: Final = "*" * 27 + " {n}. row " + "*" * 27
_RECORD: Final = "-[ RECORD {n} ]"

STYLES: Final = {
    "mysql": RecordStyle(": ", "r", (_STARS,)),
    "psql": RecordStyle(" | ", "l", (_RECORD,), "+"),
    "sqlite": RecordStyle(" = ", "r", least=5),
    "clickhouse": RecordStyle(": ", "m", ("Row {n}:", "─")),
    "shell": RecordStyle(" : ", "l"),
}
"""The styles by name."""

_FIRST: Final[dict[str, Pattern[str]]] = {
    "mysql": regex(r"\*{27} 1\. row \*{27}\n"),
    "psql": regex(r"-\[ RECORD 1 \]-*(?:\+-*)?\n"),
    "sqlite": regex(r" *\w[^=\n]* = [^\n]*\n *\w[^=\n]* = "),
    "clickhouse": regex(r"Row 1:\n─+\n"),
    "shell": regex(r"\w[^:\n]* : ?[^\n]*\n\w[^:\n]* : ?"),
}
"""How a text in each style begins."""
_WORD: Final = regex(rf"(?:{'|'.join(STYLES)})|null|stripped|open|{NAME}=\.[0-9]{{1,2}}")


def is_known(words: Iterable[str]) -> bool:
    """Whether the words describe how records are written: one of `STYLES`, and details."""
    word_list = list(words)
    return all(map(_WORD.fullmatch, word_list)) and sum(word in STYLES for word in word_list) == 1


def read(text: str) -> tuple[JsonValue, tuple[str, ...]] | None:
    r"""Return the records of a text and the words of their style; None for any other text.

    Examples
    --------
    >>> read("".join(f"{'*' * 27} {n}. row {'*' * 27}\n  id: {n}\nname: a\n" for n in (1, 2)))
    ([{'id': 1, 'name': 'a'}, {'id': 2, 'name': 'a'}], ('mysql',))
    """
    body = text.removesuffix("\n")
    end_words = () if body != text else ("open",)
    for name, begin in _FIRST.items():
        if begin.match(text) is None:
            continue
        rows = _rows(body, STYLES[name])
        if rows is None:
            continue
        names = rows[0]
        has_null = not any("" in row for row in rows[1:]) and any(NULL in row for row in rows[1:])
        nulls = ["null"] if has_null else []
        cells = [[c if c != NULL or not has_null else "" for c in row] for row in rows[1:]]
        value, digit_words = records([names, *cells])
        for style_words in ((name,), (name, "stripped")):
            words = (*style_words, *nulls, *digit_words, *end_words)
            if write(value, words) == body:
                return value, words
    return None


def _rows(body: str, style: RecordStyle) -> list[list[str]] | None:
    """Return the names and the values of each record; None if these are no records of the style."""
    lines = body.split("\n")
    names: list[str] = []
    rows: list[list[str]] = []
    at = 0
    while at < len(lines):
        if style.is_apart and rows:
            if lines[at]:
                return None
            at += 1
        if not _are_heads(lines[at : at + len(style.heads)], style, len(rows) + 1):
            return None
        at += len(style.heads)
        stop = at
        while stop < len(lines) and not _ends(lines, stop, style, len(rows) + 2):
            stop += 1
        members = _members(lines[at:stop], style)
        if members is None or (rows and [name for name, _ in members] != names):
            return None
        names = [name for name, _ in members]
        if len(set(names)) < len(names) or not 2 <= len(names) <= MOST_NAMES:
            return None
        rows.append([value for _, value in members])
        at = stop
    fewest = FEWEST_RECORDS if style.heads else FEWEST_APART
    return [names, *rows] if len(rows) >= fewest else None


def _are_heads(lines: Sequence[str], style: RecordStyle, number: int) -> bool:
    """Whether lines are those above a record; how long their rules are does not matter."""
    for line, head in zip(lines, style.heads, strict=False):
        wanted = head.format(n=number)
        if not (line.startswith(wanted) and set(line[len(wanted) :]) <= set("-+─")):
            return False
    return len(lines) == len(style.heads)


def _ends(lines: Sequence[str], at: int, style: RecordStyle, number: int) -> bool:
    """Whether a record ends before a line, and the one of this number begins there."""
    ahead = at + style.is_apart
    if style.is_apart and lines[at]:
        return False
    if not style.heads:
        return ahead < len(lines)
    return _are_heads(lines[ahead : ahead + len(style.heads)], style, number)


def _members(lines: Sequence[str], style: RecordStyle) -> list[tuple[str, str]] | None:
    """Return the names and values in the lines of a record, or None."""
    members: list[tuple[str, str]] = []
    sign = style.mark.rstrip(" ") if style.align != "m" else ":"
    column = lines[0].find(sign) if lines else -1
    if column < 1:
        return None
    for line in lines:
        if style.feeds and members and members[-1][1].endswith(f"{style.feeds}"):
            name, text = members[-1]
            if line[:column].strip(" "):
                return None
            more = line[column + len(sign) :].removeprefix(" ")
            members[-1] = name, f"{text.removesuffix(style.feeds).rstrip(' ')}\n{more}"
            continue
        place = column if style.align in ("l", "r") else line.find(sign)
        if place < 1 or line[place : place + len(sign)] != sign:
            return None
        value = line[place + len(sign) :]
        value = value.lstrip(" ") if style.align == "m" else value.removeprefix(" ")
        members.append((line[:place].strip(" "), value))
    return members if all(name for name, _ in members) else None


def write(value: JsonValue, words: Sequence[str]) -> str:
    """Return records in the style that the words describe, without the last line feed."""
    style = STYLES[next(word for word in words if word in STYLES)]
    names, *rows = rows_of(value, words) if is_array(value) and value else [[]]
    if "null" in words:
        rows = [[cell or NULL for cell in row] for row in rows]
    width = max(style.least, *map(display_width, names), 0) if style.align else 0
    parts = [cell.split("\n") if style.feeds else [cell] for row in rows for cell in row]
    widest = max((display_width(line) for lines in parts for line in lines), default=0)
    lines: list[str] = []
    for number, row in enumerate(rows, 1):
        if style.is_apart and number > 1:
            lines.append("")
        lines += _heads(style, number, width, widest)
        for name, cell in zip(names, row, strict=True):
            lines += _member_lines(name, cell, style, width, widest)
    return "\n".join(line.rstrip(" ") if "stripped" in words else line for line in lines)


def _heads(style: RecordStyle, number: int, width: int, widest: int) -> Iterator[str]:
    """Yield the lines above a record; `widest` is the width of the widest value."""
    above = ""
    for head in style.heads:
        line = "─" * len(above) if head == "─" else head.format(n=number)
        if head == _RECORD:  # the rule between names and values, from where the label ends
            line += f"{'-' * width}-+-{'-' * widest}"[len(line) :]
        yield line
        above = line


def _member_lines(
    name: str, cell: str, style: RecordStyle, width: int, widest: int
) -> Iterator[str]:
    """Yield the lines of a member."""
    blanks = " " * (width - display_width(name))
    if style.align == "m":
        yield f"{name}:{blanks} {cell}"
        return
    label = {"l": name + blanks, "r": blanks + name}.get(style.align, name)
    first, *more = cell.split("\n") if style.feeds else [cell]
    for text in more:
        yield f"{label}{style.mark}{first}{' ' * (widest - display_width(first))}{style.feeds}"
        label, first = " " * width, text
    yield f"{label}{style.mark}{first}"
