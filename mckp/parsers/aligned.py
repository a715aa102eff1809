r"""Tables with columns aligned by blanks, as ``kubectl get`` and ``docker ps`` print them.

A text is read as a table only if the cells, padded again in the same way, give the exact text.

==============  ================================================================================
``gap=3``       blanks between the widest cell of a column and the next column
``least=6``     the least width of a column, including its gap
``ruled``       dashes below the header, as wide as each column
``ruled=1``     dashes below the header, as wide as each name
``padded``      the last column is padded, too
``stripped``    no line ends with blanks
==============  ================================================================================
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from mckp.parsers.cells import are_names, records, rows_of
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FEWEST_ROWS: Final = 3
"""Fewest lines of a table, including the header."""
LONGEST: Final = 2000
"""Most characters of a header, roughly."""

_HEADER: Final = regex(r"\S+(?: \S+)*(?: {2,}\S+(?: \S+)*)+ *")
_NAMES: Final = regex(r"\S+(?: \S+)*")
_DASHES: Final = regex("-+")
_RULE: Final = regex(r"-+(?: +-+)+ *")
_RULED: Final = ("", "ruled", "ruled=1")
_ENDS: Final = ("", "stripped", "padded")
_WORD: Final = regex(r"gap=[0-9]{1,2}|least=[0-9]{1,2}|ruled|ruled=1|padded|stripped|open")


def is_known(words: Iterable[str]) -> bool:
    """Whether all words are words of an aligned table."""
    return all("=." in word or _WORD.fullmatch(word) for word in words)


def read(text: str) -> tuple[Any, tuple[str, ...]] | None:
    r"""Parse an aligned table into its rows and the words of its style, or return None.

    Examples
    --------
    >>> read("NAME   READY\na-1    0\nlong   2\n")
    ([{'NAME': 'a-1', 'READY': 0}, {'NAME': 'long', 'READY': 2}], ('gap=3',))
    """
    first, second, *_ = *text[: 2 * LONGEST].split("\n", 2), ""
    if not (_HEADER.fullmatch(first) and first.isupper()) and not _RULE.fullmatch(second):
        return None
    lines = text.split("\n")
    end = ["open"] if lines[-1] else []
    lines = lines if end else lines[:-1]
    is_ruled = _RULE.fullmatch(second) is not None
    heads = _DASHES.finditer(second) if is_ruled else _NAMES.finditer(first)
    starts = [match.start() for match in heads]
    rows = [list(_split_cells(line, starts)) for line in lines[:1] + lines[1 + is_ruled :]]
    if len(rows) < FEWEST_ROWS or not are_names(rows[0], rows):
        return None
    # A column begins after a blank in each line; a cell with two blanks may be two columns.
    if any(line[at - 1 : at].strip() for line in lines for at in starts[1:]):
        return None
    if not is_ruled and any("  " in cell for row in rows for cell in row):
        return None
    value, digits = records(rows)
    needs = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths = [after - before for before, after in pairwise(starts)]
    gaps = [width - need for width, need in zip(widths, needs, strict=False)]
    if min(gaps) < 1:
        return None
    ways = [(min(gaps), 0)]
    if len(set(gaps)) > 1:  # a column of the least width has more blanks than others
        ways = [(gap, min(widths)) for gap in sorted(set(gaps)) if min(widths) < 100 > gap]
    for gap, least in ways:
        for ruled in _RULED[1:] if is_ruled else _RULED[:1]:
            for ended in _ENDS:
                ruling = [f"gap={gap}", f"least={least}" if least else "", ruled, ended]
                words = tuple(filter(None, [*ruling, *digits, *end]))
                if _write_lines(rows, words) == lines:
                    return value, words
    return None


def write(value: Any, words: Sequence[str]) -> str:
    """Return rows as an aligned table."""
    return "\n".join(_write_lines(rows_of(value, words), words))


def _split_cells(line: str, starts: Sequence[int]) -> Iterator[str]:
    for before, after in pairwise([*starts, len(line) + 1]):
        yield line[before:after].rstrip(" ")


def _write_lines(rows: Sequence[Sequence[str]], words: Sequence[str]) -> list[str]:
    """Return the lines of a table in the style that the words describe, the header first."""
    sizes = dict(word.split("=") for word in words if word.startswith(("gap=", "least=")))
    gap, least = int(sizes.get("gap", 2)), int(sizes.get("least", 0))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    full = [max(width + gap, least) for width in widths]
    made = list(rows)
    if "ruled" in words:
        made.insert(1, ["-" * width for width in widths])
    elif "ruled=1" in words:
        made.insert(1, ["-" * len(name) for name in rows[0]])
    if "padded" not in words:
        full[-1:] = [0] if full else []
    lines = ["".join(map(str.ljust, row, full)) for row in made]
    return [line.rstrip(" ") for line in lines] if "stripped" in words else lines
