"""Which hints a session may give, and how often: rules, and the one gate that all hints pass."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final

from mckp.config.checks import Each, Flag, Text, Whole
from mckp.config.knobs import knob
from mckp.config.models import applies
from mckp.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

VERBOSITIES: Final = ("terse", "standard", "verbose")

EVERY_MODEL: Final = ("*",)


@dataclass(frozen=True, slots=True)
class HintRule:
    """When a type of hint may be given.

    Attributes
    ----------
    enabled : bool
        Whether it may be at all.
    max_per_session : int
        How often.
    applies_to_models : tuple of str
        Names of models, or patterns with ``*``; see `mckp.config.models.applies`.
    """

    enabled: bool = knob(True, Flag())
    max_per_session: int = knob(1_000_000, Whole(0, 1_000_000))
    applies_to_models: tuple[str, ...] = knob(EVERY_MODEL, Each(Text()))


HINTS: Final = {
    "reference": HintRule(),
    "label": HintRule(),
    "near_ref": HintRule(True, 50),
    "timestamp_ref": HintRule(True, 100),
    "delta": HintRule(False, 20),
    "schema_explainer": HintRule(False),
    "inline_format_hint": HintRule(True, 10, ("gpt-oss:20b", "gemma4:26b")),
}
"""Rules where nothing else is said.

A `Session` gives ``reference``, ``label`` and ``near_ref``; rules for the others are read, kept and
checked for programs that give such hints through a `HintGate` of their own. ``schema_explainer``
is off since it was measured not to help.
"""

TYPES: Final = tuple(HINTS)


class HintGate:
    """Says of each hint of one session whether it may be given, and counts those that may.

    Parameters
    ----------
    rules : mapping, optional
        Rules by type; `HINTS` holds for types that it leaves out.

    Examples
    --------
    >>> gate = HintGate({"near_ref": HintRule(max_per_session=1)})
    >>> gate.allow("near_ref", "glm-5.1"), gate.allow("near_ref", "glm-5.1")
    (True, False)
    >>> gate.may("inline_format_hint", "glm-5.1"), gate.may("inline_format_hint", "gemma4:26b")
    (False, True)
    """

    def __init__(self, rules: Mapping[str, HintRule] | None = None) -> None:
        self._rules = {**HINTS, **(rules or {})}
        self._given: Counter[str] = Counter()
        self._lock = Lock()

    def allow(self, kind: str, model: str) -> bool:
        """Whether a hint may be given to a model now; if so, it counts as given.

        Parameters
        ----------
        kind : str
            The type of the hint, one of `TYPES`.
        model : str
            The id of the model that will read it, never a pattern.

        Raises
        ------
        UnknownNameError
            For a type that does not exist.
        """
        with self._lock:
            if not self.may(kind, model):
                return False
            self._given[kind] += 1
            return True

    def may(self, kind: str, model: str) -> bool:
        """Whether a hint might be given, of which nothing is counted yet; see `allow`."""
        rule = self._rule(kind)
        named = rule.enabled and applies(rule.applies_to_models, model)
        return named and self._given[kind] < rule.max_per_session

    def fill(self, given: Mapping[str, int]) -> None:
        """Count what another gate of the same session gave."""
        with self._lock:
            self._given.update(given)

    def given(self) -> dict[str, int]:
        """Return how many hints of each type were given."""
        with self._lock:
            return {kind: count for kind, count in self._given.items() if count}

    def _rule(self, kind: str) -> HintRule:
        if kind not in self._rules:
            raise UnknownNameError("type of hint", kind, self._rules)
        return self._rules[kind]
