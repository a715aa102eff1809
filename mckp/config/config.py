"""A configuration, whatever file it came from, and the four axes of its profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from mckp.config.checks import Text, below, unknown
from mckp.config.knobs import Inner, Named, knob, knobs, plain_over, read_over
from mckp.config.profiles import (
    AGENTS,
    AUTO,
    DATA,
    LLMS,
    TOKENIZERS,
    AgentProfile,
    DataProfile,
    LlmProfile,
    TokenizerProfile,
)
from mckp.config.sections import Dedup, Encoding, Hints, Override, Telemetry, Templates
from mckp.errors import ConfigError


def _tokenizer(name: str) -> TokenizerProfile:
    return TOKENIZERS.get(name, TokenizerProfile())


def _llm(name: str) -> LlmProfile:
    return LLMS.get(name, LLMS["default"])


def _agent(name: str) -> AgentProfile:
    return AGENTS.get(name, AGENTS["default"])


def _data(name: str) -> DataProfile:
    return DATA.get(name, DataProfile())


@dataclass(frozen=True, slots=True)
class TokenizerAxis:
    """Profiles of tokenizers."""

    active: str = knob(AUTO, Text())
    variants: dict[str, TokenizerProfile] = knobs(dict, Named(_tokenizer))

    def all(self) -> dict[str, TokenizerProfile]:
        """Return those built in and those of the file, which win."""
        return {**TOKENIZERS, **self.variants}


@dataclass(frozen=True, slots=True)
class LlmAxis:
    """Profiles of models."""

    active: str = knob(AUTO, Text())
    variants: dict[str, LlmProfile] = knobs(dict, Named(_llm))

    def all(self) -> dict[str, LlmProfile]:
        """Return those built in and those of the file, which win."""
        return {**LLMS, **self.variants}


@dataclass(frozen=True, slots=True)
class AgentAxis:
    """Profiles of ways of working."""

    active: str = knob(AUTO, Text())
    variants: dict[str, AgentProfile] = knobs(dict, Named(_agent))

    def all(self) -> dict[str, AgentProfile]:
        """Return those built in and those of the file, which win."""
        return {**AGENTS, **self.variants}


@dataclass(frozen=True, slots=True)
class DataAxis:
    """Profiles of what tools return."""

    active: str = knob(AUTO, Text())
    variants: dict[str, DataProfile] = knobs(dict, Named(_data))

    def all(self) -> dict[str, DataProfile]:
        """Return those built in and those of the file, which win."""
        return {**DATA, **self.variants}


@dataclass(frozen=True, slots=True)
class Profiles:
    """The four axes."""

    tokenizer: TokenizerAxis = knobs(TokenizerAxis, Inner(TokenizerAxis))
    llm: LlmAxis = knobs(LlmAxis, Inner(LlmAxis))
    agent: AgentAxis = knobs(AgentAxis, Inner(AgentAxis))
    data: DataAxis = knobs(DataAxis, Inner(DataAxis))


SCHEMA_VERSION: Final = 2
"""The newest version of the schema, and the one that is written."""


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
