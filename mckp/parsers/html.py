r"""HTML tables, as in pages, mails and pandas frames.

A text is read only if it is a single table whose rows differ only in the texts of their cells,
without tags in these. The rows are in ``data``: records if the first row has names, else arrays.
The markup around the texts is in ``html``: ``begin``, ``head`` (the row of names), ``middle``,
``row``, ``between`` and ``end``, with ``{}`` for each text.

===============  ===============================================================================
``bare``         there are no names
``raw``          texts are not unescaped; else ``&amp;``, ``&lt;`` and ``&gt;`` are one character
``price=.2``     numbers in this column have this many digits after the point
===============  ===============================================================================
"""

from __future__ import annotations

from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object
from mckp.parsers.cells import LONGEST_NAME, NAME, arrays, records, rows_of
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FEWEST_ROWS: Final = 3
"""Fewest rows of a table, including the names."""

_BEGIN: Final = regex(r"(?i)\s*<table[^<>]{0,500}>")
_ROW: Final = regex(r"(?is)<tr[^<>]{0,500}>(?:\s*<(t[dh])[^<>]{0,500}>[^<>]*</\1>)+\s*</tr>")
_CELL: Final = regex(r"(?i)(<t[dh][^<>]{0,500}>)([^<>]*)(?=</t[dh]>)")
_NAMES: Final = regex(r"(?is)<tr[^<>]{0,500}>(?:\s*<th[^<>]{0,500}>[^<>]*</th>)+\s*</tr>")
_WORD: Final = regex(rf"bare|raw|open|{NAME}=\.[0-9]{{1,2}}")
_escape = partial(escape, quote=False)
_SIGNS: Final = (("<", "&lt;"), (">", "&gt;"))
_DEFAULT: Final = {"begin": "<table>\n", "middle": "\n", "end": "\n</table>"}


def is_known(words: Iterable[str]) -> bool:
    """Whether all words describe the style of an HTML table."""
    return all(map(_WORD.fullmatch, words))


def read(text: str) -> tuple[Any, tuple[str, ...]] | None:
    r"""Parse an HTML table into its rows and markup, and the words of its style, or return None.

    Examples
    --------
    >>> rows = "".join(f"<tr><td>{n}</td></tr>" for n in range(3))
    >>> read(f"<table><tr><th>id</th></tr>{rows}</table>")[0]["data"]
    [{'id': 0}, {'id': 1}, {'id': 2}]
    """
    if not _BEGIN.match(text) or "{}" in text:
        return None
    spans = [match.span() for match in _ROW.finditer(text)]
    if len(spans) < FEWEST_ROWS:
        return None
    has_names = _NAMES.fullmatch(text, *spans[0]) is not None
    body = spans[has_names:]
    row = _CELL.sub(r"\1{}", text[slice(*body[0])])
    middle = text[spans[0][1] : spans[1][0]]
    html = {
        "begin": text[: spans[0][0]],
        "head": _CELL.sub(r"\1{}", text[slice(*spans[0])]),
        "middle": middle,
        "row": row,
        "between": text[body[0][1] : body[1][0]],
        "end": text[spans[-1][1] :].removesuffix("\n"),
    }
    if not has_names:
        del html["head"], html["middle"]
    cells = [[match[2] for match in _CELL.finditer(text, *span)] for span in spans]
    is_raw = any(_escape(_unescape(cell)) != cell for line in cells for cell in line)
    if not is_raw:
        cells = [list(map(_unescape, line)) for line in cells]
    sizes = set(map(len, cells))
    if len(sizes) > 1 or (has_names and not _are_names(cells[0])):
        return None
    rows, digits = records(cells) if has_names else arrays(cells)
    end = [] if text.endswith("\n") else ["open"]
    style = [*([] if has_names else ["bare"]), *(["raw"] if is_raw else [])]
    words = (*style, *digits, *end)
    value = {"html": html, "data": rows}
    return (value, words) if write(value, words) == (text if end else text[:-1]) else None


def _are_names(names: Sequence[str]) -> bool:
    """Whether the texts of a first row may be the names of columns."""
    return len(set(names)) == len(names) and max(map(len, names)) <= LONGEST_NAME


def _unescape(text: str) -> str:
    """Replace the entities that this form knows by their characters."""
    for sign, name in _SIGNS:
        text = text.replace(name, sign)
    return text.replace("&amp;", "&")


def write(value: Any, words: Sequence[str]) -> str:
    """Return rows as an HTML table, without a line feed at the end."""
    given: dict[str, Any] = value if is_object(value) else {}
    html: dict[str, str] = {**_DEFAULT, **given.get("html", {})}
    rows: Any = given.get("data", [])
    is_bare = "bare" in words
    cells = rows_of([row for row in rows if is_array(row)] if is_bare else rows, words)
    if "raw" not in words:
        cells = [list(map(_escape, line)) for line in cells]
    begin = html["begin"]
    if not is_bare:
        begin += _fill_row(html.get("head"), cells.pop(0), "th") + html["middle"]
    written = [_fill_row(html.get("row"), line, "td") for line in cells]
    return begin + html.get("between", "\n").join(written) + html["end"]


def _fill_row(row: str | None, cells: Sequence[str], tag: str) -> str:
    """Return a row with cells in its holes; a default row if their numbers differ."""
    parts = [] if row is None else row.split("{}")
    if len(parts) != len(cells) + 1:
        parts = ["<tr><", *[f"</{tag}><"] * (len(cells) - 1), f"</{tag}></tr>"]
        parts = [f"{part}{tag}>" if part.endswith("<") else part for part in parts]
    return "".join(part + cell for part, cell in zip(parts, [*cells, ""], strict=False))
