"""Cells of a text table: from the cells of a column to its values, and back.

The values of a column are numbers if all cells are plain numbers, or all have the same number of
digits after the point, which a word such as ``amount=.2`` says. If most cells of a column are
integers, as in ``0`` and ``2 (17h ago)``, these are numbers and the others strings. An empty cell
is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import STRING, dump, is_array, is_object, load
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


def read_name(written: str) -> str:
    """Return the column name that `write_name` wrote."""
    return str(load(written)) if written[0] == '"' else written


def are_names(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row may be the column names, and all rows have as many cells."""
    size = len(names)
    if size < 2 or len(set(names)) < size or any(len(row) != size for row in rows):
        return False
    return all(
        len(name) <= LONGEST_NAME and _HEADER.fullmatch(name) and not _INTEGER.fullmatch(name)
        and name == name.strip() for name in names
    )  # fmt: skip


def records(rows: Sequence[Sequence[str]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the records of a table with a header, and a word for each column with fixed digits.

    Examples
    --------
    >>> records([["a", "b"], ["1", "0.50"], ["2", ""]])
    ([{'a': 1, 'b': 0.5}, {'a': 2, 'b': None}], ['b=.2'])
    """
    names, *others = rows
    columns = [
        _column(cells, has_versions=is_version(name))
        for name, cells in zip(names, zip(*others, strict=True), strict=True)
    ]
    words = [
        f"{write_name(name)}=.{digits}"
        for name, (_, digits) in zip(names, columns, strict=True)
        if digits
    ]
    values = zip(*(values for values, _ in columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in values], words


def is_version(name: str) -> bool:
    """Whether values of this name are versions: as a number, 4.10 would be 4.1."""
    return _VERSION.fullmatch(name) is not None


def _column(cells: Sequence[str], *, has_versions: bool) -> tuple[list[Any], int]:
    """Return the values of a column, and their digits after the point.

    The digits are 0 if Python writes the values with the same digits anyway. With `has_versions`,
    the cells are versions and stay text.
    """
    full = [cell for cell in cells if cell]
    if full and set(full) <= {"true", "false"}:
        return [None if not cell else cell == "true" for cell in cells], 0
    if full and all(map(_INTEGER.fullmatch, full)):
        return [int(cell) if cell else None for cell in cells], 0
    if full and all(_INTEGER.fullmatch(cell) or _is_float(cell) for cell in full):
        return [_number(cell) if cell else None for cell in cells], 0
    if not has_versions and (digits := digits_of(full)):
        return [float(cell) if cell else None for cell in cells], digits
    if 2 * sum(map(bool, map(_INTEGER.fullmatch, full))) > len(full):
        return [int(cell) if _INTEGER.fullmatch(cell) else cell or None for cell in cells], 0
    return [cell or None for cell in cells], 0


def _is_float(cell: str) -> bool:
    """Whether a cell is a float as Python writes it."""
    return _DECIMAL.fullmatch(cell) is not None and repr(float(cell)) == cell


def _number(cell: str) -> int | float:
    """Return the number that a cell spells."""
    return int(cell) if _INTEGER.fullmatch(cell) else float(cell)


def as_value(text: str) -> Any:
    """Return the number or boolean that a text spells; any other text as it is.

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
    """Whether a cell is a number, with any digits after the point."""
    return (_INTEGER.fullmatch(text) or _DECIMAL.fullmatch(text)) is not None


def digits_of(texts: Iterable[str]) -> int:
    """Return the number of digits that all numbers have after the point.

    Return 0 if the numbers differ in it, or if Python writes all of them like this anyway.

    Examples
    --------
    >>> digits_of(["1.50", "2.25", ""]), digits_of(["1.5", "2.5"]), digits_of(["1.50", "2.5"])
    (2, 0, 0)
    """
    full = [text for text in texts if text]
    if all(map(_is_float, full)):
        return 0
    sizes = {len(match[1]) if (match := _DECIMAL.fullmatch(text)) else 0 for text in full}
    digits = sizes.pop() if len(sizes) == 1 else 0
    return digits if digits and all(f"{float(text):.{digits}f}" == text for text in full) else 0


def arrays(rows: Sequence[Sequence[str]]) -> tuple[list[list[Any]], list[str]]:
    """Return the rows of a table without a header, and a word for each column with fixed digits.

    The words name the columns ``_1``, ``_2`` and so on.
    """
    rows_read, words = records([_default_names(len(rows[0])), *rows])
    return [list(row.values()) for row in rows_read], words


def _default_names(size: int) -> list[str]:
    """Return the names ``_1``, ``_2`` and so on for columns without names."""
    return [f"_{number}" for number in range(1, size + 1)]


def rows_of(value: Any, words: Sequence[str]) -> list[list[str]]:
    """Return the cells of records below a row of their names, or of arrays without such a row."""
    if value and all(map(is_array, value)):
        names = _default_names(max(map(len, value)))
        return rows_of([dict(zip(names, row, strict=False)) for row in value], words)[1:]
    digits: dict[str, int] = {}
    for word in words:
        if match := _DIGITS.fullmatch(word):
            digits[read_name(match[1])] = int(match[2])
    records: list[dict[str, Any]] = [row if is_object(row) else {} for row in value]
    names = list(dict.fromkeys(name for row in records for name in row))
    rows = [[_cell(row.get(name), digits.get(name)) for name in names] for row in records]
    return [names, *rows]


def _cell(value: Any, digits: int | None) -> str:
    """Return a value as a cell, a float with this many digits after the point."""
    if isinstance(value, float) and digits:
        return f"{value:.{digits}f}"
    if isinstance(value, str):
        return value
    return "" if value is None else dump(value)
