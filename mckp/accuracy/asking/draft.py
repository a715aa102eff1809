"""What all kinds of questions are worded with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mckp.accuracy.query import Condition
from mckp.jsontext import dump

if TYPE_CHECKING:
    from random import Random

    from mckp.accuracy.query import Query, Record
    from mckp.accuracy.tables import Column, Table


@dataclass(frozen=True, slots=True)
class Draft:
    """A question whose answer nobody has looked up yet; `unknown` if there is to be none."""

    prompt: str
    query: Query
    unknown: bool = False


def one(table: Table, key: Column, record: Record) -> tuple[str, Condition]:
    """Return how one record is called, and the test that only it passes."""
    value = record.get(key.field)
    words, test = those(key, value)
    return f"the record of {table.name} {words}", test


def those(column: Column, value: Any, by: str = "is") -> tuple[str, Condition]:
    """Return which records are meant, in words and as a test."""
    beyond = "" if by == "is" else f"{by} "
    return f"whose {column.name} is {beyond}{dump(value)}", Condition(column.field, by, value)


def drawn(column: Column, random: Random) -> Any:
    """Return a value that stands in a column."""
    return random.choice(column.present)
