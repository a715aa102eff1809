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

_INTERVAL_PARTS: Final = ("months", "days", "nanoseconds")
"""The parts of an interval."""

NOT_FINITE: Final = {"inf": float("inf"), "-inf": float("-inf"), "NaN": float("nan")}
"""Floats that JSON lacks, by their text."""


def values_of(array: Any) -> list[object]:
    """Return the values of an Arrow array as Python objects; most dates and times are not yet text.

    A time that Python cannot represent raises an `OverflowError` or a `ValueError`.
    """
    chunks = array.chunks if hasattr(array, "chunks") else [array]
    return list(chain.from_iterable(map(_chunk_values, chunks)))


def _chunk_values(array: Any) -> list[object]:
    """Return the values of an Arrow array that is not chunked, as `values_of` does."""
    types, arrow_type = arrow_module("pyarrow").types, array.type
    for is_kind, read in (
        (types.is_floating, _float_values),
        (types.is_decimal, _decimal_values),
        (types.is_interval, _interval_values),
        (types.is_duration, _duration_values),
        (types.is_timestamp, _timestamp_values),
        (types.is_time64, _time_values),
        (types.is_dictionary, _dictionary_values),
        (types.is_run_end_encoded, _run_values),
        (types.is_struct, _struct_values),
        (types.is_map, _map_values),
        (is_list, _list_values),
    ):
        if is_kind(arrow_type):
            return read(array)
    values: list[object] = array.to_pylist()
    return values


def is_list(arrow_type: Any) -> bool:
    """Whether an Arrow type is one of the list types: large, of fixed size, a view or other."""
    return str(arrow_type).startswith(
        ("list<", "large_list<", "fixed_size_list<")
    ) or _is_list_view(arrow_type)


def _is_list_view(arrow_type: Any) -> bool:
    """Whether an Arrow type is a list view, which has sizes as well as offsets."""
    return str(arrow_type).startswith(("list_view<", "large_list_view<"))


def _float_values(array: Any) -> list[object]:
    """Return floats with the digits of their own precision, and text for infinite ones and NaN."""
    import numpy as np  # pyarrow was imported, so this costs nothing

    values: list[Any] = array.to_pylist()
    own_type = {"float": np.float32, "halffloat": np.float16}.get(str(array.type))
    if own_type is not None:
        values = [None if value is None else float(str(own_type(value))) for value in values]
    if np.isfinite(array.drop_null().to_numpy(zero_copy_only=False)).all():
        return values
    return [
        value if value is None or value - value == 0 else _non_finite_text(value)
        for value in values
    ]


def _non_finite_text(value: float) -> str:
    """Return the text of a float that is infinite or NaN, as in `NOT_FINITE`."""
    return "NaN" if value != value else "inf" if value > 0 else "-inf"


def _decimal_values(array: Any) -> list[object]:
    """Return decimals as integers if their type has no digits after the point, else unchanged."""
    values: list[Any] = array.to_pylist()
    if array.type.scale > 0:
        return values
    return [None if value is None else int(value) for value in values]


def _interval_values(array: Any) -> list[object]:
    """Return intervals as objects with months, days and nanoseconds."""
    values: list[Any] = array.to_pylist()
    return [
        None if value is None else dict(zip(_INTERVAL_PARTS, value, strict=True))
        for value in values
    ]


def _duration_values(array: Any) -> list[object]:
    """Return durations as text, in full precision."""
    counts, unit = array.cast("int64").to_pylist(), array.type.unit
    return [None if count is None else duration_text(count, unit) for count in counts]


