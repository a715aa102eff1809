"""How what declares the columns of a table is read back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mckp.encoders.derive import MOST_HOLES, holes_of
from mckp.encoders.shapes import Below, Cell, Constant, Derived, Group, Items, Plain, Tagged

if TYPE_CHECKING:
    from mckp.encoders.native_reader import Line
    from mckp.encoders.shapes import Record, Shape

TAG = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""What the shapes of a table may be called."""

_DIGITS = re.compile(r"[0-9]{1,18}")


def read_header(line: Line, *, named: bool = False) -> Record:
    """Read a header, at which a line stands.

    Parameters
    ----------
    line : Line
        The line; it steps past the header.
    named : bool
        Whether rows have names, for which ``@`` stands among the columns.

    Raises
    ------
    ParseError
        If there is none, or a damaged one.
    """
    if line.skip("[]"):
        return Plain()
    return _tagged(line) if line.skip("<") else _group(line, named=named)


def _tagged(line: Line) -> Tagged:
    groups: dict[str, Any] = {}
    while not line.skip(">"):
        tag = line.match(TAG, "the tag of a shape")
        line.add(groups, tag, _group(line))
        line.skip(" ")
    return Tagged(groups)


def _group(line: Line, *, named: bool = False, optional: bool = False) -> Group:
    line.need("{")
    line.deeper()
    columns: dict[str, Shape] = {}
    more = led = False
    while not line.skip("}"):
        if line.skip("*"):
            more = True
        elif named and line.skip("@"):
            named, led = False, len(columns) == 1
        else:
            line.add(columns, line.name(), _shape(line))
        line.skip(" ")
    if named:
        line.fail("'@' was expected among the columns")
    _check_templates(line, columns)
    line.depth -= 1
    return Group(columns, optional, more, led)


def _check_templates(line: Line, columns: dict[str, Shape]) -> None:
    """Refuse templates of templates, which could spell without end."""
    derived = {key for key, shape in columns.items() if isinstance(shape, Derived)}
    for key in derived:
        shape = columns[key]
        holes = holes_of(shape.template) if isinstance(shape, Derived) else []
        if len(holes) > MOST_HOLES or not derived.isdisjoint(holes):
            line.fail(f"what stands for {key!r} is no template of the other columns")


def _shape(line: Line) -> Shape:
    """Read what follows the name of a column."""
    if line.skip("="):
        return Constant(line.value())
    if line.skip("~"):
        return _derived(line)
    if line.skip("["):
        return _table(line)
    if line.skip("?"):
        return _group(line, optional=True)
    if line.sees("{"):
        return _group(line)
    if line.skip(Cell.TAB.value):
        return Cell.TAB
    return Cell.LAST if line.skip(Cell.LAST.value) else Cell.WORD


def _derived(line: Line) -> Derived:
    template = line.value()
    return Derived(template) if isinstance(template, str) else line.fail("a text was expected")


def _table(line: Line) -> Items | Below:
    count = int(line.match(_DIGITS, "a number of rows"))
    line.need("]")
    if not line.skip(">"):
        return Items(read_header(line), count)
    optional = line.skip("?")
    return Below(None if line.skip("{}") else _group(line), optional, count)
