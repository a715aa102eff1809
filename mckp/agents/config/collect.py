"""The effective settings of a session: a pure function of a configuration, a model and a history.

`mckp.agents.config.rules` says which rule counts for a tool. A built-in kind of agent changes
nothing that a file sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.checks import subkey
from mckp.agents.config.policies import POLICY
from mckp.agents.config.profiles import AUTO, NONE
from mckp.agents.config.rules import ALL, CHECKS, OF_SESSION, RuleSource, ToolRule, values_for
from mckp.agents.config.settings import SessionSettings
from mckp.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mckp.agents.config.config import Config
    from mckp.agents.config.profiles import Axis, Variant

DEFAULT_TOKENIZER: Final = "o200k"
SHARE_OF_CONTEXT: Final = 4
"""The context of a model divided by this is the budget of a result, if nothing else sets one."""

CLASSES: Final = {
    "anthropic_class": "claude_estimate",
    "openai_o200k": "o200k",
    "openai_cl100k": "cl100k",
    "ollama_bpe": "open_estimate",
}
"""Tokenizers in earlier files that stand for many models, and what counts for them now."""

AGENTS: Final[Mapping[str, Variant]] = {
    "marathon_refactor": {
        "near_ref_enabled": True,
        "lru_size": 10,
        "when": {"min_results": 500, "min_compactions": 3},
    },
    "file_search_heavy": {
        "work_limit": 1_000_000,
        "when": {"max_results": 200, "min_read_share": 0.5},
    },
}
"""Built-in kinds of agents; the first that fits is chosen."""
_PRIORITIES: Final = {"latency": 1_000_000, "accuracy": None}


@dataclass(frozen=True, slots=True)
class Habits:
    """Average figures of sessions.

    Attributes
    ----------
    results : float
        The number of tool results.
    compactions : float
        The number of times the context was summarised.
    read_share : float
        The share of results of tools that only read: files, searches and pages.
    """

    results: float = 0.0
    compactions: float = 0.0
    read_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Effective:
    """The effective settings of a session, and where they come from.

    Attributes
    ----------
    tokenizer : str
        The tokenizer.
    settings : SessionSettings
        The settings of the session.
    model, agent : str or None
        The model and the kind of agent that they are for, if known.
    why : mapping of str to str
        For ``tokenizer``, ``model`` and ``agent``, where it comes from.
    """

    tokenizer: str
    settings: SessionSettings
    model: str | None
    agent: str | None
    why: Mapping[str, str]


def effective(
    config: Config,
    *,
    model: str | None = None,
    habits: Habits | None = None,
    tokenizer: str | None = None,
) -> Effective:
    r"""Return the settings that a configuration gives for a model and a history of sessions.

    Parameters
    ----------
    config : Config
        The content of the files.
    model : str, optional
        The model that reads; by default the active one of ``profiles.llm``.
    habits : Habits, optional
        Figures of earlier sessions; without them, no kind of agent is chosen.
    tokenizer : str, optional
        The tokenizer; it overrides the files. If it is the name of a model, and no `model` is
        given, it is also the model.

    Raises
    ------
    ConfigError
        If the active variant of ``profiles.agent`` or ``profiles.data`` does not exist.

    Examples
    --------
    >>> from mckp.agents.config import loads
    >>> own = '[profiles.llm."glm-*"]\nbudget = 500'
    >>> config = loads(f"schema_version = 2\n[mckp]\nbudget = 900\n{own}")
    >>> effective(config).settings.budget, effective(config, model="glm-5.1").settings.budget
    (900, 500)
    >>> effective(config, model="glm-5.1").settings.of("Bash").origin("budget")
    'profiles.llm."glm-*"'
    """
    why = dict[str, str]()
    agent, why["agent"] = _agent_and_origin(config, habits)
    if model is None and tokenizer is not None and _has_known_tokenizer(tokenizer):
        model = tokenizer
    axis = config.profiles.llm
    why["model"] = "option" if model is not None else "default"
    if model is None and axis.active not in (AUTO, NONE):
        model, why["model"] = axis.active, "profiles.llm.active"
    name: str | None = None
    profile: Variant = {}
    if model is not None and axis.active != NONE:
        name, profile = _matching_variant(axis, model)
    rules = [*config.rules, *_agent_rules(config, agent)]
    if name is not None:
        rules += _model_rules(f"profiles.llm.{subkey('', name)}", profile, tuple(rules))
    rules += _tool_rules(config.profiles.data)
    rules += _hint_rules(config.hints, model)
    if tokenizer is None:
        tokenizer, why["tokenizer"] = _tokenizer_and_origin(config, model, profile)
    else:
        why["tokenizer"] = "option"
    return Effective(tokenizer, SessionSettings(rules=rules), model, agent, why)


def settings_for(
    config: Config,
    *,
    salt: str = "",
    budget: int | None = None,
    model: str | None = None,
    habits: Habits | None = None,
) -> SessionSettings:
    r"""Return the settings that a configuration gives for a session.

    Parameters
    ----------
    config : Config
        The content of the files.
    salt : str
        The secret of the installation; see `mckp.agents.telemetry.installation_salt`.
    budget : int, optional
        The most tokens of a result: an option for all tools, so what the files set for a tool by
        its name or a pattern counts more.
    model : str, optional
        The model that reads; by default the active one of ``profiles.llm``.
    habits : Habits, optional
        Figures of earlier sessions; without them, no kind of agent is chosen.

    Raises
    ------
    ConfigError
        If the active variant of ``profiles.agent`` or ``profiles.data`` does not exist, or if the
        budget is not allowed.

    Examples
    --------
    >>> from mckp.agents.config import loads
    >>> config = loads("schema_version = 2\n[endpoint_overrides.Read]\ndedup_enabled = false\n")
    >>> settings_for(config).of("Read").references
    False
    """
    settings = effective(config, model=model, habits=habits).settings
    options: dict[str, Any] = {"budget": budget} | ({"salt": salt} if salt else {})
    return SessionSettings(rules=settings.rules, **options)


def _agent_and_origin(config: Config, habits: Habits | None) -> tuple[str | None, str]:
    """Return the kind of agent, or None, and where that comes from.

    It is the active one or, if that is ``auto``, the first that fits the habits.
    """
    axis = config.profiles.agent
    profiles = _agents_of(axis)
    if axis.active == NONE:
        return None, "profiles.agent.active"
    if axis.active != AUTO:
        _find_variant(profiles, axis.active, "agent")
        return axis.active, "profiles.agent.active"
    for name, profile in profiles.items():
        if _fits_habits(profile.get("when"), habits):
            return name, "the history of sessions"
    return None, "default"


def _agents_of(axis: Axis) -> dict[str, Variant]:
    """Return the kinds of agents; those of the file come first, and override built-in ones."""
    return {**axis.variants, **AGENTS, **axis.variants}


def _agent_rules(config: Config, name: str | None) -> Iterator[ToolRule]:
    """Yield the rule of a kind of agent, if there is one."""
    if name is None:
        return
    axis = config.profiles.agent
    profile, place = _agents_of(axis)[name], f"profiles.agent.{subkey('', name)}"
    source = RuleSource.AGENT if name in axis.variants else RuleSource.BUILT_IN
    if profile.get("priority") in _PRIORITIES:
        limit = {"work_limit": _PRIORITIES[profile["priority"]]}
        yield ToolRule(limit, ALL, source, f"{place}.priority")
    yield ToolRule(_values_in(profile), ALL, source, place)


def _values_in(profile: Variant) -> dict[str, Any]:
    """Return what a profile sets, without keys of other meaning."""
    return {name: profile[name] for name in profile if name in CHECKS}


def _model_rules(place: str, profile: Variant, weaker: tuple[ToolRule, ...]) -> Iterator[ToolRule]:
    """Yield the rules of a model's profile; `weaker` are the rules of sections and agents."""
    yield ToolRule(_values_in(profile), ALL, RuleSource.MODEL, place)
    if "context" in profile and "budget" not in profile:
        limit = max(1, profile["context"] // SHARE_OF_CONTEXT)
        budget = values_for(weaker, ALL).budget
        if budget is None or limit < budget:
            yield ToolRule({"budget": limit}, ALL, RuleSource.MODEL, f"{place}.context")


def _tool_rules(axis: Axis) -> Iterator[ToolRule]:
    """Yield the rules of the profiles of tools."""
    active: Mapping[str, Variant] = axis.variants if axis.active == AUTO else {}
    if axis.active not in (AUTO, NONE):
        active = {axis.active: _find_variant(axis.variants, axis.active, "data")}
    for name, profile in active.items():
        sets = {key: profile[key] for key in POLICY if key in profile}
        if "near_ref" in profile.get("hints", ()):
            sets.setdefault("near_ref_enabled", True)
        for pattern in profile.get("pattern", (name,)):
            yield ToolRule(sets, pattern, RuleSource.PROFILE, f"profiles.data.{subkey('', name)}")


_SWITCHES: Final = {"label": "labels", "ref": "references", "near_ref": "near_ref_enabled"}
"""By type of hint, the value that switches it off."""


def _hint_rules(hints: Mapping[str, Variant], model: str | None) -> Iterator[ToolRule]:
    """Yield the rules of hints; one that is disabled or not for the model is switched off."""
    for kind, hint in hints.items():
        place, models = f"hints.types.{kind}", hint.get("models", ("*",))
        is_on = hint.get("enabled", True) and any(
            _covers_model(pattern, model) for pattern in models
        )
        if not is_on:
            yield ToolRule({_SWITCHES[kind]: False}, ALL, RuleSource.SWITCH, place)
        if "max_per_session" in hint:
            most = {"near_refs_most": hint["max_per_session"]}
            yield ToolRule(most, ALL, RuleSource.SWITCH, place)


def _fits_habits(when: Mapping[str, float] | None, habits: Habits | None) -> bool:
    """Whether habits are within the limits of a profile; False without habits or limits."""
    if not when or habits is None:
        return False
    lower = {name[4:]: limit for name, limit in when.items() if name.startswith("min_")}
    upper = {name[4:]: limit for name, limit in when.items() if name.startswith("max_")}
    return all(getattr(habits, name) >= limit for name, limit in lower.items()) and all(
        getattr(habits, name) <= limit for name, limit in upper.items()
    )


def _matching_variant(axis: Axis, name: str) -> tuple[str | None, Variant]:
    """Return the key and the content of the variant for a name.

    It is the one of that name, else that of the longest pattern that matches, else ``default``. If
    there is none, the key is None and the content empty.
    """
    fitting = [key for key in axis.variants if _covers_model(key, name) or key == name]
    if fitting:
        key = max(fitting, key=lambda key: (key == name, len(key)))
        return key, axis.variants[key]
    return ("default", axis.variants["default"]) if "default" in axis.variants else (None, {})


def _tokenizer_and_origin(config: Config, model: str | None, profile: Variant) -> tuple[str, str]:
    """Return the tokenizer, and where that setting comes from.

    If the `profile` of the model names one of `CLASSES`, it is used only if the model's own
    tokenizer is unknown.
    """
    axis = config.profiles.tokenizer
    if axis.active not in (AUTO, NONE):
        variant = axis.variants.get(axis.active, {})
        active: str = variant.get("tokenizer", axis.active)
        return CLASSES.get(active, active), "profiles.tokenizer.active"
    name: str | None = profile.get("tokenizer")
    if name is not None and name in axis.variants:
        name = axis.variants[name].get("tokenizer", name)
    if name is not None and name not in CLASSES:
        return name, "profiles.llm"
    if model is not None and _has_known_tokenizer(model):
        return model, f"the model {model}"
    if name is not None:
        return CLASSES[name], "profiles.llm"
    return DEFAULT_TOKENIZER, "default"


def _has_known_tokenizer(model: str) -> bool:
    """Whether a name is that of a model whose tokenizer is known."""
    from mckp.tokenizers.models import model_of

    return model_of(model) is not None


def _covers_model(pattern: str, model: str | None) -> bool:
    """Whether a pattern covers a model; if the model is not known, only ``*`` covers it."""
    return pattern == "*" or (model is not None and fnmatchcase(model, pattern))


def _find_variant(variants: Mapping[str, Variant], name: str, axis: str) -> Variant:
    """Return the active variant of an axis, given its name; raise a `ConfigError` if unknown."""
    if name not in variants:
        message = f"there is no variant {name!r};{did_you_mean(name, list(variants))}"
        names = ", ".join([AUTO, NONE, *variants])
        raise ConfigError(f"{message} (known: {names})", key=f"profiles.{axis}.active")
    return variants[name]


def described_settings(
    resolved: Effective, tool: str | None = None
) -> Iterator[tuple[str, Any, str]]:
    """Yield the name, the value and the origin of each value for a tool, or for all others.

    Without a `tool`, what is set for some tools only follows, by tool and name.

    Examples
    --------
    >>> from mckp.agents.config import Config
    >>> [row for row in described_settings(effective(Config()), "Read") if row[0] == "budget"]
    [('budget', None, 'default')]
    """
    for name in ("model", "tokenizer", "agent"):
        yield name, getattr(resolved, name), resolved.why[name]
    settings = resolved.settings
    values = settings.of(ALL if tool is None else tool)
    for name in (*POLICY, *OF_SESSION):
        value = values.may_differ if name == "near_ref_enabled" else getattr(values, name)
        if name == "budget" and tool is not None:
            value = values.limit
        if name != "salt":
            yield name, value, values.origin(name)
    for rule in settings.rules if tool is None else ():
        for name, value in rule.sets.items() if rule.tool != ALL else ():
            yield f"{rule.tool} {name}", value, rule.origin
