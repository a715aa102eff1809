"""A configuration with nothing left open: what one session goes by, and what one tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from mckp.config.hints import HintGate
from mckp.config.profiles import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.config.config import Config
    from mckp.config.hints import HintRule
    from mckp.config.profiles import AgentProfile, DataProfile, LlmProfile, TokenizerProfile
    from mckp.config.sections import ShapeThresholds, Telemetry

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
    """

    dedup_enabled: bool
    lru_size: int
    min_body_chars: int
    template_id: str | None = None
    preferred_format: str | None = None
    hint: str | None = None


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
