"""Which hints a session may give to which model, and how often: rules, and the one gate of all."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from threading import Lock
from typing import TYPE_CHECKING, Final

from mckp.config.checks import Each, Flag, Text, Whole, knob
from mckp.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PARTS: Final = re.compile(r"[a-z]+\d*[a-z]*|\d+[a-z]*")
_REGION: Final = re.compile(r"(?:[a-z]{2,6}\.)?[a-z][a-z0-9]*\.(?=[a-z])")
_SAME: Final = re.compile(
    r"\d{6}|\d{8}|v\d+|latest|preview|beta|exp|thinking|instruct|it|chat|cloud|free|hf|gguf|awq"
    r"|gptq|mlx|q\d\w*|k|m|s|l|xs|xl|fp\d+|bf\d+|int\d+|[248]bit|\d+m|default"
)
"""What may follow a name without making it another model: dates, stages, ways of storing it."""


def normal(model: str) -> tuple[str, ...]:
    """Return the parts of a model's id, without who serves it.

    Examples
    --------
    >>> normal("us.anthropic.claude-sonnet-4-6-20260201-v1:0")
    ('claude', 'sonnet', '4', '6', '20260201', 'v1', '0')
    >>> normal("openai/gpt-oss:20b"), normal("Claude-Sonnet-4.6")
    (('gpt', 'oss', '20b'), ('claude', 'sonnet', '4', '6'))
    """
    name = model.lower().rpartition("/")[2].removeprefix("ft:")
    return tuple(_PARTS.findall(_REGION.sub("", name, count=1)))


def is_model(name: str, model: str) -> bool:
    """Whether an id is one of a name: alike, or with a date, a stage or a way of storing after it.

    Parameters
    ----------
    name : str
        A name as profiles have it, such as ``"claude-sonnet-4.6"``.
    model : str
        An id as an API has it.

    Examples
    --------
    >>> is_model("claude-sonnet-4.6", "claude-sonnet-4-6-20260201")
    True
    >>> is_model("claude-sonnet-4", "claude-sonnet-4-6"), is_model("gpt-4o", "gpt-4o-mini")
    (False, False)
    """
    parts, wanted = normal(model), normal(name)
    if not wanted or parts[: len(wanted)] != wanted:
        return False
    rest = parts[len(wanted) :]
    return all(_follows(rest, place) for place in range(len(rest)))


def _follows(rest: tuple[str, ...], place: int) -> bool:
    # After a date or v1 comes the number of a revision, as in v1:0; elsewhere it is a version.
    part = rest[place]
    revision = part.isdigit() and len(part) <= 2 and place > 0
    return revision or _SAME.fullmatch(part) is not None


def best(names: Iterable[str], model: str) -> str | None:
    """Return the most specific of the names that an id is one of.

    Examples
    --------
    >>> best(["glm-5.1", "gpt-oss:20b"], "z-ai/glm-5.1:free")
    'glm-5.1'
    """
    fitting = [name for name in names if is_model(name, model)]
    return max(fitting, key=lambda name: (len(normal(name)), name), default=None)


def applies(patterns: Iterable[str], model: str) -> bool:
    """Whether a model is meant by any of some names or patterns with ``*``.

    Examples
    --------
    >>> applies(["gpt-oss:20b", "gemma*"], "gemma4:26b"), applies(["*"], "x"), applies([], "x")
    (True, True, False)
    """
    name = model.lower().rpartition("/")[2]
    return any(
        fnmatchcase(name, each.lower()) if "*" in each else is_model(each, model)
        for each in patterns
    )


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
        Names of models, or patterns with ``*``; see `mckp.config.hints.applies`.
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
