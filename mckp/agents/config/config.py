"""The sections of a configuration file, with what holds where they say nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from mckp.agents.config.checks import (
    by_name,
    by_path,
    each,
    flag,
    knob,
    number,
    one_of,
    section,
    text,
    whole,
)
from mckp.agents.config.settings import ACTIVE, TEMPLATES, VERBOSITIES, SessionSettings
from mckp.encoders import ALL, LEVELS

SCHEMA_VERSION: Final = 2
"""The newest version of the schema."""

FORMATS: Final = (*LEVELS, *(each.name for each in ALL))
"""Levels and formats that may be enabled."""

_OLD_NAMES: Final = {
    "csv_from_md": "csv",
    "deep_mckp": "json",
    "deep_mckp_inner_table": "mckp_v2",
    "json_compact": "json",
}
"""Names that files of version 1 have for formats of today."""

MAX_ENTRIES: Final = 100_000
MAX_CHARS: Final = 1_000_000_000
MAX_MIB: Final = 1 << 20
MAX_DAYS: Final = 3650
_FORMAT: Final = one_of(FORMATS, _OLD_NAMES)
_TEMPLATE: Final = one_of(TEMPLATES)


@dataclass(frozen=True, slots=True)
class Dedup:
    """Repeats: how many results are remembered, and when they become references."""

    lru_size: int = knob(5, whole(1, MAX_ENTRIES))
    enabled_per_endpoint: dict[str, bool] = knob(dict, by_name(flag))
    hint_verbosity: str = knob("standard", one_of(VERBOSITIES))
    near_ref_enabled: bool = knob(False, flag)
    min_body_chars: int = knob(200, whole(0, MAX_CHARS))


@dataclass(frozen=True, slots=True)
class Templates:
    """Which templates there are, and which tools get one."""

    active: tuple[str, ...] = knob(ACTIVE, each(_TEMPLATE))
    endpoint_overrides: dict[str, str] = knob(dict, by_name(_TEMPLATE))


@dataclass(frozen=True, slots=True)
class Encoding:
    """How results are written; the section is called ``mckp``."""

    budget: int | None = knob(None, whole(1, MAX_CHARS))
    recursion_depth: int = knob(5, whole(0, 64))
    formats_enabled: tuple[str, ...] = knob(("native",), each(_FORMAT, least=1))


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Whether figures of results are written down, where, and how long they stay."""

    enabled: bool = knob(False, flag)
    path: str | None = knob(None, text)
    rotate_mib: int = knob(100, whole(1, MAX_MIB))
    most_mib: int = knob(1000, whole(1, MAX_MIB))
    event_days: int = knob(30, whole(1, MAX_DAYS))
    session_days: int = knob(90, whole(1, MAX_DAYS))


@dataclass(frozen=True, slots=True)
class Override:
    """What is different for one tool."""

    dedup_enabled: bool | None = knob(None, flag)
    template_id: str | None = knob(None, _TEMPLATE)
    format: str | None = knob(None, _FORMAT)
    min_body_chars: int | None = knob(None, whole(0, MAX_CHARS))


@dataclass(frozen=True, slots=True)
class Config:
    """All that can be said about how sessions write results.

    Every value has a default, and every section can be left out.

    Examples
    --------
    >>> Config().dedup.lru_size, Config().mckp.formats_enabled
    (5, ('native',))
    """

    dedup: Dedup = knob(Dedup, section(Dedup))
    templates: Templates = knob(Templates, section(Templates))
    mckp: Encoding = knob(Encoding, section(Encoding))
    telemetry: Telemetry = knob(Telemetry, section(Telemetry))
    endpoint_overrides: dict[str, Override] = knob(dict, by_name(section(Override)))
    salience: dict[str, dict[str, float]] = knob(dict, by_name(by_path(number(0, 1000))))

    @classmethod
    def of_table(cls, table: dict[str, Any]) -> Config:
        """Read what a file of the current version says, without its version.

        Raises
        ------
        ConfigError
            With the key, for whatever is unknown or not allowed.
        """
        found: Config = section(cls)(table, "")
        return found


def settings_for(config: Config, *, salt: str = "", budget: int | None = None) -> SessionSettings:
    r"""Return the settings of a session that a configuration asks for.

    Parameters
    ----------
    config : Config
        What the files say.
    salt : str
        The secret of the installation; see `mckp.agents.telemetry.installation_salt`.
    budget : int, optional
        Tokens that a response may have, in place of what the files say.

    Examples
    --------
    >>> from mckp.agents.config import loads
    >>> config = loads("schema_version = 2\n[endpoint_overrides.Read]\ndedup_enabled = false\n")
    >>> settings_for(config).enabled_per_endpoint
    {'Read': False}
    """
    own = config.endpoint_overrides.items()
    enabled = {name: it.dedup_enabled for name, it in own if it.dedup_enabled is not None}
    templates = {name: it.template_id for name, it in own if it.template_id is not None}
    templates = config.templates.endpoint_overrides | templates
    active = config.templates.active
    return SessionSettings(
        lru_size=config.dedup.lru_size,
        enabled_per_endpoint=config.dedup.enabled_per_endpoint | enabled,
        hint_verbosity=config.dedup.hint_verbosity,
        near_ref_enabled=config.dedup.near_ref_enabled,
        min_body_chars=config.dedup.min_body_chars,
        min_body_per_endpoint={
            name: it.min_body_chars for name, it in own if it.min_body_chars is not None
        },
        active_templates=active,
        endpoint_overrides={name: each for name, each in templates.items() if each in active},
        salience=config.salience,
        recursion_depth=config.mckp.recursion_depth,
        preferred_formats={name: it.format for name, it in own if it.format is not None},
        formats=config.mckp.formats_enabled,
        budget=config.mckp.budget if budget is None else budget,
        salt=salt,
    )
