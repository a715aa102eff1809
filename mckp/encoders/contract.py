"""Check the contract of a format that is not part of mckp, with one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.headers import Header, read_header, write_header
from mckp.encoders.hints import Overflow
from mckp.encoders.lines import Lines
from mckp.errors import MckpError
from mckp.jsontext import difference, dump, is_array

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.encoders.base import Body, Format


HARD: Final[tuple[Any, ...]] = (
    [0, -1, 10**12],
    [
        "a",
        "b c",
        "",
        " d ",
        "1",
        "null",
        "tab\there",
        "two\nlines",
        "a,b;c|d",
        '"',
        "/x",
        "…",
        "> [+1 rows]",
    ],
    [True, None, 1.5, "x", [1], {"a": 1}],
    [{"id": 1, "name": "a b"}, {"id": 2, "name": "tab\there"}, {"id": 3, "name": "two\nlines"}],
    [{"id": 1}, {"id": "1", "note": None}, {"note": "> [+1 rows]"}, {}],
    {"a": 1, "b c": [1, 2], "": {"d": "x"}},
    {"a": "1", "b": 1, "c d": "x: y", "/e": None, "two\nlines": True, "> [+1 rows]": "…"},
    {"a": "1", "b": "x: y", "/e": "", "a := b": "c", "two\nlines": "…", "> [+1 rows]": "\t"},
    "text",
    [],
)
"""Values that often break formats: types that look alike, odd characters, ragged rows, marks."""


def check(format_: Format, values: Iterable[Any] = ()) -> int:
    """Write values in a format and read them back, whole and with rows cut.

    The values in `HARD` are tried in addition to the given ones.

    Parameters
    ----------
    format_ : Format
        A format with a reader.
    values : iterable, optional
        Plain data, as from JSON: some values that the format fits, and some that it does not.

    Returns
    -------
    int
        The number of bodies that were written and read.

    Raises
    ------
    ValueError
        If a text does not read back, is not whole lines, or breaks the fragment law; the message
        says which value and why. Also if the format has no reader, or writes none of the values.
    Exception
        Whatever the format raises when it writes a value, with a note that shows the value.

    Examples
    --------
    >>> from mckp.encoders import CSV
    >>> check(CSV, [[{"id": 1, "ok": True}, {"id": 2}], "no table"])
    3
    """
    if format_.read is None:
        raise ValueError(
            f"the format {format_.name} has no reader, so nothing it writes reads back"
        )
    count = 0
    for value in (*values, *HARD):
        try:
            bodies = list(format_.bodies(value))
        except Exception as error:
            error.add_note(f"the format {format_.name} was given {dump(value):.60}")
            raise
        for body in bodies:
            count += 1
            try:
                fault = next(_faults(format_, body, value), None)
            except (MckpError, ValueError, TypeError, LookupError) as error:
                fault = f"its text cannot be read back: {error}"
            if fault:
                raise ValueError(f"the format {format_.name} on {dump(value):.60}: {fault}")
    if not count:
        raise ValueError(
            f"the format {format_.name} writes none of the values; give some that it can"
        )
    return count


def _faults(format_: Format, body: Body, value: object) -> Iterator[str]:
    """Yield a message for each fault of a body that a format wrote for a value.

    What the reader of the format raises is not caught.
    """
    for part in (body.head, *body.rows):
        if part and not part.endswith("\n"):
            yield f"{part!r:.40} does not end with a line feed"
        if part and (part[0] == "/" or not part.split("\n", 1)[0].strip()):
            yield f"{part!r:.40} begins with a slash or a blank line, where counts do not add up"
    line = write_header(1, "x", body.shape, format_.name).removesuffix("\n")
    header = read_header(line, 1)
    if header is None or header.format != format_.name:
        yield f"{line!r} is not a header that names it; a shape is [items], {{members}} or (lines)"
        return
    if path := difference(_read_body(format_, header, body.text), value):
        yield f"reads back differently: {path}"
    size = len(body.rows)
    if not is_array(value) or size != len(value):
        return
    for count in {1, size // 2, size - 1} - {0, size}:
        note = f"{Overflow(size - count, size, 'rows')}\n"
        kept = _read_body(format_, header, body.head + "".join(body.rows[:count]) + note)
        if path := difference(kept, value[:count]):
            yield f"with {count} of {size} rows and {note!r} it reads back differently: {path}"


def _read_body(format_: Format, header: Header, text: str) -> Any:
    """Read a text below a header with the format's own reader."""
    assert format_.read is not None
    return format_.read(Lines(text), header)
