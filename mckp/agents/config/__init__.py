"""Configuration: the files of the user and of a project, and the settings of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.later import homes_of, importer

if TYPE_CHECKING:
    from mckp.agents.config.collect import Effective as Effective
    from mckp.agents.config.collect import Habits as Habits
    from mckp.agents.config.collect import effective as effective
    from mckp.agents.config.collect import settings_for as settings_for
    from mckp.agents.config.config import SCHEMA_VERSION as SCHEMA_VERSION
    from mckp.agents.config.config import Config as Config
    from mckp.agents.config.files import in_project as in_project
    from mckp.agents.config.files import layered as layered
    from mckp.agents.config.files import load as load
    from mckp.agents.config.files import loads as loads
    from mckp.agents.config.rules import RuleSource as RuleSource
    from mckp.agents.config.rules import ToolRule as ToolRule
    from mckp.agents.config.rules import ToolSettings as ToolSettings
    from mckp.agents.config.settings import SessionSettings as SessionSettings

_HOMES = homes_of(
    {
        "mckp.agents.config.config": "SCHEMA_VERSION Config",
        "mckp.agents.config.collect": "Effective Habits effective settings_for",
        "mckp.agents.config.files": "in_project layered load loads",
        "mckp.agents.config.rules": "RuleSource ToolRule ToolSettings",
        "mckp.agents.config.settings": "SessionSettings",
    }
)
__all__ = tuple(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = importer(__name__, _HOMES)
