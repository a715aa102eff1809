"""From a configuration and what a session is like to what it goes by: a pure function."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mckp.config.effective import Chosen, EffectiveConfig, Endpoints
from mckp.config.hints import EVERY_MODEL, HINTS, applies, best
from mckp.config.profiles import AUTO, LOOK_UP, TokenizerProfile, expanded
from mckp.tokenizers.models import tokenizer_of

if TYPE_CHECKING:
    from mckp.config.config import Config
    from mckp.config.hints import HintRule
    from mckp.config.profiles import LlmProfile


@dataclass(frozen=True, slots=True)
class SessionStats:
    """What a session did so far, or what sessions of its kind did.

    Attributes
    ----------
    event_count, compaction_count : int
        Results of tools, and how often the context was compacted.
    read_share : float
        The share of calls that read or search files.
    """

    event_count: int = 0
    compaction_count: int = 0
    read_share: float = 0.0


@dataclass(frozen=True, slots=True)
class SessionContext:
    """Who reads, and what the session is like.

    Attributes
    ----------
    model_id : str or None
        The id of the model as its API has it.
    stats : SessionStats
        See there.
    """

    model_id: str | None = None
    stats: SessionStats = SessionStats()


MARATHON: Final = (500, 3)
"""Events and compactions from which on a session is a marathon."""

SEARCH: Final = (200, 0.5)
"""Events up to which, and the share of reading from which on, a session searches files."""

_FAMILIES: Final = {"o200k_base": "openai_o200k", "cl100k_base": "openai_cl100k"}
"""Profiles by the tokenizers of the models that no profile knows."""


def resolve(config: Config, context: SessionContext) -> EffectiveConfig:
    """Settle all that a configuration leaves open, for one session.

    Nothing but the arguments is looked at, so the same session gets the same settings
    everywhere.

    Parameters
    ----------
    config : Config
        What the files say.
    context : SessionContext
        Who reads, and what the session did so far.

    Returns
    -------
    EffectiveConfig
        What the session goes by.

    Examples
    --------
    >>> from mckp.config import Config, SessionContext
    >>> found = resolve(Config(), SessionContext("claude-sonnet-4-6-20260201"))
    >>> found.chosen.llm, found.chosen.tokenizer, found.llm.context
    ('claude-sonnet-4.6', 'anthropic_class', 200000)
    """
    axes, chosen = config.profiles, _chosen(config, context)
    llm, agent = axes.llm.all()[chosen.llm], axes.agent.all()[chosen.agent]
    tokenizer = axes.tokenizer.all().get(chosen.tokenizer, TokenizerProfile())
    formats, reasons = _formats(config, llm, tokenizer, chosen)
    near, depth = config.dedup.near_ref_enabled, config.mckp.recursion_depth
    endpoints = Endpoints(config)
    lru_size = endpoints.lru_most()
    return EffectiveConfig(
        model_id=context.model_id,
        chosen=chosen,
        tokenizer=tokenizer,
        llm=llm,
        agent=agent,
        formats=formats,
        templates=config.templates.active,
        lru_size=lru_size,
        hint_verbosity=config.dedup.hint_verbosity or config.hints.default_verbosity,
        near_ref_enabled=agent.near_ref if near is None else near,
        recursion_depth=agent.recursion_depth if depth is None else depth,
        near_window=_near_window(agent.priority, lru_size),
        least_gain=2 / agent.hint_aggressiveness,
        thresholds=config.mckp.shape_thresholds,
        hints=_hints(config, context.model_id or ""),
        endpoints=endpoints,
        telemetry=config.telemetry,
        reasons=reasons,
    )


def agent_of(stats: SessionStats) -> str:
    """Return the profile of a way of working.

    Examples
    --------
    >>> from mckp.config import SessionStats
    >>> agent_of(SessionStats(40, read_share=0.6)), agent_of(SessionStats(500, 3))
    ('file_search_heavy', 'marathon_refactor')
    """
    if stats.event_count >= MARATHON[0] and stats.compaction_count >= MARATHON[1]:
        return "marathon_refactor"
    if stats.event_count <= SEARCH[0] and stats.read_share >= SEARCH[1]:
        return "file_search_heavy"
    return "default"


def _chosen(config: Config, context: SessionContext) -> Chosen:
    """Return the names of the profiles that go with a session."""
    axes, model = config.profiles, context.model_id or ""
    llm = axes.llm.active
    if llm == AUTO:
        llm = best((name for name in axes.llm.all() if name != "default"), model) or "default"
    agent = axes.agent.active if axes.agent.active != AUTO else agent_of(context.stats)
    return Chosen(_tokenizer(config, llm, model), llm, agent)


def _tokenizer(config: Config, llm: str, model: str) -> str:
    axes = config.profiles
    if axes.tokenizer.active != AUTO:
        return axes.tokenizer.active
    if llm == "default" and axes.llm.active == AUTO and model:
        known = tokenizer_of(model)  # a model without a profile still has a family
        if known is not None:
            return _FAMILIES.get(known, known)
    return axes.llm.all()[llm].tokenizer


def _formats(
    config: Config, llm: LlmProfile, tokenizer: TokenizerProfile, chosen: Chosen
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the formats that are enabled and that suit the model, and why others do not."""
    enabled = expanded(config.mckp.formats_enabled)
    reasons: list[str] = []
    if llm.prefer_explicit_keys and LOOK_UP & {*enabled}:
        enabled = tuple(name for name in enabled if name not in LOOK_UP)
        names = ", ".join(sorted(LOOK_UP))
        reasons.append(f"{names}: the profile {chosen.llm} prefers explicit keys")
    if tokenizer.toon_overhead > 1 and "toon" in enabled:
        enabled = tuple(name for name in enabled if name != "toon")
        cost = f"{tokenizer.toon_overhead:g} times the tokens of compact JSON"
        reasons.append(f"toon: it takes {cost} with {chosen.tokenizer}")
    return enabled or ("json",), tuple(reasons)


def _near_window(priority: str, lru_size: int) -> int:
    return {"latency": 1, "balanced": (lru_size + 1) // 2}.get(priority, lru_size)


def _hints(config: Config, model: str) -> dict[str, HintRule]:
    rules = {**HINTS, **config.hints.types}
    return {kind: _for_model(rule, model) for kind, rule in rules.items()}


def _for_model(rule: HintRule, model: str) -> HintRule:
    """Return a rule that needs no look at the model any more."""
    enabled = rule.enabled and applies(rule.applies_to_models, model)
    return replace(rule, enabled=enabled, applies_to_models=EVERY_MODEL)
