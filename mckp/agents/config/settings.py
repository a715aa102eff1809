"""The settings of a session: rules, and what they give for each tool."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.checks import as_table, checked_values, subkey
from mckp.agents.config.policies import policy_rules, policy_values
from mckp.agents.config.rules import ALL, CHECKS, RuleSource, ToolRule, ToolSettings, values_for
from mckp.errors import UnknownNameError
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from mckp.agents.config.policies import ToolPolicy

_FORMER: Final = {
    "enabled_per_endpoint": "references",
    "near_ref_per_endpoint": "near_ref_enabled",
    "min_body_per_endpoint": "min_body_chars",
    "salience": "priorities",
    "preferred_formats": "formats",
}
"""Former arguments with one value for each tool, and the values that they set now."""

_FORMER_METHODS: Final = {
    "budget_of": "limit",
    "may_refer": "references",
    "may_differ": "may_differ",
    "min_body_chars_of": "min_body_chars",
    "policy": "",
}
"""Former methods with a tool as argument, and the values of `ToolSettings` that they returned."""

_SETTINGS: Final = tuple(
    name
    for name in CHECKS
    if name
    not in (
        "priorities",
        "weights",
        "query",
        "leave",
        "exact",
        "fold",
        "kind",
        "structured",
        "fields",
    )
)
"""The values that `SessionSettings` takes for all tools."""

_REMOVED: Final = frozenset(
    """
    near_window least_gain inline_json_cost max_inline_nested shape_thresholds sample_rate
    flush_every_n model hints tool_salt active_templates endpoint_overrides hint_verbosity
    recursion_depth invalidates
    """.split()  # noqa: SIM905
)
"""Settings of earlier versions, which stored sessions may still have."""


class SessionSettings:
    """The settings of a session, for all tools and for some.

    Parameters
    ----------
    policies : mapping of str to ToolPolicy, int or str, optional
        What is set for the results of some tools, by name or pattern such as ``mcp__ci__*``: a
        `ToolPolicy`, or just a budget. A name counts before patterns, a longer pattern before a
        shorter one, and all of these before what is set for all tools. This is decided for each
        value by itself.
    rules : iterable of ToolRule, optional
        Weaker rules, such as those of files: the `rules` of other settings.
    **options
        What is set for all tools:

        budget : int or str
            The most tokens of a result.
        formats : str or tuple of str
            The formats that may be used, as for `mckp.encode`; ``native`` by default.
        references : bool
            Whether repeats become references; they do by default.
        near_ref_enabled : bool
            Whether near repeats become references with a delta; they do not by default.
        near_refs_most : int
            The most references with a delta in a session.
        lru_size : int
            The number of latest texts in a context that an exact repeat may refer to; 5 by default.
        min_body_chars : int
            A result of fewer characters, 200 by default, is sent as it came, and never referred to.
        heeds_request : bool
            Whether what a cut result keeps depends on what the agent seems to ask for; it does by
            default.
        labels : bool
            Whether results get a label, which references to them need; they do by default.
        labels_raw : bool
            Whether results that are sent as they came get one, so that repeats can refer to them.
        refers_again : bool
            Whether a text may be referred to several times; it may by default. Without it, a text
            that comes again after a reference is sent in full. This is for hosts that remove texts
            from the context without saying so, such as those of the proxy and of hooks.
        short_names : bool
            Whether long ids, such as UUIDs and hashes, become names such as ``@p3``, the same in
            all results. They do not by default: whoever runs the calls of the model must put the
            ids back, as the proxy does, and `MessageEncoder.resolve` for others.
        work_limit : int
            The most operations of the solver for one result, as in `mckp.encode`.
        max_bytes : int
            Bytes of memory for texts that can be recalled; the newest text is always kept.
        salt : str
            A secret of this installation, without which nobody can interpret hashes in events.

    Raises
    ------
    ConfigError
        If a value has the wrong type or is out of range.
    UnknownNameError
        If an option does not exist.

    Examples
    --------
    >>> settings = SessionSettings(budget=900, policies={"mcp__ci__*": 300, "mcp__ci__log": "2k"})
    >>> [settings.of(tool).budget for tool in ("Bash", "mcp__ci__jobs", "mcp__ci__log")]
    [900, 300, 2000]
    >>> settings.of("mcp__ci__log").origin("budget")
    'policies.mcp__ci__log'
    """

    __slots__ = ("_known", "rules")

    rules: tuple[ToolRule, ...]
    """The rules, the weakest source first."""

    if TYPE_CHECKING:  # the values for tools for which nothing else is set; see `__getattr__`
        budget: int | None
        formats: tuple[str, ...]
        references: bool
        near_ref_enabled: bool
        near_refs_most: int | None
        lru_size: int
        min_body_chars: int
        heeds_request: bool
        labels: bool
        labels_raw: bool
        refers_again: bool
        short_names: bool
        work_limit: int | None
        max_bytes: int
        salt: str

    def __init__(
        self,
        *,
        policies: Mapping[str, ToolPolicy | int | str] | None = None,
        rules: Iterable[ToolRule] = (),
        **options: Any,
    ) -> None:
        own = list(_former_rules(options))
        for name, value in options.items():
            if name not in _SETTINGS:
                raise UnknownNameError("setting of a session", name, [*_SETTINGS, "policies"])
            checked = CHECKS[name](value, name)
            if checked is not None:
                own.append(ToolRule({name: checked}, ALL, RuleSource.OPTION, name))
        own += policy_rules({} if policies is None else policies)
        self.rules = tuple(rule for rule in (*rules, *own) if rule.sets)
        self._known = dict[str, ToolSettings]()

    def of(self, tool: str) -> ToolSettings:
        """Return all that applies to the results of a tool, and where each value comes from."""
        known = self._known.get(tool)
        if known is None:
            known = self._known[tool] = values_for(self.rules, tool)
        return known

    def __getattr__(self, name: str) -> Any:
        """Return a value for tools for which nothing else is set."""
        if name in _FORMER_METHODS:
            return partial(self._former_method, name)
        if name not in CHECKS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.of(ALL), name)

    def _former_method(self, name: str, tool: str) -> Any:
        """Return what a former method returned for a tool, with a warning."""
        value = _FORMER_METHODS[name]
        now = f"SessionSettings.of(tool).{value}".rstrip(".")
        message = f"SessionSettings.{name}(tool) is {now} now"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(self.of(tool), value) if value else self.of(tool)

    @property
    def has_budgets(self) -> bool:
        """Whether the results of any tool have a token limit."""
        return any(rule.sets.get("budget") is not None for rule in self.rules)

    @property
    def answer_budget(self) -> int | None:
        """The most tokens of an answer to a recall, or None for no limit.

        It is the budget for all tools or, if there is none, the largest one of any tool.
        """
        budgets = [rule.sets["budget"] for rule in self.rules if rule.sets.get("budget")]
        return self.of(ALL).budget or max(budgets, default=None)

    def __eq__(self, other: object) -> bool:
        """Whether other settings have the same rules, wherever these come from."""
        return isinstance(other, SessionSettings) and self.rules == other.rules

    def __hash__(self) -> int:
        """Return a hash that is equal for equal settings."""
        return hash(tuple((rule.tool, rule.source) for rule in self.rules))

    def __repr__(self) -> str:
        return f"SessionSettings(rules={self.rules!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what to pickle: the rules."""
        return _with_rules, (self.rules,)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data, for JSON unless weights of a tool are a function."""
        return {
            "rules": [
                [rule.tool, rule.source.name.lower(), rule.origin, dict(rule.sets)]
                for rule in self.rules
            ]
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the settings that `to_dict` returned, after checking them again.

        Those of earlier versions are read, too, and settings that no longer exist are ignored. An
        unknown one raises an `UnknownNameError`, a wrong value a `ConfigError`, and data that is no
        dictionary a `TypeError`.
        """
        if not is_object(data):
            raise TypeError(
                f"settings must be a mapping from names to values, not {type(data).__name__}"
            )
        if "rules" in data:
            if wrong := [name for name in data if name not in ("rules", *_REMOVED)]:
                raise UnknownNameError("setting of a session", wrong[0], ["rules"])
            return cls(rules=[_read_rule(plain) for plain in data["rules"]])
        plain = {name: value for name, value in data.items() if name not in _REMOVED}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return cls(**plain)


