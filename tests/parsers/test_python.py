"""Python data is taken as it is, or refused with its path."""

import datetime
import enum
import sqlite3
import uuid
from collections import ChainMap, OrderedDict, UserDict
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.errors import DataError
from mckp.jsontext import MAX_DEPTH, difference
from mckp.parsers.python import from_python
from tests.strategies import VALUES, examples


class Color(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 1


class Word(str):
    __slots__ = ()


class Pair(NamedTuple):
    left: int
    right: int


@attrs.define
class Berth:
    number: int
    quay: str


class Struct:
    """What mckp sees of a struct of msgspec."""

    __struct_fields__ = ("port",)
    port = "Elba"


class SelectedRow:
    """What mckp sees of a row of SQLAlchemy."""

    _mapping = MappingProxyType({"id": 3})


class Expired:
    """What mckp sees of a row of SQLModel after a commit."""

    model_fields: ClassVar = {"id": None}
    _sa_instance_state = None

    def model_dump(self, mode: str) -> dict[str, Any]:
        return {}


@dataclass
class Job:
    name: str
    tags: tuple[str, ...]
    color: Color


TAKEN: list[tuple[Any, Any]] = [
    ((1, 2), [1, 2]),
    (Pair(1, 2), {"left": 1, "right": 2}),
    (MappingProxyType({"a": (1,)}), {"a": [1]}),
    (UserDict(a=1), {"a": 1}),
    (ChainMap({"a": 1}, {"b": 2}), {"b": 2, "a": 1}),
    ([Berth(4, "north")], [{"number": 4, "quay": "north"}]),
    ([Struct()], [{"port": "Elba"}]),
    ([SelectedRow()], [{"id": 3}]),
    (numpy.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")]), [{"a": 1, "b": 2.5}]),
    (OrderedDict(a=1), {"a": 1}),
    (Job("build", ("a",), Color.RED), {"name": "build", "tags": ["a"], "color": "red"}),
    (datetime.date(2026, 3, 1), "2026-03-01"),
    (datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC), "2026-03-01T12:00:00+00:00"),
    (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
    (10**40, 10**40),
    ([2**63, 2**64, -(2**63) - 1], [2**63, 2**64, -(2**63) - 1]),
    ([True, 1, 1.0, -0.0, Level.HIGH], [True, 1, 1.0, -0.0, 1]),
    ({Word("a"): Word("b")}, {"a": "b"}),
    ([{"a": (1, [Pair(2, 3)])}], [{"a": [1, [{"left": 2, "right": 3}]]}]),
    ("{not parsed}", "{not parsed}"),
]


@pytest.mark.parametrize(("data", "plain"), TAKEN)
def test_taken(data: Any, plain: Any) -> None:
    """These Python values are taken as JSON data."""
    assert difference(from_python(data).value, plain) is None


@given(value=VALUES, odd=st.sampled_from([(1, 2), Word("x"), Level.HIGH, 10**30]))
@examples(200)
def test_one_odd_value_changes_nothing_else(value: Any, odd: Any) -> None:
    """Plain data is taken at once, and what is not plain one by one, with the same result."""
    taken = from_python([value, value]).value
    assert difference(taken, [value, value]) is None
    assert difference(from_python([value, odd]).value[0], taken[0]) is None


def circular() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


def deep(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


REFUSED: list[tuple[Any, str]] = [
    ({"a": [1, {2}]}, r"set is not JSON data.* at \$\.a\[1\]"),
    ({"a": float("nan")}, r"nan is not JSON.* at \$\.a"),
    ({"a": {1: "x"}}, r"the key 1 is not a string at \$\.a"),
    ({"a": "\ud800"}, r"lone surrogate at \$\.a"),
    ({"\udc00": 1}, r"lone surrogate at \$"),
    ({"a": [1, (float("inf"),)]}, r"inf is not JSON.* at \$\.a\[1\]\[0\]"),
    (["x", b"bytes"], r"bytes is not JSON data.* at \$\[1\]"),
    (object, r"type is not JSON data"),
    ([Expired()], r"the row has expired at \$\[0\]; refresh it first"),
    (circular(), "nested deeper than 200"),
    (deep(MAX_DEPTH + 1), "nested deeper than 200"),
    ([[]] * 300 + [deep(MAX_DEPTH)], "nested deeper than 200"),
]


@pytest.mark.parametrize(("data", "message"), REFUSED)
def test_refused_with_a_path(data: Any, message: str) -> None:
    """A value that JSON cannot hold is an error with its path."""
    with pytest.raises(DataError, match=message):
        from_python(data)


def test_deep_but_not_too_deep() -> None:
    """Python data are read down to the greatest depth."""
    assert from_python(deep(MAX_DEPTH)).value is not None


def test_later_changes_do_not_matter() -> None:
    """Later changes of the data do not change the tree."""
    data = {"a": [1]}
    tree = from_python(data)
    data["a"].append(2)
    assert tree.value == {"a": [1]}


def test_pydantic_models() -> None:
    """A pydantic model is an object of its fields."""
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Model", id=(int, ...), when=(datetime.date, ...))
    tree = from_python([model(id=1, when=datetime.date(2026, 3, 1))])
    assert tree.value == [{"id": 1, "when": "2026-03-01"}]


def test_data_frames() -> None:
    """Frames become arrays of records; missing values are null."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"id": [1, 2], "name": ["a", None]})
    assert from_python(frame).value == [{"id": 1, "name": "a"}, {"id": 2, "name": None}]


def test_numpy_values() -> None:
    """NumPy arrays and scalars are arrays and scalars."""
    numpy = pytest.importorskip("numpy")
    data = {"a": numpy.arange(2), "b": numpy.float64(0.5), "c": numpy.bool_(True)}
    assert difference(from_python(data).value, {"a": [0, 1], "b": 0.5, "c": True}) is None


def test_rows_of_sqlite_are_objects() -> None:
    """A row that is read by name is an object."""
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    rows = connection.execute("select 1 as id, 'ann' as name").fetchall()
    connection.close()
    assert from_python(rows).value == [{"id": 1, "name": "ann"}]
