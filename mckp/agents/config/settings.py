"""The settings of a session, each with its default and its check."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.checks import (
    array_of,
    by_name,
    checked_field,
    checks_of,
    flag,
    number,
    one_of,
    pattern,
    string,
    text,
)
from mckp.agents.config.policies import ToolPolicy, best_match, policies, policy_of
from mckp.budgets import checked_budget
from mckp.encoders import ALL, LEVELS
from mckp.errors import ConfigError, UnknownNameError
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

_OLD_NAMES: Final = {
    "csv_from_md": "csv",
    "deep_mckp": "json",
    "deep_mckp_inner_table": "mckp_v2",
    "json_compact": "json",
    "mr_diff_fence": "native",
    "pipeline_deep_mckp": "native",
}
"""Format names in earlier files, and the present names; ``native`` chooses by tokens."""

FORMAT: Final = one_of((*LEVELS, *(format_.name for format_ in ALL)), _OLD_NAMES)
"""The check for a level or format."""


_FACTORS: Final = by_name(number(0, 1000), pattern)


def _check_budget(value: Any, key: str) -> int | None:
    """Return a budget in tokens, or None; raise a `ConfigError` for anything else."""
    try:
        return checked_budget(value)
    except ValueError as error:
        raise ConfigError(str(error), key=key) from None


def _check_whole_or_none(value: Any, key: str) -> int | None:
    """Return a whole number, or None; raise a `ConfigError` for anything else."""
    return None if value is None else int(number(0, kind=int)(value, key))


def _check_formats(value: Any, key: str) -> tuple[str, ...]:
    """Return the names in a value: one or an array; whether such formats exist is not checked."""
    names: tuple[str, ...] = array_of(text, least=1)(
        [value] if isinstance(value, str) else value, key
    )
    return names


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The settings of a session.

    Attributes
    ----------
    lru_size : int
        The number of latest texts in a context that an exact repeat may refer to.
    enabled_per_endpoint : mapping of str to bool
        By tool or pattern, whether repeats of its results become references; by default they do.
    near_ref_enabled : bool
        Whether near repeats become references with a delta.
    near_ref_per_endpoint : mapping of str to bool
        The same by tool or pattern.
    near_refs_most : int or None
        The most references with a delta in a session, or None for no limit.
    min_body_chars : int
        A result of fewer characters is sent as it came, and never referred to.
    min_body_per_endpoint : mapping of str to int
        The same by tool or pattern.
    salience : mapping of str to mapping
        By tool, factors on what fields of its results are worth within a budget, by path; see
        `mckp.weights.Priorities`.
    preferred_formats : mapping of str to str
        The only format for the results of a tool, by a prefix of its name; the longest matching
        prefix counts.
    policies : mapping of str to ToolPolicy
        Policies for the results of tools, by name or pattern such as ``mcp__ci__*``. A name has
        precedence over patterns, and a longer pattern over a shorter one. Policies have precedence
        over `salience`, `preferred_formats` and `budget`.
    formats : str or tuple of str
        The formats that may be used, as for `mckp.encode`.
    heeds_request : bool
        Whether what a cut result keeps depends on what the agent seems to ask for.
    labels : bool
        Whether results get a label, which references to them need.
    labels_raw : bool
        Whether results that are sent as they came get a label, so that repeats can refer to them.
    budget : int or None
        The most tokens of a response, or None for no limit.
    work_limit : int or None
        The most operations of the solver for one response, as in `mckp.encode`, or None for its
        default.
    max_bytes : int
        Bytes of memory for texts that can be recalled; the newest text is always kept.
    salt : str
        A secret of this installation, without which nobody can interpret hashes in events.

    Raises
    ------
    ConfigError
        If a setting has the wrong type or is out of range.
    """

    lru_size: int = checked_field(5, number(1, kind=int))
    enabled_per_endpoint: Mapping[str, bool] = checked_field(dict, by_name(flag))
    near_ref_enabled: bool = checked_field(False, flag)
    near_ref_per_endpoint: Mapping[str, bool] = checked_field(dict, by_name(flag))
    near_refs_most: int | None = checked_field(None, _check_whole_or_none)
    min_body_chars: int = checked_field(200, number(0, kind=int))
    min_body_per_endpoint: Mapping[str, int] = checked_field(dict, by_name(number(0, kind=int)))
    salience: Mapping[str, Mapping[str, float]] = checked_field(dict, by_name(_FACTORS))
    preferred_formats: Mapping[str, str] = checked_field(dict, by_name(FORMAT))
    policies: Mapping[str, ToolPolicy] = checked_field(dict, policies)
    formats: str | tuple[str, ...] = checked_field(("native",), _check_formats)
    heeds_request: bool = checked_field(True, flag)
    labels: bool = checked_field(True, flag)
    labels_raw: bool = checked_field(True, flag)
    budget: int | None = checked_field(None, _check_budget)
    work_limit: int | None = checked_field(None, _check_whole_or_none)
    max_bytes: int = checked_field(1 << 26, number(0, kind=int))
    salt: str = checked_field("", string)

    def __post_init__(self) -> None:
        """Replace each value by its checked form; raise a `ConfigError` if one is wrong."""
        for name, check in checks_of(type(self)).items():
            object.__setattr__(self, name, check(getattr(self, name), name))

    def may_refer(self, tool: str) -> bool:
        """Whether repeats of a tool's results become references."""
        return best_match(self.enabled_per_endpoint, tool, True)

    def may_differ(self, tool: str) -> bool:
        """Whether near repeats of a tool's results become references with a delta."""
        may = best_match(self.near_ref_per_endpoint, tool, self.near_ref_enabled)
        return may and self.may_refer(tool)

    def policy(self, tool: str) -> ToolPolicy:
        """Return the policy for a tool's results; see `mckp.agents.config.policies.policy_of`."""
        return policy_of(self.policies, tool)

    def budget_of(self, tool: str) -> int | None:
        """Return the token limit of each result of a tool, or None if there is none."""
        policy = self.policy(tool)
        if policy.exact or policy.leave:
            return None
        return self.budget if policy.budget is None else policy.budget

    def min_body_chars_of(self, tool: str) -> int:
        """Return the fewest characters that a tool's result must have to be encoded."""
        return best_match(self.min_body_per_endpoint, tool, self.min_body_chars)

    def preferred(self, tool: str) -> str | None:
        """Return the format that `preferred_formats` gives for a tool's results, or None.

        Policies for the tool, which take precedence, are not considered.

        Examples
        --------
        >>> SessionSettings(preferred_formats={"mcp__ci__": "csv"}).preferred("mcp__ci__get_jobs")
        'csv'
        """
        fitting = [name for name in self.preferred_formats if tool.startswith(name)]
        return self.preferred_formats[max(fitting, key=len)] if fitting else None

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data, for JSON unless weights of a tool are a function."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SessionSettings:
        """Return the settings that `to_dict` returned, after checking them again.

        Settings that no longer exist are ignored. An unknown one raises an `UnknownNameError`, a
        wrong value a `ConfigError`, and data that is no dictionary a `TypeError`.
        """
        if not is_object(data):
            raise TypeError(
                f"settings must be a mapping from names to values, not {type(data).__name__}"
            )
        plain = {name: value for name, value in data.items() if name not in _REMOVED}
        known = [field.name for field in fields(cls)]
        if wrong := [name for name in plain if name not in known]:
            raise UnknownNameError("setting of a session", wrong[0], known)
        return cls(**plain)


_REMOVED: Final = frozenset(
    """
    near_window least_gain inline_json_cost max_inline_nested shape_thresholds sample_rate
    flush_every_n model hints tool_salt active_templates endpoint_overrides hint_verbosity
    recursion_depth invalidates
    """.split()  # noqa: SIM905
)
"""Settings of earlier versions, which stored sessions may still have."""
