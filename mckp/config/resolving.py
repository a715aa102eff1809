"""From a configuration and what a session is like to what it goes by: a pure function.

A configuration with nothing left open: what one session goes by, and what one tool.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeVar

from mckp.config.hints import EVERY_MODEL, HINTS, HintGate, applies, best
from mckp.config.profiles import AUTO, LOOK_UP, TEMPLATES, TokenizerProfile, expanded
from mckp.tokenizers.registry import tokenizer_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.config.config import Config, ShapeThresholds, Telemetry
    from mckp.config.hints import HintRule
    from mckp.config.profiles import AgentProfile, DataProfile, LlmProfile

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What goes for the results of one tool.

    Attributes
    ----------
    dedup_enabled : bool
        Whether repeats become references.
    lru_size : int
        How many results are remembered.
    min_body_chars : int
        The size below which results stay as they are.
    template_id : str or None
        The template to try first.
    preferred_format : str or None
        The format to try first, where it is no template.
    hint : str or None
        The type of hint that suits these results.
    salience : dict
        Factors on what their fields are worth, by path.
    """

    dedup_enabled: bool
    lru_size: int
    min_body_chars: int
    template_id: str | None = None
    preferred_format: str | None = None
    hint: str | None = None
    salience: dict[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class Endpoints:
    """What a configuration says of tools.

    Examples
    --------
    >>> from mckp.config.config import Config
    >>> Endpoints(Config()).of(["mcp__gitlab__get_issues"]).template_id
    'csv_from_md'
    """

    config: Config

    def of(self, names: Sequence[str]) -> Endpoint:
        """Return what goes for a tool with these names; the first that is known decides."""
        config = self.config
        override = _first(config.endpoint_overrides, names)
        data = self.data(names)
        wanted = data.preferred_format if data else None
        template = _template(config, names) or (wanted if wanted in TEMPLATES else None)
        enabled = _first(config.dedup.enabled_per_endpoint, names)
        lru, least = config.dedup.lru_size, config.dedup.min_body_chars
        if override is not None:
            enabled = enabled if override.dedup_enabled is None else override.dedup_enabled
            lru = lru if override.lru_size is None else override.lru_size
            least = least if override.min_body_chars is None else override.min_body_chars
        return Endpoint(
            dedup_enabled=enabled is not False,
            lru_size=lru,
            min_body_chars=least,
            template_id=template if template in config.templates.active else None,
            preferred_format=None if wanted in TEMPLATES else wanted,
            hint=data.hints if data else None,
            salience=_first(config.salience, names) or {},
        )

    def data(self, names: Sequence[str]) -> DataProfile | None:
        """Return the profile of a tool's data: the active one, or the longest pattern that fits."""
        axis = self.config.profiles.data
        if axis.active != "auto":
            return axis.all()[axis.active]
        fitting = [
            (name == each.pattern, len(each.pattern), key, each)
            for key, each in sorted(axis.all().items())
            for name in names
            if name.startswith(each.pattern)
        ]
        return max(fitting, key=lambda found: found[:2])[3] if fitting else None

    def lru_most(self) -> int:
        """Return how many results have to be remembered so that every tool has its share."""
        sizes = (each.lru_size or 0 for each in self.config.endpoint_overrides.values())
        return max(self.config.dedup.lru_size, *sizes, 1)


def _template(config: Config, names: Sequence[str]) -> str | None:
    override = _first(config.endpoint_overrides, names)
    if override is not None and override.template_id is not None:
        return str(override.template_id)
    return _first(config.templates.endpoint_overrides, names)


def _first(table: dict[str, V], names: Sequence[str]) -> V | None:
    return next((table[name] for name in names if name in table), None)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The names of the profiles that were chosen."""

    tokenizer: str
    llm: str
    agent: str


@dataclass(frozen=True, slots=True)
class EffectiveConfig:
    """What `mckp.config.resolve` found for one session.

    Attributes
    ----------
    model_id : str or None
        Who reads.
    chosen : Chosen
        The names of the profiles.
    tokenizer, llm, agent
        The profiles themselves.
    formats : tuple of str
        Formats that results may be written in.
    templates : tuple of str
        Templates that may be tried.
    lru_size, hint_verbosity, near_ref_enabled, recursion_depth
        Knobs, after the profiles had their say.
    near_window : int
        How many of the newest results a near repeat is looked for in.
    least_gain : float
        What a hint has to save, as a multiple of its tokens.
    thresholds : ShapeThresholds
        From which size on shapes are worth formats of their own.
    hints : dict
        Rules by type of hint, for this model.
    endpoints : Endpoints
        What is different for some tools.
    telemetry : Telemetry
        What is written down.
    reasons : tuple of str
        Why profiles took something away that the file allows.
    """

    model_id: str | None
    chosen: Chosen
    tokenizer: TokenizerProfile
    llm: LlmProfile
    agent: AgentProfile
    formats: tuple[str, ...]
    templates: tuple[str, ...]
    lru_size: int
    hint_verbosity: str
    near_ref_enabled: bool
    recursion_depth: int
    near_window: int
    least_gain: float
    thresholds: ShapeThresholds
    hints: dict[str, HintRule]
    endpoints: Endpoints
    telemetry: Telemetry
    reasons: tuple[str, ...] = ()

    def endpoint(self, *names: str) -> Endpoint:
        """Return what goes for a tool, under the first of its names that the file knows.

        Parameters
        ----------
        *names
            The name of the tool, then those it has in telemetry, if any.
        """
        return self.endpoints.of(names)

    @property
    def knows_reader(self) -> bool:
        """Whether the model has a profile of its own, so that its context is known."""
        return self.chosen.llm != "default"

    def gate(self) -> HintGate:
        """Return the gate that all hints of one session pass."""
        return HintGate(self.hints)


@dataclass(frozen=True, slots=True)
class SessionStats:
    """What a session did so far, or what sessions of its kind did.

    Attributes
    ----------
    event_count, compaction_count : float
        Results of tools, and how often the context was compacted; of several sessions the mean.
    read_share : float
        The share of calls that read or search files.
    """

    event_count: float = 0
    compaction_count: float = 0
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
