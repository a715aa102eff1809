"""A table of the types of columns of each library: what is written, and that it is read back."""

import datetime as dt
import importlib
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy
import pytest

import mckp
from mckp.answers import frames

arrow: Any = pytest.importorskip("pyarrow")
compute: Any = pytest.importorskip("pyarrow.compute")

DAY = dt.date(2026, 1, 31)
HOURS = dt.timedelta(hours=26)


def pandas() -> Any:
    return pytest.importorskip("pandas")


def polars() -> Any:
    return pytest.importorskip("polars")


OF_PANDAS: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "period[D]": (
        lambda: pandas().PeriodIndex(["2026-01-02", None], freq="D"),
        ["2026-01-02", None],
    ),
    "period[2M]": (
        lambda: pandas().period_range("2026-01", periods=2, freq="2M"),
        ["2026-01", "2026-03"],
    ),
    "period[W]": (
        lambda: pandas().period_range("2026-01", periods=1, freq="W"),
        ["2025-12-29/2026-01-04"],
    ),
    "interval of integers": (lambda: pandas().interval_range(0, 2), ["(0, 1]", "(1, 2]"]),
    "interval of floats": (
        lambda: pandas().IntervalIndex.from_breaks([0, 0.5], closed="left"),
        ["[0.0, 0.5)"],
    ),
    "interval with gaps": (
        lambda: pandas().arrays.IntervalArray.from_tuples([(0, 1), float("nan")], closed="both"),
        ["[0.0, 1.0]", None],
    ),
    "interval of days": (
        lambda: pandas().interval_range(pandas().Timestamp("2026-01-01"), periods=1),
        ["(2026-01-01 00:00:00, 2026-01-02 00:00:00]"],
    ),
    "interval in a zone": (
        lambda: pandas().interval_range(pandas().Timestamp("2026-01-01", tz="UTC"), periods=1),
        ["(2026-01-01 00:00:00+00:00, 2026-01-02 00:00:00+00:00]"],
    ),
    "interval of durations": (
        lambda: pandas().interval_range(pandas().Timedelta("1h"), periods=1),
        ["(0 days 01:00:00, 1 days 01:00:00]"],
    ),
    "bins": (lambda: pandas().cut([1, 9, 2], 2), ["(0.992, 5.0]", "(5.0, 9.0]", "(0.992, 5.0]"]),
    "categories of months": (
        lambda: pandas().Categorical(pandas().period_range("2026-01", periods=2, freq="M")),
        ["2026-01", "2026-02"],
    ),
    "mixed categories": (lambda: pandas().Categorical(["a", 1, None]), ["a", 1, None]),
    "categories of days": (
        lambda: pandas().Categorical(pandas().to_datetime(["2026-01-01"])),
        ["2026-01-01T00:00:00"],
    ),
    "numbers as categories": (lambda: pandas().Categorical([3, 1, None]), [3, 1, None]),
    "Int64": (lambda: pandas().array([2**53 + 1, None], dtype="Int64"), [2**53 + 1, None]),
    "uint64": (lambda: numpy.array([2**64 - 1], dtype="uint64"), [2**64 - 1]),
    "Float32": (lambda: pandas().array([0.1, None], dtype="Float32"), [0.1, None]),
    "infinite": (lambda: [1.0, float("inf"), float("-inf")], [1.0, "inf", "-inf"]),
    "sparse": (lambda: pandas().arrays.SparseArray([0, 0, 1]), [0, 0, 1]),
    "times in a zone": (
        lambda: pandas().to_datetime(["2026-07-01", None]).tz_localize("Europe/Berlin"),
        ["2026-07-01T00:00:00+02:00", None],
    ),
    "the hour that comes twice": (
        lambda: (
            pandas()
            .DatetimeIndex(["2026-10-25T00:30Z", "2026-10-25T01:30Z"])
            .tz_convert("Europe/Berlin")
        ),
        ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"],
    ),
    "objects of durations": (
        lambda: numpy.array([HOURS, dt.timedelta(0)], dtype=object),
        ["1 day 02:00:00", "00:00:00"],
    ),
    "map": (
        lambda: pandas().Series(
            [[("a", 1)]], dtype=pandas().ArrowDtype(arrow.map_(arrow.string(), arrow.int64()))
        ),
        [{"a": 1}],
    ),
}


@pytest.mark.parametrize("name", OF_PANDAS)
def test_columns_of_pandas(name: str) -> None:
    """A column of each pandas type is written as shown and reads back as the same frame."""
    make, shown = OF_PANDAS[name]
    frame = pandas().DataFrame({"n": range(len(shown)), "s": make()})
    text = mckp.encode(frame).text
    assert [row["s"] for row in mckp.decode(text)] == shown
    pandas().testing.assert_frame_equal(frames.decode(text, like=frame), frame)


