"""A configuration, whatever file it came from, and the four axes of its profiles.

The sections of a configuration file, with what holds where they say nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, TypeVar

from mckp.config.checks import (
    ByName,
    Each,
    Flag,
    Inner,
    Named,
    Number,
    OneOf,
    Text,
    Whole,
    below,
    knob,
    knobs,
    plain_over,
    read_over,
    unknown,
)
from mckp.config.hints import HINTS, TYPES, VERBOSITIES, HintRule
from mckp.config.profiles import (
    ACTIVE,
    AGENTS,
    AUTO,
    DATA,
    FORMATS,
    LLMS,
    OLD_NAMES,
    TEMPLATES,
    TOKENIZERS,
    AgentProfile,
    DataProfile,
    LlmProfile,
    TokenizerProfile,
)
from mckp.errors import ConfigError

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


P = TypeVar("P")


def _by_name(known: dict[str, P], otherwise: P) -> Named:
    """Return the check of profiles by name: what one leaves out is as in the one built in."""
    return Named(lambda name: known.get(name, otherwise))


@dataclass(frozen=True, slots=True)
class Axis(Generic[P]):
    """Profiles of one kind."""

    active: str = knob(AUTO, Text())
    variants: dict[str, P] = field(default_factory=dict[str, P])
    built_in: ClassVar[dict[str, Any]] = {}

    def all(self) -> dict[str, P]:
        """Return those built in and those of the file, which win."""
        return {**self.built_in, **self.variants}


@dataclass(frozen=True, slots=True)
class TokenizerAxis(Axis[TokenizerProfile]):
    """Profiles of tokenizers."""

    variants: dict[str, TokenizerProfile] = knobs(dict, _by_name(TOKENIZERS, TokenizerProfile()))
    built_in: ClassVar = TOKENIZERS


@dataclass(frozen=True, slots=True)
class LlmAxis(Axis[LlmProfile]):
    """Profiles of models."""

    variants: dict[str, LlmProfile] = knobs(dict, _by_name(LLMS, LLMS["default"]))
    built_in: ClassVar = LLMS


@dataclass(frozen=True, slots=True)
class AgentAxis(Axis[AgentProfile]):
    """Profiles of ways of working."""

    variants: dict[str, AgentProfile] = knobs(dict, _by_name(AGENTS, AGENTS["default"]))
    built_in: ClassVar = AGENTS


@dataclass(frozen=True, slots=True)
class DataAxis(Axis[DataProfile]):
    """Profiles of what tools return."""

    variants: dict[str, DataProfile] = knobs(dict, _by_name(DATA, DataProfile()))
    built_in: ClassVar = DATA


@dataclass(frozen=True, slots=True)
class Profiles:
    """The four axes."""

    tokenizer: TokenizerAxis = knobs(TokenizerAxis, Inner(TokenizerAxis))
    llm: LlmAxis = knobs(LlmAxis, Inner(LlmAxis))
    agent: AgentAxis = knobs(AgentAxis, Inner(AgentAxis))
    data: DataAxis = knobs(DataAxis, Inner(DataAxis))


SCHEMA_VERSION: Final = 2
"""The newest version of the schema, and the one that is written."""


_FACTORS: Final = ByName(Number(0, 1000), of_paths=True)


def _override(_: str) -> Override:
    return Override()


@dataclass(frozen=True, slots=True)
class Config:
    """All that can be said about how sessions write results.

    Every value has a default, and every section can be left out.

    Examples
    --------
    >>> Config().dedup.lru_size, Config().profiles.llm.active
    (5, 'auto')
    """

    dedup: Dedup = knobs(Dedup, Inner(Dedup))
    templates: Templates = knobs(Templates, Inner(Templates))
    mckp: Encoding = knobs(Encoding, Inner(Encoding))
    telemetry: Telemetry = knobs(Telemetry, Inner(Telemetry))
    endpoint_overrides: dict[str, Override] = knobs(dict, Named(_override))
    salience: dict[str, dict[str, float]] = knobs(dict, ByName(_FACTORS))
    profiles: Profiles = knobs(Profiles, Inner(Profiles))
    hints: Hints = knobs(Hints, Inner(Hints))

    @classmethod
    def of_table(cls, table: dict[str, Any]) -> Config:
        """Read what a file of the current version says, without its version.

        Raises
        ------
        ConfigError
            With the key, for whatever is unknown or not allowed.
        """
        config = read_over(cls(), table, "")
        _check_names(config)
        return config

    def to_table(self) -> dict[str, Any]:
        """Return what is no default, as TOML has it.

        Examples
        --------
        >>> Config().to_table()
        {}
        """
        return plain_over(self, Config())


def _check_names(config: Config) -> None:
    axes = config.profiles
    for axis in ("tokenizer", "llm", "agent", "data"):
        section = getattr(axes, axis)
        names = (AUTO, *section.all())
        if section.active not in names:
            raise unknown(f"profiles.{axis}.active", section.active, names, "profile")
    for name, llm in axes.llm.variants.items():
        if llm.tokenizer not in axes.tokenizer.all():
            place = below(below("profiles.llm.variants", name), "tokenizer")
            raise unknown(place, llm.tokenizer, axes.tokenizer.all(), "profile")
    for name, data in axes.data.variants.items():
        if not data.pattern:
            place = below("profiles.data.variants", name)
            raise ConfigError("the name of a tool is missing: add pattern", key=place)
    if config.telemetry.share_endpoints_with_team and config.telemetry.team_salt is None:
        raise ConfigError(
            "sharing with a team takes a salt that all of it have: add team_salt, 16 characters "
            "or more",
            key="telemetry",
        )
