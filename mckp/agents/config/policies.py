"""The policy for the results of one tool: a budget, what matters, and how results are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, cast

from mckp.agents.config.checks import (
    as_table,
    not_allowed_error,
    string,
    subkey,
    unknown_name_error,
)
from mckp.agents.config.rules import CHECKS, RuleSource, ToolRule, budget_check
from mckp.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.weights.models import WeightsLike


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """What is set for the results of one tool; a value that is None is not set.

    A value that is not set comes from the policy of a less specific pattern, such as ``mcp__ci__*``
    for ``mcp__ci__jobs``, or else from the settings for all tools.

    Attributes
    ----------
    budget : int or None
        The most tokens of a result.
    priorities : mapping of str to float, "pin" or "drop", or None
        Factors on what fields are worth, by path, as for `mckp.encode`; only for data.
    formats : str or tuple of str or None
        The formats that its data may be written in.
    weights : str or callable or None
        What parts are worth within a budget.
    query : str or None
        A question about its results, so that what is related to it is kept.
    leave : bool or None
        Whether its results are sent unchanged. No budget cuts them.
    exact : bool or None
        Whether its results are always written whole, in the shortest form. No budget cuts them.
    fold : bool or None
        Whether lines of its texts that differ only in numbers are cut before others.
    kind : str or None
        The kind of its texts, one that was added with `mckp.texts.register` or a ``kinds.toml``.
    references : bool or None
        Whether repeats of its results become references.
    near_ref_enabled : bool or None
        Whether near repeats become references with their differences.
    min_body_chars : int or None
        A result of fewer characters is sent as it came, and never referred to.

    Raises
    ------
    ConfigError
        If a value is not allowed. Weights that are not a single name are only checked when they are
        used.

    Examples
    --------
    >>> ToolPolicy(budget=500, priorities={"**.log": 0.1}).budget
    500
    """

    budget: int | None = None
    priorities: Mapping[str, Any] | None = None
    formats: str | tuple[str, ...] | None = None
    weights: WeightsLike | None = None
    query: str | None = None
    leave: bool | None = None
    exact: bool | None = None
    fold: bool | None = None
    kind: str | None = None
    references: bool | None = None
    near_ref_enabled: bool | None = None
    min_body_chars: int | None = None

    def __post_init__(self) -> None:
        """Check the values, and replace those that can be written in several ways."""
        for name in POLICY:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, CHECKS[name](value, name))

    def values(self) -> dict[str, Any]:
        """Return the values that are set, by name."""
        values = {name: getattr(self, name) for name in POLICY}
        return {name: value for name, value in values.items() if value is not None}


POLICY: Final = tuple(item.name for item in fields(ToolPolicy))
"""The values that a policy may set."""


def policy_values(value: Any, key: str) -> dict[str, Any]:
    """Return the values that a policy, a table or a budget sets; raise a `ConfigError` if wrong.

    Examples
    --------
    >>> policy_values({"budget": "1k", "leave": False}, "policies.ci"), policy_values(300, "x")
    ({'budget': 1000, 'leave': False}, {'budget': 300})
    """
    if isinstance(value, ToolPolicy):
        return value.values()
    if isinstance(value, int | str) and not isinstance(value, bool):
        return {"budget": budget_check(value, key)}
    if not isinstance(value, Mapping):
        raise not_allowed_error(key, value, "a table, a ToolPolicy or a budget")
    table = cast("Mapping[str, Any]", value)
    if wrong := [name for name in table if name not in POLICY]:
        raise unknown_name_error(subkey(key, wrong[0]), wrong[0], POLICY)
    values = {name: item for name, item in table.items() if item is not None}
    return {name: CHECKS[name](item, subkey(key, name)) for name, item in values.items()}


def policy_rules(
    table: Any,
    key: str = "policies",
    source: RuleSource = RuleSource.OPTION,
    origin: Callable[[str], str] = str,
) -> list[ToolRule]:
    """Return a rule for each name or pattern in a table of policies; see `policy_values`.

    `key` is the key of the table, and `origin` makes the origin of a rule from its own key.

    Examples
    --------
    >>> [(rule.tool, rule.sets) for rule in policy_rules({"mcp__ci__*": {"budget": 300}})]
    [('mcp__ci__*', {'budget': 300})]
    """
    rules: list[ToolRule] = []
    for pattern, value in as_table(table, key).items():
        place = subkey(key, string(pattern, key))
        try:
            rules.append(ToolRule(policy_values(value, place), pattern, source, origin(place)))
        except ConfigError as error:
            raise ConfigError(error.message, key=error.key or place) from None
    return rules
