"""The effective settings of a session: a pure function of a configuration, a model and a history.

The more specific wins, in this order: an option of the caller, ``policies`` and
``endpoint_overrides``, the profile of a tool, of the model, of the kind of agent, the sections of
the file, the default. A built-in kind of agent changes nothing that a file sets.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.policies import ToolPolicy, best_match, policies
from mckp.agents.config.profiles import AUTO, NONE, POLICY
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
        For ``tokenizer``, ``model``, ``agent`` and each setting, where it comes from.
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
    >>> effective(config, model="glm-5.1").why["budget"]
    'profiles.llm."glm-*"'
    """
    values = {
        setting.name: getattr(config.settings, setting.name) for setting in fields(SessionSettings)
    }
    why = {name: config.said.get(name, "default") for name in values}
    resolver = _Resolver(values, why, config)
    agent = resolver.apply_agent(habits)
    if model is None and tokenizer is not None and _has_known_tokenizer(tokenizer):
        model = tokenizer
    model, profile = resolver.apply_model(model)
    resolver.apply_tools()
    resolver.apply_hints(model)
    if tokenizer is None:
        tokenizer, why["tokenizer"] = _tokenizer_and_origin(config, model, profile)
    else:
        why["tokenizer"] = "option"
    return Effective(tokenizer, SessionSettings(**values), model, agent, why)


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
        The token limit of a response; it replaces that of the session in the files, but not those
        of policies for tools.
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
    >>> settings_for(config).enabled_per_endpoint
    {'Read': False}
    """
    settings = effective(config, model=model, habits=habits).settings
    return replace(settings, salt=salt, budget=settings.budget if budget is None else budget)


class _Resolver:
    """The settings of a session while profiles are applied to them, one after the other."""

    def __init__(self, values: dict[str, Any], why: dict[str, str], config: Config) -> None:
        """Begin with settings by name, and where each comes from; both dictionaries are changed."""
        self._values, self._why, self._config = values, why, config

    def apply_agent(self, habits: Habits | None) -> str | None:
        """Apply the profile of the kind of agent, and return its name, or None if there is none.

        The kind is the active one or, if that is ``auto``, the first that fits the habits.
        """
        axis = self._config.profiles.agent
        # Those of the file come first, and override built-in ones.
        profiles = {**axis.variants, **AGENTS, **axis.variants}
        name, origin = axis.active, "profiles.agent.active"
        if name == AUTO:
            fitting = [
                name
                for name, profile in profiles.items()
                if _fits_habits(profile.get("when"), habits)
            ]
            name, origin = (fitting or [NONE])[0], "the history of sessions"
        self._why["agent"] = origin if name != NONE else "default"
        if name == NONE:
            return None
        profile = _find_variant(profiles, name, "agent")
        place = f"profiles.agent.{_toml_key(name)}"
        self._apply_to_session(profile, place, is_from_file=name in axis.variants)
        if profile.get("priority") in _PRIORITIES and "work_limit" not in profile:
            self._put("work_limit", _PRIORITIES[profile["priority"]], f"{place}.priority")
        return name

    def apply_model(self, model: str | None) -> tuple[str | None, Variant]:
        """Apply the profile of the model, and return the model and the profile.

        Without a `model`, it is the active one; if there is none, the result is None and an empty
        profile.
        """
        axis = self._config.profiles.llm
        self._why["model"] = "option" if model is not None else "default"
        if axis.active == NONE:
            return model, {}
        if model is None and axis.active != AUTO:
            model, self._why["model"] = axis.active, "profiles.llm.active"
        if model is None:
            return None, {}
        name, profile = _matching_variant(axis, model)
        if name is not None:
            place = f"profiles.llm.{_toml_key(name)}"
            self._apply_to_session(profile, place, is_from_file=True)
            if "context" in profile and "budget" not in profile:
                limit = max(1, profile["context"] // SHARE_OF_CONTEXT)
                if self._values["budget"] is None or limit < self._values["budget"]:
                    self._put("budget", limit, f"{place}.context")
        return model, profile

    def apply_tools(self) -> None:
        """Apply the profiles of tools; what is set for a tool elsewhere overrides them."""
        axis = self._config.profiles.data
        active: Mapping[str, Variant] = axis.variants if axis.active == AUTO else {}
        if axis.active not in (AUTO, NONE):
            active = {axis.active: _find_variant(axis.variants, axis.active, "data")}
        for name, profile in active.items():
            patterns: tuple[str, ...] = profile.get("pattern", (name,))
            for pattern in patterns:
                self._apply_to_tool(pattern, profile, f"profiles.data.{_toml_key(name)}")

    def _apply_to_tool(self, pattern: str, profile: Variant, place: str) -> None:
        """Apply a profile to the tools that a pattern covers; `place` is where it comes from."""
        policy = {name: profile[name] for name in POLICY if name in profile}
        formats = profile.get("formats", profile.get("format"))
        if formats is not None and self._config.settings.preferred(pattern) is None:
            policy["formats"] = formats
        if policy:
            self._put_for_tool("policies", pattern, policies({pattern: policy})[pattern], place)
        if "references" in profile:
            self._put_for_tool("enabled_per_endpoint", pattern, profile["references"], place)
        near = profile.get(
            "near_ref_enabled", True if "near_ref" in profile.get("hints", ()) else None
        )
        if near is not None:
            self._put_for_tool("near_ref_per_endpoint", pattern, near, place)
        if "min_body_chars" in profile:
            self._put_for_tool("min_body_per_endpoint", pattern, profile["min_body_chars"], place)

    def apply_hints(self, model: str | None) -> None:
        """Apply the settings of hints; one that is disabled or not for the model is turned off."""
        for kind, hint in self._config.hints.items():
            place, models = f"hints.types.{kind}", hint.get("models", ("*",))
            if not hint.get("enabled", True) or not any(
                _covers_model(pattern, model) for pattern in models
            ):
                if kind == "label":
                    self._put("labels", False, place)
                elif kind == "ref":
                    self._put("enabled_per_endpoint", {"*": False}, place)
                else:
                    self._put("near_ref_enabled", False, place)
                    self._put("near_ref_per_endpoint", {}, place)
            if "max_per_session" in hint:
                self._put("near_refs_most", hint["max_per_session"], place)

    def _apply_to_session(self, profile: Variant, place: str, *, is_from_file: bool) -> None:
        """Apply a profile to the session.

        A built-in profile, which is not from a file, changes nothing that a file sets.
        """
        for name, value in profile.items():
            if name in self._values and (is_from_file or name not in self._config.said):
                self._put(name, value, place)

    def _put_for_tool(self, name: str, pattern: str, value: Any, place: str) -> None:
        """Set a value for a pattern in a setting by tool, unless it already has one.

        Policies are merged; what the earlier one sets does not change.
        """
        before = self._values[name].get(pattern)
        if isinstance(before, ToolPolicy):
            earlier = {key: getattr(before, key) for key in POLICY}
            value = replace(value, **{key: content for key, content in earlier.items() if content})
        if before is None or isinstance(before, ToolPolicy):
            origin = self._why[name]
            self._why[f"{name}.{pattern}"] = place if before is None else f"{origin}, {place}"
            self._put(name, {**self._values[name], pattern: value}, place)
            if origin not in ("default", place):
                self._why[name] = f"{origin}, {place}"

    def _put(self, name: str, value: Any, place: str) -> None:
        """Set the value of a setting, and record where it comes from."""
        self._values[name], self._why[name] = value, place


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
    keys = {key: key for key in axis.variants}
    key = best_match(keys, name, "default" if "default" in keys else "")
    return (key, axis.variants[key]) if key else (None, {})


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


def _policy_table(policy: ToolPolicy) -> dict[str, Any]:
    """Return a policy as a table of a file, without the keys that it leaves at their defaults."""
    values = {name: getattr(policy, name) for name in POLICY}
    return {name: value for name, value in values.items() if value not in (None, False)}


def _toml_key(name: str) -> str:
    """Return a name as a TOML key, with quotes if it needs them."""
    from mckp.agents.config.checks import subkey

    return subkey("", name)


def described_settings(
    resolved: Effective, tool: str | None = None
) -> Iterator[tuple[str, Any, str]]:
    """Yield the name, the value and the origin of each effective setting, or of those for a tool.

    Examples
    --------
    >>> from mckp.agents.config import Config
    >>> [row for row in described_settings(effective(Config()), "Read") if row[0] == "budget"]
    [('budget', None, 'default')]
    """
    yield "model", resolved.model, resolved.why["model"]
    yield "tokenizer", resolved.tokenizer, resolved.why["tokenizer"]
    yield "agent", resolved.agent, resolved.why["agent"]
    if tool is None:
        for name, value in resolved.settings.to_dict().items():
            if name == "policies":
                value = {
                    pattern: _policy_table(its_policy)
                    for pattern, its_policy in resolved.settings.policies.items()
                }
            if name != "salt":
                yield name, value, resolved.why[name]
        return
    settings = resolved.settings
    policy = settings.policy(tool)

    def origin(name: str) -> str:
        """Return the origin of the entry for this tool in the setting `name`, or of the setting."""
        pattern = best_match({key: key for key in getattr(settings, name)}, tool, "")
        return resolved.why.get(f"{name}.{pattern}", resolved.why[name])

    def policy_origin(name: str, otherwise: str) -> str:
        """Return the origin of the tool's policy, or of `otherwise` if it does not set `name`."""
        return origin("policies") if getattr(policy, name) else resolved.why[otherwise]

    def tool_origin(name: str, otherwise: str) -> str:
        """Return the origin of the tool's entry in `name`, or of `otherwise` if it has none."""
        is_own = best_match(getattr(settings, name), tool, None) is not None
        return origin(name) if is_own else resolved.why[otherwise]

    preferred = settings.preferred(tool)
    factors = settings.salience.get(tool, {}) if policy.priorities is None else policy.priorities
    formats = policy.formats or preferred or settings.formats
    yield "budget", settings.budget_of(tool), policy_origin("budget", "budget")
    session_setting = "formats" if preferred is None else "preferred_formats"
    yield "formats", formats, policy_origin("formats", session_setting)
    yield "references", settings.may_refer(tool), origin("enabled_per_endpoint")
    near_origin = tool_origin("near_ref_per_endpoint", "near_ref_enabled")
    yield "near references", settings.may_differ(tool), near_origin
    least_origin = tool_origin("min_body_per_endpoint", "min_body_chars")
    yield "min_body_chars", settings.min_body_chars_of(tool), least_origin
    yield "worth of fields", dict(factors), policy_origin("priorities", "salience")
    for name in ("query", "weights", "leave", "exact"):
        value = getattr(policy, name)
        yield name, value, origin("policies") if value else "default"
    yield "fold", policy.fold, "default" if policy.fold else origin("policies")
