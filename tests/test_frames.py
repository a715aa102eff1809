"""Frames of three libraries: their types in, a budgeted table out, and the frame back."""

import datetime as dt
import importlib
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.answers import frames
from mckp.weights import Rows

arrow: Any = pytest.importorskip("pyarrow")

BERLIN = ZoneInfo("Europe/Berlin")
DAY = dt.date(2026, 3, 1)
STAMP = dt.datetime(2026, 3, 1, 12, 30, 1, 5)
COLUMNS: dict[str, tuple[list[Any], Any]] = {
    "whole": ([1, None, 2**53 + 1], arrow.int64()),
    "real": ([1.0, None, 2.5], arrow.float64()),
    "text": (["1", None, ""], arrow.string()),
    "flag": ([True, False, None], arrow.bool_()),
    "day": ([DAY, None, DAY], arrow.date32()),
    "time": ([dt.time(1, 2, 3), None, dt.time(0)], arrow.time64("us")),
    "stamp": ([STAMP, None, STAMP], arrow.timestamp("us")),
    "zone": ([STAMP.replace(tzinfo=BERLIN), None, None], arrow.timestamp("us", "Europe/Berlin")),
    "price": ([Decimal("1.10"), None, Decimal("-3.00")], arrow.decimal128(6, 2)),
    "kind": (["a", None, "b"], arrow.dictionary(arrow.int32(), arrow.string())),
    "tags": ([["a", None], None, []], arrow.list_(arrow.string())),
    "owner": (
        [{"id": 1, "since": DAY}, None, {"id": None, "since": DAY}],
        arrow.struct([("id", arrow.int64()), ("since", arrow.date32())]),
    ),
}
TABLE = arrow.table({name: arrow.array(values, kind) for name, (values, kind) in COLUMNS.items()})


def as_arrow() -> Any:
    return TABLE


def as_polars() -> Any:
    """Return the table as polars has it, with an enumeration."""
    polars: Any = pytest.importorskip("polars")
    return polars.from_arrow(TABLE).with_columns(polars.col("kind").cast(polars.Enum(["b", "a"])))


def as_pandas() -> Any:
    """Return the table as pandas has it: objects, its own types, and an index with a name."""
    pandas: Any = pytest.importorskip("pandas")
    frame = TABLE.to_pandas()
    frame["whole"] = pandas.array(COLUMNS["whole"][0], dtype="Int64")
    frame["kind"] = pandas.Categorical(frame["kind"], categories=["b", "a", "unused"], ordered=True)
    for name in ("tags", "owner"):
        frame[name] = pandas.Series(COLUMNS[name][0], dtype=object)
    frame["fine"] = pandas.to_datetime(["2026-03-01T00:00:00.000000001", None, None])
    return frame.set_index(pandas.Index(["x", "y", "z"], name="key"))


def same(first: Any, second: Any) -> None:
    library = type(first).__module__.partition(".")[0]
    if library == "pyarrow":
        assert first.equals(second)
        assert first.schema == second.schema
    else:
        testing: Any = importlib.import_module(f"{library}.testing")
        testing.assert_frame_equal(first, second)


@pytest.mark.filterwarnings("ignore:Series.values returning an ndarray:DeprecationWarning")
@pytest.mark.parametrize("made", [as_arrow, as_polars, as_pandas])
@pytest.mark.parametrize("formats", ["standard", "native", "dense"])
def test_there_and_back(made: Callable[[], Any], formats: str) -> None:
    """A frame decodes to the same frame, with its types."""
    frame = made()
    text = mckp.encode(frame, formats=[formats]).text
    same(frames.decode(text, like=frame), frame)


def test_what_the_text_says() -> None:
    """Dates are ISO text, decimals keep their digits, categories are their values."""
    rows = mckp.decode(mckp.encode(TABLE).text)
    assert rows[0]["price"] == "1.10"
    assert rows[0]["zone"] == "2026-03-01T12:30:01.000005+01:00"
    assert (rows[0]["kind"], rows[1]["kind"]) == ("a", None)
    assert rows[2]["whole"] == 2**53 + 1
    assert rows[0]["owner"] == {"id": 1, "since": "2026-03-01"}


