"""Configurations: files of the user and of a project, and what a session goes by.

The public names are imported when they are first used: a hook asks only where the files are.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mckp.agents.config.config import SCHEMA_VERSION as SCHEMA_VERSION
    from mckp.agents.config.config import Config as Config
    from mckp.agents.config.config import settings_for as settings_for
    from mckp.agents.config.files import in_project as in_project
    from mckp.agents.config.files import layered as layered
    from mckp.agents.config.files import load as load
    from mckp.agents.config.files import loads as loads
    from mckp.agents.config.settings import SessionSettings as SessionSettings

_HOME: Final = {
    **dict.fromkeys(("Config", "SCHEMA_VERSION", "settings_for"), "config"),
    **dict.fromkeys(("in_project", "layered", "load", "loads"), "files"),
    "SessionSettings": "settings",
}


if not TYPE_CHECKING:  # type checkers are to find names that do not exist

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
