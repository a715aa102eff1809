"""All formats. If two are equally good, `encode` uses the one that comes first in this list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from mckp.encoders import kv
from mckp.encoders.base import DataLoss
from mckp.encoders.csv import CSV as CSV
from mckp.encoders.fence import FENCE as FENCE
from mckp.encoders.follow_search import RULES as RULES
from mckp.encoders.headers import read_header, write_header
from mckp.encoders.hints import skip_notes
from mckp.encoders.kv import KV as KV
from mckp.encoders.kv import MCKP_V2 as MCKP_V2
from mckp.encoders.lines import Lines
from mckp.encoders.naive import CSV_NAIVE, TABLE_NAIVE
from mckp.encoders.native import FLOW as FLOW
from mckp.encoders.native import JSON as JSON
from mckp.encoders.native import PHRASES as PHRASES
from mckp.encoders.native_reader import LineCursor
from mckp.encoders.prose import PROSE as PROSE
from mckp.encoders.rows import DERIVED as DERIVED
from mckp.encoders.rows import ROWS as ROWS
from mckp.encoders.table import TABLE as TABLE
from mckp.encoders.toon import TOON as TOON
from mckp.errors import ParseError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.encoders.base import Format

STANDARD: Final = (JSON, KV, CSV, TABLE, PROSE, FENCE, MCKP_V2)
"""Formats that every model has seen and standard parsers read."""

NATIVE: Final = (*STANDARD, ROWS, FLOW, RULES)
"""The standard formats and those in which a header, or rules above the data, say how to read it."""

DENSE: Final = (*NATIVE, DERIVED, PHRASES)
"""The native formats, and those in which a reader has to look things up or fill them in."""

BASELINES: Final = (CSV_NAIVE, TABLE_NAIVE)
"""Formats that lose data: for comparison only."""

LEVELS: Final = {"standard": STANDARD, "native": NATIVE, "dense": DENSE}
"""Formats by level; each level has those of the one before."""


ALL: Final = (*DENSE, TOON)
"""Every format that can be asked for, in the order of ties."""


FormatName: TypeAlias = Literal[
    "standard", "native", "dense",
    "json", "kv", "csv", "table", "prose", "fence", "mckp_v2", "rows", "flow", "rules", "derived",
    "phrases", "toon",
]  # fmt: skip
"""A level, or a format that can be asked for."""

FormatsLike: TypeAlias = FormatName | list[str] | tuple[str, ...] | set[str] | frozenset[str]
"""One name or several. A type checker rejects a misspelled single name. Names known only at run
time, and names with a minus, go in a list or tuple."""


def select(formats: str | Iterable[str]) -> tuple[Format, ...]:
    """Return the formats with the given names or levels, in the order that breaks ties.

    A name after a minus sign excludes that format or level. Raises `UnknownNameError` for an
    unknown name, `TypeError` for anything that is not a name, and `ValueError` if no format is
    left.

    Examples
    --------
    >>> [format_.name for format_ in select(["table", "json"])]
    ['json', 'table']
    >>> set(select("native")) - set(select(["native", "-rows"])) == {ROWS}
    True
    """
    names = [formats] if isinstance(formats, str) else _checked_names(formats)
    all_formats = (*ALL, *kv.REGISTERED.values())
    known = {format_.name: (format_,) for format_ in all_formats} | LEVELS
    if unknown := [name for name in names if name.removeprefix("-") not in known]:
        raise UnknownNameError(
            "format", unknown[0], [*LEVELS, *(format_.name for format_ in all_formats)]
        )
    wanted = {format_.name for name in names if name in known for format_ in known[name]}
    wanted -= {format_.name for name in names if name not in known for format_ in known[name[1:]]}
    if not wanted:
        raise ValueError(f"formats={', '.join(names)!r} leaves no format; name at least one")
    return tuple(format_ for format_ in all_formats if format_.name in wanted)


def name_of_formats(formats: tuple[Format, ...]) -> str:
    """Return the name of the level that has just these formats, or else their names, joined."""
    listed = ",".join(format_.name for format_ in formats)
    return next((level for level, of_level in LEVELS.items() if of_level == formats), listed)


def register(format_: Format) -> None:
    """Register a format of your own, so that `encode` may choose it and `decode` can read it.

    It is used only if it is requested by name: ``formats=["native", "hex"]``. Ties go to the
    formats of mckp, then to the format registered first. Its texts can be read only in processes
    that have registered it. Test it first with `mckp.encoders.contract.check`: `encode` raises an
    error if a text does not read back.

    Parameters
    ----------
    format_ : Format
        Its name has only the letters a to z, its loss is ``NONE``, and its `read` gives back
        every value that it writes. Registering a name again replaces the format.

    Raises
    ------
    ValueError
        If the name has other characters or is taken by a format or level of mckp, if the format
        has no `read`, or if its loss is not ``NONE``.

    Examples
    --------
    >>> from mckp.encoders.base import Body, DataLoss, Format
    >>> def body(value):
    ...     return Body("[0]", "") if value == [] else None
    >>> register(Format("Empty", DataLoss.NONE, body, lambda lines, header: []))
    Traceback (most recent call last):
    ...
    ValueError: the name of a format must be lower-case letters a to z, not 'Empty'
    """
    name = format_.name
    if not (name.isascii() and name.isalpha() and name.islower()):
        raise ValueError(f"the name of a format must be lower-case letters a to z, not {name!r}")
    if name in LEVELS or any(known_format.name == name for known_format in (*ALL, *BASELINES)):
        raise ValueError(f"{name!r} is the name of a format or level of mckp; choose another name")
    if format_.read is None:
        raise ValueError(f"the format {name} has no read function; see Format.read")
    if format_.loss is not DataLoss.NONE:
        raise ValueError(
            f"the format {name} loses {format_.loss.name}; only formats that lose nothing can be "
            f"registered, because decode must give back what a text keeps. To compare others, use "
            "mckp.encoders.write"
        )
    kv.REGISTERED[name] = format_


def _checked_names(formats: object) -> list[str]:
    """Return names of formats as a list; raise a `TypeError` if one of them is not a string."""
    names = list(cast("Iterable[object]", formats)) if isinstance(formats, Iterable) else [formats]
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise TypeError(f"formats must be names of formats or levels, not {wrong[0]!r:.40}")
    return cast("list[str]", names)


def write(value: object, format_: Format) -> str | None:
    """Return a whole document in the first layout of a format that fits, or None if none does.

    Examples
    --------
    >>> print(write([{"id": 1, "ok": True}, {"id": 2}], CSV))
    [2] csv
    id,ok
    1,true
    2,
    <BLANKLINE>
    """
    return next(write_all(value, format_), None)


def write_all(value: object, format_: Format) -> Iterator[str]:
    """Yield a whole document in each layout of a format that can write it."""
    word = "kv" if format_ is MCKP_V2 else format_.name
    for body in format_.bodies(value):
        head = write_header(0, "", body.shape, word) if body.shape else ""
        yield head + body.text


def read(text: str) -> Any:
    r"""Return the plain value of a document that was written in blocks or in flow notation.

    Raises a `ParseError` with the line and the column if the text breaks the grammar.

    Examples
    --------
    >>> read("{2}\nid: 7\n# jobs[2] csv\nname,ok\nbuild,true\ntest,\n")
    {'id': 7, 'jobs': [{'name': 'build', 'ok': True}, {'name': 'test'}]}
    """
    lines = Lines(text)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        why = "a lone surrogate is not a character"
        raise ParseError.at(why, text, error.start) from None
    try:
        if len(lines.items) > 1 and (root := read_header(lines.peek(), 0)):
            lines.take()
            if root.bracket != "(":  # in a text, any line may look like a note
                skip_notes(lines)
            value = kv.read_block(lines, root)
        else:
            value = LineCursor(lines.take(), lines).read_whole()
            skip_notes(lines)
        if lines.peek() is not None:
            lines.take()
            lines.fail("nothing more was expected here")
    except ParseError as error:
        line = error.line or lines.index
        raise ParseError(error.message, line=line, column=error.column or 1) from None
    except RecursionError:  # nested tables take more frames per level than nested values
        raise ParseError("nested too deeply", line=max(1, lines.index), column=1) from None
    return value
