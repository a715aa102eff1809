"""Rules for the results of tools: whom each is for, what it sets, and where it comes from.

Every table of a file, every option and every argument becomes a rule. To find a value for a tool,
`SessionSettings.of` takes the most specific rule that sets it: one for the tool's own name, else
one for the longest pattern. Of equally specific rules, the one from the strongest source counts.
This is decided for each value by itself, and here only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import IntEnum
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.checks import (
    array_of,
    as_table,
    checked_field,
    cut_middle,
    flag,
    not_allowed_error,
    number,
    string,
    text,
    unknown_name_error,
)
from mckp.budgets import checked_budget
from mckp.errors import ConfigError, MckpError
from mckp.weights.priority import Priorities

if TYPE_CHECKING:
    from mckp.weights.models import WeightsLike

ALL: Final = "*"
"""The pattern of a rule for all tools."""


class RuleSource(IntEnum):
    """Where a rule comes from, the weakest first."""

    BUILT_IN = 0
    """A built-in kind of agent, which changes nothing that a file sets."""
    SECTION = 1
    """A section of a file, such as ``[mckp]``, or weights that were learnt."""
    AGENT = 2
    MODEL = 3
    PROFILE = 4
    """The profile of a tool."""
    POLICY = 5
    SERVER = 6
    """The entry of a server in ``mcpServers``."""
    OPTION = 7
    """An option of a command, or an argument of a caller."""
    SWITCH = 8
    """A switch, which counts before all others, even before more specific ones."""


_OLD_FORMATS: Final[dict[str, str]] = {
    "csv_from_md": "csv",
    "deep_mckp": "json",
    "deep_mckp_inner_table": "mckp_v2",
    "json_compact": "json",
    "mr_diff_fence": "native",
    "pipeline_deep_mckp": "native",
}
"""Format names in earlier files, and the present names; ``native`` chooses by tokens."""


def budget_check(value: Any, key: str) -> int | None:
    """Return a budget in tokens, or None; raise a `ConfigError` for anything else."""
    try:
        budget = checked_budget(value)
    except (ValueError, TypeError) as error:
        raise ConfigError(str(error), key=key) from None
    if budget == 0:
        raise not_allowed_error(key, 0, "a number of tokens, 1 or more")
    return budget


def formats_check(value: Any, key: str) -> tuple[str, ...]:
    """Return the formats and levels in a value: one or an array; unknown ones are errors."""
    from mckp.encoders import select  # loads all formats, and few settings name any

    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise not_allowed_error(key, value, "a format, or an array of names")
    given: list[Any] = [value] if isinstance(value, str) else [*value]
    listed: tuple[str, ...] = array_of(text, least=1)(given, key)
    names = tuple(_OLD_FORMATS.get(name, name) for name in listed)
    try:
        select(names)
    except (MckpError, ValueError) as error:
        raise ConfigError(cut_middle(error), key=key) from None
    return names


def _priorities_check(value: Any, key: str) -> dict[str, Any]:
    """Return factors by path as a new table; raise a `ConfigError` if one is wrong."""
    table = as_table(value, key)
    try:
        Priorities(table)
    except (MckpError, ValueError, TypeError) as error:
        raise ConfigError(str(error), key=key) from None
    return table


def _weights_check(value: Any, key: str) -> Any:
    """Return weights; raise a `ConfigError` for an unknown name."""
    from mckp.weights.models import NAMES  # few settings name any

    if isinstance(value, str) and value not in NAMES:
        raise unknown_name_error(key, value, NAMES, "weights")
    return value


def _kind_check(value: Any, key: str) -> str:
    """Return the name of a kind of text that a user added; raise a `ConfigError` for another."""
    from mckp.texts import registered  # few settings name any

    if value not in registered():
        message = f"{value!r} is no kind of text that was added"
        advice = "write it in .mckp/kinds.toml, or add it with mckp.texts.register"
        raise ConfigError(f"{message}; {advice}", key=key)
    return str(value)


def _whole_or_none(value: Any, key: str) -> int | None:
    """Return a whole number, or None; raise a `ConfigError` for anything else."""
    return None if value is None else int(number(0, kind=int)(value, key))


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """All that applies to the results of one tool; `why` says where each value comes from.

    `ToolPolicy` and `SessionSettings` explain the values. Those from `lru_size` on are for a whole
    session, so only rules for all tools set them.
    """

    budget: int | None = checked_field(None, budget_check)
    formats: tuple[str, ...] = checked_field(("native",), formats_check)
    priorities: Mapping[str, Any] = checked_field(dict, _priorities_check)
    weights: WeightsLike | None = checked_field(None, _weights_check)
    query: str | None = checked_field(None, string)
    leave: bool = checked_field(False, flag)
    exact: bool = checked_field(False, flag)
    fold: bool = checked_field(True, flag)
    kind: str | None = checked_field(None, _kind_check)
    references: bool = checked_field(True, flag)
    near_ref_enabled: bool = checked_field(False, flag)
    min_body_chars: int = checked_field(200, number(0, kind=int))
    structured: str = checked_field("auto", text)
    """How the proxy treats structured content: one of `mckp.agents.mcp.STRUCTURED`."""
    fields: tuple[str, ...] = checked_field((), array_of(text))
    """Patterns that select parts of a result in the proxy; empty for all of it."""
    lru_size: int = checked_field(5, number(1, kind=int))
    near_refs_most: int | None = checked_field(None, _whole_or_none)
    heeds_request: bool = checked_field(True, flag)
    work_limit: int | None = checked_field(None, _whole_or_none)
    labels: bool = checked_field(True, flag)
    labels_raw: bool = checked_field(True, flag)
    refers_again: bool = checked_field(True, flag)
    short_names: bool = checked_field(False, flag)
    max_bytes: int = checked_field(1 << 26, number(0, kind=int))
    salt: str = checked_field("", string)
    why: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}), compare=False, repr=False
    )
    """By value, where it comes from; values that are not in it have their defaults."""

    @property
    def is_uncut(self) -> bool:
        """Whether no budget cuts the results, because they are left alone or kept exact."""
        return self.leave or self.exact

    @property
    def limit(self) -> int | None:
        """The most tokens of a result, or None if there is no limit."""
        return None if self.is_uncut else self.budget

    @property
    def may_differ(self) -> bool:
        """Whether near repeats become references with their differences."""
        return self.near_ref_enabled and self.references

    def origin(self, name: str) -> str:
        """Return where a value comes from."""
        return self.why.get(name, "default")


CHECKS: Final = {
    item.name: item.metadata["check"] for item in fields(ToolSettings) if item.name != "why"
}
"""By value, the check for it."""

OF_SESSION: Final = (
    *("lru_size", "near_refs_most", "heeds_request", "work_limit", "labels", "labels_raw"),
    *("refers_again", "short_names", "max_bytes", "salt"),
)
"""Values that are the same for all tools of a session."""


@dataclass(frozen=True, slots=True)
class ToolRule:
    """What is set for the results of some tools.

    Attributes
    ----------
    sets : mapping of str to object
        Values by name; all of them are in `ToolSettings`, and were checked.
    tool : str
        The tool's name, or a pattern such as ``mcp__ci__*``.
    source : RuleSource
        How strong the rule is among equally specific ones.
    origin : str
        Where it comes from, for people.

    Examples
    --------
    >>> ToolRule({"budget": 300}, "mcp__ci__*").covers("mcp__ci__jobs")
    True
    """

    sets: Mapping[str, Any]
    tool: str = ALL
    source: RuleSource = RuleSource.SECTION
    origin: str = field(default="default", compare=False)

    def covers(self, tool: str) -> bool:
        """Whether the rule is for a tool."""
        return tool == self.tool or fnmatchcase(tool, self.tool)

    def rank(self, tool: str) -> tuple[bool, bool, int, int]:
        """Return how much the rule counts for a tool, among rules that set the same value."""
        length = 0 if self.tool == ALL else len(self.tool)
        return self.source is RuleSource.SWITCH, tool == self.tool, length, self.source


def values_for(rules: tuple[ToolRule, ...], tool: str) -> ToolSettings:
    """Return what rules give for a tool; of rules that rank the same, the later one counts.

    Examples
    --------
    >>> rules = ToolRule({"budget": 900, "leave": True}), ToolRule({"budget": 300}, "mcp__ci__*")
    >>> values = values_for(rules, "mcp__ci__jobs")
    >>> values.budget, values.leave, values_for(rules, "Bash").budget
    (300, True, 900)
    """
    values, why = dict[str, Any](), dict[str, str]()
    for rule in sorted((rule for rule in rules if rule.covers(tool)), key=lambda r: r.rank(tool)):
        values |= rule.sets
        why |= dict.fromkeys(rule.sets, rule.origin)
    return ToolSettings(**values, why=why)
