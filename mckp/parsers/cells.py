"""Cells of a text table: from the cells of a column to its values, and back.

The values of a column are numbers if all cells are plain numbers, or all have the same number of
digits after the point, which a word such as ``amount=.2`` says. If most cells of a column are
integers, as in ``0`` and ``2 (17h ago)``, these are numbers and the others strings. An empty cell
is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from unicodedata import combining, east_asian_width

from mckp.jsontext import STRING, JsonValue, dump, is_array, is_object, load
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NAME: Final = rf"(?:[^\W\d][\w.$/-]*|{STRING})"
"""A column name in a word, as a regular expression."""
LONGEST_NAME: Final = 60
_SAFE: Final = regex(r"[^\W\d][\w.$/-]*")
_DIGITS: Final = regex(rf"({NAME})=\.([0-9]{{1,2}})")
_INTEGER: Final = regex(r"(?:0|-?[1-9][0-9]{0,14})")
_DECIMAL: Final = regex(r"-?(?:0|[1-9][0-9]{0,11})\.([0-9]{1,9})")
_VERSION: Final = regex(r"(?i)(?:.*[^a-z])?(?:[a-z]*version|release|ver)")
_HEADER: Final = regex(r"[^\s\"'<>{}\[\]=][^\n\"<>{}\[\]=]*")


def write_name(name: str) -> str:
    """Return a column name as a word of a form: unchanged, or in quotation marks if necessary."""
    return name if _SAFE.fullmatch(name) else dump(name)


def read_name(word: str) -> str:
    """Return the column name that `write_name` wrote, without its quotation marks."""
    return str(load(word)) if word[0] == '"' else word


def are_names(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether `names`, the first of the rows, may be column names, and all rows have as many cells.

    Column names are at least two different texts, at most `LONGEST_NAME` characters long, without
    blanks around them. They are not integers, and have no quotes, brackets or equals signs; an
    apostrophe may be inside a name.
    """
    size = len(names)
    if size < 2 or len(set(names)) < size or any(len(row) != size for row in rows):
        return False
    return all(
        len(name) <= LONGEST_NAME and _HEADER.fullmatch(name) and not _INTEGER.fullmatch(name)
        and name == name.strip() for name in names
    )  # fmt: skip


def records(rows: Sequence[Sequence[str]]) -> tuple[list[JsonValue], list[str]]:
    """Return the records of a table with a header, and a word for each column with fixed digits.

    Parameters
    ----------
    rows : sequence of sequence of str
        The cells of the table; the first row has the names of the columns.

    Examples
    --------
    >>> records([["a", "b"], ["1", "0.50"], ["2", ""]])
    ([{'a': 1, 'b': 0.5}, {'a': 2, 'b': None}], ['b=.2'])
    """
    names, *body = rows
    value_rows, words = _typed_rows(names, body)
    return [dict(zip(names, row, strict=True)) for row in value_rows], words