def _timestamp_values(array: Any) -> list[object]:
    """Return timestamps as Python datetimes, or as text where nanoseconds would be lost."""
    if array.type.unit != "ns":
        values: list[object] = array.to_pylist()
        return values
    arrow = arrow_module("pyarrow")
    counts = array.cast("int64").to_pylist()
    micros = [None if count is None else count // 1000 for count in counts]
    times = arrow.array(micros, arrow.int64()).cast(arrow.timestamp("us", array.type.tz))
    return [
        time if count is None or not count % 1000 else _nanosecond_text(time, count % 1000)
        for time, count in zip(times.to_pylist(), counts, strict=True)
    ]


def _nanosecond_text(moment: Any, nanoseconds: int) -> str:
    """Return a datetime as ISO text, with up to 999 nanoseconds as three more digits."""
    text, at = moment.isoformat(timespec="microseconds"), len("2026-01-01T00:00:00.000000")
    return f"{text[:at]}{nanoseconds:03}{text[at:]}"


def _time_values(array: Any) -> list[object]:
    """Return times of day as Python times, or all as text if nanoseconds would be lost."""
    arrow = arrow_module("pyarrow")
    if array.type.unit == "ns":
        try:
            array = array.cast(arrow.time64("us"))
        except arrow.ArrowInvalid:  # Python has no nanoseconds
            array = array.cast("string")
    values: list[object] = array.to_pylist()
    return values


def _dictionary_values(array: Any) -> list[object]:
    """Return the values that the codes of a dictionary-encoded array stand for."""
    values = _chunk_values(array.dictionary)
    return [None if code is None else values[code] for code in array.indices.to_pylist()]


def _run_values(array: Any) -> list[object]:
    """Return the values of a run-end encoded array, each repeated as often as its run says."""
    return _chunk_values(arrow_module("pyarrow.compute").run_end_decode(array))


def _struct_values(array: Any) -> list[object]:
    """Return structs as dictionaries, and nulls as None."""
    names = [field.name for field in array.type]
    if not names:
        empty: list[object] = array.to_pylist()
        return empty
    members = zip(*map(_chunk_values, array.flatten()), strict=True)
    return [
        dict(zip(names, row, strict=True)) if is_there else None
        for row, is_there in zip(members, array.is_valid().to_pylist(), strict=True)
    ]


def _map_values(array: Any) -> list[object]:
    """Return all maps as dictionaries, or as lists of pairs if any keys repeat or are not text."""
    keys, items = _chunk_values(array.keys), _chunk_values(array.items)
    maps = [
        list(zip(keys[start:end], items[start:end], strict=True)) if is_there else None
        for (start, end), is_there in zip(
            pairwise(array.offsets.to_pylist()), array.is_valid().to_pylist(), strict=True
        )
    ]
    have_text_keys = all(isinstance(key, str) for key in keys)
    if have_text_keys and all(pairs is None or len(dict(pairs)) == len(pairs) for pairs in maps):
        return [None if pairs is None else dict(pairs) for pairs in maps]
    return [None if pairs is None else list(map(list, pairs)) for pairs in maps]


def _list_values(array: Any) -> list[object]:
    """Return lists of any Arrow list type as Python lists."""
    if _is_list_view(array.type):
        sizes = array.sizes.to_pylist()
        lengths = [
            size if is_there else None
            for size, is_there in zip(sizes, array.is_valid().to_pylist(), strict=True)
        ]
    else:
        lengths = arrow_module("pyarrow.compute").list_value_length(array).to_pylist()
    items = iter(_chunk_values(array.flatten()))
    return [None if size is None else [next(items) for _ in range(size)] for size in lengths]


def array_of(values: Sequence[Any], arrow_type: Any) -> Any:
    """Return an Arrow array of the original type from values that were read back.

    A value that does not match the type raises an error of Python or Arrow, such as a `ValueError`.
    """
    arrow = arrow_module("pyarrow")
    types = arrow.types
    for is_kind, make_array in (
        (types.is_struct, _struct_array),
        (types.is_map, _map_array),
        (is_list, _list_array),
        (types.is_time, _time_array),
        (types.is_interval, _interval_array),
    ):
        if is_kind(arrow_type):
            return make_array(values, arrow_type)
    if isinstance(arrow_type, arrow.BaseExtensionType):
        return _extension_array(values, arrow_type)
    if types.is_dictionary(arrow_type):
        return array_of(values, arrow_type.value_type).dictionary_encode().cast(arrow_type)
    if types.is_run_end_encoded(arrow_type):
        encode = arrow_module("pyarrow.compute").run_end_encode
        return encode(array_of(values, arrow_type.value_type), run_end_type=arrow_type.run_end_type)
    if types.is_floating(arrow_type):
        return _float_array(values, arrow_type)
    if types.is_duration(arrow_type):
        counts = [
            None if value is None else duration_count(value, arrow_type.unit) for value in values
        ]
        return arrow.array(counts, type=arrow.int64()).cast(arrow_type)
    if types.is_temporal(arrow_type) or types.is_decimal(arrow_type):
        texts = [None if value is None else str(value) for value in values]
        return arrow.array(texts, type=arrow.string()).cast(arrow_type)
    return arrow.array(values, type=arrow_type)


def matches_type(value: object, arrow_type: Any) -> bool:
    """Whether a value that was read back has the structure of an Arrow type.

    A struct must have exactly the members of its type, and a list is an array. None matches any
    type, and other types are not checked.
    """
    types = arrow_module("pyarrow").types
    if value is None:
        return True
    if types.is_struct(arrow_type):
        names = [field.name for field in arrow_type]
        return (
            is_object(value)
            and sorted(value) == sorted(names)
            and all(matches_type(value[field.name], field.type) for field in arrow_type)
        )
    if is_list(arrow_type):
        return is_array(value) and all(matches_type(item, arrow_type.value_type) for item in value)
    return True


def types_in(arrow_type: Any) -> Iterator[Any]:
    """Yield an Arrow type and all types within it, the outer ones first."""
    yield arrow_type
    if arrow_module("pyarrow").types.is_dictionary(arrow_type):
        yield from types_in(arrow_type.value_type)
    for number in range(arrow_type.num_fields):
        yield from types_in(arrow_type.field(number).type)


def _null_mask(values: Sequence[object]) -> Any:
    """Return an Arrow mask that is true where a value is None."""
    arrow = arrow_module("pyarrow")
    return arrow.array([value is None for value in values], type=arrow.bool_())


def _struct_array(values: Sequence[Any], arrow_type: Any) -> Any:
    """Return an Arrow array of structs."""
    # Not with a cast: a null would leave empty texts in its members, which are not dates.
    fields = list(arrow_type)
    members = [
        array_of([None if value is None else value.get(field.name) for value in values], field.type)
        for field in fields
    ]
    make = arrow_module("pyarrow").StructArray.from_arrays
    return make(members, fields=fields, mask=_null_mask(values))


def _list_offsets(lists: Sequence[Any], offset_type: Any) -> Any:
    """Return the offsets of lists that are joined: 0, then the end of each one.

    `offset_type` is the Arrow type of the offsets; None counts as an empty list.
    """
    lengths = [0 if items is None else len(items) for items in lists]
    return arrow_module("pyarrow").array(accumulate(lengths, initial=0), type=offset_type)


def _list_array(values: Sequence[Any], arrow_type: Any) -> Any:
    """Return an Arrow array of lists or list views."""
    arrow = arrow_module("pyarrow")
    items = array_of(
        [item for value in values if value is not None for item in value], arrow_type.value_type
    )
    offsets = _list_offsets(values, arrow.int64())
    if _is_list_view(arrow_type):
        is_large = str(arrow_type).startswith("large")
        make = (arrow.LargeListViewArray if is_large else arrow.ListViewArray).from_arrays
        offset_type = arrow.int64() if is_large else arrow.int32()
        sizes = arrow.array([len(value or ()) for value in values], offset_type)
        return make(offsets[:-1].cast(offset_type), sizes, items, mask=_null_mask(values)).cast(
            arrow_type
        )
    array = arrow.LargeListArray.from_arrays(offsets, items, mask=_null_mask(values))
    return array.cast(arrow_type)


def _map_array(values: Sequence[Any], arrow_type: Any) -> Any:
    """Return an Arrow array of maps, from dictionaries or lists of pairs."""
    arrow = arrow_module("pyarrow")
    pairs = [value.items() if is_object(value) else value for value in values]
    flat_pairs = [pair for map_pairs in pairs if map_pairs is not None for pair in map_pairs]
    keys = array_of([key for key, _ in flat_pairs], arrow_type.key_type)
    items = array_of([item for _, item in flat_pairs], arrow_type.item_type)
    offsets = _list_offsets(pairs, arrow.int32()).to_pylist()
    # Arrow takes a map without a start for a null.
    starts = [
        None if map_pairs is None else offset
        for map_pairs, offset in zip(pairs, offsets[:-1], strict=True)
    ]
    return arrow.MapArray.from_arrays(
        arrow.array([*starts, offsets[-1]], arrow.int32()), keys, items, type=arrow_type
    )


def _float_array(values: Sequence[Any], arrow_type: Any) -> Any:
    """Return an Arrow array of floats; words such as ``inf`` become the numbers they spell."""
    arrow = arrow_module("pyarrow")
    numbers = [
        NOT_FINITE.get(value, value) if isinstance(value, str) else value for value in values
    ]
    if arrow.types.is_float16(arrow_type):  # older versions of pyarrow take these from NumPy alone
        import numpy as np

        numbers = [None if number is None else np.float16(number) for number in numbers]
    return arrow.array(numbers, arrow_type)


def _time_array(values: Sequence[Any], arrow_type: Any) -> Any:
    """Return an Arrow array of times of day from their ISO text."""
    arrow = arrow_module("pyarrow")
    if arrow_type == arrow.time64("ns"):
        stamps = [None if value is None else f"1970-01-01T{value}" for value in values]
        return arrow.array(stamps, type=arrow.string()).cast(arrow.timestamp("ns")).cast(arrow_type)
    times = [None if value is None else time.fromisoformat(value) for value in values]
    return arrow.array(times, type=arrow_type)


def _interval_array(values: Sequence[Any], arrow_type: Any) -> Any:
    """Return an Arrow array of intervals from objects with months, days and nanoseconds."""
    arrow = arrow_module("pyarrow")
    intervals = [
        None if value is None else arrow.MonthDayNano([value[part] for part in _INTERVAL_PARTS])
        for value in values
    ]
    return arrow.array(intervals, type=arrow_type)


def _extension_array(values: Sequence[Any], arrow_type: Any) -> Any:
    """Return an Arrow array of an extension type, from values as `values_of` returns them."""
    from uuid import UUID

    converters: dict[str, Callable[[Any], Any]] = {
        "arrow.uuid": lambda text: UUID(text).bytes,
        "arrow.bool8": int,
    }
    to_storage = converters.get(arrow_type.extension_name, lambda value: value)
    stored = [None if value is None else to_storage(value) for value in values]
    arrow = arrow_module("pyarrow")
    return arrow.ExtensionArray.from_storage(
        arrow_type, arrow.array(stored, arrow_type.storage_type)
    )


def arrow_module(name: str) -> Any:
    """Return a pyarrow module; if it is not installed, raise an error that names the extra."""
    return import_extra(name, "pyarrow", "frames")
