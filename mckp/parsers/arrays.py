"""Arrow arrays as plain Python values, and such values as Arrow arrays.

Values are written as a person would write them: times as ISO text with all digits, durations as in
``1 day 02:00:00``, a float of 32 bits with its own digits, an infinite number as ``inf``, a whole
decimal as a number and any other as text, and a map with text keys as an object.
"""

from __future__ import annotations

from datetime import time
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import import_extra
from mckp.jsontext import is_array, is_object
from mckp.parsers.durations import duration_count, duration_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PLAIN_EXTENSIONS: Final = ("arrow.bool8", "arrow.json", "arrow.uuid")
"""Extension types whose Python values have the right meaning."""

_SPAN: Final = ("months", "days", "nanoseconds")
"""The parts of an interval."""

NOT_FINITE: Final = {"inf": float("inf"), "-inf": float("-inf"), "NaN": float("nan")}
"""Floats that JSON lacks, by their text."""


def values_of(array: Any) -> list[Any]:
    """Return the values of an Arrow array; its dates and times are not yet text.

    A time that Python cannot represent raises an error.
    """
    chunks = array.chunks if hasattr(array, "chunks") else [array]
    return list(chain.from_iterable(map(_chunk_values, chunks)))


def _chunk_values(array: Any) -> list[Any]:
    """Return the values of an array that is not chunked, by the reader for its type."""
    types, kind = arrow_module("pyarrow").types, array.type
    for is_kind, read in (
        (types.is_floating, _floats),
        (types.is_decimal, _decimals),
        (types.is_interval, _intervals),
        (types.is_duration, _durations),
        (types.is_timestamp, _timestamps),
        (types.is_time64, _times_of_day),
        (types.is_dictionary, _dictionary_values),
        (types.is_run_end_encoded, _run_values),
        (types.is_struct, _structs_as_objects),
        (types.is_map, _maps_as_objects),
        (is_list, _lists_of),
    ):
        if is_kind(kind):
            return read(array)
    values: list[Any] = array.to_pylist()
    return values


def is_list(kind: Any) -> bool:
    """Whether an Arrow type is a list type of any size."""
    return str(kind).startswith(("list<", "large_list<", "fixed_size_list<")) or _is_view(kind)


def _is_view(kind: Any) -> bool:
    """Whether an Arrow type is a list view, which has sizes as well as offsets."""
    return str(kind).startswith(("list_view<", "large_list_view<"))


def _floats(array: Any) -> list[Any]:
    """Return floats with the digits of their own precision; infinite ones and NaN become text."""
    import numpy as np  # pyarrow was imported, so this costs nothing

    values: list[Any] = array.to_pylist()
    own_type = {"float": np.float32, "halffloat": np.float16}.get(str(array.type))
    if own_type is not None:
        values = [None if v is None else float(str(own_type(v))) for v in values]
    if np.isfinite(array.drop_null().to_numpy(zero_copy_only=False)).all():
        return values
    return [v if v is None or v - v == 0 else _not_finite(v) for v in values]


def _not_finite(value: float) -> str:
    """Return the text of an infinite number or NaN."""
    return "NaN" if value != value else "inf" if value > 0 else "-inf"


def _decimals(array: Any) -> list[Any]:
    """Return whole decimals as integers and all others as text."""
    values: list[Any] = array.to_pylist()
    if array.type.scale > 0:
        return values
    return [None if value is None else int(value) for value in values]


def _intervals(array: Any) -> list[Any]:
    """Return intervals as objects with months, days and nanoseconds."""
    values: list[Any] = array.to_pylist()
    return [None if value is None else dict(zip(_SPAN, value, strict=True)) for value in values]


def _durations(array: Any) -> list[Any]:
    """Return durations as text."""
    counts, unit = array.cast("int64").to_pylist(), array.type.unit
    return [None if count is None else duration_text(count, unit) for count in counts]