def test_nan_is_no_null() -> None:
    """What is missing in pandas is null; a NaN of polars or Arrow is written as one."""
    pandas: Any = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, float("nan")], "b": ["x", None]})
    assert mckp.parse(mckp.encode(frame, formats=["json"]).text).value[1] == {"a": None, "b": None}
    numbers = mckp.encode(arrow.table({"a": [1.0, float("nan"), None]}))
    assert mckp.decode(numbers.text) == [{"a": 1.0}, {"a": "NaN"}, {"a": None}]


@pytest.mark.parametrize("value", [b"raw", {1}, Decimal("NaN"), float("inf")])
def test_types_without_a_counterpart(value: Any) -> None:
    """Bytes, sets and what is no finite number are refused, with their place."""
    with pytest.raises(mckp.DataError, match=r"\$\[0\]\.a"):
        mckp.encode([{"a": value}])


@pytest.mark.parametrize("values", [[1, None, 86_399_000_000_001], [1000, None, 0]])
def test_times_of_nanoseconds(values: list[Any]) -> None:
    """Times keep their nanoseconds."""
    table = arrow.table({"at": arrow.array(values, type=arrow.time64("ns"))})
    same(frames.decode(mckp.encode(table).text, like=table), table)


def test_index() -> None:
    """An index that counts is left out; another comes first, named as pandas names it."""
    pandas: Any = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [5, 6, 7]})
    assert mckp.decode(mckp.encode(frame).text)[0] == {"a": 5}
    some = frame[frame["a"] > 5]
    assert mckp.decode(mckp.encode(some).text) == [{"index": 1, "a": 6}, {"index": 2, "a": 7}]
    same(frames.decode(mckp.encode(some).text, like=some), some)
    two = frame.set_index([["x", "x", "y"], [1, 2, 1]])
    assert set(mckp.decode(mckp.encode(two).text)[0]) == {"level_0", "level_1", "a"}
    same(frames.decode(mckp.encode(two).text, like=two), two)


def test_periods_of_pandas_are_their_text() -> None:
    """Periods of pandas are written as text, also in an index and among objects."""
    pandas: Any = pytest.importorskip("pandas")
    for code, texts in {"M": ["2026-01", "2026-02"], "Q": ["2026Q1", "2026Q2"]}.items():
        span = pandas.period_range("2026-01", periods=2, freq=code)
        frame = pandas.DataFrame({"month": [*span, pandas.NaT], "n": [1, 2, 3]})
        text = mckp.encode(frame).text
        assert [row["month"] for row in mckp.decode(text)] == [*texts, None]
        same(frames.decode(text, like=frame), frame)
        indexed = frame[:2].set_index("month")
        same(frames.decode(mckp.encode(indexed).text, like=indexed), indexed)
        objects = pandas.DataFrame({"of": pandas.Series(list(span), dtype=object)})
        assert [row["of"] for row in mckp.decode(mckp.encode(objects).text)] == texts


OBJECTS: list[list[Any]] = [
    [{"type": "push", "size": 1}, {"type": "open", "number": 7}],
    [{"a": 1}, {"a": "x"}],
    ["a", 1],
    [[1, "a"], ["b"]],
    [{"a": 1}, [2]],
    [12345678901234567890, 99999999999999999999],
    [True, None, 1.5],
    [{"a": [{"b": 1}, {"c": 2}]}, None],
    [[], {}],
    [{"a": None}, {"a": 1}],
]


@pytest.mark.parametrize("values", OBJECTS)
def test_objects_of_pandas_are_what_they_hold(values: list[Any]) -> None:
    """Dictionaries get no members of others, and values of several types may be together."""
    pandas: Any = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"m": pandas.Series(values, dtype=object)})
    text = mckp.encode(frame, formats=["json"]).text
    assert mckp.parse(text).value == [{"m": value} for value in values]
    same(frames.decode(text, like=frame), frame)


