"""What holds in a session: one pure function of a configuration, a model and a history.

What is more particular goes first: an option of the caller, ``policies`` and
``endpoint_overrides``, the profile of a tool, of the model, of the kind of agent, the sections of
the file, the default. A built-in kind of agent changes nothing that a file says.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.policies import ToolPolicy, chosen, policies
from mckp.agents.config.profiles import AUTO, NONE, POLICY
from mckp.agents.config.settings import SessionSettings
from mckp.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mckp.agents.config.config import Config
    from mckp.agents.config.profiles import Axis, Variant

DEFAULT_TOKENIZER: Final = "o200k"
SHARE_OF_CONTEXT: Final = 4
"""A model's context is this many times the budget of a result, if nothing else says a budget."""

CLASSES: Final = {
    "anthropic_class": "claude_estimate",
    "openai_o200k": "o200k",
    "openai_cl100k": "cl100k",
    "ollama_bpe": "open_estimate",
}
"""The tokenizers of earlier files, which stand for many models, and what counts for them now."""

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
"""Kinds of agents that are known without a file, the first that fits first."""
_PRIORITIES: Final = {"latency": 1_000_000, "accuracy": None}


@dataclass(frozen=True, slots=True)
class Habits:
    """What sessions were like, on average.

    Attributes
    ----------
    results : float
        Results of tools.
    compactions : float
        How often the context was summarised.
    read_share : float
        The share of results that only read: of files, searches and pages.
    """

    results: float = 0.0
    compactions: float = 0.0
    read_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Effective:
    """What holds in a session, and why.

    Attributes
    ----------
    tokenizer : str
        What counts tokens.
    settings : SessionSettings
        The settings of the session.
    model, agent : str or None
        The model and the kind of agent that these are for, where they are known.
    why : mapping of str to str
        For ``tokenizer``, ``model``, ``agent`` and each setting what gave it.
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
    r"""Return what a configuration means for a model and a history of sessions.

    Parameters
    ----------
    config : Config
        What the files say.
    model : str, optional
        The model that reads; by default the active one of ``profiles.llm``.
    habits : Habits, optional
        What sessions were like; without it no kind of agent is chosen.
    tokenizer : str, optional
        What counts tokens, whatever the files say; the name of a model is the model, too.

    Raises
    ------
    ConfigError
        If a variant that is active is not there.

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
    resolved = _Values(values, why, config)
    agent = resolved.agent(habits)
    if model is None and tokenizer is not None and _is_known(tokenizer):
        model = tokenizer
    model, variant = resolved.model(model)
    resolved.tools()
    resolved.hints(model)
    counter, source = _tokenizer(config, model, variant)
    if tokenizer is not None:
        counter, source = tokenizer, "option"
    why |= {"tokenizer": source}
    return Effective(counter, SessionSettings(**values), model, agent, why)


def settings_for(
    config: Config,
    *,
    salt: str = "",
    budget: int | None = None,
    model: str | None = None,
    habits: Habits | None = None,
) -> SessionSettings:
    r"""Return the settings of a session that a configuration asks for.

    Parameters
    ----------
    config : Config
        What the files say.
    salt : str
        The secret of the installation; see `mckp.agents.telemetry.installation_salt`.
    budget : int, optional
        Most tokens of a response, in place of what the files say.
    model : str, optional
        The model that reads.
    habits : Habits, optional
        What sessions were like.

    Examples
    --------
    >>> from mckp.agents.config import loads
    >>> config = loads("schema_version = 2\n[endpoint_overrides.Read]\ndedup_enabled = false\n")
    >>> settings_for(config).enabled_per_endpoint
    {'Read': False}
    """
    settings = effective(config, model=model, habits=habits).settings
    return replace(settings, salt=salt, budget=settings.budget if budget is None else budget)


