"""The contract of a format, as one call: for formats that are not part of mckp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.headers import Header, read_header, write_header
from mckp.encoders.hints import Overflow
from mckp.encoders.lines import Lines
from mckp.errors import MckpError
from mckp.jsontext import difference, dump, is_array

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.encoders.base import Body, Format


def check(format_: Format, values: Iterable[Any]) -> int:
    """Write values in a format and read them back, whole and with rows cut.

    Parameters
    ----------
    format_ : Format
        A format with a reader.
    values : iterable
        Plain data, as of JSON: some that the format fits, and some that it does not.

    Returns
    -------
    int
        How many bodies were written and read.

    Raises
    ------
    ValueError
        If a text does not read back, is not whole lines, or breaks the law of fragments; it says
        which value and why.

    Examples
    --------
    >>> from mckp.encoders import CSV
    >>> check(CSV, [[{"id": 1, "ok": True}, {"id": 2}], "no table"])
    1
    """
    assert format_.read is not None, "a format that is a block has a reader"
    count = 0
    for value in values:
        for body in format_.bodies(value):
            count += 1
            try:
                why = next(_faults(format_, body, value), None)
            except (MckpError, ValueError, TypeError, LookupError) as error:
                why = f"its text cannot be read back: {error}"
            if why:
                raise ValueError(f"the format {format_.name} on {dump(value):.60}: {why}")
    return count


def _faults(format_: Format, body: Body, value: Any) -> Iterator[str]:
    """Yield what is wrong with a body, the first fault first."""
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
    if where := difference(_read(format_, header, body.text), value):
        yield f"reads back differently: {where}"
    size = len(body.rows)
    if not is_array(value) or size != len(value):
        return
    for kept in {1, size // 2, size - 1} - {0, size}:
        note = f"{Overflow(size - kept, size, 'rows')}\n"
        left = _read(format_, header, body.head + "".join(body.rows[:kept]) + note)
        if where := difference(left, value[:kept]):
            yield f"with {kept} of {size} rows and {note!r} it reads back differently: {where}"


def _read(format_: Format, header: Header, text: str) -> Any:
    assert format_.read is not None
    return format_.read(Lines(text), header)