def test_whole_decimals_are_numbers() -> None:
    """DuckDB sums whole numbers as decimals of 38 digits; also within lists and objects."""
    kind = arrow.decimal128(38, 0)
    inner = arrow.struct([("n", kind), ("at", arrow.month_day_nano_interval())])
    table = arrow.table(
        {
            "total": arrow.array([Decimal(15), None], kind),
            "all": arrow.array([[Decimal(10**30)], None], arrow.list_(kind)),
            "in": arrow.array([{"n": Decimal(-1), "at": (1, 2, 3)}, None], inner),
        }
    )
    text = mckp.encode(table).text
    interval = {"months": 1, "days": 2, "nanoseconds": 3}
    assert mckp.decode(text)[0] == {"total": 15, "all": [10**30], "in": {"n": -1, "at": interval}}
    same(frames.decode(text, like=table), table)


def test_integers_of_128_bits() -> None:
    """Integers of 128 bits keep all digits."""
    polars: Any = pytest.importorskip("polars")
    numbers = [12345678901234567890, 99999999999999999999]
    ids = polars.Series("id", numbers, dtype=polars.Int128)
    frame = polars.DataFrame([ids, polars.Series("n", [1, 2])])
    text = mckp.encode(frame).text
    assert mckp.decode(text)[1] == {"id": 99999999999999999999, "n": 2}
    same(frames.decode(text, like=frame), frame)


