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
from typing import TYPE_CHECKING, Final

from mckp.jsontext import JsonValue, is_array, is_object
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
_ENTITIES: Final = (("<", "&lt;"), (">", "&gt;"))
_DEFAULT: Final = {"begin": "<table>\n", "middle": "\n", "end": "\n</table>"}


def is_known(words: Iterable[str]) -> bool:
    """Whether all words describe the style of an HTML table."""
    return all(map(_WORD.fullmatch, words))


def read(text: str) -> tuple[JsonValue, tuple[str, ...]] | None:
    r"""Return the rows and markup of an HTML table, and the words of its style; else None.

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
    row_markup = _CELL.sub(r"\1{}", text[slice(*body[0])])
    middle = text[spans[0][1] : spans[1][0]]
    markup = {
        "begin": text[: spans[0][0]],
        "head": _CELL.sub(r"\1{}", text[slice(*spans[0])]),
        "middle": middle,
        "row": row_markup,
        "between": text[body[0][1] : body[1][0]],
        "end": text[spans[-1][1] :].removesuffix("\n"),
    }
    if not has_names:
        del markup["head"], markup["middle"]
    cells = [[match[2] for match in _CELL.finditer(text, *span)] for span in spans]
    is_raw = any(_escape(_unescape(cell)) != cell for line in cells for cell in line)
    if not is_raw:
        cells = [list(map(_unescape, line)) for line in cells]
    cell_counts = set(map(len, cells))
    if len(cell_counts) > 1 or (has_names and not _are_names(cells[0])):
        return None
    rows, digit_words = records(cells) if has_names else arrays(cells)
    end_words = [] if text.endswith("\n") else ["open"]
    style = [*([] if has_names else ["bare"]), *(["raw"] if is_raw else [])]
    words = (*style, *digit_words, *end_words)
    value: JsonValue = {"html": dict[str, JsonValue](markup), "data": rows}
    return (value, words) if write(value, words) == (text if end_words else text[:-1]) else None


def _are_names(names: Sequence[str]) -> bool:
    """Whether the texts of the first row may be column names: they differ, and none is long."""
    return len(set(names)) == len(names) and max(map(len, names)) <= LONGEST_NAME


def _unescape(text: str) -> str:
    """Return a text with characters in place of ``&amp;``, ``&lt;`` and ``&gt;``."""
    for character, entity in _ENTITIES:
        text = text.replace(entity, character)
    return text.replace("&amp;", "&")


def write(value: JsonValue, words: Sequence[str]) -> str:
    """Return rows as an HTML table, without a line feed at the end.

    The rows are in the member ``data`` and their markup in ``html``, as `read` returns them. If
    there is no markup, it is plain. With ``bare``, items that are not arrays are left out.
    """
    members = value if is_object(value) else {}
    markup: dict[str, str] = {**_DEFAULT, **members.get("html", {})}
    rows = members.get("data", [])
    is_bare = "bare" in words
    cells = rows_of([row for row in rows if is_array(row)] if is_bare else rows, words)
    if "raw" not in words:
        cells = [list(map(_escape, line)) for line in cells]
    begin = markup["begin"]
    if not is_bare:
        begin += _filled_row(markup.get("head"), cells.pop(0), "th") + markup["middle"]
    row_texts = [_filled_row(markup.get("row"), line, "td") for line in cells]
    return begin + markup.get("between", "\n").join(row_texts) + markup["end"]


def _filled_row(markup: str | None, cells: Sequence[str], tag: str) -> str:
    """Return the markup of a row with the cells in place of its ``{}``.

    Without markup, or if it has another number of cells, the row is plain ``tr`` markup whose
    cells have the given tag, ``th`` or ``td``.
    """
    parts = [] if markup is None else markup.split("{}")
    if len(parts) != len(cells) + 1:
        parts = ["<tr><", *[f"</{tag}><"] * (len(cells) - 1), f"</{tag}></tr>"]
        parts = [f"{part}{tag}>" if part.endswith("<") else part for part in parts]
    return "".join(part + cell for part, cell in zip(parts, [*cells, ""], strict=False))
