"""A configuration with nothing left open: what one session goes by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mckp.config.hints import HintGate

if TYPE_CHECKING:
    from mckp.config.endpoints import Endpoint, Endpoints
    from mckp.config.hints import HintRule
    from mckp.config.profiles import AgentProfile, LlmProfile, TokenizerProfile
    from mckp.config.sections import ShapeThresholds, Telemetry


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
