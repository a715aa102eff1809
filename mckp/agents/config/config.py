"""The keys of a configuration file and their meaning."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.checks import (
    Check,
    as_table,
    by_name,
    checked_field,
    checks_of,
    flag,
    number,
    pattern,
    section,
    subkey,
    text,
)
from mckp.agents.config.policies import policy_rules
from mckp.agents.config.profiles import Profiles, Variant, hints, profiles
from mckp.agents.config.rules import ALL, CHECKS, RuleSource, ToolRule, formats_check
from mckp.agents.config.settings import SessionSettings
from mckp.agents.places import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Origin = Callable[[str], str]

SCHEMA_VERSION: Final = VERSIONS["configuration"]
"""The newest version of the schema."""

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Whether telemetry is written, where, how much of it, and for how long it is kept.

    The README in this folder explains each field.
    """

    enabled: bool = checked_field(False, flag)
    path: str | None = checked_field(None, text)
    most_mib: int = checked_field(1000, number(1, kind=int))
    event_days: int = checked_field(30, number(1, kind=int))


_BY_TOOL: Final = "enabled_per_endpoint"
_OVERRIDES: Final[dict[str, str]] = {"dedup_enabled": "references", "format": "formats"}
"""Former keys for one tool, and their present names."""

SECTIONS: Final[dict[str, dict[str, Check]]] = {
    "dedup": {
        "lru_size": CHECKS["lru_size"],
        _BY_TOOL: by_name(flag),
        "near_ref_enabled": flag,
        "min_body_chars": CHECKS["min_body_chars"],
    },
    "mckp": {
        "budget": CHECKS["budget"],
        "formats_enabled": formats_check,
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
            section(
                {
                    "dedup_enabled": flag,
                    "format": formats_check,
                    "min_body_chars": CHECKS["min_body_chars"],
                    "near_ref_enabled": flag,
                }
            )
        ),
        "policies": as_table,
        "profiles": profiles,
        "hints": hints,
        "salience": by_name(by_name(number(0, 1000), pattern)),
    }
)


@dataclass(frozen=True, slots=True)
class Config:
    """The content of configuration files: rules, profiles, hints and telemetry."""

    rules: tuple[ToolRule, ...] = ()
    """The rules of the sections; `mckp.agents.config.collect` adds those of profiles."""
    telemetry: Telemetry = field(default_factory=Telemetry)
    profiles: Profiles = field(default_factory=Profiles)
    hints: Mapping[str, Variant] = field(default_factory=lambda: MappingProxyType({}))
    """By type of hint: whether it is used, for which models, and how often at most."""
    salience: Mapping[str, Mapping[str, float]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """By tool or pattern, factors on what fields are worth."""

    @property
    def settings(self) -> SessionSettings:
        """The settings that the sections give; `mckp.agents.config.collect` adds profiles."""
        return SessionSettings(rules=self.rules)

    @classmethod
    def of_table(cls, table: dict[str, Any], origin: Mapping[str, str] | None = None) -> Config:
        """Return the configuration in the table of a file, without its version.

        `origin` has the file that each key, such as ``mckp.budget``, comes from. A `ConfigError` is
        raised if a key or a value is wrong.
        """
        sections: dict[str, Any] = _FILE(table, "")

        def origin_of(place: str) -> str:
            """Return where a rule comes from: its key, with its file if that is known."""
            key = place.replace('"', "")
            tables = (table for table in origin or {} if f"{key}.".startswith(f"{table}."))
            file = (origin or {}).get(max(tables, key=len, default=""))
            return f"{place} in {file}" if file else place

        rules = tuple(_rules_of(sections, origin_of))
        return cls(
            rules,
            Telemetry(**sections.get("telemetry", {})),
            sections.get("profiles", Profiles()),
            sections.get("hints", {}),
            sections.get("salience", {}),
        )


def _rules_of(sections: Mapping[str, Any], origin: Origin) -> Iterator[ToolRule]:
    """Yield the rules in the checked sections of a file, except those of profiles and hints."""
    for name in ("dedup", "mckp"):
        for key, value in sections.get(name, {}).items():
            place = f"{name}.{key}"
            if key == _BY_TOOL:
                for tool, may_refer in value.items():
                    yield ToolRule(
                        {"references": may_refer}, tool, origin=origin(subkey(place, tool))
                    )
            else:
                value_name = "formats" if key == "formats_enabled" else key
                yield ToolRule({value_name: value}, origin=origin(place))
    for tool, factors in sections.get("salience", {}).items():
        yield ToolRule({"priorities": factors}, tool, origin=origin(subkey("salience", tool)))
    for tool, values in sections.get("endpoint_overrides", {}).items():
        place = origin(subkey("endpoint_overrides", tool))
        sets = {_OVERRIDES.get(str(name), str(name)): values[name] for name in values}
        yield ToolRule(sets, tool, RuleSource.POLICY, place)
        if "formats" in sets and not set(tool) & set("*?["):
            # The format of a name is for all tools whose names begin with it.
            yield ToolRule({"formats": sets["formats"]}, f"{tool}{ALL}", RuleSource.POLICY, place)
    policies = policy_rules(sections.get("policies", {}), "policies", RuleSource.POLICY, origin)
    _note_changed_meaning(policies)
    yield from policies


_NOTED = set[str]()


def _note_changed_meaning(policies: Sequence[ToolRule]) -> None:
    """Warn once of policies that take from others what they leave open: they hid them before."""
    for rule in policies:
        for wider in policies:
            opened = set(wider.sets) - set(rule.sets)
            if rule.tool != wider.tool and opened and fnmatchcase(rule.tool, wider.tool):
                names = ", ".join(sorted(opened))
                note = f"{rule.origin} now takes what it does not set ({names}) from {wider.origin}"
                if note not in _NOTED:
                    _NOTED.add(note)
                    _LOG.warning("%s", note)