def _timestamps(array: Any) -> list[Any]:
    """Return timestamps as Python has them, or as text where nanoseconds would be lost."""
    if array.type.unit != "ns":
        values: list[Any] = array.to_pylist()
        return values
    arrow = arrow_module("pyarrow")
    counts = array.cast("int64").to_pylist()
    micros = [None if count is None else count // 1000 for count in counts]
    times = arrow.array(micros, arrow.int64()).cast(arrow.timestamp("us", array.type.tz))
    return [
        time if count is None or not count % 1000 else _with_nanoseconds(time, count % 1000)
        for time, count in zip(times.to_pylist(), counts, strict=True)
    ]


def _with_nanoseconds(time: Any, nanoseconds: int) -> str:
    """Return a time as ISO text with nanoseconds added after its microseconds."""
    text, at = time.isoformat(timespec="microseconds"), len("2026-01-01T00:00:00.000000")
    return f"{text[:at]}{nanoseconds:03}{text[at:]}"


def _times_of_day(array: Any) -> list[Any]:
    """Return times of day as Python has them, or as text if nanoseconds would be lost."""
    arrow = arrow_module("pyarrow")
    if array.type.unit == "ns":
        try:
            array = array.cast(arrow.time64("us"))
        except arrow.ArrowInvalid:  # Python has no nanoseconds
            array = array.cast("string")
    values: list[Any] = array.to_pylist()
    return values


def _dictionary_values(array: Any) -> list[Any]:
    """Return the values of an array of codes into a dictionary."""
    values = _chunk_values(array.dictionary)
    return [None if code is None else values[code] for code in array.indices.to_pylist()]


def _run_values(array: Any) -> list[Any]:
    """Return the values of a run-end encoded array."""
    return _chunk_values(arrow_module("pyarrow.compute").run_end_decode(array))


def _structs_as_objects(array: Any) -> list[Any]:
    """Return structs as dictionaries."""
    names = [field.name for field in array.type]
    if not names:
        empty: list[Any] = array.to_pylist()
        return empty
    members = zip(*map(_chunk_values, array.flatten()), strict=True)
    return [
        dict(zip(names, row, strict=True)) if is_there else None
        for row, is_there in zip(members, array.is_valid().to_pylist(), strict=True)
    ]


def _maps_as_objects(array: Any) -> list[Any]:
    """Return maps as dictionaries; as lists of pairs if any keys repeat or are not text."""
    keys, items = _chunk_values(array.keys), _chunk_values(array.items)
    maps = [
        list(zip(keys[start:end], items[start:end], strict=True)) if is_there else None
        for (start, end), is_there in zip(
            pairwise(array.offsets.to_pylist()), array.is_valid().to_pylist(), strict=True
        )
    ]
    has_names = all(isinstance(key, str) for key in keys)
    if has_names and all(pairs is None or len(dict(pairs)) == len(pairs) for pairs in maps):
        return [None if pairs is None else dict(pairs) for pairs in maps]
    return [None if pairs is None else list(map(list, pairs)) for pairs in maps]


def _lists_of(array: Any) -> list[Any]:
    """Return lists of any Arrow list type as Python lists."""
    if _is_view(array.type):
        sizes = array.sizes.to_pylist()
        lengths = [
            size if is_there else None
            for size, is_there in zip(sizes, array.is_valid().to_pylist(), strict=True)
        ]
    else:
        lengths = arrow_module("pyarrow.compute").list_value_length(array).to_pylist()
    items = iter(_chunk_values(array.flatten()))
    return [None if size is None else [next(items) for _ in range(size)] for size in lengths]


def array_of(values: Sequence[Any], kind: Any) -> Any:
    """Return values that were read back as an Arrow array of their original type.

    A value that does not fit the type raises a `ValueError` or an error of Arrow.
    """
    arrow = arrow_module("pyarrow")
    types = arrow.types
    for is_kind, make in (
        (types.is_struct, _struct_array),
        (types.is_map, _map_array),
        (is_list, _list_array),
        (types.is_time, _time_array),
        (types.is_interval, _interval_array),
    ):
        if is_kind(kind):
            return make(values, kind)
    if isinstance(kind, arrow.BaseExtensionType):
        return _extension_array(values, kind)
    if types.is_dictionary(kind):
        return array_of(values, kind.value_type).dictionary_encode().cast(kind)
    if types.is_run_end_encoded(kind):
        encode = arrow_module("pyarrow.compute").run_end_encode
        return encode(array_of(values, kind.value_type), run_end_type=kind.run_end_type)
    if types.is_floating(kind):
        return _float_array(values, kind)
    if types.is_duration(kind):
        counts = [None if value is None else duration_count(value, kind.unit) for value in values]
        return arrow.array(counts, type=arrow.int64()).cast(kind)
    if types.is_temporal(kind) or types.is_decimal(kind):
        texts = [None if value is None else str(value) for value in values]
        return arrow.array(texts, type=arrow.string()).cast(kind)
    return arrow.array(values, type=kind)


def matches_type(value: Any, kind: Any) -> bool:
    """Whether a value that was read back has exactly the members and items of an Arrow type."""
    types = arrow_module("pyarrow").types
    if value is None:
        return True
    if types.is_struct(kind):
        names = [field.name for field in kind]
        return (
            is_object(value)
            and sorted(value) == sorted(names)
            and all(matches_type(value[field.name], field.type) for field in kind)
        )
    if is_list(kind):
        return is_array(value) and all(matches_type(item, kind.value_type) for item in value)
    return True


def types_in(kind: Any) -> Iterator[Any]:
    """Yield an Arrow type and all types within it."""
    yield kind
    if arrow_module("pyarrow").types.is_dictionary(kind):
        yield from types_in(kind.value_type)
    for number in range(kind.num_fields):
        yield from types_in(kind.field(number).type)


def _null_mask(values: Sequence[Any]) -> Any:
    """Return an Arrow mask that is true where a value is None."""
    arrow = arrow_module("pyarrow")
    return arrow.array([value is None for value in values], type=arrow.bool_())


def _struct_array(values: Sequence[Any], kind: Any) -> Any:
    # Not with a cast: a null would leave empty texts in its members, which are not dates.
    """Return an Arrow array of structs."""
    fields = list(kind)
    members = [
        array_of([None if value is None else value.get(field.name) for value in values], field.type)
        for field in fields
    ]
    make = arrow_module("pyarrow").StructArray.from_arrays
    return make(members, fields=fields, mask=_null_mask(values))


def _offsets(values: Sequence[Any], kind: Any) -> Any:
    """Return the offsets of lists that are joined: 0, then the end of each one."""
    lengths = [0 if value is None else len(value) for value in values]
    return arrow_module("pyarrow").array(accumulate(lengths, initial=0), type=kind)


def _list_array(values: Sequence[Any], kind: Any) -> Any:
    """Return an Arrow array of lists or list views."""
    arrow = arrow_module("pyarrow")
    items = array_of(
        [item for value in values if value is not None for item in value], kind.value_type
    )
    ends = _offsets(values, arrow.int64())
    if _is_view(kind):
        is_large = str(kind).startswith("large")
        make = (arrow.LargeListViewArray if is_large else arrow.ListViewArray).from_arrays
        offset_type = arrow.int64() if is_large else arrow.int32()
        sizes = arrow.array([len(value or ()) for value in values], offset_type)
        return make(ends[:-1].cast(offset_type), sizes, items, mask=_null_mask(values)).cast(kind)
    array = arrow.LargeListArray.from_arrays(ends, items, mask=_null_mask(values))
    return array.cast(kind)


def _map_array(values: Sequence[Any], kind: Any) -> Any:
    """Return an Arrow array of maps, from dictionaries or lists of pairs."""
    arrow = arrow_module("pyarrow")
    pairs = [value.items() if is_object(value) else value for value in values]
    flat = [pair for some in pairs if some is not None for pair in some]
    keys = array_of([key for key, _ in flat], kind.key_type)
    items = array_of([item for _, item in flat], kind.item_type)
    ends = _offsets(pairs, arrow.int32()).to_pylist()
    # A null has no end of its own.
    starts = [None if some is None else end for some, end in zip(pairs, ends[:-1], strict=True)]
    return arrow.MapArray.from_arrays(
        arrow.array([*starts, ends[-1]], arrow.int32()), keys, items, type=kind
    )


def _float_array(values: Sequence[Any], kind: Any) -> Any:
    """Return an Arrow array of floats; words such as ``inf`` become the numbers they spell."""
    arrow = arrow_module("pyarrow")
    numbers = [NOT_FINITE.get(v, v) if isinstance(v, str) else v for v in values]
    if arrow.types.is_float16(kind):  # older versions of pyarrow take these from NumPy alone
        import numpy as np

        numbers = [None if number is None else np.float16(number) for number in numbers]
    return arrow.array(numbers, kind)


def _time_array(values: Sequence[Any], kind: Any) -> Any:
    """Return an Arrow array of times of day from their ISO text."""
    arrow = arrow_module("pyarrow")
    if kind == arrow.time64("ns"):
        stamps = [None if value is None else f"1970-01-01T{value}" for value in values]
        return arrow.array(stamps, type=arrow.string()).cast(arrow.timestamp("ns")).cast(kind)
    times = [None if value is None else time.fromisoformat(value) for value in values]
    return arrow.array(times, type=kind)


def _interval_array(values: Sequence[Any], kind: Any) -> Any:
    """Return an Arrow array of intervals, from objects with months, days and nanoseconds."""
    arrow = arrow_module("pyarrow")
    intervals = [
        None if value is None else arrow.MonthDayNano([value[part] for part in _SPAN])
        for value in values
    ]
    return arrow.array(intervals, type=kind)


def _extension_array(values: Sequence[Any], kind: Any) -> Any:
    """Return an Arrow array of an extension type, from values as `values_of` returns them."""
    from uuid import UUID

    storage_of: dict[str, Callable[[Any], Any]] = {
        "arrow.uuid": lambda text: UUID(text).bytes,
        "arrow.bool8": int,
    }
    change = storage_of.get(kind.extension_name, lambda value: value)
    stored = [None if value is None else change(value) for value in values]
    arrow = arrow_module("pyarrow")
    return arrow.ExtensionArray.from_storage(kind, arrow.array(stored, kind.storage_type))


def arrow_module(name: str) -> Any:
    """Import a pyarrow module, or raise an error that names the extra to install."""
    return import_extra(name, "pyarrow", "frames")
