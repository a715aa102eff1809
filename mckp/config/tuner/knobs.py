"""The knobs of a configuration that decide what repeats, read from its table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

LRU_SIZE: Final = 5
MIN_BODY_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class Knobs:
    """What a replay of marks has to know.

    Attributes
    ----------
    lru_size : int
        Texts of a context that can be referred to.
    near_refs : bool
        Whether near repeats become references with a delta.
    min_body_chars : int
        Bytes below which a result stays as it came.
    enabled, least, templates : mapping
        By endpoint: whether it is referred to, its own ``min_body_chars``, and its template.
    """

    lru_size: int
    near_refs: bool
    min_body_chars: int
    enabled: Mapping[str, bool]
    least: Mapping[str, int]
    templates: Mapping[str, str]

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Knobs:
        """Read the knobs of a configuration as TOML has it; what is not there has defaults.

        Examples
        --------
        >>> Knobs.of({"endpoint_overrides": {"Read": {"dedup_enabled": False}}}).enabled
        {'Read': False}
        """
        dedup, own = _section(table, "dedup"), _section(table, "endpoint_overrides")
        larger = [each["lru_size"] for each in own.values() if "lru_size" in each]
        return cls(
            lru_size=max([dedup.get("lru_size", LRU_SIZE), *larger]),
            near_refs=dedup.get("near_ref_enabled", False),
            min_body_chars=dedup.get("min_body_chars", MIN_BODY_CHARS),
            enabled=_section(dedup, "enabled_per_endpoint") | _column(own, "dedup_enabled"),
            least=_column(own, "min_body_chars"),
            templates=_section(_section(table, "templates"), "endpoint_overrides")
            | _column(own, "template_id"),
        )


def _section(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = table.get(name)
    return found if is_object(found) else {}


def _column(own: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {endpoint: each[name] for endpoint, each in own.items() if name in each}
