"""How the columns that a table declares are read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.derive import MOST_HOLES, holes_of
from mckp.encoders.shapes import Below, Cell, Constant, Derived, Group, Items, Plain, Tagged
from mckp.regexes import regex

if TYPE_CHECKING:
    from mckp.encoders.native_reader import Line
    from mckp.encoders.shapes import Record, Shape

TAG = regex(r"[A-Za-z_][A-Za-z0-9_]*")
"""What the shapes of a table may be called."""

_DIGITS = regex(r"[0-9]{1,18}")


def read_columns(line: Line, *, named: bool = False) -> Record:
    """Read what declares columns, at which a line stands.

    Parameters
    ----------
    line : Line
        The line; it steps past them.
    named : bool
        Whether rows have names, for which ``@`` stands among the columns.

    Raises
    ------
    ParseError
        If there is none, or a damaged one.
    """
    if not named and line.skip("[]"):
        return Plain()
    return _tagged(line) if not named and line.skip("<") else _group(line, named=named)


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
            line.need("}")
            break
        if named and len(columns) <= 1 and line.skip("@"):
            named, led = False, len(columns) == 1
        else:
            line.add(columns, line.name(), _shape(line))
        line.skip(" ")
    if named:
        line.fail("'@' was expected as the first or second column")
    group = Group(columns, optional, more, led)
    _check(line, group)
    line.depth -= 1
    return group


def _check(line: Line, group: Group) -> None:
    """Refuse columns that no writer declares."""
    *shapes, _ = group.columns.values() or [None]
    if any(isinstance(shape, Below) for shape in shapes):
        line.fail("a table on the lines below is the last column")
    if group.ends > 1:
        line.fail("only one column ends the row")
    derived = {key: shape for key, shape in group.columns.items() if isinstance(shape, Derived)}
    for key, shape in derived.items():
        holes = holes_of(shape.template)
        # Templates of templates could spell without end.
        if len(holes) > MOST_HOLES or not derived.keys().isdisjoint(holes):
            line.fail(f"what stands for {key!r} is no template of the other columns")


def _shape(line: Line) -> Shape:
    """Read what follows the name of a column."""
    if line.skip("="):
        start = line.place
        value = line.value()
        return Constant(value, line.place - start)
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
        return Items(read_columns(line), count)
    optional = line.skip("?")
    return Below(None if line.skip("{}") else _group(line), optional, count)
