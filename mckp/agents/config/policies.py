"""The policy for the results of one tool: a budget, what matters, and how results are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from mckp.agents.config.checks import as_table, not_allowed_error, subkey, unknown_name_error
from mckp.budgets import checked_budget
from mckp.encoders import select
from mckp.errors import ConfigError, MckpError
from mckp.weights.models import NAMES
from mckp.weights.priority import Priorities

if TYPE_CHECKING:
    from mckp.weights.models import WeightsLike

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """The rules for the results of one tool; None means the same as for other tools.

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
    leave : bool
        Whether its results are sent unchanged. No budget cuts them.
    exact : bool
        Whether its results are always written whole, in the shortest form. No budget cuts them.
    fold : bool
        Whether lines of its texts that differ only in numbers are cut before others.

    Raises
    ------
    ValueError
        If a value is not allowed; often a `ConfigError`, which is a `ValueError`. Weights
        that are not a single name are only checked when they are used.

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
    leave: bool = False
    exact: bool = False
    fold: bool = True

    def __post_init__(self) -> None:
        """Check the values, and replace a budget or formats that can be written in several ways."""
        object.__setattr__(self, "budget", checked_budget(self.budget))
        if self.budget == 0:
            raise not_allowed_error("budget", 0, "a number of tokens, 1 or more")
        if self.formats is not None:
            given = [self.formats] if isinstance(self.formats, str) else self.formats
            if not isinstance(cast("object", given), Iterable):
                raise not_allowed_error("formats", given, "a name or an array of names")
            names = list(given)
            select(names)
            object.__setattr__(self, "formats", tuple(names))
        if self.priorities is not None:
            object.__setattr__(self, "priorities", as_table(self.priorities, "priorities"))
            Priorities(self.priorities)
        if isinstance(self.weights, str) and self.weights not in NAMES:
            raise unknown_name_error("weights", self.weights, NAMES, "weights")
        for name in ("leave", "exact", "fold"):
            if not isinstance(getattr(self, name), bool):
                raise not_allowed_error(name, getattr(self, name), "true or false")
        if not isinstance(cast("object", self.query), str | None):
            raise not_allowed_error("query", self.query, "a string")


_NAMES: Final = [field.name for field in fields(ToolPolicy)]
NONE: Final = ToolPolicy()
"""The policy of a tool without one."""


def policies(table: Any, key: str = "policies") -> dict[str, ToolPolicy]:
    """Return a policy for each name or pattern in a table; its values are policies or become them.

    A value that is a table or a budget becomes a `ToolPolicy`. `key` is the key of the table
    itself, for the message of the `ConfigError` that is raised if a value is wrong.

    Examples
    --------
    >>> policies({"mcp__ci__*": {"budget": 300}})["mcp__ci__*"].budget
    300
    """
    checked: dict[str, ToolPolicy] = {}
    for pattern, value in as_table(table, key).items():
        place = subkey(key, pattern)
        try:
            checked[pattern] = value if isinstance(value, ToolPolicy) else _as_policy(value, place)
        except ConfigError as error:
            raise ConfigError(error.message, key=error.key or place) from None
        except (MckpError, ValueError, TypeError) as error:
            raise ConfigError(str(error), key=place) from None
    return checked


def _as_policy(value: Any, key: str) -> ToolPolicy:
    """Return the policy that a table or a budget gives; raise an error if it is wrong."""
    if isinstance(value, int | str) and not isinstance(value, bool):
        return ToolPolicy(checked_budget(value))
    if not isinstance(value, Mapping):
        raise not_allowed_error(key, value, "a table, a ToolPolicy or a budget")
    table = cast("Mapping[str, Any]", value)
    if wrong := [name for name in table if name not in _NAMES]:
        raise unknown_name_error(subkey(key, wrong[0]), wrong[0], _NAMES)
    return ToolPolicy(**table)


def policy_of(policies: Mapping[str, ToolPolicy], tool: str) -> ToolPolicy:
    """Return the policy of a tool: by its name, else by the longest pattern, else `NONE`.

    Examples
    --------
    >>> given = policies({"*": 900, "mcp__*": 500, "mcp__ci__jobs": 300})
    >>> [policy_of(given, tool).budget for tool in ("Bash", "mcp__git__log", "mcp__ci__jobs")]
    [900, 500, 300]
    """
    return best_match(policies, tool, NONE)


def best_match(by_name: Mapping[str, T], name: str, default: T) -> T:
    """Return the value for a name: by the name, else by the longest pattern, else the default.

    Examples
    --------
    >>> [best_match({"mcp__*": False}, tool, True) for tool in ("mcp__ci__jobs", "Bash")]
    [False, True]
    """
    if name in by_name:
        return by_name[name]
    fitting = [pattern for pattern in by_name if fnmatchcase(name, pattern)]
    return by_name[max(fitting, key=len)] if fitting else default
