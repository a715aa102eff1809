"""The four axes of profiles in a configuration: which one is active, and variants of them."""

from __future__ import annotations

from dataclasses import dataclass

from mckp.config.checks import Text
from mckp.config.knobs import Inner, Named, knob, knobs
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