class _Values:
    """The settings of a configuration, over which profiles go one after the other."""

    def __init__(self, values: dict[str, Any], why: dict[str, str], config: Config) -> None:
        self._values, self._why, self._config = values, why, config

    def agent(self, habits: Habits | None) -> str | None:
        """Apply the kind of agent that is active, or that sessions were like; return its name."""
        axis = self._config.profiles.agent
        known = {**axis.variants, **AGENTS, **axis.variants}  # those of the file first
        name, source = axis.active, "profiles.agent.active"
        if name == AUTO:
            fitting = [name for name, rule in known.items() if _fits(rule.get("when"), habits)]
            name, source = (fitting or [NONE])[0], "the history of sessions"
        self._why["agent"] = source if name != NONE else "default"
        if name == NONE:
            return None
        variant = _variant(known, name, "agent")
        place = f"profiles.agent.{_key(name)}"
        self._session(variant, place, is_given=name in axis.variants)
        if variant.get("priority") in _PRIORITIES and "work_limit" not in variant:
            self._put("work_limit", _PRIORITIES[variant["priority"]], f"{place}.priority")
        return name

    def model(self, asked: str | None) -> tuple[str | None, Variant]:
        """Apply the profile of the model; return the model and its profile."""
        axis = self._config.profiles.llm
        self._why["model"] = "option" if asked is not None else "default"
        if axis.active == NONE:
            return asked, {}
        if asked is None and axis.active != AUTO:
            asked, self._why["model"] = axis.active, "profiles.llm.active"
        if asked is None:
            return None, {}
        name, profile = _of_name(axis, asked)
        if name is not None:
            place = f"profiles.llm.{_key(name)}"
            self._session(profile, place, is_given=True)
            if "context" in profile and "budget" not in profile:
                most = max(1, profile["context"] // SHARE_OF_CONTEXT)
                if self._values["budget"] is None or most < self._values["budget"]:
                    self._put("budget", most, f"{place}.context")
        return asked, profile

    def tools(self) -> None:
        """Apply the profiles of tools, below what is said of a tool elsewhere."""
        axis = self._config.profiles.data
        active: Mapping[str, Variant] = axis.variants if axis.active == AUTO else {}
        if axis.active not in (AUTO, NONE):
            active = {axis.active: _variant(axis.variants, axis.active, "data")}
        for name, profile in active.items():
            patterns: tuple[str, ...] = profile.get("pattern", (name,))
            for pattern in patterns:
                self._tool(pattern, profile, f"profiles.data.{_key(name)}")

    def _tool(self, pattern: str, variant: Variant, place: str) -> None:
        policy = {name: variant[name] for name in POLICY if name in variant}
        formats = variant.get("formats", variant.get("format"))
        if formats is not None and self._config.settings.preferred(pattern) is None:
            policy["formats"] = formats
        if policy:
            self._below("policies", pattern, policies({pattern: policy})[pattern], place)
        if "references" in variant:
            self._below("enabled_per_endpoint", pattern, variant["references"], place)
        near = variant.get(
            "near_ref_enabled", True if "near_ref" in variant.get("hints", ()) else None
        )
        if near is not None:
            self._below("near_ref_per_endpoint", pattern, near, place)
        if "min_body_chars" in variant:
            self._below("min_body_per_endpoint", pattern, variant["min_body_chars"], place)

    def hints(self, model: str | None) -> None:
        """Take away the hints that are not for the model."""
        for kind, hint in self._config.hints.items():
            place, models = f"hints.types.{kind}", hint.get("models", ("*",))
            if not hint.get("enabled", True) or not any(
                _is_for(pattern, model) for pattern in models
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

    def _session(self, profile: Variant, place: str, *, is_given: bool) -> None:
        for name, value in profile.items():
            is_said = name in self._config.said and not is_given
            if name in self._values and not is_said:
                self._put(name, value, place)

    def _below(self, name: str, pattern: str, value: Any, place: str) -> None:
        """Add what holds for a pattern, unless it is said elsewhere; policies are joined."""
        before = self._values[name].get(pattern)
        if isinstance(before, ToolPolicy):
            joined = {name_: getattr(before, name_) for name_ in POLICY}
            value = replace(value, **{key: value_ for key, value_ in joined.items() if value_})
        if before is None or isinstance(before, ToolPolicy):
            reason = self._why[name]
            self._why[f"{name}.{pattern}"] = place if before is None else f"{reason}, {place}"
            self._put(name, {**self._values[name], pattern: value}, place)
            if reason not in ("default", place):
                self._why[name] = f"{reason}, {place}"

    def _put(self, name: str, value: Any, place: str) -> None:
        self._values[name], self._why[name] = value, place


def _fits(when: Mapping[str, float] | None, habits: Habits | None) -> bool:
    if not when or habits is None:
        return False
    least = {name[4:]: limit for name, limit in when.items() if name.startswith("min_")}
    most = {name[4:]: limit for name, limit in when.items() if name.startswith("max_")}
    return all(getattr(habits, name) >= limit for name, limit in least.items()) and all(
        getattr(habits, name) <= limit for name, limit in most.items()
    )


def _of_name(axis: Axis, name: str) -> tuple[str | None, Variant]:
    """Return the variant of a name: that of the name, else of the longest pattern, else default."""
    keys = {key: key for key in axis.variants}
    key = chosen(keys, name, "default" if "default" in keys else "")
    return (key, axis.variants[key]) if key else (None, {})


def _tokenizer(config: Config, model: str | None, llm: Variant) -> tuple[str, str]:
    """Return what counts tokens, and what says so.

    A tokenizer of an earlier file that stands for many models counts for those alone whose own is
    not known.
    """
    axis = config.profiles.tokenizer
    if axis.active not in (AUTO, NONE):
        variant = axis.variants.get(axis.active, {})
        named: str = variant.get("tokenizer", axis.active)
        return CLASSES.get(named, named), "profiles.tokenizer.active"
    counter: str | None = llm.get("tokenizer")
    if counter is not None and counter in axis.variants:
        counter = axis.variants[counter].get("tokenizer", counter)
    if counter is not None and counter not in CLASSES:
        return counter, "profiles.llm"
    if model is not None and _is_known(model):
        return model, f"the model {model}"
    if counter is not None:
        return CLASSES[counter], "profiles.llm"
    return DEFAULT_TOKENIZER, "default"


def _is_known(model: str) -> bool:
    from mckp.tokenizers.models import model_of

    return model_of(model) is not None


def _is_for(pattern: str, model: str | None) -> bool:
    return pattern == "*" or (model is not None and fnmatchcase(model, pattern))


def _variant(known: Mapping[str, Variant], name: str, axis: str) -> Variant:
    if name not in known:
        message = f"there is no variant {name!r};{did_you_mean(name, list(known))}"
        names = ", ".join([AUTO, NONE, *known])
        raise ConfigError(f"{message} (known: {names})", key=f"profiles.{axis}.active")
    return known[name]


def _said(policy: ToolPolicy) -> dict[str, Any]:
    """Return what a policy says, as a file has it."""
    settings = {name: getattr(policy, name) for name in POLICY}
    return {name: value for name, value in settings.items() if value not in (None, False)}


def _key(name: str) -> str:
    from mckp.agents.config.checks import below

    return below("", name)


def told(resolved: Effective, tool: str | None = None) -> Iterator[tuple[str, Any, str]]:
    """Yield what holds, as names, values and reasons; of one tool what holds for it.

    Examples
    --------
    >>> from mckp.agents.config import Config
    >>> [row for row in told(effective(Config()), "Read") if row[0] == "budget"]
    [('budget', None, 'default')]
    """
    yield "model", resolved.model, resolved.why["model"]
    yield "tokenizer", resolved.tokenizer, resolved.why["tokenizer"]
    yield "agent", resolved.agent, resolved.why["agent"]
    if tool is None:
        for name, value in resolved.settings.to_dict().items():
            if name == "policies":
                value = {
                    pattern: _said(its_policy)
                    for pattern, its_policy in resolved.settings.policies.items()
                }
            if name != "salt":
                yield name, value, resolved.why[name]
        return
    settings = resolved.settings
    policy = settings.policy(tool)

    def of(name: str) -> str:
        """Return what gave the entry of a setting by tool that counts for this one."""
        entry = chosen({key: key for key in getattr(settings, name)}, tool, "")
        return resolved.why.get(f"{name}.{entry}", resolved.why[name])

    def of_policy(name: str, otherwise: str) -> str:
        return of("policies") if getattr(policy, name) else resolved.why[otherwise]

    def of_tool(name: str, otherwise: str) -> str:
        is_own = chosen(getattr(settings, name), tool, None) is not None
        return of(name) if is_own else resolved.why[otherwise]

    preferred = settings.preferred(tool)
    factors = settings.salience.get(tool, {}) if policy.priorities is None else policy.priorities
    formats = policy.formats or preferred or settings.formats
    yield "budget", settings.budget_of(tool), of_policy("budget", "budget")
    usual = "formats" if preferred is None else "preferred_formats"
    yield "formats", formats, of_policy("formats", usual)
    yield "references", settings.may_refer(tool), of("enabled_per_endpoint")
    near = of_tool("near_ref_per_endpoint", "near_ref_enabled")
    yield "near references", settings.may_differ(tool), near
    least = of_tool("min_body_per_endpoint", "min_body_chars")
    yield "min_body_chars", settings.min_body_chars_of(tool), least
    yield "worth of fields", dict(factors), of_policy("priorities", "salience")
    for name in ("query", "weights", "leave", "exact"):
        value = getattr(policy, name)
        yield name, value, of("policies") if value else "default"
