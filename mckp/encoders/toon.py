"""``toon``: Token-Oriented Object Notation, written and read by its own library.

For readers who already have a TOON parser: below a header with the number of lines comes a
TOON document and nothing else. A value is written only if that library gives it back
exactly, so TOON's ``1`` for ``1.0`` loses nothing here. No level offers the format; it is
asked for by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.base import Body, DataLoss, Format, shape_of
from mckp.errors import ParseError, import_extra
from mckp.jsontext import canonical, is_container

if TYPE_CHECKING:
    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines


def body(value: object) -> Body | None:
    """Write a non-empty object or array; return None if it would not read back unchanged."""
    if not is_container(value) or not value:
        return None
    toon = import_extra("toon_format", "toon-format", "toon")
    try:
        text: str = toon.dumps(value)
        exact = canonical(toon.loads(text)) == canonical(value)
    except ValueError:
        # A value that the library refuses to write or read counts as one that does not read back.
        return None
    return Body(shape_of(text), text + "\n") if exact else None


def read(lines: Lines, header: Header) -> Any:
    """Read the value in as many lines as the header says; raise a `ParseError` if it is broken."""
    if header.bracket != "(":
        lines.fail("a number of lines such as '(12) toon' was expected")
    start = lines.index
    text = "\n".join(lines.take() for _ in range(header.size))
    toon = import_extra("toon_format", "toon-format", "toon")
    try:
        return toon.loads(text)
    except toon.ToonDecodeError as error:
        raise ParseError(error.msg, line=start + (error.line or 1), column=1) from None


TOON = Format("toon", DataLoss.NONE, body, read)