def _typed_rows(
    names: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[Iterator[tuple[JsonValue, ...]], list[str]]:
    """Return the values of each row, and a word for each column with fixed digits."""
    columns = [
        _column_values(cells, has_versions=is_version(name))
        for name, cells in zip(names, zip(*rows, strict=True), strict=True)
    ]
    words = [
        f"{write_name(name)}=.{digit_count}"
        for name, (_, digit_count) in zip(names, columns, strict=True)
        if digit_count
    ]
    return zip(*(values for values, _ in columns), strict=True), words


def is_version(name: str) -> bool:
    """Whether a name is that of versions, which stay text: as a number, 4.10 would be 4.1."""
    return _VERSION.fullmatch(name) is not None


def _column_values(cells: Sequence[str], *, has_versions: bool) -> tuple[list[JsonValue], int]:
    """Return the values of a column, and the number of digits that all have after the point.

    The number is 0 if the values have no fixed digits, or if Python writes the same digits anyway.
    With `has_versions`, cells such as ``4.10`` are versions and stay text. Empty cells are None.
    """
    filled = [cell for cell in cells if cell]
    if filled and set(filled) <= {"true", "false"}:
        return [None if not cell else cell == "true" for cell in cells], 0
    if filled and all(map(_INTEGER.fullmatch, filled)):
        return [int(cell) if cell else None for cell in cells], 0
    if filled and all(_INTEGER.fullmatch(cell) or _is_float(cell) for cell in filled):
        return [_parse_number(cell) if cell else None for cell in cells], 0
    if not has_versions and (digit_count := digits_of(filled)):
        return [float(cell) if cell else None for cell in cells], digit_count
    if 2 * sum(map(bool, map(_INTEGER.fullmatch, filled))) > len(filled):
        return [int(cell) if _INTEGER.fullmatch(cell) else cell or None for cell in cells], 0
    return [cell or None for cell in cells], 0


def _is_float(cell: str) -> bool:
    """Whether a cell is a float as Python writes it."""
    return _DECIMAL.fullmatch(cell) is not None and repr(float(cell)) == cell


def _parse_number(cell: str) -> int | float:
    """Return the number that a cell contains as text."""
    return int(cell) if _INTEGER.fullmatch(cell) else float(cell)


def as_value(text: str) -> JsonValue:
    """Return the number or boolean that a text represents; any other text is returned unchanged.

    A number counts only if writing it gives the same text again, so ``012`` and ``1.50`` stay text.

    Examples
    --------
    >>> [as_value(text) for text in ("12", "0.5", "true", "012", "1.50", "")]
    [12, 0.5, True, '012', '1.50', '']
    """
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _is_float(text) else text


def is_number(text: str) -> bool:
    """Whether a cell is a plain number, with up to nine digits after the point."""
    return (_INTEGER.fullmatch(text) or _DECIMAL.fullmatch(text)) is not None


def digits_of(texts: Iterable[str]) -> int:
    """Return the number of digits that all numbers have after the point.

    Return 0 if the numbers of digits differ, if a text that is not empty is not a plain decimal
    number, or if Python writes all numbers with the same digits anyway.

    Examples
    --------
    >>> digits_of(["1.50", "2.25", ""]), digits_of(["1.5", "2.5"]), digits_of(["1.50", "2.5"])
    (2, 0, 0)
    """
    filled = [text for text in texts if text]
    if all(map(_is_float, filled)):
        return 0
    digit_counts = {len(match[1]) if (match := _DECIMAL.fullmatch(text)) else 0 for text in filled}
    count = digit_counts.pop() if len(digit_counts) == 1 else 0
    return count if count and all(f"{float(text):.{count}f}" == text for text in filled) else 0


def at_decimal_point(cells: Sequence[str]) -> list[str]:
    """Return cells with blanks at their ends; aligned right, they have their points in one column.

    Examples
    --------
    >>> at_decimal_point(["1.25", "30", "0.5"])
    ['1.25', '30   ', '0.5 ']
    """
    tails = [len(cell) - cell.find(".") if "." in cell else 0 for cell in cells]
    most = max(tails, default=0)
    return [cell + " " * (most - tail) for cell, tail in zip(cells, tails, strict=True)]


def arrays(rows: Sequence[Sequence[str]]) -> tuple[list[JsonValue], list[str]]:
    """Return the rows of a table without a header, and a word for each column with fixed digits.

    The words name the columns ``_1``, ``_2`` and so on.
    """
    value_rows, words = _typed_rows(_default_names(len(rows[0])), rows)
    return [list(row) for row in value_rows], words


def _default_names(count: int) -> list[str]:
    """Return the names ``_1``, ``_2`` and so on for this many columns without names."""
    return [f"_{number}" for number in range(1, count + 1)]


def rows_of(value: JsonValue, words: Sequence[str]) -> list[list[str]]:
    """Return the cells of records below a row of their names, or of arrays without such a row.

    Parameters
    ----------
    value : JsonValue
        An array of objects, or of arrays. An item of another kind among objects gives empty cells,
        and anything else than an array only an empty row of names.
    words : sequence of str
        The words of the form; those such as ``amount=.2`` say how many digits a column has.
    """
    items = value if is_array(value) else []
    row_arrays = [item for item in items if is_array(item)]
    if items and len(row_arrays) == len(items):
        names = _default_names(max(map(len, row_arrays)))
        return rows_of([dict(zip(names, row, strict=False)) for row in row_arrays], words)[1:]
    digit_counts: dict[str, int] = {}
    for word in words:
        if match := _DIGITS.fullmatch(word):
            digit_counts[read_name(match[1])] = int(match[2])
    objects = [item if is_object(item) else {} for item in items]
    names = list(dict.fromkeys(name for members in objects for name in members))
    rows = [
        [_cell_text(members.get(name), digit_counts.get(name)) for name in names]
        for members in objects
    ]
    return [names, *rows]


def _cell_text(value: JsonValue, digit_count: int | None) -> str:
    """Return the text of a cell for a value.

    A float has `digit_count` digits after the point; if that is None, as many as Python writes.
    """
    if isinstance(value, float) and digit_count:
        return f"{value:.{digit_count}f}"
    if isinstance(value, str):
        return value
    return "" if value is None else dump(value)


def display_width(text: str) -> int:
    """Return the width of a text in a terminal: a wide character takes 2, a combining one 0."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(c) in "WF" else int(not combining(c)) for c in text)