FLOAT, SPAN, NANO = arrow.float32(), arrow.duration("ns"), arrow.time64("ns")
OF_ARROW: dict[str, tuple[list[Any], Any, list[Any]]] = {
    "map": ([[("a", 1)], None, []], arrow.map_(arrow.string(), FLOAT), [{"a": 1.0}, None, {}]),
    "map of numbers": ([[(1, 2)], None], arrow.map_(arrow.int8(), SPAN), [None, None]),
    "map with a key twice": (
        [[("a", 1), ("a", 2)]],
        arrow.map_(arrow.string(), arrow.int8()),
        [[["a", 1], ["a", 2]]],
    ),
    "floats in lists": ([[0.1, None], None], arrow.list_(FLOAT), [[0.1, None], None]),
    "floats in arrays": ([[0.1, 0.2], None], arrow.list_(FLOAT, 2), [[0.1, 0.2], None]),
    "floats in views": ([[0.1], None, []], arrow.list_view(FLOAT), [[0.1], None, []]),
    "floats in large views": ([[0.1]], arrow.large_list_view(FLOAT), [[0.1]]),
    "floats in objects": ([{"a": 0.1}, None], arrow.struct([("a", FLOAT)]), [{"a": 0.1}, None]),
    "durations in lists": ([[1], None], arrow.list_(SPAN), [["00:00:00.000000001"], None]),
    "times in lists": ([[1], None], arrow.list_(NANO), [["00:00:00.000000001"], None]),
    "stamps": (
        [1, None, -1],
        arrow.timestamp("ns"),
        ["1970-01-01T00:00:00.000000001", None, "1969-12-31T23:59:59.999999999"],
    ),
    "stamps in a zone": (
        [1],
        arrow.timestamp("ns", "+02:00"),
        ["1970-01-01T02:00:00.000000001+02:00"],
    ),
    "not finite": ([float("inf"), None], arrow.float64(), ["inf", None]),
    "text views": (["a", None], arrow.string_view(), ["a", None]),
    "whole decimals": ([Decimal(15), None], arrow.decimal128(38, 0), [15, None]),
    "nothing": ([None], arrow.null(), [None]),
    "no members": ([{}, None], arrow.struct([]), [{}, None]),
}
OF_ARROW["map of numbers"][2][0] = [[1, "00:00:00.000000002"]]


