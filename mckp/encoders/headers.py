"""The line above a block: its member's name, its size, and its format.

``[20] csv`` opens a document that is an array of 20 items; ``# jobs[20] csv`` the same
below the member ``jobs`` of the document's object; ``## author`` an object two levels
down, as ``key: value`` lines, which need no word. Above data there may be a primer: a line that
explains its signs, and that readers of data skip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mckp.encoders.scalars import read_key, write_key
from mckp.jsontext import STRING
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable

_SHAPE = r"(?:\[[0-9]{1,18}\]|\{[0-9]{1,18}\}|\([0-9]{1,18}\))"
_COLUMNS = r"(\{.+\}|\[\](?:\{.+\})?)"
_ROOT = regex(rf"({_SHAPE})(?: ([a-z]+)|{_COLUMNS})?")
_SECTION = regex(rf'(#+) ({STRING}|[^\[{{("]+)(?:({_SHAPE})(?: ([a-z]+)|{_COLUMNS})?)?')


class Header(NamedTuple):
    """A parsed header.

    `bracket` is ``[``, ``{`` or ``(``; `size` is -1 if it is not given. `columns` is what a table
    in the format ``rows`` declares after its size.
    """

    depth: int
    key: str
    bracket: str
    size: int
    format: str
    columns: str = ""


def write_header(depth: int, key: str | int, shape: str, format_name: str) -> str:
    """Return a header line with its line feed.

    The depth is the number of containers around the block; a block at depth 0 is the document
    and has no name. For the shape see `Body.shape`.
    """
    word = "" if format_name in ("kv", "rows", "rules", "derived") else f" {format_name}"
    if depth == 0:
        return f"{shape}{word}\n"
    return f"{'#' * depth} {write_key(key)}{shape}{word}\n"


def read_header(line: str | None, depth: int) -> Header | None:
    """Parse a header that opens a block at this depth; return None for any other line.

    Raises a `ParseError` if its name is broken.
    """
    match = (_SECTION if depth else _ROOT).fullmatch(line or "")
    if match is None or (depth and len(match[1]) != depth):
        return None
    key = read_key(match[2]) if depth else ""
    shape, word, columns = match.groups()[-3:]
    size = int(shape[1:-1]) if shape else -1
    bracket = shape[0] if shape else "{"
    return Header(depth, key, bracket, size, word or ("rows" if columns else "kv"), columns or "")


HEAD, TAIL = "> [data: ", "]\n"
_PRIMER = regex(r"> \[data: [^\n]*\]\n")


def skip_primer(text: str, is_data: Callable[[str], bool]) -> str:
    """Return a text without its primer; if no data are below the primer, return it unchanged."""
    match = _PRIMER.match(text)
    if match is None:
        return text
    rest = text[match.end() :]
    return rest if is_data(rest) else text
