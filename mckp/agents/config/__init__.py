"""Configuration: the files of the user and of a project, and the settings of a session."""

from __future__ import annotations

from mckp.agents.config.config import SCHEMA_VERSION, Config
from mckp.agents.config.effective import Effective, Habits, effective, settings_for
from mckp.agents.config.files import in_project, layered, load, loads
from mckp.agents.config.rules import RuleSource, ToolRule, ToolSettings
from mckp.agents.config.settings import SessionSettings

__all__ = [
    "SCHEMA_VERSION",
    "Config",
    "Effective",
    "Habits",
    "RuleSource",
    "SessionSettings",
    "ToolRule",
    "ToolSettings",
    "effective",
    "in_project",
    "layered",
    "load",
    "loads",
    "settings_for",
]
