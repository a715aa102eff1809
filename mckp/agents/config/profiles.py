"""Profiles of a configuration: what holds for a tokenizer, a model, a kind of agent or a tool.

Each of the four axes has variants by name and an ``active`` one, by default ``auto``: then the
model, the history of sessions and the names of tools decide; see `mckp.agents.config.effective`.
A variant says what settings there are anyway. Names of earlier versions are read as what they mean
now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final

from mckp.agents.config.checks import (
    Check,
    as_table,
    below,
    by_name,
    checks_of,
    each,
    flag,
    gone,
    number,
    one_of,
    section,
    text,
)
from mckp.agents.config.policies import ToolPolicy, policies
from mckp.agents.config.settings import FORMAT, SessionSettings
from mckp.errors import ConfigError

AUTO: Final = "auto"
NONE: Final = "none"
"""The active variant of an axis that shall have no effect."""

Variant = Mapping[str, Any]

_CHECKS: Final = checks_of(SessionSettings)
_SESSION: Final[dict[str, Check]] = {
    **{name: _CHECKS[name] for name in ("lru_size", "near_ref_enabled", "min_body_chars")},
    **{name: _CHECKS[name] for name in ("formats", "heeds_request", "labels", "work_limit")},
    "budget": number(1, kind=int),
}
"""Settings of a session that a model or a kind of agent may have of its own."""

_WHEN: Final = section(
    {
        "min_results": number(0),
        "max_results": number(0),
        "min_compactions": number(0),
        "min_read_share": number(0, 1),
    }
)
_OLD: Final = {
    "context_window": "context",
    "near_ref": "near_ref_enabled",
    "preferred_format": "format",
}
"""Names of keys in earlier files, and the present ones."""


def _formats(value: Any, key: str) -> tuple[str, ...]:
    names: tuple[str, ...] = each(FORMAT, least=1)(
        [value] if isinstance(value, str) else value, key
    )
    return names


def _patterns(value: Any, key: str) -> tuple[str, ...]:
    patterns: tuple[str, ...] = each(text, least=1)(
        [value] if isinstance(value, str) else value, key
    )
    return patterns


_TOOL: Final[dict[str, Check]] = {
    "pattern": _patterns,
    "format": _formats,
    "formats": _formats,
    "hints": each(text),
    "references": flag,
    "near_ref_enabled": flag,
    "min_body_chars": number(0, kind=int),
}
POLICY: Final = tuple(field.name for field in fields(ToolPolicy))
"""What a profile of a tool may say besides: what a policy may."""

_VARIANTS: Final[dict[str, dict[str, Check]]] = {
    "tokenizer": {"tokenizer": text},
    "llm": {**_SESSION, "tokenizer": text, "context": number(1, kind=int)},
    "agent": {**_SESSION, "when": _WHEN, "priority": one_of(("latency", "balanced", "accuracy"))},
}

_HINT: Final[dict[str, Check]] = {"enabled": flag, "models": each(text, least=1)}
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
    """One axis: its variants by name, and the one that holds; ``auto`` decides by itself."""

    active: str = AUTO
    variants: Mapping[str, Variant] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Profiles:
    """The four axes."""

    tokenizer: Axis = Axis()
    llm: Axis = Axis()
    agent: Axis = Axis()
    data: Axis = Axis()


def profiles(table: Any, key: str = "profiles") -> Profiles:
    """Check the table of profiles.

    Examples
    --------
    >>> found = profiles({"llm": {"glm-*": {"budget": 900}}, "data": {"ci": {"pattern": "ci_*"}}})
    >>> found.llm.variants["glm-*"], found.data.variants["ci"]["pattern"]
    ({'budget': 900}, ('ci_*',))
    """
    read = {name: _axis(variant) for name, variant in _VARIANTS.items()}
    return Profiles(**section({**read, "data": _axis(None)})(table, key))


def hints(table: Any, key: str = "hints") -> dict[str, Variant]:
    """Check the policy of hints: by type, whether, for which models, and how often at most."""
    by_type: dict[str, Variant] = _HINTS(table, key).get("types", {})
    return by_type


def _axis(checks: Mapping[str, Check] | None) -> Check:
    """Return the check of an axis; without checks it is that of tools."""
    variant = _of_tool if checks is None else _renamed(section(checks))

    def read(value: Any, key: str) -> Axis:
        table = as_table(value, key)
        active = text(table.pop("active", AUTO), below(key, "active"))
        inner = by_name(variant)(table.pop("variants", {}), below(key, "variants"))
        direct = {name: content for name, content in table.items() if not gone(key, name)}
        return Axis(active, {**inner, **by_name(variant)(direct, key)})

    return read


def _renamed(check: Check) -> Check:
    def read(value: Any, key: str) -> Any:
        return check(
            {_OLD.get(name, name): content for name, content in as_table(value, key).items()}, key
        )

    return read


def _of_tool(value: Any, key: str) -> Variant:
    """Check what holds for some tools; what a policy may say is checked as one."""
    table = {_OLD.get(name, name): content for name, content in as_table(value, key).items()}
    policy = {
        name: content for name, content in table.items() if name in POLICY and name not in _TOOL
    }
    rest = {name: content for name, content in table.items() if name not in policy}
    known = {**dict.fromkeys(POLICY, _as_it_is), **_TOOL}
    checked: dict[str, Any] = section(known)(rest, key)
    try:
        policies({"x": policy})
    except ConfigError as error:
        raise ConfigError(error.message, key=key) from None
    return {**checked, **policy}


def _as_it_is(value: Any, _: str) -> Any:
    return value