def test_columns_without_a_counterpart_are_named() -> None:
    """A column of a type without a counterpart is an error that names it and the way out."""
    pandas: Any = pytest.importorskip("pandas")
    far = pandas.DataFrame({"at": numpy.array(["-0044-03-15"], "datetime64[s]")})
    with pytest.raises(mckp.DataError, match=r"at \$\[\*\]\.at; cast it to text"):
        mckp.encode(far)
    with pytest.raises(mckp.DataError, match=r"'a' at .*; rename one"):
        mckp.encode(pandas.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(mckp.DataError, match=r"at \$\[\*\]\.c; .*astype\(str\)"):
        mckp.encode(pandas.DataFrame({"c": [1j]}))


@given(
    st.sampled_from(["s", "ms", "us", "ns"]),
    st.lists(st.none() | st.integers(-(2**53), 2**53), min_size=1),
)
def test_durations_are_read_back_to_the_digit(unit: str, counts: list[int | None]) -> None:
    """Durations in any unit read back exactly."""
    table = arrow.table(
        {"n": range(len(counts)), "took": arrow.array(counts, arrow.duration(unit))}
    )
    text = mckp.encode(table).text
    same(frames.decode(text, like=table), table)


def test_durations_of_all_libraries() -> None:
    """Durations of pandas and polars are written alike and read back."""
    pandas: Any = pytest.importorskip("pandas")
    polars: Any = pytest.importorskip("polars")
    spans = [dt.timedelta(days=2, milliseconds=500), None, -dt.timedelta(minutes=90)]
    shown = [{"took": "2 days 00:00:00.5"}, {"took": None}, {"took": "-01:30:00"}]
    for frame in (
        pandas.DataFrame({"took": pandas.Series(spans)}),
        polars.DataFrame({"took": spans}),
    ):
        text = mckp.encode(frame).text
        assert mckp.decode(text) == shown
        same(frames.decode(text, like=frame), frame)


@pytest.mark.parametrize("text", ["1:00:00", "00:00:00.5", "3 days", "00:61:00", ""])
def test_texts_that_are_no_durations(text: str) -> None:
    """A text in another notation is no duration and an error with its column."""
    table = arrow.table({"took": arrow.array([1], arrow.duration("s"))})
    with pytest.raises(mckp.DataError, match=r"not a duration in s.*\.took"):
        frames.decode(mckp.encode([{"took": text}]).text, like=table)


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_short_floats_keep_their_own_digits(values: list[float]) -> None:
    """A float of 32 bits is read back as it was, from the digits that it needs."""
    table = arrow.table({"x": arrow.array(values, arrow.float32())})
    text = mckp.encode(table).text
    digits = [Decimal(repr(row["x"])).normalize().as_tuple().digits for row in mckp.decode(text)]
    assert max(map(len, digits)) <= 9
    same(frames.decode(text, like=table), table)


@pytest.mark.parametrize("kind", [arrow.float16(), arrow.float32(), arrow.list_(arrow.float32())])
def test_a_tenth_is_a_tenth(kind: Any) -> None:
    """A short float is written with its own digits and reads back."""
    tenth = [0.1] if arrow.types.is_list(kind) else 0.1
    if arrow.types.is_float16(kind):  # older versions of pyarrow take these from NumPy alone
        halves = numpy.array([tenth, 0], "float16")
        column = arrow.array(halves, mask=numpy.array([False, True]))
    else:
        column = arrow.array([tenth, None], kind)
    table = arrow.table({"x": column})
    text = mckp.encode(table).text
    assert mckp.decode(text) == [{"x": tenth}, {"x": None}]
    same(frames.decode(text, like=table), table)


@pytest.mark.parametrize("name", ["of", None])
def test_a_series_is_one_column(name: str | None) -> None:
    """A series of pandas or Polars is a table of one column and reads back."""
    pandas: Any = pytest.importorskip("pandas")
    polars: Any = pytest.importorskip("polars")
    column = pandas.Series([1, 2], index=pandas.Index(["a", "b"], name="key"), name=name)
    text = mckp.encode(column).text
    shown = name or "value"
    assert mckp.decode(text) == [{"key": "a", shown: 1}, {"key": "b", shown: 2}]
    pandas.testing.assert_series_equal(frames.decode(text, like=column), column)
    own = polars.Series(name or "", [1, None])
    text = mckp.encode(own).text
    assert mckp.decode(text) == [{shown: 1}, {shown: None}]
    importlib.import_module("polars.testing").assert_series_equal(
        frames.decode(text, like=own), own
    )


def test_an_index_is_a_column_for_each_level() -> None:
    """An index is a column for each level, and reading one back points to `to_frame`."""
    pandas: Any = pytest.importorskip("pandas")
    assert mckp.decode(mckp.encode(pandas.Index([3, 4])).text) == [{"value": 3}, {"value": 4}]
    days = pandas.period_range("2026-01", periods=1, freq="M", name="month")
    text = mckp.encode(days).text
    assert mckp.decode(text) == [{"month": "2026-01"}]
    same(frames.decode(text, like=days.to_frame(index=False)), days.to_frame(index=False))
    with pytest.raises(mckp.DataError, match="to_frame"):
        frames.decode(text, like=days)
    levels = pandas.MultiIndex.from_tuples([("a", 1)], names=["x", None])
    assert mckp.decode(mckp.encode({"of": levels}).text) == {"of": [{"x": "a", "level_1": 1}]}


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_floats_of_numpy_keep_their_own_digits(kind: str) -> None:
    """Floats of NumPy are written with the digits of their own size."""
    numbers: Any = importlib.import_module("numpy").array([[0.1, -2.5]], dtype=kind)
    data = {"one": numbers[0, 0], "all": numbers}
    assert mckp.decode(mckp.encode(data).text) == {"one": 0.1, "all": [[0.1, -2.5]]}


def issues() -> Any:
    rows = [
        {"id": n, "title": f"what went wrong, number {n}", "stars": n % 7, "log": "x" * 40}
        for n in range(60)
    ]
    return arrow.Table.from_pylist(rows)


def test_rows_and_columns_by_weight() -> None:
    """Within a budget the rows with the largest numbers stay, and the columns that matter."""
    table = issues()
    options: dict[str, Any] = {"budget": 200, "weights": Rows("stars")}
    result = mckp.encode(table, priorities={"[*].title": 9, "[*].log": 0.01}, **options)
    frame = frames.decode(result.text, like=table)
    assert result.tokens <= 200
    assert "title" in frame.column_names
    assert "log" not in frame.column_names
    assert 3 < frame.num_rows < 60
    numbers = {int(title.rpartition(" ")[2]) for title in frame["title"].to_pylist()}
    missing = set(range(60)) - numbers
    assert min(n % 7 for n in numbers) >= max(n % 7 for n in missing)
    beside = mckp.encode(table, weights=Rows(table["stars"]), budget=200)
    assert beside.text == mckp.encode(table, **options).text


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("nosuch", r"\$\[0\].* its field 'nosuch' is None"),
        ("title", r"\$\[0\].* its field 'title' is 'what went wrong"),
        ([1.0], r"\$: got 1 numbers for 60 records"),
        ([float("nan")] * 60, r"\$\[0\].* its number is nan"),
        ([1] * 59 + [-1], r"\$\[59\].* its number is -1"),
    ],
)
def test_rows_without_a_weight(by: Any, message: str) -> None:
    """Weights of rows that are missing or wrong are refused."""
    with pytest.raises(mckp.WeightError, match=message):
        mckp.encode(issues(), budget=200, weights=Rows(by))