@pytest.mark.parametrize("name", OF_ARROW)
@pytest.mark.parametrize("is_slice", [False, True])
def test_columns_of_arrow(name: str, is_slice: bool) -> None:
    """A column of each Arrow type is written as shown and reads back, whole or as a slice."""
    values, kind, shown = OF_ARROW[name]
    table = arrow.table({"n": range(len(shown)), "s": arrow.array(values, kind)})
    if is_slice:
        table, shown = table.slice(len(shown) // 2), shown[len(shown) // 2 :]
    text = mckp.encode(table).text
    assert [row["s"] for row in mckp.decode(text)] == shown
    made = frames.decode(text, like=table)
    assert made.to_pylist() == table.to_pylist()
    assert made.schema == table.schema


def of_arrow_by_hand() -> dict[str, tuple[Any, list[Any]]]:
    floats = arrow.array([0.1, 0.2], FLOAT)
    return {
        "dictionary of floats": (floats.dictionary_encode(), [0.1, 0.2]),
        "runs": (compute.run_end_encode(arrow.array([0.1, 0.2, 0.2], FLOAT)), [0.1, 0.2, 0.2]),
        "dictionary of durations": (
            arrow.array([1], arrow.duration("s")).dictionary_encode(),
            ["00:00:01"],
        ),
    }


@pytest.mark.parametrize("name", list(of_arrow_by_hand()))
def test_columns_of_arrow_with_shared_values(name: str) -> None:
    """Arrow columns with dictionaries and runs are written as shown and read back."""
    array, shown = of_arrow_by_hand()[name]
    table = arrow.table({"s": array})
    text = mckp.encode(table).text
    assert [row["s"] for row in mckp.decode(text)] == shown
    assert frames.decode(text, like=table).equals(table)


def test_extensions_of_arrow() -> None:
    """Arrow extension types with a meaning of their own are written and read back."""
    if not hasattr(arrow, "bool8"):
        pytest.skip("this version of pyarrow has no such types")
    stored = {
        "id": arrow.ExtensionArray.from_storage(
            arrow.uuid(), arrow.array([UUID(int=5).bytes, None], arrow.binary(16))
        ),
        "flag": arrow.ExtensionArray.from_storage(
            arrow.bool8(), arrow.array([1, None], arrow.int8())
        ),
    }
    table = arrow.table(stored)
    text = mckp.encode(table).text
    assert mckp.decode(text)[0] == {"id": str(UUID(int=5)), "flag": True}
    assert frames.decode(text, like=table).equals(table)
    objects = pandas().DataFrame({"id": numpy.array([UUID(int=5)], dtype=object)})
    made = frames.decode(mckp.encode(objects).text, like=objects)
    pandas().testing.assert_frame_equal(made, objects)


OF_POLARS: dict[str, tuple[list[Any], Callable[[Any], Any], list[Any]]] = {
    "Int128 in lists": ([[2**100], None], lambda p: p.List(p.Int128), [[2**100], None]),
    "Int128 in objects": ([{"a": 2**100}], lambda p: p.Struct({"a": p.Int128}), [{"a": 2**100}]),
    "durations in objects": (
        [{"a": HOURS}, None],
        lambda p: p.Struct({"a": p.Duration}),
        [{"a": "1 day 02:00:00"}, None],
    ),
    "arrays of floats": ([[0.1]], lambda p: p.Array(p.Float32, 1), [[0.1]]),
    "enumeration": (["a", None], lambda p: p.Enum(["b", "a"]), ["a", None]),
    "nanoseconds": (
        [dt.datetime(2026, 3, 1, 12, 30, 1, 5)],
        lambda p: p.Datetime("ns"),
        ["2026-03-01T12:30:01.000005"],
    ),
    "not finite": ([float("inf"), float("nan")], lambda p: p.Float64, ["inf", "NaN"]),
    "dates in objects": ([{"on": DAY}], lambda p: p.Struct({"on": p.Date}), [{"on": "2026-01-31"}]),
}


@pytest.mark.parametrize("name", OF_POLARS)
def test_columns_of_polars(name: str) -> None:
    """A column of each Polars type is written as shown and reads back as the same frame."""
    values, kind, shown = OF_POLARS[name]
    column = polars().Series(values, dtype=kind(polars()))
    frame = polars().DataFrame({"n": range(len(shown)), "s": column})
    text = mckp.encode(frame).text
    assert [row["s"] for row in mckp.decode(text)] == shown
    importlib.import_module("polars.testing").assert_frame_equal(
        frames.decode(text, like=frame), frame
    )


def test_objects_of_polars() -> None:
    """A Polars column of objects reads back with its type."""
    values = [{"a": 1}, None]
    frame = polars().DataFrame({"s": polars().Series(values, dtype=polars().Object)})
    made = frames.decode(mckp.encode(frame).text, like=frame)
    assert made.schema == frame.schema
    assert made["s"].to_list() == values


def test_columns_of_several_levels() -> None:
    """Names of several levels are joined, and read back with the levels."""
    frame = pandas().DataFrame({"k": ["a", "b", "a"], "v": [1, 2, 3]})
    grouped = frame.groupby("k").agg(["sum", "mean"])
    text = mckp.encode(grouped).text
    assert mckp.decode(text)[0] == {"k": "a", "v_sum": 4, "v_mean": 2.0}
    pandas().testing.assert_frame_equal(frames.decode(text, like=grouped), grouped)
    pivot = frame[:2].pivot(index="k", columns="v", values="v")
    made = frames.decode(mckp.encode(pivot).text, like=pivot)
    pandas().testing.assert_frame_equal(made, pivot)
    kept = frames.decode('[{"k":"a","v_mean":2.0}]', like=grouped)
    assert kept.columns.tolist() == [("v", "mean")]


def test_an_index_of_times_keeps_its_frequency() -> None:
    """An index of dates reads back with its frequency, and without one if rows moved."""
    days = pandas().date_range("2026-01-01", periods=3, freq="D", name="day")
    frame = pandas().DataFrame({"n": [1, 2, 3]}, index=days)
    text = mckp.encode(frame).text
    pandas().testing.assert_frame_equal(frames.decode(text, like=frame), frame)
    gap = mckp.encode(frame.iloc[[0, 2, 1]]).text
    assert frames.decode(gap, like=frame).index.freq is None


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("span", '[{"span": "(0; 1]"}]'),
        ("span", '[{"span": "[0, 1)"}]'),
        ("kind", '[{"kind": "none of them"}]'),
        ("month", '[{"month": "2027-01"}]'),
    ],
)
def test_texts_that_are_no_values_of_the_type(column: str, text: str) -> None:
    """A text that is no value of the column's type is an error with its column."""
    frame = pandas().DataFrame(
        {
            "span": pandas().interval_range(0, 2),
            "kind": pandas().Categorical(["a", "b"]),
            "month": pandas().Categorical(pandas().period_range("2026-01", periods=2, freq="M")),
        }
    )
    with pytest.raises(mckp.DataError, match=rf"cannot be read as .*\.{column}"):
        frames.decode(text, like=frame)


def test_arrays_of_arrow_are_one_column() -> None:
    """An Arrow array is a table of one column."""
    for data in (arrow.array([1, None]), arrow.chunked_array([[1], [None]])):
        assert mckp.decode(mckp.encode(data).text) == [{"value": 1}, {"value": None}]


def test_a_query_that_was_not_run_is_refused() -> None:
    """A lazy frame is an error that says to collect it."""
    with pytest.raises(mckp.DataError, match=r"LazyFrame is not JSON data.*collect it first"):
        mckp.encode(polars().LazyFrame({"a": [1]}))


def test_durations_and_times_in_plain_data() -> None:
    """Durations and times of NumPy in plain data are written as text."""
    times = numpy.array(["2026-01-01T00:00"], "datetime64[s]")
    data = {"took": HOURS, "at": times, "first": times[0]}
    shown = {
        "took": "1 day 02:00:00",
        "at": ["2026-01-01T00:00:00"],
        "first": "2026-01-01T00:00:00",
    }
    assert mckp.decode(mckp.encode(data).text) == shown
