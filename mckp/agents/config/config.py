"""The keys of a configuration file and their meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.checks import (
    Check,
    array_of,
    by_name,
    checked_field,
    checks_of,
    flag,
    number,
    section,
    text,
)
from mckp.agents.config.profiles import Profiles, Variant, hints, profiles
from mckp.agents.config.settings import FORMAT, SessionSettings
from mckp.agents.places import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA_VERSION: Final = VERSIONS["configuration"]
"""The newest version of the schema."""


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Whether telemetry is written, where, how much of it, and for how long it is kept.

    The README in this folder explains each field.
    """

    enabled: bool = checked_field(False, flag)
    path: str | None = checked_field(None, text)
    most_mib: int = checked_field(1000, number(1, kind=int))
    event_days: int = checked_field(30, number(1, kind=int))


_CHECKS: Final = checks_of(SessionSettings)
_DEDUP: Final = ("lru_size", "enabled_per_endpoint", "near_ref_enabled", "min_body_chars")
_OVERRIDES: Final[dict[str, tuple[str, Check]]] = {
    "dedup_enabled": ("enabled_per_endpoint", flag),
    "format": ("preferred_formats", FORMAT),
    "min_body_chars": ("min_body_per_endpoint", number(0, kind=int)),
    "near_ref_enabled": ("near_ref_per_endpoint", flag),
}
"""Keys for one tool, each with the setting that it changes and its check."""

SECTIONS: Final[dict[str, dict[str, Check]]] = {
    "dedup": {name: _CHECKS[name] for name in _DEDUP},
    "mckp": {
        "budget": number(1, kind=int),
        "formats_enabled": array_of(FORMAT, least=1),
        "heeds_request": flag,
        "work_limit": number(0, kind=int),
    },
    "telemetry": checks_of(Telemetry),
}
"""The sections of a file with one key per setting, and the checks of the keys."""

_FILE: Final = section(
    {
        **{name: section(checks) for name, checks in SECTIONS.items()},
        "endpoint_overrides": by_name(
            section({name: check for name, (_, check) in _OVERRIDES.items()})
        ),
        "policies": _CHECKS["policies"],
        "profiles": profiles,
        "hints": hints,
        "salience": _CHECKS["salience"],
    }
)


@dataclass(frozen=True, slots=True)
class Config:
    """The content of configuration files: session settings, profiles, hints and telemetry."""

    settings: SessionSettings = field(default_factory=SessionSettings)
    """The settings in the sections; `mckp.agents.config.effective` adds those of profiles."""
    telemetry: Telemetry = field(default_factory=Telemetry)
    profiles: Profiles = field(default_factory=Profiles)
    hints: Mapping[str, Variant] = field(default_factory=lambda: MappingProxyType({}))
    """By type of hint: whether it is used, for which models, and how often at most."""
    said: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    """By setting, the key that it comes from, and the file if it is known."""

    @classmethod
    def of_table(cls, table: dict[str, Any], origin: Mapping[str, str] | None = None) -> Config:
        """Return the configuration in the table of a file, without its version.

        `origin` has the file that each key, such as ``mckp.budget``, comes from. A `ConfigError` is
        raised if a key or a value is wrong.
        """
        sections: dict[str, Any] = _FILE(table, "")
        values: dict[str, Any] = {**sections.get("dedup", {}), **sections.get("mckp", {})}
        origins = {
            name: _origin_of_key(f"{part}.{name}", origin)
            for part in ("dedup", "mckp")
            for name in sections.get(part, {})
        }
        if "formats_enabled" in values:
            values["formats"] = values.pop("formats_enabled")
            origins["formats"] = origins.pop("formats_enabled")
        for tool, overrides in sections.get("endpoint_overrides", {}).items():
            for name, value in overrides.items():
                setting, _ = _OVERRIDES[name]
                values[setting] = {**values.get(setting, {}), tool: value}
                origins[setting] = _origin_of_key(f"endpoint_overrides.{tool}", origin)
        for name in ("policies", "salience"):
            if values.setdefault(name, sections.get(name, {})):
                origins[name] = _origin_of_key(name, origin)
        settings = SessionSettings(**values)
        return cls(
            settings,
            Telemetry(**sections.get("telemetry", {})),
            sections.get("profiles", Profiles()),
            sections.get("hints", {}),
            origins,
        )


def _origin_of_key(key: str, origin: Mapping[str, str] | None) -> str:
    """Return where a key comes from: the key, with its file if that is known."""
    file = (origin or {}).get(key)
    return f"{key} in {file}" if file else key
