"""Records in columns: a projection is written as its plain value is, and rows are read alike."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.encoders import CSV, DERIVED, ROWS, TABLE, read, write_all
from mckp.encoders.base import Format
from mckp.encoders.hints import Overflow
from mckp.encoders.records import Records, as_records
from mckp.encoders.rows import RowReader
from mckp.errors import ParseError
from mckp.jsontext import difference, is_array
from tests.strategies import TABLES, VALUES, examples

FORMATS = (ROWS, DERIVED, CSV, TABLE)
USERS: list[Any] = [
    {"id": 1, "user": {"name": "Ann", "url": "u/1"}, "tags": [{"n": "a", "x": 1}, {"n": "b"}]},
    {"id": 2, "user": {"url": "u/2"}, "tags": []},
    {"id": 3, "user": None, "tags": [{"x": 2}, "odd"]},
    {"user": {}},
]


def _keeping(records: Records, keys: list[str]) -> Records:
    return records.with_columns({key: records.columns[key] for key in keys})


def narrower(records: Records, data: st.DataObject) -> Records:
    return _keeping(records, [key for key in records.columns if data.draw(st.booleans())])


def refuse(*_: object) -> bool:
    return False


@given(value=TABLES | VALUES, data=st.data())
@examples(200)
def test_a_projection_is_written_as_its_plain_value(value: Any, data: st.DataObject) -> None:
    """What columns remember of other tables changes no text."""
    records = as_records(value)
    if records is None:
        return
    for _ in range(3):
        left = narrower(records, data)
        for known in FORMATS:
            assert list(known.bodies(left)) == list(known.bodies(left.values()))


@given(value=TABLES)
@examples(100)
def test_records_give_back_what_they_came_from(value: Any) -> None:
    """Records give back the value that they were made from, whole or every second row."""
    records = as_records(value)
    if records is not None:
        every = Records.of(records.source, records.names).with_columns(records.columns)
        assert difference(records.values(), value) is None
        assert difference(every.values(), value) is None
        some = records.values(range(0, records.size, 2))
        wanted = value[::2] if is_array(value) else dict(list(value.items())[::2])
        assert difference(some, wanted) is None


def test_members_are_dropped() -> None:
    """Columns that are not kept are missing in each record."""
    records = Records.of(USERS)
    assert _keeping(records, ["id"]).values([0, 3]) == [{"id": 1}, {}]
    assert records.columns["user"].raw == [user["user"] for user in USERS]


def test_records_by_name_keep_their_names() -> None:
    """Records of a map keep their keys when columns or rows are chosen."""
    records = as_records({"a": {"x": 1, "y": 2}, "b": {"x": 3, "y": 4}})
    assert records is not None
    assert _keeping(records, ["y"]).values() == {"a": {"y": 2}, "b": {"y": 4}}
    assert records.values([1]) == {"b": {"x": 3, "y": 4}}


def outcome(text: str) -> Any:
    try:
        return read(text)
    except ParseError as error:
        return str(error)


def texts_of(value: Any) -> list[tuple[Format, str]]:
    return [(known, text) for known in FORMATS for text in write_all(value, known)]


@given(
    value=TABLES, place=st.integers(0), sign=st.sampled_from(["", " ", "-", "\t", ";", "]", "1"])
)
@examples(200)
def test_rows_are_split_as_they_are_read(value: Any, place: int, sign: str) -> None:
    """Splitting a line at its blanks gives what reading it cell by cell gives, errors included."""
    for known, text in texts_of(value):
        if known in (CSV, TABLE):
            continue
        start = len(text) and place % len(text)
        for variant in (text, text[:start] + sign + text[start + 1 :]):
            split = outcome(variant)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(RowReader, "add_columns", refuse)
                careful = outcome(variant)
            assert repr(split) == repr(careful)


@pytest.mark.parametrize("kept", [0, 3, 700])
def test_a_hint_ends_the_rows_that_are_read_ahead(kept: int) -> None:
    """The line that says how many rows were cut is no row, whatever the columns."""
    rows = [{"a": number, "b": f"x{number}", "c": f"two words {number}"} for number in range(900)]
    for columns in (["a"], ["b", "c"], ["a", "b", "c"], ["c"]):
        values = [{key: row[key] for key in columns} for row in rows]
        for known in FORMATS:
            for body in known.bodies(values):
                word = "" if known in (ROWS, DERIVED) else f" {known.name}"
                hint = Overflow(900 - kept, 900, "rows")
                text = f"{body.shape}{word}\n{body.head}{''.join(body.rows[:kept])}{hint}\n"
                assert read(text) == values[:kept]


def test_long_strings_among_the_lines_that_are_read_ahead() -> None:
    """Strings of several lines read back in all formats among a thousand rows."""
    values = [{"id": n, "t": "1 2\n3 4\n5 6\n7 8" if n % 3 else "x"} for n in range(1200)]
    for known, text in texts_of(values):
        assert read(text) == values, known.name
