"""The keys of a configuration file, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from mckp.agents.config.checks import (
    Check,
    by_name,
    checks_of,
    each,
    flag,
    knob,
    number,
    section,
    text,
)
from mckp.agents.config.settings import FORMAT, SessionSettings
from mckp.agents.places import VERSIONS

SCHEMA_VERSION: Final = VERSIONS["configuration"]
"""The newest version of the schema."""


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Whether telemetry is written, where, how much of it, and how long it stays.

    All fields are checked; the README here explains each.
    """

    enabled: bool = knob(False, flag)
    path: str | None = knob(None, text)
    most_mib: int = knob(1000, number(1, kind=int))
    event_days: int = knob(30, number(1, kind=int))


_CHECKS: Final = checks_of(SessionSettings)
_DEDUP: Final = ("lru_size", "enabled_per_endpoint", "near_ref_enabled", "min_body_chars")
_OVERRIDES: Final[dict[str, tuple[str, Check]]] = {
    "dedup_enabled": ("enabled_per_endpoint", flag),
    "format": ("preferred_formats", FORMAT),
    "min_body_chars": ("min_body_per_endpoint", number(0, kind=int)),
}
"""Keys for one tool: the setting that each goes into, and its check."""

SECTIONS: Final[dict[str, dict[str, Check]]] = {
    "dedup": {name: _CHECKS[name] for name in _DEDUP},
    "mckp": {
        "budget": number(1, kind=int),
        "formats_enabled": each(FORMAT, least=1),
        "heeds_request": flag,
        "work_limit": number(0, kind=int),
    },
    "telemetry": checks_of(Telemetry),
}
"""The sections of a file that have a key for each setting."""

_FILE: Final = section(
    {
        **{name: section(checks) for name, checks in SECTIONS.items()},
        "endpoint_overrides": by_name(
            section({name: check for name, (_, check) in _OVERRIDES.items()})
        ),
        "policies": _CHECKS["policies"],
        "salience": _CHECKS["salience"],
    }
)


@dataclass(frozen=True, slots=True)
class Config:
    """All that a file can say: the settings of sessions, and telemetry."""

    settings: SessionSettings = field(default_factory=SessionSettings)
    telemetry: Telemetry = field(default_factory=Telemetry)

    @classmethod
    def of_table(cls, table: dict[str, Any]) -> Config:
        """Read the table of a file of the current version, without the version."""
        said: dict[str, Any] = _FILE(table, "")
        given: dict[str, Any] = {**said.get("dedup", {}), **said.get("mckp", {})}
        if "formats_enabled" in given:
            given["formats"] = given.pop("formats_enabled")
        for tool, own in said.get("endpoint_overrides", {}).items():
            for name, value in own.items():
                setting, _ = _OVERRIDES[name]
                given[setting] = {**given.get(setting, {}), tool: value}
        for name in ("policies", "salience"):
            given[name] = said.get(name, {})
        settings = SessionSettings(**given)
        return cls(settings, Telemetry(**said.get("telemetry", {})))


def settings_for(config: Config, *, salt: str = "", budget: int | None = None) -> SessionSettings:
    r"""Return the settings of a session that a configuration asks for.

    Parameters
    ----------
    config : Config
        What the files say.
    salt : str
        The secret of the installation; see `mckp.agents.telemetry.installation_salt`.
    budget : int, optional
        Most tokens of a response, in place of what the files say.

    Examples
    --------
    >>> from mckp.agents.config import loads
    >>> config = loads("schema_version = 2\n[endpoint_overrides.Read]\ndedup_enabled = false\n")
    >>> settings_for(config).enabled_per_endpoint
    {'Read': False}
    """
    found = config.settings
    return replace(found, salt=salt, budget=found.budget if budget is None else budget)
