"""Configurations: files of the user and of a project, and what a session goes by.

The public names are imported when they are first used: a hook asks only where the files are.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mckp.agents.config.config import SCHEMA_VERSION, Config, settings_for
    from mckp.agents.config.files import in_project, layered, load, loads
    from mckp.agents.config.settings import SessionSettings

__all__ = [
    "SCHEMA_VERSION",
    "Config",
    "SessionSettings",
    "in_project",
    "layered",
    "load",
    "loads",
    "settings_for",
]

_HOME: Final = {
    "Config": "config",
    "SCHEMA_VERSION": "config",
    "SessionSettings": "settings",
    "in_project": "files",
    "layered": "files",
    "load": "files",
    "loads": "files",
    "settings_for": "config",
}


if not TYPE_CHECKING:  # type checkers are to find names that do not exist

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
