"""Profiles of a configuration: settings for a tokenizer, a model, a kind of agent or a tool.

Each of the four axes has variants by name and an ``active`` one. By default that is ``auto``: the
model, the history of sessions and the tool names decide; see `mckp.agents.config.collect`. A
variant sets settings that also exist elsewhere. Names of earlier versions are read with their
present meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from mckp.agents.config.checks import (
    Check,
    array_of,
    as_table,
    by_name,
    flag,
    is_removed,
    number,
    one_of,
    section,
    subkey,
    text,
)
from mckp.agents.config.policies import POLICY, policy_values
from mckp.agents.config.rules import CHECKS

AUTO: Final = "auto"
NONE: Final = "none"
"""The active variant of an axis that has no effect."""

Variant = Mapping[str, Any]

_SESSION: Final[dict[str, Check]] = {
    name: CHECKS[name]
    for name in (
        *("lru_size", "references", "near_ref_enabled", "min_body_chars", "formats"),
        *("heeds_request", "labels", "work_limit", "budget"),
    )
}
"""Values that a profile of a model or of a kind of agent may set."""

_WHEN: Final = section(
    {
        "min_results": number(0),
        "max_results": number(0),
        "min_compactions": number(0),
        "min_read_share": number(0, 1),
    }
)
_PRESENT_NAMES: Final = {
    "context_window": "context",
    "near_ref": "near_ref_enabled",
    "preferred_format": "formats",
    "format": "formats",
}
"""Key names in earlier files, and their present names."""


def _check_patterns(value: Any, key: str) -> tuple[str, ...]:
    """Return the patterns in a value: one or an array; raise a `ConfigError` if one is wrong."""
    patterns: tuple[str, ...] = array_of(text, least=1)(
        [value] if isinstance(value, str) else value, key
    )
    return patterns


_TOOL: Final[dict[str, Check]] = {"pattern": _check_patterns, "hints": array_of(text)}
"""Keys of the profile of a tool besides those of a policy."""

_VARIANTS: Final[dict[str, dict[str, Check]]] = {
    "tokenizer": {"tokenizer": text},
    "llm": {**_SESSION, "tokenizer": text, "context": number(1, kind=int)},
    "agent": {**_SESSION, "when": _WHEN, "priority": one_of(("latency", "balanced", "accuracy"))},
}

_HINT: Final[dict[str, Check]] = {"enabled": flag, "models": array_of(text, least=1)}
_HINTS: Final = section(
    {
        "types": section(
            {
                "ref": section(_HINT),
                "near_ref": section({**_HINT, "max_per_session": number(0, kind=int)}),
                "label": section(_HINT),
            }
        )
    }
)


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its variants by name, and the active one; ``auto`` lets the session decide."""

    active: str = AUTO
    variants: Mapping[str, Variant] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Profiles:
    """The profiles on the four axes."""

    tokenizer: Axis = Axis()
    llm: Axis = Axis()
    agent: Axis = Axis()
    data: Axis = Axis()


def profiles(table: Any, key: str = "profiles") -> Profiles:
    """Return the profiles in a table; raise a `ConfigError` if one is wrong.

    Examples
    --------
    >>> by_axis = profiles({"llm": {"glm-*": {"budget": 900}}, "data": {"ci": {"format": "csv"}}})
    >>> by_axis.llm.variants["glm-*"], by_axis.data.variants["ci"]["formats"]
    ({'budget': 900}, ('csv',))
    """
    checks = {name: _axis_check(variant) for name, variant in _VARIANTS.items()}
    return Profiles(**section({**checks, "data": _axis_check(None)})(table, key))


def hints(table: Any, key: str = "hints") -> dict[str, Variant]:
    """Return the settings by type of hint in a table; raise a `ConfigError` if one is wrong."""
    by_type: dict[str, Variant] = _HINTS(table, key).get("types", {})
    return by_type


def _axis_check(checks: Mapping[str, Check] | None) -> Check:
    """Return the check for an axis; `checks` are for keys of its variants, or None for tools."""
    check_variant = _check_tool if checks is None else _renaming_check(section(checks))

    def check_axis(value: Any, key: str) -> Axis:
        """Return an axis, with its variants and the form of the name of the active one checked."""
        table = as_table(value, key)
        active = text(table.pop("active", AUTO), subkey(key, "active"))
        inner_table = table.pop("variants", {})
        inner_variants = by_name(check_variant)(inner_table, subkey(key, "variants"))
        direct_table = {
            name: content for name, content in table.items() if not is_removed(key, name)
        }
        return Axis(active, {**inner_variants, **by_name(check_variant)(direct_table, key)})

    return check_axis


def _renaming_check(check: Check) -> Check:
    """Return a check that gives keys of earlier versions their present names, then checks."""

    def read(value: Any, key: str) -> Any:
        """Return the checked table, with the present names."""
        return check(
            {
                _PRESENT_NAMES.get(name, name): content
                for name, content in as_table(value, key).items()
            },
            key,
        )

    return read


def _check_tool(value: Any, key: str) -> Variant:
    """Return the profile of a tool; raise a `ConfigError` if a key or a value is wrong."""
    table = {
        _PRESENT_NAMES.get(name, name): content for name, content in as_table(value, key).items()
    }
    sets = {name: table.pop(name) for name in list(table) if name in POLICY}
    checked: dict[str, Any] = section({**dict.fromkeys(POLICY, flag), **_TOOL})(table, key)
    return {**checked, **policy_values(sets, key)}
