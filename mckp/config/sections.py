"""The sections of a configuration file, with what holds where they say nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mckp.config.checks import ByName, Each, Flag, Number, OneOf, Text, Whole
from mckp.config.hints import HINTS, TYPES, VERBOSITIES, HintRule
from mckp.config.knobs import Inner, Named, knob, knobs
from mckp.config.profiles import ACTIVE, FORMATS, OLD_NAMES, TEMPLATES

MAX_ENTRIES: Final = 100_000
MAX_CHARS: Final = 1_000_000_000
_TEMPLATE: Final = OneOf(tuple(TEMPLATES))


@dataclass(frozen=True, slots=True)
class Dedup:
    """Repeats: how many results are remembered, and when they become references."""

    lru_size: int = knob(5, Whole(1, MAX_ENTRIES))
    enabled_per_endpoint: dict[str, bool] = knobs(dict, ByName(Flag()))
    hint_verbosity: str | None = knob(None, OneOf(VERBOSITIES))
    near_ref_enabled: bool | None = knob(None, Flag())
    min_body_chars: int = knob(200, Whole(0, MAX_CHARS))


@dataclass(frozen=True, slots=True)
class Templates:
    """Which templates there are, and which tools get one."""

    active: tuple[str, ...] = knob(ACTIVE, Each(_TEMPLATE))
    endpoint_overrides: dict[str, str] = knobs(dict, ByName(_TEMPLATE))


@dataclass(frozen=True, slots=True)
class ShapeThresholds:
    """From which size on a shape is worth a format of its own."""

    markdown_table_min_cols: int = knob(2, Whole(1, MAX_ENTRIES))
    array_of_objects_min_items: int = knob(4, Whole(1, MAX_CHARS))
    array_of_objects_min_key_stability: float = knob(0.7, Number(0, 1))
    flat_object_min_fields: int = knob(8, Whole(1, MAX_CHARS))


@dataclass(frozen=True, slots=True)
class Encoding:
    """How results are written; the section is called ``mckp``."""

    recursion_depth: int | None = knob(None, Whole(0, 64))
    formats_enabled: tuple[str, ...] = knob(("native",), Each(OneOf(FORMATS, OLD_NAMES), least=1))
    shape_thresholds: ShapeThresholds = knobs(ShapeThresholds, Inner(ShapeThresholds))


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What is written down about results, how long it stays, and with whom it may be shared."""

    enabled: bool = knob(False, Flag())
    path: str | None = knob(None, Text())
    sample_rate: float = knob(1.0, Number(0, 1))
    flush_every_n: int = knob(25, Whole(1, MAX_ENTRIES))
    rotate_mib: int = knob(100, Whole(1, 1 << 20))
    most_mib: int = knob(1000, Whole(1, 1 << 20))
    event_days: int = knob(30, Whole(1, 3650))
    session_days: int = knob(90, Whole(1, 3650))
    share_endpoints_with_team: bool = knob(False, Flag())
    team_salt: str | None = knob(None, Text(least=16, most=200))
    share_with_provider: dict[str, bool] = knobs(dict, ByName(Flag()))


@dataclass(frozen=True, slots=True)
class Override:
    """What is different for one tool."""

    dedup_enabled: bool | None = knob(None, Flag())
    lru_size: int | None = knob(None, Whole(1, MAX_ENTRIES))
    template_id: str | None = knob(None, _TEMPLATE)
    min_body_chars: int | None = knob(None, Whole(0, MAX_CHARS))


def _rule(kind: str) -> HintRule:
    return HINTS[kind]


@dataclass(frozen=True, slots=True)
class Hints:
    """How long hints are, and when each type may be given."""

    default_verbosity: str = knob("standard", OneOf(VERBOSITIES))
    types: dict[str, HintRule] = knobs(dict, Named(_rule, TYPES))