def test_cut_cells_are_null() -> None:
    """Whole numbers beside what was cut stay whole."""
    pandas: Any = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2**53 + 1], "b": [3, 4]})
    kept = frames.decode('[{"a":1,"b":3},{"a":9007199254740993}]', like=frame)
    assert kept["a"].tolist() == [1, 2**53 + 1]
    assert kept["b"].isna().tolist() == [False, True]
    assert kept["b"][0] == 3


def test_nothing_left() -> None:
    """An empty frame, and one of which nothing is left, decode to an empty frame."""
    empty = TABLE.slice(0, 0)
    same(frames.decode(mckp.encode(empty).text, like=empty), empty)
    assert mckp.decode(mckp.encode(empty).text) == {"columns": empty.column_names, "rows": []}
    for text in ("> [+24 facts]", "[9]{whole day}\n> [+9 rows]\n"):
        same(frames.decode(text, like=TABLE), empty)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}', "no rows"),
        ('[{"whole": 1}, {"nosuch": 1}]', r"this row has other columns than the frame at \$\[1\]"),
        ('[{"day": "soon"}]', r"the column cannot be read as date32.* at \$\[\*\]\.day"),
        ('[{"whole": "x"}]', r"\.whole"),
    ],
)
def test_not_of_this_frame(text: str, message: str) -> None:
    """A text that does not fit the frame is refused."""
    with pytest.raises(mckp.DataError, match=message):
        frames.decode(text, like=TABLE)


def test_frames_of_derived_classes() -> None:
    """A class that is derived from a frame of pandas is read as that is, with all its types."""
    pandas: Any = pytest.importorskip("pandas")

    class Sub(pandas.DataFrame):  # type: ignore[misc]
        pass

    class SubSeries(pandas.Series):  # type: ignore[misc]
        pass

    plain = {"v": [{"a": 1}, {"b": 2}], "w": [1, "x"]}
    assert mckp.encode(Sub(plain)).text == mckp.encode(pandas.DataFrame(plain)).text
    assert mckp.decode(mckp.encode(SubSeries([1, 2], name="n")).text) == [{"n": 1}, {"n": 2}]
    read = frames.decode(mckp.encode(Sub(plain)).text, like=Sub(plain))
    assert isinstance(read, pandas.DataFrame)


def test_what_only_looks_like_a_frame_of_another_library() -> None:
    """An object of narwhals is that of the library behind it; UHUGEINT of DuckDB is refused."""
    pandas: Any = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2]})

    class Wrapper:
        __arrow_c_stream__ = None

        def to_native(self) -> Any:
            return frame

    class Relation:
        __arrow_c_stream__ = None
        columns = ("n",)
        types = ("UHUGEINT",)

    Wrapper.__module__, Relation.__module__ = "narwhals.stable", "_duckdb"
    assert mckp.decode(mckp.encode(Wrapper()).text) == [{"a": 1}, {"a": 2}]
    with pytest.raises(mckp.DataError, match=r"UHUGEINT .* at \$\[\*\]\.n; cast the column"):
        mckp.encode(Relation())


def test_a_struct_with_one_name_twice_is_refused() -> None:
    """Else the first of the two members would be lost."""
    members = [arrow.array([1]), arrow.array([2])]
    table = arrow.table({"s": arrow.StructArray.from_arrays(members, names=["x", "x"])})
    with pytest.raises(mckp.DataError, match=r"same name, 'x' at \$\[\*\]\.s; rename one"):
        mckp.encode(table)