def _with_rules(rules: tuple[ToolRule, ...]) -> SessionSettings:
    """Return the settings with given rules."""
    return SessionSettings(rules=rules)


def _read_rule(plain: Any) -> ToolRule:
    """Return a rule that `SessionSettings.to_dict` wrote; raise an error if it is damaged."""
    tool, source, origin, sets = plain
    values = as_table(sets, "rules")
    if wrong := [name for name in values if name not in CHECKS]:
        raise UnknownNameError("setting of a session", wrong[0], CHECKS)
    return ToolRule(
        checked_values(CHECKS, values), str(tool), RuleSource[str(source).upper()], str(origin)
    )


def _former_rules(options: dict[str, Any]) -> Iterable[ToolRule]:
    """Yield the rules of former arguments in options, which are removed, with a warning."""
    for former, name in _FORMER.items():
        if former not in options:
            continue
        for pattern, value in as_table(options.pop(former), former).items():
            sets = policy_values({name: value}, subkey(former, pattern))
            advice = f"policies={{{pattern!r}: ToolPolicy({name}=...)}}"
            warnings.warn(f"{former} is {advice} now", DeprecationWarning, stacklevel=4)
            # The former preference of formats was for all names that begin so.
            for end in ("", ALL) if former == "preferred_formats" else ("",):
                yield ToolRule(sets, f"{pattern}{end}", RuleSource.OPTION, former)
