"""The tables in data, and what their fields hold: what questions are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.query import Field, Record, is_number, records
from mckp.encoders.scalars import ABSENT
from mckp.jsontext import canonical, is_array, is_container, is_object, path_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.paths import Path

MIN_RECORDS: Final = 4
"""Records of a table."""
SHORT_CHARS: Final = 39
"""Characters of a string that can be asked for by heart; no shorter form stands for these."""
_MAX_DEPTH: Final = 3
_MAX_KINDS: Final = 12


@dataclass(frozen=True, slots=True)
class Column:
    """A field of records, and its value in each of them, `mckp.ABSENT` where there is none."""

    field: Field
    values: list[Any]

    @property
    def name(self) -> str:
        """What the field is called in questions."""
        return f"`{spelled(self.field)}`" if self.field else "name"

    @property
    def present(self) -> list[Any]:
        """The values that are there and not null."""
        return [value for value in self.values if value is not ABSENT and value is not None]

    @property
    def is_short(self) -> bool:
        """Whether all that is there can be asked for."""
        return bool(self.present) and all(map(_is_short, self.present))

    @property
    def is_key(self) -> bool:
        """Whether each record has a value of its own here."""
        return (
            len(self.present) == len(self.values)
            and self.is_short
            and not any(isinstance(value, bool | float) for value in self.present)
            and len(set(map(canonical, self.present))) == len(self.present)
        )

    @property
    def is_numeric(self) -> bool:
        """Whether numbers stand here, and nothing else."""
        return bool(self.present) and all(map(is_number, self.present))

    @property
    def is_class(self) -> bool:
        """Whether a few values stand here again and again."""
        kinds = len(set(map(canonical, self.present)))
        return self.is_short and 1 < kinds <= _MAX_KINDS and 2 * kinds <= len(self.present)

    @property
    def is_list(self) -> bool:
        """Whether arrays stand here, and nothing else."""
        return bool(self.present) and all(map(is_array, self.present))

    @property
    def is_long(self) -> bool:
        """Whether strings stand here that a budget may shorten."""
        return all(isinstance(value, str) for value in self.present) and any(
            len(value) > SHORT_CHARS for value in self.present
        )


@dataclass(frozen=True, slots=True)
class Table:
    """Records of one kind.

    Attributes
    ----------
    at : tuple
        Where they stand.
    records : list of Record
        The records.
    columns : list of Column
        Their fields, those of members that are objects included.
    """

    at: Path
    records: list[Record]
    columns: list[Column]

    @property
    def name(self) -> str:
        """What the table is called in questions."""
        return f"`{spelled(self.at)}`" if self.at else "the document"

    @property
    def is_map(self) -> bool:
        """Whether records have names, and so no order that formats keep."""
        return bool(self.records) and isinstance(self.records[0].name, str)

    @property
    def key(self) -> Column | None:
        """The first column that tells records apart."""
        return next((column for column in self.columns if column.is_key), None)


def tables(data: Any) -> list[Table]:
    """Return the tables of data, none of which stands within an array.

    Examples
    --------
    >>> found = tables({"jobs": [{"id": n, "by": {"name": "Ann"}} for n in range(4)]})
    >>> [(table.name, [column.name for column in table.columns]) for table in found]
    [('`jobs`', ['`id`', '`by.name`'])]
    """
    return [Table(at, rows, _columns(at, rows)) for at, rows in _found(data, ())]


def spelled(path: Path) -> str:
    """Return a path as questions have it: ``jobs[0].name``."""
    return path_text(path).removeprefix("$").removeprefix(".")


def scalars(data: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield place and value of what stands in objects only, and can be asked for."""
    if is_object(data) and not _is_map(data):
        for key, below in data.items():
            yield from scalars(below, (*path, key))
    elif not is_container(data) and data is not None and _is_short(data) and path:
        yield path, data


def _found(data: Any, path: Path) -> Iterator[tuple[Path, list[Record]]]:
    if (is_array(data) and len(data) >= MIN_RECORDS and all(map(is_object, data))) or _is_map(data):
        yield path, list(records(data))
    elif is_object(data):
        for key, below in data.items():
            yield from _found(below, (*path, key))


def _is_map(data: Any) -> bool:
    """Whether an object holds records under names of their own."""
    if not is_object(data) or len(data) < MIN_RECORDS or not all(map(is_object, data.values())):
        return False
    first, *others = (set(value) for value in data.values())
    return bool(first) and all(2 * len(first & other) > len(first | other) for other in others)


def _columns(at: Path, rows: list[Record]) -> list[Column]:
    fields: dict[Field, None] = {}
    if rows and isinstance(rows[0].name, str):
        fields[()] = None
    for row in rows:
        fields.update(dict.fromkeys(_fields(row.value, ())))
    return [Column(field, [row.get(field) for row in rows]) for field in fields]


def _fields(value: Any, field: Field) -> Iterator[Field]:
    if is_object(value) and value and len(field) < _MAX_DEPTH:
        for key, below in value.items():
            yield from _fields(below, (*field, key))
    else:
        yield field


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= SHORT_CHARS and value.isprintable() and value == value.strip()
    return not is_container(value)
