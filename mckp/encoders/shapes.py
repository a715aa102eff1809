"""What a header declares: the shape of the records below it, with all nesting."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from mckp.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Cell(Enum):
    """How the cells of a column are delimited."""

    WORD = ""
    """By a blank; text with blanks in it is JSON."""
    TAB = "\t"
    """By a tab, so that free text is written as it is."""
    LAST = ">"
    """By the end of the line; the cell is moved there."""


@frozen
class Constant:
    """A column whose value is the same in every record, and is written in the header only.

    `size` is its number of characters in a header that was read.
    """

    value: Any
    size: int = 0


@frozen
class Group:
    """Objects whose members are columns, in the order in which their cells are written."""

    size: ClassVar[int] = 64
    """The characters that `Lines.spend` counts for it per row, as it may have no cell there."""

    columns: Mapping[str, Shape]
    optional: bool = False
    """Whether another value, or none, may be in place of the object."""
    more: bool = False
    """Whether members without a column may follow, as names and values."""

    def flat_columns(self) -> Iterator[Shape]:
        """Yield the columns, with each group replaced by its own columns."""
        for shape in self.columns.values():
            if isinstance(shape, Group):
                yield from shape.flat_columns()
            else:
                yield shape

    @property
    def end_count(self) -> int:
        """The number of columns, including those in groups, that end the row."""
        return sum(shape is Cell.LAST for shape in self.flat_columns())


@frozen
class PlainArrays:
    """Arrays whose items are the cells of a row."""


Record: TypeAlias = Group | PlainArrays
"""What one row of a table may be."""


@frozen(eq=False)
class Items:
    """A column of tables. Instances compare by identity, because rows are counted for each.

    The count is the total number of rows of these tables, once it is known.
    """

    record: Record
    count: int = 0


@frozen
class Derived:
    """A column that a rule below the header gives, so that rows have no cell for it."""

    rule: str = ""


ROW_NAME: Final = Derived()
"""A column that repeats the row names; it is only in the header, after ``@``."""

Shape: TypeAlias = Cell | Constant | Group | Items | Derived
"""What one column of a table may be."""
