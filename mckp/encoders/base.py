"""The definition of a format, and the levels of data loss."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from mckp.errors import UnknownNameError
from mckp.frozen import frozen
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines


TABLES_DEEP: Final = 12
"""How deep tables within a line may be nested."""

MOST_CELLS: Final = 60
"""Most values of a row that have only their place, and no name.

A large model looked up 90 cells in random tables of 15 to 60 columns and read all of them right; in
columns of numbers it had to count from 30 columns on. Smaller models were not tried. CSV and tables
of Markdown, which all models have seen, have no limit.
"""

FEW_VALUES: Final = 12
"""Most values of any container that may be on one line together."""

LINE_CHARACTERS: Final = 1200
"""Characters of a line that a reader takes in, not counting a single long text."""


class DataLoss(IntEnum):
    """The worst that a format may do to the data, in ascending order."""

    NONE = 0
    TYPES = 1
    """All text is there, but ``1`` and ``"1"`` look the same."""
    NESTED = 2
    """Values inside values are gone."""
    TOP_LEVEL = 3
    """Everything around the main table or list is gone."""
    TRUNCATED = 4
    """Parts of the text are gone."""

    @classmethod
    def of(cls, loss: DataLoss | str) -> DataLoss:
        """Return the loss with a name, in upper or lower case; a loss is returned as it is.

        Anything else raises an `UnknownNameError`.

        Examples
        --------
        >>> DataLoss.of("none")
        <DataLoss.NONE: 0>
        """
        member = loss if isinstance(loss, cls) else cls.__members__.get(str(loss).upper())
        if member is None:
            raise UnknownNameError("loss", str(loss), [other.name.lower() for other in cls])
        return member


LossName: TypeAlias = Literal["none", "types", "nested", "top_level", "truncated"]
"""The name of a loss."""


def shape_of(value: Any) -> str:
    """Return the size of an object, array or string as headers show it.

    Examples
    --------
    >>> shape_of({"id": 7}), shape_of([1, 2]), shape_of("one line")
    ('{1}', '[2]', '(1)')
    """
    if isinstance(value, str):
        return f"({value.count(chr(10)) + 1})"
    return f"{{{len(value)}}}" if is_object(value) else f"[{len(value)}]"


@frozen
class Body:
    """A value written in a format, in pieces that are priced and dropped separately.

    Attributes
    ----------
    shape : str
        The count that the block's header shows: ``[20]`` items, ``{5}`` members,
        ``(12)`` lines, or nothing; in the native formats the columns as well.
    head : str
        The whole lines before the rows that always stay, such as a table's header.
    rows : tuple of str
        Whole lines, one entry per item or member; empty if the format cannot be cut.
    """

    shape: str
    head: str
    rows: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The complete body."""
        return self.head + "".join(self.rows)


@frozen(eq=False)
class Format:
    """One way to write a value as a block of whole lines.

    Attributes
    ----------
    name : str
        The name in a block's header and in `Result.choices`.
    loss : DataLoss
        The most that the format can lose.
    body : callable
        ``(value) -> Body | None``; None when the format does not fit the value.
    read : callable or None
        ``(lines, header) -> value``: the inverse, from the lines below a block's header;
        None for a format that never has a block with its own header.
    others : tuple of callable
        Functions like `body` for further layouts; the cheapest body is taken.
    """

    name: str
    loss: DataLoss
    body: Callable[[Any], Body | None]
    read: Callable[[Lines, Header], Any] | None = None
    others: tuple[Callable[[Any], Body | None], ...] = ()

    def bodies(self, value: object) -> Iterator[Body]:
        """Yield the value in every layout of the format that can write it."""
        for write in (self.body, *self.others):
            if (body := write(value)) is not None:
                yield body
