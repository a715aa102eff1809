"""Which formats are not tried on what is small, where settings say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.config.formats import expanded
from mckp.session.classify import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.session.classify import Classified
    from mckp.session.settings import SessionSettings


def without_small(seen: Classified, settings: SessionSettings) -> str | tuple[str, ...]:
    """Return the formats of the settings that a response is large enough for.

    Examples
    --------
    >>> from mckp.session import SessionSettings, classify
    >>> settings = SessionSettings(
    ...     formats=("kv", "json"), shape_thresholds={"flat_object_min_fields": 8}
    ... )
    >>> without_small(classify('{"a": 1}', {"a": 1}), settings)
    ('json',)
    """
    taken = {*_too_small(seen, settings)}
    if not taken:
        return settings.formats
    formats = settings.formats
    names = expanded((formats,) if isinstance(formats, str) else formats)
    return tuple(name for name in names if name not in taken) or ("json",)


def _too_small(seen: Classified, settings: SessionSettings) -> Iterator[str]:
    least = settings.shape_thresholds
    if seen.shape is Shape.ARRAY_OF_OBJECTS:
        few = (seen.n_items or 0) < least.get("array_of_objects_min_items", 0)
        stability = least.get("array_of_objects_min_key_stability", 0)
        if few or (seen.key_stability or 0) < stability:
            yield "csv"
    fields = seen.n_fields or 0
    if seen.shape is Shape.FLAT_OBJECT and fields < least.get("flat_object_min_fields", 0):
        yield "kv"
