"""Find data within a text: JSON lines, or a block of JSON below other lines."""

from __future__ import annotations

from typing import Any, Final

from mckp.jsontext import is_array, is_container, load
from mckp.parsers.forms import AROUND, data_of
from mckp.parsers.sequence import values_of
from mckp.regexes import regex

_INTO: Final = regex(r"\$\.(?:above|data|below)\b")
MOST_STARTS: Final = 20
"""Lines at which a block of JSON is looked for."""


def data_in(text: str, path: str = "") -> Any:
    r"""Return the data within a text, or None if there are none.

    If `path` begins with ``$.above``, ``$.data`` or ``$.below``, the lines around JSON are part of
    the data, as they are in the paths that `mckp.encode` prints.

    Examples
    --------
    >>> data_in('{"a": 1}\n{"a": 2}\n'), data_in('Found:\n[{"a": 1}]\n'), data_in("a\nb")
    ([{'a': 1}, {'a': 2}], [{'a': 1}], None)
    """
    if (read := data_of(text)) is not None:
        value, form = read
        return form.ordered_part(value) if form.name == AROUND and not _INTO.match(path) else value
    values = values_of(text)
    return _block(text.splitlines(keepends=True)) if values is None else values


def _block(lines: list[str]) -> Any:
    """Return the largest array or object that fills whole lines; None if there is none.

    An object with a single member does not count.
    """
    best: tuple[int, Any] = (0, None)
    starts = [n for n, line in enumerate(lines) if line[:1] in ("{", "[")][:MOST_STARTS]
    ends = [n for n, line in enumerate(lines) if line.rstrip()[-1:] in ("}", "]")]
    for start in starts:
        for end in (ends[-1:] + [n for n in ends if n >= start and lines[n][:1] in ("}", "]")])[:5]:
            if end < start:
                continue
            block = "".join(lines[start : end + 1])
            value = _container(block) if len(block) > best[0] else None
            if value is not None and (is_array(value) or len(value) > 1):
                best = len(block), value
    return best[1]


def _container(text: str) -> Any:
    """Return the array or object that a text is, or None."""
    try:
        value = load(text.strip())
    except (ValueError, RecursionError):
        return None
    return value if is_container(value) else None
