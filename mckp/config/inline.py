"""Which formats suit a value for a reader to whom JSON in cells of tables costs extra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.config.formats import INLINE, expanded
from mckp.jsontext import dumped, is_array, is_container, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.config.effective import EffectiveConfig


def formats_for(effective: EffectiveConfig, value: Any) -> tuple[str, ...]:
    """Return the formats that a value may be written in.

    Where JSON in a cell costs more than its tokens, formats that write it are left out for
    tables with a cell of more than `max_inline_nested` characters of it.

    Examples
    --------
    >>> from mckp.config import Config, SessionContext, resolve
    >>> rows = [{"id": 1, "tags": ["x" * 99]}]
    >>> claude = resolve(Config(), SessionContext("claude-sonnet-4.6"))
    >>> "csv" in formats_for(claude, [{"id": 1}]), "csv" in formats_for(claude, rows)
    (True, False)
    """
    if effective.tokenizer.inline_json_cost <= 1:
        return effective.formats
    return suiting(effective.formats, value, effective.llm.max_inline_nested)


def suiting(formats: str | tuple[str, ...], value: Any, most: int) -> tuple[str, ...]:
    """Return formats without those that write long JSON in cells, if a value has such cells.

    Examples
    --------
    >>> suiting(("csv", "json"), [{"tags": ["a", "b"]}], 4)
    ('json',)
    """
    names = (formats,) if isinstance(formats, str) else formats
    if not any(len(dumped(each)) > most for each in nested_cells(value)):
        return names
    left = tuple(name for name in expanded(names) if name not in INLINE)
    return left or ("json",)


def nested_cells(value: Any) -> Iterator[Any]:
    """Yield every array and object that is a member of a record of an array.

    Examples
    --------
    >>> list(nested_cells({"jobs": [{"id": 1, "tags": ["a"]}]}))
    [['a']]
    """
    open_ = [value]
    while open_:
        found = open_.pop()
        if is_object(found):
            open_.extend(found.values())
        elif is_array(found):
            records = [each for each in found if is_object(each)]
            members = (each for record in records for each in record.values())
            yield from (each for each in members if each and is_container(each))
            open_.extend(found)
