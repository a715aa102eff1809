"""What a header declares: the shape of the records below it, nested as deep as they are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Cell(Enum):
    """How the cells of a column are delimited."""

    WORD = ""
    """By a blank; text with blanks in it is JSON."""
    TAB = "\t"
    """By a tab, so that free text stands as it is."""
    LAST = ">"
    """By the end of the line, where the cell is moved to."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A column that has the same value in every record: it is in the header only.

    The size is how many characters it has in a header that was read.
    """

    value: Any
    size: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Objects whose members are columns, in the order in which their cells are written."""

    size: ClassVar[int] = 64
    """What `Lines.spend` counts for it in each row, for it may have no cell there."""

    columns: Mapping[str, Shape]
    optional: bool = False
    """Whether something else than such an object, or nothing, may stand in its place."""
    more: bool = False
    """Whether members without a column may follow, as names and values."""

    def flat(self) -> Iterator[Shape]:
        """Yield the columns that are no groups, those in groups in the place of these."""
        for shape in self.columns.values():
            if isinstance(shape, Group):
                yield from shape.flat()
            else:
                yield shape

    @property
    def ends(self) -> int:
        """How many columns, in groups as well, end the row."""
        return sum(shape is Cell.LAST for shape in self.flat())


@dataclass(frozen=True, slots=True)
class Plain:
    """Arrays whose items are the cells of a row."""


Record: TypeAlias = Group | Plain
"""What one row of a table may be."""


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """A cell that is a table in its turn; no two are equal, for rows are counted for each.

    The count is how many rows all tables of the column have together, once that is known.
    """

    record: Record
    count: int = 0


@dataclass(frozen=True, slots=True)
class Derived:
    """A column of strings that follow from other columns: it is in the header only.

    The template has ``{name}`` where the value of the column of that name stands.
    """

    template: str


ROW_NAME: Final = Derived("")
"""A column that repeats the names of the rows: it stands in the header only, behind ``@``."""

Shape: TypeAlias = Cell | Constant | Group | Items | Derived
"""What one column of a table may be."""
